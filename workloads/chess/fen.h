/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fen - positions as text: Forsyth-Edwards notation
 *
 * Six fields; the two counters at the end may be left out (0 1), as test suites do. What no
 * game can reach is refused where the generator would be at a loss with it or where it is
 * surely a slip; an en passant square behind a pawn that nobody can capture is accepted and
 * dropped (see board.h), so what is written reads '-' there.
 */
#ifndef TEARLINE_CHESS_FEN_H
#define TEARLINE_CHESS_FEN_H

#include "board.h"
#include "util.h"

#define FEN_START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define FEN_MAX 96

/* 0 or -1; the error names the field, the character by its place in the text, and what was
 * expected there. */
int fen_parse(const char *text, struct board *b, struct err *e);
/* Returns text. */
char *fen_write(const struct board *b, char text[FEN_MAX]);

#endif
