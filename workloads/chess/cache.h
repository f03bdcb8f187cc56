/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cache - what a search keeps in hash tables, and the one place through which it gets there
 *
 *   tt    positions searched: bound, depth, best move; one table that all threads share
 *   pawn  pawn structures: what depends on pawns alone; keyed by pawns, kings are not in it
 *   eval  static evaluations of positions
 *
 * A pawn or eval table is shared, or each thread has one of its own. Its own needs no
 * protection against anybody, so that is always an `unsync` one, as an engine would have it;
 * what is shared is of the scheme that was asked for. In a table of no size nothing is ever
 * found.
 */
#ifndef TEARLINE_CHESS_CACHE_H
#define TEARLINE_CHESS_CACHE_H

#include "policy.h"
#include "recording.h"
#include "table.h"

enum sharing { SHARING_PRIVATE, SHARING_SHARED, SHARING_NONE };
#define SHARING_CHOICES "private|shared|none"

struct cache_params {
	const struct table_spec *spec; /* of what is shared */
	struct table_size size[NR_KINDS];
	const char *size_text[NR_KINDS]; /* as the user wrote it, for messages */
	enum sharing sharing[NR_KINDS];
	enum mem_pages pages;
	unsigned threads;
};

/* What one thread has. Those that are shared are in the caches of all. */
struct cache {
	struct worker *worker; /* its own, while it uses them */
	struct table *table[NR_KINDS];
	const struct table_ops *ops[NR_KINDS];
	struct recorder *recorder; /* NULL: nothing is recorded */
};

/* The tables that all share, into shared[]; NULL: private. 0 or -1. */
int cache_create_shared(const struct cache_params *p, struct table *shared[NR_KINDS],
			struct err *e);
/* One thread's tables: those that are shared, and its own. 0 or -1, and nothing is left. */
int cache_create(const struct cache_params *p, struct table *const shared[NR_KINDS],
		 struct cache *c, struct err *e);
void cache_destroy(struct table *const shared[NR_KINDS], struct cache *c);

/* Empty the thread's own. */
void cache_clear_own(struct table *const shared[NR_KINDS], struct cache *c);
/* Now and then, see table.h. */
void cache_pause(struct cache *c);

/*
 * What is recorded is what was asked for, not the operation: the table has had its address, and
 * the compiler could take nothing of it for known.
 */
static inline bool cache_tt_probe(struct cache *c, uint64_t key, int depth, int next_depth,
				  int alpha, int beta, unsigned ply, struct table_answer *a)
{
	struct trace_op op = { .key = key,
			       .beta = beta,
			       .value = (int16_t)alpha,
			       .depth = (uint8_t)depth,
			       .next_depth = (uint8_t)next_depth,
			       .op = OP_TT_PROBE,
			       .ply = (uint8_t)ply };
	struct recorder *r = c->recorder;
	uint64_t stamp = recorder_stamp(r);

	c->ops[KIND_TT]->probe(c->table[KIND_TT], c->worker, &op, a);
	if (recorder_on(r))
		tlrec_tt_probe(&r->now, stamp, key, depth, (uint8_t)next_depth, alpha, beta,
			       (int)ply, recorder_hit(a->hit, a->bound), 0);
	return a->hit;
}

static inline void cache_tt_store(struct cache *c, uint64_t key, uint32_t move, int value,
				  int depth, enum trace_bound bound, unsigned ply, bool threat)
{
	struct trace_op op = { .key = key,
			       .move = move,
			       .value = (int16_t)value,
			       .depth = (uint8_t)depth,
			       .op = OP_TT_STORE,
			       .flags = (uint8_t)(bound << TRACE_BOUND_SHIFT |
						  (threat ? TRACE_THREAT : 0)),
			       .ply = (uint8_t)ply };
	struct recorder *r = c->recorder;
	uint64_t stamp = recorder_stamp(r);

	c->ops[KIND_TT]->store(c->table[KIND_TT], c->worker, &op, NULL);
	if (recorder_on(r))
		tlrec_tt_store(&r->now, stamp, key, move, value, depth, (enum tlrec_bound)bound,
			       (int)ply, threat ? TLREC_THREAT : 0);
}

/* Does the tt hold one entry a key, and of two the deeper one? Lines hold more. */
static inline bool cache_tt_keeps_deepest(const struct cache *c)
{
	return !c->table[KIND_TT]->class->lines;
}

static inline void cache_prefetch(const struct cache *c, enum kind kind, uint64_t key)
{
	c->ops[kind]->prefetch(c->table[kind], key);
}

static inline bool cache_probe(struct cache *c, enum kind kind, uint64_t key,
			       struct table_answer *a)
{
	struct trace_op op = { .key = key, .op = (uint8_t)(kind * 2) };
	struct recorder *r = c->recorder;
	uint64_t stamp = recorder_stamp(r);

	c->ops[kind]->probe(c->table[kind], c->worker, &op, a);
	if (!recorder_on(r))
		return a->hit;
	if (kind == KIND_PAWN)
		tlrec_pawn_probe(&r->now, stamp, key, recorder_hit(a->hit, false));
	else
		tlrec_eval_probe(&r->now, stamp, key, 0, 0, recorder_hit(a->hit, false), 0);
	return a->hit;
}

/*
 * `word`: as many as an entry of the kind has, without the table's own bits (table_bits()); the
 * first begins with a score.
 */
static inline void cache_store(struct cache *c, enum kind kind, uint64_t key,
			       const uint64_t *word)
{
	struct trace_op op = { .key = key, .op = (uint8_t)(kind * 2 + 1) };
	struct recorder *r = c->recorder;
	uint64_t stamp = recorder_stamp(r);

	c->ops[kind]->store(c->table[kind], c->worker, &op, word);
	if (!recorder_on(r))
		return;
	if (kind == KIND_PAWN)
		tlrec_pawn_store(&r->now, stamp, key, (int16_t)*word);
	else
		tlrec_eval_store(&r->now, stamp, key, (int16_t)*word);
}

#endif
