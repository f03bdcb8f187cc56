// SPDX-License-Identifier: BSD-2-Clause
/*
 * workload_ops - the streams of a workload, made from a seed
 *
 * Keys are built for the lines of a table: the line in the top bits, a mix below. Each
 * thread's stream is drawn by itself; events are the first thread's.
 *
 * Built keys (see tables/xor.c). When stores of (K1,D1) and (K2,D2) race for a slot, xor
 * may pair the data of one with the signature of the other, and that decodes to a third
 * key, K1^D1^D2 or K2^D1^D2. It is of the same line if D1^D2 is 0 in the index bits. So
 * that D1 and D2 are known in an audit, their stores always carry the same serial; what
 * is left of a stamp follows from the key, so keys are tried until two agree. K1 and K2
 * compete for one slot of a full line, of which the others are never stored again.
 */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "policy.h"

/* Keys that are stored in turns, and those that a mix of their words belongs to. */
struct clash {
	uint64_t stored[2];
	uint64_t mixed[2];
};

struct made {
	struct traffic t; /* first: preload_op gets it back */
	struct workload w;
	uint64_t lines; /* in use, of the table's */
	unsigned index_bits; /* of the table it is made for */
	uint64_t seed;
	struct clash clash[]; /* built keys: one a line in use */
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
	uint64_t last = (1ull << m->index_bits) - 1;

	if (m->w.ends && m->lines > 1)
		return (uint64_t)((unsigned __int128)i * last / (m->lines - 1));
	return (i << m->index_bits) / m->lines;
}

/* ... of which the ends may be such as nobody draws. */
static uint64_t hot_key(const struct made *m, uint64_t line, uint64_t j)
{
	uint64_t last = (1ull << m->index_bits) - 1;

	if (m->w.ends && !line && !j)
		return 0;
	if (m->w.ends && line == last && j == (last == 0))
		return UINT64_MAX;
	return key_of(m, line, j);
}

static int16_t some_value(uint64_t *state)
{
	return (int16_t)((int)rng_below(state, 601) - 300);
}

/* Any depth and bound; at times a mate score, or a bound without a move. */
static void draw_tt_store(struct trace_op *op, uint64_t *state)
{
	uint64_t rare = rng_below(state, 16);

	op->depth = (uint8_t)rng_below(state, 24);
	op->value = some_value(state);
	op->flags = (uint8_t)((BOUND_UPPER + rng_below(state, 3)) << TRACE_BOUND_SHIFT);
	if (rare < 2)
		op->value = (int16_t)(rare ? TT_MATE_DEFAULT + 7 : -TT_MATE_DEFAULT - 7);
	else if (rare < 4)
		op->move = 0;
	else if (rare < 6)
		op->flags |= TRACE_THREAT;
}

static void draw_tt_probe(struct trace_op *op, uint64_t *state)
{
	op->depth = (uint8_t)rng_below(state, 24);
	op->next_depth = op->depth / 2;
	op->value = some_value(state);
	op->beta = op->value + 1;
}

static struct trace_op draw_op(enum kind kind, uint64_t key, bool store, uint64_t *state)
{
	struct trace_op op = { .key = key,
			       .op = (uint8_t)(2 * kind + store),
			       .next_depth = TRACE_DEPTH_UNKNOWN,
			       .ply = TRACE_PLY_UNKNOWN };

	if (store)
		op.move = (uint32_t)rng_next(state);
	if (kind == KIND_TT && store)
		draw_tt_store(&op, state);
	else if (kind == KIND_TT)
		draw_tt_probe(&op, state);
	return op;
}

/* The slot that both keys evict from a full line is the last: the one that the last of
 * four preloads takes, of however many slots. */
static uint64_t clash_key(const struct made *m, uint64_t line, uint64_t j)
{
	return key_of(m, line, j) | 3ull << (62 - m->index_bits);
}

/* A clashing store of stored[i], and the data word it writes in an audit. */
static struct trace_op clash_store(const struct clash *c, unsigned i)
{
	return (struct trace_op){ .key = c->stored[i],
				  .op = OP_KV_STORE,
				  .move = 1 + i,
				  .next_depth = TRACE_DEPTH_UNKNOWN,
				  .ply = TRACE_PLY_UNKNOWN };
}

static uint64_t clash_word(const struct made *m, const struct clash *c, unsigned i)
{
	return stamp_wide(stamp_auth(audit_seed(m->seed), c->stored[i]), clash_store(c, i).move,
			  0);
}

/* The words agree in the top bit and, one try in so many, in those of the authenticator
 * that fall to the index. */
static void find_clash(const struct made *m, uint64_t line, struct clash *c)
{
	uint64_t index = ~(UINT64_MAX >> m->index_bits), mix;
	uint64_t j = m->w.preloaded;

	c->stored[0] = clash_key(m, line, j);
	do {
		c->stored[1] = clash_key(m, line, ++j);
		mix = clash_word(m, c, 0) ^ clash_word(m, c, 1);
	} while (mix & index || mix == (c->stored[0] ^ c->stored[1]));
	c->mixed[0] = c->stored[0] ^ mix;
	c->mixed[1] = c->stored[1] ^ mix;
}

static struct trace_op preload_op(const struct traffic *t, uint64_t i)
{
	const struct made *m = (const struct made *)t;
	uint64_t line = i / t->preload_per_line, j = i % t->preload_per_line;
	uint64_t state = mix64(m->seed + 0x2000 + i);

	if (m->w.built_keys && j + 1 == t->preload_per_line)
		return clash_store(&m->clash[line], 0);
	return draw_op(m->w.kind, hot_key(m, spread_line(m, line), j), true, &state);
}

static void fill(struct made *m, struct stream *s, uint64_t thread)
{
	const struct workload *w = &m->w;
	uint64_t state = mix64(m->seed + 0x1000 + thread);
	unsigned turn = 0;

	for (size_t i = 0; i < s->nr; i++) {
		uint64_t line = rng_below(&state, m->lines);
		/* Half and half alternate, as a branch predictor likes it: what is
		 * measured is the table. */
		bool store = w->store_percent == 50 && !w->lines
				     ? i & 1
				     : rng_below(&state, 100) < w->store_percent;
		uint64_t key = w->built_keys ? m->clash[line].mixed[rng_below(&state, 2)]
					     : hot_key(m, spread_line(m, line),
						       rng_below(&state, w->keys));

		s->op[i] = w->built_keys && store ? clash_store(&m->clash[line], turn++ & 1)
						  : draw_op(w->kind, key, store, &state);
	}
	stream_seal(s);
}

static void add_events(struct stream *s, const struct workload *w)
{
	for (size_t at = 1; at < s->nr; at++) {
		if (w->generation_every && at % w->generation_every == 0)
			stream_event(s, at, EVENT_GENERATION, 0);
		if (w->clear_every && at % w->clear_every == 0)
			stream_event(s, at, EVENT_CLEAR, 0);
	}
}

/* What is known of it before there are streams. */
static struct made *make(const struct workload *w, const struct table_size *size, uint64_t seed)
{
	uint64_t lines = table_lines(w->kind, size);
	uint64_t used = w->lines && w->lines < lines ? w->lines : lines;
	struct made *m = xcalloc(1, sizeof(*m) + w->max_lines * sizeof(*m->clash));

	m->w = *w;
	m->lines = used;
	m->index_bits = (unsigned)__builtin_ctzll(lines);
	m->seed = seed;
	m->t.mate = TT_MATE_DEFAULT;
	m->t.kinds = 1u << w->kind;
	m->t.clears = w->meet ? CLEARS_BARRIER : w->clear_every ? CLEARS_LIVE : CLEARS_DROP;
	m->t.updates_only = w->updates_only;
	m->t.built_keys = w->built_keys;
	m->t.own_serials = w->built_keys;
	m->t.preload_per_line = w->preloaded;
	m->t.preload_nr = used * w->preloaded;
	m->t.preload_op = preload_op;
	for (uint64_t i = 0; w->built_keys && i < used; i++)
		find_clash(m, spread_line(m, i), &m->clash[i]);
	return m;
}

/* One workload's streams. */
static struct made *make_streams(const struct workload *w, const struct table_size *size,
				 unsigned threads, uint64_t seed)
{
	struct made *m = make(w, size, seed);

	m->t.threads = threads;
	m->t.stream = xcalloc(threads, sizeof(*m->t.stream));
	for (unsigned i = 0; i < threads; i++) {
		stream_alloc(&m->t.stream[i], w->ops);
		fill(m, &m->t.stream[i], i);
	}
	add_events(&m->t.stream[0], w);
	/* The first thread's operations and events stand for all: what it is doesn't depend
	 * on how many threads there are. */
	m->t.hash = XXH64(m->t.stream[0].op, w->ops * sizeof(struct trace_op),
			  (uint64_t)w->generation_every << 32 | w->meet << 31 | w->clear_every);
	return m;
}

/* The streams of one thread in one, each at the same pace from start to end, with its events. */
static struct stream interleave(struct made *const *m, int nr, unsigned thread)
{
	size_t done[NR_KINDS] = { 0 }, event[NR_KINDS] = { 0 }, all = 0;
	struct stream s;

	for (int i = 0; i < nr; i++)
		all += m[i]->t.stream[thread].nr;
	stream_alloc(&s, all);
	for (size_t at = 0; at < all; at++) {
		const struct stream *from;
		int next = 0;

		for (int i = 1; i < nr; i++)
			if (done[i] * m[next]->t.stream[thread].nr <
			    done[next] * m[i]->t.stream[thread].nr)
				next = i;
		from = &m[next]->t.stream[thread];
		while (event[next] < from->nr_events &&
		       from->event[event[next]].at == done[next])
			stream_event(&s, at, from->event[event[next]++].type, 0);
		s.op[at] = from->op[done[next]++];
	}
	stream_seal(&s);
	return s;
}

/*
 * Several in one. Only kv is preloaded, so that what is known of that, and who does it, is the
 * one's that has any.
 */
static struct made *mix(struct made **m, int nr)
{
	struct stream *stream = xcalloc(m[0]->t.threads, sizeof(*stream));
	struct traffic *t;
	int keeper = 0;

	for (unsigned i = 0; i < m[0]->t.threads; i++)
		stream[i] = interleave(m, nr, i);
	for (int i = 1; i < nr; i++)
		if (m[i]->t.preload_nr)
			keeper = i;
	t = &m[keeper]->t;
	for (int i = 0; i < nr; i++) {
		if (i == keeper)
			continue;
		t->kinds |= m[i]->t.kinds;
		if (m[i]->t.clears == CLEARS_LIVE)
			t->clears = CLEARS_LIVE;
		t->hash = mix64(t->hash + mix64(m[i]->t.hash));
		traffic_free(&m[i]->t);
	}
	for (unsigned i = 0; i < t->threads; i++) {
		free(t->stream[i].op);
		free(t->stream[i].event);
	}
	free(t->stream);
	t->stream = stream;
	return m[keeper];
}

int traffic_from_workload_sizes(const char *spec, const struct table_size size[NR_KINDS],
				unsigned threads, uint64_t seed, struct traffic **out,
				struct err *e)
{
	struct workload w[NR_KINDS];
	struct made *m[NR_KINDS];
	int nr = workload_parse(spec, w, e);

	if (nr < 1)
		return -1;
	for (int i = 0; i < nr; i++)
		m[i] = make_streams(&w[i], &size[w[i].kind], threads, seed);
	if (nr > 1)
		m[0] = mix(m, nr);
	snprintf(m[0]->t.name, sizeof(m[0]->t.name), "%s", spec);
	*out = &m[0]->t;
	return 0;
}

int traffic_from_workload(const char *spec, const struct table_size *size, unsigned threads,
			  uint64_t seed, struct traffic **out, struct err *e)
{
	const struct table_size all[NR_KINDS] = { *size, *size, *size, *size };

	return traffic_from_workload_sizes(spec, all, threads, seed, out, e);
}
