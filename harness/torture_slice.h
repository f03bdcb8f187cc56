/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torture_slice - one audited run of the torture: set up, run, put down
 *
 * A slice that hangs is put down too: the watchdog prints the stacks of its threads, then
 * the row and the verdict are written, and the process ends.
 */
#ifndef TEARLINE_TORTURE_SLICE_H
#define TEARLINE_TORTURE_SLICE_H

#include <stdio.h>
#include "cell.h"
#include "torture.h"

/* What all slices of an invocation share. */
struct bench {
	const struct torture_args *args;
	struct topo *topo;
	struct csv_row base;
	struct csv_writer *csv; /* opened by the first slice that can run */
	FILE *out; /* for the verdict: stderr where the rows go to stdout */
};
int bench_open(struct bench *b, const struct torture_args *a, struct err *e);
/* failed: there is an error already, which stands. 0 or -1. */
int bench_close(struct bench *b, bool failed, struct err *e);

struct torture_slice {
	struct table_spec *table;
	char *workload; /* owned */
	const char *hash, *placement;
	unsigned threads;
	bool witness, shake;
	uint64_t age; /* operations before it; see run.h */
	double age_seconds;
	uint64_t seed, nr;
	double seconds;
	char *repeat; /* the command that runs it again; owned */
	/* once run */
	bool built_keys;
	uint64_t stops; /* within operations, if it was shaken */
	uint64_t aged; /* operations before it, as it came */
	uint64_t fault[NR_FAULTS];
	struct csv_row row[NR_KINDS + 1];
	unsigned nr_rows;
};

/* After an interrupt the slice was shorter than asked for: what it found stands. */
int slice_run(struct bench *b, struct torture_slice *s, struct err *e);
/* Its rows go to the CSV; `failure` (or NULL) goes into their warnings. */
int slice_write(struct bench *b, struct torture_slice *s, const char *failure, struct err *e);
void slice_drop(struct torture_slice *s);

/* "hot-evict:ops=9 (16e, 4 threads, placement core)"; caller frees. */
char *slice_text(const struct torture_slice *s);

/* Where a fault is counted. */
extern const enum csv_column fault_column[NR_FAULTS];
/* "3 torn_reads, 1 lost_stores", or without figures, of those in mask; caller frees. */
char *faults_text(const uint64_t fault[NR_FAULTS], unsigned mask, bool figures);
/* Those that were seen. */
unsigned faults_seen(const uint64_t fault[NR_FAULTS]);

#endif
