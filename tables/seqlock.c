// SPDX-License-Identifier: BSD-2-Clause
/*
 * seqlock - the plain layout, read and written as seqlock.h has it
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS. Readers are not wait-free: a writer
 * preempted in its section holds up every reader of the line.
 */
#include "seqlock.h"

#define TABLE seqlock
#define LINE_EXCLUSION LINE_SEQUENCE
#define LINE_PLAIN

#include "line_table.h"

int seqlock_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &seqlock_loops;
	if (line_create(t, p, e))
		return -1;
	/* A zeroed guard is free and even. */
	if (line_create_side(t, p, t->lines * sizeof(struct seqlock_guard), e))
		return -1;
	t->guard = t->side.base;
	t->guard_mask = t->lines - 1;
	t->guard_shift = (unsigned)__builtin_ctz(sizeof(struct seqlock_guard));
	return 0;
}

static struct table_class seqlock_class = {
	.name = "seqlock",
	.summary =
		"a sequence counter and a writer lock per line, in an array beside the lines",
	.reference = "Linux seqlock.h; Boehm 2012; ck_sequence",
	.probe_progress = "blocking (retries while a writer is inside)",
	.store_progress = "blocking",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	LINE_CLASS,
	.options = { LINE_OPTIONS },
	.create = seqlock_create,
};
TABLE_REGISTER(seqlock);
