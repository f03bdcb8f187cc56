/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nearest - which of the known words may an unknown one have been meant for?
 *
 * By the least number of letters left out, put in, taken for another or swapped with the next
 * (Damerau 1964), in letters of either case. Too many for the word's length is no likeness.
 */
#ifndef TEARLINE_NEAREST_H
#define TEARLINE_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX 48 /* longer words are not looked at */

struct nearest {
	const char *word;
	size_t len;
	unsigned distance; /* of what was found */
	char hint[NEAREST_MAX + 24];
};

void nearest_begin(struct nearest *n, const char *word, size_t len);
void nearest_try(struct nearest *n, const char *candidate, size_t len);
/* Each of "a|b|c". */
void nearest_try_choices(struct nearest *n, const char *choices);
/* For the end of a message: ", did you mean xor-simd?", or nothing. */
const char *nearest_hint(const struct nearest *n);

#endif
