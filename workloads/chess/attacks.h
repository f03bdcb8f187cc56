/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attacks - squares, sets of squares, and where pieces reach on a board
 *
 * Squares count a1 = 0, b1 = 1 ... h8 = 63, a set of squares is a word with a bit for each.
 *
 * Sliding pieces: on a file or diagonal the squares in reach are those that a subtraction's
 * borrow runs over: o ^ (o - 2r) for occupied squares o and a rook r, done once upwards and,
 * with the bytes of the word reversed, once downwards ("hyperbola quintessence"; Hyatt and
 * others on computerchess lists, Leiserson's subtraction trick). A rank has only one byte,
 * which a table of 512 bytes knows. All tables together are 36 KiB, of which moves touch
 * little, where magic multiplication has 800 KiB: what is at work here must leave the caches
 * to the hash tables.
 */
#ifndef TEARLINE_CHESS_ATTACKS_H
#define TEARLINE_CHESS_ATTACKS_H

#include <stdint.h>

enum side { WHITE, BLACK, NR_SIDES };
enum piece { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NR_PIECES, NO_PIECE = NR_PIECES };

enum square {
	SQ_A1 = 0,
	SQ_C1 = 2,
	SQ_D1 = 3,
	SQ_E1 = 4,
	SQ_F1 = 5,
	SQ_G1 = 6,
	SQ_H1 = 7,
	SQ_A8 = 56,
	SQ_E8 = 60,
	SQ_H8 = 63,
	NR_SQUARES = 64,
	NO_SQUARE = NR_SQUARES
};

#define SET(sq) (1ull << (sq))
#define FILE_A 0x0101010101010101ull
#define FILE_H (FILE_A << 7)
#define RANK_1 0xffull
#define RANK_8 (RANK_1 << 56)
/* A rank, 1 to 8, as this side counts them. */
#define RANK_OF(side, rank) (RANK_1 << 8 * ((side) == WHITE ? (rank)-1 : 8 - (rank)))

static inline unsigned file_of(unsigned sq)
{
	return sq & 7;
}

static inline unsigned rank_of(unsigned sq)
{
	return sq >> 3;
}

static inline unsigned first_of(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}

/*
 * Bits set. Not __builtin_popcountll: where the compiler may not assume the instruction, that
 * is a call.
 */
static inline unsigned count_of(uint64_t set)
{
#ifdef __POPCNT__
	return (unsigned)__builtin_popcountll(set);
#else
	set -= set >> 1 & 0x5555555555555555ull;
	set = (set & 0x3333333333333333ull) + (set >> 2 & 0x3333333333333333ull);
	set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (unsigned)(set * 0x0101010101010101ull >> 56);
#endif
}

/* The first square of a set, which is taken out. */
static inline unsigned take_first(uint64_t *set)
{
	unsigned sq = first_of(*set);

	*set &= *set - 1;
	return sq;
}

/* A square as its side sees it: white's. */
static inline unsigned own_view(enum side s, unsigned sq)
{
	return s == WHITE ? sq : sq ^ 56;
}

/* One step on as this side's pawns go; what is on their last rank is gone. */
static inline uint64_t forward(enum side s, uint64_t set)
{
	return s == WHITE ? set << 8 : set >> 8;
}

/* What pawns of this side attack from there. */
static inline uint64_t pawn_attacks(enum side s, uint64_t set)
{
	uint64_t left = set & ~FILE_A, right = set & ~FILE_H;

	return s == WHITE ? left << 7 | right << 9 : left >> 9 | right >> 7;
}

/* The lines through a square, without it. */
struct attack_lines {
	uint64_t file, rank, up, down; /* up: the diagonal from a1's side to h8's */
};

extern struct attack_lines attack_lines[NR_SQUARES];
extern uint64_t attack_knight[NR_SQUARES], attack_king[NR_SQUARES];
extern uint64_t attack_pawn[NR_SIDES][NR_SQUARES];
/* Along a rank, by the six squares between its ends, and the file. */
extern uint8_t attack_rank[64][8];
/* Squares strictly between two on a common line; none if they have none. */
extern uint64_t squares_between[NR_SQUARES][NR_SQUARES];

static inline uint64_t line_attacks(uint64_t line, uint64_t occupied, unsigned sq)
{
	uint64_t up = occupied & line, down = __builtin_bswap64(up);

	up -= SET(sq);
	down -= SET(sq ^ 56);
	return (up ^ __builtin_bswap64(down)) & line;
}

static inline uint64_t bishop_attacks(unsigned sq, uint64_t occupied)
{
	const struct attack_lines *l = &attack_lines[sq];

	return line_attacks(l->up, occupied, sq) | line_attacks(l->down, occupied, sq);
}

static inline uint64_t rook_attacks(unsigned sq, uint64_t occupied)
{
	unsigned shift = sq & 56;
	uint64_t rank = attack_rank[occupied >> shift >> 1 & 63][file_of(sq)];

	return line_attacks(attack_lines[sq].file, occupied, sq) | rank << shift;
}

/* The whole line through two squares without the first; all squares if they have none. */
static inline uint64_t line_through(unsigned from, unsigned to)
{
	const struct attack_lines *l = &attack_lines[from];

	if (l->file & SET(to))
		return l->file;
	if (l->rank & SET(to))
		return l->rank;
	if (l->up & SET(to))
		return l->up;
	return l->down & SET(to) ? l->down : UINT64_MAX;
}

/* Of any piece but a pawn. */
static inline uint64_t piece_attacks(enum piece p, unsigned sq, uint64_t occupied)
{
	switch (p) {
	case KNIGHT:
		return attack_knight[sq];
	case BISHOP:
		return bishop_attacks(sq, occupied);
	case ROOK:
		return rook_attacks(sq, occupied);
	case QUEEN:
		return bishop_attacks(sq, occupied) | rook_attacks(sq, occupied);
	case KING:
		return attack_king[sq];
	default:
		return 0;
	}
}

#endif
