// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two threads on a few hot lines: what a table promises it keeps, and what the audit is
 * there to find it finds. argv: a table's spec.
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
#define PASSES 8
#define SOUND_SECONDS 1

struct found {
	uint64_t torn, wrong_key, false_misses, lost_stores, unusable, duplicates, ops;
};

/* For `seconds`, or 0: for PASSES. */
static void hammer(const char *spec, const char *workload, unsigned threads, double seconds,
		   uint64_t seed, const struct topo *topo, struct found *out)
{
	struct table_spec table;
	struct run_params p = { .table = &table,
				.topo = topo,
				.passes = PASSES,
				.seconds = seconds,
				.caller = CALLER_BRANCH,
				.audit = true,
				.seed = seed };
	struct placement placement;
	struct traffic *traffic;
	struct run_result r;
	struct err e;

	p.size[KIND_KV].entries = 4096;
	p.size_text[KIND_KV] = "size";
	if (table_spec_parse(spec, &table, &e) ||
	    traffic_from_workload(workload, &p.size[KIND_KV], threads, seed, &traffic, &e) ||
	    topo_place(topo, "core", threads, true, &placement, &e))
		fixture_die(&e);
	p.traffic = traffic;
	p.placement = &placement;
	if (run_cell(&p, &r, &e))
		fixture_die(&e);
	out->torn += r.table[KIND_KV].n.torn;
	out->wrong_key += r.table[KIND_KV].n.wrong_key;
	out->unusable += r.table[KIND_KV].rest.unusable_slots;
	out->duplicates += r.table[KIND_KV].rest.duplicate_keys;
	out->false_misses += r.false_misses;
	out->lost_stores += r.lost_stores;
	out->ops += r.ops;
	placement_free(&placement);
	traffic_free(traffic);
	table_spec_free(&table);
}

static bool clean(const struct found *f)
{
	return f->ops && !(f->torn | f->wrong_key | f->false_misses | f->lost_stores |
			   f->unusable | f->duplicates);
}

static int report(const char *spec, const char *what, const struct found *f, bool ok)
{
	printf("%s: %s, %s: %ju ops, %ju torn, %ju wrong key, %ju false misses, %ju lost, "
	       "%ju unusable, %ju duplicates\n",
	       ok ? "ok" : "FAILED", spec, what, (uintmax_t)f->ops, (uintmax_t)f->torn,
	       (uintmax_t)f->wrong_key, (uintmax_t)f->false_misses, (uintmax_t)f->lost_stores,
	       (uintmax_t)f->unusable, (uintmax_t)f->duplicates);
	return !ok;
}

/* One thread: nothing, ever, on any table. */
static int alone(const char *spec, const struct topo *topo)
{
	struct found update = { 0 }, evict = { 0 };

	for (uint64_t seed = 1; seed <= 4; seed++) {
		hammer(spec, "hot-update:ops=8192", 1, 0, seed, topo, &update);
		hammer(spec, "hot-evict:ops=8192", 1, 0, seed, topo, &evict);
	}
	return report(spec, "one thread, updating", &update, clean(&update)) +
	       report(spec, "one thread, evicting", &evict, clean(&evict));
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
	} while (must_tear && !f.torn && runs < MAX_RUNS);
	return report(spec, "two threads, evicting", &f,
		      f.ops && !f.wrong_key && (must_tear ? f.torn > 0 : !f.torn));
}

/* Exact mode: false misses where they are not ruled out by a promise, else nothing. */
static int updating(const char *spec, const struct table_class *c, const struct topo *topo)
{
	bool sound = c->promises & PROMISE_NO_FALSE_MISS;
	bool must_miss = !sound && c->promises & PROMISE_NO_TEAR;
	struct found f = { 0 };
	unsigned runs = 0;

	do {
		hammer(spec, "hot-update:lines=1", 2, must_miss ? 0 : SOUND_SECONDS, 200 + runs,
		       topo, &f);
		runs++;
	} while (must_miss && !f.false_misses && runs < MAX_RUNS);
	return report(spec, "two threads, updating", &f,
		      must_miss ? f.false_misses && !f.torn && !f.wrong_key
		      : sound	? clean(&f)
				: !f.wrong_key);
}

int main(int argc, char **argv)
{
	struct table_spec parsed;
	struct topo *topo;
	struct err e;
	int failed;

	if (argc != 2 || table_spec_parse(argv[1], &parsed, &e) || topo_open(&topo, &e))
		fixture_die(&e);
	if (parsed.class->floor || !(parsed.class->kinds & 1u << KIND_KV)) {
		printf("skipped: %s stores nothing\n", argv[1]);
		failed = 77;
		goto out;
	}
	failed = alone(argv[1], topo);
	if (topo_nr_allowed(topo) > 1)
		failed += evicting(argv[1], parsed.class, topo) +
			  updating(argv[1], parsed.class, topo);
	else
		printf("two threads: not applicable, one CPU is allowed\n");
out:
	topo_close(topo);
	table_spec_free(&parsed);
	return failed;
}
