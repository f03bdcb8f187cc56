// SPDX-License-Identifier: BSD-2-Clause
/* grid - a text table whose columns line up. */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

void grid_add(struct grid *g, char *text)
{
	g->cell = xrealloc(g->cell, (g->nr_cells + 1) * sizeof(*g->cell));
	g->cell[g->nr_cells++] = text ? text : xstrdup("-");
}

void grid_begin(struct grid *g, const char *header)
{
	memset(g, 0, sizeof(*g));
	for (const char *p = header; p; g->nr_cols++) {
		size_t n = strcspn(p, "|");

		grid_add(g, xasprintf("%.*s", (int)n, p));
		p = p[n] ? p + n + 1 : NULL;
	}
}

/* Code points, which is what a label in UTF-8 takes up on a screen. */
static size_t text_width(const char *s)
{
	size_t width = 0;

	for (; *s; s++)
		width += ((unsigned char)*s & 0xc0) != 0x80;
	return width;
}

static const char *cell_text(const struct grid *g, size_t i)
{
	const char *s = g->cell[i];

	return i < g->nr_cols && *s == '<' ? s + 1 : s;
}

static size_t column_width(const struct grid *g, size_t col)
{
	size_t width = 0;

	for (size_t i = col; i < g->nr_cells; i += g->nr_cols) {
		size_t w = text_width(cell_text(g, i));

		width = w > width ? w : width;
	}
	return width;
}

static void print_row(const struct grid *g, size_t row, const size_t *width, FILE *f)
{
	int pad = 2;

	for (size_t c = 0; c < g->nr_cols; c++) {
		const char *text = cell_text(g, row * g->nr_cols + c);
		int fill = (int)(width[c] - text_width(text));

		if (g->cell[c][0] == '<') {
			fprintf(f, "%*s%s", pad, "", text);
			pad = fill + 2;
		} else {
			fprintf(f, "%*s%s", pad + fill, "", text);
			pad = 2;
		}
	}
	fputc('\n', f);
}

void grid_drop(struct grid *g)
{
	for (size_t i = 0; i < g->nr_cells; i++)
		free(g->cell[i]);
	free(g->cell);
}

void grid_end(struct grid *g, FILE *f)
{
	size_t *width = xcalloc(g->nr_cols, sizeof(*width));

	for (size_t c = 0; c < g->nr_cols; c++)
		width[c] = column_width(g, c);
	for (size_t row = 0; row < g->nr_cells / g->nr_cols; row++)
		print_row(g, row, width, f);
	free(width);
	grid_drop(g);
}
