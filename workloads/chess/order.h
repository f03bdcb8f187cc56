/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order - which move to try first
 *
 * The move from the hash table comes first, before any are generated: often it is enough. Then
 * captures that win something, by what they take; the two killers, quiet moves that refuted
 * another move at this distance from the root; other quiet moves, by how often they have been
 * good anywhere (history); last what loses material.
 */
#ifndef TEARLINE_CHESS_ORDER_H
#define TEARLINE_CHESS_ORDER_H

#include "movegen.h"

#define NR_KILLERS 2
/* Quiet moves are worth less than this, on either side of 0. */
#define HISTORY_MAX 16384

struct move_history {
	int16_t value[NR_SIDES][NR_SQUARES][NR_SQUARES];
};

struct order {
	const struct board *b;
	const struct move_history *history;
	const uint16_t *killer; /* NR_KILLERS; NULL: none */
	uint16_t first; /* to be tried first, legal; or NO_MOVE */
	bool noisy; /* no quiet moves */
	bool begun, listed;
	unsigned at, nr;
	uint16_t move[MAX_MOVES];
	int score[MAX_MOVES];
};

void order_begin(struct order *o, const struct board *b, const struct move_history *history,
		 const uint16_t *killer, uint16_t first);
/* Captures and promotions alone. */
void order_begin_noisy(struct order *o, const struct board *b);

/* The next move, or NO_MOVE. *loses: it loses material. */
uint16_t order_next(struct order *o, bool *loses);

/* `move` refuted what came before, after `nr` other quiet moves had not. */
void order_learn(struct move_history *h, enum side us, uint16_t move, const uint16_t *tried,
		 unsigned nr, int depth);
/* Before the next search: what was learned counts for half. */
void order_age(struct move_history *h);

#endif
