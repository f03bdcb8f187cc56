/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * audit - does a table ever return what nobody stored, or forget what it must know?
 *
 * The audited loops stamp what they store (stamp.h), check every slot that verified,
 * and walk the table at rest. On the hot-line workload that only updates, exact mode
 * also decides every miss: all threads stop, and the key is looked up again at rest.
 *
 * Soundness: a word is called torn only if no store of the probed key wrote it and no
 * key of this run with the same line and signature did; a miss is called false only
 * if the key, which nothing may evict, is found as soon as everybody stands still.
 */
#ifndef TEARLINE_AUDIT_H
#define TEARLINE_AUDIT_H

#include "stamp.h"
#include "table.h"

struct exact;

/* Every distinct key the run may store, by kind; sorted, so lines are contiguous. */
struct key_set {
	uint64_t *key;
	size_t nr;
};

struct audit {
	uint64_t seed;
	struct key_set keys[NR_KINDS];
	unsigned sig_bits; /* of the table's signature, 64: whole keys */
	bool own_serials; /* a store brings its serial as its move: see traffic.h */
	struct exact *exact; /* NULL but on a workload that only updates */
};

/* Faults at rest, of one table. */
struct rest_faults {
	uint64_t unusable_slots;
	uint64_t duplicate_keys; /* kv */
	uint64_t lost_stores; /* last of their line, and not in it */
	uint64_t slots, distinct; /* authentic slots; distinct keys among them */
};

static __always_inline bool kind_is_wide(enum kind kind)
{
	return kind == KIND_KV;
}

/* The seed of a run's authenticators. Workloads that forge keys know it too. */
static inline uint64_t audit_seed(uint64_t seed)
{
	return mix64(seed ^ 0x7465617261756474ull);
}

static __always_inline void audit_stamp(struct worker *w, const enum kind kind,
					const struct trace_op *op, uint64_t key, uint64_t *word)
{
	/* Up to 16 threads never use the same serial at the same time. */
	uint32_t serial = w->audit->own_serials ? op->move : (w->serial++ << 4) + (w->id & 15);

	stamp_entry(word, kind == KIND_PAWN ? MAX_ENTRY_WORDS : 1, kind_is_wide(kind),
		    stamp_auth(w->audit->seed, key), serial);
}

/* Out of line: the entry did not check out; torn, or another key's? */
void audit_mismatch(struct worker *w, const struct table *t, uint64_t key, const uint64_t *word,
		    struct counts *n);

static __always_inline void audit_check(struct worker *w, const enum kind kind,
					const struct table *t, uint64_t key,
					const uint64_t *word, struct counts *n)
{
	if (!stamp_authentic(word, kind == KIND_PAWN ? MAX_ENTRY_WORDS : 1, kind_is_wide(kind),
			     stamp_auth(w->audit->seed, key)))
		audit_mismatch(w, t, key, word, n);
}

/* Exact mode's point of rest, and its list of keys that are out of the count. */
bool exact_admits(struct worker *w, uint64_t key);
void exact_missed(struct worker *w, struct table *t, uint64_t key);

static __always_inline bool audit_admits(struct worker *w, const enum kind kind, uint64_t key)
{
	return kind != KIND_KV || !w->audit->exact || exact_admits(w, key);
}

static __always_inline void audit_missed(struct worker *w, struct table *t, uint64_t key)
{
	if (w->audit->exact)
		exact_missed(w, t, key);
}

/* Build the sorted set of keys; keys may repeat. Takes the array over. */
void key_set_make(struct key_set *s, uint64_t *key, size_t nr);

/* After the join: walk a table and judge every slot. */
void audit_rest(const struct audit *a, struct table *t, struct rest_faults *out);

/*
 * Exact mode: every key of `keys` is preloaded, stores only update. A thread enters before
 * any other can be at work, and leaves as soon as it has done its own: whoever waits
 * elsewhere, at a meeting say, must not be waited for.
 */
struct exact *exact_create(const struct key_set *keys);
void exact_enter(struct exact *x);
void exact_leave(struct exact *x);
void exact_free(struct exact *x);
/* Sums after the join. */
uint64_t exact_false_misses(const struct exact *x);
uint64_t exact_lost_stores(const struct exact *x);

/* Chance that one torn entry of this kind passes the check. */
double audit_undetected(enum kind kind);

#endif
