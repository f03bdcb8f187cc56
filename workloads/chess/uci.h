/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uci - the Universal Chess Interface, as far as a GUI or a match runner needs it
 *
 *   uci, isready, ucinewgame, quit
 *   setoption name Hash|Threads|Table value V
 *   position startpos|fen FEN [moves ...]
 *   go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]
 *      [movestogo N] [mate N] [searchmoves MOVE ...] [infinite] [ponder]
 *   stop, ponderhit
 *
 * Commands it does not know are ignored, as the protocol wants it. What is wrong with one that
 * it does know is said in an `info string`, and the command is as if it had not been given; but
 * for two things. Whoever said `go` waits for an answer, so there is always one: `bestmove 0000`
 * where nothing was searched. And after a position that was refused nothing is searched until
 * there is a good one: a move in the one before would be a move of another game.
 */
#ifndef TEARLINE_CHESS_UCI_H
#define TEARLINE_CHESS_UCI_H

#include <stdio.h>

#include "engine.h"

/* Obey what comes from `in` until `quit` or its end, and finish what was begun. 0 or -1. */
int uci_run(FILE *in, const struct engine_params *p, struct err *e);

#endif
