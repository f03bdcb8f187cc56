// SPDX-License-Identifier: BSD-2-Clause
/*
 * How close the harness comes to what the machine allows. argv: traces.
 *
 * All contestants of a question run in turn, several rounds, in one process; what is
 * judged are ratios of medians. Each line says what should be reached. Nothing here
 * fails: a noisy neighbour is no fault of the code, and a person reads it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"
#include "run.h"
#include "stats.h"

#define ROUNDS 5
#define SECONDS 0.2
#define MIB (1ull << 20)
#define MAX_CONTESTANTS 8

static struct topo *topo;

/* One contestant: a table in the harness, or the bare loop where spec is NULL. */
struct contestant {
	const char *label, *spec;
	const struct traffic *traffic;
	uint64_t bytes;
	unsigned threads, lookahead;
	enum caller caller;
	double ns[ROUNDS], mops[ROUNDS];
	double share; /* of its whole time spent measuring */
};

static void run_table(struct contestant *c, unsigned round)
{
	struct table_spec table;
	struct run_params p = { .table = &table,
				.traffic = c->traffic,
				.topo = topo,
				.seconds = SECONDS,
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
	c->share = r.seconds / r.whole_seconds;
	placement_free(&placement);
	table_spec_free(&table);
}

/* The same records, the same lines, no harness: one word of each line, summed. */
static void run_bare(struct contestant *c, unsigned round)
{
	const struct stream *s = &c->traffic->stream[0];
	struct table_params p = { .kind = KIND_KV, .size = { .bytes = c->bytes }, .pages = PAGES_AUTO };
	uint64_t lines = table_lines(p.kind, &p.size);
	unsigned shift = 63 - (unsigned)__builtin_ctzll(lines);
	uint64_t begin, end, sum = 0, ops = 0;
	struct mem m;
	struct err e;

	if (topo_bind_self(topo, 0, &e) || mem_map(&m, lines * 64, PAGES_AUTO, "size", &e))
		fixture_die(&e);
	memset(m.base, 0, m.bytes);
	begin = now_ns();
	do {
		for (size_t i = 0; i < s->nr; i++) {
			uint64_t *line = (uint64_t *)m.base + (s->op[i].key >> 1 >> shift) * 8;

			if (c->lookahead)
				__builtin_prefetch((uint64_t *)m.base +
						   (s->op[i + c->lookahead].key >> 1 >> shift) * 8);
			sum += *(volatile uint64_t *)line;
		}
		ops += s->nr;
		end = now_ns();
	} while (end - begin < SECONDS * 1e9);
	__asm__ volatile("" ::"r"(sum));
	c->ns[round] = (double)(end - begin) / (double)ops;
	c->mops[round] = 1e3 / c->ns[round];
	mem_unmap(&m);
}

static void compete(struct contestant *c, size_t nr)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < nr; i++)
			c[i].spec ? run_table(&c[i], round) : run_bare(&c[i], round);
}

static double median_of(const double *v)
{
	double copy[ROUNDS];

	memcpy(copy, v, sizeof(copy));
	return stats_median(copy, ROUNDS);
}

static void verdict(const char *what, double got, double want, bool at_least, const char *unit)
{
	bool ok = at_least ? got >= want : got <= want;

	printf("  %-58s %8.3f%s  (%s %.2f) %s\n", what, got, unit, at_least ? "at least" : "at most",
	       want, ok ? "reached" : "MISSED");
}

static void print_all(const struct contestant *c, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		double lo = c[i].ns[0], hi = c[i].ns[0];

		for (unsigned r = 1; r < ROUNDS; r++) {
			lo = c[i].ns[r] < lo ? c[i].ns[r] : lo;
			hi = c[i].ns[r] > hi ? c[i].ns[r] : hi;
		}
		printf("    %-34s %8.2f ns/op [%.2f, %.2f] %9.2f Mops\n", c[i].label,
		       median_of(c[i].ns), lo, hi, median_of(c[i].mops));
	}
}

static struct traffic *deal_trace(const char *path, unsigned threads)
{
	struct traffic *t;
	struct trace *trace;
	struct err e;

	/* Clones, so that threads have equal work and overlap; nothing is cleared. */
	if (trace_read(path, &trace, &e) ||
	    traffic_from_trace(trace, 1u << KIND_TT, threads, DEAL_CLONE, CLEARS_DROP, 1, &t, &e))
		fixture_die(&e);
	trace_free(trace);
	return t;
}

static void floors(const char *path)
{
	struct traffic *one = deal_trace(path, 1), *two = deal_trace(path, 2);
	struct contestant c[] = {
		{ .label = "stream 1T", .spec = "stream", .traffic = one, .threads = 1 },
		{ .label = "null 1T", .spec = "null", .traffic = one, .threads = 1 },
		{ .label = "stream 2T", .spec = "stream", .traffic = two, .threads = 2 },
		{ .label = "null 2T", .spec = "null", .traffic = two, .threads = 2 },
	};

	printf("floors on %s\n", one->name);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++)
		c[i].caller = CALLER_BRANCH;
	compete(c, ARRAY_SIZE(c));
	print_all(c, ARRAY_SIZE(c));
	verdict("stream, one thread", median_of(c[0].ns), 1.0, false, " ns");
	verdict("null, one thread", median_of(c[1].ns), 3.5, false, " ns");
	verdict("stream, two threads against one", median_of(c[2].mops) / median_of(c[0].mops), 1.9,
		true, "");
	verdict("null, two threads against one", median_of(c[3].mops) / median_of(c[1].mops), 1.9,
		true, "");
	traffic_free(one);
	traffic_free(two);
}

static void touch_limit(uint64_t bytes, const char *name, unsigned lookahead, double want)
{
	struct table_size size = { .bytes = bytes };
	struct traffic *t;
	struct err e;
	char text[64];

	if (traffic_from_workload("uniform", &size, 1, 1, &t, &e))
		fixture_die(&e);
	t->preload_nr = 0; /* touch looks at nothing it finds */
	{
		struct contestant c[] = {
			{ .label = "bare loop", .traffic = t, .bytes = bytes, .lookahead = lookahead },
			{ .label = "touch", .spec = "touch", .traffic = t, .bytes = bytes, .threads = 1,
			  .lookahead = lookahead, .caller = CALLER_BATCH },
		};

		compete(c, ARRAY_SIZE(c));
		printf("touch at %s, lookahead %u\n", name, lookahead);
		print_all(c, ARRAY_SIZE(c));
		snprintf(text, sizeof(text), "touch of the bare loop, %s, lookahead %u", name,
			 lookahead);
		verdict(text, median_of(c[0].ns) / median_of(c[1].ns), want, true, "");
	}
	traffic_free(t);
}

static void xor_cost(const char *path)
{
	struct traffic *t = deal_trace(path, 1);
	struct contestant c[] = {
		{ .label = "unsync", .spec = "unsync:refresh=never", .traffic = t, .threads = 1,
		  .bytes = 16 * MIB, .caller = CALLER_BRANCH },
		{ .label = "xor", .spec = "xor:refresh=never", .traffic = t, .threads = 1,
		  .bytes = 16 * MIB, .caller = CALLER_BRANCH },
	};

	compete(c, ARRAY_SIZE(c));
	printf("xor on %s, 16 MiB\n", t->name);
	print_all(c, ARRAY_SIZE(c));
	verdict("xor of unsync", median_of(c[0].ns) / median_of(c[1].ns), 0.90, true, "");
	traffic_free(t);
}

static void two_threads(void)
{
	struct table_size size = { .bytes = MIB / 4 };
	struct traffic *t;
	struct err e;

	if (traffic_from_workload("uniform", &size, 2, 1, &t, &e))
		fixture_die(&e);
	{
		struct contestant c[] = {
			{ .label = "spinlock", .spec = "spinlock:stripes=256", .traffic = t,
			  .threads = 2, .bytes = MIB / 4, .caller = CALLER_BRANCH },
			{ .label = "xor", .spec = "xor", .traffic = t, .threads = 2,
			  .bytes = MIB / 4, .caller = CALLER_BRANCH },
		};

		compete(c, ARRAY_SIZE(c));
		printf("two threads, kv, probe only, 256 KiB\n");
		print_all(c, ARRAY_SIZE(c));
		verdict("xor of spinlock", median_of(c[0].ns) / median_of(c[1].ns), 3.0, true, "");
	}
	traffic_free(t);
}

int main(int argc, char **argv)
{
	static const struct {
		uint64_t bytes;
		const char *name;
		double want;
	} sizes[] = { { MIB / 4, "256 KiB", 0.6 }, { 8 * MIB, "8 MiB", 0.85 }, { 1024 * MIB, "1 GiB", 0.85 } };
	struct err e;

	if (topo_open(&topo, &e))
		fixture_die(&e);
	for (int i = 1; i < argc; i++)
		floors(argv[i]);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		touch_limit(sizes[i].bytes, sizes[i].name, 0, sizes[i].want);
		touch_limit(sizes[i].bytes, sizes[i].name, 16, sizes[i].want);
	}
	for (int i = 1; i < argc; i++)
		xor_cost(argv[i]);
	two_threads();
	topo_close(topo);
	return 0;
}
