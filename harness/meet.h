/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meet - a barrier that spins a little and then yields
 *
 * Threads leave it within nanoseconds of each other when each has a core, which an
 * epoch of a few milliseconds needs, and it goes on working with more threads than cores.
 *
 * Ordering: [meet.A] an arrival's acq_rel add -> the last arrival's add; [meet.R] its
 * release of the new round -> [meet.W] the acquire in the others' wait. So everything
 * before a meeting happens before everything after it, on all threads.
 */
#ifndef TEARLINE_MEET_H
#define TEARLINE_MEET_H

#include <sched.h>
#include "atomic.h"

struct meet {
	_Atomic uint32_t arrived __attribute__((aligned(128)));
	_Atomic uint32_t round __attribute__((aligned(128)));
	uint32_t parties;
};

#define MEET_SPINS 4096

static inline void meet_all(struct meet *m)
{
	uint32_t round = READ_ONCE32(&m->round);

	/* [meet.A] pairs with the last arrival's same add */
	if (atomic_fetch_add_explicit(&m->arrived, 1, memory_order_acq_rel) + 1 == m->parties) {
		WRITE_ONCE32(&m->arrived, 0);
		/* [meet.R] pairs with [meet.W] */
		smp_store_release(&m->round, round + 1);
		return;
	}
	/* [meet.W] pairs with [meet.R] */
	for (unsigned spins = 0; smp_load_acquire(&m->round) == round; spins++) {
		if (spins < MEET_SPINS)
			cpu_relax();
		else
			sched_yield();
	}
}

#endif
