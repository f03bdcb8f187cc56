/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_container - how close a table on somebody's container comes to that container bare
 *
 * One loop over the same keys, one thread, probes only, half of them hits. A container and a
 * table of one shard are made for the same number of keys and hold the same ones. Where
 * pointers are published a reader must be in a section, in bare use too; what such a
 * container would do without is shown beside it.
 */
#ifndef TEARLINE_TESTS_BENCH_CONTAINER_H
#define TEARLINE_TESTS_BENCH_CONTAINER_H

#include "bench.h"
#include "line.h"

struct container {
	const char *name, *spec; /* ours: in one shard */
	bool (*open)(uint64_t keys); /* for so many; one container is open at a time */
	bool (*put)(uint64_t key, uint64_t word);
	uint64_t (*loop)(const struct contestant *c, const struct stream *s);
	uint64_t (*unprotected)(const struct contestant *c, const struct stream *s);
	void (*close)(void);
};

/* The keys that our table of this size keeps for certain. */
static inline uint64_t keys_held(const char *spec, uint64_t bytes)
{
	struct table_params p = {
		.kind = KIND_KV, .size = { .bytes = bytes }, .size_text = "size", .threads = 1
	};
	struct table_spec parsed;
	struct table *t;
	struct err e;
	uint64_t keys;

	if (table_spec_parse(spec, &parsed, &e) || table_create(&parsed, &p, &t, &e))
		fixture_die(&e);
	keys = t->never_evicts;
	table_destroy(t);
	table_spec_free(&parsed);
	return keys;
}

static inline void fill(const struct container *b, const struct traffic *t)
{
	uint64_t word;

	for (uint64_t i = 0; i < t->preload_nr; i++) {
		struct trace_op op = t->preload_op(t, i);

		entry_from_op(KIND_KV, &op, &word);
		if (!b->put(op.key, word)) {
			fprintf(stderr, "%s: no room for a key\n", b->name);
			exit(1);
		}
	}
}

static inline void bare_against_ours(const struct container *b, uint64_t bytes,
				     const char *size_text, const struct topo *topo)
{
	uint64_t keys = keys_held(b->spec, bytes);
	struct table_size size = { .entries = keys };
	struct contestant c[3] = { { .label = "bare", .bare = b->loop },
				   { .label = b->spec, .spec = b->spec },
				   { .label = "bare, no sections", .bare = b->unprotected } };
	size_t nr = b->unprotected ? 3 : 2;
	struct traffic *t;
	struct err e;
	char text[64];

	if (traffic_from_workload("uniform", &size, 1, 1, &t, &e))
		fixture_die(&e);
	if (!b->open(keys)) {
		fprintf(stderr, "%s: cannot be opened\n", b->name);
		exit(1);
	}
	fill(b, t);
	for (size_t i = 0; i < nr; i++) {
		c[i].traffic = t;
		c[i].bytes = bytes;
		c[i].threads = 1;
		c[i].caller = CALLER_BATCH;
	}
	compete(c, nr, topo);
	printf("%s at %s, %ju keys\n", b->name, size_text, (uintmax_t)keys);
	print_all(c, nr);
	snprintf(text, sizeof(text), "%s of bare, %s", b->spec, size_text);
	verdict(text, median_of(c[0].own_ns) / median_of(c[1].own_ns), 0.9, true, "");
	b->close();
	traffic_free(t);
}

/* In cache, and so large that every step of a probe is a miss. */
static inline int bench_containers(const struct container *b, size_t nr, uint64_t large,
				   const char *large_text)
{
	const uint64_t bytes[] = { MIB / 4, large };
	const char *const text[] = { "256 KiB", large_text };
	struct topo *topo;
	struct err e;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (topo_open(&topo, &e))
		fixture_die(&e);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		for (size_t j = 0; j < nr; j++)
			bare_against_ours(&b[j], bytes[i], text[i], topo);
	topo_close(topo);
	return 0;
}

#endif
