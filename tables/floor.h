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

/* The fields of a class that all floors share. */
#define FLOOR_CLASS                                                   \
	.probe_progress = "wait-free", .store_progress = "wait-free", \
	.promises = PROMISE_NO_TEAR, .sig_bits = 64, .floor = true,   \
	.kinds = 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV

#endif
