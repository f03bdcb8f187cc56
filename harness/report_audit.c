// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_audit - does it ever lie: raw counts, rates, exposure, and one verdict a table
 *
 * A count that was not measured is shown as '-', never as 0, and a rate is taken over
 * the operations of those rows only in which the count was measured.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "grid.h"

struct anomaly {
	enum csv_column count;
	enum csv_column exposure; /* NR_COLS: counted at rest, no rate */
};

static const struct anomaly anomalies[] = {
	{ COL_torn_reads, COL_probes },	  { COL_wrong_key_hits, COL_probes },
	{ COL_false_misses, COL_probes }, { COL_possible_false_misses, COL_probes },
	{ COL_stale_hits, COL_probes },	  { COL_lost_stores, COL_stores },
	{ COL_unusable_slots, NR_COLS },  { COL_duplicate_keys, NR_COLS },
	{ COL_wrong_answers, COL_probes },	{ COL_ghost_hits, COL_probes },
	{ COL_dead_pair_misses, COL_probes },	{ COL_contradictions, NR_COLS },
};
#define ANOMALY_HEADER                                                            \
	"torn|wrong key|false miss|possible|stale|lost|unusable|dup keys|wrong answer|" \
	"ghost|dead pair|contradict"

struct sum {
	uint64_t count, exposure;
	size_t nr; /* rows that measured it */
};

static struct sum sum_rows(const struct slice *s, enum csv_column count,
			   enum csv_column exposure)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < s->nr; i++) {
		if (!record_has(s->row[i], count))
			continue;
		sum.nr++;
		sum.count += record_u64(s->row[i], count);
		if (exposure != NR_COLS)
			sum.exposure += record_u64(s->row[i], exposure);
	}
	return sum;
}

static char *rate_text(const struct sum *s)
{
	return text_figure(1e6 * (double)s->count / (double)s->exposure);
}

/* "12345 (81.2)", "0", or NULL if no row measured it. */
static char *count_text(const struct slice *s, enum csv_column count, enum csv_column exposure)
{
	struct sum sum = sum_rows(s, count, exposure);
	char *rate, *text;

	if (!sum.nr)
		return NULL;
	if (!sum.count || !sum.exposure)
		return xasprintf("%ju", (uintmax_t)sum.count);
	rate = rate_text(&sum);
	text = xasprintf("%ju (%s)", (uintmax_t)sum.count, rate);
	free(rate);
	return text;
}

static char *copies_text(const struct slice *s)
{
	size_t nr;
	double *v = slice_values(s, COL_copies_per_key, &nr);
	char *text = text_figure(nr ? stats_median(v, nr) : NAN);

	free(v);
	return text;
}

static void print_group(const struct report *rp, struct slice group)
{
	struct grid g;

	fputc('\n', rp->out);
	report_print_group(rp, group.row[0]);
	grid_begin(&g, "<table|threads|n|" ANOMALY_HEADER
		       "|copies|probes|contended|stores|contended");
	while (group.nr) {
		struct slice s = slice_take(&group, report_cell_columns);

		grid_add(&g, report_cell_label(rp, s.row[0]));
		grid_add(&g, report_threads(s.row[0]));
		grid_add(&g, xasprintf("%zu", s.nr));
		for (size_t i = 0; i < ARRAY_SIZE(anomalies); i++)
			grid_add(&g, count_text(&s, anomalies[i].count, anomalies[i].exposure));
		grid_add(&g, copies_text(&s));
		grid_add(&g, count_text(&s, COL_probes, NR_COLS));
		grid_add(&g, count_text(&s, COL_contended_probes, NR_COLS));
		grid_add(&g, count_text(&s, COL_stores, NR_COLS));
		grid_add(&g, count_text(&s, COL_contended_stores, NR_COLS));
	}
	grid_end(&g, rp->out);
}

/* "12345 false misses (81.2 per million)", "false misses not measured" */
static void print_count(const struct report *rp, const char *sep, const char *what,
			const struct sum *s)
{
	char *rate;

	if (!s->nr) {
		fprintf(rp->out, "%s%s not measured", sep, what);
		return;
	}
	fprintf(rp->out, "%s%ju %s", sep, (uintmax_t)s->count, what);
	if (!s->count || !s->exposure)
		return;
	rate = rate_text(s);
	fprintf(rp->out, " (%s per million)", rate);
	free(rate);
}

static bool one_thread_only(const struct slice *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (record_u64(s->row[i], COL_threads) > 1)
			return false;
	return true;
}

/* Exact mode decides every miss; how many of its false ones would the judge alone prove? */
static void print_calibration(const struct report *rp, const struct slice *s)
{
	double missed = 0, proved = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (!record_has(s->row[i], COL_proved_share))
			continue;
		missed += (double)record_u64(s->row[i], COL_false_misses);
		proved += (double)record_u64(s->row[i], COL_false_misses) *
			  record_double(s->row[i], COL_proved_share);
	}
	if (missed > 0)
		fprintf(rp->out, "; the general audit finds %.0f %% of what exact mode counts",
			100 * proved / missed);
}

static void print_verdict(const struct report *rp, const struct slice *s)
{
	struct sum torn = sum_rows(s, COL_torn_reads, COL_probes);
	struct sum wrong = sum_rows(s, COL_wrong_key_hits, COL_probes);
	struct sum missed = sum_rows(s, COL_false_misses, COL_probes);
	struct sum stale = sum_rows(s, COL_stale_hits, COL_probes);
	struct sum lost = sum_rows(s, COL_lost_stores, COL_stores);
	char *label = records_label(&rp->rows, s->row[0]);

	fprintf(rp->out, "  %s: %s", label, torn.count || wrong.count ? "LIED: " : "");
	print_count(rp, "", "torn reads", &torn);
	if (wrong.count || !wrong.nr)
		print_count(rp, ", ", "wrong-key hits", &wrong);
	print_count(rp, ", ", "false misses", &missed);
	if (stale.count)
		print_count(rp, ", ", "stale hits", &stale);
	if (lost.count)
		print_count(rp, ", ", "lost stores", &lost);
	fprintf(rp->out, " in %zu audit row%s%s", s->nr, s->nr == 1 ? "" : "s",
		one_thread_only(s) ? ", all of one thread: that says nothing about races" : "");
	print_calibration(rp, s);
	fputc('\n', rp->out);
	free(label);
}

static void print_verdicts(const struct report *rp)
{
	struct slice all = report_select_variants(rp, "audit"), rest = all;

	fputs("\nverdict\n", rp->out);
	while (rest.nr) {
		struct slice s = slice_take(&rest, report_variant_columns);

		print_verdict(rp, &s);
	}
	free(all.row);
}

void report_audit(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "audit"), rest = all;

	fputs("\nANSWERS\n", rp->out);
	if (!all.nr) {
		fputs("no audit rows: whether a table lied was not measured\n", rp->out);
		goto out_free;
	}
	fputs("Summed over n audit trials, in brackets per million probes (lost: per million "
	      "stores); unusable slots and duplicate\nkeys are counted at rest. contended: "
	      "another thread wrote the line meanwhile. -: not measured.\n",
	      rp->out);
	while (rest.nr)
		print_group(rp, slice_take_group(&rest));
	print_verdicts(rp);
out_free:
	free(all.row);
}
