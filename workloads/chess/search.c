// SPDX-License-Identifier: BSD-2-Clause
#include "search.h"

#include <string.h>

#include "eval.h"
#include "interrupt.h"

/* Nodes between two looks at the clock and at the others. */
#define POLL_NODES 1024
#define NULL_REDUCTION 2

/* One node, from entering it to its result. */
struct node {
	int alpha, beta, depth;
	unsigned ply;
	uint64_t checkers;
	bool pv; /* the window is open */
	bool threat; /* who passes here gets mated */
	int best;
	uint16_t best_move;
	unsigned nr_moves, nr_quiets;
};

static int pvs(struct searcher *s, int alpha, int beta, int depth, unsigned ply, bool passed);

uint64_t search_nodes(const struct search *s)
{
	uint64_t nodes = 0;

	for (unsigned i = 0; i < s->threads; i++)
		nodes += READ_ONCE64(&s->searcher[i]->nodes);
	return nodes;
}

static bool is_leader(const struct searcher *s)
{
	return s->id == 0;
}

/* By the first alone. */
static const struct timing *look_at_clock(struct search *c)
{
	if (!c->clock_runs && !search_ponders(c)) {
		timing_limit(&c->timing, &c->limits);
		c->clock_runs = true;
	}
	return &c->timing;
}

/*
 * Now and then: is it time? With one thread a limit of nodes is met exactly. The first
 * iteration is always finished, for there must be a move to answer with.
 */
static void poll(struct searcher *s)
{
	const struct limits *l = &s->search->limits;
	uint64_t nodes = READ_ONCE64(&s->nodes);

	if (is_leader(s) && ((l->nodes && search_nodes(s->search) >= l->nodes) ||
			     now_ns() >= look_at_clock(s->search)->hard || interrupted()))
		search_stop(s->search);
	s->stopped = search_told_to_stop(s->search) && (s->depth || !is_leader(s));
	s->poll_at = nodes + POLL_NODES;
	if (l->nodes && s->search->threads == 1 && s->poll_at > l->nodes)
		s->poll_at = l->nodes;
	cache_pause(&s->cache);
}

bool search_enter(struct searcher *s)
{
	uint64_t nodes = READ_ONCE64(&s->nodes);

	if (nodes >= s->poll_at)
		poll(s);
	/* of this thread alone: no add that locks the bus */
	if (!s->stopped)
		WRITE_ONCE64(&s->nodes, nodes + 1);
	return s->stopped;
}

void search_play(struct searcher *s, uint16_t move, unsigned ply, enum kind asked,
		 struct undo *u)
{
	s->key[s->nr_keys++] = s->board.now.key;
	board_make(&s->board, move, u);
	cache_prefetch(&s->cache, asked, s->board.now.key);
	s->frame[ply + 1].checkers = board_checkers(&s->board);
}

void search_unplay(struct searcher *s, uint16_t move, const struct undo *u)
{
	board_unmake(&s->board, move, u);
	s->nr_keys--;
}

/* By repetition, once is enough to see it coming, or by fifty moves without progress. */
static bool is_drawn(const struct searcher *s, unsigned ply)
{
	const struct board *b = &s->board;

	if (b->now.halfmove >= 100 && (!s->frame[ply].checkers || movegen_count(b)))
		return true;
	return board_repetitions(b, s->key, s->nr_keys);
}

/*
 * The table that a node of this depth begins with: quiescence does without the tt. Checks aside:
 * they are known too late for a prefetch.
 */
static enum kind asked_first(int depth)
{
	return depth > 0 ? KIND_TT : KIND_EVAL;
}

/* Depth of the search after a null move. */
static int null_depth(int depth)
{
	int left = depth - 1 - NULL_REDUCTION - depth / 5;

	return left > 0 ? left : 0;
}

/*
 * A table with one entry a key keeps the deeper one, whatever its bound. If that is of no use
 * in this window, a result of less depth would not be kept, and who comes here again would have
 * to find it again, and so would all below: where positions recur at many distances from the
 * root, as in pawn endings, nothing is remembered any more. So this node is searched to the
 * entry's depth, if that is not much more; two plies, for the same side to move, are usual.
 */
static int depth_to_keep(const struct searcher *s, const struct node *n,
			 const struct table_answer *a)
{
	int more = a->hit ? a->depth - n->depth : 0;

	if (n->pv || more <= 0 || !cache_tt_keeps_deepest(&s->cache))
		return n->depth;
	return n->depth + (more < 2 ? more : 2);
}

/* The move that the table proposes, if it is one. */
static uint16_t valid_move(struct searcher *s, uint32_t move)
{
	if (!move)
		return NO_MOVE;
	if (move <= UINT16_MAX && move_is_legal(&s->board, (uint16_t)move))
		return (uint16_t)move;
	s->rejected++;
	return NO_MOVE;
}

/* Beside kings and pawns. */
static bool any_pieces(const struct board *b)
{
	return board_occupied(b) & ~(b->by_piece[PAWN] | b->by_piece[KING]);
}

static bool has_pieces(const struct board *b)
{
	return b->by_side[b->side] & ~(b->by_piece[PAWN] | b->by_piece[KING]);
}

/*
 * Let the other side move twice. If even that does not bring it below beta, a move will not
 * either, except in zugzwang: so not with pawns alone. If it mates, there is a threat.
 */
static int try_null(struct searcher *s, struct node *n)
{
	int depth = null_depth(n->depth), score;
	struct undo undo;

	s->key[s->nr_keys++] = s->board.now.key;
	board_make_null(&s->board, &undo);
	cache_prefetch(&s->cache, asked_first(depth), s->board.now.key);
	s->frame[n->ply + 1].checkers = 0;
	score = -pvs(s, -n->beta, 1 - n->beta, depth, n->ply + 1, true);
	board_unmake_null(&s->board, &undo);
	s->nr_keys--;
	if (!s->stopped && score <= -SCORE_MATE)
		n->threat = true;
	/* a mate after two moves in a row is none */
	return score >= SCORE_MATE ? n->beta : score;
}

static int log2_of(unsigned x)
{
	return 31 - __builtin_clz(x);
}

/*
 * How much less deep to look at a late quiet move first. Not where kings and pawns are alone:
 * there the quiet moves are what it is about.
 */
static int reduction(const struct searcher *s, const struct node *n, bool quiet)
{
	int by;

	if (n->depth < 3 || n->nr_moves < 3 || !quiet || n->checkers || n->threat ||
	    s->frame[n->ply + 1].checkers || !any_pieces(&s->board))
		return 0;
	by = 1 + log2_of((unsigned)n->depth) * log2_of(n->nr_moves) / 4 - n->pv;
	return by < n->depth - 1 ? by : n->depth - 2;
}

static int search_move(struct searcher *s, const struct node *n, uint16_t move, bool quiet)
{
	int depth = n->depth - 1, score, less;
	unsigned ply = n->ply + 1;
	struct undo undo;

	search_play(s, move, n->ply, asked_first(depth), &undo);
	if (!n->nr_moves) {
		score = -pvs(s, -n->beta, -n->alpha, depth, ply, false);
		goto out;
	}
	less = reduction(s, n, quiet);
	score = -pvs(s, -n->alpha - 1, -n->alpha, depth - less, ply, false);
	if (score > n->alpha && less)
		score = -pvs(s, -n->alpha - 1, -n->alpha, depth, ply, false);
	if (score > n->alpha && score < n->beta)
		score = -pvs(s, -n->beta, -n->alpha, depth, ply, false);
out:
	search_unplay(s, move, &undo);
	return score;
}

static void extend_pv(struct searcher *s, unsigned ply, uint16_t move)
{
	struct line *pv = &s->frame[ply].pv, *rest = &s->frame[ply + 1].pv;

	pv->move[0] = move;
	memcpy(pv->move + 1, rest->move, rest->nr * sizeof(*rest->move));
	pv->nr = rest->nr + 1;
}

/* By a quiet move. */
static void learn_cutoff(struct searcher *s, const struct node *n, uint16_t move)
{
	uint16_t *killer = s->frame[n->ply].killer;

	if (killer[0] != move) {
		killer[1] = killer[0];
		killer[0] = move;
	}
	order_learn(&s->history, (enum side)s->board.side, move, s->frame[n->ply].quiet,
		    n->nr_quiets, n->depth);
}

/* The result of one move. True: the node is done. */
static bool take_score(struct searcher *s, struct node *n, uint16_t move, bool quiet, int score)
{
	if (score > n->best)
		n->best = score;
	if (score > n->alpha) {
		n->alpha = score;
		n->best_move = move;
		extend_pv(s, n->ply, move);
		if (!n->ply) {
			s->best = move;
			s->score = score;
			s->pv = s->frame[0].pv;
		}
		if (score >= n->beta) {
			if (quiet)
				learn_cutoff(s, n, move);
			return true;
		}
	}
	if (quiet)
		s->frame[n->ply].quiet[n->nr_quiets++] = move;
	return false;
}

/* Some moves may be all that is asked about. */
static bool is_asked(const struct searcher *s, const struct node *n, uint16_t move)
{
	const struct limits *l = &s->search->limits;

	if (n->ply || !l->nr_moves)
		return true;
	for (unsigned i = 0; i < l->nr_moves; i++)
		if (l->move[i] == move)
			return true;
	return false;
}

/* All moves. False: told to stop meanwhile. */
static bool try_moves(struct searcher *s, struct node *n, uint16_t first)
{
	struct order order;
	uint16_t move;
	bool loses;

	order_begin(&order, &s->board, &s->history, s->frame[n->ply].killer, first);
	while ((move = order_next(&order, &loses)) != NO_MOVE) {
		bool quiet;
		int score;

		if (!is_asked(s, n, move))
			continue;
		quiet = move_is_quiet(&s->board, move);
		score = search_move(s, n, move, quiet);
		if (s->stopped)
			return false;
		n->nr_moves++;
		if (take_score(s, n, move, quiet, score))
			break;
	}
	return true;
}

static void store(struct searcher *s, const struct node *n, int alpha)
{
	enum trace_bound bound = n->best >= n->beta ? BOUND_LOWER
				 : n->best > alpha  ? BOUND_EXACT
						    : BOUND_UPPER;

	cache_tt_store(&s->cache, s->board.now.key, n->best_move, n->best, n->depth, bound,
		       n->ply, n->threat);
}

static bool may_pass(struct searcher *s, const struct node *n, bool passed,
		     const struct table_answer *a)
{
	return n->ply && !n->pv && !passed && !n->checkers && n->depth >= 2 && !a->avoid_null &&
	       has_pieces(&s->board) && eval(&s->board, &s->cache) >= n->beta;
}

/* `passed`: the move before was a null move. */
static int pvs(struct searcher *s, int alpha, int beta, int depth, unsigned ply, bool passed)
{
	struct node n = { .ply = ply,
			  .checkers = s->frame[ply].checkers,
			  .pv = beta - alpha > 1,
			  .best = (int)ply - SCORE_INFINITY };
	struct table_answer a;
	uint16_t first;

	s->frame[ply].pv.nr = 0;
	if (ply && is_drawn(s, ply))
		return SCORE_DRAW;
	n.depth = depth + (n.checkers != 0);
	if (n.depth <= 0 || ply >= MAX_PLY)
		return quiesce(s, alpha, beta, ply);
	if (search_enter(s))
		return 0;
	/* not worse than to be mated here, not better than to mate by the next move */
	n.alpha = alpha > n.best ? alpha : n.best;
	n.beta = beta < -n.best - 1 ? beta : -n.best - 1;
	if (n.alpha >= n.beta)
		return n.alpha;
	alpha = n.alpha;
	cache_tt_probe(&s->cache, s->board.now.key, n.depth, null_depth(n.depth), n.alpha,
		       n.beta, ply, &a);
	if (a.bound && ply)
		return score_clamp(a.value, SCORE_INFINITY - 1);
	n.depth = depth_to_keep(s, &n, &a);
	first = valid_move(s, a.move);
	if (!ply && s->best)
		first = s->best;
	n.threat = a.threat;
	if (may_pass(s, &n, passed, &a)) {
		int score = try_null(s, &n);

		if (s->stopped)
			return 0;
		if (score >= n.beta) {
			n.best = score;
			store(s, &n, alpha);
			return score;
		}
	}
	if (!try_moves(s, &n, first))
		return 0;
	if (!n.nr_moves)
		return n.checkers ? (int)ply - SCORE_INFINITY : SCORE_DRAW;
	/* the best of some moves is no value of the position */
	if (ply || !s->search->limits.nr_moves)
		store(s, &n, alpha);
	return n.best;
}

static void set_up(struct searcher *s, const struct game *g)
{
	s->board = g->board;
	memcpy(s->key, g->key, g->nr * sizeof(*g->key));
	s->nr_keys = g->nr;
	s->stopped = false;
	s->poll_at = 0;
	s->best = NO_MOVE;
	s->score = 0;
	s->depth = 0;
	s->pv.nr = 0;
	s->rejected = 0;
	memset(s->frame, 0, sizeof(s->frame));
	s->frame[0].checkers = board_checkers(&s->board);
	order_age(&s->history);
}

static bool is_last(const struct searcher *s)
{
	struct search *c = s->search;

	return (c->limits.depth && s->depth >= c->limits.depth) ||
	       now_ns() >= look_at_clock(c)->soft;
}

void search_run(struct searcher *s, const struct game *g)
{
	bool leads = is_leader(s);

	set_up(s, g);
	/* Every other thread is one ahead, so that they do not all do the same. */
	for (int depth = 1 + (s->id & 1); depth <= MAX_DEPTH; depth++) {
		int score = pvs(s, -SCORE_INFINITY, SCORE_INFINITY, depth, 0, false);

		if (s->stopped)
			break;
		s->score = score;
		s->depth = (unsigned)depth;
		if (leads && s->search->report)
			s->search->report(s->search->report_arg, s);
		if (!s->best || search_told_to_stop(s->search) || (leads && is_last(s)))
			break;
	}
	if (leads)
		search_stop(s->search);
}
