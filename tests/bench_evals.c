// SPDX-License-Identifier: BSD-2-Clause
/*
 * Does an evaluation table earn its memory? Of the evaluations that recorded searches asked for,
 * what share does the transposition table answer alone, an evaluation table alone, or both, when
 * all have the same memory?
 *
 * A recorded probe of an evaluation table is a request. An entry of a transposition table would
 * answer it, had it room for the evaluation (16 bits): that is the most such a table can do. What
 * nobody answers is evaluated, and kept in the evaluation table; a transposition table gets what
 * the search stored there when it was through with the position.
 *
 *	bench_evals TRACE...
 */
#include "fixture.h"
#include "traffic.h"

#define ENTRY_BYTES 16

static const unsigned all_kib[] = { 64, 256, 1024, 4096, 16384, 65536 };

/* Tables that divide the memory: so many eighths for evaluations. */
struct pair {
	struct fixture tt, eval;
	uint64_t answered;
};

static void pair_open(struct pair *p, uint64_t bytes, unsigned eighths, int mate)
{
	uint64_t eval = bytes * eighths / 8, tt = bytes - eval;

	p->answered = 0;
	/* of any size, so that they divide it as they should */
	fixture_open(&p->tt, "unsync:index=mulhi", KIND_TT, tt / ENTRY_BYTES, mate);
	fixture_open(&p->eval, "unsync:index=mulhi", KIND_EVAL, eval / ENTRY_BYTES, mate);
}

static void pair_close(struct pair *p)
{
	fixture_close(&p->tt);
	fixture_close(&p->eval);
}

static bool probe(struct fixture *f, const struct trace_op *op)
{
	struct table_answer a;

	table_ops(f->t)->probe(f->t, f->w, op, &a);
	return a.hit;
}

static void store(struct fixture *f, const struct trace_op *op, const uint64_t *word)
{
	table_ops(f->t)->store(f->t, f->w, op, word);
}

static void request(struct pair *p, uint64_t key)
{
	const struct trace_op in_tt = probe_op(KIND_TT, key),
			      in_eval = probe_op(KIND_EVAL, key);
	const struct trace_op keep = store_op(KIND_EVAL, key, 1);
	const uint64_t word = 1;

	if (probe(&p->tt, &in_tt) || probe(&p->eval, &in_eval))
		p->answered++;
	else
		store(&p->eval, &keep, &word);
}

static void pass_event(struct pair *p, enum event_type type)
{
	if (type == EVENT_GENERATION) {
		table_new_generation(p->tt.t);
		return;
	}
	p->tt.t->class->clear(p->tt.t, 0, 1);
	p->eval.t->class->clear(p->eval.t, 0, 1);
}

/* All that was recorded, in its order. Returns the requests. */
static uint64_t pass(struct pair *p, const struct stream *s)
{
	const struct event *event = s->event;
	uint64_t requests = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const struct trace_op *op = &s->op[i];

		for (; event < s->event + s->nr_events && event->at <= i; event++)
			pass_event(p, event->type);
		if (op->op == OP_TT_PROBE) {
			probe(&p->tt, op);
		} else if (op->op == OP_TT_STORE) {
			store(&p->tt, op, NULL);
		} else if (op->op == OP_EVAL_PROBE) {
			request(p, op->key);
			requests++;
		}
	}
	return requests;
}

static void show_size(const struct traffic *t, unsigned kib)
{
	static const unsigned eighths[] = { 0, 8, 1, 2, 4, 6 };

	printf("| %u |", kib);
	for (size_t i = 0; i < ARRAY_SIZE(eighths); i++) {
		struct pair p;
		uint64_t requests;

		pair_open(&p, kib * 1024ull, eighths[i], t->mate);
		requests = pass(&p, &t->stream[0]);
		printf(" %.1f |", 100.0 * (double)p.answered / (double)requests);
		pair_close(&p);
	}
	putchar('\n');
}

static void show_trace(const char *path)
{
	const struct dealing d = { .kinds = 1u << KIND_TT | 1u << KIND_EVAL, .threads = 1 };
	struct traffic *t;
	struct trace *trace;
	struct err e;
	uint64_t count[NR_OPS];

	if (trace_read(path, &trace, &e) || traffic_from_trace(trace, &d, &t, &e))
		fixture_die(&e);
	traffic_count(t, count);
	printf("\n%s: %ju requests, %ju probes and %ju stores of the transposition table; "
	       "answered, %%\n\n"
	       "| KiB in all | tt | eval | 7:1 | 6:2 | 4:4 | 2:6 |\n|---|---|---|---|---|---|---|\n",
	       path, (uintmax_t)count[OP_EVAL_PROBE], (uintmax_t)count[OP_TT_PROBE],
	       (uintmax_t)count[OP_TT_STORE]);
	for (size_t i = 0; i < ARRAY_SIZE(all_kib); i++)
		show_size(t, all_kib[i]);
	traffic_free(t);
	trace_free(trace);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		show_trace(argv[i]);
	return 0;
}
