// SPDX-License-Identifier: BSD-2-Clause
/*
 * pthread - the C library's locks in stripes: what everybody has, for reference
 *
 * lock=     mutex (who waits long enough sleeps in the kernel), spin (nobody sleeps), or
 *           rwlock (probes share, as in rwlock.c; glibc's lets readers go first)
 * stripes=  see stripes.h
 *
 * Probes and stores call the library, uncontended too: that call, and not a system call, is
 * what they cost beside the same locks of spinlock and rwlock.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS. Blocking.
 *
 * Ordering: POSIX has locks synchronise memory; [lock.A] to [lock.R] and [rw.RA] to [rw.WR]
 * as in the variants' headers, inside the library.
 */
#include <pthread.h>

#include "stripes.h"

#define TABLE pthreads_mutex
#define LOCK_ACQUIRE(lock, own) pthread_mutex_lock(lock)
#define LOCK_RELEASE(lock, own) pthread_mutex_unlock(lock)
#include "lock_variant.h"

#define TABLE pthreads_spin
#define LOCK_ACQUIRE(lock, own) pthread_spin_lock(lock)
#define LOCK_RELEASE(lock, own) pthread_spin_unlock(lock)
#include "lock_variant.h"

#define TABLE pthreads_rwlock
#define READ_ACQUIRE(lock, me) pthread_rwlock_rdlock(lock)
#define READ_RELEASE(lock, me) pthread_rwlock_unlock(lock)
#define WRITE_ACQUIRE(lock, me) pthread_rwlock_wrlock(lock)
#define WRITE_RELEASE(lock, me) pthread_rwlock_unlock(lock)
#include "rwlock_variant.h"

/* None of these allocates: the locks go with the memory they stand in. */
static void init_mutex(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		pthread_mutex_init(line_guard(t, i), NULL);
}

static void init_spin(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		pthread_spin_init(line_guard(t, i), PTHREAD_PROCESS_PRIVATE);
}

static void init_rwlock(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		pthread_rwlock_init(line_guard(t, i), NULL);
}

static const struct lock_kind kinds[] = {
	LOCK_KIND(pthreads, mutex, pthread_mutex_t, .init = init_mutex),
	LOCK_KIND(pthreads, rwlock, pthread_rwlock_t, .init = init_rwlock),
	LOCK_KIND(pthreads, spin, pthread_spinlock_t, .init = init_spin),
};

static int pthreads_create(struct table *t, const struct table_params *p, struct err *e)
{
	return stripes_create(t, p, kinds, ARRAY_SIZE(kinds), e);
}

static struct table_class pthreads_class = {
	.name = "pthread",
	.summary = "a mutex, rwlock or spinlock of the C library per stripe of lines",
	.reference = "POSIX threads",
	.probe_writes = "a lock",
	STRIPES_CLASS,
	.options = { [STRIPES_LOCK] = { "lock", "mutex|rwlock|spin", "mutex", "kind of lock" },
		     [STRIPES_NR] = STRIPES_OPTION,
		     LINE_OPTIONS },
	.create = pthreads_create,
};
TABLE_REGISTER(pthreads);
