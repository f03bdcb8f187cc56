// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace - what the file, the importer and the commands share: names, what a valid
 * operation is, the hash that identifies a trace
 */
#include "trace_format.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *const kind_names[NR_KINDS] = {
	[KIND_TT] = "tt",
	[KIND_PAWN] = "pawn",
	[KIND_EVAL] = "eval",
	[KIND_KV] = "kv",
};

const char *const trace_op_names[NR_OPS] = {
	[OP_TT_PROBE] = "tt_probe",
	[OP_TT_STORE] = "tt_store",
	[OP_PAWN_PROBE] = "pawn_probe",
	[OP_PAWN_STORE] = "pawn_store",
	[OP_EVAL_PROBE] = "eval_probe",
	[OP_EVAL_STORE] = "eval_store",
	[OP_KV_PROBE] = "kv_probe",
	[OP_KV_STORE] = "kv_store",
	[OP_NEW_GENERATION] = "new_generation",
	[OP_CLEAR] = "clear",
};

const char *trace_op_fault(const struct trace_op *op)
{
	if (op->op >= NR_OPS)
		return "an operation that does not exist";
	if (op->op >= OP_NEW_GENERATION && op->flags)
		return "an event with flags";
	if (!trace_op_is_store(op->op) && op->flags & TRACE_BOUND_MASK)
		return "a bound on what is not a store";
	if (!trace_op_is_probe(op->op) && op->flags & TRACE_HIT_MASK)
		return "a hit on what is not a probe";
	if ((op->flags & TRACE_HIT_MASK) == TRACE_HIT_MASK)
		return "a hit that is none of miss, hit, usable";
	return NULL;
}

/* Two keys that were mixed agree in so many bits once in 256 times, a few of them never. */
#define STILL_BITS 8
#define STILL_OPS 256

unsigned trace_still_bits(const struct trace *t, enum kind kind)
{
	uint64_t differ = 0, first = 0;
	bool any = false;
	unsigned bits;

	if (t->count[2 * kind] + t->count[2 * kind + 1] < STILL_OPS)
		return 0;
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];

		for (size_t k = 0; k < s->nr; k++) {
			if (s->op[k].op >> 1 != kind)
				continue;
			first = any ? first : s->op[k].key;
			differ |= s->op[k].key ^ first;
			any = true;
		}
	}
	/* one key, over and over, says nothing of how keys are made */
	bits = differ ? (unsigned)__builtin_clzll(differ) : 0;
	return bits < STILL_BITS ? 0 : bits;
}

uint64_t trace_stream_end(const struct trace_stream *s)
{
	uint64_t tick = s->start;

	for (size_t i = 0; i < s->nr; i++)
		tick += trace_op_gap(&s->op[i]);
	return tick;
}

struct trace *trace_new(size_t nr_streams)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	t->stream = xcalloc(nr_streams, sizeof(*t->stream));
	t->nr_streams = nr_streams;
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_streams; i++)
		free(t->stream[i].op);
	free(t->stream);
	free(t);
}

void tlt_hash_stream(struct XXH64_state_s *state, const struct trace_stream *s)
{
	uint64_t about[] = { s->thread, s->nr, s->start };

	XXH64_update(state, about, sizeof(about));
}

void trace_finish(struct trace *t)
{
	XXH64_state_t *state = XXH64_createState();

	if (!state)
		abort();
	XXH64_reset(state, 0);
	memset(t->count, 0, sizeof(t->count));
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];

		tlt_hash_stream(state, s);
		if (s->nr)
			XXH64_update(state, s->op, s->nr * sizeof(*s->op));
		for (size_t k = 0; k < s->nr; k++)
			if (s->op[k].op < NR_OPS)
				t->count[s->op[k].op]++;
	}
	t->hash = XXH64_digest(state);
	XXH64_freeState(state);
}
