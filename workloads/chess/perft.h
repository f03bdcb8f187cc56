/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perft - how many positions there are so many plies ahead
 *
 * The count of the leaves of the tree of legal moves, known for many positions: what proves a
 * move generator. The last ply is counted without being made.
 */
#ifndef TEARLINE_CHESS_PERFT_H
#define TEARLINE_CHESS_PERFT_H

#include "movegen.h"

uint64_t perft_plain(struct board *b, unsigned depth);

#endif
