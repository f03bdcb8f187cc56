// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a search does to its tables, recorded and replayed: on one thread the table has to see
 * the very same, so that every count is the search's own.
 *
 * Tables are small, so that entries are replaced and what a hit depends on is not only whether
 * the key was ever stored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "bench_set.h"
#include "engine.h"
#include "fixture.h"
#include "run.h"

#define DEPTH 5
#define MANY 10000000u
#define HASH 4096u
#define PAWN_HASH 256u
#define EVAL_HASH 1024u

static struct topo *topo;
static char path[64];

/* Of one recorded search of all positions. */
struct recorded {
	struct trace *trace;
	struct counts n[NR_KINDS];
	uint64_t ops, dropped;
};

static struct recorded record_search(const char *table, enum sharing sharing, unsigned threads,
				     uint64_t max_ops)
{
	struct engine_params p = { .table = table,
				   .hash = "4096e",
				   .pawn_hash = "256e",
				   .eval_hash = "1024e",
				   .placement = "core",
				   .pawn = sharing,
				   .eval = sharing,
				   .threads = threads,
				   .oversubscribe = true };
	struct recording *recording = recording_create(threads, max_ops);
	struct limits limits = { .depth = DEPTH };
	struct recorded out = { 0 };
	struct engine_result r;
	struct engine *engine;
	struct err e;

	assert_non_null(recording);
	if (engine_create(&p, &engine, &e))
		fail_msg("%s", e.text);
	engine_record(engine, recording);
	for (unsigned i = 0; i < NR_BENCH; i++) {
		struct game g;

		engine_ready(engine);
		if (game_set(&g, bench_fens[i], &e) ||
		    engine_search(engine, &g, &limits, NULL, NULL, &r, &e))
			fail_msg("%s", e.text);
		for (enum kind k = 0; k < NR_KINDS; k++)
			counts_add(&out.n[k], &r.count[k]);
	}
	engine_destroy(engine);
	out.ops = recording_ops(recording);
	out.dropped = recording_dropped(recording);
	if (recording_write(recording, path, "test 1", &e) || trace_read(path, &out.trace, &e))
		fail_msg("%s", e.text);
	recording_free(recording);
	unlink(path);
	return out;
}

/* On tables of the sizes that the search had. */
static void replay(const char *table, const struct trace *trace, struct run_result *r)
{
	struct table_spec spec;
	struct placement placement;
	struct run_params p = { .table = &spec,
				.topo = topo,
				.placement = &placement,
				.size = { [KIND_TT] = { .entries = HASH },
					  [KIND_PAWN] = { .entries = PAWN_HASH },
					  [KIND_EVAL] = { .entries = EVAL_HASH } },
				.size_text = { "tt", "pawn", "eval", "kv" },
				.passes = 1,
				.caller = CALLER_BRANCH };
	struct dealing d = { .kinds = 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL,
			     .threads = 1,
			     .clears = CLEARS_DROP };
	struct traffic *traffic = NULL;
	struct err e;

	if (table_spec_parse(table, &spec, &e) ||
	    topo_place(topo, "core", 1, true, &placement, &e) ||
	    traffic_from_trace(trace, &d, &traffic, &e))
		fail_msg("%s", e.text);
	p.traffic = traffic;
	if (run_cell(&p, r, &e))
		fail_msg("%s", e.text);
	traffic_free(traffic);
	placement_free(&placement);
	table_spec_free(&spec);
}

static bool same_counts(const struct counts n[NR_KINDS], const struct run_result *r)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (memcmp(&n[k], &r->table[k].n, sizeof(n[k])))
			return false;
	return true;
}

static void check_same(const char *table, enum sharing sharing)
{
	struct recorded rec = record_search(table, sharing, 1, MANY);
	struct run_result r;

	assert_int_equal(rec.dropped, 0);
	replay(table, rec.trace, &r);
	for (enum kind k = 0; k <= KIND_EVAL; k++) {
		const struct counts *a = &rec.n[k], *b = &r.table[k].n;

		assert_true(a->hits && a->stores && a->hits < a->probes);
		assert_int_equal(a->probes, b->probes);
		assert_int_equal(a->stores, b->stores);
		assert_int_equal(a->hits, b->hits);
	}
	assert_true(same_counts(rec.n, &r)); /* by bound, refreshes, bumps, ... */
	trace_free(rec.trace);
}

/* Each thread's own pawn and eval tables are unsync; one layout has one outcome. */
static void replayed_are_the_same_operations(void **state)
{
	static const char *const line_tables[] = { "xor", "unsync", "seqlock", "spinlock" };

	for (size_t i = 0; i < ARRAY_SIZE(line_tables); i++)
		check_same(line_tables[i], SHARING_PRIVATE);
	check_same("xor", SHARING_SHARED);
}

/* Of another layout, so all are of the same table. */
static void replayed_on_nodes(void **state)
{
	if (table_spec_absent("urcu"))
		skip();
	check_same("urcu", SHARING_SHARED);
}

/* What the counts above would not forgive. */
static void a_change_is_seen(void **state)
{
	struct recorded rec = record_search("xor", SHARING_PRIVATE, 1, MANY);
	struct trace_stream *s = &rec.trace->stream[0];
	struct run_result r;
	size_t at = s->nr / 2;

	replay("xor", rec.trace, &r);
	assert_true(same_counts(rec.n, &r));

	while (s->op[at].op != OP_TT_STORE)
		at++;
	s->op[at].flags ^= BOUND_EXACT << TRACE_BOUND_SHIFT; /* upper is lower */
	replay("xor", rec.trace, &r);
	assert_false(same_counts(rec.n, &r));
	s->op[at].flags ^= BOUND_EXACT << TRACE_BOUND_SHIFT;
	replay("xor", rec.trace, &r);
	assert_true(same_counts(rec.n, &r));

	/* a clear that is dropped, and no new generation */
	for (size_t i = 0; i < s->nr; i++)
		if (s->op[i].op == OP_NEW_GENERATION)
			s->op[i].op = OP_CLEAR;
	replay("xor", rec.trace, &r);
	assert_false(same_counts(rec.n, &r));
	trace_free(rec.trace);
}

/* What the engine saw is in the trace, and so are the events, where they belong. */
static void hits_and_events(void **state)
{
	struct recorded rec = record_search("xor", SHARING_PRIVATE, 1, MANY);
	const struct trace_stream *s = &rec.trace->stream[0];
	const struct counts *tt = &rec.n[KIND_TT];
	uint64_t hits[NR_KINDS] = { 0 }, usable = 0;
	uint32_t generation = 0;

	assert_int_equal(rec.trace->nr_streams, 1);
	assert_int_equal(s->nr, rec.ops);
	assert_int_equal(s->op[0].op, OP_CLEAR);
	assert_int_equal(s->op[1].op, OP_NEW_GENERATION);
	for (size_t i = 0; i < s->nr; i++) {
		const struct trace_op *op = &s->op[i];
		unsigned hit = (op->flags & TRACE_HIT_MASK) >> TRACE_HIT_SHIFT;

		if (op->op == OP_NEW_GENERATION)
			assert_int_equal(op->move, ++generation);
		if (!trace_op_is_probe(op->op))
			continue;
		hits[op->op >> 1] += hit != 0;
		usable += hit == 2;
	}
	assert_int_equal(generation, NR_BENCH);
	assert_int_equal(rec.trace->count[OP_CLEAR], 1);
	for (enum kind k = 0; k <= KIND_EVAL; k++)
		assert_int_equal(hits[k], rec.n[k].hits);
	assert_int_equal(usable,
			 tt->usable[TT_EXACT] + tt->usable[TT_LOWER] + tt->usable[TT_UPPER]);
	assert_true(trace_stream_end(s) > s->start);
	trace_free(rec.trace);
}

/* Every operation of every thread, once. */
static void several_threads(void **state)
{
	struct recorded rec = record_search("xor", SHARING_SHARED, 3, MANY);
	const struct trace *t = rec.trace;

	assert_int_equal(t->nr_streams, 3);
	assert_int_equal(rec.dropped, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t->stream[i].thread, i);
	for (enum kind k = 0; k <= KIND_EVAL; k++) {
		assert_int_equal(t->count[2 * k], rec.n[k].probes);
		assert_int_equal(t->count[2 * k + 1], rec.n[k].stores);
	}
	assert_int_equal(t->count[OP_NEW_GENERATION], NR_BENCH);
	trace_free(rec.trace);
}

static bool same_but_for_time(const struct trace_op *a, const struct trace_op *b)
{
	struct trace_op x = *a, y = *b;

	x.gap_lo = y.gap_lo = 0;
	x.gap_hi = y.gap_hi = 0;
	return !memcmp(&x, &y, sizeof(x));
}

/* Full: what came first is there, the rest is counted, and the search goes on. */
static void a_full_memory_is_counted(void **state)
{
	struct recorded all = record_search("xor", SHARING_PRIVATE, 1, MANY);

	for (uint64_t max = 1000; max <= 100000; max += 99000) {
		struct recorded some = record_search("xor", SHARING_PRIVATE, 1, max);

		assert_int_equal(some.ops, max);
		assert_int_equal(some.dropped, all.ops - max);
		assert_memory_equal(some.n, all.n, sizeof(all.n));
		for (size_t i = 0; i < max; i++)
			assert_true(same_but_for_time(&some.trace->stream[0].op[i],
						      &all.trace->stream[0].op[i]));
		trace_free(some.trace);
	}
	trace_free(all.trace);
}

/* Without a reserve each buffer is made when it is needed; none is lost or swapped. */
static void buffers_follow_each_other(void **state)
{
	enum { NR = 200000 };
	struct recording *r = recording_create(1, MANY);
	struct recorder *one = recording_of(r, 0);
	struct trace *t = NULL;
	struct err e;

	for (uint64_t i = 0; i < NR; i++) {
		uint64_t stamp = recorder_stamp(one);

		tlrec_pawn_store(&one->now, stamp, i, 7);
	}
	assert_true(one->used > 3);
	assert_int_equal(recording_ops(r), NR);
	if (recording_write(r, path, "test 1", &e) || trace_read(path, &t, &e))
		fail_msg("%s", e.text);
	unlink(path);
	assert_int_equal(t->stream[0].nr, NR);
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(t->stream[0].op[i].key, i);
	trace_free(t);
	recording_free(r);
}

/* What was no record is refused, as from a file, and nothing is written. */
static void bad_records_are_refused(void **state)
{
	struct recording *r = recording_create(1, MANY);
	struct recorder *one = recording_of(r, 0);
	struct err e;

	recording_clear(r);
	tlrec_pawn_probe(&one->now, tlrec_now(), 1, TLREC_MISS);
	one->now.record[1].stamp = one->now.record[0].stamp - 1;
	assert_int_equal(recording_write(r, path, "test 1", &e), -1);
	assert_non_null(strstr(e.text, "record 1 of thread 0: its time stamp is before"));
	assert_int_equal(access(path, F_OK), -1);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replayed_are_the_same_operations),
		cmocka_unit_test(replayed_on_nodes),
		cmocka_unit_test(a_change_is_seen),
		cmocka_unit_test(hits_and_events),
		cmocka_unit_test(several_threads),
		cmocka_unit_test(a_full_memory_is_counted),
		cmocka_unit_test(buffers_follow_each_other),
		cmocka_unit_test(bad_records_are_refused),
	};
	struct err e;
	int failed;

	snprintf(path, sizeof(path), "recording-%d.tlt", (int)getpid());
	if (topo_open(&topo, &e))
		fixture_die(&e);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	topo_close(topo);
	return failed;
}
