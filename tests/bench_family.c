// SPDX-License-Identifier: BSD-2-Clause
/*
 * How close the tables come to the memory limit and to the unprotected ceiling, and how far
 * they are from other people's containers.
 *
 * Kind kv, uniform traffic, the answers summed (caller=batch); every column is one contest of
 * all that run in it. Each line says what should be reached; see bench.h. A table that is not
 * there is left out with a line that says why.
 */
#define ROUNDS 5
#include "bench.h"

#define MAX_CONTESTANTS 64
#define CACHE (MIB / 4)
#define MEMORY (1024 * MIB)

static struct topo *topo;

struct column {
	const char *name, *workload;
	uint64_t bytes;
	unsigned threads, lookahead;
	struct traffic *traffic;
	struct contestant c[MAX_CONTESTANTS];
	size_t nr;
};

static bool is_there(const char *spec)
{
	const char *why = fixture_lacks(spec);

	if (why)
		printf("  %s left out: %s\n", spec, why);
	return !why;
}

static void enter(struct column *col, const char *spec)
{
	if (!is_there(spec) || col->nr == MAX_CONTESTANTS)
		return;
	col->c[col->nr++] = (struct contestant){ .label = spec,
						 .spec = spec,
						 .traffic = col->traffic,
						 .bytes = col->bytes,
						 .threads = col->threads,
						 .lookahead = col->lookahead,
						 .caller = CALLER_BATCH };
}

static const struct contestant *entered(const struct column *col, const char *spec)
{
	for (size_t i = 0; i < col->nr; i++)
		if (!strcmp(col->c[i].spec, spec))
			return &col->c[i];
	return NULL;
}

/* On a busy machine what counts is the time that the threads had a CPU. */
static double ns_of(const struct contestant *c)
{
	return median_of(c->own_ns);
}

/* How fast `spec` is beside `of`; no line where one of them is not there. */
static void share(const struct column *col, const char *spec, const char *of, double want)
{
	const struct contestant *a = entered(col, spec), *b = entered(col, of);
	char text[96];

	if (!a || !b)
		return;
	snprintf(text, sizeof(text), "%s of %s", spec, of);
	verdict(text, ns_of(b) / ns_of(a), want, true, "");
}

static void column_open(struct column *col)
{
	/* the index is made for a table of this size */
	struct table_size size = { .bytes = col->bytes };
	struct err e;

	if (traffic_from_workload(col->workload, &size, col->threads, 1, &col->traffic, &e))
		fixture_die(&e);
	printf("%s, %s, %u thread%s\n", col->workload, col->name, col->threads,
	       col->threads > 1 ? "s" : "");
}

static void column_run(struct column *col)
{
	compete(col->c, col->nr, topo);
	print_all(col->c, col->nr);
}

/* Without a lock, and made of lines: what should scale on probes. */
static bool is_free(const struct table_class *c)
{
	return c->lines && !c->broken && !c->floor && c->kinds & 1u << KIND_KV &&
	       strncmp(c->probe_progress, "blocking", strlen("blocking"));
}

/* Every table that holds kv, and the forms of some that marks are about. */
static void enter_all(struct column *col)
{
	table_for_each(c) if (!c->broken && !c->floor && c->kinds & 1u << KIND_KV)
		enter(col, c->name);
	enter(col, "touch");
	enter(col, "unsync:probe=auto");
	enter(col, "atomic16:probe=scalar");
	enter(col, "seqlock:counter=line");
}

/* The fastest of what is ours: line tables that promise something. */
static const struct contestant *best_of_ours(const struct column *col)
{
	const struct contestant *best = NULL;

	table_for_each(c)
	{
		const struct contestant *x = entered(col, c->name);

		if (x && c->lines && !(c->promises & PROMISE_NOTHING) && (!best || ns_of(x) < ns_of(best)))
			best = x;
	}
	return best;
}

static void containers(const struct column *col, double want)
{
	static const char *const others[] = { "ck_ht", "lfht" };
	const struct contestant *best = best_of_ours(col);

	for (size_t i = 0; best && i < ARRAY_SIZE(others); i++)
		share(col, best->spec, others[i], want);
}

/* In cache: against the limit, and against the ceiling in the same form of probe. */
static void in_cache(struct column *one, struct column *two)
{
	struct column *const both[] = { one, two };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		column_open(both[i]);
		enter_all(both[i]);
		column_run(both[i]);
		share(both[i], "xor-simd", "touch", 0.60);
		share(both[i], "atomic16", "touch", 0.60);
		containers(both[i], 10);
	}
	printf("against the unprotected ceiling, one thread\n");
	share(one, "atomic16", "unsync:probe=auto", 0.95);
	share(one, "atomic16:probe=scalar", "unsync", 0.95);
	share(one, "xor", "unsync", 0.93);
	share(one, "xor-simd", "unsync:probe=auto", 0.93);
	share(one, "seqlock:counter=line", "unsync", 0.85);
}

static void scaling(const struct column *one, const struct column *two)
{
	printf("two threads against one, probes only\n");
	table_for_each(c)
	{
		const struct contestant *a = entered(one, c->name), *b = entered(two, c->name);

		if (a && b && is_free(c))
			verdict(c->name, 2 * ns_of(a) / ns_of(b), 1.9, true, "");
	}
}

/* tt, for refreshes: on as many lines, some stores, so that there is something to find. */
static void refreshing(void)
{
	static const char workload[] = "refresh:lines=0,store=5";
	struct column *one = xcalloc(1, sizeof(*one)), *two = xcalloc(1, sizeof(*two));
	char *never[MAX_CONTESTANTS], *always[MAX_CONTESTANTS];
	size_t nr = 0;

	*one = (struct column){ "256 KiB", workload, CACHE, 1, 0, .nr = 0 };
	*two = (struct column){ "256 KiB", workload, CACHE, 2, 0, .nr = 0 };
	column_open(one);
	column_open(two);
	table_for_each(c)
	{
		if (!is_free(c) || !(c->kinds & 1u << KIND_TT) || nr == MAX_CONTESTANTS / 2)
			continue;
		never[nr] = xasprintf("%s:refresh=never", c->name);
		always[nr] = xasprintf("%s:refresh=always", c->name);
		enter(one, never[nr]);
		enter(one, always[nr]);
		enter(two, never[nr]);
		enter(two, always[nr]);
		nr++;
	}
	compete(one->c, one->nr, topo);
	compete(two->c, two->nr, topo);
	printf("    two threads against one where probes refresh never, and always\n");
	for (size_t i = 0; i + 1 < one->nr; i += 2)
		printf("    %-34s %8.2f %8.2f\n", one->c[i].spec,
		       2 * ns_of(&one->c[i]) / ns_of(&two->c[i]),
		       2 * ns_of(&one->c[i + 1]) / ns_of(&two->c[i + 1]));
	for (size_t i = 0; i < nr; i++) {
		free(never[i]);
		free(always[i]);
	}
	traffic_free(one->traffic);
	traffic_free(two->traffic);
	free(one);
	free(two);
}

/* Out of cache, lines fetched ahead. */
static void in_memory(const char *workload, bool stores, unsigned threads)
{
	struct column *col = xcalloc(1, sizeof(*col));

	*col = (struct column){ "1 GiB, lookahead 8", workload, MEMORY, threads, 8, .nr = 0 };
	column_open(col);
	enter(col, "touch");
	enter(col, "unsync");
	enter(col, "unsync:probe=auto");
	enter(col, "xor");
	enter(col, "xor-simd");
	enter(col, "atomic16");
	column_run(col);
	/* two threads that store are shown, and no more; touch itself stores nothing */
	if (!stores || threads == 1) {
		share(col, "xor-simd", "touch", 0.80);
		share(col, "atomic16", "touch", 0.80);
	}
	if (!stores && threads == 1) {
		share(col, "atomic16", "unsync:probe=auto", 0.95);
		share(col, "xor", "unsync", 0.87);
		share(col, "xor-simd", "unsync:probe=auto", 0.87);
	}
	traffic_free(col->traffic);
	free(col);
}

/* A contest of its own: to fill them takes a minute a round. */
static void containers_in_memory(void)
{
	static const char *const specs[] = { "xor-simd", "atomic16", "ck_ht", "lfht" };
	struct column *col = xcalloc(1, sizeof(*col));

	*col = (struct column){ "1 GiB, lookahead 8", "uniform", MEMORY, 1, 8, .nr = 0 };
	column_open(col);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		enter(col, specs[i]);
	column_run(col);
	containers(col, 6);
	traffic_free(col->traffic);
	free(col);
}

int main(void)
{
	struct column *one = xcalloc(1, sizeof(*one)), *two = xcalloc(1, sizeof(*two));
	struct err e;

	if (topo_open(&topo, &e))
		fixture_die(&e);
	*one = (struct column){ "256 KiB", "uniform", CACHE, 1, 0, .nr = 0 };
	*two = (struct column){ "256 KiB", "uniform", CACHE, 2, 0, .nr = 0 };
	in_cache(one, two);
	scaling(one, two);
	traffic_free(one->traffic);
	traffic_free(two->traffic);
	free(one);
	free(two);
	refreshing();
	in_memory("uniform", false, 1);
	in_memory("uniform", false, 2);
	in_memory("uniform:store=50", true, 1);
	in_memory("uniform:store=50", true, 2);
	containers_in_memory();
	topo_close(topo);
	return 0;
}
