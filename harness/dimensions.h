/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dimensions - the one list of what may not be mixed
 *
 * Rows are trials of the same thing only if they agree in all of this. Reports and pictures
 * take their groups from here, so that what one of them keeps apart the other does too: a new
 * column under which results differ is added in one place.
 */
#ifndef TEARLINE_DIMENSIONS_H
#define TEARLINE_DIMENSIONS_H

#include "csv.h"

/* Lists of columns, each ended by NR_COLS. */
extern const enum csv_column dim_machine[]; /* host, CPU, kernel, build */
extern const enum csv_column dim_trace[]; /* trace, size, kind, the trace's hash */
extern const enum csv_column dim_setting[]; /* placement, caller, ... */
extern const enum csv_column dim_variant[]; /* table, options */
extern const enum csv_column dim_curve[]; /* what one curve is of: a variant and its pages */
extern const enum csv_column dim_cell[]; /* a point of it: with so many threads */

#endif
