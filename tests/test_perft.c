// SPDX-License-Identifier: BSD-2-Clause
/*
 * Known totals, counted through a table.
 *
 *   test_perft TABLE           the known positions at small depths, with 1, 2 and 4 threads, in
 *                              tables that are far too small and large enough; then two bare
 *                              kings, of which a thread makes millions of operations a second,
 *                              in a few lines
 *   test_perft TABLE deep      as deep as they are known, two threads, 64 MiB
 *   test_perft control         a wrong total is seen: where signatures are too narrow, on one
 *                              thread and always; where nothing protects an entry, on two and
 *                              sooner or later
 *
 * What a table promises decides what must be right: with several threads, those that promise
 * that nothing tears; never those that know a key by 16 bits.
 */
#include "chess_positions.h"
#include "fen.h"
#include "fixture.h"
#include "perft.h"

#define SMALL_TOTAL 1000000u /* small depths: up to so many nodes */
#define FEW_ENTRIES 64
#define ENOUGH_ENTRIES 65536 /* for every subtree of a small depth */
#define WHOLE_KEYS 32 /* bits of a signature, from which on wrong keys don't happen here */
#define KINGS "8/8/8/8/8/4k3/8/4K3 w - - 0 1"
#define KINGS_DEPTH 9
#define KINGS_ENTRIES 16
/* Far more than are needed with two CPUs: in eight trials, 1 to 37. */
#define MAX_RUNS 1000

static struct topo *topo;

static void run(const struct table_spec *spec, const char *fen, unsigned depth,
		unsigned threads, uint64_t entries, struct perft *p)
{
	struct table_params tp = { .kind = KIND_KV,
				   .size = { .entries = entries },
				   .size_text = "size",
				   .threads = threads };
	struct placement placement;
	struct err e;

	*p = (struct perft){ .depth = depth, .topo = topo, .placement = &placement };
	if (fen_parse(fen, &p->root, &e) || table_create(spec, &tp, &p->table, &e) ||
	    topo_place(topo, "core", threads, true, &placement, &e) || perft_run(p, &e))
		fixture_die(&e);
	table_destroy(p->table);
	placement_free(&placement);
}

static uint64_t plain(const char *fen, unsigned depth)
{
	struct board b;
	struct err e;

	if (fen_parse(fen, &b, &e))
		fixture_die(&e);
	return perft_plain(&b, depth);
}

static bool must_be_right(const struct table_spec *spec, unsigned threads)
{
	return table_spec_sig_bits(spec) >= WHOLE_KEYS &&
	       (threads == 1 || spec->class->promises & PROMISE_NO_TEAR);
}

/* One count. *hits: also those. False: it failed. */
static bool check(const struct table_spec *spec, const char *fen, unsigned depth,
		  unsigned threads, uint64_t entries, uint64_t total, uint64_t *hits)
{
	struct perft p;

	run(spec, fen, depth, threads, entries, &p);
	*hits += p.n.hits;
	if (p.n.stores != p.n.probes - p.n.hits) {
		printf("FAILED: %ju stores, %ju probes, %ju hits: what is not found is stored\n",
		       (uintmax_t)p.n.stores, (uintmax_t)p.n.probes, (uintmax_t)p.n.hits);
		return false;
	}
	if (p.nodes == total)
		return true;
	printf("%s: %s, depth %u, %u threads, %ju entries: %ju, expected %ju\n",
	       must_be_right(spec, threads) ? "FAILED" : "wrong", fen, depth, threads,
	       (uintmax_t)entries, (uintmax_t)p.nodes, (uintmax_t)total);
	return !must_be_right(spec, threads);
}

static unsigned small_depth(const struct known_position *p)
{
	unsigned depth = 1;

	while (depth < MAX_KNOWN && p->total[depth + 1] && p->total[depth + 1] <= SMALL_TOTAL)
		depth++;
	return depth;
}

static bool check_known(const struct table_spec *spec, unsigned threads, uint64_t entries)
{
	uint64_t hits = 0;
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(known_positions); i++) {
		const struct known_position *p = &known_positions[i];
		unsigned depth = small_depth(p);

		ok &= check(spec, p->fen, depth, threads, entries, p->total[depth], &hits);
	}
	if (spec->class->floor ? hits != 0 : hits == 0) {
		printf("FAILED: %u threads, %ju entries: %ju hits in all\n", threads,
		       (uintmax_t)entries, (uintmax_t)hits);
		return false;
	}
	return ok;
}

static bool check_deep(const struct table_spec *spec)
{
	uint64_t hits = 0;
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(known_positions); i++) {
		const struct known_position *p = &known_positions[i];

		ok &= check(spec, p->fen, p->deepest, 2, 4u << 20, p->total[p->deepest], &hits);
	}
	return ok;
}

static bool check_table(const struct table_spec *spec)
{
	static const unsigned threads[] = { 1, 2, 4 };
	uint64_t kings = plain(KINGS, KINGS_DEPTH), hits = 0;
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		ok &= check_known(spec, threads[i], FEW_ENTRIES);
		ok &= check_known(spec, threads[i], ENOUGH_ENTRIES);
		if (threads[i] <= topo_nr_allowed(topo))
			ok &= check(spec, KINGS, KINGS_DEPTH, threads[i], KINGS_ENTRIES, kings,
				    &hits);
	}
	return ok;
}

static struct table_spec parsed(const char *text)
{
	struct table_spec spec;
	struct err e;

	if (table_spec_parse(text, &spec, &e))
		fixture_die(&e);
	return spec;
}

/* How many of the counts, all on one thread, are wrong. */
static unsigned wrong_by_narrow_keys(const char *text)
{
	static const uint64_t entries[] = { 16, 64, 256, 1024 };
	const struct known_position *p = &known_positions[1];
	struct table_spec spec = parsed(text);
	unsigned wrong = 0;
	struct perft out;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		for (unsigned depth = 4; depth <= 5; depth++) {
			run(&spec, p->fen, depth, 1, entries[i], &out);
			wrong += out.nodes != p->total[depth];
		}
	}
	table_spec_free(&spec);
	printf("%s, one thread: %u of %zu totals wrong\n", text, wrong,
	       2 * ARRAY_SIZE(entries));
	return wrong;
}

/* Two threads until a total is wrong; how many runs that took, or 0. */
static unsigned runs_until_wrong(const char *text, unsigned max)
{
	uint64_t right = plain(KINGS, KINGS_DEPTH);
	struct table_spec spec = parsed(text);
	unsigned runs = 0;
	struct perft out = { .nodes = right };

	while (runs < max && out.nodes == right) {
		run(&spec, KINGS, KINGS_DEPTH, 2, KINGS_ENTRIES, &out);
		runs++;
	}
	table_spec_free(&spec);
	printf("%s, two threads: %s after %u runs\n", text,
	       out.nodes == right ? "no wrong total" : "a wrong total", runs);
	return out.nodes == right ? 0 : runs;
}

static int check_controls(void)
{
	if (!wrong_by_narrow_keys("xor:sig=16") || wrong_by_narrow_keys("xor")) {
		printf("FAILED\n");
		return 1;
	}
	if (topo_nr_allowed(topo) < 2) {
		printf("not applicable here: a tear takes 2 CPUs\n");
		return 77;
	}
	if (!runs_until_wrong("unsync", MAX_RUNS) || runs_until_wrong("xor", 20)) {
		printf("FAILED\n");
		return 1;
	}
	return 0;
}

static int test_table(const char *text, bool deep)
{
	struct table_spec spec;
	bool ok;

	fixture_needs(text);
	spec = parsed(text);
	if (!(spec.class->kinds & 1u << KIND_KV)) {
		printf("skipped: %s does not hold kv\n", text);
		table_spec_free(&spec);
		return 77;
	}
	ok = deep ? check_deep(&spec) : check_table(&spec);
	table_spec_free(&spec);
	return !ok;
}

int main(int argc, char **argv)
{
	bool deep = argc == 3 && !strcmp(argv[2], "deep");
	struct err e;
	int ret;

	if (argc != 2 + deep) {
		fprintf(stderr, "usage: test_perft TABLE [deep] | control\n");
		return 1;
	}
	if (topo_open(&topo, &e))
		fixture_die(&e);
	ret = strcmp(argv[1], "control") ? test_table(argv[1], deep) : check_controls();
	topo_close(topo);
	return ret;
}
