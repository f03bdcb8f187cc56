/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness - who did what to a line, in an order that all threads agree on
 *
 * Beside the audited table, in memory of its own, stands a counter for each line (or for
 * several: there are at most WITNESS_COUNTERS, and every record names its line). An
 * operation takes a stamp from it before its first access to the line and another after its
 * last, each by a sequentially consistent read-modify-write. What it was and what came of
 * it goes to a log that only its own thread writes, so that watching costs the watched
 * little more than the stamps. From the logs of all threads a line's history is put
 * together when there is something to judge (judge.h).
 *
 * It is known what is missing: every stamp of a counter was taken by one operation, and a
 * history reaches as far back as each stamp was found in a log. Operations that straddle all
 * of it have no stamp inside: but the counter also holds how many are under way, in the same
 * word, so whoever takes the last stamp learns how many there must be; if not as many are
 * found, nothing is known.
 *
 * The stamps are fences, and so hide faults of a store buffer.
 */
#ifndef TEARLINE_WITNESS_H
#define TEARLINE_WITNESS_H

#include "judge.h"
#include "util.h"

#define WITNESS_COUNTERS (1u << 18)
#define WITNESS_LOG_DEPTH 8192u /* operations of a thread */
/* Stamps before the point of interest that a history can reach back. */
#define WITNESS_REACH 256u
/* Operations with a stamp among twice as many, and some around them. */
#define WITNESS_MAX_OPS 640u

#define WITNESS_SLOTS 8 /* of a line: bits of a mask */

struct witness;

/* An operation between its two stamps. */
struct witness_mark {
	struct witness *w;
	struct witness_record *record; /* in the thread's log */
	uint64_t line, start, end;
	uint64_t others; /* under way at the end */
	uint32_t epoch; /* counts clears at which all threads met: nothing reaches across */
	bool quiet; /* nothing else was under way at the start */
};

/* For a table of so many lines; NULL: no memory. */
struct witness *witness_create(uint64_t lines, unsigned threads);
void witness_free(struct witness *w);

/* Thread `id` takes the first stamp. `op` needs type and key. */
void witness_begin(struct witness *w, unsigned id, uint64_t line, uint32_t epoch,
		   struct witness_op *op, struct witness_mark *m);
/* It takes the second, with what came of it in `op`. True if nothing else was under way in
 * between: then nobody else touched the line. */
bool witness_end(struct witness_mark *m, struct witness_op *op);

/*
 * The history of the mark's line from stamp `since` to the mark's end, and before that what
 * comes along, or, `far`, as much as can be had within WITNESS_REACH: on a line where little
 * happens that takes the logs' whole depth. Operations that began in it and are under way are
 * waited for, a little. The mark's own is left out. The array holds WITNESS_MAX_OPS.
 */
void witness_history(const struct witness_mark *m, uint64_t since, bool far,
		     struct witness_op *op, struct history *out);

/* Has no operation begun on the line since the mark's ended? */
bool witness_undisturbed(const struct witness_mark *m);

/*
 * Is there reason to ask whether a hit is old: did another store of the key end last on its
 * slot (unless `slotted`: on any), or, on its slot, a clear or, `placed`, a store of another key?
 * Cheap, and no proof.
 */
bool witness_suspects(const struct witness_mark *m, const struct returned *r);

/* Or a miss: did a store of the key end last on some slot? Likewise. */
bool witness_expects(const struct witness_mark *m, uint64_t key);
/* Expect it no more. Of several threads that call it one is told that it did. */
bool witness_forget(const struct witness_mark *m, uint64_t key);

/*
 * After the join: the last store of each line of the last epoch that nothing since can have
 * removed, as far as the logs reach.
 */
typedef void witness_last_fn(void *arg, uint64_t line, const struct witness_op *store);
void witness_last_stores(struct witness *w, uint32_t epoch, witness_last_fn *fn, void *arg);

#endif
