// SPDX-License-Identifier: BSD-2-Clause
/*
 * null - consumes the operations and touches nothing: the harness's own floor
 *
 * Same loops and same dispatch on the operation as every table, so what it costs is
 * what every other figure contains. Also what stands in for a table of size 0: every
 * probe misses, every store is dropped.
 */
#include "floor.h"
#include "template.h"

#define TABLE null

static __always_inline void null_prefetch(const enum kind kind, const struct table *t,
					  uint64_t key)
{
}

static __always_inline struct answer null_probe(const enum kind kind, struct table *t,
						struct worker *w, const struct trace_op *op,
						uint64_t key, struct counts *n,
						const bool audit)
{
	keep(key);
	return (struct answer){ .hit = false };
}

static __always_inline void null_store(const enum kind kind, struct table *t, struct worker *w,
				       const struct trace_op *op, uint64_t key,
				       struct counts *n, const bool audit)
{
	keep(key);
	n->drops++;
}

#define null_find floor_find
#define null_walk floor_walk
#define null_clear_live floor_clear_live
#define REPLAY_OPS floor_ops
#include "replay.h"

static int null_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &null_loops;
	return 0;
}

static struct table_class null_class = {
	.name = "null",
	.summary = "touches nothing: the harness's floor, with the dispatch every table has",
	.reference = "fio's null engine",
	FLOOR_CLASS,
	.create = null_create,
	.clear = floor_clear,
};
TABLE_REGISTER(null);
