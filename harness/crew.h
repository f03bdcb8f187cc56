/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crew - pinned threads that share tables
 *
 * All of them are started, or none is. Each is pinned and enters the tables, up to one a kind;
 * if all of them could, they work, and then they leave. What they do together is between
 * meetings (meet.h); the first of them leads.
 */
#ifndef TEARLINE_CREW_H
#define TEARLINE_CREW_H

#include <pthread.h>
#include <semaphore.h>

#include "meet.h"
#include "table.h"
#include "topo.h"

struct crew;

/* One thread. Where there is more to each, that is a struct that begins with it. */
struct member {
	struct worker w; /* first: on its own lines */
	struct crew *crew;
	pthread_t thread;
	bool failed; /* err says at what */
	struct err err;
	unsigned entered; /* tables it must leave: 1 << enum kind */
};

struct crew {
	const struct topo *topo;
	const struct placement *placement; /* an entry a thread */
	struct table *const *table; /* by kind; NULL: none of that kind */
	/* What each does. The thread is online (table.h) only where it says so. */
	void (*work)(struct member *m);
	void *arg;
	struct meet meet; /* of all that work */
	struct counts n[NR_KINDS]; /* of all, once joined */
	/* crew.c's own */
	void *member; /* an array; each is of member_size bytes */
	size_t member_size;
	pthread_mutex_t starting; /* held until all are there, or will not be */
	bool abandon; /* written where all others wait */
	_Atomic uint32_t nr_ended;
	sem_t ended; /* all are through, and have left */
};

/* From start to end. 0, or -1: nobody worked, or one failed at it. */
int crew_run(struct crew *c, struct err *e);

/* The same in steps, for members of a size, all zero but for the number of each. 0 or -1. */
int crew_open(struct crew *c, size_t member_size, struct err *e);
int crew_start(struct crew *c, struct err *e);
/* True once all are through, false when they are not until then. */
bool crew_ended(struct crew *c, const struct timespec *until);
/* 0, or -1: the first failure. */
int crew_join(struct crew *c, struct err *e);
void crew_close(struct crew *c);
/* Of each thread; no static function, so that a stack (stacks.h) names it. */
void *crew_main(void *member);

/* For members, at work. */

/* All meet: true for all if none of them has failed. */
bool crew_agrees(struct member *m);
/* This one's part of all tables, the first touch too. */
void crew_clear(struct member *m);
/* For all tables. */
void crew_online(struct member *m);
void crew_offline(struct member *m);

#endif
