/* SPDX-License-Identifier: BSD-2-Clause */
/* game - a position and what of the way there still counts: positions that may recur */
#ifndef TEARLINE_CHESS_GAME_H
#define TEARLINE_CHESS_GAME_H

#include "fen.h"
#include "movegen.h"

/* Positions since the last capture or pawn move; a draw can be claimed after 100. */
#define GAME_KEYS 256

struct game {
	struct board board;
	uint64_t key[GAME_KEYS]; /* of the positions before, the latest last */
	unsigned nr;
};

/* 0 or -1. */
int game_set(struct game *g, const char *fen, struct err *e);
/* A legal move. */
void game_play(struct game *g, uint16_t move);

#endif
