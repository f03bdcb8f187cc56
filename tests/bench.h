/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench - contests between tables and bare loops, for people to read
 *
 * All contestants of a question run in turn, several rounds, in one process; what is
 * judged are ratios of medians. Nothing fails: a noisy neighbour is no fault of the code.
 */
#ifndef TEARLINE_TESTS_BENCH_H
#define TEARLINE_TESTS_BENCH_H

#include <time.h>

#include "fixture.h"
#include "run.h"
#include "stats.h"

#ifndef ROUNDS
#define ROUNDS 7
#endif
#define SECONDS 0.2
#define MIB (1ull << 20)

/* One contestant: a table in the harness, or a bare loop where spec is NULL. */
struct contestant {
	const char *label, *spec;
	const struct traffic *traffic;
	uint64_t bytes;
	unsigned threads, lookahead;
	enum caller caller;
	double seconds; /* 0: SECONDS */
	/* the bare loop over stream 0, once; what it sums is the result */
	uint64_t (*bare)(const struct contestant *c, const struct stream *s);
	void *arg; /* its own */
	double ns[ROUNDS], mops[ROUNDS];
	double own_ns[ROUNDS]; /* while it had a CPU: what to compare on a busy machine */
	double share; /* of its whole time spent replaying */
};

static inline void run_table(struct contestant *c, unsigned round, const struct topo *topo)
{
	struct table_spec table;
	struct run_params p = { .table = &table,
				.traffic = c->traffic,
				.topo = topo,
				.seconds = c->seconds > 0 ? c->seconds : SECONDS,
				.caller = c->caller,
				.lookahead = c->lookahead,
				.seed = round + 1 };
	struct placement placement;
	struct run_result r;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		p.size[k].bytes = c->bytes;
		p.size_text[k] = "size";
	}
	if (table_spec_parse(c->spec, &table, &e) ||
	    topo_place(topo, "core", c->threads, true, &placement, &e))
		fixture_die(&e);
	p.placement = &placement;
	if (run_cell(&p, &r, &e))
		fixture_die(&e);
	c->ns[round] = r.ns_per_op;
	c->mops[round] = r.mops;
	c->own_ns[round] = r.ns_per_op * r.cpu_share;
	c->share = r.replay_seconds / r.whole_seconds;
	placement_free(&placement);
	table_spec_free(&table);
}

static inline double own_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void run_bare(struct contestant *c, unsigned round)
{
	const struct stream *s = &c->traffic->stream[0];
	uint64_t begin, end, sum = 0, ops = 0;
	double own = own_time_ns();

	begin = now_ns();
	do {
		sum += c->bare(c, s);
		ops += s->nr;
		end = now_ns();
	} while (end - begin < (c->seconds > 0 ? c->seconds : SECONDS) * 1e9);
	__asm__ volatile("" ::"r"(sum));
	c->ns[round] = (double)(end - begin) / (double)ops;
	c->mops[round] = 1e3 / c->ns[round];
	c->own_ns[round] = (own_time_ns() - own) / (double)ops;
}

static inline void compete(struct contestant *c, size_t nr, const struct topo *topo)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < nr; i++)
			c[i].spec ? run_table(&c[i], round, topo) : run_bare(&c[i], round);
}

static inline double median_of(const double *v)
{
	double copy[ROUNDS];

	memcpy(copy, v, sizeof(copy));
	return stats_median(copy, ROUNDS);
}

static inline void verdict(const char *what, double got, double want, bool at_least,
			   const char *unit)
{
	bool ok = at_least ? got >= want : got <= want;

	printf("  %-58s %8.3f%s  (%s %.2f) %s\n", what, got, unit,
	       at_least ? "at least" : "at most", want, ok ? "reached" : "MISSED");
}

static inline void print_all(const struct contestant *c, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		double lo = c[i].ns[0], hi = c[i].ns[0];

		for (unsigned r = 1; r < ROUNDS; r++) {
			lo = c[i].ns[r] < lo ? c[i].ns[r] : lo;
			hi = c[i].ns[r] > hi ? c[i].ns[r] : hi;
		}
		printf("    %-34s %8.2f ns/op [%.2f, %.2f], %.2f own %9.2f Mops\n", c[i].label,
		       median_of(c[i].ns), lo, hi, median_of(c[i].own_ns),
		       median_of(c[i].mops));
	}
}

#endif
