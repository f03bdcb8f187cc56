/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uci - the Universal Chess Interface, as far as a GUI or a match runner needs it
 *
 *   uci, isready, ucinewgame, quit
 *   setoption name Hash|Threads|Table value V
 *   position startpos|fen FEN [moves ...]
 *   go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]
 *      [movestogo N] [infinite]
 *   stop
 *
 * Commands it does not know are ignored, as the protocol wants it. What is wrong with one that
 * it does know is said in an `info string`, and the command is as if it had not been given.
 */
#ifndef TEARLINE_CHESS_UCI_H
#define TEARLINE_CHESS_UCI_H

#include <stdio.h>

#include "engine.h"

/* Obey what comes from `in` until `quit` or its end, and finish what was begun. 0 or -1. */
int uci_run(FILE *in, const struct engine_params *p, struct err *e);

#endif
