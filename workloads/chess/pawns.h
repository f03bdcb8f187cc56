/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pawns - what an evaluation knows from the pawns alone
 *
 * It changes with a few moves only, so it is kept in the pawn table: seven words, of which a
 * torn entry may have some of one position and some of another. Nothing here may rely on what
 * comes from there: sets are only ever intersected with the board's.
 */
#ifndef TEARLINE_CHESS_PAWNS_H
#define TEARLINE_CHESS_PAWNS_H

#include "cache.h"
#include "board.h"

struct pawns {
	int score; /* a pair, for white */
	uint64_t passed; /* of both sides */
	uint64_t attacks[NR_SIDES]; /* squares that pawns attack */
	uint64_t reach[NR_SIDES]; /* ... and those they will attack when they have advanced */
	uint8_t open[NR_SIDES]; /* files without a pawn of this side */
};

/* From the table, or worked out and put there. */
void pawns_get(const struct board *b, struct cache *c, struct pawns *out);
/* Worked out. */
void pawns_look(const struct board *b, struct pawns *out);

#endif
