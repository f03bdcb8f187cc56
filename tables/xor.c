// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor - lockless hashing as xor.h has it: no lock, no fence, no retry
 *
 * What a probe compiles to on x86-64 (gcc 12), beside finding the line: for each slot two mov
 * to registers, xor, cmp with the key and a branch; and a store, beside looking at the slots, to
 * mov, xor, mov.
 *
 * Promises: PROMISE_NO_TEAR for PROMISE_HONEST_KEYS; not NO_FALSE_MISS.
 */
#include "xor.h"

#define TABLE xor
#define LINE_EXCLUSION LINE_FREE

#include "line_table.h"

static int xor_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor_loops;
	return line_create(t, p, e);
}

static struct table_class xor_class = {
	.name = "xor",
	.summary = "lockless: signature = key ^ data; a torn entry verifies for nobody",
	.reference = "Hyatt and Mann 2002",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NO_TEAR | PROMISE_HONEST_KEYS,
	LINE_CLASS,
	.options = { LINE_OPTIONS },
	.create = xor_create,
};
TABLE_REGISTER(xor);
