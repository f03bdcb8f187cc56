// SPDX-License-Identifier: BSD-2-Clause
#include "bench_set.h"

#include "fen.h"

/* Openings, middle games quiet and wild, endings of each kind; a mate, a zugzwang. */
const char *const bench_fens[NR_BENCH] = {
	FEN_START,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R w KQkq - 0 7",
	"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	"2rq1rk1/pb1n1ppp/1p1bpn2/8/2pP4/2N1PN2/PBQ1BPPP/2R2RK1 b - - 3 14",
	"r4rk1/1bq1bppp/p2p1n2/1pn1p3/4P3/1BN1BN2/PPP1QPPP/3R1RK1 w - - 2 13",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
	"8/5pk1/1p2p1p1/3bP2p/1P1B1P1P/4K1P1/8/8 b - - 0 38",
	"6k1/5ppp/8/8/2q5/8/1Q3PPP/3R2K1 w - - 0 30",
	"8/8/1p1k4/p1p1p2p/P1P1P2P/1P1K4/8/8 w - - 0 45",
};
