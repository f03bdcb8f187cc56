// SPDX-License-Identifier: BSD-2-Clause
/* csv - the names of the columns, and a row under construction (csv_io.c: files). */
#include "csv.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CSV_NAME(name, type, help) #name,
const char *const csv_names[NR_COLS] = { CSV_COLUMNS(CSV_NAME) };
#undef CSV_NAME
#define CSV_HELP(name, type, help) help,
const char *const csv_help[NR_COLS] = { CSV_COLUMNS(CSV_HELP) };
#undef CSV_HELP

/* Numbers in a file look the same whatever the user's locale: made once, never freed. */
static locale_t c_locale(void)
{
	static locale_t locale;

	if (!locale)
		locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return locale;
}

static void set_owned(struct csv_row *r, enum csv_column c, char *s)
{
	free(r->field[c]);
	r->field[c] = s;
}

void csv_set(struct csv_row *r, enum csv_column c, const char *s)
{
	set_owned(r, c, xstrdup(s));
}

void csv_set_u64(struct csv_row *r, enum csv_column c, uint64_t v)
{
	set_owned(r, c, xasprintf("%ju", (uintmax_t)v));
}

void csv_set_double(struct csv_row *r, enum csv_column c, double v, int digits)
{
	locale_t old;

	if (!isfinite(v)) {
		set_owned(r, c, NULL);
		return;
	}
	old = uselocale(c_locale());
	set_owned(r, c, xasprintf("%.*g", digits, v));
	uselocale(old);
}

void csv_copy(struct csv_row *dst, const struct csv_row *src)
{
	for (int c = 0; c < NR_COLS; c++)
		dst->field[c] = src->field[c] ? xstrdup(src->field[c]) : NULL;
}

void csv_row_clear(struct csv_row *r)
{
	for (int c = 0; c < NR_COLS; c++)
		set_owned(r, c, NULL);
}

int csv_number(const char *s, double *out)
{
	char *end;

	/* strtod also knows inf, nan, hexadecimal and leading blanks: no number here is one */
	if (!*s || s[strspn(s, "+-.0123456789eE")])
		return -1;
	*out = strtod_l(s, &end, c_locale());
	return *end || !isfinite(*out) ? -1 : 0;
}
