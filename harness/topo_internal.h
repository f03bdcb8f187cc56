/* SPDX-License-Identifier: BSD-2-Clause */
/* topo_internal - the flattened machine, between finding it and placing threads on it */
#ifndef TEARLINE_TOPO_INTERNAL_H
#define TEARLINE_TOPO_INTERNAL_H

#include <hwloc.h>

#include "topo.h"

/* The levels over which spread takes turns, outermost first. */
enum level { LEVEL_PACKAGE, LEVEL_NUMA, LEVEL_L3, NR_LEVELS };

#define NO_UNIT (-1) /* this CPU belongs to no unit of that level, or no kind */

#define CPUS_PROBED (1u << 20) /* numbers of CPUs are below: nothing looks further */

struct cpu {
	unsigned os; /* the kernel's number */
	unsigned logical; /* hwloc's, which follows the tree */
	unsigned core; /* hwloc's logical number of the core, or a number of its own */
	unsigned sibling; /* which SMT thread of its core, disallowed ones counted */
	unsigned turn; /* the same among the allowed ones */
	int unit[NR_LEVELS]; /* NUMA: the kernel's number, else hwloc's logical one */
	int kind; /* hwloc's index of the kind of core */
	unsigned slowness; /* 0 for the fastest kind, and where kinds are unranked */
	unsigned rank; /* scratch for ordering */
};

struct topo {
	hwloc_topology_t hw;
	hwloc_bitmap_t allowed;
	char *source; /* where a topology that is not this system's came from */
	bool this_system;
	struct cpu *cpu; /* the allowed ones, in logical order */
	unsigned nr;
	unsigned nr_cores;
};

/* "0-3,8", cut short where an error line has to hold it. Caller frees. */
char *topo_short_ranges(hwloc_const_bitmap_t set);

#endif
