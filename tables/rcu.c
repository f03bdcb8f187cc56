// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reclaimer, and what pools do once a batch.
 *
 * Ordering:
 *   [rcu.R1] a batch is queued, release   -> [rcu.A1] the reclaimer takes all, acquire
 *   [rcu.R2] it is given back, release    -> [rcu.A2] its pool goes on with it, acquire
 * and in between, inside liburcu, whoever may have seen one of its nodes is done with it.
 */
#include "rcu.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Of a pool, to begin with. The reclaimer is woken when half of them are there. */
#define BATCHES 8u
/* For so long may others run before a pool grows: some grace periods, if nobody is preempted. */
#define PATIENCE_NS 100000

#define MIN_POOL 256u
#define MAX_POOL 16384u

/* With room to align the nodes to cache lines. */
struct rcu_nodes {
	struct rcu_nodes *next;
	char node[CACHE_LINE];
};

struct rcu {
	const struct rcu_flavor_struct *flavor;
	enum rcu_flavor id;
	size_t node_bytes;
	unsigned batch; /* nodes in it */
	_Atomic(struct rcu_batch *) queue;
	sem_t work;
	_Atomic bool stop;
	pthread_t reclaimer;
	struct rcu_pool *pool;
	unsigned threads;
	pthread_mutex_t leaving; /* held to count bytes */
};

/* flavor.h declares only that of the header which was included first. */
extern const struct rcu_flavor_struct urcu_memb_flavor, urcu_mb_flavor, urcu_qsbr_flavor;
const struct rcu_flavor_struct *const rcu_flavors[NR_RCU_FLAVORS] = {
	[RCU_MEMB] = &urcu_memb_flavor,
	[RCU_MB] = &urcu_mb_flavor,
	[RCU_QSBR] = &urcu_qsbr_flavor,
};

/* Tables of each flavor that this thread has entered. */
static __thread unsigned entered[NR_RCU_FLAVORS];

enum rcu_flavor rcu_flavor_of(const char *option)
{
	return !strcmp(option, "qsbr") ? RCU_QSBR : !strcmp(option, "mb") ? RCU_MB : RCU_MEMB;
}

unsigned rcu_pool_size(uint64_t entries, unsigned threads)
{
	uint64_t size = entries / 4 / threads;

	if (size > MAX_POOL)
		size = MAX_POOL;
	if (size < MIN_POOL)
		size = MIN_POOL;
	return (unsigned)size / BATCHES * BATCHES;
}

static uint64_t batch_bytes(unsigned nodes, size_t node_bytes)
{
	return sizeof(struct rcu_batch) + sizeof(struct rcu_nodes) +
	       nodes * (sizeof(void *) + node_bytes);
}

uint64_t rcu_pool_bytes(unsigned size, size_t node_bytes, unsigned threads)
{
	return threads *
	       (sizeof(struct rcu_pool) + BATCHES * batch_bytes(size / BATCHES, node_bytes));
}

static void *reclaim(void *arg)
{
	struct rcu *r = arg;

	for (;;) {
		struct rcu_batch *batch, *before;

		while (sem_wait(&r->work) && errno == EINTR)
			;
		/* relaxed: the semaphore orders it */
		if (atomic_load_explicit(&r->stop, memory_order_relaxed))
			return NULL;
		/* [rcu.A1] pairs with [rcu.R1] */
		batch = atomic_exchange_explicit(&r->queue, NULL, memory_order_acquire);
		if (!batch)
			continue;
		r->flavor->update_synchronize_rcu();
		for (; batch; batch = before) {
			before = batch->queued;
			/* [rcu.R2] pairs with [rcu.A2] */
			smp_store_release(&batch->waiting, 0);
		}
	}
}

static bool is_back(struct rcu_batch *b)
{
	/* [rcu.A2] pairs with [rcu.R2] */
	return !smp_load_acquire(&b->waiting);
}

static void wake_reclaimer(struct rcu_pool *p)
{
	p->queued = 0;
	sem_post(&p->rcu->work);
}

static void queue_batch(struct rcu_pool *p, struct rcu_batch *b)
{
	struct rcu *r = p->rcu;
	struct rcu_batch *before = atomic_load_explicit(&r->queue, memory_order_relaxed);

	WRITE_ONCE32(&b->waiting, 1);
	/* [rcu.R1] pairs with [rcu.A1] */
	do
		b->queued = before;
	while (!atomic_compare_exchange_weak_explicit(
		&r->queue, &before, b, memory_order_release, memory_order_relaxed));
	if (++p->queued >= BATCHES / 2)
		wake_reclaimer(p);
}

/* One more batch of fresh nodes, behind the current one. */
static void grow(struct rcu_pool *p)
{
	const struct rcu *r = p->rcu;
	struct rcu_batch *b = xcalloc(1, sizeof(*b) + r->batch * sizeof(b->node[0]));
	struct rcu_nodes *n = xcalloc(1, sizeof(*n) + r->batch * r->node_bytes);
	char *node = (char *)(((uintptr_t)n->node + CACHE_LINE - 1) & -(uintptr_t)CACHE_LINE);

	for (unsigned i = 0; i < r->batch; i++)
		b->node[i] = node + i * r->node_bytes;
	n->next = p->nodes;
	p->nodes = n;
	b->next = p->batch ? p->batch->next : b;
	if (p->batch)
		p->batch->next = b;
	else
		p->batch = b;
}

static void begin_batch(struct rcu_pool *p, struct rcu_batch *b)
{
	p->batch = b;
	p->waited = NULL;
	p->at = b->node;
	p->end = b->node + p->rcu->batch;
}

/* All of the batch are retired; go on with the next, whatever it takes. */
void rcu_next_batch(struct rcu_pool *p)
{
	queue_batch(p, p->batch);
	if (!is_back(p->batch->next)) {
		grow(p);
		p->extra_bytes += batch_bytes(p->rcu->batch, p->rcu->node_bytes);
	}
	begin_batch(p, p->batch->next);
}

/* The batch is near its end. */
void rcu_wait_a_little(struct rcu_pool *p)
{
	struct rcu_batch *next = p->batch->next;
	uint64_t begin;

	p->rcu->flavor->read_quiescent_state();
	if (is_back(next) || p->waited == next)
		return;
	p->waited = next;
	if (p->queued)
		wake_reclaimer(p);
	begin = now_ns();
	do {
		sched_yield();
		p->rcu->flavor->read_quiescent_state();
	} while (!is_back(next) && now_ns() - begin < PATIENCE_NS);
}

static int start_reclaimer(struct rcu *r, struct err *e)
{
	sigset_t all, before;
	int error;

	/* Signals are for the threads that know of them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&r->reclaimer, NULL, reclaim, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error ? err_set(e, "cannot start the thread that reclaims nodes: %s",
			       strerror(error))
		     : 0;
}

int rcu_create(struct rcu **out, enum rcu_flavor flavor, unsigned size, size_t node_bytes,
	       unsigned threads, struct err *e)
{
	struct rcu *r = xcalloc(1, sizeof(*r));

	r->flavor = rcu_flavors[flavor];
	r->id = flavor;
	r->node_bytes = node_bytes;
	r->batch = size / BATCHES;
	r->threads = threads;
	r->pool = aligned_alloc(128, threads * sizeof(*r->pool));
	if (!r->pool) {
		err_set(e, "no memory for %u threads", threads);
		goto out_free;
	}
	memset(r->pool, 0, threads * sizeof(*r->pool));
	sem_init(&r->work, 0, 0);
	pthread_mutex_init(&r->leaving, NULL);
	if (start_reclaimer(r, e))
		goto out_pool;
	*out = r;
	return 0;
out_pool:
	pthread_mutex_destroy(&r->leaving);
	sem_destroy(&r->work);
	free(r->pool);
out_free:
	free(r);
	return -1;
}

static void free_pool(struct rcu_pool *p)
{
	struct rcu_batch *first = p->batch, *b = first, *next;
	struct rcu_nodes *n;

	if (!first)
		return;
	do {
		next = b->next;
		free(b);
		b = next;
	} while (b != first);
	while ((n = p->nodes)) {
		p->nodes = n->next;
		free(n);
	}
}

void rcu_destroy(struct rcu *r)
{
	atomic_store_explicit(&r->stop, true, memory_order_relaxed);
	sem_post(&r->work);
	pthread_join(r->reclaimer, NULL);
	for (unsigned i = 0; i < r->threads; i++)
		free_pool(&r->pool[i]);
	pthread_mutex_destroy(&r->leaving);
	sem_destroy(&r->work);
	free(r->pool);
	free(r);
}

/* The pool's first thread is the one that touches its memory first. */
static void fill_pool(struct rcu *r, struct rcu_pool *p)
{
	p->rcu = r;
	for (unsigned i = 0; i < BATCHES; i++)
		grow(p);
	begin_batch(p, p->batch);
}

struct rcu_pool *rcu_enter(struct rcu *r, unsigned id)
{
	struct rcu_pool *p = &r->pool[id];

	if (!p->batch)
		fill_pool(r, p);
	if (!entered[r->id]++) {
		r->flavor->register_thread();
		/* qsbr: until it begins to read */
		r->flavor->thread_offline();
	}
	return p;
}

void rcu_leave(struct rcu *r, unsigned id, uint64_t *bytes)
{
	struct rcu_pool *p = &r->pool[id];

	if (!--entered[r->id])
		r->flavor->unregister_thread();
	pthread_mutex_lock(&r->leaving);
	*bytes += p->extra_bytes;
	pthread_mutex_unlock(&r->leaving);
	p->extra_bytes = 0;
}
