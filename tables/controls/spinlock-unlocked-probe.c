// SPDX-License-Identifier: BSD-2-Clause
/*
 * spinlock-unlocked-probe - broken on purpose: stores hold a lock, probes do not
 *
 * A lock that only one side takes excludes only that side: a probe may copy the line
 * while a store is in the middle of it. A refresh is a store here and takes the lock.
 */
#include <ck_spinlock.h>

#include "spinlock.h"

#define TABLE spinlock_unlocked_probe
#define LINE_EXCLUSION LINE_SEQUENCE
#define LINE_PLAIN

static __always_inline unsigned
spinlock_unlocked_probe_begin_read(const enum kind kind, struct table *t, struct worker *w,
				   atomic_word *line, uint64_t index)
{
	return 0;
}

static __always_inline bool spinlock_unlocked_probe_end_read(const enum kind kind,
							     struct table *t, struct worker *w,
							     atomic_word *line, uint64_t index,
							     unsigned cookie)
{
	return true;
}

static __always_inline void
spinlock_unlocked_probe_begin_write(const enum kind kind, struct table *t, struct worker *w,
				    atomic_word *line, uint64_t index)
{
	/* [bare.A] acquire, pairs with [bare.R]; nothing in a probe pairs with either */
	ck_spinlock_fas_lock(line_guard(t, index));
	tsan_acquired(line_guard(t, index));
}

static __always_inline void spinlock_unlocked_probe_end_write(const enum kind kind,
							      struct table *t, struct worker *w,
							      atomic_word *line, uint64_t index)
{
	tsan_releasing(line_guard(t, index));
	/* [bare.R] release, pairs with [bare.A] */
	ck_spinlock_fas_unlock(line_guard(t, index));
}

#include "line_table.h"

static int spinlock_unlocked_probe_create(struct table *t, const struct table_params *p,
					  struct err *e)
{
	int ret = spinlock_create(t, p, e);

	t->loops = &spinlock_unlocked_probe_loops;
	return ret;
}

static const struct control spinlock_unlocked_probe_control = {
	.workload = "wide:lines=1",
	.threads = 2,
	.shows = 1u << FAULT_TORN,
	.planted = "probes take no lock",
};

static struct table_class spinlock_unlocked_probe_class = {
	.name = "spinlock-unlocked-probe",
	.summary = "spinlock, but only stores hold the lock",
	.reference = "-",
	.probe_progress = "wait-free",
	.store_progress = "blocking",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS_AS(LINE_KINDS, 64, STRIPES_MEMORY),
	.broken = true,
	.control = &spinlock_unlocked_probe_control,
	.options = { [STRIPES_LOCK] = { "lock", "fas", "fas", "kind of lock" },
		     [STRIPES_NR] = STRIPES_OPTION,
		     LINE_OPTIONS },
	.create = spinlock_unlocked_probe_create,
	.destroy = stripes_destroy,
	.thread_enter = stripes_thread_enter,
};
TABLE_REGISTER(spinlock_unlocked_probe);
