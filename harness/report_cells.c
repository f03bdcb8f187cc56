// SPDX-License-Identifier: BSD-2-Clause
/* report_cells - from rows to groups and cells, and how both are called. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "workload.h"

/* Less than this of a replay is hardly more than how its threads began and ended. */
#define MIN_TIMED 0.1


static bool same_columns(const struct record *a, const struct record *b,
			 const enum csv_column *columns)
{
	for (; *columns != NR_COLS; columns++)
		if (!record_same(a, b, *columns))
			return false;
	return true;
}

static bool same_group(const struct record *a, const struct record *b)
{
	return same_columns(a, b, dim_machine) &&
	       same_columns(a, b, dim_trace) && same_columns(a, b, dim_setting);
}

/* 16 before 128; the baseline before all other tables. */
static int compare_columns(const struct record *a, const struct record *b,
			   const enum csv_column *columns, const char *baseline)
{
	for (; *columns != NR_COLS; columns++) {
		enum csv_column c = *columns;
		int order = strverscmp(a->field[c], b->field[c]);

		if (order && c == COL_table)
			order = record_is(a, c, baseline)   ? -1
				: record_is(b, c, baseline) ? 1
							    : order;
		if (order)
			return order;
	}
	return 0;
}

/* Rows that agree in all of it stay in the order of the file. */
static int file_order(const struct record *a, const struct record *b)
{
	return (a > b) - (a < b);
}

static int compare_cells(const void *pa, const void *pb, void *arg)
{
	static const enum csv_column *const lists[] = { dim_trace, dim_setting,
							dim_machine,
							dim_cell };
	const struct record *a = *(const struct record *const *)pa;
	const struct record *b = *(const struct record *const *)pb;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		int order = compare_columns(a, b, lists[i], arg);

		if (order)
			return order;
	}
	return file_order(a, b);
}

static int compare_variants(const void *pa, const void *pb, void *arg)
{
	const struct record *a = *(const struct record *const *)pa;
	const struct record *b = *(const struct record *const *)pb;
	int order = compare_columns(a, b, dim_variant, arg);

	return order ? order : file_order(a, b);
}

bool report_same_machine(const struct record *a, const struct record *b)
{
	return same_columns(a, b, dim_machine);
}

/* machine: NULL for all of them */
static struct slice select_rows(const struct report *rp, const char *mode,
				const struct record *machine,
				int (*compare)(const void *, const void *, void *))
{
	struct slice s = { .row = xcalloc(rp->rows.nr, sizeof(*s.row)) };

	for (size_t i = 0; i < rp->rows.nr; i++) {
		const struct record *r = &rp->rows.rec[i];

		if (record_is(r, COL_mode, mode) &&
		    (!machine || report_same_machine(r, machine)))
			s.row[s.nr++] = r;
	}
	qsort_r(s.row, s.nr, sizeof(*s.row), compare, (void *)rp->baseline);
	return s;
}

struct slice report_select_cells(const struct report *rp, const char *mode)
{
	return select_rows(rp, mode, NULL, compare_cells);
}

struct slice report_select_variants(const struct report *rp, const char *mode,
				    const struct record *machine)
{
	return select_rows(rp, mode, machine, compare_variants);
}

/* Only an audit has a witness. */
static bool same_settings_but_witness(const struct record *a, const struct record *b)
{
	for (const enum csv_column *c = dim_setting; *c != NR_COLS; c++)
		if (*c != COL_witness && !record_same(a, b, *c))
			return false;
	return true;
}

struct slice report_select_unaudited(const struct report *rp, const struct record *audited)
{
	struct slice s = { .row = xcalloc(rp->rows.nr, sizeof(*s.row)) };

	for (size_t i = 0; i < rp->rows.nr; i++) {
		const struct record *r = &rp->rows.rec[i];

		if (record_is(r, COL_mode, "throughput") && report_same_machine(r, audited) &&
		    same_columns(r, audited, dim_trace) &&
		    same_columns(r, audited, dim_cell) &&
		    same_settings_but_witness(r, audited))
			s.row[s.nr++] = r;
	}
	return s;
}

bool report_is_timed(const struct record *r)
{
	double share = record_double(r, COL_overlap);

	return isnan(share) || (share >= MIN_TIMED && share <= 1);
}

bool report_is_floor(const struct record *r)
{
	table_for_each(class) {
		if (record_is(r, COL_table, class->name))
			return class->floor;
	}
	return false;
}

bool report_all_resident(const struct record *r)
{
	struct workload w[NR_KINDS];
	struct err e;

	/* what is dealt is a recorded trace, whatever its name */
	return !record_has(r, COL_deal) && !report_is_floor(r) &&
	       workload_parse(r->field[COL_trace], w, &e) == 1 && w->updates_only;
}

static struct slice take_front(struct slice *rest, size_t nr)
{
	struct slice front = { rest->row, nr };

	rest->row += nr;
	rest->nr -= nr;
	return front;
}

struct slice slice_take_group(struct slice *rest)
{
	size_t nr = 1;

	while (nr < rest->nr && same_group(rest->row[0], rest->row[nr]))
		nr++;
	return take_front(rest, nr);
}

struct slice slice_take(struct slice *rest, const enum csv_column *columns)
{
	size_t nr = 1;

	while (nr < rest->nr && same_columns(rest->row[0], rest->row[nr], columns))
		nr++;
	return take_front(rest, nr);
}

char *report_cell_label(const struct report *rp, const struct record *r)
{
	char *label = records_label(&rp->rows, r), *longer;

	if (!rp->rows.varies[COL_page_size] || !record_has(r, COL_page_size))
		return label;
	longer = xasprintf("%s@%s", label, r->field[COL_page_size]);
	free(label);
	return longer;
}

char *report_threads(const struct record *r)
{
	bool over = record_has(r, COL_oversubscribed) && !record_is(r, COL_oversubscribed, "0");

	return xasprintf("%s%s", r->field[COL_threads], over ? "*" : "");
}

static size_t machine_number(const struct report *rp, const struct record *r)
{
	size_t i = 0;

	while (!same_columns(rp->machine[i], r, dim_machine))
		i++;
	return i + 1;
}

void report_print_group(const struct report *rp, const struct record *r)
{
	const char *hash = r->field[COL_hash_mib];
	size_t len = strlen(hash);
	bool entries = len && hash[len - 1] == 'e';

	fprintf(rp->out, "trace %s", r->field[COL_trace]);
	if (record_has(r, COL_trace_hash))
		fprintf(rp->out, " (%s)", r->field[COL_trace_hash]);
	fprintf(rp->out, ", %.*s %s, kind %s", (int)(len - entries), hash,
		entries ? "entries" : "MiB", r->field[COL_kind]);
	for (const enum csv_column *c = dim_setting; *c != NR_COLS; c++)
		if (rp->rows.varies[*c] && record_has(r, *c))
			fprintf(rp->out, ", %s %s", csv_names[*c], r->field[*c]);
	if (rp->nr_machines > 1)
		fprintf(rp->out, ", machine %zu", machine_number(rp, r));
	fputc('\n', rp->out);
}

double *slice_values(const struct slice *s, enum csv_column c, size_t *nr)
{
	double *v = xcalloc(s->nr, sizeof(*v));

	*nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		if (record_has(s->row[i], c))
			v[(*nr)++] = record_double(s->row[i], c);
	return v;
}

double *slice_speeds(const struct slice *s, enum csv_column c, size_t *nr)
{
	double *v = xcalloc(s->nr, sizeof(*v));

	*nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		if (record_has(s->row[i], c) && report_is_timed(s->row[i]))
			v[(*nr)++] = record_double(s->row[i], c);
	return v;
}

double slice_share(const struct slice *s, enum csv_column above, enum csv_column below)
{
	uint64_t part = 0, whole = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (!record_has(s->row[i], above) || !record_has(s->row[i], below))
			continue;
		part += record_u64(s->row[i], above);
		whole += record_u64(s->row[i], below);
	}
	return whole ? (double)part / (double)whole : NAN;
}

/* The process stays in the C locale, so that printf writes a point here. */
char *text_figure(double v)
{
	if (isnan(v))
		return NULL;
	if (v >= 100)
		return xasprintf("%.1f", v);
	if (v >= 1 || v == 0)
		return xasprintf("%.2f", v);
	return v >= 0.1 ? xasprintf("%.3f", v) : xasprintf("%.3g", v);
}

char *text_interval(const struct interval *i, size_t nr)
{
	char *lo, *hi, *text;

	if (nr < 2)
		return NULL;
	lo = text_figure(i->lo);
	hi = text_figure(i->hi);
	text = xasprintf(nr < STATS_MIN_BOOTSTRAP ? "(%s..%s)" : "[%s, %s]", lo, hi);
	free(lo);
	free(hi);
	return text;
}
