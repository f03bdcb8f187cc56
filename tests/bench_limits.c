// SPDX-License-Identifier: BSD-2-Clause
/*
 * How close the harness comes to what the machine allows. argv: traces.
 *
 * Each line says what should be reached; see bench.h.
 */
#include <pthread.h>

#include "bench.h"

static struct topo *topo;

/* The same records, the same lines, no harness: one word of each line, summed. */
static uint64_t bare_loop(const struct contestant *c, const struct stream *s)
{
	struct table_size size = { .bytes = c->bytes };
	uint64_t lines = table_lines(KIND_KV, &size);
	unsigned shift = 58 - (unsigned)__builtin_ctzll(lines);
	uint64_t mask = (lines - 1) << 6, sum = 0;
	const char *base = c->arg;

	for (size_t i = 0; i < s->nr; i++) {
		if (c->lookahead)
			__builtin_prefetch(base +
					   (s->op[i + c->lookahead].key >> shift & mask));
		sum += *(volatile uint64_t *)(base + (s->op[i].key >> shift & mask));
	}
	return sum;
}

static struct traffic *deal_trace(const char *path, unsigned threads, enum clears clears)
{
	/* Clones, so that threads have equal work. */
	struct dealing d = {
		.kinds = 1u << KIND_TT, .threads = threads, .deal = DEAL_CLONE, .clears = clears
	};
	struct traffic *t;
	struct trace *trace;
	struct err e;

	if (trace_read(path, &trace, &e) || traffic_from_trace(trace, &d, &t, &e))
		fixture_die(&e);
	trace_free(trace);
	return t;
}

static void floors(const char *path)
{
	struct traffic *one = deal_trace(path, 1, CLEARS_DROP);
	struct traffic *two = deal_trace(path, 2, CLEARS_DROP);
	struct contestant c[] = {
		{ .label = "stream 1T", .spec = "stream", .traffic = one, .threads = 1 },
		{ .label = "null 1T", .spec = "null", .traffic = one, .threads = 1 },
		{ .label = "stream 2T", .spec = "stream", .traffic = two, .threads = 2 },
		{ .label = "null 2T", .spec = "null", .traffic = two, .threads = 2 },
	};

	printf("floors on %s\n", one->name);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		c[i].caller = CALLER_BRANCH;
		c[i].bytes = 16 * MIB; /* 0 would mean no table, which is null */
	}
	compete(c, ARRAY_SIZE(c), topo);
	print_all(c, ARRAY_SIZE(c));
	verdict("stream, one thread", median_of(c[0].ns), 1.0, false, " ns");
	verdict("null, one thread", median_of(c[1].ns), 3.5, false, " ns");
	verdict("stream, two threads against one", median_of(c[2].mops) / median_of(c[0].mops),
		1.9, true, "");
	verdict("null, two threads against one", median_of(c[3].mops) / median_of(c[1].mops),
		1.9, true, "");
	traffic_free(one);
	traffic_free(two);
}

static void touch_limit(uint64_t bytes, const char *name, unsigned lookahead, double want)
{
	struct table_size size = { .bytes = bytes };
	struct traffic *t;
	struct mem lines;
	struct err e;
	char text[64];

	if (traffic_from_workload("uniform", &size, 1, 1, &t, &e) ||
	    mem_map(&lines, bytes, PAGES_AUTO, "size", &e))
		fixture_die(&e);
	memset(lines.base, 0, lines.bytes);
	t->preload_nr = 0; /* touch looks at nothing it finds */
	{
		struct contestant c[] = {
			{ .label = "bare loop",
			  .traffic = t,
			  .bytes = bytes,
			  .lookahead = lookahead,
			  .bare = bare_loop,
			  .arg = lines.base },
			{ .label = "touch",
			  .spec = "touch",
			  .traffic = t,
			  .bytes = bytes,
			  .threads = 1,
			  .lookahead = lookahead,
			  .caller = CALLER_BATCH },
		};

		compete(c, ARRAY_SIZE(c), topo);
		printf("touch at %s, lookahead %u\n", name, lookahead);
		print_all(c, ARRAY_SIZE(c));
		snprintf(text, sizeof(text), "touch of the bare loop, %s, lookahead %u", name,
			 lookahead);
		verdict(text, median_of(c[0].ns) / median_of(c[1].ns), want, true, "");
	}
	mem_unmap(&lines);
	traffic_free(t);
}

static void xor_cost(const char *path)
{
	struct traffic *t = deal_trace(path, 1, CLEARS_DROP);
	struct contestant c[] = {
		{ .label = "unsync",
		  .spec = "unsync:refresh=never",
		  .traffic = t,
		  .threads = 1,
		  .bytes = 16 * MIB,
		  .caller = CALLER_BRANCH },
		{ .label = "xor",
		  .spec = "xor:refresh=never",
		  .traffic = t,
		  .threads = 1,
		  .bytes = 16 * MIB,
		  .caller = CALLER_BRANCH },
	};

	compete(c, ARRAY_SIZE(c), topo);
	printf("xor on %s, 16 MiB\n", t->name);
	print_all(c, ARRAY_SIZE(c));
	verdict("xor of unsync", median_of(c[0].ns) / median_of(c[1].ns), 0.90, true, "");
	traffic_free(t);
}

/* One of two threads that hand a cache line to and fro; ns one way. */
struct ping_pong {
	_Atomic uint32_t turn __attribute__((aligned(128)));
	unsigned cpu[2];
	double ns;
};
#define PING_PONGS 200000u

static void play(struct ping_pong *p, uint32_t me)
{
	uint64_t begin;
	struct err e;

	if (topo_bind_self(topo, p->cpu[me], &e))
		fixture_die(&e);
	begin = now_ns();
	for (uint32_t i = me; i < PING_PONGS; i += 2) {
		while (smp_load_acquire(&p->turn) != i)
			;
		smp_store_release(&p->turn, i + 1);
	}
	p->ns = (double)(now_ns() - begin) / PING_PONGS;
}

static void *play_second(void *arg)
{
	play(arg, 1);
	return NULL;
}

/* What a contended lock pays; virtual CPUs may move between runs, so it is measured here. */
static double handover_ns(void)
{
	struct ping_pong p = { .ns = 0 };
	struct placement two;
	pthread_t thread;
	struct err e;

	if (topo_place(topo, "core", 2, false, &two, &e))
		return 0;
	p.cpu[0] = two.cpu[0];
	p.cpu[1] = two.cpu[1];
	placement_free(&two);
	pthread_create(&thread, NULL, play_second, &p);
	play(&p, 0);
	pthread_join(thread, NULL);
	return p.ns;
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
			{ .label = "spinlock",
			  .spec = "spinlock:stripes=256",
			  .traffic = t,
			  .threads = 2,
			  .bytes = MIB / 4,
			  .caller = CALLER_BRANCH },
			{ .label = "xor",
			  .spec = "xor",
			  .traffic = t,
			  .threads = 2,
			  .bytes = MIB / 4,
			  .caller = CALLER_BRANCH },
		};

		compete(c, ARRAY_SIZE(c), topo);
		printf("two threads, kv, probe only, 256 KiB; a cache line changes hands in %.0f ns\n",
		       handover_ns());
		print_all(c, ARRAY_SIZE(c));
		verdict("xor of spinlock", median_of(c[0].ns) / median_of(c[1].ns), 3.0, true,
			"");
	}
	traffic_free(t);
}

/* How much of a sweep's time is replay: cells of one second, cleared every repetition. */
static void sweep_share(const char *path)
{
	struct traffic *t = deal_trace(path, 1, CLEARS_BARRIER);
	struct contestant c[] = {
		{ .label = "unsync",
		  .spec = "unsync",
		  .traffic = t,
		  .threads = 1,
		  .bytes = 16 * MIB,
		  .caller = CALLER_BRANCH,
		  .seconds = 1 },
		{ .label = "spinlock",
		  .spec = "spinlock",
		  .traffic = t,
		  .threads = 1,
		  .bytes = 16 * MIB,
		  .caller = CALLER_BRANCH,
		  .seconds = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		char text[64];

		run_table(&c[i], 0, topo);
		snprintf(text, sizeof(text), "share of a cell's time in replay, %s", c[i].spec);
		verdict(text, c[i].share, 0.75, true, "");
	}
	traffic_free(t);
}

int main(int argc, char **argv)
{
	static const struct {
		uint64_t bytes;
		const char *name;
		double want;
	} sizes[] = { { MIB / 4, "256 KiB", 0.6 },
		      { 8 * MIB, "8 MiB", 0.85 },
		      { 1024 * MIB, "1 GiB", 0.85 } };
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
	printf("sweeps of 1 s cells, 16 MiB\n");
	for (int i = 1; i < argc; i++)
		sweep_share(argv[i]);
	topo_close(topo);
	return 0;
}
