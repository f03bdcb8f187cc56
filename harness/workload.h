/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workload - what is said of one, between the list (workload.c) and the making of its
 * streams (workload_ops.c)
 */
#ifndef TEARLINE_WORKLOAD_H
#define TEARLINE_WORKLOAD_H

#include "traffic.h"

struct workload {
	const char *name;
	enum kind kind;
	unsigned keys, preloaded; /* a line */
	bool updates_only, built_keys;
	/* operations of the first stream between two such events; 0: none */
	unsigned generation_every, clear_every;
	uint64_t max_lines; /* 0: as many as the table has */
	/* defaults of its options; lines 0: every line of the table */
	uint64_t lines, store_percent, ops;
};

/* "hot-evict:lines=1,store=30" taken apart. 0 or -1. */
int workload_parse(const char *spec, struct workload *w, struct err *e);

#endif
