/* SPDX-License-Identifier: BSD-2-Clause */
/* chess_boards - boards for cmocka's tests: from text, mirrored, played out at random */
#ifndef TEARLINE_TESTS_CHESS_BOARDS_H
#define TEARLINE_TESTS_CHESS_BOARDS_H

#include "fen.h"
#include "movegen.h"

static inline struct board board_of(const char *fen)
{
	struct board b;
	struct err e;

	if (fen_parse(fen, &b, &e))
		fail_msg("%s: %s", fen, e.text);
	return b;
}

/* The same position with the colours exchanged. */
static inline struct board mirror_of(const struct board *b)
{
	struct board m = *b;

	for (unsigned p = 0; p < NR_PIECES; p++)
		m.by_piece[p] = __builtin_bswap64(b->by_piece[p]);
	for (unsigned s = 0; s < NR_SIDES; s++)
		m.by_side[s] = __builtin_bswap64(b->by_side[s ^ 1]);
	for (unsigned sq = 0; sq < NR_SQUARES; sq++)
		m.on[sq] = b->on[sq ^ 56];
	m.side ^= 1;
	m.now.castling = (b->now.castling << 2 | b->now.castling >> 2) & CASTLE_ALL;
	if (b->now.ep != NO_SQUARE)
		m.now.ep ^= 56;
	m.now.key = board_key(&m);
	m.now.pawn_key = board_pawn_key(&m);
	return m;
}

/* Called for each position, with its moves. */
typedef void visit_fn(void *arg, struct board *b, const uint16_t *list, unsigned nr);

static inline void play_out(const char *fen, uint64_t seed, unsigned plies, visit_fn *visit,
			    void *arg)
{
	struct board b = board_of(fen);
	uint16_t list[MAX_MOVES];
	struct undo u;

	while (plies--) {
		unsigned nr = movegen_all(&b, list);

		visit(arg, &b, list, nr);
		if (!nr)
			return;
		board_make(&b, list[rng_below(&seed, nr)], &u);
	}
}

#endif
