/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run - one cell: pinned threads replay their streams on a table while the clock runs
 *
 * Phases: create the tables, start the threads, pin, clear in parallel (the first touch),
 * preload, one pass to warm up, clear again, then measured epochs. All threads meet
 * before and after each epoch; clears are outside. Speed is measured in a window: from an
 * epoch's start until the first thread is through its part of it. Recorded streams are
 * uneven, and what the others do alone afterwards is done and counted, but not timed. At
 * rest the audit walks the tables.
 */
#ifndef TEARLINE_RUN_H
#define TEARLINE_RUN_H

#include "audit.h"
#include "topo.h"
#include "traffic.h"

struct run_params {
	const struct table_spec *table;
	const struct traffic *traffic;
	const struct topo *topo;
	const struct placement *placement; /* a CPU for each stream of the traffic */
	struct table_size size[NR_KINDS];
	const char *size_text[NR_KINDS]; /* "--hash 16", for messages */
	enum mem_pages pages;
	double seconds; /* of replay; 0: passes decide */
	uint64_t passes;
	enum caller caller;
	unsigned lookahead;
	bool audit;
	bool witness; /* in an audit: see witness.h */
	uint64_t seed;
	bool shake; /* see shake.h */
	/*
	 * In an audit: so many operations before it, on the same table, that nobody looks at; then
	 * it is cleared. No longer than for so long.
	 */
	uint64_t age;
	double age_seconds;
	/* optional: now and then, how many seconds of a run for a time are replayed */
	void (*tick)(void *arg, double replayed);
	void *tick_arg;
	/*
	 * optional: called once no thread has begun an operation for so long,
	 * when every thread's stack is on stderr. The threads can never be joined: it must
	 * end the process.
	 */
	uint64_t watchdog_ns;
	void (*hung)(void *arg);
	void *hung_arg;
};

/* Recorded pacing: what is later than this is no jitter, but an operation that waited. */
#define LATE_NS 10000u

/* What is known of one kind's table after the run. */
struct run_table {
	uint64_t bytes, entries;
	unsigned sig_bits, sig_counts; /* of a signature; of them, see table_sig_counts() */
	char page_size[16];
	struct counts n; /* over all threads */
	struct rest_faults rest; /* audit */
	bool witness; /* what the judge says was counted */
};

struct run_result {
	struct run_table table[NR_KINDS];
	uint64_t ops;
	double seconds; /* timed: sum of the windows */
	double replay_seconds; /* sum of the epochs' wall times */
	double overlap; /* the windows' share of the epochs' wall time */
	double mops, ns_per_op; /* in the windows; NAN if threads hardly ran at the same time */
	double whole_seconds; /* from create to destroy */
	uint64_t shaken; /* times that a thread was stopped within operations */
	uint64_t aged; /* operations before the audit */
	uint64_t late; /* recorded pacing: operations begun after LATE_NS and more */
	uint64_t preempted; /* involuntary context switches while measuring */
	double cpu_share; /* of the time while measuring, the threads had a CPU */
	uint64_t throttled; /* periods in which a CPU quota stopped them, see quota.h */
	bool exact; /* the four below are filled */
	uint64_t false_misses, lost_stores;
	uint64_t proved, overclaimed; /* what the judge knew of the former; see audit.h */
};

/*
 * 0 or -1. After an interrupt (interrupt.h) it returns early; the result is then of less
 * than what was asked for, and the caller drops it.
 */
int run_cell(const struct run_params *p, struct run_result *r, struct err *e);

/*
 * What the audit counted, over all kinds and at rest, by enum fault. Where exact mode
 * decided every miss, its figures are the ones.
 */
void run_faults(const struct run_result *r, uint64_t fault[NR_FAULTS]);

/* Can the tables of this cell be had? Makes them and drops them, untouched. 0 or -1. */
int run_check(const struct run_params *p, struct err *e);

/* ns per operation of a floor table ("null", "stream") on the same traffic. */
int run_floor(const struct run_params *p, const char *table, double *ns, struct err *e);

#endif
