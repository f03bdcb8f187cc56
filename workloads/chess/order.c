// SPDX-License-Identifier: BSD-2-Clause
#include "order.h"

#include <stddef.h>

#include "see.h"

/* Kinds of moves, apart by more than any history. */
#define GOOD 200000
#define KILLER 100000
#define LOSING (-100000)

void order_begin(struct order *o, const struct board *b, const struct move_history *history,
		 const uint16_t *killer, uint16_t first)
{
	o->b = b;
	o->history = history;
	o->killer = killer;
	o->first = first;
	o->noisy = false;
	o->begun = o->listed = false;
	o->at = 0;
}

void order_begin_noisy(struct order *o, const struct board *b)
{
	order_begin(o, b, NULL, NULL, NO_MOVE);
	o->noisy = true;
}

static int score_noisy(const struct board *b, uint16_t move)
{
	unsigned from = b->on[move_from(move)], to = b->on[move_to(move)];
	int takes = see_value[move_type(move) == MOVE_EN_PASSANT ? PAWN : to];

	if (move_type(move) == MOVE_PROMOTION)
		return move_promoted(move) == QUEEN && see(b, move) >= 0
			       ? GOOD + see_value[QUEEN] + takes
			       : LOSING + takes;
	/* what takes more than itself need not be looked at */
	if (see_value[from] > takes && see(b, move) < 0)
		return LOSING + takes;
	return GOOD + 8 * takes - (int)from;
}

static int score_quiet(const struct order *o, uint16_t move)
{
	for (unsigned k = 0; o->killer && k < NR_KILLERS; k++)
		if (o->killer[k] == move)
			return KILLER - (int)k;
	return o->history->value[o->b->side][move_from(move)][move_to(move)];
}

static void list(struct order *o)
{
	unsigned nr = o->noisy ? movegen_noisy(o->b, o->move) : movegen_all(o->b, o->move);

	o->nr = 0;
	for (unsigned i = 0; i < nr; i++) {
		uint16_t move = o->move[i];

		if (move == o->first)
			continue;
		o->score[o->nr] = move_is_quiet(o->b, move) ? score_quiet(o, move)
							    : score_noisy(o->b, move);
		o->move[o->nr++] = move;
	}
	o->listed = true;
}

uint16_t order_next(struct order *o, bool *loses)
{
	unsigned best;
	uint16_t move;

	*loses = false;
	if (!o->begun) {
		o->begun = true;
		if (o->first)
			return o->first;
	}
	if (!o->listed)
		list(o);
	if (o->at == o->nr)
		return NO_MOVE;
	/* One by one: few nodes see more than the first ones. */
	best = o->at;
	for (unsigned i = best + 1; i < o->nr; i++)
		if (o->score[i] > o->score[best])
			best = i;
	move = o->move[best];
	*loses = o->score[best] < LOSING / 2;
	o->move[best] = o->move[o->at];
	o->score[best] = o->score[o->at++];
	return move;
}

/* The further a value is from 0, the less it moves: it stays within its bounds. */
static void learn(int16_t *value, int by)
{
	int weight = by < 0 ? -by : by;

	*value = (int16_t)(*value + by - *value * weight / HISTORY_MAX);
}

void order_learn(struct move_history *h, enum side us, uint16_t move, const uint16_t *tried,
		 unsigned nr, int depth)
{
	int by = depth < 20 ? 4 * depth * depth : 1600;

	learn(&h->value[us][move_from(move)][move_to(move)], by);
	for (unsigned i = 0; i < nr; i++)
		learn(&h->value[us][move_from(tried[i])][move_to(tried[i])], -by);
}

void order_age(struct move_history *h)
{
	int16_t *value = &h->value[0][0][0];

	for (unsigned i = 0; i < sizeof(h->value) / sizeof(*value); i++)
		value[i] /= 2;
}
