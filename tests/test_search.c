// SPDX-License-Identifier: BSD-2-Clause
/*
 * The search: what it must find, what must not disturb it (a table full of rubbish), and the
 * evaluation, which sees the same in a position and its mirror image.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench_set.h"
#include "chess_boards.h"
#include "engine.h"
#include "eval.h"
#include "info.h"
#include "pawns.h"
#include "see.h"

#define PLAY_OUTS 40
#define PLAY_OUT_MOVES 80

static struct game game_of(const char *fen)
{
	struct game g;
	struct err e;

	if (game_set(&g, fen, &e))
		fail_msg("%s: %s", fen, e.text);
	return g;
}

static const struct engine_params usual = { .table = "xor",
					    .hash = "16384e",
					    .pawn_hash = "1024e",
					    .eval_hash = "4096e",
					    .placement = "core",
					    .threads = 1,
					    .oversubscribe = true };

static struct engine *engine_of(const struct engine_params *p)
{
	struct engine *engine;
	struct err e;

	if (engine_create(p, &engine, &e))
		fail_msg("%s", e.text);
	return engine;
}

static struct engine_result result_of(struct engine *engine, const struct game *g,
				      const struct limits *l)
{
	struct engine_result r;
	struct err e;

	engine_ready(engine);
	if (engine_search(engine, g, l, NULL, NULL, &r, &e))
		fail_msg("%s", e.text);
	return r;
}

static struct engine_result search_fen(const struct engine_params *p, const char *fen,
				       unsigned depth)
{
	struct limits l = { .depth = depth };
	struct game g = game_of(fen);
	struct engine *engine = engine_of(p);
	struct engine_result r = result_of(engine, &g, &l);

	engine_destroy(engine);
	return r;
}

/* --- evaluation --- */

/* What one evaluates with: tables of this many entries, or none. */
struct evaluator {
	struct worker worker;
	struct cache cache;
	struct table *shared[NR_KINDS];
};

static struct evaluator *evaluator_open(const char *table, uint64_t entries)
{
	struct evaluator *ev = aligned_alloc(128, sizeof(*ev));
	struct table_spec spec;
	struct cache_params p = { .spec = &spec,
				  .size = { [KIND_PAWN] = { .entries = entries },
					    [KIND_EVAL] = { .entries = entries } },
				  .size_text = { "tt", "pawn", "eval", "kv" },
				  .sharing = { SHARING_SHARED, SHARING_SHARED,
					       SHARING_PRIVATE },
				  .threads = 1 };
	struct err e;

	memset(ev, 0, sizeof(*ev));
	assert_false(table_spec_parse(table, &spec, &e));
	assert_false(cache_create_shared(&p, ev->shared, &e));
	assert_false(cache_create(&p, ev->shared, &ev->cache, &e));
	ev->cache.worker = &ev->worker;
	table_spec_free(&spec);
	return ev;
}

static void evaluator_close(struct evaluator *ev)
{
	cache_destroy(ev->shared, &ev->cache);
	for (enum kind k = 0; k < NR_KINDS; k++)
		table_destroy(ev->shared[k]);
	free(ev);
}

/* Positions of games played at random from the bench's. */
static void play_outs(visit_fn *visit, void *arg)
{
	for (unsigned n = 0; n < PLAY_OUTS; n++)
		play_out(bench_fens[n % NR_BENCH], n, PLAY_OUT_MOVES, visit, arg);
}

static void check_mirror(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	struct board m = mirror_of(b);
	int score = eval_look(b, arg);

	assert_int_equal(score, eval_look(&m, arg));
	assert_in_range(abs(score), 0, SCORE_MAX_STATIC);
}

static void test_eval_mirror(void **state)
{
	struct evaluator *ev = evaluator_open("xor", 0);

	play_outs(check_mirror, &ev->cache);
	evaluator_close(ev);
}

/* What comes from a table is what would be worked out. */
struct pair_of_evaluators {
	struct evaluator *with, *without;
};

static void check_cached(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	struct pair_of_evaluators *p = arg;
	struct pawns look, get;

	pawns_look(b, &look);
	for (unsigned twice = 0; twice < 2; twice++) {
		pawns_get(b, &p->with->cache, &get);
		assert_int_equal(look.score, get.score);
		assert_true(look.passed == get.passed);
		assert_memory_equal(look.attacks, get.attacks, sizeof(get.attacks));
		assert_memory_equal(look.reach, get.reach, sizeof(get.reach));
		assert_memory_equal(look.open, get.open, sizeof(get.open));
		assert_int_equal(eval(b, &p->with->cache), eval_look(b, &p->without->cache));
	}
}

static void test_eval_cached(void **state)
{
	struct pair_of_evaluators p = { evaluator_open("xor", 64), evaluator_open("xor", 0) };

	play_outs(check_cached, &p);
	assert_true(p.with->worker.n[KIND_PAWN].hits > 0);
	assert_true(p.with->worker.n[KIND_EVAL].hits > 0);
	assert_int_equal(p.without->worker.n[KIND_PAWN].hits, 0);
	evaluator_close(p.with);
	evaluator_close(p.without);
}

static int eval_fen(const char *fen)
{
	struct evaluator *ev = evaluator_open("xor", 0);
	struct board b = board_of(fen);
	int score = eval(&b, &ev->cache);

	evaluator_close(ev);
	return score;
}

static void test_eval_knows(void **state)
{
	/* nobody can be mated */
	assert_int_equal(eval_fen("8/8/4k3/8/8/2BK4/8/8 w - - 0 1"), 0);
	assert_int_equal(eval_fen("8/8/4k3/8/8/3K4/8/8 b - - 0 1"), 0);
	/* a minor piece more without pawns is no win, a rook is */
	assert_in_range(eval_fen("8/8/4k3/2n5/8/2BK4/6N1/8 w - - 0 1"), 0, 150);
	assert_true(eval_fen("8/8/4k3/8/8/2RK4/8/8 w - - 0 1") > 300);
	/* a passed pawn is worth more the further it is, an isolated one less */
	assert_true(eval_fen("8/4k3/P7/8/8/8/4K3/8 w - - 0 1") >
		    eval_fen("8/4k3/8/P7/8/8/4K3/8 w - - 0 1"));
	assert_true(eval_fen("4k3/pp5p/8/8/8/8/PP5P/4K3 w - - 0 1") >
		    eval_fen("4k3/pp5p/8/8/8/8/P1P4P/4K3 w - - 0 1"));
}

/* --- exchanges --- */

static void test_see(void **state)
{
	static const struct {
		const char *fen, *move;
		int worth;
	} cases[] = {
		{ "4k3/8/3p4/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5", 100 - 320 },
		{ "4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5", 100 },
		/* a rook behind a rook */
		{ "3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 },
		{ "3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500 },
		/* a king does not take what is defended */
		{ "8/8/4k3/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 },
		{ "8/8/4k3/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", 100 - 500 },
		{ "rnbqkbnr/ppp1p1pp/8/3pPpP1/8/8/PPPP1P1P/RNBQKBNR w KQkq f6 0 4", "g5f6", 0 },
		{ "8/k1P5/8/1K6/8/8/8/8 w - - 0 1", "c7c8q", 850 },
		{ "4k3/8/8/8/8/8/4q3/3QK3 w - - 0 1", "d1e2", 950 },
		{ "4k3/8/8/8/8/3b4/8/R3K3 w Q - 0 1", "a1b1", -500 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct board b = board_of(cases[i].fen);
		uint16_t move = move_from_text(&b, cases[i].move);

		if (move == NO_MOVE || see(&b, move) != cases[i].worth)
			fail_msg("%s %s: %d, expected %d", cases[i].fen, cases[i].move,
				 see(&b, move), cases[i].worth);
	}
}

/* --- what the search finds --- */

static const struct {
	const char *fen, *best;
	int moves; /* to mate; negative: mated */
} mates[] = {
	{ "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1", "e1e8", 1 },
	{ "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", 1 },
	{ "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", NULL, 2 },
	{ "6k1/8/8/8/8/8/1R6/R6K b - - 0 1", NULL, -3 },
	{ "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2 },
};

static void test_mates(void **state)
{
	struct engine_params ply = usual, none = usual;

	ply.table = "xor:mate=ply";
	none.hash = "0";
	for (size_t i = 0; i < ARRAY_SIZE(mates); i++) {
		const struct engine_params *all[] = { &usual, &ply, &none };

		for (unsigned k = 0; k < ARRAY_SIZE(all); k++) {
			struct engine_result r = search_fen(all[k], mates[i].fen, 8);
			char text[MOVE_TEXT];

			/* a table that clamps knows that there is a mate, not how far */
			if (k == 0)
				assert_true(mates[i].moves > 0 ? r.score >= SCORE_MATE
							       : r.score <= -SCORE_MATE);
			else
				assert_int_equal(mate_in(r.score), mates[i].moves);
			if (mates[i].best)
				assert_string_equal(move_text(r.best, text), mates[i].best);
		}
	}
}

/* With nothing to play there is no best move, and a score all the same. */
static void test_no_moves(void **state)
{
	struct engine_result r = search_fen(&usual, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5);

	assert_int_equal(r.best, NO_MOVE);
	assert_int_equal(r.score, SCORE_DRAW);
	r = search_fen(&usual, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
		       5);
	assert_int_equal(r.best, NO_MOVE);
	assert_int_equal(r.score, -SCORE_INFINITY);
}

static void test_draws(void **state)
{
	char text[MOVE_TEXT];
	struct engine_result r;

	/* a queen ahead, and stalemate is all that black can hope for */
	r = search_fen(&usual, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 4);
	assert_true(r.score >= SCORE_MATE);
	/* perpetual check against two queens */
	r = search_fen(&usual, "6k1/5p1p/8/8/7Q/8/qq6/7K w - - 0 1", 8);
	assert_int_equal(r.score, SCORE_DRAW);
	/* the hundredth ply without progress is a draw, unless it mates */
	r = search_fen(&usual, "8/8/8/8/8/4k3/8/R3K3 w - - 99 90", 4);
	assert_int_equal(r.score, SCORE_DRAW);
	r = search_fen(&usual, "7k/8/6K1/8/8/8/8/R7 w - - 99 90", 4);
	assert_int_equal(mate_in(r.score), 1);
	assert_string_equal(move_text(r.best, text), "a1a8");
}

/* A position that was there before is a draw, also if that was before the search. */
static void test_repetition(void **state)
{
	static const char *const moves[] = { "a1b1", "h8g8", "b1a1", "g8h8" };
	struct game g = game_of("7k/3q4/8/8/8/8/8/K7 w - - 10 40");
	struct engine *engine = engine_of(&usual);
	struct limits l = { .depth = 1 };
	char text[MOVE_TEXT];
	struct engine_result r = result_of(engine, &g, &l);

	assert_true(r.score < -500);
	for (unsigned i = 0; i < ARRAY_SIZE(moves); i++)
		game_play(&g, move_from_text(&g.board, moves[i]));
	r = result_of(engine, &g, &l);
	assert_int_equal(r.score, SCORE_DRAW);
	assert_string_equal(move_text(r.best, text), "a1b1");
	engine_destroy(engine);
}

/* A game may be longer than what is kept of it. */
static void test_long_game(void **state)
{
	static const char *const moves[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
	struct game g = game_of(FEN_START);

	for (unsigned i = 0; i < 3 * GAME_KEYS; i++) {
		game_play(&g, move_from_text(&g.board, moves[i % 4]));
		assert_in_range(g.nr, 1, GAME_KEYS);
		assert_int_equal(g.nr, i < GAME_KEYS ? i + 1 : GAME_KEYS);
	}
	assert_true(board_repetitions(&g.board, g.key, g.nr) > 2);
	game_play(&g, move_from_text(&g.board, "e2e4"));
	assert_int_equal(g.nr, 0);
}

/* --- rubbish in tables --- */

/* Of the tt: mostly moves of 16 bits, for others are rejected without a look at the board. */
static uint64_t rubbish(enum kind kind, uint64_t *seed)
{
	uint64_t word = rng_next(seed);

	return kind == KIND_TT && rng_below(seed, 16) ? word & ~0xffff0000ull : word;
}

/* Another word for each that is no signature: what is found is all made up. */
static void scribble(struct table *t, uint64_t *seed)
{
	unsigned words = t->kind == KIND_PAWN ? 8 : 2;

	for (uint64_t i = 0; i < t->entries * words; i++)
		if (i % words)
			WRITE_ONCE64(&t->word[i], rubbish(t->kind, seed));
}

/* ... for as long as a search runs. */
struct vandal {
	struct engine *engine;
	_Atomic bool stop;
};

static void *vandalise(void *arg)
{
	struct vandal *v = arg;
	uint64_t seed = 3;

	while (!atomic_load_explicit(&v->stop, memory_order_relaxed))
		for (enum kind k = KIND_TT; k <= KIND_EVAL; k++)
			scribble(engine_table(v->engine, k), &seed);
	return NULL;
}

/* What it says may be wrong; what it plays is legal. */
static uint64_t search_amid_rubbish(struct engine *engine)
{
	const struct limits l = { .nodes = 15000 };
	uint64_t rejected = 0, seed = 9;

	for (unsigned i = 0; i < NR_BENCH; i++) {
		struct game g = game_of(bench_fens[i]);

		for (unsigned again = 0; again < 3; again++) {
			struct engine_result r = result_of(engine, &g, &l);

			assert_true(move_is_legal(&g.board, r.best));
			assert_in_range(abs(r.score), 0, SCORE_INFINITY);
			rejected += r.rejected;
			for (enum kind k = KIND_TT; k <= KIND_EVAL; k++)
				scribble(engine_table(engine, k), &seed);
		}
	}
	return rejected;
}

static void test_rubbish(void **state)
{
	static const char *const tables[] = { "unsync", "unsync:mate=ply" };
	struct engine_params p = usual;
	struct vandal v = { .stop = false };
	pthread_t thread;

	p.pawn = p.eval = SHARING_SHARED;
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++) {
		p.table = tables[i];
		p.threads = 1 + i;
		v.engine = engine_of(&p);
		assert_true(search_amid_rubbish(v.engine) > 0);
		/* and while it is changed under way */
		atomic_store_explicit(&v.stop, false, memory_order_relaxed);
		assert_false(pthread_create(&thread, NULL, vandalise, &v));
		search_amid_rubbish(v.engine);
		atomic_store_explicit(&v.stop, true, memory_order_relaxed);
		pthread_join(thread, NULL);
		engine_destroy(v.engine);
	}
}

static void check_range(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	struct evaluator *ev = arg;

	assert_in_range(abs(eval(b, &ev->cache)), 0, SCORE_MAX_STATIC);
}

static void test_eval_amid_rubbish(void **state)
{
	struct evaluator *ev = evaluator_open("unsync", 16384);
	uint64_t seed = 7, pawn_hits, eval_hits;

	play_outs(check_range, ev);
	pawn_hits = ev->worker.n[KIND_PAWN].hits;
	eval_hits = ev->worker.n[KIND_EVAL].hits;
	for (enum kind k = KIND_PAWN; k <= KIND_EVAL; k++)
		scribble(ev->cache.table[k], &seed);
	play_outs(check_range, ev);
	assert_true(ev->worker.n[KIND_PAWN].hits > pawn_hits);
	assert_true(ev->worker.n[KIND_EVAL].hits > eval_hits + 100);
	evaluator_close(ev);
}

/* Whose entries are all its own has none to reject. */
static void test_nothing_rejected(void **state)
{
	struct engine *engine = engine_of(&usual);
	const struct limits l = { .nodes = 50000 };

	for (unsigned i = 0; i < NR_BENCH; i++) {
		struct game g = game_of(bench_fens[i]);

		assert_int_equal(result_of(engine, &g, &l).rejected, 0);
	}
	engine_destroy(engine);
}

/* --- limits --- */

static void test_limits(void **state)
{
	struct engine *engine = engine_of(&usual);
	struct game g = game_of(FEN_START);
	struct limits l = { .nodes = 20000 };

	assert_int_equal(result_of(engine, &g, &l).nodes, 20000);
	l.nodes = 777;
	assert_int_equal(result_of(engine, &g, &l).nodes, 777);
	/* there is always a move to answer with */
	l.nodes = 1;
	assert_int_not_equal(result_of(engine, &g, &l).best, NO_MOVE);
	l = (struct limits){ .depth = 4 };
	assert_int_equal(result_of(engine, &g, &l).depth, 4);
	/* told to stop before it began */
	{
		struct engine_result r;
		struct err e;

		engine_ready(engine);
		engine_stop(engine);
		l = (struct limits){ .depth = MAX_DEPTH };
		assert_false(engine_search(engine, &g, &l, NULL, NULL, &r, &e));
		assert_int_equal(r.depth, 1);
		assert_int_not_equal(r.best, NO_MOVE);
	}
	engine_destroy(engine);
}

static void test_timing(void **state)
{
	struct timing t;

	timing_start(&t, &(struct limits){ .depth = 3 });
	assert_true(t.soft == UINT64_MAX && t.hard == UINT64_MAX);
	timing_start(&t, &(struct limits){ .movetime_ms = 100 });
	assert_true(t.hard == t.start + 100000000 && t.soft == UINT64_MAX);
	/* never more than there is on the clock, however little that is */
	for (uint64_t ms = 1; ms < 100000000000000; ms *= 3) {
		for (uint64_t moves = 0; moves < 50; moves += 7) {
			struct limits l = { .clock_ms = ms,
					    .increment_ms = ms / 3,
					    .moves_to_go = moves };

			timing_start(&t, &l);
			assert_true(t.soft <= t.hard);
			assert_true((t.hard - t.start) / 1000000 <= ms);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eval_mirror),
		cmocka_unit_test(test_eval_cached),
		cmocka_unit_test(test_eval_knows),
		cmocka_unit_test(test_see),
		cmocka_unit_test(test_mates),
		cmocka_unit_test(test_no_moves),
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_long_game),
		cmocka_unit_test(test_rubbish),
		cmocka_unit_test(test_eval_amid_rubbish),
		cmocka_unit_test(test_nothing_rejected),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_timing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
