/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * urcu - what the tables of pointers into liburcu's care share (defined in urcu.c)
 *
 * A line is one pointer, or one a slot, each to a node: the words of the whole line, or of
 * an entry. How many follows from the shape of the loops.
 */
#ifndef TEARLINE_URCU_H
#define TEARLINE_URCU_H

#include "line.h"
#include "rcu.h"

/* Of the table and thread at work: primitives that exchange nodes know only their line. */
static __thread struct rcu_pool *urcu_pool;

int urcu_create_as(struct table *t, const struct table_params *p, enum rcu_flavor flavor,
		   const struct table_loops *loops, struct err *e);
void urcu_destroy(struct table *t);
void urcu_clear(struct table *t, unsigned part, unsigned parts);
void urcu_clear_ops(struct table *t, const struct trace_op *op, size_t nr);
int urcu_thread_enter(struct table *t, struct worker *w, struct err *e);
void urcu_thread_leave(struct table *t, struct worker *w);

#define URCU_CLASS                                                                           \
	.kinds = LINE_KINDS, .lines = true, .sig_bits = 64, .probe_progress = "wait-free",   \
	.store_progress = "lock-free",                                                       \
	.probe_writes = "its own thread's counter; qsbr: nothing",                           \
	.options = { RCU_FLAVOR_OPTION, LINE_OPTIONS }, .destroy = urcu_destroy,             \
	.clear = urcu_clear, .clear_ops = urcu_clear_ops, .thread_enter = urcu_thread_enter, \
	.thread_leave = urcu_thread_leave

#endif
