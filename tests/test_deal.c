// SPDX-License-Identifier: BSD-2-Clause
/*
 * Dealing: what each thread gets of hand-made streams, and where events fall.
 *
 * Keys number the operations: stream * 100 + position, from 1; time is what each test
 * says. Two threads recorded, a clear in the middle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "traffic.h"

#define TT (1u << KIND_TT)

struct step {
	uint8_t op;
	uint64_t when;
};

static void fill_stream(struct trace_stream *s, uint32_t thread, const struct step *step,
			size_t nr)
{
	s->thread = thread;
	s->nr = nr;
	s->op = xcalloc(nr, sizeof(*s->op));
	s->start = step[0].when;
	for (size_t i = 0; i < nr; i++) {
		s->op[i].op = step[i].op;
		s->op[i].key = thread * 100 + i + 1;
		s->op[i].gap_lo = (uint32_t)(i ? step[i].when - step[i - 1].when : 0);
		s->op[i].flags = BOUND_EXACT << TRACE_BOUND_SHIFT;
	}
}

static const struct step first[] = {
	{ OP_NEW_GENERATION, 10 }, { OP_TT_PROBE, 20 }, { OP_TT_STORE, 40 },
	{ OP_CLEAR, 40 },	   { OP_TT_PROBE, 50 }, { OP_TT_PROBE, 60 },
};
static const struct step second[] = {
	{ OP_TT_PROBE, 20 }, { OP_PAWN_PROBE, 25 }, { OP_TT_PROBE, 39 },
	{ OP_TT_PROBE, 40 }, { OP_TT_STORE, 70 },
};

static struct trace *two_streams(void)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	strcpy(t->name, "made");
	t->mate = 32000;
	t->nr_streams = 2;
	t->stream = xcalloc(2, sizeof(*t->stream));
	fill_stream(&t->stream[0], 0, first, ARRAY_SIZE(first));
	fill_stream(&t->stream[1], 1, second, ARRAY_SIZE(second));
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < t->stream[s].nr; i++)
			t->count[t->stream[s].op[i].op]++;
	return t;
}

static struct traffic *deal_trace(const struct trace *trace, unsigned threads, enum deal how,
				  enum clears clears, enum pacing pacing)
{
	struct dealing d = { .kinds = TT,
			     .threads = threads,
			     .deal = how,
			     .clears = clears,
			     .pacing = pacing,
			     .seed = 1 };
	struct traffic *t;
	struct err e;

	if (traffic_from_trace(trace, &d, &t, &e))
		fail_msg("%s", e.text);
	return t;
}

static struct traffic *deal(unsigned threads, enum deal how, enum clears clears)
{
	struct trace *trace = two_streams();
	struct traffic *t = deal_trace(trace, threads, how, clears, PACING_ASAP);

	trace_free(trace);
	return t;
}

static void check_refused(const struct trace *trace, const struct dealing *d, const char *why)
{
	struct traffic *t;
	struct err e;

	assert_int_equal(traffic_from_trace(trace, d, &t, &e), -1);
	assert_non_null(strstr(e.text, why));
}

static void check_keys(const struct stream *s, const uint64_t *keys, size_t nr)
{
	assert_int_equal(s->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(s->op[i].key, keys[i]);
	for (size_t i = 0; i < MAX_LOOKAHEAD; i++) /* prefetches run past the end */
		assert_int_equal(s->op[nr + i].key, keys[i % nr]);
}

static void check_event(const struct stream *s, size_t i, enum event_type type, size_t at)
{
	assert_true(i < s->nr_events);
	assert_int_equal(s->event[i].type, type);
	assert_int_equal(s->event[i].at, at);
}

static void own_streams(void **state)
{
	static const uint64_t a[] = { 2, 3, 5, 6 }, b[] = { 101, 103, 104, 105 };
	struct traffic *t = deal(2, DEAL_SPLIT, CLEARS_BARRIER);

	check_keys(&t->stream[0], a, 4);
	check_keys(&t->stream[1], b, 4);
	/* The clear at 40 stays behind its own stream's operation of the same tick, and falls
	 * before the other's. */
	assert_int_equal(t->stream[0].nr_events, 2);
	check_event(&t->stream[0], 0, EVENT_GENERATION, 0);
	check_event(&t->stream[0], 1, EVENT_EPOCH, 2);
	assert_int_equal(t->stream[1].nr_events, 1);
	check_event(&t->stream[1], 0, EVENT_EPOCH, 2);
	traffic_free(t);
}

static void merged_by_time(void **state)
{
	/* 20: a tie, the lower stream first */
	static const uint64_t keys[] = { 2, 101, 103, 3, 104, 5, 6, 105 };
	struct traffic *t = deal(1, DEAL_SPLIT, CLEARS_BARRIER);

	check_keys(&t->stream[0], keys, 8);
	check_event(&t->stream[0], 0, EVENT_GENERATION, 0);
	check_event(&t->stream[0], 1, EVENT_EPOCH, 4);
	traffic_free(t);
}

static void drop_has_no_epochs(void **state)
{
	struct traffic *t = deal(1, DEAL_SPLIT, CLEARS_DROP);

	assert_int_equal(t->stream[0].nr_events, 1);
	check_event(&t->stream[0], 0, EVENT_GENERATION, 0);
	traffic_free(t);
}

static void kinds_are_selected(void **state)
{
	static const uint64_t keys[] = { 102 };
	struct dealing d = { .kinds = 1u << KIND_PAWN | 1u << KIND_EVAL, .threads = 1 };
	struct trace *trace = two_streams();
	struct traffic *t;
	struct err e;

	assert_int_equal(traffic_from_trace(trace, &d, &t, &e), 0);
	check_keys(&t->stream[0], keys, 1);
	assert_int_equal(t->kinds, 1u << KIND_PAWN);
	traffic_free(t);
	d.kinds = 1u << KIND_EVAL;
	check_refused(trace, &d, "it has tt, pawn");
	trace_free(trace);
}

/* Every stream has the same number of epochs, or the threads would not meet. */
static void epochs_match(void **state)
{
	for (unsigned threads = 1; threads <= 7; threads++) {
		for (enum deal how = DEAL_SPLIT; how <= DEAL_SALT; how++) {
			struct traffic *t = deal(threads, how, CLEARS_BARRIER);

			for (unsigned i = 0; i < threads; i++) {
				size_t epochs = 0;

				for (size_t e = 0; e < t->stream[i].nr_events; e++)
					epochs += t->stream[i].event[e].type == EVENT_EPOCH;
				assert_int_equal(epochs, 1);
			}
			traffic_free(t);
		}
	}
}

static void clones_are_rotated(void **state)
{
	/* Thread 2 shares stream 0 with thread 0: turned by half within each epoch. */
	static const uint64_t a[] = { 2, 3, 5, 6 }, turned[] = { 3, 2, 6, 5 };
	static const uint64_t other[] = { 103, 101, 105, 104 };
	struct traffic *t = deal(4, DEAL_CLONE, CLEARS_BARRIER);

	check_keys(&t->stream[0], a, 4);
	check_keys(&t->stream[2], turned, 4);
	/* A new generation is its owner's only. */
	assert_int_equal(t->stream[0].nr_events, 2);
	assert_int_equal(t->stream[2].nr_events, 1);
	check_event(&t->stream[2], 0, EVENT_EPOCH, 2);
	/* Nor is stream 1 turned across the clear, which is stream 0's. */
	check_keys(&t->stream[3], other, 4);
	check_event(&t->stream[3], 0, EVENT_EPOCH, 2);
	traffic_free(t);
}

/* A new generation of the very tick of a clear is still its owner's only. */
static void clones_do_not_multiply_generations(void **state)
{
	static const struct step tick[] = { { OP_TT_PROBE, 5 },
					    { OP_CLEAR, 7 },
					    { OP_NEW_GENERATION, 7 },
					    { OP_TT_PROBE, 8 } };
	struct trace *trace = two_streams();
	struct traffic *t;

	free(trace->stream[0].op);
	fill_stream(&trace->stream[0], 0, tick, ARRAY_SIZE(tick));
	t = deal_trace(trace, 4, DEAL_CLONE, CLEARS_BARRIER, PACING_ASAP);
	assert_int_equal(t->stream[0].nr_events, 2);
	check_event(&t->stream[0], 0, EVENT_EPOCH, 1);
	check_event(&t->stream[0], 1, EVENT_GENERATION, 1);
	assert_int_equal(t->stream[2].nr_events, 1);
	check_event(&t->stream[2], 0, EVENT_EPOCH, 1);
	traffic_free(t);
	trace_free(trace);
}

static void salt_changes_low_bits_only(void **state)
{
	struct traffic *plain = deal(4, DEAL_CLONE, CLEARS_BARRIER);
	struct traffic *t = deal(4, DEAL_SALT, CLEARS_BARRIER);

	for (unsigned i = 0; i < 4; i++) {
		uint64_t salt = t->stream[i].op[0].key ^ plain->stream[i].op[0].key;

		assert_int_equal(salt != 0, i != 0);
		assert_int_equal(salt >> 32, 0);
		for (size_t j = 0; j < t->stream[i].nr; j++)
			assert_int_equal(t->stream[i].op[j].key ^ plain->stream[i].op[j].key,
					 salt);
	}
	assert_true(t->stream[1].op[0].key != t->stream[3].op[0].key);
	traffic_free(plain);
	traffic_free(t);
}

/* Split: every operation exactly once, in chunks that keep their order. */
static void split_gives_each_once(void **state)
{
	enum { NR = 5000 };
	struct trace *trace = xcalloc(1, sizeof(*trace));
	struct step *step = xcalloc(NR, sizeof(*step));
	bool *seen = xcalloc(NR + 1, sizeof(*seen));
	struct traffic *t;
	size_t sum = 0;

	for (size_t i = 0; i < NR; i++)
		step[i] = (struct step){ OP_TT_STORE, i };
	trace->nr_streams = 1;
	trace->stream = xcalloc(1, sizeof(*trace->stream));
	trace->count[OP_TT_STORE] = NR;
	fill_stream(&trace->stream[0], 0, step, NR);
	t = deal_trace(trace, 3, DEAL_SPLIT, CLEARS_BARRIER, PACING_ASAP);
	for (unsigned i = 0; i < 3; i++) {
		for (size_t j = 0; j < t->stream[i].nr; j++) {
			uint64_t key = t->stream[i].op[j].key;

			assert_false(seen[key]);
			seen[key] = true;
			assert_true(!j || key > t->stream[i].op[j - 1].key);
		}
		assert_in_range(t->stream[i].nr, 1024, 2048);
		sum += t->stream[i].nr;
	}
	assert_int_equal(sum, NR);
	traffic_free(t);
	trace_free(trace);
	free(step);
	free(seen);
}

/* A store without a bound: with a move a lower bound of almost -mate, else an upper of
 * almost mate; both are kept and never cut off. */
static void open_bounds_are_settled(void **state)
{
	struct trace *trace = two_streams();
	struct trace_op *op = trace->stream[0].op;
	struct traffic *t;

	op[2].flags = 0;
	op[2].move = 77;
	trace->stream[1].op[4].flags = TRACE_THREAT;
	t = deal_trace(trace, 2, DEAL_SPLIT, CLEARS_BARRIER, PACING_ASAP);
	assert_int_equal(trace_op_bound(&t->stream[0].op[1]), BOUND_LOWER);
	assert_int_equal(t->stream[0].op[1].value, -31999);
	assert_int_equal(trace_op_bound(&t->stream[1].op[3]), BOUND_UPPER);
	assert_int_equal(t->stream[1].op[3].value, 31999);
	assert_true(t->stream[1].op[3].flags & TRACE_THREAT);
	traffic_free(t);
	trace_free(trace);
}

/* Live: a clear is its thread's only, at the very place, and nobody meets. */
static void live_clears_stay_with_their_stream(void **state)
{
	static const uint64_t a[] = { 2, 3, 5, 6 }, b[] = { 101, 103, 104, 105 };
	static const uint64_t all[] = { 2, 101, 103, 3, 104, 5, 6, 105 };
	struct traffic *t = deal(2, DEAL_SPLIT, CLEARS_LIVE);

	check_keys(&t->stream[0], a, 4);
	check_keys(&t->stream[1], b, 4);
	assert_int_equal(t->clears, CLEARS_LIVE);
	assert_int_equal(t->stream[0].nr_events, 2);
	check_event(&t->stream[0], 0, EVENT_GENERATION, 0);
	check_event(&t->stream[0], 1, EVENT_CLEAR, 2);
	assert_int_equal(t->stream[1].nr_events, 0);
	traffic_free(t);

	/* Merged: as recorded, after the operation of its tick and of its stream. */
	t = deal(1, DEAL_SPLIT, CLEARS_LIVE);
	check_keys(&t->stream[0], all, 8);
	assert_int_equal(t->stream[0].nr_events, 2);
	check_event(&t->stream[0], 1, EVENT_CLEAR, 4);
	traffic_free(t);
}

/* However many threads: each clear once, or a table would be cleared more than recorded. */
static void live_clears_happen_once(void **state)
{
	/* Two clears in stream 0, one of them before any operation: live, it is one too. */
	static const struct step more[] = {
		{ OP_CLEAR, 5 }, { OP_TT_PROBE, 6 }, { OP_CLEAR, 7 }, { OP_TT_PROBE, 8 }
	};

	for (unsigned threads = 1; threads <= 7; threads++) {
		for (enum deal how = DEAL_SPLIT; how <= DEAL_SALT; how++) {
			struct trace *trace = two_streams();
			struct traffic *t;
			size_t clears = 0;

			free(trace->stream[0].op);
			fill_stream(&trace->stream[0], 0, more, ARRAY_SIZE(more));
			t = deal_trace(trace, threads, how, CLEARS_LIVE, PACING_ASAP);
			for (unsigned i = 0; i < threads; i++) {
				for (size_t j = 0; j < t->stream[i].nr_events; j++) {
					assert_int_equal(t->stream[i].event[j].type,
							 EVENT_CLEAR);
					assert_int_equal(i, 0);
					clears++;
				}
			}
			assert_int_equal(clears, 2);
			traffic_free(t);
			trace_free(trace);
		}
	}
}

/* With split a clear goes where its chunk goes. */
static void live_clears_are_split_with_their_chunk(void **state)
{
	enum { NR = 3000, AT = 1500 }; /* in the second chunk of 1024 */
	struct trace *trace = xcalloc(1, sizeof(*trace));
	struct step *step = xcalloc(NR, sizeof(*step));
	struct traffic *t;

	for (size_t i = 0; i < NR; i++)
		step[i] = (struct step){ i == AT ? OP_CLEAR : OP_TT_STORE, i };
	trace->nr_streams = 1;
	trace->stream = xcalloc(1, sizeof(*trace->stream));
	trace->count[OP_TT_STORE] = NR - 1;
	fill_stream(&trace->stream[0], 0, step, NR);
	t = deal_trace(trace, 2, DEAL_SPLIT, CLEARS_LIVE, PACING_ASAP);
	assert_int_equal(t->stream[0].nr_events, 0);
	assert_int_equal(t->stream[1].nr_events, 1);
	check_event(&t->stream[1], 0, EVENT_CLEAR, AT - 1024);
	assert_int_equal(t->stream[1].op[AT - 1024].key, AT + 2); /* keys from 1 */
	traffic_free(t);
	trace_free(trace);
	free(step);
}

static struct traffic *paced(unsigned threads, enum deal how, enum clears clears)
{
	struct trace *trace = two_streams();
	struct traffic *t;

	trace->tsc_hz = 300000000; /* a tick is 3 1/3 ns: rounded up, never early */
	t = deal_trace(trace, threads, how, clears, PACING_RECORDED);
	assert_int_equal(t->pacing, PACING_RECORDED);
	assert_int_equal(t->span_ns, 167); /* 20 to 70 */
	trace_free(trace);
	return t;
}

static void check_due(const struct stream *s, const uint64_t *due, size_t nr)
{
	assert_int_equal(s->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(s->due[i], due[i]);
}

/* From the first operation of all, and anew from the clear at 40 for which all meet. */
static void recorded_times(void **state)
{
	static const uint64_t a[] = { 0, 67, 34, 67 }, b[] = { 0, 64, 0, 100 };
	struct traffic *t = paced(2, DEAL_SPLIT, CLEARS_BARRIER);

	check_due(&t->stream[0], a, 4);
	check_due(&t->stream[1], b, 4);
	assert_int_equal(t->stream[0].event[0].due, 0); /* a generation before all */
	assert_int_equal(t->stream[0].event[1].due, 67);
	assert_int_equal(t->stream[1].event[0].due, 67);
	traffic_free(t);
}

/* Nobody meets: one clock throughout. */
static void recorded_times_without_meetings(void **state)
{
	static const uint64_t a[] = { 0, 67, 100, 134 }, b[] = { 0, 64, 67, 167 };

	for (enum clears c = CLEARS_LIVE; c <= CLEARS_DROP; c++) {
		struct traffic *t = paced(2, DEAL_SPLIT, c);

		check_due(&t->stream[0], a, 4);
		check_due(&t->stream[1], b, 4);
		if (c == CLEARS_LIVE)
			assert_int_equal(t->stream[0].event[1].due, 67);
		traffic_free(t);
	}
}

/* Whoever does it: merged they are in one order, and clones keep the stream's times. */
static void recorded_times_are_dealt(void **state)
{
	static const uint64_t all[] = { 0, 0, 64, 67, 0, 34, 67, 100 };
	static const uint64_t turned[] = { 0, 67, 34, 67 };
	struct traffic *t = paced(1, DEAL_SPLIT, CLEARS_BARRIER);

	check_due(&t->stream[0], all, 8);
	traffic_free(t);
	for (enum deal how = DEAL_CLONE; how <= DEAL_SALT; how++) {
		t = paced(4, how, CLEARS_BARRIER);
		check_due(&t->stream[2], turned, 4);
		traffic_free(t);
	}
}

/* Who does not ask for times does not pay for them, and gets none made up. */
static void times_are_there_or_refused(void **state)
{
	struct traffic *t = deal(2, DEAL_SPLIT, CLEARS_BARRIER);
	struct dealing d = { .kinds = TT, .threads = 2, .pacing = PACING_RECORDED };
	struct trace *trace = two_streams();

	assert_int_equal(t->pacing, PACING_ASAP);
	assert_null(t->stream[0].due);
	traffic_free(t);
	trace->tsc_hz = 0; /* of a file never, but of one made in memory */
	check_refused(trace, &d, "trace made has no times");
	trace->tsc_hz = 1000000000;
	for (size_t s = 0; s < 2; s++) {
		trace->stream[s].start = 10;
		for (size_t i = 0; i < trace->stream[s].nr; i++)
			trace->stream[s].op[i].gap_lo = 0;
	}
	check_refused(trace, &d, "trace made has no times");
	trace_free(trace);
}

#define MANY_CLEARS 20000u

/* Two streams of one operation and one clear in turn: a round takes 100 ticks. */
static struct trace *many_clears(void)
{
	struct trace *t = two_streams();
	struct step *step = xcalloc(2 * MANY_CLEARS, sizeof(*step));

	memset(t->count, 0, sizeof(t->count));
	t->count[OP_TT_PROBE] = 3 * MANY_CLEARS;
	for (size_t i = 0; i < MANY_CLEARS; i++) {
		step[2 * i] = (struct step){ OP_TT_PROBE, 100 * i };
		step[2 * i + 1] = (struct step){ OP_CLEAR, 100 * i + 50 };
	}
	free(t->stream[0].op);
	fill_stream(&t->stream[0], 0, step, 2 * MANY_CLEARS);
	for (size_t i = 0; i < MANY_CLEARS; i++) {
		step[2 * i] = (struct step){ OP_TT_PROBE, 100 * i + 10 };
		step[2 * i + 1] = (struct step){ OP_TT_PROBE, 100 * i + 20 };
	}
	free(t->stream[1].op);
	fill_stream(&t->stream[1], 1, step, 2 * MANY_CLEARS);
	free(step);
	return t;
}

/* Each thread meets at each of them, where it should, and it does not take for ever. */
static void clears_in_thousands(void **state)
{
	static const enum deal deals[] = { DEAL_SPLIT, DEAL_CLONE };
	struct trace *trace = many_clears();

	for (size_t d = 0; d < ARRAY_SIZE(deals); d++) {
		struct traffic *t = deal_trace(trace, 4, deals[d], CLEARS_BARRIER, PACING_ASAP);

		for (unsigned i = 0; i < t->threads; i++) {
			const struct stream *s = &t->stream[i];
			size_t a_round = i % 2 ? 2 : 1;

			assert_int_equal(s->nr_events, MANY_CLEARS - 1);
			if (deals[d] == DEAL_SPLIT)
				continue;
			for (size_t k = 0; k < s->nr_events; k++)
				check_event(s, k, EVENT_EPOCH, (k + 1) * a_round);
		}
		traffic_free(t);
	}
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_in_thousands),
		cmocka_unit_test(own_streams),
		cmocka_unit_test(merged_by_time),
		cmocka_unit_test(drop_has_no_epochs),
		cmocka_unit_test(kinds_are_selected),
		cmocka_unit_test(epochs_match),
		cmocka_unit_test(clones_are_rotated),
		cmocka_unit_test(clones_do_not_multiply_generations),
		cmocka_unit_test(salt_changes_low_bits_only),
		cmocka_unit_test(split_gives_each_once),
		cmocka_unit_test(open_bounds_are_settled),
		cmocka_unit_test(live_clears_stay_with_their_stream),
		cmocka_unit_test(live_clears_happen_once),
		cmocka_unit_test(live_clears_are_split_with_their_chunk),
		cmocka_unit_test(recorded_times),
		cmocka_unit_test(recorded_times_without_meetings),
		cmocka_unit_test(recorded_times_are_dealt),
		cmocka_unit_test(times_are_there_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
