// SPDX-License-Identifier: BSD-2-Clause
/*
 * Quiescence: an evaluation is of no use amid an exchange, so captures and promotions that lose
 * nothing are searched until there are none, and all moves where there is a check. The
 * transposition table is not asked here: what is at a leaf is not worth the line that it takes.
 */
#include "search.h"

#include "eval.h"
#include "see.h"

/* What an evaluation may change by beside the piece that is taken. */
#define MARGIN 150

/* Can it raise the score at all? */
static bool is_futile(const struct board *b, uint16_t move, int standing, int alpha)
{
	return move_type(move) == MOVE_PLAIN &&
	       standing + see_value[b->on[move_to(move)]] + MARGIN <= alpha;
}

int quiesce(struct searcher *s, int alpha, int beta, unsigned ply)
{
	bool check = s->frame[ply].checkers, loses;
	int standing = 0, best = (int)ply - SCORE_INFINITY;
	struct order order;
	struct undo undo;
	uint16_t move;

	if (search_enter(s))
		return 0;
	if (!check || ply >= MAX_PLY)
		best = standing = eval(&s->board, &s->cache);
	if (best >= beta || ply >= MAX_PLY)
		return best;
	if (best > alpha)
		alpha = best;
	if (check)
		order_begin(&order, &s->board, &s->history, NULL, NO_MOVE);
	else
		order_begin_noisy(&order, &s->board);
	while ((move = order_next(&order, &loses)) != NO_MOVE) {
		int score;

		if (!check && loses)
			break; /* so do all that come after it */
		if (!check && is_futile(&s->board, move, standing, alpha))
			continue;
		search_play(s, move, ply, KIND_EVAL, &undo);
		score = -quiesce(s, -beta, -alpha, ply + 1);
		search_unplay(s, move, &undo);
		if (s->stopped)
			return 0;
		if (score > best)
			best = score;
		if (best >= beta)
			break;
		if (best > alpha)
			alpha = best;
	}
	return best;
}
