/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topo - which CPUs there are, which are ours, and who runs where
 *
 * The allowed CPUs are hwloc's allowed set intersected with the affinity mask at
 * start: hwloc alone ignores taskset, and would let a thread bind outside it.
 * Where the topology describes another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE)
 * only planning works; a description hwloc cannot use is an error, not a fallback. Nothing
 * here trusts sizes of caches or memory.
 */
#ifndef TEARLINE_TOPO_H
#define TEARLINE_TOPO_H

#include <sched.h>
#include <stdio.h>
#include "util.h"

struct topo;

#define TOPO_MAX_THREADS 65536u

/* One thread per entry, in the order in which threads are pinned. */
struct placement {
	unsigned nr; /* threads */
	unsigned *cpu; /* nr OS indices of PUs, one a thread */
	bool oversubscribed; /* a CPU stands twice: too many threads, or a list with doubles */
};

/* Discover, with the affinity mask of the calling thread; 0, or -1 with the reason. */
int topo_open(struct topo **out, struct err *e);
void topo_close(struct topo *t);

/* False where the topology is synthetic or was read from a file: plan only. */
bool topo_is_this_system(const struct topo *t);
unsigned topo_nr_allowed(const struct topo *t);
unsigned topo_nr_cores(const struct topo *t); /* cores with at least one allowed PU */

/*
 * Place `threads` threads: "core" (one a physical core first, then the SMT
 * siblings), "compact" (fill a core, then its neighbour), "spread" (round robin
 * over packages, NUMA nodes, L3 caches, cores), or "list:0,2,5-7" (OS indices).
 * Of hybrid cores, core and spread take the faster kind first. 0 threads are as
 * many as the allowed CPUs, or the list, can take. More than that, or a CPU twice
 * in the list, is an error unless `oversubscribe`. 0 or -1; placement_free() it.
 */
int topo_place(const struct topo *t, const char *how, unsigned threads, bool oversubscribe,
	       struct placement *out, struct err *e);
void placement_free(struct placement *p);
/* "0,2,5": the CPUs in pinning order, for the CSV. Caller frees. */
char *placement_str(const struct placement *p);

/*
 * The calling thread's affinity mask, as large as this kernel's (glibc's cpu_set_t ends at 1024
 * CPUs): *size bytes, *nr_cpus bits. CPU_FREE() it; NULL with errno.
 */
cpu_set_t *topo_affinity(size_t *size, unsigned *nr_cpus);

/* Pin the calling thread to one CPU and read the binding back; 0 or -1. */
int topo_bind_self(const struct topo *t, unsigned cpu, struct err *e);

/*
 * Print what `tearline topo` shows: machine, allowed CPUs, pinning order. CPUs and
 * NUMA nodes carry the kernel's numbers, cores, packages and L3 caches hwloc's
 * logical ones (lstopo -l --disallowed).
 */
void topo_print(const struct topo *t, const struct placement *p, FILE *f);

#endif
