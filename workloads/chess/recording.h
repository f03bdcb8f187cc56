/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording - what the threads of a search do to their tables, written down as they do it
 *
 * Each thread has buffers of its own (record.h), so that recording takes no lock and nothing
 * that another thread writes. A full buffer is put aside for the next, of those that were made
 * and touched before the search: fresh memory costs a search more than all the rest of it.
 * Where a search outlasts them, one is made then and there, between two operations and before
 * the stamp of the second: a gap in the trace, and in no operation. Together they take at most
 * what recording_create() was told; a thread that has used up its share counts what it drops
 * from then on. When all is over they become one trace file.
 *
 * New generations and clears are the first thread's, as record.h asks, written while none of
 * them runs.
 */
#ifndef TEARLINE_CHESS_RECORDING_H
#define TEARLINE_CHESS_RECORDING_H

#include "record.h"
#include "table.h"

/* One thread's. */
struct recorder {
	struct tlrec now; /* where the next operation goes: of the last that is used */
	struct tlrec *buffer;
	size_t nr, used; /* those behind are for the search to come */
	uint64_t room; /* operations that may still get a buffer */
} __attribute__((aligned(128)));

struct recording;

/* A quarter of the machine's memory: as much again is needed to write the file. */
uint64_t recording_usual_ops(void);
/* For up to so many operations, shared out among the threads. */
struct recording *recording_create(unsigned threads, uint64_t max_ops);
void recording_free(struct recording *r);

struct recorder *recording_of(struct recording *r, unsigned thread);
/* While no thread is at work. The first: buffers for the search to come. */
void recording_reserve(struct recording *r);
void recording_generation(struct recording *r, uint64_t key);
void recording_clear(struct recording *r);

uint64_t recording_ops(const struct recording *r);
uint64_t recording_dropped(const struct recording *r);

/* The trace file, whole or not at all; the records are gone after it. 0 or -1. */
int recording_write(struct recording *r, const char *path, const char *source, struct err *e);

/* Another buffer, if there may be one. */
void recorder_more(struct recorder *r);

static __always_inline bool recorder_on(const struct recorder *r)
{
	return __builtin_expect(r != NULL, 0);
}

static __always_inline enum tlrec_hit recorder_hit(bool hit, bool usable)
{
	return hit ? usable ? TLREC_USABLE : TLREC_FOUND : TLREC_MISS;
}

/* Before an operation: its time. NULL: nobody records. */
static __always_inline uint64_t recorder_stamp(struct recorder *r)
{
	if (!recorder_on(r))
		return 0;
	if (__builtin_expect(r->now.nr == r->now.capacity, 0))
		recorder_more(r);
	return tlrec_now();
}

#endif
