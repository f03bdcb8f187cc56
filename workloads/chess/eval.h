/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eval - what a position is worth without looking ahead
 *
 * Material and squares, mobility, pawns and the way to the eighth rank, the king's cover: for
 * the side to move, in hundredths of a pawn, and the same for a position and its mirror image
 * with colours exchanged. It is there to cause an engine's traffic, and made to be good
 * enough that a search by it goes where an engine's would.
 */
#ifndef TEARLINE_CHESS_EVAL_H
#define TEARLINE_CHESS_EVAL_H

#include "cache.h"
#include "board.h"

/* From the evaluation table, or worked out and put there; of no more than SCORE_MAX_STATIC. */
int eval(const struct board *b, struct cache *c);
/* Worked out; pawns may come from their table. */
int eval_look(const struct board *b, struct cache *c);

#endif
