// SPDX-License-Identifier: BSD-2-Clause
/* tearline search - the best move of a position, found with the help of hash tables */
#include <stdio.h>
#include <stdlib.h>

#include "bench_set.h"
#include "command.h"
#include "engine.h"
#include "info.h"
#include "interrupt.h"
#include "version.h"

/* Where nothing else says when to stop. */
#define USUAL_DEPTH 12

struct search_args {
	struct engine_params engine;
	const char *fen, *record;
	uint64_t depth, nodes, movetime;
	bool bench;
};

static struct search_args args;

static const struct option_def search_options[] = {
	{ "fen", OPT_STR, &args.fen, "FEN", NULL, "position to search (the start)", 0, 0 },
	{ "depth", OPT_U64, &args.depth, "N", NULL,
	  "iterations (without any limit 12, with --bench 9)", 1, MAX_DEPTH },
	{ "nodes", OPT_U64, &args.nodes, "N", NULL, "nodes of all threads; exact with one", 1,
	  0 },
	{ "movetime", OPT_U64, &args.movetime, "MS", NULL, "milliseconds", 1, 0 },
	{ "bench", OPT_FLAG, &args.bench, NULL, NULL,
	  "search a fixed set of positions, each to --depth; the sum of nodes on one "
	  "thread is the same wherever search and table do the same",
	  0, 0 },
	ENGINE_OPTIONS(&args.engine),
	{ "record", OPT_STR, &args.record, "FILE", NULL,
	  "write what all threads do to their tables as a trace that replay takes; held "
	  "in memory until the end, 32 bytes an operation, in at most a quarter of what "
	  "the machine has: what comes later is dropped and counted",
	  0, 0 },
	{ .name = NULL },
};

static const struct option_effect search_effects[] = {
	ENGINE_EFFECTS,
	{ .option = NULL },
};

static void print_score(int score)
{
	char text[16];

	if (is_mate(score))
		snprintf(text, sizeof(text), "%s#%d", score < 0 ? "-" : "",
			 abs(mate_in(score)));
	else
		snprintf(text, sizeof(text), "%+.2f", score / 100.0);
	printf("%8s", text);
}

/* Rates are of the thread that reports: the others' counts are theirs until they end. */
static void print_iteration(void *arg, const struct searcher *s)
{
	const struct counts *n = &s->cache.worker->n[KIND_TT];
	uint64_t ns = now_ns() - s->search->timing.start, nodes = search_nodes(s->search);
	char text[LINE_TEXT];

	printf("%5u ", s->depth);
	print_score(s->score);
	printf(" %11ju %10ju %9.3f %6.1f %7.1f  %s\n", (uintmax_t)nodes,
	       (uintmax_t)per_second(nodes, ns), (double)ns * 1e-9, percent(n->hits, n->probes),
	       percent(usable_hits(n), n->probes), line_text(&s->pv, text));
	fflush(stdout);
}

static void print_table(const struct engine *e, enum kind k, const struct counts *n)
{
	printf("%-4s %11ju bytes %11ju probes %11ju stores  hits %5.1f %%", kind_names[k],
	       (uintmax_t)engine_bytes(e, k), (uintmax_t)n->probes, (uintmax_t)n->stores,
	       percent(n->hits, n->probes));
	if (k == KIND_TT)
		printf("  usable %5.1f %%", percent(usable_hits(n), n->probes));
	putchar('\n');
}

static void print_totals(const struct engine *e, const struct engine_result *r)
{
	printf("nodes %ju  seconds %.3f  nps %ju  rejected hash moves %ju\n",
	       (uintmax_t)r->nodes, (double)r->ns * 1e-9,
	       (uintmax_t)per_second(r->nodes, r->ns), (uintmax_t)r->rejected);
	for (enum kind k = KIND_TT; k <= KIND_EVAL; k++)
		print_table(e, k, &r->count[k]);
}

static void print_head(const char *fen)
{
	printf("%s\ndepth    score       nodes        nps   seconds   hit%%  usable%%  pv\n",
	       fen);
}

static void print_best(const struct engine_result *r)
{
	char text[MOVE_TEXT];

	printf("bestmove %s  score", move_text(r->best, text));
	print_score(r->score);
	printf("  depth %u\n", r->depth);
}

static struct limits limits_of_args(void)
{
	struct limits l = { .depth = (unsigned)args.depth,
			    .nodes = args.nodes,
			    .movetime_ms = args.movetime };

	if (!l.depth && !l.nodes && !l.movetime_ms)
		l.depth = args.bench ? BENCH_DEPTH : USUAL_DEPTH;
	return l;
}

/* One position; its result is added to the sum. */
static int search_one(struct engine *e, const char *fen, struct engine_result *sum,
		      struct err *err)
{
	struct limits limits = limits_of_args();
	struct engine_result r;
	struct game game;

	if (game_set(&game, fen, err))
		return -1;
	if (!args.bench)
		print_head(fen);
	engine_ready(e);
	if (engine_search(e, &game, &limits, args.bench ? NULL : print_iteration, NULL, &r,
			  err))
		return -1;
	if (args.bench)
		printf("%10ju nodes  ", (uintmax_t)r.nodes);
	print_best(&r);
	sum->nodes += r.nodes;
	sum->ns += r.ns;
	sum->rejected += r.rejected;
	for (enum kind k = 0; k < NR_KINDS; k++)
		counts_add(&sum->count[k], &r.count[k]);
	return 0;
}

static int search_all(struct engine *e, struct err *err)
{
	struct engine_result sum = { .nodes = 0 };

	if (!args.bench) {
		if (search_one(e, args.fen ? args.fen : FEN_START, &sum, err))
			return -1;
	}
	for (unsigned i = 0; args.bench && i < NR_BENCH && !interrupted(); i++)
		if (search_one(e, bench_fens[i], &sum, err))
			return -1;
	print_totals(e, &sum);
	if (args.bench && !interrupted())
		printf("signature %ju\n", (uintmax_t)sum.nodes);
	return 0;
}

static int check_args(struct err *e)
{
	struct game game;

	if (args.bench && args.fen)
		return err_set(e, "search: expected one of --fen and --bench: the positions of "
				  "--bench are fixed");
	if (args.record && trace_may_write(args.record, e))
		return -1;
	return args.fen ? game_set(&game, args.fen, e) : 0;
}

static int write_recording(struct recording *r, struct err *e)
{
	uint64_t ops = recording_ops(r), dropped = recording_dropped(r);

	if (recording_write(r, args.record, "tearline search " GIT_VERSION, e))
		return -1;
	fprintf(stderr, "%s: %ju operations of %ju threads\n", args.record, (uintmax_t)ops,
		(uintmax_t)args.engine.threads);
	if (dropped)
		fprintf(stderr, "%s: its memory was full: %ju later operations are not in it\n",
			args.record, (uintmax_t)dropped);
	return 0;
}

/* An interrupted search's is written, too: it is what was done. */
static int record_all(struct engine *e, struct err *err)
{
	struct recording *r =
		recording_create((unsigned)args.engine.threads, recording_usual_ops());
	int ret;

	if (!r)
		return err_set(err, "--record: out of memory");
	engine_record(e, r);
	ret = search_all(e, err) || write_recording(r, err) ? -1 : 0;
	recording_free(r);
	return ret;
}

static int search(char **arg, int nr, struct err *e)
{
	struct engine *engine = NULL;
	int ret;

	interrupt_catch();
	if (check_args(e) || engine_create(&args.engine, &engine, e))
		return -1;
	ret = args.record ? record_all(engine, e) : search_all(engine, e);
	engine_destroy(engine);
	return ret;
}

const struct command cmd_search = {
	.name = "search",
	.summary = "find the best move of a chess position, all threads on one table",
	.usage = "[--fen FEN | --bench] [--depth N] [--nodes N] [--movetime MS] [options]",
	.example = "tearline search --fen '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' "
		   "--depth 28 --threads 2 --table seqlock\n"
		   "tearline search --bench --table spinlock --pawn shared --eval shared\n"
		   "tearline search --bench --threads 2 --record own.tlt",
	.work = search,
	.options = search_options,
	.effects = search_effects,
};
