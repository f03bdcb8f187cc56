// SPDX-License-Identifier: BSD-2-Clause
/*
 * stream - reads the operations and does not even dispatch: the floor below `null`
 *
 * One loop for every kind and caller: it sums the keys. The difference to `null` is the
 * price of one unpredictable branch on the operation.
 */
#include "floor.h"
#include "template.h"

#define TABLE stream

static void stream_replay(struct table *const *by_kind, struct worker *w,
			  const struct trace_op *op, size_t nr)
{
	uint64_t acc = w->sink;

	for (const struct trace_op *end = op + nr; op < end; op++) {
		acc += op->key;
		keep(acc);
	}
	w->sink = acc;
}

static void stream_rest(struct table *t, struct worker *w)
{
}

/* One operation at a time there is nothing to leave out: as null. */
#define stream_prefetch floor_prefetch
#define stream_probe floor_probe
#define stream_store floor_store
#include "single.h"

#define STREAM_CALLERS                                      \
	{                                                   \
		stream_replay, stream_replay, stream_replay \
	}
static const struct table_loops stream_loops = {
	.run = { STREAM_CALLERS, STREAM_CALLERS, STREAM_CALLERS, STREAM_CALLERS,
		 STREAM_CALLERS },
	.audit = { stream_replay, stream_replay, stream_replay, stream_replay, stream_replay },
	.find = floor_find,
	.walk = floor_walk,
	.clear_live = floor_clear_live,
	.ops = stream_ops_by_kind,
	.online = stream_rest,
	.offline = stream_rest,
};

static int stream_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &stream_loops;
	return 0;
}

static struct table_class stream_class = {
	.name = "stream",
	.summary = "reads the operations without dispatch: the floor below null",
	.reference = "STREAM (McCalpin)",
	FLOOR_CLASS,
	.create = stream_create,
	.clear = floor_clear,
};
TABLE_REGISTER(stream);
