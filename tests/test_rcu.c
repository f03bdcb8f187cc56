// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pools of nodes that liburcu's grace periods give back (tables/rcu.h), of every flavor: a
 * node that a reader may hold is not handed out, however many are asked for, and memory
 * grows instead; when the reader is gone, nodes come back and it grows no further.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "rcu.h"

#define POOL 256u
#define FLOWING 100000u

struct node {
	uint64_t retired; /* during this period */
	uint64_t rest;
};

struct reader {
	const struct rcu_flavor_struct *flavor;
	struct rcu *rcu;
	sem_t inside, leave;
};

static const char *const names[] = { "memb", "mb", "qsbr" };

/* A read section that lasts until it is told to end. */
static void *sit_inside(void *arg)
{
	struct reader *r = arg;
	uint64_t bytes = 0;

	rcu_enter(r->rcu, 1);
	r->flavor->thread_online();
	r->flavor->read_lock();
	sem_post(&r->inside);
	sem_wait(&r->leave);
	r->flavor->read_unlock();
	r->flavor->thread_offline();
	rcu_leave(r->rcu, 1, &bytes);
	return NULL;
}

/* Exchange so many nodes; how many came that were retired in this very period? */
static uint64_t exchange(struct rcu_pool *p, struct node **place, uint64_t nr, uint64_t period)
{
	uint64_t back = 0;

	for (uint64_t i = 0; i < nr; i++) {
		struct node *n;

		rcu_provide(p);
		n = rcu_spare(p);
		back += n->retired == period;
		n->retired = 0;
		(*place)->retired = period;
		rcu_retire(p, *place);
		*place = n;
	}
	return back;
}

static void reader_holds_nodes_back(enum rcu_flavor flavor)
{
	struct reader r = { .flavor = rcu_flavors[flavor] };
	struct node first = { 0 }, *place = &first;
	uint64_t bytes = 0, grown, stuck;
	struct rcu_pool *p;
	pthread_t thread;
	struct err e;

	assert_int_equal(rcu_create(&r.rcu, flavor, POOL, sizeof(struct node), 2, &e), 0);
	sem_init(&r.inside, 0, 0);
	sem_init(&r.leave, 0, 0);
	p = rcu_enter(r.rcu, 0);
	r.flavor->thread_online();

	/* Nobody reads: all are used again and again. That is seen, or the rest means nothing. */
	assert_true(exchange(p, &place, FLOWING, 1) > FLOWING / 2);

	/* qsbr: who is online and waits would be a reader, too */
	r.flavor->thread_offline();
	pthread_create(&thread, NULL, sit_inside, &r);
	sem_wait(&r.inside);
	r.flavor->thread_online();
	grown = p->extra_bytes;
	/* more than the pool can have by now: on a slow machine it has grown */
	stuck = 4 * POOL + grown / sizeof(struct node);
	assert_int_equal(exchange(p, &place, stuck, 2), 0);
	/* but for what was there before */
	grown = p->extra_bytes - grown;
	assert_true(grown > 0);
	assert_true(grown <= rcu_pool_bytes(stuck + POOL, sizeof(struct node), 1));

	sem_post(&r.leave);
	r.flavor->thread_offline();
	pthread_join(thread, NULL);
	r.flavor->thread_online();
	grown = p->extra_bytes;
	assert_true(exchange(p, &place, FLOWING, 3) > FLOWING / 2);
	assert_true(p->extra_bytes <= 2 * (grown + rcu_pool_bytes(POOL, sizeof(*place), 1)));

	grown = p->extra_bytes;
	r.flavor->thread_offline();
	rcu_leave(r.rcu, 0, &bytes);
	assert_int_equal(bytes, grown);
	rcu_destroy(r.rcu);
	sem_destroy(&r.inside);
	sem_destroy(&r.leave);
	printf("%s: grew by %ju bytes\n", names[flavor], (uintmax_t)bytes);
}

static void memb(void **state)
{
	reader_holds_nodes_back(RCU_MEMB);
}

static void mb(void **state)
{
	reader_holds_nodes_back(RCU_MB);
}

static void qsbr(void **state)
{
	reader_holds_nodes_back(RCU_QSBR);
}

/* Pools are a quarter of the entries as long as that is neither few nor many. */
static void sizes(void **state)
{
	assert_int_equal(rcu_pool_size(1, 1), 256);
	assert_int_equal(rcu_pool_size(1, 64), 256);
	assert_int_equal(rcu_pool_size(8192, 1), 2048);
	assert_int_equal(rcu_pool_size(8192, 2), 1024);
	assert_int_equal(rcu_pool_size(1ull << 30, 2), 16384);
}

/* A thread may have entered many tables, and leave them in any order. */
static void tables_share_the_registration(void **state)
{
	struct rcu *r[3];
	uint64_t bytes = 0;
	struct err e;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(rcu_create(&r[i], RCU_MEMB, POOL, 16, 1, &e), 0);
		rcu_enter(r[i], 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		urcu_memb_read_lock();
		urcu_memb_read_unlock();
		rcu_leave(r[(i + 1) % 3], 0, &bytes);
	}
	for (unsigned i = 0; i < 3; i++)
		rcu_destroy(r[i]);
	assert_int_equal(bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memb),
		cmocka_unit_test(mb),
		cmocka_unit_test(qsbr),
		cmocka_unit_test(sizes),
		cmocka_unit_test(tables_share_the_registration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
