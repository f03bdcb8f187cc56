/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * board - a position: sets of pieces, what stands on each square, and its keys
 *
 * Moves are made in place; what cannot be computed back is put into a struct undo. Both keys
 * are Zobrist's (1970): one random word for each thing that is true of the position, all
 * of them XORed, so that a move changes a key by the few words of what it changes.
 *
 *   key       pieces, side to move, castling rights, and the en passant square
 *   pawn_key  pawns alone, of both sides; kings are not in it
 *
 * The en passant square is part of a position only if the pawn can be captured there by a
 * legal move: otherwise two positions in which the same moves are legal would have two keys,
 * and be searched twice. (So FEN's square is dropped where it says nothing.) Counters of
 * moves are in no key.
 */
#ifndef TEARLINE_CHESS_BOARD_H
#define TEARLINE_CHESS_BOARD_H

#include <stdbool.h>

#include "move.h"

#define CASTLE_KING 1u /* white's; black's rights are the same bits two to the left */
#define CASTLE_QUEEN 2u
#define CASTLE_ALL 15u

/* What a move changes beside the pieces, and its reverse does not know. */
struct board_state {
	uint64_t key, pawn_key;
	uint16_t halfmove; /* since the last capture or move of a pawn */
	uint8_t castling; /* rights: CASTLE_* << 2 * side */
	uint8_t ep; /* where a pawn can be captured en passant, or NO_SQUARE */
};

struct board {
	uint64_t by_piece[NR_PIECES];
	uint64_t by_side[NR_SIDES];
	uint8_t on[NR_SQUARES]; /* enum piece; NO_PIECE: empty */
	struct board_state now;
	uint16_t fullmove; /* from 1; counts after black's moves */
	uint8_t side; /* to move */
};

struct undo {
	struct board_state before;
	uint8_t captured; /* enum piece */
};

static inline uint64_t board_occupied(const struct board *b)
{
	return b->by_side[WHITE] | b->by_side[BLACK];
}

static inline uint64_t board_pieces(const struct board *b, enum side s, enum piece p)
{
	return b->by_side[s] & b->by_piece[p];
}

static inline unsigned board_king(const struct board *b, enum side s)
{
	return first_of(board_pieces(b, s, KING));
}

static inline enum side other_side(unsigned s)
{
	return (enum side)(s ^ 1);
}

/* Pieces of both sides that attack the square, if these squares are occupied. */
static inline uint64_t board_attackers(const struct board *b, unsigned sq, uint64_t occupied)
{
	uint64_t queens = b->by_piece[QUEEN];

	return (attack_pawn[BLACK][sq] & board_pieces(b, WHITE, PAWN)) |
	       (attack_pawn[WHITE][sq] & board_pieces(b, BLACK, PAWN)) |
	       (attack_knight[sq] & b->by_piece[KNIGHT]) |
	       (attack_king[sq] & b->by_piece[KING]) |
	       (bishop_attacks(sq, occupied) & (b->by_piece[BISHOP] | queens)) |
	       (rook_attacks(sq, occupied) & (b->by_piece[ROOK] | queens));
}

/* What gives check to the side to move. */
static inline uint64_t board_checkers(const struct board *b)
{
	return board_attackers(b, board_king(b, (enum side)b->side), board_occupied(b)) &
	       b->by_side[other_side(b->side)];
}

/*
 * Would the king of the side to move be safe after this move? The move is one that its piece
 * can make otherwise. `captured`: where the captured piece stands, if there is one.
 */
bool board_king_safe(const struct board *b, unsigned from, unsigned to, unsigned captured);

/* Where the pawn stands that is captured en passant on sq. */
static inline unsigned ep_victim(unsigned sq)
{
	return sq ^ 8;
}

/* Can `us`, to move, capture a pawn en passant on sq by a legal move? */
bool board_ep_legal(const struct board *b, enum side us, unsigned sq);

/* A legal move, and back. */
void board_make(struct board *b, uint16_t move, struct undo *u);
void board_unmake(struct board *b, uint16_t move, const struct undo *u);

/* Let the other side move; not where there is a check. */
void board_make_null(struct board *b, struct undo *u);
void board_unmake_null(struct board *b, const struct undo *u);

/* The keys from scratch: what make keeps up to date. */
uint64_t board_key(const struct board *b);
uint64_t board_pawn_key(const struct board *b);

/*
 * How often the position has been there before, `key[0..nr)` being the keys of all positions
 * before it in order. Nothing from before the last capture or pawn move can recur.
 */
static inline unsigned board_repetitions(const struct board *b, const uint64_t *key,
					 unsigned nr)
{
	unsigned limit = nr < b->now.halfmove ? nr : b->now.halfmove, seen = 0;

	for (unsigned back = 4; back <= limit; back += 2)
		seen += key[nr - back] == b->now.key;
	return seen;
}

#endif
