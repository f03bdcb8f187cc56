/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grid - a text table whose columns line up
 *
 * Words to the left, figures to the right; two blanks between columns, none at the
 * end of a line, so that awk and people can read the same output.
 */
#ifndef TEARLINE_GRID_H
#define TEARLINE_GRID_H

#include <stdio.h>
#include "util.h"

struct grid {
	size_t nr_cols, nr_cells;
	char **cell; /* row-major, the first row is the header */
};

/* Append one cell, taken over (NULL: "-"); rows fill from left to right. */
void grid_add(struct grid *g, char *text);
/* `header`: column names separated by '|'; one that begins with '<' holds words. */
void grid_begin(struct grid *g, const char *header);
/* Print, indented by two, and release. */
void grid_end(struct grid *g, FILE *f);
void grid_drop(struct grid *g);

#endif
