// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv_type - what each column may hold, said in the list of columns itself
 *
 * The list does not compile for a column without a type, and whoever reads rows checks
 * all of them: nothing after has to wonder what a figure is that is none.
 */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool is_text(const char *s, const char *choices)
{
	return true;
}

static bool is_whole(const char *s, const char *choices)
{
	uint64_t v;

	return !parse_u64(s, 0, UINT64_MAX, &v);
}

static bool is_count(const char *s, const char *choices)
{
	uint64_t v;

	return !parse_u64(s, 1, UINT64_MAX, &v);
}

static bool is_decimal(const char *s, const char *choices)
{
	double v;

	return !csv_number(s, &v) && v >= 0;
}

static bool is_share(const char *s, const char *choices)
{
	double v;

	return !csv_number(s, &v) && v >= 0 && v <= 1;
}

static bool is_choice(const char *s, const char *choices)
{
	for (const char *p = choices; *p;) {
		size_t n = strcspn(p, ",");

		if (strlen(s) == n && !strncmp(s, p, n))
			return true;
		p += n + strspn(p + n, ", ");
	}
	return false;
}

/* 2026-01-31T23:59:59.999Z: as many digits wherever the pattern has a 0. */
static bool is_time(const char *s, const char *choices)
{
	const char *p = "0000-00-00T00:00:00";

	for (; *p; p++, s++)
		if (*p == '0' ? *s < '0' || *s > '9' : *s != *p)
			return false;
	if (*s == '.')
		s += 1 + strspn(s + 1, DIGITS);
	return !strcmp(s, "Z");
}

static bool is_hash(const char *s, const char *choices)
{
	size_t n = strspn(s, DIGITS "abcdef");

	return n && n <= 16 && !s[n];
}

/* "16", "0.25": MiB; "4096e": entries. */
static bool is_size(const char *s, const char *choices)
{
	size_t n = strspn(s, DIGITS);

	return (n && !strcmp(s + n, "e")) || is_decimal(s, choices);
}

/* "4k", "thp", "thp+4k" */
static bool is_pages(const char *s, const char *choices)
{
	size_t n;

	if (!strncmp(s, "thp", 3)) {
		if (!s[3])
			return true;
		s += 3 + (s[3] == '+');
	}
	n = strspn(s, DIGITS);
	return n && s[n] && strchr("kmg", s[n]) && !s[n + 1];
}

static bool is_placement(const char *s, const char *choices)
{
	return is_choice(s, choices) || !strncmp(s, "list:", 5);
}

/* "0,1,0,1" or "0-3,8" */
static bool is_cpus(const char *s, const char *choices)
{
	bool digit = false;

	for (; *s; s++) {
		bool is_digit = strchr(DIGITS, *s) != NULL;

		if (!is_digit && (!digit || !strchr(",-", *s)))
			return false;
		digit = is_digit;
	}
	return digit;
}

/* "name=value;name=value": it begins as such; a file's name may hold anything. */
static bool is_options(const char *s, const char *choices)
{
	size_t n = strcspn(s, "=;");

	return n && s[n] == '=';
}

/* clang-format off */
#define TEXT { "text", "text", is_text, NULL }
#define WHOLE { "whole", "a whole number", is_whole, NULL }
#define COUNT { "count", "a whole number of at least 1", is_count, NULL }
#define DECIMAL { "decimal", "a number of at least 0", is_decimal, NULL }
#define SHARE { "share", "a share from 0 to 1", is_share, NULL }
#define FLAG { "0, 1", "0 or 1", is_choice, "0, 1" }
#define CHOICE(list) { list, "one of " list, is_choice, list }
#define TIME { "time", "a time as in 2026-01-31T23:59:59.999Z", is_time, NULL }
#define HASH { "hash", "up to 16 hexadecimal digits", is_hash, NULL }
#define SIZE { "size", "MiB, or entries as in 4096e", is_size, NULL }
#define PAGES { "pages", "pages as in 4k, 2m, thp or thp+4k", is_pages, NULL }
#define PLACEMENT \
	{ "placement", "core, compact, spread or list:...", is_placement, "core, compact, spread" }
#define CPUS { "CPUs", "numbers of CPUs as in 0,1,2,3", is_cpus, NULL }
#define OPTIONS { "options", "options as in name=value;name=value", is_options, NULL }
/* clang-format on */

#define CSV_TYPE(name, type, help) type,
const struct csv_type csv_types[NR_COLS] = { CSV_COLUMNS(CSV_TYPE) };
#undef CSV_TYPE

const char *csv_misfit(enum csv_column c, const char *s)
{
	const struct csv_type *t = &csv_types[c];

	return !*s || t->fits(s, t->choices) ? NULL : t->want;
}
