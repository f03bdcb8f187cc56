// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_trace_cut - a cut against its definition, by sorting everything
 */
#include "trace_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* One operation in the merged order. */
struct placed {
	uint64_t tick;
	size_t stream, index;
};

static int by_order(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool listed(const struct trace_window *w, uint32_t thread)
{
	for (size_t i = 0; i < w->nr_threads; i++)
		if (w->threads[i] == thread)
			return true;
	return !w->threads;
}

static size_t merged(const struct trace *t, const struct trace_window *w, struct placed *all)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		uint64_t tick = s->start;

		for (size_t k = 0; k < s->nr; k++) {
			unsigned op = s->op[k].op;

			tick += trace_op_gap(&s->op[k]);
			if (!listed(w, s->thread))
				continue;
			if (!w->kinds || op >= OP_NEW_GENERATION || w->kinds & 1u << op / 2)
				all[nr++] = (struct placed){ tick, i, k };
		}
	}
	qsort(all, nr, sizeof(*all), by_order);
	return nr;
}

static const struct trace_stream *of_thread(const struct trace *t, uint32_t thread)
{
	for (size_t i = 0; i < t->nr_streams; i++)
		if (t->stream[i].thread == thread)
			return &t->stream[i];
	fail_msg("thread %u is gone", thread);
	return NULL;
}

static void check_cut(const struct trace *t, const struct trace_window *w)
{
	struct placed *all = xcalloc(t->nr_streams * t->stream[0].nr, sizeof(*all));
	size_t nr = merged(t, w, all), end = nr, at[8] = { 0 };
	uint64_t tick[8] = { 0 }, kept = 0;
	struct trace *cut;
	struct err e;

	if (trace_cut(t, w, &cut, &e))
		fail_msg("%s", e.text);
	if (w->ops < nr - w->from)
		end = w->from + w->ops;
	for (size_t i = w->from; i < end; i++) {
		const struct trace_stream *from = &t->stream[all[i].stream];
		const struct trace_stream *s = of_thread(cut, from->thread);
		size_t k = at[all[i].stream]++;
		struct trace_op want = from->op[all[i].index];

		assert_true(k < s->nr);
		tick[all[i].stream] =
			k ? tick[all[i].stream] + trace_op_gap(&s->op[k]) : s->start;
		assert_int_equal(tick[all[i].stream], all[i].tick);
		want.gap_lo = s->op[k].gap_lo;
		want.gap_hi = s->op[k].gap_hi;
		assert_memory_equal(&want, &s->op[k], sizeof(want));
	}
	for (size_t i = 0; i < cut->nr_streams; i++) {
		kept += cut->stream[i].nr;
		assert_true(listed(w, cut->stream[i].thread));
	}
	assert_int_equal(kept, end - w->from);
	assert_int_equal(cut->mate, t->mate);
	assert_int_equal(cut->tsc_hz, t->tsc_hz);
	assert_string_equal(cut->source, t->source);
	trace_free(cut);
	free(all);
}

static void test_windows(void **state)
{
	static const uint32_t some[] = { 4, 0 };
	struct trace *t = make_trace(1, 3, 500);

	/* Gaps of no time at all: ties between streams and within them. */
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 500; k++) {
			t->stream[i].op[k].gap_lo = t->stream[i].op[k].gap_lo & 1;
			t->stream[i].op[k].gap_hi = 0;
			t->stream[i].start = 1000 + 50 * i;
		}
	for (int round = 0; round < 2; round++) {
		check_cut(t, &(struct trace_window){ .ops = UINT64_MAX });
		check_cut(t, &(struct trace_window){ .ops = 1 });
		check_cut(t, &(struct trace_window){ .ops = 700 });
		check_cut(t, &(struct trace_window){ .from = 300, .ops = 700 });
		check_cut(t, &(struct trace_window){ .from = 1499, .ops = 5 });
		check_cut(t, &(struct trace_window){
				     .from = 77, .ops = 333, .kinds = 1u << KIND_TT });
		check_cut(t,
			  &(struct trace_window){ .from = 77,
						  .ops = UINT64_MAX,
						  .kinds = 1u << KIND_PAWN | 1u << KIND_KV });
		check_cut(t, &(struct trace_window){ .from = 10,
						     .ops = 500,
						     .threads = some,
						     .nr_threads = 2,
						     .kinds = 1u << KIND_EVAL });
		trace_free(t);
		t = make_trace(2, 3, 500); /* and with gaps of every size */
	}
	trace_free(t);
}

static void test_whole_is_same(void **state)
{
	struct trace *t = make_trace(3, 3, 200), *cut;
	uint64_t hash;
	struct err e;

	for (size_t i = 0; i < 3; i++)
		t->stream[i].op[0].gap_lo = t->stream[i].op[0].gap_hi = 0;
	trace_finish(t);
	hash = t->hash;
	assert_int_equal(trace_cut(t, &(struct trace_window){ .ops = UINT64_MAX }, &cut, &e),
			 0);
	assert_int_equal(cut->hash, hash);
	trace_free(cut);
	trace_free(t);
}

static void test_refusals(void **state)
{
	static const uint32_t none[] = { 1 };
	struct trace *t = make_trace(4, 2, 50), *cut = NULL;
	struct trace_window w = { .from = 100, .ops = 1 };
	struct err e;

	assert_int_equal(trace_cut(t, &w, &cut, &e), -1);
	assert_non_null(strstr(e.text, "behind the last of 100"));
	w = (struct trace_window){ .ops = 1, .threads = none, .nr_threads = 1 };
	assert_int_equal(trace_cut(t, &w, &cut, &e), -1);
	assert_non_null(strstr(e.text, "no thread 1"));
	/* The gap over what is left out does not fit into 40 bits. */
	for (size_t k = 0; k < 50; k++) {
		t->stream[0].op[k].op = k == 0 || k == 49 ? OP_TT_PROBE : OP_PAWN_PROBE;
		t->stream[0].op[k].flags = 0;
		t->stream[0].op[k].gap_hi = 200;
	}
	w = (struct trace_window){ .ops = 100, .kinds = 1u << KIND_TT };
	assert_int_equal(trace_cut(t, &w, &cut, &e), -1);
	assert_non_null(strstr(e.text, "2^40"));
	assert_null(cut);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_whole_is_same),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
