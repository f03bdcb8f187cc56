/* SPDX-License-Identifier: BSD-2-Clause */
/* spinlock - a table's locks beside its lines, for whoever encloses other things with them */
#ifndef TEARLINE_SPINLOCK_H
#define TEARLINE_SPINLOCK_H

#include "table.h"

/* A class that is created this way has these two as its first options. */
enum { SPINLOCK_LOCK, SPINLOCK_STRIPES };
#define STRIPES_OPTION                                                                    \
	{                                                                                 \
		"stripes", NULL, "256",                                                   \
			"global, a power of two, or line: how many locks, at most one a " \
			"line"                                                            \
	}

/* Lines and locks. The loops are spinlock's; whoever has others sets them. */
int spinlock_create(struct table *t, const struct table_params *p, struct err *e);
void spinlock_destroy(struct table *t);
int spinlock_thread_enter(struct table *t, struct worker *w, struct err *e);

#endif
