// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two threads on a few hot lines: what a table promises it keeps, and what the audit is
 * there to find it finds. argv: a table's spec, a recorded trace, and how many short runs there
 * are to be, unless 200.
 *
 * A table that must be caught is run again until it is: how many runs that takes is the
 * machine's business, that it happens is ours. On one CPU there is nothing to catch.
 * Where nothing may be found, a run lasts a time and not a number of passes: beside
 * other programs a FIFO lock hands over once a time slice.
 */
#include "fixture.h"
#include "run.h"

/* Far more than was ever needed with two CPUs: 1 for unsync and xor as a rule. */
#define MAX_RUNS 400
#define PASSES 2
#define SOUND_SECONDS 0.15 /* and as much again without the witness, or with it */
#define PROVOKE_SECONDS 0.08 /* of each workload: there are many */
#define ENTRIES 4096

static uint64_t nr_short_runs = 200;

struct found {
	uint64_t fault[NR_FAULTS], ops;
	uint64_t proved, overclaimed; /* by the judge, where exact mode decides */
};

/*
 * Audit one run, for `seconds`, or 0: for PASSES; add up what is found. By turns with the
 * witness, which finds more kinds of fault, and without, when threads meet more often.
 */
static void audit_run(const char *spec, const struct traffic *traffic, unsigned threads,
		      double seconds, uint64_t seed, const struct topo *topo, struct found *out)
{
	struct table_spec table;
	struct placement placement;
	struct run_params p = { .table = &table,
				.traffic = traffic,
				.topo = topo,
				.placement = &placement,
				.passes = PASSES,
				.seconds = seconds,
				.caller = CALLER_BRANCH,
				.audit = true,
				.witness = seed & 1,
				.seed = seed };
	uint64_t fault[NR_FAULTS];
	struct run_result r;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		p.size[k].entries = ENTRIES;
		p.size_text[k] = "size";
	}
	if (table_spec_parse(spec, &table, &e) ||
	    topo_place(topo, "core", threads, true, &placement, &e) || run_cell(&p, &r, &e))
		fixture_die(&e);
	run_faults(&r, fault);
	for (enum fault i = 0; i < NR_FAULTS; i++)
		out->fault[i] += fault[i];
	out->proved += r.proved;
	out->overclaimed += r.overclaimed;
	out->ops += r.ops;
	placement_free(&placement);
	table_spec_free(&table);
}

static void hammer(const char *spec, const char *workload, unsigned threads, double seconds,
		   uint64_t seed, const struct topo *topo, struct found *out)
{
	struct table_size size = { .entries = ENTRIES };
	struct traffic *traffic;
	struct err e;

	if (traffic_from_workload(workload, &size, threads, seed, &traffic, &e))
		fixture_die(&e);
	audit_run(spec, traffic, threads, seconds, seed, topo, out);
	traffic_free(traffic);
}

static bool clean(const struct found *f)
{
	uint64_t any = 0;

	for (enum fault i = 0; i < NR_FAULTS; i++)
		any |= f->fault[i];
	return f->ops && !any;
}

static int report(const char *spec, const char *what, const struct found *f, bool ok)
{
	printf("%s: %s, %s: %ju ops", ok ? "ok" : "FAILED", spec, what, (uintmax_t)f->ops);
	for (enum fault i = 0; i < NR_FAULTS; i++)
		printf(", %ju %s", (uintmax_t)f->fault[i], fault_names[i]);
	if (f->proved | f->overclaimed)
		printf("; the judge proved %ju, and claimed %ju besides", (uintmax_t)f->proved,
		       (uintmax_t)f->overclaimed);
	putchar('\n');
	return !ok;
}

static bool holds(const struct table_class *c, const char *workload)
{
	enum kind kind;
	struct err e;

	if (workload_kind(workload, &kind, &e))
		fixture_die(&e);
	return c->kinds & 1u << kind;
}

/*
 * One thread: nothing, ever, on any table. But keys are built to be taken for others, and a
 * narrow signature is enough for that without.
 */
static int alone(const char *spec, const struct table_class *c, unsigned sig_bits,
		 const struct topo *topo)
{
	struct found f = { 0 };
	char text[64];

	for (size_t i = 0; workload_name(i); i++) {
		if (!holds(c, workload_name(i)) || !strcmp(workload_name(i), "adversarial"))
			continue;
		snprintf(text, sizeof(text), "%s:ops=8192", workload_name(i));
		for (uint64_t seed = 1; seed <= 2; seed++)
			hammer(spec, text, 1, 0, seed, topo, &f);
	}
	if (sig_bits < 64)
		f.fault[FAULT_WRONG_KEY] = 0;
	return report(spec, "one thread", &f, clean(&f));
}

/* No torn read where none is promised; torn reads where nothing is. */
static int evicting(const char *spec, const struct table_class *c, const struct topo *topo)
{
	bool must_tear = !(c->promises & PROMISE_NO_TEAR);
	struct found f = { 0 };
	unsigned runs = 0;

	do {
		hammer(spec, "hot-evict:lines=1", 2, must_tear ? 0 : SOUND_SECONDS, 100 + runs,
		       topo, &f);
		runs++;
	} while (runs < 2 || (must_tear && !f.fault[FAULT_TORN] && runs < MAX_RUNS));
	return report(spec, "two threads, evicting", &f,
		      c->promises & PROMISE_NO_FALSE_MISS ? clean(&f)
		      : must_tear			  ? f.fault[FAULT_TORN] > 0
							  : f.ops && !f.fault[FAULT_TORN]);
}

/*
 * Exact mode: false misses where an entry verifies for nobody while it is written, nothing
 * where they are ruled out. (Others have nothing to show here: in-place updates of a one-word
 * payload do not tear, and plain words are never absent.)
 */
static int updating(const char *spec, const struct table_class *c, const struct topo *topo)
{
	bool sound = c->promises & PROMISE_NO_FALSE_MISS;
	bool must_miss = !sound && c->promises & (PROMISE_HONEST_KEYS | PROMISE_SHORT_CHECK);
	struct found f = { 0 };
	unsigned runs = 0;

	if (!sound && !must_miss)
		return 0;
	do {
		hammer(spec, "hot-update:lines=1", 2, must_miss ? 0 : SOUND_SECONDS, 200 + runs,
		       topo, &f);
		runs++;
	} while (runs < 2 || (must_miss && !f.fault[FAULT_FALSE_MISS] && runs < MAX_RUNS));
	return report(spec, "two threads, updating", &f,
		      must_miss ? f.fault[FAULT_FALSE_MISS] && !f.fault[FAULT_TORN] &&
					  !f.overclaimed
				: clean(&f));
}

/*
 * A workload on which slots change their key tears what promises nothing, one of built
 * keys what depends on honest ones. Nothing else may be torn, and sound tables end clean.
 */
static int provoking(const char *spec, const struct table_class *c, const char *workload,
		     enum kind kind, const struct topo *topo)
{
	bool built = !strcmp(workload, "adversarial");
	bool must_tear = built				 ? c->promises & PROMISE_HONEST_KEYS
			 : c->promises & PROMISE_NO_TEAR ? false
							 : kind != KIND_KV;
	struct found f = { 0 };
	unsigned runs = 0;
	bool ok = true;

	do {
		hammer(spec, workload, 2, must_tear ? 0 : PROVOKE_SECONDS, 500 + runs, topo,
		       &f);
		runs++;
	} while (runs < 2 || (must_tear && !f.fault[FAULT_TORN] && runs < MAX_RUNS));
	if (c->promises & PROMISE_NO_FALSE_MISS)
		ok = clean(&f);
	else if (must_tear)
		ok = f.fault[FAULT_TORN];
	else if (c->promises & PROMISE_NO_TEAR)
		ok = !f.fault[FAULT_TORN];
	return report(spec, workload, &f, ok && f.ops);
}

static int all_workloads(const char *spec, const struct table_class *c, const struct topo *topo)
{
	int failed = 0;

	for (size_t i = 0; workload_name(i); i++) {
		enum kind kind;
		struct err e;

		if (workload_kind(workload_name(i), &kind, &e))
			fixture_die(&e);
		if (c->kinds & 1u << kind)
			failed += provoking(spec, c, workload_name(i), kind, topo);
	}
	return failed;
}

/*
 * A recorded trace of two threads with every kind the table holds: bumps, refreshes, wide
 * entries. Sound tables answer and end clean; xor never tears; unsync must be caught, by its
 * wide entries: those of one data word tear so seldom here that nobody can wait for it.
 */
static int recorded(const char *spec, const struct table_class *c, const struct trace *trace,
		    enum clears clears, const struct topo *topo)
{
	bool promised = c->promises & PROMISE_NO_TEAR;
	bool must_tear = !promised && c->kinds & 1u << KIND_PAWN;
	bool sound = c->promises & PROMISE_NO_FALSE_MISS;
	struct dealing d = { .kinds = c->kinds, .threads = 2, .clears = clears };
	struct traffic *traffic;
	struct found f = { 0 };
	unsigned runs = 0;
	struct err e;

	if (traffic_from_trace(trace, &d, &traffic, &e))
		fixture_die(&e);
	do {
		audit_run(spec, traffic, 2, must_tear ? 0 : SOUND_SECONDS, 400 + runs, topo,
			  &f);
		runs++;
	} while (runs < 2 || (must_tear && !f.fault[FAULT_TORN] && runs < MAX_RUNS));
	traffic_free(traffic);
	return report(spec,
		      clears == CLEARS_LIVE ? "two threads, recorded, cleared amid traffic"
					    : "two threads, recorded",
		      &f,
		      sound	  ? clean(&f)
		      : must_tear ? f.fault[FAULT_TORN] > 0
				  : f.ops && !(promised && f.fault[FAULT_TORN]));
}

/*
 * One thread is through long before the other, again and again: whoever then misses must
 * not wait for it. That this ends is the test; and sound tables end clean.
 */
static int short_runs(const char *spec, const struct table_class *c, const struct topo *topo)
{
	struct found f = { 0 };

	for (uint64_t seed = 0; seed < nr_short_runs; seed++)
		hammer(spec, "hot-update:lines=1,ops=64", 2, 0, 300 + seed, topo, &f);
	return report(spec, "two threads, short runs", &f,
		      c->promises & PROMISE_NO_FALSE_MISS ? clean(&f) : f.ops > 0);
}

/* On two threads: what a table promises, and what it cannot help. */
static int together(const char *spec, const struct table_class *c, const struct trace *trace,
		    const struct topo *topo)
{
	int failed = recorded(spec, c, trace, CLEARS_BARRIER, topo) +
		     recorded(spec, c, trace, CLEARS_LIVE, topo);

	if (c->kinds & 1u << KIND_KV)
		failed += evicting(spec, c, topo) + updating(spec, c, topo);
	/* as it is by default; another lock is no other table */
	if (strchr(spec, ':'))
		return failed;
	if (c->kinds & 1u << KIND_KV)
		failed += short_runs(spec, c, topo);
	return failed + all_workloads(spec, c, topo);
}

int main(int argc, char **argv)
{
	struct table_spec parsed;
	struct trace *trace;
	struct topo *topo;
	struct err e;
	int failed;

	if (argc < 3)
		return 1;
	if (argc > 3)
		nr_short_runs = strtoull(argv[3], NULL, 10);
	fixture_needs(argv[1]);
	if (table_spec_parse(argv[1], &parsed, &e) || topo_open(&topo, &e) ||
	    trace_read(argv[2], &trace, &e))
		fixture_die(&e);
	if (parsed.class->floor) {
		printf("skipped: %s stores nothing\n", argv[1]);
		failed = 77;
		goto out;
	}
	failed = alone(argv[1], parsed.class, table_spec_sig_bits(&parsed), topo);
	if (topo_nr_allowed(topo) > 1)
		failed += together(argv[1], parsed.class, trace, topo);
	else
		printf("two threads: not applicable, one CPU is allowed\n");
out:
	trace_free(trace);
	topo_close(topo);
	table_spec_free(&parsed);
	return failed;
}
