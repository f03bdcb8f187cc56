// SPDX-License-Identifier: BSD-2-Clause
/*
 * null - consumes the operations and touches nothing: the harness's own floor
 *
 * Same loops and same dispatch on the operation as every table, so what it costs is
 * what every other figure contains. Also what stands in for a table of size 0: every
 * probe misses, every store is dropped.
 */
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

static void null_walk(struct table *t, table_walk_fn *fn, void *arg)
{
}

static bool null_find(struct table *t, struct worker *w, uint64_t key, uint64_t *word)
{
	return false;
}

#include "replay.h"

static int null_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &null_loops;
	return 0;
}

static void null_clear(struct table *t, unsigned part, unsigned parts)
{
}

static struct table_class null_class = {
	.name = "null",
	.summary = "touches nothing: the harness's floor, with the dispatch every table has",
	.reference = "fio's null engine",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.promises = PROMISE_NO_TEAR,
	.kinds = 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV,
	.sig_bits = 64,
	.floor = true,
	.create = null_create,
	.clear = null_clear,
};
TABLE_REGISTER(null);
