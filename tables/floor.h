/* SPDX-License-Identifier: BSD-2-Clause */
/* floor - what tables that store nothing share: there is nothing to clear, walk or find */
#ifndef TEARLINE_FLOOR_H
#define TEARLINE_FLOOR_H

#include "table.h"

static inline void floor_clear(struct table *t, unsigned part, unsigned parts)
{
}

static inline void floor_walk(struct table *t, table_walk_fn *fn, void *arg)
{
}

static inline void floor_clear_live(struct table *t, struct worker *w)
{
}

static inline unsigned floor_find(struct table *t, struct worker *w, uint64_t key,
				  uint64_t word[][MAX_ENTRY_WORDS])
{
	return 0;
}

static void floor_probe_one(struct table *t, struct worker *w, const struct trace_op *op,
			    struct table_answer *a)
{
	*a = (struct table_answer){ .hit = false };
	w->n[t->kind].probes++;
}

static void floor_store_one(struct table *t, struct worker *w, const struct trace_op *op,
			    const uint64_t *word)
{
	w->n[t->kind].stores++;
	w->n[t->kind].drops++;
}

static void floor_prefetch_one(const struct table *t, uint64_t key)
{
}

static inline void floor_rest(struct table *t, struct worker *w)
{
}

/* For a program that only uses tables they are what one of size 0 is: everything is a miss. */
#define FLOOR_OPS_ONE                                                \
	{                                                            \
		floor_probe_one, floor_store_one, floor_prefetch_one \
	}
static const struct table_ops floor_ops[NR_KINDS] = { FLOOR_OPS_ONE, FLOOR_OPS_ONE,
						      FLOOR_OPS_ONE, FLOOR_OPS_ONE };

/* The fields of a class that all floors share. */
#define FLOOR_CLASS                                                   \
	.probe_progress = "wait-free", .store_progress = "wait-free", \
	.promises = PROMISE_NO_TEAR, .sig_bits = 64, .floor = true,   \
	.kinds = 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV

#endif
