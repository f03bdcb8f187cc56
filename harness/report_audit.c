// SPDX-License-Identifier: BSD-2-Clause
/*
 * report_audit - does it ever lie: raw counts, rates, exposure, and one verdict a table
 *
 * A count that was not measured is shown as '-', never as 0, and a rate is taken over
 * the operations of those rows only in which the count was measured. None seen is no proof
 * of none: a 0 comes with the rate that it excludes, of the operations in which it could
 * have happened at all.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "grid.h"

struct anomaly {
	const char *heading;
	const char *what; /* in a verdict, where some were seen; NULL: not there */
	bool lie; /* an answer that nobody can have stored */
	enum csv_column count;
	enum csv_column exposure; /* what its rate is of; NR_COLS: counted at rest, no rate */
	enum csv_column chances; /* operations in which it could have shown */
};

/* clang-format off */
static const struct anomaly torn_reads = {
	"torn", "torn reads", true, COL_torn_reads, COL_probes, COL_contended_probes
};
static const struct anomaly wrong_key_hits = {
	"wrong key", "wrong-key hits", true, COL_wrong_key_hits, COL_probes, COL_probes
};
static const struct anomaly wrong_answers = {
	"wrong answer", "wrong answers", true, COL_wrong_answers, COL_probes, COL_probes
};
static const struct anomaly false_misses = {
	"false miss", "false misses", false, COL_false_misses, COL_probes, COL_contended_probes
};
static const struct anomaly possible_misses = {
	"possible", NULL, false, COL_possible_false_misses, COL_probes, COL_contended_probes
};
static const struct anomaly stale_hits = {
	"stale", "stale hits", false, COL_stale_hits, COL_probes, COL_contended_probes
};
static const struct anomaly lost_stores = {
	"lost", "lost stores", false, COL_lost_stores, COL_stores, COL_contended_stores
};
static const struct anomaly unusable_slots = {
	"unusable", NULL, false, COL_unusable_slots, NR_COLS, NR_COLS
};
static const struct anomaly duplicate_keys = {
	"dup keys", NULL, false, COL_duplicate_keys, NR_COLS, NR_COLS
};
static const struct anomaly ghost_hits = {
	"ghost", "ghost hits", false, COL_ghost_hits, COL_probes, COL_contended_probes
};
static const struct anomaly dead_pairs = {
	"dead pair", "dead-pair misses", false, COL_dead_pair_misses, COL_probes, COL_contended_probes
};
static const struct anomaly contradictions = {
	"contradict", "contradictions", false, COL_contradictions, NR_COLS, NR_COLS
};
/* clang-format on */

static const struct anomaly *const anomalies[] = {
	&torn_reads,	&wrong_key_hits, &false_misses,	  &possible_misses,
	&stale_hits,	&lost_stores,	 &unusable_slots, &duplicate_keys,
	&wrong_answers, &ghost_hits,	 &dead_pairs,	  &contradictions,
};

struct sum {
	uint64_t count, exposure, chances;
	size_t nr; /* rows that measured the count */
	size_t nr_chances; /* those that measured the chances too */
};

static struct sum sum_rows(const struct slice *s, const struct anomaly *a)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < s->nr; i++) {
		const struct record *r = s->row[i];

		if (!record_has(r, a->count))
			continue;
		sum.nr++;
		sum.count += record_u64(r, a->count);
		if (a->exposure == NR_COLS)
			continue;
		sum.exposure += record_u64(r, a->exposure);
		sum.chances += record_u64(r, a->chances);
		sum.nr_chances += record_has(r, a->chances);
	}
	return sum;
}

static char *rate_text(const struct sum *s)
{
	return text_figure(1e6 * (double)s->count / (double)s->exposure);
}

/* Of a million chances, above which of them a count of none is out of the question. */
static char *excluded_text(const struct sum *s)
{
	return text_figure(1e6 * stats_excluded(s->chances));
}

/* "12345 (81.2)", "0 (<0.3)", "0 (-)", or NULL if no row measured it. */
static char *count_text(const struct slice *s, const struct anomaly *a)
{
	struct sum sum = sum_rows(s, a);
	char *rate, *text;

	if (!sum.nr)
		return NULL;
	if (a->exposure == NR_COLS)
		return xasprintf("%ju", (uintmax_t)sum.count);
	if (!sum.count && !sum.chances)
		return xstrdup("0 (-)");
	rate = sum.count ? rate_text(&sum) : excluded_text(&sum);
	text = xasprintf("%ju (%s%s)", (uintmax_t)sum.count, sum.count ? "" : "<", rate);
	free(rate);
	return text;
}

static char *total_text(const struct slice *s, enum csv_column c)
{
	return count_text(s, &(struct anomaly){ .count = c, .exposure = NR_COLS });
}

static char *copies_text(const struct slice *s)
{
	size_t nr;
	double *v = slice_values(s, COL_copies_per_key, &nr);
	char *text = text_figure(nr ? stats_median(v, nr) : NAN);

	free(v);
	return text;
}

/* Of a million probes of keys that are there, how many found nothing; NAN: not measured. */
static double missed_rate(const struct slice *s)
{
	return 1e6 * (1 - slice_share(s, COL_hits, COL_probes));
}

static double unaudited_rate(const struct report *rp, const struct record *audited)
{
	struct slice s = report_select_unaudited(rp, audited);
	double rate = missed_rate(&s);

	free(s.row);
	return rate;
}

static bool measured(const struct slice *s, enum csv_column c)
{
	for (size_t i = 0; i < s->nr; i++)
		if (record_has(s->row[i], c))
			return true;
	return false;
}

/* The names of a group's columns; a count that none of its rows has gets none. */
static char *make_header(const struct slice *group)
{
	char *header = xstrdup("<table|threads|n");

	for (size_t i = 0; i < ARRAY_SIZE(anomalies); i++) {
		char *longer;

		if (!measured(group, anomalies[i]->count))
			continue;
		longer = xasprintf("%s|%s", header, anomalies[i]->heading);
		free(header);
		header = longer;
	}
	return header;
}

static void add_exposure(struct grid *g, const struct slice *s)
{
	static const enum csv_column columns[] = { COL_probes, COL_contended_probes, COL_stores,
						   COL_contended_stores };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		grid_add(g, total_text(s, columns[i]));
}

static void print_group(const struct report *rp, struct slice group)
{
	bool resident = report_all_resident(group.row[0]);
	const struct slice all = group;
	char *counts = make_header(&group);
	char *header = xasprintf("%s|%s|probes|contended|stores|contended", counts,
				 resident ? "missed|unaudited" : "copies");
	struct grid g;

	fputc('\n', rp->out);
	report_print_group(rp, group.row[0]);
	grid_begin(&g, header);
	while (group.nr) {
		struct slice s = slice_take(&group, dim_cell);

		grid_add(&g, report_cell_label(rp, s.row[0]));
		grid_add(&g, report_threads(s.row[0]));
		grid_add(&g, xasprintf("%zu", s.nr));
		for (size_t i = 0; i < ARRAY_SIZE(anomalies); i++)
			if (measured(&all, anomalies[i]->count))
				grid_add(&g, count_text(&s, anomalies[i]));
		if (resident) {
			grid_add(&g, text_figure(missed_rate(&s)));
			grid_add(&g, text_figure(unaudited_rate(rp, s.row[0])));
		} else {
			grid_add(&g, copies_text(&s));
		}
		add_exposure(&g, &s);
	}
	grid_end(&g, rp->out);
	free(header);
	free(counts);
}

/* "(under 0.3 per million contended)": what a count of none is worth. */
static void print_excluded(const struct report *rp, const char *each, const struct sum *s)
{
	char *rate;

	if (!s->chances) {
		fputs(s->nr_chances ? " (none contended)" : " (contention not measured)",
		      rp->out);
		return;
	}
	rate = excluded_text(s);
	fprintf(rp->out, " (%sunder %s per million contended)", each, rate);
	free(rate);
}

/* "12345 false misses (81.2 per million)", "false misses not measured", "0 torn reads" */
static void print_count(const struct report *rp, const char *sep, const char *what,
			const struct sum *s)
{
	char *rate;

	if (!s->nr) {
		fprintf(rp->out, "%s%s not measured", sep, what);
		return;
	}
	fprintf(rp->out, "%s%ju %s", sep, (uintmax_t)s->count, what);
	if (!s->exposure || !s->count)
		return;
	rate = rate_text(s);
	fprintf(rp->out, " (%s per million)", rate);
	free(rate);
}

static bool is_none(const struct sum *s)
{
	return s->nr && !s->count;
}

/* Torn reads and false misses: a table is judged by these two, also if there are none. */
static void print_main_counts(const struct report *rp, const struct sum *torn,
			      const struct sum *wrong, const struct sum *missed)
{
	bool alike = is_none(torn) && is_none(missed) && torn->chances == missed->chances &&
		     !torn->nr_chances == !missed->nr_chances;

	print_count(rp, "", "torn reads", torn);
	if (is_none(torn) && !alike)
		print_excluded(rp, "", torn);
	if (wrong->count || !wrong->nr)
		print_count(rp, ", ", "wrong-key hits", wrong);
	print_count(rp, ", ", "false misses", missed);
	if (is_none(missed))
		print_excluded(rp, alike ? "each " : "", missed);
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

/* The worst of its cells: what the audit counts, it also hides. */
static void print_unaudited(const struct report *rp, const struct slice *s)
{
	double most = NAN;
	char *rate;

	for (size_t i = 0; i < s->nr; i++)
		if (report_all_resident(s->row[i]))
			most = fmax(most, unaudited_rate(rp, s->row[i]));
	if (!(most > 0))
		return;
	rate = text_figure(most);
	fprintf(rp->out, "; unaudited it misses up to %s of a million keys that are there",
		rate);
	free(rate);
}

static bool lied(const struct slice *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(anomalies); i++)
		if (anomalies[i]->lie && sum_rows(s, anomalies[i]).count)
			return true;
	return false;
}

/* What else was seen; what was not is in the group's table. */
static void print_other_counts(const struct report *rp, const struct slice *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(anomalies); i++) {
		const struct anomaly *a = anomalies[i];
		struct sum sum = sum_rows(s, a);

		if (a->what && sum.count && a != &torn_reads && a != &wrong_key_hits &&
		    a != &false_misses)
			print_count(rp, ", ", a->what, &sum);
	}
}

static void print_answer(const struct report *rp, const struct slice *s)
{
	struct sum torn = sum_rows(s, &torn_reads);
	struct sum wrong = sum_rows(s, &wrong_key_hits);
	struct sum missed = sum_rows(s, &false_misses);
	char *label = records_label(&rp->rows, s->row[0]);

	fprintf(rp->out, "  %s: %s", label, lied(s) ? "LIED: " : "");
	print_main_counts(rp, &torn, &wrong, &missed);
	print_other_counts(rp, s);
	fprintf(rp->out, " in %zu audit row%s%s", s->nr, s->nr == 1 ? "" : "s",
		one_thread_only(s) ? ", all of one thread: that says nothing about races" : "");
	print_calibration(rp, s);
	print_unaudited(rp, s);
	fputc('\n', rp->out);
	free(label);
}

void report_answers(const struct report *rp, const struct record *machine)
{
	struct slice all = report_select_variants(rp, "audit", machine), rest = all;

	fputs(all.nr ? "answers, over all audit rows:\n"
		     : "answers: no audit rows: whether a table lied was not measured\n",
	      rp->out);
	while (rest.nr) {
		struct slice s = slice_take(&rest, dim_variant);

		print_answer(rp, &s);
	}
	free(all.row);
}

static void print_legend(const struct report *rp, const struct slice *all)
{
	bool resident = false;

	fputs("Sums over n audit trials; in brackets per million probes (lost: stores). Behind a 0: "
	      "the rate that it excludes with 95 %\nconfidence, per million *contended* probes "
	      "(lost: stores; wrong key, wrong answer: all probes), or - where none was\ncontended "
	      "or nobody looked. contended: another thread wrote the line meanwhile. possible: not "
	      "found, but right after; not\nproved false. unusable and duplicate keys: slots found "
	      "at rest. copies: slots per key at rest; a tt may keep several.\n-: not measured, as "
	      "is a count without a column.\n"
	      "An audit slows threads down, and hides part of what it looks for: none of its rates "
	      "is what a user meets.\n",
	      rp->out);
	for (size_t i = 0; i < all->nr; i++)
		resident |= report_all_resident(all->row[i]);
	if (measured(all, COL_ghost_hits))
		fputs("wrong answer: not what the entry says. ghost: an entry that another key's store or a "
		      "clear had overwritten. dead pair: a miss\nof a key that only its own stores can have "
		      "removed. contradict: found and not found, though nobody wrote between.\n",
		      rp->out);
	if (resident)
		fputs("missed: of a million probes, all of keys that were there all along, those that "
		      "found nothing; unaudited: the same in\nthroughput rows, which is what a user "
		      "meets. false miss: what the audit proved.\n",
		      rp->out);
}

void report_audit(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "audit"), rest = all;

	fputs("\nANSWERS\n", rp->out);
	if (all.nr)
		print_legend(rp, &all);
	else
		fputs("no audit rows: whether a table lied was not measured\n", rp->out);
	while (rest.nr)
		print_group(rp, slice_take_group(&rest));
	free(all.row);
}
