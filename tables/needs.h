/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * needs - what a template asks of a scheme is there, or the compiler's first error names it
 *
 * Without, what is missing shows as hundreds of errors in the template's own lines. The name
 * of a function that is not there is the error; what it must be stands in the template.
 */
#ifndef TEARLINE_NEEDS_H
#define TEARLINE_NEEDS_H

#define NEEDS(function) \
	_Static_assert(sizeof(&(function)) != 0, "define " #function " before the template")

#endif
