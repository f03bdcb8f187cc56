/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seqlock_c11 - sequence counters in C11 atomics and fences alone
 *
 * The word that is the counter is the writers' lock too: odd is locked, and whoever makes
 * it odd by a compare-and-swap has it. Boehm's "Can seqlocks get along with programming
 * language memory models?", MSPC 2012, with fences on the reader's side as it recommends.
 *
 * Ordering:
 *   [c11.W1] release fence after odd       -> [c11.R2] acquire fence before the second look:
 *                                             who read a word of this write sees odd or moved
 *   [c11.W2] release store of even         -> [c11.R1] acquire load: sees the whole line
 *                                          -> [c11.L] acquire compare-and-swap of the next
 *                                             writer
 * On x86-64 all of these are plain moves, the compare-and-swap apart, and the fences
 * keep nobody but the compiler from moving things; aarch64 has a DMB for each fence.
 */
#ifndef TEARLINE_SEQLOCK_C11_H
#define TEARLINE_SEQLOCK_C11_H

#include "atomic.h"

static __always_inline unsigned seqlock_c11_begin_read(void *guard)
{
	atomic_word *g = guard;
	uint64_t count;

	/* [c11.R1] acquire, pairs with [c11.W2] */
	while (__builtin_expect((count = smp_load_acquire(g)) & 1, false))
		cpu_relax();
	return (unsigned)count;
}

/* The low half will do: in a read nobody writes 2^31 times. */
static __always_inline bool seqlock_c11_end_read(void *guard, unsigned cookie)
{
	atomic_word *g = guard;

	smp_acquire_fence(); /* [c11.R2] pairs with [c11.W1] */
	return (unsigned)READ_ONCE64(g) == cookie;
}

static __always_inline void seqlock_c11_begin_write(void *guard)
{
	atomic_word *g = guard;
	uint64_t count;

	/* [c11.L] acquire, pairs with [c11.W2] */
	while ((count = READ_ONCE64(g)) & 1 || !cmpxchg64_acquire(g, count, count + 1))
		cpu_relax();
	smp_release_fence(); /* [c11.W1] pairs with [c11.R2] */
}

static __always_inline void seqlock_c11_end_write(void *guard)
{
	atomic_word *g = guard;

	/* [c11.W2] release, pairs with [c11.R1], [c11.L]. Nobody else writes an odd count. */
	smp_store_release(g, READ_ONCE64(g) + 1);
}

#endif
