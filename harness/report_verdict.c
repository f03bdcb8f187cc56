// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_verdict - the answer on one screen: which table is fastest, and which lied
 *
 * Tables meet in contests: the same machine, traffic and number of threads. One is among
 * the fastest of a contest if its interval against the fastest reaches 1, so that noise
 * alone makes no winner; and as speeds of different traffic are never averaged, what is
 * said of many contests is how many of them it won and the median of its shares.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

struct contender {
	char *label;
	size_t contests, won;
	double *share; /* of the fastest's speed, a contest each */
};

struct contest {
	struct contender *contender;
	size_t nr, nr_contests;
	size_t fewest; /* trials of a cell */
};

static struct contender *find_contender(struct contest *all, char *label)
{
	for (size_t i = 0; i < all->nr; i++) {
		if (strcmp(all->contender[i].label, label))
			continue;
		free(label);
		return &all->contender[i];
	}
	all->contender = xrealloc(all->contender, (all->nr + 1) * sizeof(*all->contender));
	all->contender[all->nr] = (struct contender){ .label = label };
	return &all->contender[all->nr++];
}

static bool takes_part(const struct report_cell *c, uint64_t threads)
{
	return c->nr && !report_is_floor(c->rows.row[0]) &&
	       record_u64(c->rows.row[0], COL_threads) == threads;
}

static void add_share(const struct report *rp, struct contest *all, const struct report_cell *c,
		      const struct report_cell *fastest)
{
	struct contender *who = find_contender(all, report_cell_label(rp, c->rows.row[0]));
	struct interval ratio = cell_ratio(c, fastest);

	who->share = xrealloc(who->share, (who->contests + 1) * sizeof(*who->share));
	who->share[who->contests++] = ratio.mid;
	who->won += c == fastest || ratio.hi >= 1;
	if (c->nr < all->fewest)
		all->fewest = c->nr;
}

/* All cells of a group with so many threads; one alone is no contest. */
static void hold_contest(const struct report *rp, struct contest *all,
			 const struct report_cells *cs, uint64_t threads)
{
	const struct report_cell *fastest = NULL;
	double most = 0;
	size_t nr = 0;

	for (size_t i = 0; i < cs->nr; i++) {
		const struct report_cell *c = &cs->cell[i];
		double speed;

		if (!takes_part(c, threads))
			continue;
		nr++;
		speed = stats_median(c->mops, c->nr);
		if (speed > most) {
			most = speed;
			fastest = c;
		}
	}
	if (nr < 2 || !fastest || stats_min(fastest->mops, fastest->nr) <= 0)
		return;
	all->nr_contests++;
	for (size_t i = 0; i < cs->nr; i++)
		if (takes_part(&cs->cell[i], threads))
			add_share(rp, all, &cs->cell[i], fastest);
}

static bool seen_threads(const struct report_cells *cs, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (record_same(cs->cell[i].rows.row[0], cs->cell[j].rows.row[0], COL_threads))
			return true;
	return false;
}

static void hold_contests(const struct report *rp, struct contest *all,
			  const struct record *machine)
{
	struct slice rows = report_select_cells(rp, "throughput"), rest = rows;

	while (rest.nr) {
		struct slice group = slice_take_group(&rest);
		struct report_cells cs;

		if (!report_same_machine(group.row[0], machine))
			continue;
		cs = cells_make(group);
		for (size_t i = 0; i < cs.nr; i++)
			if (!seen_threads(&cs, i))
				hold_contest(rp, all, &cs,
					     record_u64(cs.cell[i].rows.row[0], COL_threads));
		cells_free(&cs);
	}
	free(rows.row);
}

static double won_share(const struct contender *c)
{
	return (double)c->won / (double)c->contests;
}

static int compare_contenders(const void *pa, const void *pb)
{
	const struct contender *a = pa, *b = pb;
	double x = won_share(a), y = won_share(b);

	if (x == y) {
		x = stats_median(a->share, a->contests);
		y = stats_median(b->share, b->contests);
	}
	return x == y ? strcmp(a->label, b->label) : x < y ? 1 : -1;
}

static void print_speeds(const struct report *rp, const struct contest *all)
{
	struct grid g;

	fprintf(rp->out,
		"speed, in %zu contest%s (the same traffic and number of threads): how often among "
		"the fastest, that is within noise,\nand its share of the fastest's speed%s\n",
		all->nr_contests, all->nr_contests == 1 ? "" : "s",
		all->fewest < 2 ? "; of one trial, nobody knows the noise" : "");
	grid_begin(&g, "<table|among the fastest|median share|<range");
	for (size_t i = 0; i < all->nr; i++) {
		const struct contender *c = &all->contender[i];
		struct interval range = stats_median_range(c->share, c->contests);

		grid_add(&g, xstrdup(c->label));
		grid_add(&g, xasprintf("%zu of %zu", c->won, c->contests));
		grid_add(&g, text_figure(range.mid));
		/* of different contests a range, however many */
		grid_add(&g, text_interval(&range, c->contests > 1 ? 2 : 1));
	}
	grid_end(&g, rp->out);
}

static void print_machine_verdict(const struct report *rp, const struct record *machine)
{
	struct contest all = { .fewest = SIZE_MAX };

	hold_contests(rp, &all, machine);
	if (all.nr) {
		qsort(all.contender, all.nr, sizeof(*all.contender), compare_contenders);
		print_speeds(rp, &all);
	} else {
		fputs("speed: no two tables ran on the same traffic in throughput rows: nothing to "
		      "compare\n",
		      rp->out);
	}
	for (size_t i = 0; i < all.nr; i++) {
		free(all.contender[i].label);
		free(all.contender[i].share);
	}
	free(all.contender);
	report_answers(rp, machine);
}

void report_verdict(const struct report *rp)
{
	fputs("VERDICT\n", rp->out);
	for (size_t i = 0; i < rp->nr_machines; i++) {
		report_print_machine(rp, i);
		print_machine_verdict(rp, rp->machine[i]);
	}
	fputc('\n', rp->out);
}
