/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torture - does a table keep its promises, for as long as one cares to wait?
 *
 * Short audited runs, slices, one after another, each with its own seed: every workload
 * that the table can hold, alone or several kinds at once, meets every placement, with a CPU a
 * thread and up to 16 threads on one, on a few lines and on many, with the keys 0 and ~0,
 * with clears for which all meet, and with threads that are stopped anywhere (shake.h); now
 * and then on a table that has served 2^25 operations. What counts as a fault is what the table promised not to do.
 * That the silence means something is shown by the controls: tables broken on purpose,
 * and how often they are caught.
 */
#ifndef TEARLINE_TORTURE_H
#define TEARLINE_TORTURE_H

#include "table.h"

struct torture_args {
	const char *table;
	bool controls;
	const char *csv; /* or NULL */
	double seconds, watchdog;
	uint64_t threads; /* 0: as many as CPUs */
	uint64_t seed, runs;
	uint64_t slice; /* only this one, again and again; 0: all */
	bool shake; /* all slices, not every fourth */
};

/* What a slice is, beside its workload: an index into a list of each. */
struct variant {
	unsigned witness, place, threads, size, ends, meet, shake;
};

/* How many variants there are for each workload, with so many numbers of threads. */
uint64_t torture_nr_variants(unsigned nr_threads);
/* The variant that a workload of nr meets in a turn. */
struct variant torture_variant(uint64_t workload, uint64_t nr_workloads, uint64_t turn,
			       unsigned nr_threads);

/* Faults, as bits 1 << enum fault, of a table on some traffic. */
struct held {
	unsigned never; /* promised: one is a failure */
	unsigned expected; /* not on keys built for it */
};
struct held torture_held(const struct table_class *c, unsigned sig_bits, bool built_keys);

/*
 * What a table must do on one thread, in a process of its own. 0, and in `broken` what it does
 * not, or an empty text; or -1.
 */
int torture_contract(const struct torture_args *a, struct err *broken, struct err *e);

/* What a command exits with, or -1 and the reason. The verdict is the last line printed. */
int torture_table(const struct torture_args *a, struct err *e);
int torture_controls(const struct torture_args *a, struct err *e);

#endif
