/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crew - pinned threads that share tables and do something of their own
 *
 * What the measured runs have in run.h, for programs whose traffic is not dealt beforehand:
 * start, pin, enter the tables, clear them together (the first touch), do the work at the same
 * time, leave. Each thread does one operation at a time (struct table_ops).
 */
#ifndef TEARLINE_CHESS_CREW_H
#define TEARLINE_CHESS_CREW_H

#include "table.h"
#include "topo.h"

struct crew {
	const struct topo *topo;
	const struct placement *placement; /* an entry a thread */
	struct table *const *table; /* by kind; NULL: none of that kind */
	bool clear; /* the tables, before the work */
	/*
	 * Online for all tables; goes through table_pause() as table.h says. w->id is the
	 * thread's number.
	 */
	void (*work)(void *arg, struct worker *w);
	void *arg;
	/* when it is over */
	struct counts n[NR_KINDS]; /* of all threads */
	double seconds; /* from when all were ready to when the last was done */
};

/* Until all threads have done their work. 0, or -1: nobody did any. */
int crew_run(struct crew *c, struct err *e);

#endif
