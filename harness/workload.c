// SPDX-License-Identifier: BSD-2-Clause
/*
 * workload - traffic of kind kv made from a seed
 *
 *   uniform     8 keys belong to each line, 4 of them preloaded, drawn uniformly: half
 *               the probes hit. store=50 makes every second operation a store.
 *   hot-update  a few lines with 4 preloaded keys each; stores only update, so nothing
 *               is ever evicted: the audit can decide every miss (exact mode)
 *   hot-evict   a few lines with 8 keys each: slots change their key, which is when an
 *               unprotected table tears
 *
 * Streams repeat without clearing: what is wanted is a steady state.
 */
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct workload {
	const char *name;
	unsigned keys_per_line, preloaded_per_line;
	bool updates_only;
	/* defaults; lines 0: every line of the table */
	uint64_t lines, store_percent, ops;
};

static const struct workload workloads[] = {
	{ "uniform", 8, 4, false, 0, 0, 256 << 10 },
	{ "hot-update", 4, 4, true, 2, 50, 64 << 10 },
	{ "hot-evict", 8, 4, false, 2, 50, 64 << 10 },
};

const char workload_help[] =
	"traffic of kind kv made from the seed, instead of a trace: uniform, hot-update or "
	"hot-evict, with options lines=N (0: all), store=PERCENT, ops=N (per thread, before "
	"they repeat), as in uniform:store=50";

struct made {
	struct traffic t; /* first: preload_key gets it back */
	uint64_t lines; /* in use, of the table's */
	unsigned index_bits; /* of the table it is made for */
	uint64_t seed;
};

/* Key j of line: the line in the top bits, the rest a mix of both. */
static uint64_t key_of(const struct made *m, uint64_t line, uint64_t j)
{
	uint64_t rest = mix64(mix64(m->seed + line) + j);

	return m->index_bits ? line << (64 - m->index_bits) | rest >> m->index_bits : rest;
}

/* Hot lines stand apart from each other, over the whole table. */
static uint64_t spread_line(const struct made *m, uint64_t i)
{
	return (i << m->index_bits) / m->lines;
}

static uint64_t preload_key(const struct traffic *t, uint64_t i)
{
	const struct made *m = (const struct made *)t;

	return key_of(m, spread_line(m, i / t->preload_per_line), i % t->preload_per_line);
}

static void fill(struct made *m, const struct workload *w, struct stream *s, uint64_t thread)
{
	uint64_t state = mix64(m->seed + 0x1000 + thread);

	for (size_t i = 0; i < s->nr; i++) {
		uint64_t line = spread_line(m, rng_below(&state, m->lines));
		/* Half and half alternate, as a branch predictor likes it: what is
		 * measured is the table. */
		bool store = w->store_percent == 50 && !w->lines
				     ? i & 1
				     : rng_below(&state, 100) < w->store_percent;

		memset(&s->op[i], 0, sizeof(s->op[i]));
		s->op[i].key = key_of(m, line, rng_below(&state, w->keys_per_line));
		s->op[i].op = store ? OP_KV_STORE : OP_KV_PROBE;
		s->op[i].move = store ? (uint32_t)rng_next(&state) : 0;
		s->op[i].next_depth = TRACE_DEPTH_UNKNOWN;
		s->op[i].ply = TRACE_PLY_UNKNOWN;
	}
	stream_seal(s);
}

static int set_number(struct workload *w, const char *s, size_t len, struct err *e)
{
	struct {
		const char *name;
		uint64_t *to, min, max;
	} opt[] = {
		{ "lines=", &w->lines, 0, 1ull << 40 },
		{ "store=", &w->store_percent, 0, 100 },
		{ "ops=", &w->ops, 1, 1u << 28 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(opt); i++) {
		size_t n = strlen(opt[i].name);
		char value[32];

		if (len < n || strncmp(s, opt[i].name, n))
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)(len - n), s + n);
		if (len - n < sizeof(value) &&
		    !parse_u64(value, opt[i].min, opt[i].max, opt[i].to))
			return 0;
		return err_set(e,
			       "--workload %s: %sN: expected a whole number from %ju to %ju, "
			       "got '%s'",
			       w->name, opt[i].name, (uintmax_t)opt[i].min,
			       (uintmax_t)opt[i].max, value);
	}
	return err_set(e, "--workload %s: no option '%.*s'; there are lines, store, ops",
		       w->name, (int)len, s);
}

static int parse_spec(const char *spec, struct workload *w, struct err *e)
{
	size_t len = strcspn(spec, ":");
	size_t i = 0;

	while (i < ARRAY_SIZE(workloads) &&
	       (strlen(workloads[i].name) != len || strncmp(workloads[i].name, spec, len)))
		i++;
	if (i == ARRAY_SIZE(workloads))
		return err_set(e, "--workload %.*s: expected uniform, hot-update or hot-evict",
			       (int)len, spec);
	*w = workloads[i];
	for (spec += len; *spec; spec += len) {
		spec++;
		len = strcspn(spec, ",");
		if (set_number(w, spec, len, e))
			return -1;
	}
	return 0;
}

int traffic_from_workload(const char *spec, const struct table_size *size, unsigned threads,
			  uint64_t seed, struct traffic **out, struct err *e)
{
	uint64_t lines = table_lines(KIND_KV, size);
	struct workload w;
	struct made *m;

	if (parse_spec(spec, &w, e))
		return -1;
	m = xcalloc(1, sizeof(*m));
	m->lines = w.lines && w.lines < lines ? w.lines : lines;
	m->t.preload_per_line = w.preloaded_per_line;
	m->index_bits = (unsigned)__builtin_ctzll(lines);
	m->seed = seed;
	m->t.mate = 32567;
	m->t.kinds = 1u << KIND_KV;
	m->t.threads = threads;
	m->t.clears = CLEARS_DROP;
	m->t.updates_only = w.updates_only;
	m->t.preload_nr = m->lines * w.preloaded_per_line;
	m->t.preload_key = preload_key;
	snprintf(m->t.name, sizeof(m->t.name), "%s", spec);
	m->t.stream = xcalloc(threads, sizeof(*m->t.stream));
	for (unsigned i = 0; i < threads; i++) {
		stream_alloc(&m->t.stream[i], w.ops);
		fill(m, &w, &m->t.stream[i], i);
	}
	/* The first thread's operations stand for all: what it is doesn't depend on how
	 * many there are. */
	m->t.hash = XXH64(m->t.stream[0].op, w.ops * sizeof(struct trace_op), 0);
	*out = &m->t;
	return 0;
}

const char *workload_name(size_t i)
{
	return i < ARRAY_SIZE(workloads) ? workloads[i].name : NULL;
}

int workload_kind(const char *spec, enum kind *out, struct err *e)
{
	struct workload w;

	*out = KIND_KV;
	return parse_spec(spec, &w, e);
}
