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

#include "grid.h"

/* Any number does; the same one makes the same report of the same file. */
#define BOOTSTRAP_SEED 0x7ea41e

struct cell {
	struct slice rows;
	double *mops;
	size_t nr; /* trials with a time */
};

struct cells {
	struct cell *cell;
	size_t nr;
};

static struct cells make_cells(struct slice group)
{
	struct cells cs = { .cell = xcalloc(group.nr, sizeof(*cs.cell)) };

	while (group.nr) {
		struct cell *c = &cs.cell[cs.nr++];

		c->rows = slice_take(&group, report_cell_columns);
		c->mops = slice_values(&c->rows, COL_mops, &c->nr);
	}
	return cs;
}

static void free_cells(struct cells *cs)
{
	for (size_t i = 0; i < cs->nr; i++)
		free(cs->cell[i].mops);
	free(cs->cell);
}

static const struct record *record_of(const struct cell *c)
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
static const struct cell *find_cell(const struct cells *cs, const struct cell *c,
				    const char *table, uint64_t threads, int least)
{
	const struct cell *best = NULL;
	int best_likeness = least - 1;

	for (size_t i = 0; i < cs->nr; i++) {
		const struct cell *other = &cs->cell[i];
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

static struct interval median_of(const struct cell *c)
{
	return stats_median_spread(c->mops, c->nr, BOOTSTRAP_SEED);
}

static size_t fewer(size_t a, size_t b)
{
	return a < b ? a : b;
}

static struct interval ratio_of(const struct cell *a, const struct cell *b)
{
	return stats_ratio_spread(a->mops, a->nr, b->mops, b->nr, BOOTSTRAP_SEED);
}

static void add_speed(struct grid *g, const struct cell *c)
{
	struct interval mops = { NAN, NAN, NAN };
	size_t nr;
	double *ns = slice_values(&c->rows, COL_ns_per_op, &nr);

	if (c->nr)
		mops = median_of(c);
	grid_add(g, text_figure(mops.mid));
	grid_add(g, text_interval(&mops, c->nr));
	grid_add(g, xasprintf("%zu", c->rows.nr));
	grid_add(g, text_figure(nr ? stats_median(ns, nr) : NAN));
	free(ns);
}

static void add_scaling(struct grid *g, const struct cells *cs, const struct cell *c)
{
	/* the same variant, at most with other pages: likeness 6 */
	const struct cell *one = find_cell(cs, c, record_of(c)->field[COL_table], 1, 6);
	double ratio = NAN;

	if (one && c->nr)
		ratio = stats_median(c->mops, c->nr) / stats_median(one->mops, one->nr);
	grid_add(g, text_figure(ratio));
}

static void add_ratio(struct grid *g, const struct report *rp, const struct cells *cs,
		      const struct cell *c)
{
	uint64_t threads = record_u64(record_of(c), COL_threads);
	const struct cell *base = find_cell(cs, c, rp->baseline, threads, 0);
	struct interval ratio = { NAN, NAN, NAN };
	bool both = base && c->nr && stats_min(base->mops, base->nr) > 0;

	if (both)
		ratio = ratio_of(c, base);
	grid_add(g, text_figure(ratio.mid));
	grid_add(g,
		 both ? text_interval(&ratio, base == c ? 0 : fewer(c->nr, base->nr)) : NULL);
}

static char *text_percent(double share)
{
	return isnan(share) ? NULL : xasprintf("%.2f", share * 100);
}

static void print_group(const struct report *rp, struct slice group)
{
	struct cells cs = make_cells(group);
	char *header =
		xasprintf("<table|threads|Mops|<interval|n|ns/op|scaling|vs %s|<interval|"
			  "hit %%|usable %%",
			  rp->baseline);
	struct grid g;

	fputc('\n', rp->out);
	report_print_group(rp, group.row[0]);
	grid_begin(&g, header);
	for (size_t i = 0; i < cs.nr; i++) {
		const struct cell *c = &cs.cell[i];

		grid_add(&g, report_cell_label(rp, record_of(c)));
		grid_add(&g, report_threads(record_of(c)));
		add_speed(&g, c);
		add_scaling(&g, &cs, c);
		add_ratio(&g, rp, &cs, c);
		grid_add(&g, text_percent(slice_share(&c->rows, COL_hits, COL_probes)));
		grid_add(&g, text_percent(slice_share(&c->rows, COL_usable_hits, COL_probes)));
	}
	grid_end(&g, rp->out);
	free(header);
	free_cells(&cs);
}

void report_speed(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "throughput"), rest = all;

	fputs("\nSPEED\n", rp->out);
	if (!all.nr)
		fputs("no throughput rows: not measured\n", rp->out);
	else
		fprintf(rp->out,
			"Mops: million operations a second, all threads together, median of n trials; "
			"[95 %% bootstrap interval], or\n(min..max) below %d trials. scaling: against "
			"one thread of the same table. -: not measured.\n",
			STATS_MIN_BOOTSTRAP);
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
		struct slice s = slice_take(&group, report_cell_columns);

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
