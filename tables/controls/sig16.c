// SPDX-License-Identifier: BSD-2-Clause
/*
 * sig16 - too little to tell keys apart: the plain layout with 16 bits of the key
 *
 * Two keys of a line with the same low 16 bits are one to it. That takes no race, and
 * happens as often as theory says: a probe of an absent key meets the T entries of its
 * line and finds one that passes for its own with 1 - (1 - 2^-16)^T. Many engines live
 * with that. Nothing tears: lines are read and written under the seqlock.
 */
#include "seqlock.h"

#define TABLE sig16
#define SEQLOCK(name) seqlock_ck_##name
#define SEQLOCK_IN_LINE 0
#include "seqlock_variant.h"

static int sig16_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &sig16_loops;
	return seqlock_create_beside(t, p, 0, e);
}

static struct table_class sig16_class = {
	.name = "sig16",
	.summary = "seqlock, but of a key it stores and compares the low 16 bits only",
	.reference = "Stockfish (16-bit keys)",
	.probe_progress = "blocking (retries while a writer is inside)",
	.store_progress = "blocking",
	.probe_writes = "nothing",
	.promises = PROMISE_NO_TEAR,
	LINE_CLASS_AS(LINE_KINDS, 16, "16 bytes, pawn 64"),
	.broken = true,
	.control = &(struct control){ "uniform", 1, 1u << FAULT_WRONG_KEY, "16-bit signatures",
				      .witness = false },
	.options = { REFRESH_OPTION },
	.create = sig16_create,
};
TABLE_REGISTER(sig16);
