/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * score - values in hundredths of a pawn, and pairs of them
 *
 * An evaluation is made twice, for a full board and for an empty one, and the two are mixed by
 * what is left of the pieces. Both are kept in one int, the second in the upper half, so that
 * one addition adds both: the lower half's borrow is given back when the upper is taken out.
 */
#ifndef TEARLINE_CHESS_SCORE_H
#define TEARLINE_CHESS_SCORE_H

#include "policy.h"

#define SCORE_INFINITY TT_INFINITY
/* Mate in n plies is SCORE_INFINITY - n; from here on it is one. */
#define SCORE_MATE TT_MATE_DEFAULT
/* No evaluation is beyond this, on either side of 0. */
#define SCORE_MAX_STATIC 20000
#define SCORE_DRAW 0

#define PAIR(middle, end) ((int)((unsigned)(end) << 16) + (middle))

static inline int pair_middle(int pair)
{
	return (int16_t)pair;
}

static inline int pair_end(int pair)
{
	return (int16_t)(((unsigned)pair + 0x8000u) >> 16);
}

static inline int score_clamp(int score, int limit)
{
	return score > limit ? limit : score < -limit ? -limit : score;
}

#endif
