/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traffic - what each replaying thread does, settled before the clock starts
 *
 * A recorded trace has as many streams as the engine had threads; a run has as many as
 * it was asked for. Dealing turns one into the other, drops kinds that are not
 * replayed, settles bounds the engine left open, and takes events out of the
 * operations, so that the measured loop meets probes and stores only. Workloads make
 * the same thing from nothing but a seed.
 */
#ifndef TEARLINE_TRAFFIC_H
#define TEARLINE_TRAFFIC_H

#include "audit.h"
#include "trace.h"

/*
 * Threads and recorded streams that differ in number. Fewer threads: streams are merged
 * by time stamp, ties by stream number, whatever this says. More:
 *   split  contiguous chunks of a stream, round robin over its threads
 *   clone  each thread has the whole stream, rotated by i/n
 *   salt   clone, and the low 32 key bits differ by a constant: nothing is shared
 */
enum deal { DEAL_SPLIT, DEAL_CLONE, DEAL_SALT };
#define DEAL_CHOICES "split|clone|salt"

/* Recorded clears, and repetitions of the streams. */
enum clears {
	CLEARS_BARRIER, /* all threads meet, the clock stops, all clear in parallel */
	CLEARS_LIVE, /* the thread that recorded it clears the whole table amid traffic */
	CLEARS_DROP, /* nothing is cleared; a repetition goes on with the table as it is */
};
#define CLEARS_CHOICES "barrier|live|drop"

/*
 * When an operation is done: as soon as the one before it is, or no earlier than it was
 * recorded, counted from the first operation of all streams, or from the clear for which all
 * met last.
 */
enum pacing { PACING_ASAP, PACING_RECORDED };
#define PACING_CHOICES "asap|recorded"

/* Between two operations of a stream. */
enum event_type {
	EVENT_GENERATION, /* a new search begins */
	EVENT_EPOCH, /* all threads meet and clear; every stream has as many of these */
	EVENT_CLEAR, /* this thread clears everything while the others go on */
};

struct event {
	size_t at; /* before this operation */
	enum event_type type;
	uint64_t due; /* as an operation's */
};

struct stream {
	struct trace_op *op; /* nr, and MAX_LOOKAHEAD more from the front for prefetches */
	size_t nr;
	uint64_t *due; /* recorded pacing: of each, ns since its epoch began; else NULL */
	struct event *event; /* ascending */
	size_t nr_events;
};

struct traffic {
	char name[64];
	uint64_t hash; /* identifies the operations before dealing */
	int mate;
	unsigned kinds; /* 1 << enum kind, those that occur */
	unsigned still_bits[NR_KINDS]; /* see trace_still_bits() */
	unsigned threads;
	struct stream *stream; /* one a thread */
	enum deal deal;
	size_t recorded_streams; /* 0: a workload, made for each thread */
	enum clears clears;
	enum pacing pacing;
	uint64_t span_ns; /* recorded pacing: from the first operation to the last */

	/* Workloads: stores done before each run, off the clock; number i of nr. So many in
	 * a row share a line, and one thread does them: losing keys comes later. */
	uint64_t preload_nr;
	unsigned preload_per_line;
	struct trace_op (*preload_op)(const struct traffic *t, uint64_t i);
	bool updates_only; /* nothing can be evicted: exact mode applies */
	bool built_keys; /* against xor: see PROMISE_HONEST_KEYS */
	bool own_serials; /* audit: a store's `move` is the serial of its stamp */
};

/* What is to become of a trace. */
struct dealing {
	unsigned kinds; /* 1 << enum kind; those that do not occur are left out */
	unsigned threads;
	enum deal deal;
	enum clears clears;
	enum pacing pacing;
	uint64_t seed;
};

/* 0 or -1: none of the kinds occurs, there are no times for recorded pacing, ... */
int traffic_from_trace(const struct trace *trace, const struct dealing *d, struct traffic **out,
		       struct err *e);

/*
 * Make a workload, of those that workload_name() names, with options as a table has them
 * ("uniform:store=50"), for line tables of its kinds, all of this size. 0 or -1.
 */
int traffic_from_workload(const char *spec, const struct table_size *size, unsigned threads,
			  uint64_t seed, struct traffic **out, struct err *e);

/* ... of these sizes, by kind. */
int traffic_from_workload_sizes(const char *spec, const struct table_size size[NR_KINDS],
				unsigned threads, uint64_t seed, struct traffic **out,
				struct err *e);

/* The names of all workloads, one after another; NULL: no more. */
const char *workload_name(size_t i);
/* The kinds of entry a workload is about, as bits; and the first. 0 or -1. */
int workload_kinds(const char *spec, unsigned *kinds, struct err *e);
int workload_kind(const char *spec, enum kind *out, struct err *e);

void traffic_free(struct traffic *t);

/* Operation counts over all streams. */
void traffic_count(const struct traffic *t, uint64_t count[NR_OPS]);
/* Every key a kind may store, preloaded ones included; the set's array is the caller's. */
void traffic_keys(const struct traffic *t, enum kind kind, struct key_set *out);

/* The streams' memory, huge pages advised, with room for the lookahead. */
void stream_alloc(struct stream *s, size_t nr);
/* After filling op[0..nr): repeat the front behind the end. */
void stream_seal(struct stream *s);
/* Events come in the order of their places. */
void stream_event(struct stream *s, size_t at, enum event_type type, uint64_t due);

/* What can follow --workload, for help and the manual. */
extern const char workload_help[];

#endif
