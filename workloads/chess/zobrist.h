/* SPDX-License-Identifier: BSD-2-Clause */
/* zobrist - the random words of which keys are made: the same in every run and build */
#ifndef TEARLINE_CHESS_ZOBRIST_H
#define TEARLINE_CHESS_ZOBRIST_H

#include "board.h"

struct zobrist {
	uint64_t piece[NR_SIDES][NR_PIECES][NR_SQUARES];
	uint64_t castling[CASTLE_ALL + 1];
	uint64_t ep[NR_SQUARES + 1]; /* by file; none: 0 */
	uint64_t black; /* to move */
};
extern struct zobrist zobrist;

#endif
