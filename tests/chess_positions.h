/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chess_positions - positions of which the number of moves so many plies ahead is known: the
 * totals on which independent move generators agree
 */
#ifndef TEARLINE_TESTS_CHESS_POSITIONS_H
#define TEARLINE_TESTS_CHESS_POSITIONS_H

#include <stdint.h>

#define MAX_KNOWN 8

struct known_position {
	const char *name, *fen;
	unsigned deepest; /* of which the total is tested */
	uint64_t total[MAX_KNOWN + 1]; /* by depth; 0: not known here */
};

static const struct known_position known_positions[] = {
	{ "start",
	  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	  7,
	  { 1, 20, 400, 8902, 197281, 4865609, 119060324, 3195901860 } },
	{ "kiwipete",
	  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	  6,
	  { 1, 48, 2039, 97862, 4085603, 193690690, 8031647685 } },
	{ "endgame",
	  "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	  6,
	  { 1, 14, 191, 2812, 43238, 674624, 11030083, 178633661, 3009794393 } },
	{ "promotions",
	  "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	  6,
	  { 1, 6, 264, 9467, 422333, 15833292, 706045033 } },
	{ "talkchess",
	  "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	  5,
	  { 1, 44, 1486, 62379, 2103487, 89941194 } },
	{ "middlegame",
	  "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	  6,
	  { 1, 46, 2079, 89890, 3894594, 164075551, 6923051137 } },
};

#endif
