// SPDX-License-Identifier: BSD-2-Clause
/*
 * plot_style - one look a table, the same in every picture
 *
 * A table's number is its place among the registered ones: those that mean well, then the
 * controls, then what only the rows know (shared objects), in the order of their names. The
 * number gives colour and symbol; as there are 10 of one and 11 of the other, 110 tables pass
 * before a pair comes again. A floor is grey, which no table is.
 *
 * A variant's number gives dashes, shade and width, 144 in all: 0 has the options as they are by default,
 * one with a single option changed has a number of its own in every file, and the rest are
 * counted in the order of their options.
 */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"

/* Okabe and Ito's, without the yellow, which nobody sees on white; a brown, purple and olive. */
static const unsigned colours[] = { 0xd55e00, 0x0072b2, 0x009e73, 0xcc79a7, 0xe69f00,
				    0x56b4e9, 0x000000, 0x8c564b, 0x6a3d9a, 0x808000 };
static const unsigned symbols[] = { 5, 7, 9, 11, 13, 15, 4, 6, 8, 10, 12 };
#define FLOOR_COLOUR 0x999999
static const unsigned floor_symbols[] = { 2, 1, 3 };

static const char *const dashes[] = {
	"solid",	   "(8,4)",
	"(2,3)",	   "(8,4,2,4)",
	"(16,4)",	   "(8,4,2,4,2,4)",
	"(16,4,2,4)",	   "(16,4,8,4)",
	"(5,12)",	   "(16,4,2,4,2,4)",
	"(8,4,8,4,2,4)",   "(2,3,2,9)",
	"(16,4,8,4,2,4)",  "(8,4,2,4,2,4,2,4)",
	"(16,4,16,4,2,4)", "(16,4,8,4,8,4)",
};
/* towards white: one of the colours is black */
static const double shades[] = { 0, 0.3, 0.55 };
static const double widths[] = { 2, 3.5, 1 };

static const struct table_class *class_of(const struct record *r)
{
	table_for_each(c) if (record_is(r, COL_table, c->name)) return c;
	return NULL;
}

static size_t registered_number(const struct table_class *class)
{
	size_t nr = 0;

	table_for_each(c)
	{
		if (c->floor != class->floor)
			continue;
		if (c->broken < class->broken)
			nr++;
		else if (c->broken == class->broken && strcmp(c->name, class->name) < 0)
			nr++;
	}
	return nr;
}

/* Is row i the first of its table among the variants? */
static bool first_of_table(const struct records *rows, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (record_same(rows->variant[i], rows->variant[j], COL_table))
			return false;
	return true;
}

static size_t unregistered_number(const struct records *rows, const struct record *r)
{
	size_t nr = 0;

	table_for_each(c) nr += !c->floor;
	for (size_t i = 0; i < rows->nr_variants; i++)
		if (!class_of(rows->variant[i]) && first_of_table(rows, i) &&
		    strcmp(rows->variant[i]->field[COL_table], r->field[COL_table]) < 0)
			nr++;
	return nr;
}

/* The value of an option in "a=1;b=2", and its length; NULL: it is not there. */
static const char *value_of(const char *options, const char *name, size_t *len)
{
	size_t n = strlen(name);

	for (const char *p = options; *p; p += *p == ';') {
		size_t part = strcspn(p, ";");

		if (part > n && p[n] == '=' && !strncmp(p, name, n)) {
			*len = part - n - 1;
			return p + n + 1;
		}
		p += part;
	}
	return NULL;
}

/* Which of "a|b|c" it is, from 0; -1: none of them. */
static int choice_of(const char *choices, const char *value, size_t len)
{
	int at = 0;

	for (const char *p = choices; p && *p; at++) {
		size_t n = strcspn(p, "|");

		if (n == len && !strncmp(p, value, len))
			return at;
		p += n + (p[n] == '|');
	}
	return -1;
}

static unsigned count_choices(const char *choices)
{
	unsigned nr = choices != NULL;

	for (; choices && *choices; choices++)
		nr += *choices == '|';
	return nr;
}

/* Does the row name an option that the table no longer has? */
static bool has_unknown_option(const struct table_class *c, const struct record *r)
{
	size_t known = 0, named = 0, len;

	for (const char *p = r->field[COL_options]; *p; named++) {
		p += strcspn(p, ";");
		p += *p == ';';
	}
	for (size_t i = 0; i < MAX_TABLE_OPTIONS && c->options[i].name; i++)
		known += value_of(r->field[COL_options], c->options[i].name, &len) != NULL;
	return named != known;
}

/* 0 with all options as by default, else 1 + which one is changed to what; -1: several are. */
static int single_change(const struct table_class *c, const struct record *r)
{
	int number = 0;
	unsigned before = 1;

	if (has_unknown_option(c, r))
		return -1;
	for (size_t i = 0; i < MAX_TABLE_OPTIONS && c->options[i].name; i++) {
		const struct table_option *o = &c->options[i];
		size_t len;
		const char *value = value_of(r->field[COL_options], o->name, &len);
		int choice = value ? choice_of(o->values, value, len) : -1;

		if (value && (strlen(o->dflt) != len || strncmp(o->dflt, value, len))) {
			if (number || choice < 0)
				return -1;
			number = (int)before + choice;
		}
		before += count_choices(o->values);
	}
	return number;
}

static size_t variant_number(const struct records *rows, const struct record *r)
{
	const struct table_class *c = class_of(r);
	int single = c ? single_change(c, r) : -1;
	size_t nr = 0;

	if (single >= 0)
		return (size_t)single;
	for (size_t i = 0; c && i < MAX_TABLE_OPTIONS && c->options[i].name; i++)
		nr += count_choices(c->options[i].values);
	nr += c != NULL;
	for (size_t i = 0; i < rows->nr_variants; i++) {
		const struct record *v = rows->variant[i];

		nr += record_same(v, r, COL_table) && (!c || single_change(c, v) < 0) &&
		      strverscmp(v->field[COL_options], r->field[COL_options]) < 0;
	}
	return nr;
}

/* The same variant on other pages has larger or smaller symbols. */
static double point_size(const struct record *r)
{
	static const struct {
		const char *pages;
		double size;
	} sizes[] = { { "4k", 0.8 }, { "2m", 1.8 }, { "1g", 2.3 }, { "thp+4k", 0.5 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (record_is(r, COL_page_size, sizes[i].pages))
			return sizes[i].size;
	return 1.3;
}

static unsigned shaded(unsigned colour, double shade)
{
	unsigned mixed = 0;

	for (unsigned shift = 0; shift < 24; shift += 8) {
		double part = colour >> shift & 255;

		part += (255 - part) * shade;
		mixed |= (unsigned)part << shift;
	}
	return mixed;
}

static void set_colour(struct plot_style *s, unsigned colour)
{
	snprintf(s->colour, sizeof(s->colour), "#%06x", colour & 0xffffff);
}

void plot_style_of(const struct plot *p, const struct record *r, struct plot_style *s)
{
	const struct records *rows = &p->from.rows;
	const struct table_class *c = class_of(r);
	size_t table = c ? registered_number(c) : unregistered_number(rows, r);
	size_t variant = variant_number(rows, r);
	size_t shade = variant / ARRAY_SIZE(dashes);
	size_t width = shade / ARRAY_SIZE(shades);
	unsigned colour = colours[table % ARRAY_SIZE(colours)];

	*s = (struct plot_style){ .dash = dashes[variant % ARRAY_SIZE(dashes)],
				  .width = widths[width % ARRAY_SIZE(widths)],
				  .point_size = point_size(r),
				  .floor = c && c->floor };
	if (s->floor) {
		s->symbol = floor_symbols[table % ARRAY_SIZE(floor_symbols)];
		set_colour(s, FLOOR_COLOUR);
	} else {
		s->symbol = symbols[table % ARRAY_SIZE(symbols)];
		set_colour(s, shaded(colour, shades[shade % ARRAY_SIZE(shades)]));
	}
}
