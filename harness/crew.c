// SPDX-License-Identifier: BSD-2-Clause
#include "crew.h"

#include <stdlib.h>
#include <string.h>

#include "crash.h"

#define for_each_table(k, t, crew)               \
	for (enum kind k = 0; k < NR_KINDS; k++) \
		for (struct table *t = (crew)->table[k]; t; t = NULL)

static struct member *member_of(const struct crew *c, unsigned i)
{
	return (struct member *)((char *)c->member + i * c->member_size);
}

static bool leads(const struct member *m)
{
	return m->w.id == 0;
}

/* Pin and enter. */
static int prepare(struct member *m)
{
	const struct crew *c = m->crew;

	if (topo_bind_self(c->topo, c->placement->cpu[m->w.id], &m->err))
		return -1;
	for_each_table(k, t, c)
	{
		if (t->class->thread_enter && t->class->thread_enter(t, &m->w, &m->err))
			return -1;
		m->entered |= 1u << k;
	}
	return 0;
}

static void leave(struct member *m)
{
	for_each_table(k, t, m->crew)
	{
		if (m->entered & 1u << k && t->class->thread_leave)
			t->class->thread_leave(t, &m->w);
	}
}

/* The first that has failed, or NULL. */
static const struct member *find_failed(const struct crew *c)
{
	for (unsigned i = 0; i < c->placement->nr; i++)
		if (member_of(c, i)->failed)
			return member_of(c, i);
	return NULL;
}

bool crew_agrees(struct member *m)
{
	struct crew *c = m->crew;

	meet_all(&c->meet);
	if (leads(m))
		c->abandon = find_failed(c);
	meet_all(&c->meet);
	return !c->abandon;
}

void crew_clear(struct member *m)
{
	for_each_table(k, t, m->crew)
	{
		t->class->clear(t, m->w.id, m->crew->placement->nr);
	}
}

void crew_online(struct member *m)
{
	for_each_table(k, t, m->crew)
	{
		t->loops->online(t, &m->w);
	}
}

void crew_offline(struct member *m)
{
	for_each_table(k, t, m->crew)
	{
		t->loops->offline(t, &m->w);
	}
}

void *crew_main(void *arg)
{
	struct member *m = arg;
	struct crew *c = m->crew;
	void *stack;

	pthread_mutex_lock(&c->starting);
	pthread_mutex_unlock(&c->starting);
	if (c->abandon)
		return NULL;
	stack = crash_stack();
	m->failed = prepare(m);
	if (crew_agrees(m))
		c->work(m);
	leave(m);
	crash_stack_free(stack);
	/* [crew.end] acq_rel, pairs with itself: the last has all of the others behind it */
	if (atomic_fetch_add_explicit(&c->nr_ended, 1, memory_order_acq_rel) + 1 ==
	    c->placement->nr)
		sem_post(&c->ended);
	return NULL;
}

int crew_open(struct crew *c, size_t member_size, struct err *e)
{
	unsigned threads = c->placement->nr;

	c->member = aligned_alloc(128, threads * member_size);
	if (!c->member)
		return err_set(e, "--threads %u: out of memory", threads);
	memset(c->member, 0, threads * member_size);
	c->member_size = member_size;
	c->meet.parties = threads;
	c->abandon = false;
	c->nr_ended = 0;
	for (unsigned i = 0; i < threads; i++) {
		member_of(c, i)->crew = c;
		member_of(c, i)->w.id = i;
	}
	pthread_mutex_init(&c->starting, NULL);
	sem_init(&c->ended, 0, 0);
	return 0;
}

void crew_close(struct crew *c)
{
	sem_destroy(&c->ended);
	pthread_mutex_destroy(&c->starting);
	free(c->member);
}

static void join(struct crew *c, unsigned threads)
{
	for (unsigned i = 0; i < threads; i++)
		pthread_join(member_of(c, i)->thread, NULL);
}

int crew_start(struct crew *c, struct err *e)
{
	unsigned started = 0, threads = c->placement->nr;
	int error = 0;

	pthread_mutex_lock(&c->starting);
	for (; started < threads && !error; started += !error) {
		struct member *m = member_of(c, started);

		error = pthread_create(&m->thread, NULL, crew_main, m);
	}
	c->abandon = error;
	pthread_mutex_unlock(&c->starting);
	if (!error)
		return 0;
	join(c, started);
	return err_set(e, "--threads %u: cannot start thread %u: %s", threads, started,
		       strerror(error));
}

bool crew_ended(struct crew *c, const struct timespec *until)
{
	return !sem_clockwait(&c->ended, CLOCK_MONOTONIC, until);
}

int crew_join(struct crew *c, struct err *e)
{
	const struct member *failed;

	join(c, c->placement->nr);
	for (unsigned i = 0; i < c->placement->nr; i++)
		for (enum kind k = 0; k < NR_KINDS; k++)
			counts_add(&c->n[k], &member_of(c, i)->w.n[k]);
	failed = find_failed(c);
	if (!failed)
		return 0;
	*e = failed->err;
	return -1;
}

int crew_run(struct crew *c, struct err *e)
{
	int ret = -1;

	if (crew_open(c, sizeof(struct member), e))
		return -1;
	if (!crew_start(c, e))
		ret = crew_join(c, e);
	crew_close(c);
	return ret;
}
