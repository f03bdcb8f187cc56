/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One kind of lock in stripes that excludes everybody. Include with TABLE,
 * LOCK_ACQUIRE(lock, own) and LOCK_RELEASE(lock, own) defined, where own is what the thread
 * brings along (stripes.h); leaves <TABLE>_loops.
 */
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_PLAIN
#define LINE_GUARD_AHEAD

#include "template.h"

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	void *own __attribute__((unused)) = w->priv[t->kind];

	/* [lock.A] acquire, pairs with [lock.R] */
	LOCK_ACQUIRE(line_guard(t, index), own);
	tsan_acquired(line_guard(t, index));
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	void *own __attribute__((unused)) = w->priv[t->kind];

	tsan_releasing(line_guard(t, index));
	/* [lock.R] release, pairs with [lock.A] */
	LOCK_RELEASE(line_guard(t, index), own);
}

#include "line_table.h"

#undef TABLE
#undef LINE_EXCLUSION
#undef LINE_PLAIN
#undef LINE_GUARD_AHEAD
#undef LOCK_ACQUIRE
#undef LOCK_RELEASE
