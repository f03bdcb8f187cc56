// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_speed - how fast each table is, against one thread and against the baseline
 *
 * Only rows of mode throughput: the audit slows a table down and the latency mode reads
 * the clock around each operation.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

struct report_cells cells_make(struct slice group)
{
	struct report_cells cs = { .cell = xcalloc(group.nr, sizeof(*cs.cell)) };

	while (group.nr) {
		struct report_cell *c = &cs.cell[cs.nr++];

		c->rows = slice_take(&group, dim_cell);
		c->mops = slice_speeds(&c->rows, COL_mops, &c->nr);
	}
	return cs;
}

void cells_free(struct report_cells *cs)
{
	for (size_t i = 0; i < cs->nr; i++)
		free(cs->cell[i].mops);
	free(cs->cell);
}

static const struct record *record_of(const struct report_cell *c)
{
	return c->rows.row[0];
}

/* How alike two cells are in what may differ between them; a comparison takes the best. */
static int likeness(const struct record *a, const struct record *b)
{
	return 4 * record_same(a, b, COL_options) + 2 * record_same(a, b, COL_refresh) +
	       record_same(a, b, COL_page_size);
}

/* The timed cell of `table` with so many threads that is most like `c`, or NULL. */
static const struct report_cell *find_cell(const struct report_cells *cs,
					   const struct report_cell *c, const char *table,
					   uint64_t threads, int least)
{
	const struct report_cell *best = NULL;
	int best_likeness = least - 1;

	for (size_t i = 0; i < cs->nr; i++) {
		const struct report_cell *other = &cs->cell[i];
		int like = likeness(record_of(other), record_of(c));

		if (!other->nr || !record_is(record_of(other), COL_table, table) ||
		    record_u64(record_of(other), COL_threads) != threads ||
		    like <= best_likeness)
			continue;
		best = other;
		best_likeness = like;
	}
	return best;
}

static struct interval median_of(const struct report_cell *c)
{
	return stats_median_spread(c->mops, c->nr, BOOTSTRAP_SEED);
}

static size_t fewer(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct interval cell_ratio(const struct report_cell *a, const struct report_cell *b)
{
	return stats_ratio_spread(a->mops, a->nr, b->mops, b->nr, BOOTSTRAP_SEED);
}

static void add_speed(struct grid *g, const struct report_cell *c)
{
	struct interval mops = { NAN, NAN, NAN };
	size_t nr;
	double *ns = slice_speeds(&c->rows, COL_ns_per_op, &nr);

	if (c->nr)
		mops = median_of(c);
	grid_add(g, text_figure(mops.mid));
	grid_add(g, text_interval(&mops, c->nr));
	grid_add(g, xasprintf("%zu", c->nr));
	grid_add(g, text_figure(nr ? stats_median(ns, nr) : NAN));
	free(ns);
}

static void add_scaling(struct grid *g, const struct report_cells *cs,
			const struct report_cell *c)
{
	/* the same variant, at most with other pages: likeness 6 */
	const struct report_cell *one = find_cell(cs, c, record_of(c)->field[COL_table], 1, 6);
	double ratio = NAN;

	if (one && c->nr)
		ratio = stats_median(c->mops, c->nr) / stats_median(one->mops, one->nr);
	grid_add(g, text_figure(ratio));
}

static void add_ratio(struct grid *g, const struct report *rp, const struct report_cells *cs,
		      const struct report_cell *c)
{
	uint64_t threads = record_u64(record_of(c), COL_threads);
	const struct report_cell *base = find_cell(cs, c, rp->baseline, threads, 0);
	struct interval ratio = { NAN, NAN, NAN };
	bool both = base && c->nr && stats_min(base->mops, base->nr) > 0;

	if (both)
		ratio = cell_ratio(c, base);
	grid_add(g, text_figure(ratio.mid));
	grid_add(g,
		 both ? text_interval(&ratio, base == c ? 0 : fewer(c->nr, base->nr)) : NULL);
}

static char *text_percent(double share)
{
	return isnan(share) ? NULL : xasprintf("%.2f", share * 100);
}

/* Of a million probes, all of keys that are there. */
static char *text_missed(const struct slice *s)
{
	return text_figure(1e6 * (1 - slice_share(s, COL_hits, COL_probes)));
}

static void print_group(const struct report *rp, struct slice group)
{
	struct report_cells cs = cells_make(group);
	bool resident = report_all_resident(group.row[0]);
	char *header =
		xasprintf("<table|threads|Mops|<interval|n|ns/op|scaling|vs %s|<interval|"
			  "hit %%|usable %%%s",
			  rp->baseline, resident ? "|missed" : "");
	struct grid g;

	fputc('\n', rp->out);
	report_print_group(rp, group.row[0]);
	grid_begin(&g, header);
	for (size_t i = 0; i < cs.nr; i++) {
		const struct report_cell *c = &cs.cell[i];

		grid_add(&g, report_cell_label(rp, record_of(c)));
		grid_add(&g, report_threads(record_of(c)));
		add_speed(&g, c);
		add_scaling(&g, &cs, c);
		add_ratio(&g, rp, &cs, c);
		grid_add(&g, text_percent(slice_share(&c->rows, COL_hits, COL_probes)));
		grid_add(&g, text_percent(slice_share(&c->rows, COL_usable_hits, COL_probes)));
		if (resident)
			grid_add(&g, text_missed(&c->rows));
	}
	grid_end(&g, rp->out);
	free(header);
	cells_free(&cs);
}

static bool any_row(const struct slice *s, bool (*test)(const struct record *r))
{
	for (size_t i = 0; i < s->nr; i++)
		if (test(s->row[i]))
			return true;
	return false;
}

static bool has_usable(const struct record *r)
{
	return record_has(r, COL_usable_hits);
}

static void print_legend(const struct report *rp, const struct slice *all)
{
	fprintf(rp->out,
		"Mops: million operations a second, all threads together, median of n trials; "
		"[95 %% bootstrap interval], or\n(min..max) below %d trials. scaling: against "
		"one thread of the same table. -: not measured, or no figure (see NOTES).\n",
		STATS_MIN_BOOTSTRAP);
	if (!strcmp(rp->baseline, "unsync"))
		fputs("vs unsync: it protects nothing, but it is no limit: above 1 is noise if the "
		      "interval has a 1 in it, else a table\nthat does less or is laid out better.\n",
		      rp->out);
	if (any_row(all, has_usable))
		fputs("usable: tt probes whose answer is deep enough to end the search there; a hit "
		      "may give no more than a move.\n",
		      rp->out);
	if (any_row(all, report_all_resident))
		fputs("missed: of a million probes, none audited, that found nothing though their key "
		      "was there all along. It is what a user meets.\n",
		      rp->out);
}

void report_speed(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "throughput"), rest = all;

	fputs("\nSPEED\n", rp->out);
	if (!all.nr)
		fputs("no throughput rows: not measured\n", rp->out);
	else
		print_legend(rp, &all);
	while (rest.nr)
		print_group(rp, slice_take_group(&rest));
	free(all.row);
}

static void print_latencies(const struct report *rp, struct slice group)
{
	static const enum csv_column columns[] = { COL_p50_ns,	COL_p90_ns,   COL_p99_ns,
						   COL_p999_ns, COL_p9999_ns, COL_max_ns };
	struct grid g;

	fputc('\n', rp->out);
	report_print_group(rp, group.row[0]);
	grid_begin(&g, "<table|threads|n|p50|p90|p99|p99.9|p99.99|max");
	while (group.nr) {
		struct slice s = slice_take(&group, dim_cell);

		grid_add(&g, report_cell_label(rp, s.row[0]));
		grid_add(&g, report_threads(s.row[0]));
		grid_add(&g, xasprintf("%zu", s.nr));
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
			size_t nr;
			double *v = slice_values(&s, columns[i], &nr);

			grid_add(&g, text_figure(nr ? stats_median(v, nr) : NAN));
			free(v);
		}
	}
	grid_end(&g, rp->out);
}

void report_latency(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "latency"), rest = all;

	if (all.nr)
		fputs("\nLATENCY\nns per operation, median over n trials of each percentile\n",
		      rp->out);
	while (rest.nr)
		print_latencies(rp, slice_take_group(&rest));
	free(all.row);
}
