/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table - the template that joins the policy and a scheme
 *
 * A scheme defines TABLE to its prefix and, always-inline,
 *
 *   unsigned T(begin_read)(t, w, index)        what encloses the reads of a line (only
 *   bool T(end_read)(t, w, index, cookie)      with LINE_SEQUENCE); false: read again
 *   void T(begin_write)(t, w, index)           what encloses the writes (not with LINE_FREE)
 *   void T(end_write)(t, w, index)
 *   bool T(load)(slot, key, nr, word)          copy an entry; does it verify for key?
 *   void T(put)(slot, key, nr, word)           write a whole entry
 *   bool T(replace)(slot, key, old, new)       write a tt entry only over the one read
 *   uint64_t T(sig)(sig, nr, word)             the signature a raw slot decodes to
 *
 * and LINE_EXCLUSION, one of
 *
 *   LINE_FREE       nothing excludes anybody: a refresh is a bare write
 *   LINE_SEQUENCE   writers exclude writers, readers retry: a refresh takes the write side
 *                   after the read section, if the slot still holds the words read
 *   LINE_LOCKED     reads are as exclusive as writes: a refresh happens inside them
 *
 * LINE_REFRESH, where a refresh that does not compare is to be anything but a put of the
 * whole entry (a fault, for a control to plant), and
 *
 *   void T(rewrite)(slot, key, old, new)       write a tt entry that was read
 *
 * LINE_PLAIN instead of load to sig: the plain layout of line.h.
 *
 * and includes this file, which makes probe, store, find and clear_live for every kind,
 * and the replay loops (replay.h). Including it again with another TABLE makes another set.
 */
#include "line.h"
#include "template.h"

#ifndef TEARLINE_LINE_TABLE_H
#define TEARLINE_LINE_TABLE_H
#define LINE_FREE 0
#define LINE_SEQUENCE 1
#define LINE_LOCKED 2
#endif

#ifdef LINE_PLAIN
static __always_inline bool T(load)(const atomic_word *slot, uint64_t key, unsigned nr,
				    uint64_t *word)
{
	return plain_load(slot, key, nr, word);
}

static __always_inline void T(put)(atomic_word *slot, uint64_t key, unsigned nr,
				   const uint64_t *word)
{
	plain_store(slot, key, nr, word);
}

static __always_inline bool T(replace)(atomic_word *slot, uint64_t key, uint64_t old,
				       uint64_t new)
{
	return plain_replace(slot, key, old, new);
}

static __always_inline uint64_t T(sig)(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return plain_sig(sig, nr, word);
}
#endif

#if LINE_EXCLUSION == LINE_LOCKED
static __always_inline unsigned T(begin_read)(struct table *t, struct worker *w, uint64_t index)
{
	T(begin_write)(t, w, index);
	return 0;
}

static __always_inline bool T(end_read)(struct table *t, struct worker *w, uint64_t index,
					unsigned cookie)
{
	T(end_write)(t, w, index);
	return true;
}
#endif

#if LINE_EXCLUSION == LINE_FREE
static __always_inline unsigned T(begin_read)(struct table *t, struct worker *w, uint64_t index)
{
	return 0;
}

static __always_inline bool T(end_read)(struct table *t, struct worker *w, uint64_t index,
					unsigned cookie)
{
	return true;
}

static __always_inline void T(begin_write)(struct table *t, struct worker *w, uint64_t index)
{
}

static __always_inline void T(end_write)(struct table *t, struct worker *w, uint64_t index)
{
}
#endif

static __always_inline void T(prefetch)(const enum kind kind, const struct table *t,
					uint64_t key)
{
	/* For reading, also ahead of stores: taking lines exclusively ahead of probes by
	 * others makes shared probes several times slower. */
	__builtin_prefetch((const void *)line_of(t, kind, key), 0, 3);
}

/* What a store must know of a slot. */
static __always_inline struct tt_slot T(look)(const atomic_word *slot, uint64_t key)
{
	struct tt_slot s;
	bool match = T(load)(slot, key, 1, &s.word);

	s.holds = match && !tt_empty(s.word);
	return s;
}

/* Copy a slot's words as they are. Without exclusion the copy may be of two entries:
 * then it verifies for nobody, and the audit counts it as an unusable slot. */
static __always_inline void T(bump)(atomic_word *line, int from, int to)
{
	uint64_t data = READ_ONCE64(&line[2 * from + 1]);
	uint64_t sig = READ_ONCE64(&line[2 * from]);

	WRITE_ONCE64(&line[2 * to + 1], data);
	WRITE_ONCE64(&line[2 * to], sig);
}

/*
 * Audit: the slots of a line that hold an entry of the key, in one scan. The judge takes it
 * for done before the first write: [held.A] fences it off. It has no partner: it orders this
 * thread's loads before its own stores, and who stored what was found is not asked.
 */
static __always_inline uint8_t T(held)(const enum kind kind, const struct worker *w,
				       const atomic_word *line, uint64_t key)
{
	uint64_t word[MAX_ENTRY_WORDS];
	unsigned held = 0;

	for (unsigned s = 0; s < line_slots(kind); s++)
		if (T(load)(line + s * slot_words(kind), key, entry_words(kind), word) &&
		    !entry_empty(kind, word[0]) && audit_holds(w->audit, kind, key, word))
			held |= 1u << s;
	smp_acquire_fence(); /* [held.A] */
	return (uint8_t)held;
}

static __always_inline void T(tt_store)(struct table *t, struct worker *w,
					const struct trace_op *op, uint64_t key,
					struct counts *n, const bool audit)
{
	const struct tt_store in = store_from_op(op);
	uint64_t index = line_index(t, KIND_TT, key);
	atomic_word *line = line_of(t, KIND_TT, key);
	uint64_t generation;
	struct tt_slot s0, s1, victim;
	struct tt_plan plan;
	struct audited a;
	uint64_t word;

	n->stored[in.bound]++;
	if (tt_drops(&in, t->mate)) {
		n->drops++;
		return;
	}
	if (audit)
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
	generation = READ_ONCE64(&t->generation);
	T(begin_write)(t, w, index);
	if (audit)
		a.op.held = T(held)(KIND_TT, w, line, key);
	s0 = T(look)(&line[0], key);
	s1 = T(look)(&line[2], key);
	plan = tt_plan_store(s0, s1, &in, generation, t->mate, line_slots(KIND_TT));
	if (plan.bump_to >= 0) {
		T(bump)(line, plan.victim, plan.bump_to);
		n->bumps++;
	}
	victim = plan.victim == 0 ? s0 : plan.victim == 1 ? s1 : T(look)(&line[6], key);
	word = tt_merge(victim, &in, generation, t->mate);
	if (audit)
		a.op.serial = audit_stamp(w, KIND_TT, op, key, &word);
	T(put)(&line[2 * plan.victim], key, 1, &word);
	T(end_write)(t, w, index);
	if (audit) {
		a.op.victim = (int8_t)plan.victim;
		a.op.bump_to = (int8_t)plan.bump_to;
		audit_stored(w, t, &a, n);
	}
}

/*
 * Give the entries that matched the current generation. Under exclusion only where the
 * slot still holds what was read; without, refresh=always and stale write blindly (and
 * may bring an old entry back: that is what the audit is for), refresh=cas compares.
 * Returns the slots it may have written, as a mask.
 */
static __always_inline unsigned T(refresh)(struct table *t, atomic_word *line, uint64_t key,
					   const uint64_t *word, unsigned match,
					   struct counts *n)
{
	uint64_t generation = READ_ONCE64(&t->generation);
	uint64_t now, fresh;
	unsigned wrote = 0;

	for (; match; match &= match - 1) {
		unsigned s = (unsigned)__builtin_ctz(match);

		fresh = tt_refreshed(word[s], generation);
		if (fresh == word[s] && t->refresh != REFRESH_ALWAYS)
			continue;
		if (LINE_EXCLUSION == LINE_FREE && t->refresh == REFRESH_CAS) {
			/* one of two words may be exchanged and the other not */
			wrote |= 1u << s;
			n->refreshes += T(replace)(&line[2 * s], key, word[s], fresh);
			continue;
		}
		if (LINE_EXCLUSION == LINE_SEQUENCE &&
		    !(T(load)(&line[2 * s], key, 1, &now) && now == word[s]))
			continue;
#ifdef LINE_REFRESH
		T(rewrite)(&line[2 * s], key, word[s], fresh);
#else
		T(put)(&line[2 * s], key, 1, &fresh);
#endif
		wrote |= 1u << s;
		n->refreshes++;
	}
	return wrote;
}

/* Does any of the matched entries want a refresh? Keeps seqlock readers readers. */
static __always_inline bool T(wants_refresh)(const struct table *t, const uint64_t *word,
					     unsigned match)
{
	uint64_t generation;

	if (!match || t->refresh == REFRESH_NEVER)
		return false;
	if (t->refresh == REFRESH_ALWAYS)
		return true;
	generation = READ_ONCE64(&t->generation);
	for (; match; match &= match - 1)
		if (tt_stale(word[__builtin_ctz(match)], generation))
			return true;
	return false;
}

static __always_inline struct answer T(tt_probe)(struct table *t, struct worker *w,
						 const struct trace_op *op, uint64_t key,
						 struct counts *n, const bool audit)
{
	const struct tt_query q = query_from_op(op);
	uint64_t index = line_index(t, KIND_TT, key);
	atomic_word *line = line_of(t, KIND_TT, key);
	uint64_t word[4];
	struct tt_answer a;
	struct audited seen;
	unsigned match, matches, refreshed = 0;
	unsigned cookie;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, index, key, &seen);
	do {
		a = (struct tt_answer){ 0 };
		match = 0;
		matches = 0;
		cookie = T(begin_read)(t, w, index);
#pragma GCC unroll 4
		for (unsigned s = 0; s < line_slots(KIND_TT); s++) {
			if (!T(load)(&line[2 * s], key, 1, &word[s]) || tt_empty(word[s]))
				continue;
			match |= 1u << s;
			matches++;
			if (tt_lookup(&a, word[s], &q))
				break;
		}
		if (LINE_EXCLUSION == LINE_LOCKED && T(wants_refresh)(t, word, match))
			refreshed = T(refresh)(t, line, key, word, match, n);
	} while (!T(end_read)(t, w, index, cookie));

	if (LINE_EXCLUSION == LINE_FREE && T(wants_refresh)(t, word, match))
		refreshed = T(refresh)(t, line, key, word, match, n);
	if (LINE_EXCLUSION == LINE_SEQUENCE && T(wants_refresh)(t, word, match)) {
		T(begin_write)(t, w, index);
		refreshed = T(refresh)(t, line, key, word, match, n);
		T(end_write)(t, w, index);
	}
	if (audit) {
		seen.op.refreshed = (uint8_t)refreshed;
		audit_probed(&seen, n);
		for (unsigned m = match; m; m &= m - 1)
			audit_hit(w, t, &seen, (unsigned)__builtin_ctz(m),
				  &word[__builtin_ctz(m)], n);
		if (!match)
			audit_missed(w, t, &seen, n);
	}
	n->hits += match != 0;
	n->matches += matches;
	n->usable[a.bound]++;
	return (struct answer){ .hit = match,
				.word = a.move + (uint64_t)(unsigned)a.value + a.bound +
					a.threat + a.avoid_null };
}

/* eval and pawn: one slot, always overwritten. */
static __always_inline void T(slot_store)(const enum kind kind, struct table *t,
					  struct worker *w, const struct trace_op *op,
					  uint64_t key, struct counts *n, const bool audit)
{
	uint64_t index = line_index(t, kind, key);
	atomic_word *line = line_of(t, kind, key);
	uint64_t word[MAX_ENTRY_WORDS];
	struct audited a;

	entry_from_op(kind, op, word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
		a.op.serial = audit_stamp(w, kind, op, key, word);
		a.op.victim = 0;
	}
	T(begin_write)(t, w, index);
	if (audit)
		a.op.held = T(held)(kind, w, line, key);
	T(put)(line, key, entry_words(kind), word);
	T(end_write)(t, w, index);
	if (audit)
		audit_stored(w, t, &a, n);
}

/* kv: the same key's slot, else an empty one, else the one the key picks. */
static __always_inline void T(kv_store)(struct table *t, struct worker *w,
					const struct trace_op *op, uint64_t key,
					struct counts *n, const bool audit)
{
	uint64_t index = line_index(t, KIND_KV, key);
	atomic_word *line = line_of(t, KIND_KV, key);
	unsigned slot = kv_victim(key, t->index_bits, line_slots(KIND_KV));
	bool empty_seen = false;
	uint64_t word, held;
	struct audited a;

	entry_from_op(KIND_KV, op, &word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
		a.op.serial = audit_stamp(w, KIND_KV, op, key, &word);
	}
	T(begin_write)(t, w, index);
	if (audit)
		a.op.held = T(held)(KIND_KV, w, line, key);
#pragma GCC unroll 4
	for (unsigned s = 0; s < line_slots(KIND_KV); s++) {
		bool match = T(load)(&line[2 * s], key, 1, &held);

		if (!(held & KV_OCCUPIED)) {
			slot = empty_seen ? slot : s;
			empty_seen = true;
		} else if (match) {
			slot = s;
			break;
		}
	}
	T(put)(&line[2 * slot], key, 1, &word);
	T(end_write)(t, w, index);
	if (audit) {
		a.op.victim = (int8_t)slot;
		audit_stored(w, t, &a, n);
	}
}

/* eval, pawn, kv: the first slot that verifies, copied whole; all slots: none does. */
static __always_inline unsigned T(copy)(const enum kind kind, struct table *t, struct worker *w,
					uint64_t key, uint64_t *word)
{
	uint64_t index = line_index(t, kind, key);
	atomic_word *line = line_of(t, kind, key);
	unsigned cookie, s;

	do {
		cookie = T(begin_read)(t, w, index);
#pragma GCC unroll 4
		for (s = 0; s < line_slots(kind); s++)
			if (T(load)(line + s * slot_words(kind), key, entry_words(kind),
				    word) &&
			    !entry_empty(kind, word[0]))
				break;
	} while (!T(end_read)(t, w, index, cookie));
	return s;
}

static __always_inline unsigned T(find_all)(const enum kind kind, struct table *t,
					    struct worker *w, uint64_t key,
					    uint64_t word[][MAX_ENTRY_WORDS])
{
	uint64_t index = line_index(t, kind, key);
	atomic_word *line = line_of(t, kind, key);
	unsigned cookie, match;

	do {
		match = 0;
		cookie = T(begin_read)(t, w, index);
		for (unsigned s = 0; s < line_slots(kind); s++)
			if (T(load)(line + s * slot_words(kind), key, entry_words(kind),
				    word[s]) &&
			    !entry_empty(kind, word[s][0]))
				match |= 1u << s;
	} while (!T(end_read)(t, w, index, cookie));
	return match;
}

static __always_inline struct answer T(slot_probe)(const enum kind kind, struct table *t,
						   struct worker *w, uint64_t key,
						   struct counts *n, const bool audit)
{
	uint64_t word[MAX_ENTRY_WORDS];
	struct audited seen;
	struct answer a = { 0 };
	unsigned slot;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, line_index(t, kind, key), key, &seen);
	slot = T(copy)(kind, t, w, key, word);
	a.hit = slot < line_slots(kind);
	n->hits += a.hit;
	n->matches += a.hit;
	if (audit) {
		audit_probed(&seen, n);
		if (a.hit)
			audit_hit(w, t, &seen, slot, word, n);
		else
			audit_missed(w, t, &seen, n);
	}
	for (unsigned i = 0; i < entry_words(kind); i++)
		a.word += word[i];
	a.word &= -(uint64_t)a.hit;
	return a;
}

static __always_inline void T(store)(const enum kind kind, struct table *t, struct worker *w,
				     const struct trace_op *op, uint64_t key, struct counts *n,
				     const bool audit)
{
	if (kind == KIND_TT)
		T(tt_store)(t, w, op, key, n, audit);
	else if (kind == KIND_KV)
		T(kv_store)(t, w, op, key, n, audit);
	else
		T(slot_store)(kind, t, w, op, key, n, audit);
}

static __always_inline struct answer T(probe)(const enum kind kind, struct table *t,
					      struct worker *w, const struct trace_op *op,
					      uint64_t key, struct counts *n, const bool audit)
{
	if (kind == KIND_TT)
		return T(tt_probe)(t, w, op, key, n, audit);
	return T(slot_probe)(kind, t, w, key, n, audit);
}

static unsigned T(find)(struct table *t, struct worker *w, uint64_t key,
			uint64_t word[][MAX_ENTRY_WORDS])
{
	switch (t->kind) {
	case KIND_TT:
		return T(find_all)(KIND_TT, t, w, key, word);
	case KIND_PAWN:
		return T(find_all)(KIND_PAWN, t, w, key, word);
	case KIND_EVAL:
		return T(find_all)(KIND_EVAL, t, w, key, word);
	case KIND_KV:
		return T(find_all)(KIND_KV, t, w, key, word);
	case NR_KINDS:
		break;
	}
	return 0;
}

static void T(walk)(struct table *t, table_walk_fn *fn, void *arg)
{
	line_walk(t, T(sig), fn, arg);
}

/* relaxed, word by word: readers may be anywhere in the line, and memset would be a race.
 * Data first: a slot is empty once its first data word is, whatever the signature says. */
static void T(clear_line)(const struct table *t, atomic_word *line)
{
	for (unsigned s = 0; s < line_slots(t->kind); s++) {
		atomic_word *slot = line + s * slot_words(t->kind);

		for (unsigned i = 0; i < entry_words(t->kind); i++)
			WRITE_ONCE64(&slot[1 + i], 0);
		WRITE_ONCE64(&slot[0], 0);
	}
}

static void T(clear_live)(struct table *t, struct worker *w)
{
	struct audited a;

	for (uint64_t index = 0; index < t->lines; index++) {
		worker_begins(w);
		if (w->audit)
			audit_enter(w, t, WITNESS_CLEAR, index, 0, &a);
		T(begin_write)(t, w, index);
		T(clear_line)(t, t->word + index * line_words(t->kind));
		T(end_write)(t, w, index);
		if (w->audit)
			audit_cleared(&a);
	}
	WRITE_ONCE64(&t->generation, 0);
}

#include "replay.h"
