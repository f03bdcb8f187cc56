// SPDX-License-Identifier: BSD-2-Clause
#include "nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Row by row of the usual table: cell j of row i is the distance of the first i letters of a
 * from the first j of b. A swap looks two rows back.
 */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][NEAREST_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= nb; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);

			row[j] = least(above[j], row[j - 1]) + 1;
			row[j] = least(row[j], above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[nb];
}

void nearest_begin(struct nearest *n, const char *word, size_t len)
{
	*n = (struct nearest){ .word = word, .len = len, .distance = NEAREST_MAX };
}

void nearest_try(struct nearest *n, const char *candidate, size_t len)
{
	size_t longer = len > n->len ? len : n->len;
	unsigned d;

	if (!n->len || !len || longer > NEAREST_MAX)
		return;
	d = distance(n->word, n->len, candidate, len);
	if (d >= n->distance || d > (longer < 8 ? 1 : longer / 4))
		return;
	n->distance = d;
	snprintf(n->hint, sizeof(n->hint), ", did you mean %.*s?", (int)len, candidate);
}

void nearest_try_choices(struct nearest *n, const char *choices)
{
	for (const char *p = choices; p;) {
		size_t len = strcspn(p, "|");

		nearest_try(n, p, len);
		p = p[len] ? p + len + 1 : NULL;
	}
}

const char *nearest_hint(const struct nearest *n)
{
	return n->hint;
}
