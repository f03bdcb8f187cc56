/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rcu - nodes that can be used again after a grace period of liburcu
 *
 * Each thread of a table has a pool of spare nodes. A store takes one, puts it in the place
 * of another and leaves that other, the retired one, in its stead: a pool holds as many
 * nodes after as before, and nothing is allocated or freed in a measured loop. (So a place
 * is never without a node; an empty one has a node that says so.)
 *
 * The nodes of a pool stand in batches, and these in a ring. A batch of which all nodes have
 * been exchanged goes to the table's reclaimer, a thread that sleeps while there is nothing
 * to do, waits for one grace period for all batches that have come in, and gives them back.
 * By then the pool is at another batch. call_rcu() would do the same for us, if its thread
 * did not sleep for 10 ms between two grace periods: a hundred thousand nodes by then.
 *
 * No operation waits for a grace period. A thread whose next batch is not back yet announces
 * that it holds no node (qsbr) and lets others run for a little; if that does not help, since
 * a reader was preempted amid its section, or sits in the audit, the ring gets another batch,
 * which t->bytes tells when the threads have left.
 */
#ifndef TEARLINE_RCU_H
#define TEARLINE_RCU_H

#include "table.h"

/*
 * liburcu's flavors in one program go by their prefixes. _LGPL_SOURCE makes its headers
 * inline the read side. That doesn't make this program a work based on the library: these
 * are the functions of less than ten lines and the macros that section 5 of the LGPL 2.1
 * lets anybody include, as the headers say beside each of them.
 */
#define _LGPL_SOURCE
#include <urcu/urcu-memb.h>

#include <urcu/urcu-mb.h>
#include <urcu/urcu-qsbr.h>

enum rcu_flavor { RCU_MEMB, RCU_MB, RCU_QSBR, NR_RCU_FLAVORS };
#define RCU_FLAVOR_OPTION                                                                    \
	{                                                                                    \
		"flavor", "memb|mb|qsbr", "memb",                                            \
			"readers: a system call's barrier for both sides, full barriers, or" \
			" quiescent states now and then"                                     \
	}
/* The loops of every flavor, for an array by enum rcu_flavor. */
#define RCU_LOOPS(prefix)                                                          \
	[RCU_MEMB] = &prefix##_memb_loops, [RCU_MB] = &prefix##_mb_loops, \
	[RCU_QSBR] = &prefix##_qsbr_loops
enum rcu_flavor rcu_flavor_of(const char *option);
extern const struct rcu_flavor_struct *const rcu_flavors[NR_RCU_FLAVORS];

struct rcu_batch {
	struct rcu_batch *next; /* in the ring */
	struct rcu_batch *queued; /* at the reclaimer, the one that came before */
	_Atomic uint32_t waiting; /* for a grace period */
	void *node[];
};

/* One thread's, and of one table: only it looks at it, but for the batches' own words. */
struct rcu_pool {
	void **at,
		**end; /* of the current batch: the next spare node; those before are retired */
	struct rcu_batch *batch;
	struct rcu_batch *waited; /* for this one in vain: not again */
	unsigned queued; /* batches since the reclaimer was last woken */
	struct rcu *rcu;
	struct rcu_nodes *nodes; /* what was allocated */
	uint64_t extra_bytes; /* beyond what was meant for the pool */
} __attribute__((aligned(128)));

/* What one operation may take between two calls of rcu_provide, if nobody interferes. */
#define RCU_AT_ONCE MAX_SLOTS

void rcu_next_batch(struct rcu_pool *p);
void rcu_wait_a_little(struct rcu_pool *p);

/* The next spare node: to be filled, and published if it comes to that. */
static __always_inline void *rcu_spare(const struct rcu_pool *p)
{
	return *p->at;
}

/* It stands where `old` stood, which readers may still see. */
static __always_inline void rcu_retire(struct rcu_pool *p, void *old)
{
	*p->at++ = old;
	if (__builtin_expect(p->at == p->end, false))
		rcu_next_batch(p);
}

/* Before a section of reading, with no node of another in hand: see to it that there are
 * spare ones. */
static __always_inline void rcu_provide(struct rcu_pool *p)
{
	if (__builtin_expect(p->end - p->at < RCU_AT_ONCE, false))
		rcu_wait_a_little(p);
}

/* What pools a table of so many entries and threads should have, in nodes of a pool. */
unsigned rcu_pool_size(uint64_t entries, unsigned threads);
/* What that takes, for all threads together. */
uint64_t rcu_pool_bytes(unsigned size, size_t node_bytes, unsigned threads);

/* Pools for so many threads, and a reclaimer. 0 or -1. */
int rcu_create(struct rcu **out, enum rcu_flavor flavor, unsigned size, size_t node_bytes,
	       unsigned threads, struct err *e);
/* After all threads have left. */
void rcu_destroy(struct rcu *r);

/* Thread `id` becomes a reader of the flavor (once, however many tables it enters), and gets
 * its pool. */
struct rcu_pool *rcu_enter(struct rcu *r, unsigned id);
/* Undo it, and add to *bytes by how much the pool has grown. */
void rcu_leave(struct rcu *r, unsigned id, uint64_t *bytes);

#endif
