/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stripes - locks beside a table's lines
 *
 * One lock for all lines, one for each, or a power of two: then a line's lock is its number
 * modulo that. Locks stand on cache lines of their own up to STRIPES_PADDED of them and are
 * packed above. Some kinds bring more than the lock, for each stripe, each thread or each
 * pair of them (queue nodes, readers' counters); their stripes end there.
 *
 * t->side holds the locks, a block for each stripe, and a block for each thread.
 */
#ifndef TEARLINE_STRIPES_H
#define TEARLINE_STRIPES_H

#include "line.h"

#define STRIPES_PADDED 65536u

/* Where the blocks are: t->priv. */
struct stripes {
	uint64_t nr;
	unsigned threads;
	char *stripe, *thread; /* the first block */
	uint64_t stripe_step, thread_step; /* from one to the next, bytes */
};

/* A kind of lock, with measured loops of its own. */
struct lock_kind {
	const char *name;
	const struct table_loops *loops;
	unsigned size; /* bytes of a lock */
	/* Bytes beside the lock. A stripe's block: so many, and so many for each thread, of
	 * which there are a power of two; a thread's: likewise for each stripe. */
	unsigned stripe, stripe_thread, thread, thread_stripe;
	/* optional: make free locks of zeroed memory, and what belongs to them */
	void (*init)(struct table *t, const struct stripes *s);
};

#define LOCK_KIND(table, kind, type, ...)                                              \
	{                                                                              \
		.name = #kind, .loops = &table##_##kind##_loops, .size = sizeof(type), \
		__VA_ARGS__                                                            \
	}

/* A class whose locks are in stripes has these two as its first options. */
enum { STRIPES_LOCK, STRIPES_NR };
#define STRIPES_OPTION                                                                    \
	{                                                                                 \
		"stripes", NULL, "256",                                                   \
			"global, a power of two, or line: how many locks, at most one a " \
			"line"                                                            \
	}

static inline void *stripe_block(const struct stripes *s, uint64_t i)
{
	return s->stripe + i * s->stripe_step;
}

static inline void *thread_block(const struct stripes *s, unsigned id)
{
	return s->thread + id * s->thread_step;
}

/* Threads, as the stripes' blocks count them. */
static inline unsigned stripes_threads_pow2(unsigned threads)
{
	return threads <= 1 ? 1 : 2u << (31 - __builtin_clz(threads - 1));
}

/* Lines, and locks of the kind that is asked for, of nr kinds. Sets t->loops. 0 or -1. */
int stripes_create(struct table *t, const struct table_params *p, const struct lock_kind *kinds,
		   size_t nr, struct err *e);
void stripes_destroy(struct table *t);
/* A thread's w->priv is its block. */
int stripes_thread_enter(struct table *t, struct worker *w, struct err *e);

#define STRIPES_MEMORY "16 bytes, pawn 64; a lock 64, some kinds more"
/* The fields of a class that tables with locks in stripes share. */
#define STRIPES_CLASS                                                       \
	LINE_CLASS_AS(LINE_KINDS, 64, STRIPES_MEMORY),                      \
		.probe_progress = "blocking", .store_progress = "blocking", \
		.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,        \
		.destroy = stripes_destroy, .thread_enter = stripes_thread_enter

#endif
