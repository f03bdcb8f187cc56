/* SPDX-License-Identifier: BSD-2-Clause */
/* see - what a capture is worth when all that attack the square take back in turn */
#ifndef TEARLINE_CHESS_SEE_H
#define TEARLINE_CHESS_SEE_H

#include "board.h"

/* Of pieces, to weigh exchanges by: coarser than an evaluation's. */
extern const int see_value[NR_PIECES + 1];

/*
 * Static exchange evaluation of a legal move: the material won on its target square, if both
 * sides take with their least piece first and stop when that is better. Pins are not seen.
 */
int see(const struct board *b, uint16_t move);

#endif
