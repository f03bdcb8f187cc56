// SPDX-License-Identifier: BSD-2-Clause
/*
 * What recording costs a search: the same positions by turns with a recording and without, on
 * one thread, in CPU time, so that other programs disturb little; as the search itself counts
 * it, without buffers made beforehand and without the file.
 *
 *	bench_recording [ROUNDS] [DEPTH]
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_set.h"
#include "engine.h"
#include "stats.h"

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void die(const struct err *e)
{
	exit(err_report(e));
}

/* Of one round. */
static double search_set(bool record, unsigned depth, uint64_t *ops)
{
	struct limits limits = { .depth = depth };
	struct recording *r = recording_create(1, recording_usual_ops());
	struct engine_result result;
	struct engine *engine;
	struct err e;
	double begin, seconds = 0;

	if (!r)
		err_set(&e, "out of memory");
	if (!r || engine_create(&engine_usual, &engine, &e))
		die(&e);
	if (record)
		engine_record(engine, r);
	for (unsigned i = 0; i < NR_BENCH; i++) {
		struct game game;

		engine_ready(engine);
		if (game_set(&game, bench_fens[i], &e))
			die(&e);
		if (record)
			recording_reserve(r);
		begin = cpu_seconds();
		if (engine_search(engine, &game, &limits, NULL, NULL, &result, &e))
			die(&e);
		seconds += cpu_seconds() - begin;
	}
	*ops = recording_ops(r);
	engine_destroy(engine);
	recording_free(r);
	return seconds;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 15;
	unsigned depth = argc > 2 ? (unsigned)atoi(argv[2]) : BENCH_DEPTH;
	double *with = xcalloc(rounds, sizeof(*with)),
	       *without = xcalloc(rounds, sizeof(*with));
	struct interval ratio;
	uint64_t ops = 0, none;

	for (unsigned i = 0; i < rounds; i++) {
		without[i] = search_set(false, depth, &none);
		with[i] = search_set(true, depth, &ops);
	}
	ratio = stats_ratio_spread(with, rounds, without, rounds, 1);
	printf("%ju operations, median CPU seconds %.3f, recorded %.3f: ratio %.3f "
	       "[%.3f, %.3f], %.1f ns an operation\n",
	       (uintmax_t)ops, stats_median(without, rounds), stats_median(with, rounds),
	       ratio.mid, ratio.lo, ratio.hi,
	       (stats_median(with, rounds) - stats_median(without, rounds)) * 1e9 /
		       (double)ops);
	free(with);
	free(without);
	return 0;
}
