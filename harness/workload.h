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
	uint64_t ends; /* 1: the keys 0 and ~0 are among those of the first and the last line */
	uint64_t meet; /* 1: after each time through the streams all threads meet and clear */
};

/*
 * "hot-evict:lines=1,store=30" taken apart; or "bump+wide:ops=100", of which each is about
 * another kind and the options are all workloads'. How many there are, or -1.
 */
int workload_parse(const char *spec, struct workload w[NR_KINDS], struct err *e);

#endif
