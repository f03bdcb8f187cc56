/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torture - does a table keep its promises, for as long as one cares to wait?
 *
 * Short audited runs, slices, one after another, each with its own seed: every workload
 * that the table can hold meets every placement, with a CPU a thread and with fewer, on
 * a few lines and on many. What counts as a fault is what the table promised not to do.
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
};

/* Faults, as bits 1 << enum fault, of a table on some traffic. */
struct held {
	unsigned never; /* promised: one is a failure */
	unsigned expected; /* not on keys built for it */
};
struct held torture_held(const struct table_class *c, unsigned sig_bits, bool built_keys);

/* What a command exits with, or -1 and the reason. The verdict is the last line printed. */
int torture_table(const struct torture_args *a, struct err *e);
int torture_controls(const struct torture_args *a, struct err *e);

#endif
