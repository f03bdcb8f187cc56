/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner - what a replaying thread does, from the first clear to its last epoch
 *
 * run.c makes a struct run, whose crew (crew.h) has as many threads as its traffic has
 * streams.
 */
#ifndef TEARLINE_RUNNER_H
#define TEARLINE_RUNNER_H

#include "crew.h"
#include "run.h"
#include "shake.h"

struct run;

/* Recorded pacing: the clock that says when operations are due. */
struct pace {
	bool on; /* while it measures */
	uint64_t start; /* when the epoch, or the lap, began: what due times count from */
	uint64_t late; /* operations; see LATE_NS */
};

struct runner {
	struct member m; /* first */
	struct run *run;
	const struct stream *stream;
	size_t epoch, at; /* where the epoch began in the stream; next operation */
	bool through; /* the stream was played to its end */
	size_t event; /* next event */
	uint64_t start, end; /* of the epoch */
	/* The window: from the start until one thread is through its part of the epoch. */
	bool window_open;
	uint64_t window_end, window_ops; /* time; operations before it */
	uint64_t window_done; /* operations in it */
	uint64_t busy_ns, busy_ops; /* in windows */
	uint64_t ops, preempted; /* in all */
	struct pace pace;
	struct shake shake;
	uint64_t aged; /* operations before the audit */
	size_t chunk; /* operations between two looks at the stop flag, as it is now */
	uint32_t ticks; /* when it looked last */
	uint64_t cpu_ns, wall_ns; /* had of the CPU while measuring, and could have had */
};

enum stop {
	STOP_NO,
	STOP_EPOCH, /* the time is over; what is to be a whole epoch may become one */
	STOP_NOW,
};

struct run {
	const struct run_params *p;
	struct table *table[NR_KINDS];
	table_replay_fn *replay[NR_KINDS]; /* the loop that serves a kind's operations */
	table_replay_fn *age[NR_KINDS]; /* the same before an audit, as if there were none */
	bool one_loop; /* all are the same */
	struct crew crew;
	struct runner *runner; /* its members */
	unsigned threads;
	struct audit audit;
	_Atomic uint32_t stop; /* enum stop: chunks end */
	_Atomic uint32_t ticks; /* of the time keeper: what tells slow chunks */
	_Atomic uint32_t unfinished; /* threads not yet through their part of the epoch */
	_Atomic uint32_t clearing; /* threads that clear: it takes as long as memory does */
	/* written by the leader between two meetings, read by all after the second */
	bool done;
	bool clear_whole[NR_KINDS]; /* the table, and not what the epoch wrote */
	uint64_t pass;
	uint64_t whole_ns, window_ns, overlap_ns; /* over all epochs */
	uint64_t window_done; /* operations of threads that had begun before a window ended */
	_Atomic uint64_t pace_start; /* of the epoch: the first thread's start; 0: none yet */
	_Atomic uint64_t epoch_start; /* 0 while the clock stands; for the time keeper */
	_Atomic uint64_t replayed_ns; /* in the epochs before */
};

/* Add the times of an epoch, of which all threads are through, to the run's. */
void runner_add_epoch(struct run *run);
/* What the times and counts of the threads and of the run come to. */
void run_collect_times(const struct run *run, struct run_result *r);

/* The work of one thread of the crew; of its struct runner, run and stream are set. */
void runner_work(struct member *m);

#endif
