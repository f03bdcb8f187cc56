// SPDX-License-Identifier: BSD-2-Clause
#include "board.h"

#include "zobrist.h"

/* Rights that are left when something moves from or to a square. */
static inline uint8_t rights_after(uint8_t rights, unsigned from, unsigned to)
{
	static const uint8_t lost[NR_SQUARES] = {
		[SQ_A1] = CASTLE_QUEEN,
		[SQ_E1] = CASTLE_KING | CASTLE_QUEEN,
		[SQ_H1] = CASTLE_KING,
		[SQ_A8] = CASTLE_QUEEN << 2,
		[SQ_E8] = (CASTLE_KING | CASTLE_QUEEN) << 2,
		[SQ_H8] = CASTLE_KING << 2,
	};

	return (uint8_t)(rights & ~(lost[from] | lost[to]));
}

/* Put a piece on an empty square or take it away: the sets alone. */
static inline void toggle(struct board *b, unsigned side, unsigned piece, uint64_t set)
{
	b->by_side[side] ^= set;
	b->by_piece[piece] ^= set;
}

static inline void key_toggle(struct board *b, unsigned side, unsigned piece, unsigned sq)
{
	b->now.key ^= zobrist.piece[side][piece][sq];
	if (piece == PAWN)
		b->now.pawn_key ^= zobrist.piece[side][PAWN][sq];
}

bool board_king_safe(const struct board *b, unsigned from, unsigned to, unsigned captured)
{
	enum side us = (enum side)b->side;
	uint64_t gone = captured == NO_SQUARE ? 0 : SET(captured);
	uint64_t occupied = ((board_occupied(b) ^ SET(from)) & ~gone) | SET(to);
	unsigned king = b->on[from] == KING ? to : board_king(b, us);

	return !(board_attackers(b, king, occupied) & b->by_side[other_side(us)] & ~gone);
}

bool board_ep_legal(const struct board *b, enum side us, unsigned sq)
{
	uint64_t pawns = attack_pawn[other_side(us)][sq] & board_pieces(b, us, PAWN);

	while (pawns)
		if (board_king_safe(b, take_first(&pawns), sq, ep_victim(sq)))
			return true;
	return false;
}

/* The rook's squares, by the king's. */
static inline void rook_of_castling(unsigned king_to, unsigned *from, unsigned *to)
{
	bool short_side = file_of(king_to) == file_of(SQ_G1);

	*from = (king_to & 56) + (short_side ? SQ_H1 : SQ_A1);
	*to = (king_to & 56) + (short_side ? SQ_F1 : SQ_D1);
}

static void move_rook(struct board *b, unsigned side, unsigned from, unsigned to)
{
	toggle(b, side, ROOK, SET(from) | SET(to));
	b->on[from] = NO_PIECE;
	b->on[to] = ROOK;
}

/* After a pawn's double step by the side that has moved: can it be captured en passant? */
static void allow_ep(struct board *b, unsigned from, unsigned to)
{
	unsigned sq = (from + to) / 2;

	if (!board_ep_legal(b, (enum side)b->side, sq))
		return;
	b->now.ep = (uint8_t)sq;
	b->now.key ^= zobrist.ep[sq];
}

static void capture(struct board *b, unsigned side, unsigned piece, unsigned sq)
{
	toggle(b, side, piece, SET(sq));
	b->on[sq] = NO_PIECE;
	key_toggle(b, side, piece, sq);
	b->now.halfmove = 0;
}

void board_make(struct board *b, uint16_t move, struct undo *u)
{
	unsigned us = b->side, them = us ^ 1;
	unsigned from = move_from(move), to = move_to(move);
	enum move_type type = move_type(move);
	unsigned moved = b->on[from];
	unsigned becomes = type == MOVE_PROMOTION ? move_promoted(move) : moved;
	unsigned victim = type == MOVE_EN_PASSANT ? ep_victim(to) : to;
	uint8_t rights = rights_after(b->now.castling, from, to);

	u->before = b->now;
	u->captured = b->on[victim];
	b->now.key ^= zobrist.black ^ zobrist.ep[b->now.ep] ^
		      zobrist.castling[b->now.castling] ^ zobrist.castling[rights];
	b->now.castling = rights;
	b->now.ep = NO_SQUARE;
	b->now.halfmove++;
	if (u->captured != NO_PIECE)
		capture(b, them, u->captured, victim);
	toggle(b, us, moved, SET(from));
	toggle(b, us, becomes, SET(to));
	b->on[from] = NO_PIECE;
	b->on[to] = (uint8_t)becomes;
	key_toggle(b, us, moved, from);
	key_toggle(b, us, becomes, to);
	b->side = (uint8_t)them;
	b->fullmove = (uint16_t)(b->fullmove + us);
	if (moved == PAWN) {
		b->now.halfmove = 0;
		if ((from ^ to) == 16)
			allow_ep(b, from, to);
	} else if (type == MOVE_CASTLING) {
		unsigned rook_from, rook_to;

		rook_of_castling(to, &rook_from, &rook_to);
		move_rook(b, us, rook_from, rook_to);
		key_toggle(b, us, ROOK, rook_from);
		key_toggle(b, us, ROOK, rook_to);
	}
}

void board_unmake(struct board *b, uint16_t move, const struct undo *u)
{
	unsigned us = b->side ^ 1, them = b->side;
	unsigned from = move_from(move), to = move_to(move);
	enum move_type type = move_type(move);
	unsigned moved = type == MOVE_PROMOTION ? PAWN : b->on[to];
	unsigned victim = type == MOVE_EN_PASSANT ? ep_victim(to) : to;

	toggle(b, us, b->on[to], SET(to));
	toggle(b, us, moved, SET(from));
	b->on[to] = NO_PIECE;
	b->on[from] = (uint8_t)moved;
	if (u->captured != NO_PIECE) {
		toggle(b, them, u->captured, SET(victim));
		b->on[victim] = u->captured;
	}
	if (type == MOVE_CASTLING) {
		unsigned rook_from, rook_to;

		rook_of_castling(to, &rook_from, &rook_to);
		move_rook(b, us, rook_to, rook_from);
	}
	b->now = u->before;
	b->side = (uint8_t)us;
	b->fullmove = (uint16_t)(b->fullmove - us);
}

void board_make_null(struct board *b, struct undo *u)
{
	u->before = b->now;
	u->captured = NO_PIECE;
	b->now.key ^= zobrist.black ^ zobrist.ep[b->now.ep];
	b->now.ep = NO_SQUARE;
	b->now.halfmove++;
	b->fullmove = (uint16_t)(b->fullmove + b->side);
	b->side ^= 1;
}

void board_unmake_null(struct board *b, const struct undo *u)
{
	b->side ^= 1;
	b->fullmove = (uint16_t)(b->fullmove - b->side);
	b->now = u->before;
}

static uint64_t keys_of(const struct board *b, enum piece p)
{
	uint64_t key = 0;

	for (unsigned side = 0; side < NR_SIDES; side++)
		for (uint64_t left = board_pieces(b, (enum side)side, p); left;)
			key ^= zobrist.piece[side][p][take_first(&left)];
	return key;
}

uint64_t board_pawn_key(const struct board *b)
{
	return keys_of(b, PAWN);
}

uint64_t board_key(const struct board *b)
{
	uint64_t key = zobrist.castling[b->now.castling] ^ zobrist.ep[b->now.ep];

	for (unsigned p = 0; p < NR_PIECES; p++)
		key ^= keys_of(b, (enum piece)p);
	return b->side == BLACK ? key ^ zobrist.black : key;
}
