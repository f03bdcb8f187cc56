// SPDX-License-Identifier: BSD-2-Clause
#include "limits.h"

#include "util.h"

#define MS 1000000ull
/* Moves that a game still takes, where nobody says. */
#define USUAL_MOVES 30
/* For the way from here to the clock. */
#define SPARE_MS 30
/* A year: beyond it, time is no limit, and sums do not overflow. */
#define MAX_MS (365 * 86400000ull)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void share_clock(struct timing *t, const struct limits *l, uint64_t now)
{
	uint64_t clock = least(l->clock_ms, MAX_MS);
	uint64_t moves = l->moves_to_go ? least(l->moves_to_go, USUAL_MOVES) : USUAL_MOVES;
	uint64_t left = clock > SPARE_MS ? clock - SPARE_MS : 1;
	uint64_t share = left / moves + least(l->increment_ms, MAX_MS) * 3 / 4;

	t->soft = now + least(share * 6 / 10, left) * MS;
	t->hard = now + least(share * 3, moves == 1 ? left : left * 3 / 4 + 1) * MS;
}

static void limit_from(struct timing *t, const struct limits *l, uint64_t now)
{
	t->soft = t->hard = UINT64_MAX;
	if (l->clock_ms)
		share_clock(t, l, now);
	if (l->movetime_ms)
		t->hard = least(t->hard, now + least(l->movetime_ms, MAX_MS) * MS);
}

void timing_start(struct timing *t, const struct limits *l)
{
	t->start = now_ns();
	limit_from(t, l, t->start);
}

void timing_limit(struct timing *t, const struct limits *l)
{
	limit_from(t, l, now_ns());
}
