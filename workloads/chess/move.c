// SPDX-License-Identifier: BSD-2-Clause
/* Moves as text, and whether one that came from anywhere can be played. */
#include <string.h>

#include "movegen.h"

char *move_text(uint16_t m, char text[MOVE_TEXT])
{
	unsigned from = move_from(m), to = move_to(m), i = 0;

	if (m == NO_MOVE)
		return strcpy(text, "0000");
	text[i++] = (char)('a' + file_of(from));
	text[i++] = (char)('1' + rank_of(from));
	text[i++] = (char)('a' + file_of(to));
	text[i++] = (char)('1' + rank_of(to));
	if (move_type(m) == MOVE_PROMOTION)
		text[i++] = "nbrq"[move_promoted(m) - KNIGHT];
	text[i] = 0;
	return text;
}

uint16_t move_from_text(const struct board *b, const char *text)
{
	uint16_t list[MAX_MOVES];
	unsigned nr = movegen_all(b, list);
	char one[MOVE_TEXT];

	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(move_text(list[i], one), text))
			return list[i];
	return NO_MOVE;
}

static bool castling_is_legal(const struct board *b, uint16_t move)
{
	uint16_t list[MAX_MOVES];
	unsigned nr = movegen_all(b, list);

	for (unsigned i = 0; i < nr; i++)
		if (list[i] == move)
			return true;
	return false;
}

/* Could the pawn go there, if its king were safe? Not en passant. */
static bool pawn_reaches(const struct board *b, enum side us, unsigned from, unsigned to)
{
	uint64_t occupied = board_occupied(b);
	uint64_t one = forward(us, SET(from)), two = forward(us, one & RANK_OF(us, 3));

	if (attack_pawn[us][from] & SET(to))
		return occupied & SET(to);
	if (one & SET(to))
		return !(occupied & one);
	return two & SET(to) && !(occupied & (one | two));
}

static bool reaches(const struct board *b, enum side us, uint16_t move)
{
	unsigned from = move_from(move), to = move_to(move);
	enum move_type type = move_type(move);
	enum piece p = (enum piece)b->on[from];

	if (p != PAWN)
		return type == MOVE_PLAIN &&
		       piece_attacks(p, from, board_occupied(b)) & SET(to);
	if (type == MOVE_EN_PASSANT)
		return to == b->now.ep && attack_pawn[us][from] & SET(to);
	return (type == MOVE_PROMOTION) == ((SET(to) & RANK_OF(us, 8)) != 0) &&
	       pawn_reaches(b, us, from, to);
}

bool move_is_legal(const struct board *b, uint16_t move)
{
	enum side us = (enum side)b->side;
	unsigned from = move_from(move), to = move_to(move), captured = to;
	enum move_type type = move_type(move);

	/* one encoding each */
	if (type != MOVE_PROMOTION && move_promoted(move) != KNIGHT)
		return false;
	if (!(b->by_side[us] & SET(from)) || b->by_side[us] & SET(to))
		return false;
	if (type == MOVE_CASTLING)
		return b->on[from] == KING && castling_is_legal(b, move);
	if (type == MOVE_EN_PASSANT)
		captured = ep_victim(to);
	if (!reaches(b, us, move))
		return false;
	return board_king_safe(b, from, to, captured);
}
