// SPDX-License-Identifier: BSD-2-Clause
/*
 * crash - a table that crashes after so many stores, or before any: what must name it
 *
 * In no build of tearline: only in the program that tests the torture.
 */
#include <stdlib.h>

#include "line.h"

#define TABLE crash
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_PLAIN

#include "template.h"

static _Atomic uint64_t stores;

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	if (fetch_add_relaxed(&stores, 1) == 1000)
		__builtin_trap();
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
}

#include "line_table.h"

static int crash_create(struct table *t, const struct table_params *p, struct err *e)
{
	if (p->size.entries == 1)
		abort();
	t->loops = &crash_loops;
	return line_create(t, p, e);
}

static struct table_class crash_class = {
	.name = "crash",
	.summary = "crashes after a thousand stores, and where it is to have one entry",
	.reference = "none",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.broken = true,
	LINE_CLASS,
	.options = { LINE_OPTIONS },
	.create = crash_create,
};
TABLE_REGISTER(crash);
