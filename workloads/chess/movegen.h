/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * movegen - the legal moves of a position
 *
 * Legal from the start: a pinned piece keeps to its line, and in check only what captures the
 * checker or steps between is made; the king goes where nothing attacks. So how many there
 * are is known without making any, which is what perft counts its last ply by.
 */
#ifndef TEARLINE_CHESS_MOVEGEN_H
#define TEARLINE_CHESS_MOVEGEN_H

#include "board.h"

/* Fill list, of room for MAX_MOVES; returns how many. */
unsigned movegen_all(const struct board *b, uint16_t *list);
/* Captures and promotions alone. */
unsigned movegen_noisy(const struct board *b, uint16_t *list);
/* Neither a capture nor a promotion. */
static inline bool move_is_quiet(const struct board *b, uint16_t move)
{
	return b->on[move_to(move)] == NO_PIECE && move_type(move) != MOVE_PROMOTION &&
	       move_type(move) != MOVE_EN_PASSANT;
}
/* How many moves there are. */
unsigned movegen_count(const struct board *b);

/* Is this word, whatever it is, a legal move? Much cheaper than all moves, but for castling. */
bool move_is_legal(const struct board *b, uint16_t move);

/* The legal move that UCI writes so ("e2e4", "e7e8q", "e1g1"); NO_MOVE: it is none. */
uint16_t move_from_text(const struct board *b, const char *text);

#endif
