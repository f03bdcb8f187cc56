/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * move - a move in 16 bits, as hash tables keep it
 *
 *   from 0-5 | to 6-11 | promoted to, less a knight 12-13 | what it is 14-15
 *
 * Castling is the king's move of two squares. 0 is no move (nothing goes from a1 to a1). A
 * move has one encoding: the promotion bits are 0 where nothing is promoted.
 */
#ifndef TEARLINE_CHESS_MOVE_H
#define TEARLINE_CHESS_MOVE_H

#include "attacks.h"

#define NO_MOVE 0
#define MAX_MOVES 224 /* of a position; 218 are the most that are known */

enum move_type { MOVE_PLAIN, MOVE_PROMOTION, MOVE_EN_PASSANT, MOVE_CASTLING };

static inline uint16_t move_make(unsigned from, unsigned to, enum move_type type)
{
	return (uint16_t)(from | to << 6 | (unsigned)type << 14);
}

static inline uint16_t move_promotion(unsigned from, unsigned to, enum piece p)
{
	return (uint16_t)(move_make(from, to, MOVE_PROMOTION) | (p - KNIGHT) << 12);
}

static inline unsigned move_from(uint16_t m)
{
	return m & 63;
}

static inline unsigned move_to(uint16_t m)
{
	return m >> 6 & 63;
}

static inline enum move_type move_type(uint16_t m)
{
	return (enum move_type)(m >> 14);
}

/* Of a promotion. */
static inline enum piece move_promoted(uint16_t m)
{
	return (enum piece)(KNIGHT + (m >> 12 & 3));
}

#define MOVE_TEXT 6
/* "e2e4", "e7e8q", "e1g1", as UCI has them; "0000" is no move. Returns text. */
char *move_text(uint16_t m, char text[MOVE_TEXT]);

#endif
