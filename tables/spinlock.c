// SPDX-License-Identifier: BSD-2-Clause
/*
 * spinlock - probes and stores hold a lock that covers the line
 *
 * lock=     every spinlock of Concurrency Kit; each has its own stamped loops, so that
 *           no operation goes through a pointer to reach it
 * stripes=  see stripes.h. 256 is what the historical engine (Typhoon) had.
 *
 * A probe compiles to unsync's between, on x86-64, one locked instruction (xchg for fas, mcs
 * and clh, two of them for hclh, lock xadd for ticket and anderson, lock dec, lock cmpxchg for
 * cas) and a plain store; ticket lets go with a lock inc, mcs with a lock cmpxchg if nobody
 * waits.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS: a whole operation on a line excludes
 * every other. Both are blocking: a preempted holder stops all who want its stripe; FIFO
 * locks (ticket and the queues) stop them longest when there are more threads than CPUs.
 *
 * Ordering (inside ck): [lock.A] acquire in lock -> [lock.R] release in unlock by the
 * holder before.
 */
#include <ck_spinlock.h>

#include "spinlock.h"

/* A node of a queue lock, alone on its cache line: others spin on it. */
union queue_node {
	struct ck_spinlock_clh clh;
	struct ck_spinlock_hclh hclh;
	char pad[CACHE_LINE];
};

/* What a thread brings along to a lock; each kind uses its own member. */
struct lock_node {
	union {
		struct ck_spinlock_mcs mcs;
		struct ck_spinlock_clh *clh;
		struct ck_spinlock_hclh *hclh;
		struct ck_spinlock_anderson_thread *anderson;
	};
	/* Where it begins; queue locks hand nodes round between threads. */
	union queue_node first __attribute__((aligned(CACHE_LINE)));
};

static __always_inline struct lock_node *node_of(void *own)
{
	return own;
}

struct hclh_lock {
	struct ck_spinlock_hclh *global, *local;
};

#define TABLE spinlock_cas
#define LOCK_ACQUIRE(lock, own) ck_spinlock_cas_lock(lock)
#define LOCK_RELEASE(lock, own) ck_spinlock_cas_unlock(lock)
#include "lock_variant.h"

#define TABLE spinlock_fas
#define LOCK_ACQUIRE(lock, own) ck_spinlock_fas_lock(lock)
#define LOCK_RELEASE(lock, own) ck_spinlock_fas_unlock(lock)
#include "lock_variant.h"

#define TABLE spinlock_dec
#define LOCK_ACQUIRE(lock, own) ck_spinlock_dec_lock(lock)
#define LOCK_RELEASE(lock, own) ck_spinlock_dec_unlock(lock)
#include "lock_variant.h"

#define TABLE spinlock_ticket
#define LOCK_ACQUIRE(lock, own) ck_spinlock_ticket_lock(lock)
#define LOCK_RELEASE(lock, own) ck_spinlock_ticket_unlock(lock)
#include "lock_variant.h"

#define TABLE spinlock_mcs
#define LOCK_ACQUIRE(lock, own) ck_spinlock_mcs_lock(lock, &node_of(own)->mcs)
#define LOCK_RELEASE(lock, own) ck_spinlock_mcs_unlock(lock, &node_of(own)->mcs)
#include "lock_variant.h"

#define TABLE spinlock_clh
#define LOCK_ACQUIRE(lock, own) ck_spinlock_clh_lock(lock, node_of(own)->clh)
#define LOCK_RELEASE(lock, own) ck_spinlock_clh_unlock(&node_of(own)->clh)
#include "lock_variant.h"

#define TABLE spinlock_anderson
#define LOCK_ACQUIRE(lock, own) ck_spinlock_anderson_lock(lock, &node_of(own)->anderson)
#define LOCK_RELEASE(lock, own) ck_spinlock_anderson_unlock(lock, node_of(own)->anderson)
#include "lock_variant.h"

#define TABLE spinlock_hclh
#define LOCK_ACQUIRE(lock, own)                                      \
	ck_spinlock_hclh_lock(&((struct hclh_lock *)(lock))->global, \
			      &((struct hclh_lock *)(lock))->local, node_of(own)->hclh)
#define LOCK_RELEASE(lock, own) ck_spinlock_hclh_unlock(&node_of(own)->hclh)
#include "lock_variant.h"

static void init_dec(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		ck_spinlock_dec_init(line_guard(t, i));
}

static void init_clh(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++) {
		union queue_node *node = stripe_block(s, i);

		ck_spinlock_clh_init(line_guard(t, i), &node->clh);
	}
	for (unsigned i = 0; i < s->threads; i++) {
		struct lock_node *own = thread_block(s, i);

		own->clh = &own->first.clh;
	}
}

static void init_hclh(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++) {
		struct hclh_lock *lock = line_guard(t, i);
		union queue_node *node = stripe_block(s, i);

		/* One cluster: nothing says here which threads share a cache. */
		ck_spinlock_hclh_init(&lock->global, &node[0].hclh, 1);
		ck_spinlock_hclh_init(&lock->local, &node[1].hclh, 1);
	}
	for (unsigned i = 0; i < s->threads; i++) {
		struct lock_node *own = thread_block(s, i);

		own->hclh = &own->first.hclh;
	}
}

static void init_anderson(struct table *t, const struct stripes *s)
{
	for (uint64_t i = 0; i < s->nr; i++)
		ck_spinlock_anderson_init(line_guard(t, i), stripe_block(s, i),
					  stripes_threads_pow2(s->threads));
}

#define NODE .thread = sizeof(struct lock_node)

static const struct lock_kind kinds[] = {
	LOCK_KIND(spinlock, cas, struct ck_spinlock_cas),
	LOCK_KIND(spinlock, fas, struct ck_spinlock_fas),
	LOCK_KIND(spinlock, dec, struct ck_spinlock_dec, .init = init_dec),
	LOCK_KIND(spinlock, ticket, struct ck_spinlock_ticket),
	LOCK_KIND(spinlock, mcs, struct ck_spinlock_mcs *, NODE),
	LOCK_KIND(spinlock, clh, struct ck_spinlock_clh *, NODE,
		  .stripe = sizeof(union queue_node), .init = init_clh),
	LOCK_KIND(spinlock, anderson, struct ck_spinlock_anderson, NODE,
		  .stripe_thread = sizeof(struct ck_spinlock_anderson_thread),
		  .init = init_anderson),
	LOCK_KIND(spinlock, hclh, struct hclh_lock, NODE,
		  .stripe = 2 * sizeof(union queue_node), .init = init_hclh),
};
#define LOCK_CHOICES "cas|fas|dec|ticket|mcs|clh|anderson|hclh"

int spinlock_create(struct table *t, const struct table_params *p, struct err *e)
{
	return stripes_create(t, p, kinds, ARRAY_SIZE(kinds), e);
}

static struct table_class spinlock_class = {
	.name = "spinlock",
	.summary = "a lock per stripe of lines, held by probes and stores",
	.reference = "Typhoon (256 stripes); Concurrency Kit's spinlocks",
	.probe_writes = "a lock",
	STRIPES_CLASS,
	.options = { [STRIPES_LOCK] = { "lock", LOCK_CHOICES, "fas", "kind of lock" },
		     [STRIPES_NR] = STRIPES_OPTION,
		     LINE_OPTIONS },
	.create = spinlock_create,
};
TABLE_REGISTER(spinlock);
