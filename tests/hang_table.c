// SPDX-License-Identifier: BSD-2-Clause
/*
 * hang - a table whose lock is not always dropped: what a watchdog is for
 *
 * In no build of tearline: only in the program that tests the torture.
 */
#include "line.h"

#define TABLE hang
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_PLAIN

#include "template.h"

/* A thread forgets to unlock once it has stored so often. */
#define FORGETS 1000u

static _Atomic uint64_t locked;

/* Out of line and not static, so that the stack of who waits has its name. */
void hang_wait_for_lock(void);
void __attribute__((noinline)) hang_wait_for_lock(void)
{
	/* [hang.A] acquire, pairs with [hang.R] */
	while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
		cpu_relax();
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	hang_wait_for_lock();
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	if (w->serial == FORGETS)
		return;
	/* [hang.R] release, pairs with [hang.A] */
	smp_store_release(&locked, 0);
}

#include "line_table.h"

static int hang_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &hang_loops;
	return line_create(t, p, e);
}

static struct table_class hang_class = {
	.name = "hang",
	.summary = "a lock that is not always dropped",
	.reference = "none",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.broken = true,
	LINE_CLASS,
	.options = { LINE_OPTIONS },
	.create = hang_create,
};
TABLE_REGISTER(hang);
