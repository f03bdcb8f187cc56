// SPDX-License-Identifier: BSD-2-Clause
#include "see.h"

#include "util.h"

const int see_value[NR_PIECES + 1] = { 100, 320, 330, 500, 950, 20000, 0 };

/* The least of these pieces of one side; NO_PIECE: there is none. */
static enum piece least_of(const struct board *b, enum side s, uint64_t attackers,
			   uint64_t *set)
{
	for (unsigned p = PAWN; p <= KING; p++) {
		uint64_t found = attackers & board_pieces(b, s, (enum piece)p);

		if (found) {
			*set = found & -found;
			return (enum piece)p;
		}
	}
	return NO_PIECE;
}

int see(const struct board *b, uint16_t move)
{
	unsigned to = move_to(move), depth = 0;
	uint64_t occupied = board_occupied(b) ^ SET(move_from(move)), set;
	enum side side = other_side(b->side);
	enum piece on = (enum piece)b->on[move_from(move)];
	int gain[32]; /* for the side that takes, if the exchange ended there */

	gain[0] = see_value[b->on[to]];
	if (move_type(move) == MOVE_EN_PASSANT) {
		gain[0] = see_value[PAWN];
		occupied ^= SET(ep_victim(to));
	} else if (move_type(move) == MOVE_PROMOTION) {
		on = move_promoted(move);
		gain[0] += see_value[on] - see_value[PAWN];
	}
	/* What stands on `to` is no attacker of it; what was behind a piece that took, is. */
	for (;; depth++, side = other_side(side)) {
		uint64_t attackers = board_attackers(b, to, occupied) & occupied & ~SET(to);
		enum piece taker = least_of(b, side, attackers, &set);

		if (taker == NO_PIECE || depth + 1 == ARRAY_SIZE(gain))
			break;
		/* a king does not take what is defended */
		if (taker == KING && attackers & b->by_side[other_side(side)])
			break;
		gain[depth + 1] = see_value[on] - gain[depth];
		on = taker;
		occupied ^= set;
	}
	/* Backwards: each side takes only if it wins by it. */
	for (; depth; depth--)
		if (-gain[depth] < gain[depth - 1])
			gain[depth - 1] = -gain[depth];
	return gain[0];
}
