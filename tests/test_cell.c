// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_cell - every column of a row says what it is called, and each warning has its cause
 *
 * The linker puts the two functions below in place of those that measure (--wrap): what came
 * of the run is written by hand, each figure another one, so that a column that takes its
 * neighbour's, or another unit, is seen. The argument is a trace of tt, pawn and eval.
 */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cell.h"
#include "policy.h"

int __wrap_run_cell(const struct run_params *p, struct run_result *r, struct err *e);
int __wrap_run_floor(const struct run_params *p, const char *table, double *ns, struct err *e);

static const char *trace_path;
static struct run_result given;

int __wrap_run_cell(const struct run_params *p, struct run_result *r, struct err *e)
{
	*r = given;
	return 0;
}

int __wrap_run_floor(const struct run_params *p, const char *table, double *ns, struct err *e)
{
	*ns = strcmp(table, "stream") ? 2.25 : 1.5;
	return 0;
}

static void fill_result(void)
{
	memset(&given, 0, sizeof(given));
	for (enum kind k = 0; k < NR_KINDS; k++) {
		uint64_t m = 1000 * k;

		given.table[k] = (struct run_table){
			.bytes = m + 1, .entries = m + 2, .sig_bits = 64, .sig_counts = 64,
			.page_size = "thp+4k", .witness = true,
			.n = { .probes = m + 3, .stores = m + 4, .hits = m + 5, .matches = m + 6,
			       .drops = m + 10, .bumps = m + 11, .refreshes = m + 12,
			       .torn = m + 16, .wrong_key = m + 17, .false_misses = m + 18,
			       .possible = m + 19, .stale = m + 20, .lost = m + 21,
			       .contended_probes = m + 22, .contended_stores = m + 23,
			       .wrong_answers = m + 26, .ghosts = m + 27, .dead_pairs = m + 28,
			       .contradictions = m + 29 },
			.rest = { .lost_stores = 100, .unusable_slots = m + 24,
				  .duplicate_keys = m + 25, .slots = 50, .distinct = 40 },
		};
		given.table[k].n.usable[TT_EXACT] = m + 7;
		given.table[k].n.usable[TT_LOWER] = m + 8;
		given.table[k].n.usable[TT_UPPER] = m + 9;
		given.table[k].n.stored[TT_EXACT] = m + 13;
		given.table[k].n.stored[TT_LOWER] = m + 14;
		given.table[k].n.stored[TT_UPPER] = m + 15;
	}
	given.ops = 26;
	given.seconds = 2.75;
	given.replay_seconds = 4;
	given.whole_seconds = 16;
	given.overlap = 0.875;
	given.mops = 28.5;
	given.ns_per_op = 29.5;
	given.preempted = 30;
	given.cpu_share = 1;
}

/* One trial of the seven words of options, its rows cleared by drop(). */
struct trial {
	struct cell_args args;
	struct source source;
	struct table_spec table;
	struct topo *topo;
	struct cell cell;
	struct cell_setup setup;
	struct csv_row row[NR_KINDS + 1];
	unsigned nr;
	char placement[32], cpu[16];
};

static void must(int ret, const struct err *e)
{
	if (ret)
		fail_msg("%s", e->text);
}

static void prepare(struct trial *t, const char *table, const char *workload)
{
	struct err e;
	cpu_set_t *set;
	unsigned nr, cpu = 0;
	size_t size;

	memset(t, 0, sizeof(*t));
	set = topo_affinity(&size, &nr);
	assert_non_null(set);
	while (!CPU_ISSET_S(cpu, size, set))
		cpu++;
	CPU_FREE(set);
	snprintf(t->cpu, sizeof(t->cpu), "%u", cpu);
	snprintf(t->placement, sizeof(t->placement), "list:%u", cpu);
	t->args = (struct cell_args){ .kinds = workload ? NULL : "tt,pawn,eval",
				      .pawn_hash = "0.125",
				      .eval_hash = "0.25",
				      .placement = t->placement,
				      .caller = CALLER_CHAIN,
				      .deal = DEAL_CLONE,
				      .clears = CLEARS_LIVE,
				      .seconds = 1,
				      .seed = 31 };
	t->source.path = workload ? NULL : trace_path;
	t->source.workload = workload;
	must(source_open(&t->source, &e), &e);
	must(table_spec_parse(table, &t->table, &e), &e);
	must(topo_open(&t->topo, &e), &e);
	t->cell = (struct cell){ .args = &t->args, .topo = t->topo, .table = &t->table,
				 .source = &t->source, .hash = "0.5", .threads = 1,
				 .lookahead = 32 };
}

static void measure(struct trial *t)
{
	struct csv_row base = { 0 };
	struct run_result r;
	struct err e;

	if (!t->setup.traffic)
		must(cell_setup(&t->cell, &t->setup, &e), &e);
	must(cell_run(&t->cell, &t->setup, &r, &e), &e);
	/* what is the same for a whole invocation is taken over as it is */
	for (enum csv_column c = 0; c <= COL_version; c++)
		csv_set(&base, c, csv_names[c]);
	t->nr = cell_rows(&t->cell, &t->setup, &r, &base, 33, t->row);
	csv_row_clear(&base);
}

static void drop(struct trial *t)
{
	for (unsigned i = 0; i < t->nr; i++)
		csv_row_clear(&t->row[i]);
	cell_setup_free(&t->setup);
	table_spec_free(&t->table);
	source_close(&t->source);
	topo_close(t->topo);
}

static bool filled[NR_COLS]; /* by any row of any test */

struct want {
	enum csv_column column;
	const char *text;
};

/* These columns, and no other: what is not among them is empty. */
static void assert_row(const struct csv_row *row, const struct want *want, size_t nr,
		       const struct want *more, size_t nr_more)
{
	for (enum csv_column c = 0; c < NR_COLS; c++) {
		const char *got = row->field[c] ? row->field[c] : "", *expected = "";

		for (size_t i = 0; i < nr; i++)
			expected = want[i].column == c ? want[i].text : expected;
		for (size_t i = 0; i < nr_more; i++)
			expected = more[i].column == c ? more[i].text : expected;
		if (c <= COL_version)
			expected = csv_names[c];
		if (strcmp(expected, got))
			fail_msg("%s: '%s', expected '%s'", csv_names[c], got, expected);
		filled[c] |= *got;
	}
}

#define ASSERT_ROW(row, common, own) \
	assert_row(row, common, ARRAY_SIZE(common), own, ARRAY_SIZE(own))

static void test_throughput(void **state)
{
	struct trial t;

	fill_result();
	prepare(&t, "xor:refresh=stale", NULL);
	measure(&t);
	{
		char hash[17], *streams = xasprintf("%zu", t.setup.traffic->recorded_streams);
		char *options = table_spec_options(&t.table);
		const struct want common[] = {
			{ COL_table, "xor" },	       { COL_options, options },
			{ COL_trace, t.source.trace->name }, { COL_trace_hash, hash },
			{ COL_threads, "1" },	       { COL_placement, t.placement },
			{ COL_cpus, t.cpu },	       { COL_oversubscribed, "0" },
			{ COL_deal, "clone" },	       { COL_clears, "live" },
			{ COL_mode, "throughput" },    { COL_pacing, "asap" },
			{ COL_caller, "chain" },       { COL_lookahead, "32" },
			{ COL_seed, "31" },	       { COL_trial, "33" },
			{ COL_stream_ns, "1.5" },      { COL_null_ns, "2.25" },
			{ COL_replay_share, "0.25" },  { COL_streams, streams },
		};
		const struct want tt[] = {
			{ COL_kind, "tt" },	     { COL_hash_mib, "0.5" },
			{ COL_table_bytes, "1" },    { COL_entries, "2" },
			{ COL_page_size, "thp+4k" }, { COL_probes, "3" },
			{ COL_stores, "4" },	     { COL_hits, "5" },
			{ COL_matches, "6" },	     { COL_usable_hits, "24" },
			{ COL_exact_hits, "7" },     { COL_lower_hits, "8" },
			{ COL_upper_hits, "9" },     { COL_drops, "10" },
			{ COL_bumps, "11" },	     { COL_refreshes, "12" },
			{ COL_exact_stores, "13" },  { COL_lower_stores, "14" },
			{ COL_upper_stores, "15" },  { COL_refresh, "stale" },
		};
		const struct want pawn[] = {
			{ COL_kind, "pawn" },	     { COL_hash_mib, "0.125" },
			{ COL_table_bytes, "1001" }, { COL_entries, "1002" },
			{ COL_page_size, "thp+4k" }, { COL_probes, "1003" },
			{ COL_stores, "1004" },	     { COL_hits, "1005" },
			{ COL_matches, "1006" },
		};
		const struct want eval[] = {
			{ COL_kind, "eval" },	     { COL_hash_mib, "0.25" },
			{ COL_table_bytes, "2001" }, { COL_entries, "2002" },
			{ COL_page_size, "thp+4k" }, { COL_probes, "2003" },
			{ COL_stores, "2004" },	     { COL_hits, "2005" },
			{ COL_matches, "2006" },
		};
		const struct want all[] = {
			{ COL_kind, "all" },  { COL_hash_mib, "0.5" },
			{ COL_ops, "26" },    { COL_seconds, "2.75" },
			{ COL_mops, "28.5" }, { COL_ns_per_op, "29.5" },
			{ COL_overlap, "0.875" }, { COL_preemptions, "30" },
		};

		snprintf(hash, sizeof(hash), "%016jx", (uintmax_t)t.setup.traffic->hash);
		assert_int_equal(t.nr, 4);
		ASSERT_ROW(&t.row[0], common, tt);
		ASSERT_ROW(&t.row[1], common, pawn);
		ASSERT_ROW(&t.row[2], common, eval);
		ASSERT_ROW(&t.row[3], common, all);
		free(options);
		free(streams);
	}
	drop(&t);
}

static void test_audit(void **state)
{
	struct trial t;
	char undetected[32];

	fill_result();
	given.exact = true;
	given.false_misses = 40;
	given.proved = 30;
	given.lost_stores = 7000;
	prepare(&t, "unsync", "hot-update:ops=10");
	t.args.mode = MODE_AUDIT;
	measure(&t);
	snprintf(undetected, sizeof(undetected), "%.3g", audit_undetected(KIND_KV));
	{
		char hash[17], *options = table_spec_options(&t.table);
		const struct want common[] = {
			{ COL_table, "unsync" },   { COL_options, options },
			{ COL_trace, "hot-update:ops=10" }, { COL_trace_hash, hash },
			{ COL_threads, "1" },	   { COL_placement, t.placement },
			{ COL_cpus, t.cpu },	   { COL_oversubscribed, "0" },
			{ COL_clears, "drop" },	   { COL_mode, "audit" },
			{ COL_pacing, "asap" },	   { COL_caller, "chain" },
			{ COL_lookahead, "32" },   { COL_seed, "31" },
			{ COL_trial, "33" },	   { COL_replay_share, "0.25" },
			{ COL_witness, "1" },	   { COL_ops, "26" },
			{ COL_seconds, "2.75" },   { COL_overlap, "0.875" },
			{ COL_preemptions, "30" },
		};
		const struct want kv[] = {
			{ COL_kind, "kv" },	     { COL_hash_mib, "0.5" },
			{ COL_table_bytes, "3001" }, { COL_entries, "3002" },
			{ COL_page_size, "thp+4k" }, { COL_probes, "3003" },
			{ COL_stores, "3004" },	     { COL_hits, "3005" },
			{ COL_matches, "3006" },     { COL_torn_reads, "3016" },
			{ COL_wrong_key_hits, "3017" }, { COL_false_misses, "40" },
			{ COL_possible_false_misses, "3019" }, { COL_stale_hits, "3020" },
			{ COL_lost_stores, "7000" }, { COL_contended_probes, "3022" },
			{ COL_contended_stores, "3023" }, { COL_unusable_slots, "3024" },
			{ COL_duplicate_keys, "3025" }, { COL_undetected_tear, undetected },
			{ COL_proved_share, "0.75" }, { COL_wrong_answers, "3026" },
			{ COL_ghost_hits, "3027" },  { COL_dead_pair_misses, "3028" },
			{ COL_contradictions, "3029" },
		};

		snprintf(hash, sizeof(hash), "%016jx", (uintmax_t)t.setup.traffic->hash);
		assert_int_equal(t.nr, 1);
		ASSERT_ROW(&t.row[0], common, kv);
		free(options);
	}
	drop(&t);

	/* without exact mode the judge's figures, of both kinds of loss; copies of tt */
	given.exact = false;
	prepare(&t, "unsync", "bump:ops=10");
	t.args.mode = MODE_AUDIT;
	measure(&t);
	assert_string_equal(t.row[0].field[COL_false_misses], "18");
	assert_string_equal(t.row[0].field[COL_lost_stores], "121");
	assert_string_equal(t.row[0].field[COL_copies_per_key], "1.25");
	assert_null(t.row[0].field[COL_proved_share]);
	assert_null(t.row[0].field[COL_mops]);
	filled[COL_copies_per_key] = true;
	drop(&t);
}

static void assert_warned(struct trial *t, const char *want)
{
	for (unsigned i = 0; i < t->nr; i++)
		csv_row_clear(&t->row[i]);
	measure(t);
	assert_string_equal(t->row[0].field[COL_warnings] ? t->row[0].field[COL_warnings] : "",
			    want);
	filled[COL_warnings] |= *want;
}

static void test_warnings(void **state)
{
	struct trial t;

	fill_result();
	prepare(&t, "xor", "bump:ops=10");
	assert_warned(&t, "");
	given.cpu_share = 0.98;
	assert_warned(&t, "");
	given.cpu_share = 0.96;
	assert_warned(&t, "other programs took CPU time");
	given.throttled = 1;
	assert_warned(&t, "a CPU quota stopped the threads now and then");
	t.args.mode = MODE_AUDIT;
	assert_warned(&t, "");
	t.args.mode = MODE_THROUGHPUT;
	given.throttled = 0;
	t.setup.placement.oversubscribed = true;
	assert_warned(&t, "more threads than CPUs");
	t.setup.placement.oversubscribed = false;
	given.cpu_share = 1;
	given.seconds = 0.0011;
	assert_warned(&t, "");
	given.seconds = 0.0009;
	assert_warned(&t, "timed for less than a millisecond");
	given.mops = given.ns_per_op = NAN;
	assert_warned(&t, "no figure of speed: the threads hardly ran at the same time");
	assert_null(t.row[0].field[COL_mops]);
	assert_null(t.row[0].field[COL_ns_per_op]);
	given.mops = 1;
	given.seconds = 1;
	given.late = 2;
	assert_warned(&t, "the recorded pace was not kept");
	given.late = 1;
	assert_warned(&t, "");
	drop(&t);
}

/* What no test above has seen filled is filled by nobody. */
static void test_every_column(void **state)
{
	static const enum csv_column never[] = {
		COL_p50_ns,   COL_p90_ns,	 COL_p99_ns,		  COL_p999_ns,
		COL_p9999_ns, COL_max_ns,	 COL_cycles_per_op,	  COL_instructions_per_op,
		COL_cache_misses_per_op,
	};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		assert_false(filled[never[i]]);
		filled[never[i]] = true;
	}
	for (enum csv_column c = 0; c < NR_COLS; c++)
		if (!filled[c])
			fail_msg("no test of column %s", csv_names[c]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_throughput),
		cmocka_unit_test(test_audit),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_every_column),
	};

	trace_path = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
