/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search - how one thread looks for the best move
 *
 * Iterative deepening; in each iteration alpha-beta with a window of nothing for all but the
 * first move of a node (principal variation search), quiescence at the leaves. The
 * transposition table is used by the policy that all tables share: a bound that is usable ends
 * a node, the move comes first, avoid_null forbids a null move that would fail, and the threat
 * bit is kept.
 *
 * Whatever a table returns, torn or made up, does no worse than to be a wrong score: a move
 * from it is played only if it is legal, and a value is cut to what a score can be.
 *
 * Several threads search the same root each by itself, and find each other's results in the
 * table ("lazy SMP"). The first leads: it looks at the clock and reports.
 */
#ifndef TEARLINE_CHESS_SEARCH_H
#define TEARLINE_CHESS_SEARCH_H

#include "cache.h"
#include "game.h"
#include "limits.h"
#include "order.h"
#include "score.h"

#define MAX_PLY 128
#define MAX_DEPTH 100 /* of an iteration */

struct line {
	unsigned nr;
	uint16_t move[MAX_PLY];
};

/* What is at one distance from the root, on the way to the current node. */
struct frame {
	uint64_t checkers; /* of the side to move there */
	uint16_t killer[NR_KILLERS];
	uint16_t quiet[MAX_MOVES]; /* tried so far */
	struct line pv; /* from there on */
};

struct searcher;

/* What the threads of one search have in common. */
struct search {
	_Atomic bool stop;
	_Atomic bool pondering; /* the clock does not run yet */
	struct limits limits;
	struct timing timing;
	bool clock_runs; /* the first's, as is timing */
	struct searcher **searcher;
	unsigned threads;
	/* Called by the first after each iteration; may be NULL. */
	void (*report)(void *arg, const struct searcher *s);
	void *report_arg;
};

struct searcher {
	struct cache cache;
	struct search *search;
	unsigned id; /* 0 leads */
	struct board board;
	uint64_t poll_at; /* nodes at which to look up */
	bool stopped;
	/* The root's, of the last iteration or of the one that was broken off. */
	uint16_t best;
	int score;
	unsigned depth; /* the last iteration that was finished */
	struct line pv; /* its own */
	uint64_t rejected; /* hash moves that were not legal */
	unsigned nr_keys;
	uint64_t key[GAME_KEYS + MAX_PLY]; /* of the positions before, the latest last */
	struct move_history history;
	struct frame frame[MAX_PLY + 1];
	/* what other threads look at */
	atomic_word nodes __attribute__((aligned(128)));
};

/* Relaxed: it carries nothing but itself, and a few nodes more or less do not matter. */
static inline void search_stop(struct search *s)
{
	atomic_store_explicit(&s->stop, true, memory_order_relaxed);
}

static inline bool search_told_to_stop(const struct search *s)
{
	return atomic_load_explicit(&s->stop, memory_order_relaxed);
}

/*
 * On somebody else's time, and no longer. Relaxed for the same reason: the first starts the
 * clock when it comes to see it.
 */
static inline void search_ponder(struct search *s, bool pondering)
{
	atomic_store_explicit(&s->pondering, pondering, memory_order_relaxed);
}

static inline bool search_ponders(const struct search *s)
{
	return atomic_load_explicit(&s->pondering, memory_order_relaxed);
}

/* Search from there until a limit is met or told to stop. */
void search_run(struct searcher *s, const struct game *g);
/* Of all threads, so far. */
uint64_t search_nodes(const struct search *s);

/* For the two halves of the search alone. */

/* One more node. True: the search is at its end, and what this node returns is not used. */
bool search_enter(struct searcher *s);
/*
 * A legal move at `ply`, and back. `asked`: the table that the node behind it begins with, checks
 * aside.
 */
void search_play(struct searcher *s, uint16_t move, unsigned ply, enum kind asked,
		 struct undo *u);
void search_unplay(struct searcher *s, uint16_t move, const struct undo *u);
/* Captures until it is quiet. */
int quiesce(struct searcher *s, int alpha, int beta, unsigned ply);

#endif
