// SPDX-License-Identifier: BSD-2-Clause
/*
 * rwlock - probes share a lock that covers the line, stores have it alone
 *
 * lock=     reader-writer locks of Concurrency Kit:
 *             rwlock    a count of readers and a writer's flag; writers go first
 *             brlock    "big reader": each thread has a count of its own for each lock, and
 *                       a writer looks at all of them
 *             bytelock  likewise, a byte of the lock for each of the first 56 threads; the
 *                       others share a count
 *             pflock    phase-fair: readers and writers take turns, writers in order
 *             tflock    task-fair: all in the order in which they came
 *             swlock    for a single writer: it has a spinlock (fas) beside it for whoever
 *                       wants to be that
 * stripes=  see stripes.h
 *
 * To share is not to leave alone: a reader writes the lock twice, and what two readers pass
 * to and fro is the cache line with the count (brlock's is not shared, and takes a full
 * fence instead). A refresh is a write, so that refresh=always makes every hit of tt a
 * writer: it takes the write side after the read section, if the slot still holds what
 * was read.
 *
 * A probe compiles to unsync's between two locked instructions on x86-64: lock inc and dec
 * (rwlock), xadd twice (pflock), cmpxchg twice (tflock), xadd and dec (swlock); brlock and
 * bytelock, whose count is the thread's own, drop it by a plain store after an xchg.
 *
 * Not here: ck_rwcohort. It is a way to have rwlock's readers wait for writers of one's own
 * NUMA node, which nobody tells a table; and ck 0.7 has no fence between its writer's lock
 * and its look at the readers' count, which is enough on x86 only.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS. Both sides are blocking.
 *
 * Ordering (inside ck):
 *   [rw.RA] read side taken, acquire  <- [rw.WR] write side dropped, release
 *   [rw.WA] write side taken, acquire <- [rw.WR], and [rw.RR] read side dropped, release
 */
#include <ck_brlock.h>
#include <ck_bytelock.h>
#include <ck_pflock.h>
#include <ck_rwlock.h>
#include <ck_spinlock.h>
#include <ck_swlock.h>
#include <ck_tflock.h>

#include "stripes.h"

#define TABLE rwlock_rwlock
#define READ_ACQUIRE(lock, me) ck_rwlock_read_lock(lock)
#define READ_RELEASE(lock, me) ck_rwlock_read_unlock(lock)
#define WRITE_ACQUIRE(lock, me) ck_rwlock_write_lock(lock)
#define WRITE_RELEASE(lock, me) ck_rwlock_write_unlock(lock)
#include "rwlock_variant.h"

/* A thread's block holds its counts, one a lock. */
#define MY_READER(me) ((struct ck_brlock_reader *)(me).own + (me).stripe)
#define TABLE rwlock_brlock
#define READ_ACQUIRE(lock, me) ck_brlock_read_lock(lock, MY_READER(me))
#define READ_RELEASE(lock, me) ck_brlock_read_unlock(MY_READER(me))
#define WRITE_ACQUIRE(lock, me) ck_brlock_write_lock(lock)
#define WRITE_RELEASE(lock, me) ck_brlock_write_unlock(lock)
#include "rwlock_variant.h"

/* Slot 0 means nobody. Slots beyond the bytes are only told apart as writers. */
#define MY_SLOT(me) ((me).thread + 1)
#define TABLE rwlock_bytelock
#define READ_ACQUIRE(lock, me) ck_bytelock_read_lock(lock, MY_SLOT(me))
#define READ_RELEASE(lock, me) ck_bytelock_read_unlock(lock, MY_SLOT(me))
#define WRITE_ACQUIRE(lock, me) ck_bytelock_write_lock(lock, MY_SLOT(me))
#define WRITE_RELEASE(lock, me) ck_bytelock_write_unlock(lock)
#include "rwlock_variant.h"

#define TABLE rwlock_pflock
#define READ_ACQUIRE(lock, me) ck_pflock_read_lock(lock)
#define READ_RELEASE(lock, me) ck_pflock_read_unlock(lock)
#define WRITE_ACQUIRE(lock, me) ck_pflock_write_lock(lock)
#define WRITE_RELEASE(lock, me) ck_pflock_write_unlock(lock)
#include "rwlock_variant.h"

#define TABLE rwlock_tflock
#define READ_ACQUIRE(lock, me) ck_tflock_ticket_read_lock(lock)
#define READ_RELEASE(lock, me) ck_tflock_ticket_read_unlock(lock)
#define WRITE_ACQUIRE(lock, me) ck_tflock_ticket_write_lock(lock)
#define WRITE_RELEASE(lock, me) ck_tflock_ticket_write_unlock(lock)
#include "rwlock_variant.h"

struct swlock {
	struct ck_swlock shared;
	struct ck_spinlock_fas writers;
};

static __always_inline void swlock_write_lock(struct swlock *l)
{
	ck_spinlock_fas_lock(&l->writers);
	ck_swlock_write_lock(&l->shared);
}

static __always_inline void swlock_write_unlock(struct swlock *l)
{
	ck_swlock_write_unlock(&l->shared);
	ck_spinlock_fas_unlock(&l->writers);
}

#define TABLE rwlock_swlock
#define READ_ACQUIRE(lock, me) ck_swlock_read_lock(&((struct swlock *)(lock))->shared)
#define READ_RELEASE(lock, me) ck_swlock_read_unlock(&((struct swlock *)(lock))->shared)
#define WRITE_ACQUIRE(lock, me) swlock_write_lock(lock)
#define WRITE_RELEASE(lock, me) swlock_write_unlock(lock)
#include "rwlock_variant.h"

static void init_brlock(struct table *t, const struct stripes *s)
{
	for (unsigned id = 0; id < s->threads; id++) {
		struct ck_brlock_reader *reader = thread_block(s, id);

		for (uint64_t i = 0; i < s->nr; i++)
			ck_brlock_read_register(line_guard(t, i), &reader[i]);
	}
}

/* A zeroed lock is a free one. */
static const struct lock_kind kinds[] = {
	LOCK_KIND(rwlock, rwlock, struct ck_rwlock),
	LOCK_KIND(rwlock, brlock, struct ck_brlock,
		  .thread_stripe = sizeof(struct ck_brlock_reader), .init = init_brlock),
	LOCK_KIND(rwlock, bytelock, struct ck_bytelock),
	LOCK_KIND(rwlock, pflock, struct ck_pflock),
	LOCK_KIND(rwlock, tflock, struct ck_tflock_ticket),
	LOCK_KIND(rwlock, swlock, struct swlock),
};
#define LOCK_CHOICES "rwlock|brlock|bytelock|pflock|tflock|swlock"

static int rwlock_create(struct table *t, const struct table_params *p, struct err *e)
{
	return stripes_create(t, p, kinds, ARRAY_SIZE(kinds), e);
}

static struct table_class rwlock_class = {
	.name = "rwlock",
	.summary = "a reader-writer lock per stripe of lines: probes share it, stores do not",
	.reference = "Concurrency Kit's reader-writer locks; Brandenburg and Anderson 2010 "
		     "(pflock), Dice and Shavit 2010 (bytelock)",
	.probe_writes = "a lock's count of readers",
	STRIPES_CLASS,
	.options = { [STRIPES_LOCK] = { "lock", LOCK_CHOICES, "rwlock", "kind of lock" },
		     [STRIPES_NR] = STRIPES_OPTION,
		     LINE_OPTIONS },
	.create = rwlock_create,
};
TABLE_REGISTER(rwlock);
