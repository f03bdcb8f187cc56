/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One kind of spinlock: include with LOCK, LOCK_ACQUIRE and LOCK_RELEASE defined; leaves
 * spinlock_<LOCK>_loops.
 */
#undef TABLE
#undef LINE_EXCLUSION
#define SPINLOCK__(kind) spinlock_##kind
#define SPINLOCK_(kind) SPINLOCK__(kind)
#define TABLE SPINLOCK_(LOCK)
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_PLAIN

#include "template.h"

static __always_inline void T(begin_write)(struct table *t, struct worker *w, atomic_word *line,
					   uint64_t index)
{
	struct lock_node *node __attribute__((unused)) = w->priv[t->kind];

	/* [spin.A] pairs with [spin.R] */
	LOCK_ACQUIRE(line_guard(t, index), node);
	tsan_acquired(line_guard(t, index));
}

static __always_inline void T(end_write)(struct table *t, struct worker *w, atomic_word *line,
					 uint64_t index)
{
	struct lock_node *node __attribute__((unused)) = w->priv[t->kind];

	tsan_releasing(line_guard(t, index));
	/* [spin.R] pairs with [spin.A] */
	LOCK_RELEASE(line_guard(t, index), node);
}

#include "line_table.h"

#undef LINE_PLAIN
#undef LOCK
#undef LOCK_ACQUIRE
#undef LOCK_RELEASE
#undef SPINLOCK_
#undef SPINLOCK__
