// SPDX-License-Identifier: BSD-2-Clause
#include "game.h"

#include <string.h>

int game_set(struct game *g, const char *fen, struct err *e)
{
	struct game new = { .nr = 0 };

	if (fen_parse(fen, &new.board, e))
		return -1;
	*g = new;
	return 0;
}

void game_play(struct game *g, uint16_t move)
{
	struct undo u;

	if (g->nr == GAME_KEYS)
		memmove(g->key, g->key + 1, --g->nr * sizeof(*g->key));
	g->key[g->nr++] = g->board.now.key;
	board_make(&g->board, move, &u);
	if (!g->board.now.halfmove)
		g->nr = 0;
}
