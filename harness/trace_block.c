// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_block - operations to columns and back (the layout: trace_format.h)
 *
 * Unpacking is on the way of every start of a replay. It checks all fields without
 * a branch per field: faults are collected over the block, and only a block that
 * has one is searched for it.
 */
#include "trace_format.h"

#include <string.h>

#define GAP_PLANES 5
#define GAP_LIMIT (1ull << 40)

struct columns {
	uint64_t *key;
	uint32_t *extra;
	uint16_t *value;
	uint8_t *op, *flags, *depth, *next_depth, *ply;
	uint8_t *gap[GAP_PLANES];
	uint8_t *gap_rest;
};

static struct columns columns_at(void *base, size_t nr)
{
	struct columns c = { .key = base };
	uint8_t *p;

	c.extra = (uint32_t *)(c.key + nr);
	c.value = (uint16_t *)(c.extra + nr);
	p = (uint8_t *)(c.value + nr);
	c.op = p;
	c.flags = p + nr;
	c.depth = p + 2 * nr;
	c.next_depth = p + 3 * nr;
	c.ply = p + 4 * nr;
	for (size_t i = 0; i < GAP_PLANES; i++)
		c.gap[i] = p + (5 + i) * nr;
	c.gap_rest = p + (5 + GAP_PLANES) * nr;
	return c;
}

void tlt_pack(const struct trace_op *op, size_t nr, uint32_t gap_step, void *to)
{
	struct columns c = columns_at(to, nr);
	uint64_t last[NR_OPS / 2] = { 0 };
	size_t at[2] = { 0, 0 }; /* the others', the probes' */

	for (size_t i = 0; i < nr; i++)
		at[0] += trace_op_is_probe(op[i].op);
	for (size_t i = 0; i < nr; i++) {
		const struct trace_op *o = &op[i];
		bool probe = trace_op_is_probe(o->op);
		uint64_t steps = trace_op_gap(o) / gap_step;
		size_t k = at[probe]++;

		c.key[i] = o->key ^ last[o->op >> 1];
		last[o->op >> 1] = o->key;
		c.extra[k] = probe ? (uint32_t)o->beta - (uint32_t)(int32_t)o->value : o->move;
		c.value[k] = (uint16_t)o->value;
		c.op[i] = o->op;
		c.flags[i] = o->flags;
		c.depth[i] = o->depth;
		c.next_depth[i] = o->next_depth;
		c.ply[i] = o->ply;
		for (size_t p = 0; p < GAP_PLANES; p++)
			c.gap[p][i] = (uint8_t)(steps >> 8 * p);
		c.gap_rest[i] = (uint8_t)(trace_op_gap(o) % gap_step);
	}
}

/* By operation: is it a probe, and which bits of flags must be 0. All 256 codes. */
static const struct rule {
	uint8_t bad, probe, forbidden;
} rules[256] = {
#define PROBE                          \
	{                              \
		0, 1, TRACE_BOUND_MASK \
	}
#define STORE                        \
	{                            \
		0, 0, TRACE_HIT_MASK \
	}
	[OP_TT_PROBE] = PROBE,
	[OP_TT_STORE] = STORE,
	[OP_PAWN_PROBE] = PROBE,
	[OP_PAWN_STORE] = STORE,
	[OP_EVAL_PROBE] = PROBE,
	[OP_EVAL_STORE] = STORE,
	[OP_KV_PROBE] = PROBE,
	[OP_KV_STORE] = STORE,
	[OP_NEW_GENERATION] = { 0, 0, 0xff },
	[OP_CLEAR] = { 0, 0, 0xff },
	[NR_OPS... 255] = { 1, 0, 0 },
#undef PROBE
#undef STORE
};

static size_t first_bad(const struct columns *c, size_t nr, uint32_t gap_step,
			const struct trace_op *op)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t steps = 0;

		for (size_t p = 0; p < GAP_PLANES; p++)
			steps |= (uint64_t)c->gap[p][i] << 8 * p;
		if (trace_op_fault(&op[i]) || c->gap_rest[i] >= gap_step ||
		    steps * gap_step + c->gap_rest[i] >= GAP_LIMIT)
			return i;
	}
	return nr;
}

size_t tlt_unpack(const void *from, size_t nr, uint32_t gap_step, struct trace_op *op)
{
	const struct columns c = columns_at((void *)from, nr);
	uint64_t last[128] = { 0 };
	uint64_t far = 0;
	unsigned bad = 0;
	size_t at[2] = { 0, 0 };

	for (size_t i = 0; i < nr; i++)
		at[0] += rules[c.op[i]].probe;
	for (size_t i = 0; i < nr; i++) {
		struct trace_op *o = &op[i];
		const struct rule *rule = &rules[c.op[i]];
		size_t k = at[rule->probe]++;
		uint64_t *key = &last[c.op[i] >> 1];
		uint64_t gap;
		int32_t value = (int16_t)c.value[k];

		*key ^= c.key[i];
		o->key = *key;
		o->move = c.extra[k] + ((uint32_t)value & -(uint32_t)rule->probe);
		o->value = (int16_t)value;
		o->depth = c.depth[i];
		o->next_depth = c.next_depth[i];
		o->op = c.op[i];
		o->flags = c.flags[i];
		o->ply = c.ply[i];
		gap = c.gap[0][i] | (uint32_t)c.gap[1][i] << 8 | (uint32_t)c.gap[2][i] << 16 |
		      (uint64_t)c.gap[3][i] << 24 | (uint64_t)c.gap[4][i] << 32;
		gap = gap * gap_step + c.gap_rest[i];
		o->gap_lo = (uint32_t)gap;
		o->gap_hi = (uint8_t)(gap >> 32);
		far |= gap;
		bad |= rule->bad | (rule->forbidden & o->flags) |
		       ((o->flags & TRACE_HIT_MASK) == TRACE_HIT_MASK) |
		       (c.gap_rest[i] >= gap_step);
	}
	if (!bad && far < GAP_LIMIT)
		return nr;
	return first_bad(&c, nr, gap_step, op);
}

/* Of about `want` gaps taken all over the trace: how many are no multiple of step? */
static size_t odd_gaps(const struct trace *t, uint32_t step, size_t want, size_t *seen)
{
	size_t odd = 0;

	*seen = 0;
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		size_t stride = s->nr / want + 1;

		for (size_t k = 0; k < s->nr; k += stride) {
			uint64_t gap = trace_op_gap(&s->op[k]);

			*seen += gap != 0;
			odd += gap % step != 0;
		}
	}
	return odd;
}

uint32_t tlt_gap_step(const struct trace *t)
{
	for (uint32_t step = TLT_MAX_GAP_STEP; step > 1; step--) {
		size_t seen, odd = odd_gaps(t, step, 2000, &seen);

		if (seen && odd <= seen / 100)
			return step;
	}
	return 1;
}
