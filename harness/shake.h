/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shake - threads that are stopped at any instruction
 *
 * Many faults take a thread that is preempted at one wrong place, which in a short run hardly
 * happens. So each thread has a timer of its own that interrupts it some thousand times a
 * second, wherever it is, and lets it sleep for up to 0.2 ms: what a loaded machine does to it,
 * concentrated. Only between a start and a stop, so that no meeting is drawn out.
 */
#ifndef TEARLINE_SHAKE_H
#define TEARLINE_SHAKE_H

#include <time.h>

#include "atomic.h"
#include "util.h"

/* Of one thread. */
struct shake {
	timer_t timer;
	bool open;
	uint64_t random;
	_Atomic uint32_t on; /* between start and stop */
	_Atomic uint32_t inside; /* at operations: written by the thread, read by its handler */
	atomic_word stops; /* inside */
};

/* By the thread itself. 0 or -1. */
int shake_open(struct shake *s, uint64_t seed, struct err *e);
void shake_close(struct shake *s);
void shake_start(struct shake *s);
void shake_stop(struct shake *s);

/* Around operations. The handler is of this thread: it is enough that the compiler keeps it. */
static inline void shake_inside(struct shake *s, bool inside)
{
	atomic_signal_fence(memory_order_seq_cst);
	WRITE_ONCE32(&s->inside, inside);
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
