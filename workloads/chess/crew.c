// SPDX-License-Identifier: BSD-2-Clause
#include "crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "meet.h"

struct muster;

struct member {
	struct worker w; /* first: on its own lines */
	struct muster *muster;
	pthread_t thread;
	struct err err;
	bool failed;
	unsigned entered; /* tables it must leave: 1 << enum kind */
};

/* A crew at work. */
struct muster {
	struct crew *crew;
	struct member *member;
	unsigned threads;
	struct meet meet;
	pthread_mutex_t starting; /* held until all threads are there, or will not be */
	bool abandon; /* written where all others wait */
	uint64_t begin, end; /* of the work */
};

#define for_each_table(k, t, crew)               \
	for (enum kind k = 0; k < NR_KINDS; k++) \
		for (struct table *t = (crew)->table[k]; t; t = NULL)

/* Pin and enter. */
static int prepare(struct member *m)
{
	const struct crew *c = m->muster->crew;

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
	for_each_table(k, t, m->muster->crew)
	{
		if (m->entered & 1u << k && t->class->thread_leave)
			t->class->thread_leave(t, &m->w);
	}
}

static void clear(struct member *m)
{
	for_each_table(k, t, m->muster->crew)
	{
		t->class->clear(t, m->w.id, m->muster->threads);
	}
}

static void work(struct member *m)
{
	const struct crew *c = m->muster->crew;

	for_each_table(k, t, c)
	{
		t->loops->online(t, &m->w);
	}
	c->work(c->arg, &m->w);
	for_each_table(k, t, c)
	{
		t->loops->offline(t, &m->w);
	}
}

static bool any_failed(const struct muster *u)
{
	bool failed = false;

	for (unsigned i = 0; i < u->threads; i++)
		failed |= u->member[i].failed;
	return failed;
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct muster *u = m->muster;

	pthread_mutex_lock(&u->starting);
	pthread_mutex_unlock(&u->starting);
	if (u->abandon)
		return NULL;
	m->failed = prepare(m);
	meet_all(&u->meet);
	if (m->w.id == 0)
		u->abandon = any_failed(u);
	meet_all(&u->meet);
	if (u->abandon)
		goto out;
	if (u->crew->clear)
		clear(m);
	meet_all(&u->meet);
	if (m->w.id == 0)
		u->begin = now_ns();
	work(m);
	meet_all(&u->meet);
	if (m->w.id == 0)
		u->end = now_ns();
out:
	leave(m);
	return NULL;
}

static int start(struct muster *u, struct err *e)
{
	unsigned started = 0;
	int error = 0;

	pthread_mutex_lock(&u->starting);
	for (; started < u->threads && !error; started += !error) {
		struct member *m = &u->member[started];

		m->muster = u;
		m->w.id = started;
		error = pthread_create(&m->thread, NULL, member_main, m);
	}
	u->abandon = error;
	pthread_mutex_unlock(&u->starting);
	for (unsigned i = 0; i < started; i++)
		pthread_join(u->member[i].thread, NULL);
	return error ? err_set(e, "--threads %u: cannot start thread %u: %s", u->threads,
			       started, strerror(error))
		     : 0;
}

/* What the members have counted; or the first's failure. */
static int debrief(struct muster *u, struct err *e)
{
	memset(u->crew->n, 0, sizeof(u->crew->n));
	u->crew->seconds = (double)(u->end - u->begin) * 1e-9;
	for (unsigned i = 0; i < u->threads; i++) {
		struct member *m = &u->member[i];

		if (m->failed) {
			*e = m->err;
			return -1;
		}
		for (enum kind k = 0; k < NR_KINDS; k++)
			counts_add(&u->crew->n[k], &m->w.n[k]);
	}
	return 0;
}

int crew_run(struct crew *c, struct err *e)
{
	struct muster u = { .crew = c,
			    .threads = c->placement->nr,
			    .starting = PTHREAD_MUTEX_INITIALIZER };
	int ret = -1;

	u.meet.parties = u.threads;
	u.member = aligned_alloc(128, u.threads * sizeof(*u.member));
	if (!u.member)
		return err_set(e, "--threads %u: out of memory", u.threads);
	memset(u.member, 0, u.threads * sizeof(*u.member));
	if (!start(&u, e))
		ret = debrief(&u, e);
	free(u.member);
	return ret;
}
