// SPDX-License-Identifier: BSD-2-Clause
/*
 * example - a table outside the tree: one small lock per line
 *
 * A thread that finds a line locked looks at the lock until it seems free and only then
 * tries to take it: looking leaves the lock's cache line with all who wait, trying takes it
 * away from them. Reads lock like writes, so nobody sees half an entry and nothing is lost.
 *
 * The policy (what is kept, what a probe answers), the audit and the measured loops come from
 * line_table.h; here is only what encloses the accesses to a line.
 */
#include <sched.h>
#include <stdlib.h>
#include <tearline/line.h>

#define TABLE example
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_PLAIN

#include <tearline/template.h>

struct example {
	bool yields; /* wait=yield */
};

static __always_inline void T(wait)(const struct example *x)
{
	if (x->yields)
		sched_yield();
	else
		cpu_relax();
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	_Atomic uint32_t *lock = line_guard(t, index);

	/* [example.A] acquire, pairs with [example.R] of the holder before */
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		while (READ_ONCE32(lock))
			T(wait)(t->priv);
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	/* [example.R] release, pairs with [example.A] of the next holder */
	smp_store_release((_Atomic uint32_t *)line_guard(t, index), 0);
}

#include <tearline/line_table.h>

static int example_create(struct table *t, const struct table_params *p, struct err *e)
{
	struct example *x;

	t->loops = &example_loops;
	if (line_create(t, p, e) || line_create_side(t, p, t->lines * sizeof(uint32_t), e))
		return -1;
	x = xcalloc(1, sizeof(*x));
	x->yields = !strcmp(p->option[0], "yield");
	t->priv = x;
	t->guard = t->side.base; /* zeroed: all are free */
	t->guard_mask = UINT64_MAX;
	t->guard_shift = 2; /* 4 bytes each */
	return 0;
}

static void example_destroy(struct table *t)
{
	free(t->priv);
}

static struct table_class example_class = {
	.name = "example",
	.summary = "a test-and-test-and-set lock per line, in an array beside the lines",
	.reference = "Rudolph and Segall 1984",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.probe_writes = "the lock",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	LINE_CLASS_AS(LINE_KINDS, 64, "17 bytes; eval 20, pawn 68"),
	.options = { { "wait", "pause|yield", "pause", "what a thread does that waits" },
		     LINE_OPTIONS },
	.create = example_create,
	.destroy = example_destroy,
};
TABLE_REGISTER(example);
