/* SPDX-License-Identifier: BSD-2-Clause */
/* floor - what tables that store nothing share: there is nothing to clear, walk or find */
#ifndef TEARLINE_FLOOR_H
#define TEARLINE_FLOOR_H

#include "table.h"
#include "template.h"

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

/* Every probe misses, every store is dropped. */
static __always_inline void floor_prefetch(const enum kind kind, const struct table *t,
					   uint64_t key)
{
}

static __always_inline struct answer floor_probe(const enum kind kind, struct table *t,
						 struct worker *w, const struct trace_op *op,
						 uint64_t key, struct counts *n,
						 const bool audit, struct table_answer *whole)
{
	keep(key);
	return (struct answer){ .hit = false };
}

static __always_inline void floor_store(const enum kind kind, struct table *t, struct worker *w,
					const struct trace_op *op, const uint64_t *own,
					uint64_t key, struct counts *n, const bool audit)
{
	keep(key);
	n->drops++;
}

/* The fields of a class that all floors share. */
#define FLOOR_CLASS                                                   \
	.probe_progress = "wait-free", .store_progress = "wait-free", \
	.promises = PROMISE_NO_TEAR, .sig_bits = 64, .floor = true,   \
	.kinds = 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV

#endif
