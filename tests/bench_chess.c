// SPDX-License-Identifier: BSD-2-Clause
/*
 * What tables mean to a search: the positions of `tearline search --bench`, each to a depth, by
 * engines that differ in their tables. All engines of a contest search in turn, several rounds,
 * each round in another order, in one process; an engine begins a round with empty tables and
 * keeps them from one position to the next. Shown are medians with their 95 % intervals, and
 * times as ratios to the first engine with as many threads. One thread searches the same nodes
 * every time, several do not: what counts is the time to the depth. Where it matters what is left
 * of the search before, the positions are those of games.
 *
 *	bench_chess tables|refresh|sharing|memory [DEPTH [ROUNDS]]
 */
#include <stdarg.h>

#include "bench_set.h"
#include "engine.h"
#include "fixture.h"
#include "info.h"
#include "stats.h"

#define MAX_ROUNDS 64
#define MAX_ENTRANTS 64
#define GAMES 4 /* from the bench's openings and middle games */
#define GAME_POSITIONS 6 /* of each, two plies apart */

/* One engine, and by rounds what it took to search the set. */
struct entrant {
	char label[48], table[48], hash[16], pawn_hash[16], eval_hash[16];
	struct engine_params p;
	double seconds[MAX_ROUNDS], nodes[MAX_ROUNDS], nps[MAX_ROUNDS];
	struct counts n[NR_KINDS]; /* of the last round */
	uint64_t bytes; /* of all tables */
};

struct contest {
	struct entrant entrant[MAX_ENTRANTS];
	size_t nr;
};

/* What is searched, one after another. */
struct set {
	struct game game[GAMES * GAME_POSITIONS];
	size_t nr;
};

static unsigned depth = 10, rounds = 11, max_threads;
static struct contest contest;
static struct set set;

static const char *keep(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
	return to;
}

/* If there is such a table here; texts of p are copied. */
static void enter_one(const struct engine_params *p, const char *label)
{
	struct entrant *one = &contest.entrant[contest.nr];
	const char *why = fixture_lacks(p->table);

	if (why || contest.nr == MAX_ENTRANTS) {
		printf("%s left out: %s\n", label, why ? why : "too many");
		return;
	}
	contest.nr++;
	keep(one->label, sizeof(one->label), label);
	one->p = *p;
	one->p.table = keep(one->table, sizeof(one->table), p->table);
	one->p.hash = keep(one->hash, sizeof(one->hash), p->hash);
	one->p.pawn_hash = keep(one->pawn_hash, sizeof(one->pawn_hash), p->pawn_hash);
	one->p.eval_hash = keep(one->eval_hash, sizeof(one->eval_hash), p->eval_hash);
}

/* With 1, 2, 4, ... threads. */
static void enter(const struct engine_params *p, const char *label)
{
	struct engine_params with = *p;

	for (with.threads = 1; with.threads <= max_threads; with.threads *= 2)
		enter_one(&with, label);
}

static void search(struct engine *engine, const struct game *g, struct engine_result *r)
{
	const struct limits limits = { .depth = depth };
	struct err e;

	engine_ready(engine);
	if (engine_search(engine, g, &limits, NULL, NULL, r, &e))
		fixture_die(&e);
}

static void search_set(struct entrant *one, unsigned round)
{
	struct engine_result r;
	struct engine *engine;
	struct err e;

	memset(one->n, 0, sizeof(one->n));
	one->nodes[round] = one->seconds[round] = 0;
	one->bytes = 0;
	if (engine_create(&one->p, &engine, &e))
		fixture_die(&e);
	for (size_t i = 0; i < set.nr; i++) {
		search(engine, &set.game[i], &r);
		one->nodes[round] += (double)r.nodes;
		one->seconds[round] += (double)r.ns * 1e-9;
		for (enum kind k = KIND_TT; k <= KIND_EVAL; k++)
			counts_add(&one->n[k], &r.count[k]);
	}
	for (enum kind k = KIND_TT; k <= KIND_EVAL; k++)
		one->bytes += engine_bytes(engine, k);
	one->nps[round] = one->nodes[round] / one->seconds[round];
	engine_destroy(engine);
}

static void open_game(struct game *g, const char *fen)
{
	struct err e;

	if (game_set(g, fen, &e))
		fixture_die(&e);
}

static void choose_bench(void)
{
	for (set.nr = 0; set.nr < NR_BENCH; set.nr++)
		open_game(&set.game[set.nr], bench_fens[set.nr]);
}

/* Games that the usual engine plays against itself: on one thread always the same ones. */
static void choose_games(void)
{
	struct engine_result r = { .best = NO_MOVE };
	struct engine *engine;
	struct game game;
	struct err e;

	if (engine_create(&engine_usual, &engine, &e))
		fixture_die(&e);
	for (set.nr = 0; set.nr < ARRAY_SIZE(set.game); set.nr++) {
		if (set.nr % GAME_POSITIONS == 0)
			open_game(&game, bench_fens[2 + set.nr / GAME_POSITIONS]);
		set.game[set.nr] = game;
		for (unsigned ply = 0; ply < 2; ply++) {
			search(engine, &game, &r);
			if (r.best == NO_MOVE)
				break; /* it is over: what is left is searched again */
			game_play(&game, r.best);
		}
	}
	engine_destroy(engine);
}

static const struct entrant *baseline(const struct entrant *one)
{
	const struct entrant *first = contest.entrant;

	while (first->p.threads != one->p.threads)
		first++;
	return first;
}

static void show(const struct entrant *one)
{
	struct interval s = stats_median_spread(one->seconds, rounds, 1);
	struct interval nps = stats_median_spread(one->nps, rounds, 1);
	struct interval of =
		stats_ratio_spread(one->seconds, rounds, baseline(one)->seconds, rounds, 1);
	const struct counts *n = one->n;

	printf("| %s | %ju | %.2f | %.3f | %.0f [%.0f, %.0f] | %.2f [%.2f, %.2f] "
	       "| %.2f [%.2f, %.2f] | %.1f | %.1f | %.1f | %.1f |\n",
	       one->label, (uintmax_t)one->p.threads, (double)one->bytes / (1 << 20),
	       stats_median(one->nodes, rounds) * 1e-6, nps.mid * 1e-3, nps.lo * 1e-3,
	       nps.hi * 1e-3, s.mid, s.lo, s.hi, of.mid, of.lo, of.hi,
	       percent(n[KIND_TT].hits, n[KIND_TT].probes),
	       percent(usable_hits(&n[KIND_TT]), n[KIND_TT].probes),
	       percent(n[KIND_PAWN].hits, n[KIND_PAWN].probes),
	       percent(n[KIND_EVAL].hits, n[KIND_EVAL].probes));
}

/* Everybody once, in an order of its own: nobody always comes after the same. */
static void play_round(unsigned round)
{
	size_t order[MAX_ENTRANTS] = { 0 };
	uint64_t seed = round + 1;

	for (size_t i = 0; i < contest.nr; i++) {
		size_t k = rng_below(&seed, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < contest.nr; i++)
		search_set(&contest.entrant[order[i]], round);
}

/* All rounds of those who have entered, and the outcome. Nobody is left. */
static __attribute__((format(printf, 1, 2))) void hold(const char *title, ...)
{
	va_list ap;

	for (unsigned round = 0; round < rounds; round++)
		play_round(round);
	va_start(ap, title);
	putchar('\n');
	vprintf(title, ap);
	va_end(ap);
	printf(": %zu positions to depth %u, %u rounds\n\n"
	       "| | threads | MiB | M nodes | k nodes/s | seconds | time, ratio | tt hits %% "
	       "| usable %% | pawn hits %% | eval hits %% |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|\n",
	       set.nr, depth, rounds);
	for (size_t i = 0; i < contest.nr; i++)
		show(&contest.entrant[i]);
	fflush(stdout);
	contest.nr = 0;
}

/* Every table that holds transpositions: too small, large enough, and with room to spare. */
static void contest_tables(void)
{
	static const char *const hash[] = { "1", "16", "256" };

	for (size_t i = 0; i < ARRAY_SIZE(hash); i++) {
		struct engine_params p = engine_usual; /* it is the first, to compare with */

		p.hash = hash[i];
		enter(&p, p.table);
		table_for_each(t)
		{
			if (t->broken || t->floor || !(t->kinds & 1u << KIND_TT) ||
			    !strcmp(t->name, engine_usual.table))
				continue;
			p.table = t->name;
			enter(&p, t->name);
		}
		hold("tables, --hash %s", hash[i]);
	}
}

/* When a probe writes the search's generation to what it finds. */
static void contest_refresh(void)
{
	static const char *const tables[] = { "xor", "spinlock" };
	static const char *const policies[] = { "always", "stale", "cas", "never" };
	struct engine_params p = engine_usual;
	char spec[48];

	choose_games();
	p.table = spec;
	p.hash = "1"; /* full, so that it matters what is replaced */
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(policies); k++) {
			snprintf(spec, sizeof(spec), "%s:refresh=%s", tables[i], policies[k]);
			enter(&p, spec);
		}
		hold("refresh, --hash %s", p.hash);
	}
}

/* What all threads have together is the same, 2 MiB for pawns and 8 for evaluations. */
static void enter_sharing(const struct engine_params *p, const char *label)
{
	struct engine_params with = *p;
	char pawn_hash[16], eval_hash[16];

	with.pawn_hash = pawn_hash;
	with.eval_hash = eval_hash;
	for (with.threads = 1; with.threads <= max_threads; with.threads *= 2) {
		double tables = (double)with.threads;

		snprintf(pawn_hash, sizeof(pawn_hash), "%g",
			 2 / (p->pawn == SHARING_SHARED ? 1 : tables));
		snprintf(eval_hash, sizeof(eval_hash), "%g",
			 8 / (p->eval == SHARING_SHARED ? 1 : tables));
		enter_one(&with, label);
	}
}

/* Pawn and evaluation tables that threads share, or each has for itself, or nobody has. */
static void contest_sharing(void)
{
	static const struct {
		const char *label;
		unsigned pawn, eval;
	} as[] = {
		{ "both private", SHARING_PRIVATE, SHARING_PRIVATE },
		{ "pawn shared", SHARING_SHARED, SHARING_PRIVATE },
		{ "no pawn", SHARING_NONE, SHARING_PRIVATE },
		{ "eval shared", SHARING_PRIVATE, SHARING_SHARED },
		{ "no eval", SHARING_PRIVATE, SHARING_NONE },
		{ "both shared", SHARING_SHARED, SHARING_SHARED },
		{ "neither", SHARING_NONE, SHARING_NONE },
	};
	static const char *const tables[] = { "xor", "spinlock" };
	struct engine_params p = engine_usual;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		p.table = tables[i];
		for (size_t k = 0; k < ARRAY_SIZE(as); k++) {
			p.pawn = as[k].pawn;
			p.eval = as[k].eval;
			enter_sharing(&p, as[k].label);
		}
		hold("pawn and evaluation tables, --table %s", p.table);
	}
}

/*
 * As much for transpositions and evaluations together: all for the one, some for the other.
 * Each thread's own pawn table comes on top.
 */
static void contest_memory(void)
{
	static const double totals[] = { 0.25, 1, 4, 16, 64 };
	static const unsigned evals[] = { 0, 1, 2, 4 }; /* eighths */
	struct engine_params p = engine_usual;

	p.table = "xor:index=mulhi"; /* of any size */
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(evals); k++) {
			char hash[16], eval_hash[16], label[48];

			snprintf(hash, sizeof(hash), "%g", totals[i] * (8 - evals[k]) / 8);
			snprintf(eval_hash, sizeof(eval_hash), "%g", totals[i] * evals[k] / 8);
			snprintf(label, sizeof(label), "tt %s, eval %s", hash, eval_hash);
			p.hash = hash;
			p.eval_hash = eval_hash;
			p.eval = evals[k] ? SHARING_SHARED : SHARING_NONE;
			enter(&p, label);
		}
		hold("%g MiB in all, --table %s", totals[i], p.table);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} contests[] = {
	{ "tables", contest_tables },
	{ "refresh", contest_refresh },
	{ "sharing", contest_sharing },
	{ "memory", contest_memory },
};

static unsigned nr_cores(void)
{
	struct topo *topo;
	struct err e;
	unsigned nr;

	if (topo_open(&topo, &e))
		fixture_die(&e);
	nr = topo_nr_cores(topo);
	topo_close(topo);
	return nr;
}

int main(int argc, char **argv)
{
	max_threads = nr_cores();
	depth = argc > 2 ? (unsigned)atoi(argv[2]) : depth;
	rounds = argc > 3 ? (unsigned)atoi(argv[3]) : rounds;
	if (!depth || depth > MAX_DEPTH || !rounds || rounds > MAX_ROUNDS) {
		fprintf(stderr, "%s: expected a depth of 1 to %d and 1 to %d rounds\n", argv[0],
			MAX_DEPTH, MAX_ROUNDS);
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(contests); i++) {
		if (argc < 2 || strcmp(argv[1], contests[i].name))
			continue;
		choose_bench();
		contests[i].run();
		return 0;
	}
	fprintf(stderr, "%s: expected tables, refresh, sharing or memory\n", argv[0]);
	return 2;
}
