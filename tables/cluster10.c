// SPDX-License-Identifier: BSD-2-Clause
/*
 * cluster10 - what the strongest engine does: entries of 10 bytes, three in 32, unprotected
 *
 * After Stockfish's transposition table: beside the data word stand 16 bits of the key, in
 * lines that are half a cache line and never straddle two. That is twice as many lines as
 * 16-byte entries have in the same memory, of three slots: half as many entries again. It
 * takes another key's entry for its own with 1 - (1 - 2^-16)^3 for each probe of a full
 * line that does not hold the key: the engine must live with wrong moves, and checks them.
 *
 * What is kept is our policy's, for lines of three slots, so that a difference in speed is
 * one of the layout; Stockfish's own choice of a victim by depth and age is another matter.
 *
 * Promises: nothing. Data and signature are two accesses, and what lies between them is torn;
 * and of the keys that meet in a line one in 2^16 passes for another.
 */
#include "line.h"
#include "template.h"

#define TABLE cluster10
#define LINE_EXCLUSION LINE_FREE
#define LINE_SLOTS 3
#define LINE_BYTES(kind) 32
#define NARROW_BITS 16

static __always_inline uint64_t T(fold)(uint64_t sig, uint64_t word)
{
	return sig;
}

/* The signature needs no care: it is equal. */
static __always_inline bool T(replace)(atomic_word *line, unsigned s, uint64_t sig,
				       uint64_t old, uint64_t new)
{
	return cmpxchg64_relaxed(&line[s], old, new);
}

#include "narrow.h"

#include "line_table.h"

static int cluster10_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &cluster10_loops;
	return line_create(t, p, e);
}

static struct table_class cluster10_class = {
	.name = "cluster10",
	.summary = "10-byte entries with 16-bit keys, three in 32 bytes, no protection",
	.reference = "Stockfish",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS_AS(1u << KIND_TT | 1u << KIND_KV, NARROW_BITS, "10.7 bytes"),
	.options = { REFRESH_OPTION, INDEX_OPTION, MATE_OPTION },
	.create = cluster10_create,
};
TABLE_REGISTER(cluster10);
