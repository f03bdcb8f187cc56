// SPDX-License-Identifier: BSD-2-Clause
/* tearline replay - one cell: a table, some traffic, some threads; what came of it */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell.h"
#include "command.h"
#include "env.h"
#include "interrupt.h"
#include "progress.h"

struct replay_args {
	struct cell_args cell;
	const char *table, *trace, *workload, *hash, *csv;
	uint64_t threads, lookahead, trials;
};

static struct replay_args args;

static const struct option_def replay_options[] = {
	{ "table", OPT_STR, &args.table, "NAME[:opt=val,...]", NULL,
	  "table to replay on (see tearline tables), or the shared object that has one, "
	  "as in ./mine.so:refresh=never",
	  0, 0 },
	{ "trace", OPT_STR, &args.trace, "FILE", NULL, "recorded trace to replay", 0, 0 },
	{ "workload", OPT_STR, &args.workload, "NAME[:opt=val,...]", NULL, workload_help, 0,
	  0 },
	{ "threads", OPT_U64, &args.threads, "N", "1", "replaying threads", 1,
	  TOPO_MAX_THREADS },
	{ "hash", OPT_STR, &args.hash, "SIZE", "16",
	  "size of the tt or kv table: MiB ('16', '0.25'), with a unit ('64K', '16M', '1G'), "
	  "entries ('4096e'), 'none'",
	  0, 0 },
	{ "lookahead", OPT_U64, &args.lookahead, "N", "0", LOOKAHEAD_HELP, 0, MAX_LOOKAHEAD },
	CELL_OPTIONS(&args.cell),
	{ "trials", OPT_U64, &args.trials, "N", "1", "repeat N times, a row each", 1, 1000000 },
	{ "csv", OPT_STR, &args.csv, "FILE|-", NULL,
	  "append the rows to FILE, or print them instead of the summary", 0, 0 },
	{ .name = NULL },
};

static const struct option_effect replay_effects[] = {
	CELL_EFFECTS("--trace"),
	{ "seed", "with --mode audit or --workload or --deal salt" },
	{ .option = NULL },
};

static const char *field(const struct csv_row *r, enum csv_column c)
{
	return r->field[c] ? r->field[c] : "-";
}

/* "1,234,567"; caller frees. */
static char *separated(const char *digits)
{
	size_t len = strlen(digits);
	char *text = xcalloc(len + len / 3 + 2, 1), *p = text;

	for (size_t i = 0; i < len; i++) {
		if (i && !((len - i) % 3))
			*p++ = ',';
		*p++ = digits[i];
	}
	return text;
}

/* Of what a count is a part, and how that is said. */
struct shown {
	enum csv_column count, of;
	bool rare; /* counted per million */
};

/* "  51.77 %", "  3.2 per million probes", or nothing. */
static void print_rate(const struct csv_row *r, const struct shown *s)
{
	double part, whole;

	if (s->of == NR_COLS || csv_number(r->field[s->count], &part) || !r->field[s->of] ||
	    csv_number(r->field[s->of], &whole) || whole <= 0)
		return;
	if (!s->rare)
		printf("  %6.2f %% of %s", 100 * part / whole, csv_names[s->of]);
	else if (part > 0)
		printf("  %.3g per million %s", 1e6 * part / whole, csv_names[s->of]);
}

static void print_count(const struct csv_row *r, const struct shown *s)
{
	const char *digits = r->field[s->count];
	char *text;

	if (!digits)
		return;
	text = strchr(digits, '.') ? xstrdup(digits) : separated(digits);
	printf("  %-21s %13s", csv_names[s->count], text);
	free(text);
	print_rate(r, s);
	putchar('\n');
}

static void print_counts(const struct csv_row *r)
{
	static const struct shown shown[] = {
		{ COL_probes, NR_COLS, false },
		{ COL_stores, NR_COLS, false },
		{ COL_hits, COL_probes, false },
		{ COL_matches, NR_COLS, false },
		{ COL_usable_hits, COL_probes, false },
		{ COL_drops, COL_stores, false },
		{ COL_bumps, COL_stores, false },
		{ COL_refreshes, COL_probes, false },
		{ COL_contended_probes, COL_probes, true },
		{ COL_contended_stores, COL_stores, true },
		{ COL_torn_reads, COL_probes, true },
		{ COL_wrong_key_hits, COL_probes, true },
		{ COL_false_misses, COL_probes, true },
		{ COL_possible_false_misses, COL_probes, true },
		{ COL_stale_hits, COL_probes, true },
		{ COL_lost_stores, COL_stores, true },
		{ COL_unusable_slots, NR_COLS, false },
		{ COL_duplicate_keys, NR_COLS, false },
		{ COL_wrong_answers, COL_probes, true },
		{ COL_ghost_hits, COL_probes, true },
		{ COL_dead_pair_misses, COL_probes, true },
		{ COL_contradictions, NR_COLS, false },
		{ COL_copies_per_key, NR_COLS, false },
	};
	char *entries = separated(field(r, COL_entries)), *bytes = separated(field(r, COL_table_bytes));

	printf("%s: %s entries, %s bytes, %s pages\n", field(r, COL_kind), entries, bytes,
	       field(r, COL_page_size));
	free(entries);
	free(bytes);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		print_count(r, &shown[i]);
	if (r->field[COL_proved_share])
		printf("  the general audit finds %.3g %% of what exact mode counts\n",
		       100 * strtod(r->field[COL_proved_share], NULL));
}

static void print_warnings(const struct csv_row *r)
{
	if (r->field[COL_warnings] && *r->field[COL_warnings])
		printf("  warnings: %s\n", r->field[COL_warnings]);
}

static void print_times(const struct csv_row *r, const struct run_result *res)
{
	char *ops = separated(field(r, COL_ops));

	if (r->field[COL_mops])
		printf("%s Mops, %s ns per operation and thread", field(r, COL_mops),
		       field(r, COL_ns_per_op));
	if (r->field[COL_mops] && r->field[COL_stream_ns] && r->field[COL_null_ns])
		printf(" (of it the harness: %s to read it, %s with the dispatch)",
		       field(r, COL_stream_ns), field(r, COL_null_ns));
	if (r->field[COL_mops])
		putchar('\n');
	printf("%s operations in %.3g s, of which %.3g s were timed; all threads ran for %.3g %%\n",
	       ops, res->replay_seconds, res->seconds, 100 * res->overlap);
	free(ops);
}

static void print_pace(const struct run_result *r)
{
	printf("recorded pacing: %ju of %ju operations began more than %u us late\n",
	       (uintmax_t)r->late, (uintmax_t)r->ops, LATE_NS / 1000);
}

/* CPUs of a line of text: all of a few, the first of many. */
#define CPUS_SHOWN 16

static int shown_cpus(const char *cpus)
{
	const char *end = cpus;

	for (int i = 0; i < CPUS_SHOWN && *end; i++)
		end += strcspn(end + 1, ",") + 1;
	return (int)(end - cpus);
}

/* The speed first; the last row is the one that has it, and what is true of all. */
static void print_rows(const struct csv_row *rows, unsigned nr, const struct run_result *r)
{
	const char *cpus = field(rows, COL_cpus);
	int len = shown_cpus(cpus);

	printf("%s (%s) on %s, %s threads on CPUs %.*s%s, %s\n", field(rows, COL_table),
	       field(rows, COL_options), field(rows, COL_trace), field(rows, COL_threads), len,
	       cpus, cpus[len] ? ",..." : "", field(rows, COL_mode));
	print_times(&rows[nr - 1], r);
	print_warnings(&rows[nr - 1]);
	for (unsigned i = 0; i < nr; i++) {
		if (strcmp(field(&rows[i], COL_kind), "all"))
			print_counts(&rows[i]);
		if (strcmp(field(&rows[i], COL_warnings), field(&rows[nr - 1], COL_warnings)))
			print_warnings(&rows[i]);
	}
}

/* How much the audit slows the same cell down: why no figure of speed comes from it. */
static int print_slowdown(const struct cell *c, struct cell_setup *s,
			  const struct run_result *r, struct err *e)
{
	struct cell_args plain_args = *c->args;
	struct cell plain = *c;
	struct run_result fast;

	plain_args.mode = MODE_THROUGHPUT;
	plain_args.passes = 0;
	plain_args.seconds = 0.1;
	plain.args = &plain_args;
	if (cell_run(&plain, s, &fast, e))
		return -1;
	if (isfinite(r->ns_per_op) && isfinite(fast.ns_per_op))
		fprintf(stderr,
			"the audit takes %.1f times as long per operation as the measured loop\n",
			r->ns_per_op / fast.ns_per_op);
	return 0;
}

/* EXIT_DONE, EXIT_FAULT if the table broke its promise, or -1. */
static int run_trial(const struct cell *c, struct cell_setup *s, const struct csv_row *base,
		     uint64_t trial, struct csv_writer *csv, struct err *e)
{
	struct csv_row rows[NR_KINDS + 1] = { 0 }, stamped = { 0 };
	struct run_result r;
	char *broken = NULL;
	unsigned nr = 0;
	int ret = -1;

	csv_copy(&stamped, base);
	env_stamp_start(&stamped);
	if (cell_run(c, s, &r, e))
		goto out;
	ret = 0;
	if (interrupted())
		goto out;
	nr = cell_rows(c, s, &r, &stamped, trial, rows);
	broken = cell_broken_promise(c, s, &r, rows, nr);
	if (csv)
		ret = csv_write(csv, rows, nr, e);
	if (ret)
		goto out;
	if (!args.csv || strcmp(args.csv, "-")) {
		print_rows(rows, nr, &r);
		if (c->args->pacing == PACING_RECORDED)
			print_pace(&r);
	}
	/* Threads that wait for the recorded time take as long in either mode. */
	if (c->args->mode == MODE_AUDIT && c->args->pacing == PACING_ASAP && trial == 1)
		ret = print_slowdown(c, s, &r, e);
	if (broken && !ret) {
		fprintf(args.csv && !strcmp(args.csv, "-") ? stderr : stdout,
			"FAILURE: %s promises better: %s\n", c->table->class->name, broken);
		ret = EXIT_FAULT;
	}
out:
	free(broken);
	for (unsigned i = 0; i < nr; i++)
		csv_row_clear(&rows[i]);
	csv_row_clear(&stamped);
	return ret;
}

/* How far the whole command is: trials of equal time, one after another. */
struct replay_progress {
	struct progress p;
	uint64_t trials_done;
};

static void show_progress(void *arg, double replayed)
{
	struct replay_progress *rp = arg;
	double each = args.cell.seconds;

	progress_seconds(&rp->p, (double)rp->trials_done * each + replayed,
			 (double)args.trials * each);
}

/* Pauses are replayed, too, and nobody should wonder what it waits for. */
static void announce_pace(const struct cell *c, const struct cell_setup *s)
{
	double span = (double)s->traffic->span_ns * 1e-9;
	/* with a time instead, only an audit that clears goes on to the end of a pass */
	bool whole = c->args->mode == MODE_AUDIT && s->traffic->clears == CLEARS_BARRIER;
	uint64_t passes = c->args->passes ? c->args->passes : whole;
	double all = span * (double)(passes * args.trials);

	if (all >= 2)
		fprintf(stderr, "recorded pacing: %.1f s a pass, %.1f s in all%s\n", span, all,
			whole ? "" : " (--seconds instead of --passes ends it sooner)");
}

/* Does a table or a workload follow in this spec, where an option might? */
static bool names_another(const char *spec, bool (*is_name)(const char *s, size_t len))
{
	for (const char *p = strchr(spec, ','); p; p = strchr(p + 1, ','))
		if (is_name(p + 1, strcspn(p + 1, ":,")))
			return true;
	return false;
}

static bool is_table(const char *s, size_t len)
{
	table_for_each(c) if (strlen(c->name) == len && !strncmp(c->name, s, len)) return true;
	return false;
}

static bool is_workload(const char *s, size_t len)
{
	const char *name;

	for (size_t i = 0; (name = workload_name(i)); i++)
		if (strlen(name) == len && !strncmp(name, s, len))
			return true;
	return false;
}

/* Somebody wants to compare. */
static int refuse_lists(struct err *e)
{
	const struct {
		const char *option, *text;
		bool is_list;
	} value[] = {
		{ "table", args.table, names_another(args.table, is_table) },
		{ "workload", args.workload,
		  args.workload && names_another(args.workload, is_workload) },
		{ "trace", args.trace,
		  args.trace && strchr(args.trace, ',') && access(args.trace, F_OK) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(value); i++)
		if (value[i].is_list)
			return err_set(e,
				       "replay: --%s: expected one, got '%s': for several use "
				       "tearline sweep",
				       value[i].option, value[i].text);
	return 0;
}

static int check_args(struct err *e)
{
	if (!args.table)
		return err_set(e, "replay: --table is missing (see tearline tables)");
	if (!args.trace == !args.workload)
		return err_set(e, "replay: expected one of --trace FILE and --workload NAME");
	return refuse_lists(e);
}

static int check_cell(const struct cell *c, struct err *e)
{
	unsigned kinds;

	if (cell_check(c, e) || cell_kinds(c, &kinds, e))
		return -1;
	return cell_check_sizes(c->args, &args.hash, kinds, e);
}

static int replay(char **arg, int nr, struct err *e)
{
	struct source source = { .path = args.trace, .workload = args.workload };
	struct table_spec table;
	struct cell c = { .args = &args.cell,
			  .table = &table,
			  .source = &source,
			  .hash = args.hash,
			  .threads = (unsigned)args.threads,
			  .lookahead = (unsigned)args.lookahead };
	struct csv_writer *csv = NULL;
	struct replay_progress progress = { .trials_done = 0 };
	struct csv_row base = { 0 };
	struct cell_setup setup;
	struct topo *topo;
	int ret = -1;

	interrupt_catch();
	if (check_args(e))
		return -1;
	if (table_spec_parse(args.table, &table, e))
		return -1;
	if (topo_open(&topo, e))
		goto out_spec;
	c.topo = topo;
	cell_base(topo, &base);
	if (check_cell(&c, e) || source_open(&source, e))
		goto out_topo;
	if (cell_setup(&c, &setup, e))
		goto out_source;
	if (cell_try(&c, &setup, e) || (args.csv && csv_open(args.csv, &csv, e)))
		goto out_setup;
	ret = 0;
	announce_pace(&c, &setup);
	c.tick = show_progress;
	c.tick_arg = &progress;
	progress_begin(&progress.p, args.trials);
	for (uint64_t trial = 1; ret >= 0 && trial <= args.trials && !interrupted(); trial++) {
		int status = run_trial(&c, &setup, &base, trial, csv, e);

		ret = status ? status : ret;
		progress.trials_done++;
	}
	progress_end(&progress.p);
	if (csv && csv_close(csv, ret < 0 ? &(struct err){ { 0 } } : e))
		ret = -1;
out_setup:
	cell_setup_free(&setup);
out_source:
	source_close(&source);
out_topo:
	topo_close(topo);
out_spec:
	table_spec_free(&table);
	csv_row_clear(&base);
	return ret;
}

const struct command cmd_replay = {
	.name = "replay",
	.summary = "one cell: replay a trace or a workload on a table",
	.usage = "--table NAME[:opt=val,...] (--trace FILE | --workload NAME) [options]",
	.example = "tearline replay --table xor --trace @TRACE@ --threads 2 --hash 16 "
		   "--mode audit\n"
		   "tearline replay --table spinlock:lock=ticket --workload uniform:store=50 "
		   "--threads 2 --csv -",
	.work = replay,
	.options = replay_options,
	.effects = replay_effects,
	.for_lists = "tearline sweep",
};
