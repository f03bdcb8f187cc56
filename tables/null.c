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

#define null_prefetch floor_prefetch
#define null_probe floor_probe
#define null_store floor_store
#define null_find floor_find
#define null_walk floor_walk
#define null_clear_live floor_clear_live
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
