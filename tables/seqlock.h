/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seqlock - sequence counters on Concurrency Kit, and where tables keep theirs
 *
 * A writer makes the counter odd, writes, makes it even; a reader copies and retries if
 * the counter was odd or has moved. ck_sequence wants one writer at a time, so each
 * counter has a lock beside it. After Linux' seqlock.h and Boehm, "Can seqlocks get
 * along with programming language memory models?", MSPC 2012: the words between are
 * relaxed atomics, so a reader that will retry has raced by no standard.
 *
 * Ordering (the fences are ck_sequence's; acquire and release of the lock are ck's):
 *   [seq.W1] odd, then a store fence    -> [seq.R2] sees odd or moved
 *   [seq.W2] a store fence, then even   -> [seq.R1] sees the whole line
 *   [seq.L1] lock acquire               <- [seq.L2] lock release by the writer before
 */
#ifndef TEARLINE_SEQLOCK_H
#define TEARLINE_SEQLOCK_H

#include <ck_sequence.h>
#include <ck_spinlock.h>

#include "line.h"

/* A counter's place, in the line or beside it: a word, whoever implements it. */
#define SEQLOCK_BYTES 8u

struct seqlock_ck {
	struct ck_sequence seq;
	struct ck_spinlock_fas lock;
};
_Static_assert(sizeof(struct seqlock_ck) == SEQLOCK_BYTES, "fills a counter's place");

static __always_inline unsigned seqlock_ck_begin_read(void *guard)
{
	struct seqlock_ck *g = guard;

	/* [seq.R1] even count, then a load fence; pairs with [seq.W2] */
	return ck_sequence_read_begin(&g->seq);
}

static __always_inline bool seqlock_ck_end_read(void *guard, unsigned cookie)
{
	struct seqlock_ck *g = guard;

	/* [seq.R2] a load fence before the second look; pairs with [seq.W1] */
	return !ck_sequence_read_retry(&g->seq, cookie);
}

/* One writer at a time. */
static __always_inline void seqlock_ck_lock(struct seqlock_ck *g)
{
	/* [seq.L1] acquire; pairs with [seq.L2] */
	ck_spinlock_fas_lock(&g->lock);
	tsan_acquired(&g->lock);
}

static __always_inline void seqlock_ck_unlock(struct seqlock_ck *g)
{
	tsan_releasing(&g->lock);
	/* [seq.L2] release; pairs with [seq.L1] */
	ck_spinlock_fas_unlock(&g->lock);
}

static __always_inline void seqlock_ck_begin_write(void *guard)
{
	struct seqlock_ck *g = guard;

	seqlock_ck_lock(g);
	/* [seq.W1] odd before any word; pairs with [seq.R2] */
	ck_sequence_write_begin(&g->seq);
}

static __always_inline void seqlock_ck_end_write(void *guard)
{
	struct seqlock_ck *g = guard;

	/* [seq.W2] even after every word; pairs with [seq.R1] */
	ck_sequence_write_end(&g->seq);
	seqlock_ck_unlock(g);
}

/*
 * Lines, with so many counters beside them: 1, or t->lines, which is what 0 means. t->loops
 * is set. 0 or -1.
 */
int seqlock_create_beside(struct table *t, const struct table_params *p, uint64_t counters,
			  struct err *e);

#endif
