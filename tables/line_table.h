/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table - the template that joins the policy and a scheme
 *
 * A scheme defines TABLE to its prefix and, always-inline,
 *
 *   unsigned T(begin_read)(kind, t, w, line, index)    what encloses the reads of a line
 *   bool T(end_read)(kind, t, w, line, index, cookie)  (only with LINE_SEQUENCE); false:
 *                                                      read again
 *   void T(begin_write)(kind, t, w, line, index)       what encloses the writes (not with
 *   void T(end_write)(kind, t, w, line, index)         LINE_FREE and LINE_SWAP)
 *   bool T(load)(line, s, sig, nr, word)       copy slot s; does it verify for sig?
 *   void T(put)(line, s, sig, nr, word)        write a whole entry
 *   bool T(replace)(line, s, sig, old, new)    write a tt entry only over the one read
 *   uint64_t T(sig)(sig, nr, word)             the signature a raw slot decodes to
 *
 * where `sig` is the part of the key that signatures keep and nr the number of data words;
 * and LINE_EXCLUSION, one of
 *
 *   LINE_FREE       nothing excludes anybody: a refresh is a bare write
 *   LINE_SWAP       likewise, but a store replaces only the entry it looked at, or begins
 *                   again; every refresh is a T(replace). For this,
 *                     bool T(swap)(line, s, seen, sig, nr, word)
 *                   instead of put, over what T(look) saw there
 *   LINE_SEQUENCE   writers exclude writers, readers retry: a refresh takes the write side
 *                   after the read section, if the slot still holds the words read
 *   LINE_LOCKED     reads are as exclusive as writes: a refresh happens inside them
 *
 * LINE_ENTRY, a prefix, instead of load to sig: those under that prefix, and what LINE_LOOK and
 * LINE_LAYOUT ask for, too. LINE_PLAIN: `plain`, the layout of line.h.
 *
 * Further, where a scheme differs from what most do:
 *
 *   LINE_SLOTS, LINE_BYTES(kind)   slots of a tt or kv line (4), bytes of a line
 *   LINE_SCAN       all four slots at once, which only finds them: T(load) takes them (not
 *                   with LINE_SWAP)
 *                     struct line_scan T(scan)(kind, line, sig)
 *                     bool T(pick)(line, key, mask, word, slot)
 *                   kv: the first that verifies for the bits `mask` of *key, which is in
 *                   memory; none: *word is 0
 *   LINE_LOOK       struct tt_slot T(look)(kind, line, s, sig): what a store must know of a slot
 *   LINE_SECTIONS   with LINE_FREE or LINE_SWAP: T(begin_read) to T(end_write) are there all
 *                   the same. They exclude nobody, but what was found in between stays
 *                   what it is; a refresh is in a write section of its own
 *   LINE_REFRESH    void T(rewrite)(line, s, sig, old, new): a refresh that does not compare
 *                   is this and not a put of the whole entry
 *   LINE_LAYOUT     entries are not a signature and words in a row:
 *                     void T(bump)(line, from, to)         copy a tt slot as it is
 *                     void T(wipe)(kind, line)             make it empty, amid readers
 *                     uint64_t T(at_rest)(kind, line, s, word)  at rest: see struct line_shape
 *   LINE_GUARD_AHEAD  what guards a line (line_guard) is prefetched with it
 *   REPLAY_SECTIONS T(online)(t, w), T(offline)(t, w): see replay.h
 *
 * and includes this file, which makes probe, store, find and clear_live for every kind,
 * and the replay loops (replay.h). Including it again with another TABLE makes another set.
 */
#include "line.h"
#include "template.h"

/* Not every table needs all that the others do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifndef TEARLINE_LINE_TABLE_H
#define TEARLINE_LINE_TABLE_H
#define LINE_FREE 0
#define LINE_SWAP 1
#define LINE_SEQUENCE 2
#define LINE_LOCKED 3
#endif

#ifndef LINE_SLOTS
#define LINE_SLOTS 4
#endif
#ifndef LINE_BYTES
#define LINE_BYTES(kind) line_bytes(kind)
#endif

static __always_inline unsigned T(slots)(const enum kind kind)
{
	return kind_has_slots(kind) ? LINE_SLOTS : 1;
}

static __always_inline atomic_word *T(line)(const enum kind kind, const struct table *t,
					    uint64_t key)
{
	atomic_word *line = line_of(t, LINE_BYTES(kind), key);

	/* Slots are found from here: compilers would rather add up all of it for each. */
	keep(line);
	return line;
}

/* Its number: what guards and witnesses know it by. */
static __always_inline uint64_t T(index)(const enum kind kind, const struct table *t,
					 const atomic_word *line)
{
	return (uint64_t)(line - t->word) / (LINE_BYTES(kind) / sizeof(*line));
}

#ifdef LINE_PLAIN
#undef LINE_ENTRY
#define LINE_ENTRY plain
#endif
#if defined(LINE_SCAN) && LINE_EXCLUSION == LINE_SWAP
#error "a swap must know what was seen in each slot"
#endif

#ifdef LINE_ENTRY
static __always_inline bool T(load)(const atomic_word *line, unsigned s, uint64_t sig,
				    unsigned nr, uint64_t *word)
{
	return T_(LINE_ENTRY, load)(line, s, sig, nr, word);
}

#if LINE_EXCLUSION != LINE_SWAP
static __always_inline void T(put)(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
				   const uint64_t *word)
{
	T_(LINE_ENTRY, put)(line, s, sig, nr, word);
}
#endif

static __always_inline bool T(replace)(atomic_word *line, unsigned s, uint64_t sig,
				       uint64_t old, uint64_t new)
{
	return T_(LINE_ENTRY, replace)(line, s, sig, old, new);
}

static __always_inline uint64_t T(sig)(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return T_(LINE_ENTRY, sig)(sig, nr, word);
}

#ifdef LINE_LOOK
static __always_inline struct tt_slot T(look)(const enum kind kind, const atomic_word *line,
					      unsigned s, uint64_t sig)
{
	return T_(LINE_ENTRY, look)(kind, line, s, sig);
}
#endif

#ifdef LINE_LAYOUT
static __always_inline void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	T_(LINE_ENTRY, bump)(line, from, to);
}

static void T(wipe)(enum kind kind, atomic_word *line)
{
	T_(LINE_ENTRY, wipe)(kind, line);
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	return T_(LINE_ENTRY, at_rest)(kind, line, s, word);
}
#endif
#endif

#if LINE_EXCLUSION == LINE_LOCKED
static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	T(begin_write)(kind, t, w, line, index);
	return 0;
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	T(end_write)(kind, t, w, line, index);
	return true;
}
#endif

#if (LINE_EXCLUSION == LINE_FREE || LINE_EXCLUSION == LINE_SWAP) && !defined(LINE_SECTIONS)
static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	return 0;
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	return true;
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
}
#endif

static __always_inline void T(prefetch)(const enum kind kind, const struct table *t,
					uint64_t key)
{
	const atomic_word *line = T(line)(kind, t, key);

	/* For reading, also ahead of stores: taking lines exclusively ahead of probes by
	 * others makes shared probes several times slower. */
	__builtin_prefetch((const void *)line, 0, 3);
#ifdef LINE_GUARD_AHEAD
	__builtin_prefetch(line_guard(t, T(index)(kind, t, line)), 0, 3);
#endif
}

#ifndef LINE_LOOK
/* What a store must know of a slot. */
static __always_inline struct tt_slot T(look)(const enum kind kind, const atomic_word *line,
					      unsigned s, uint64_t sig)
{
	struct tt_slot slot;
	bool match = T(load)(line, s, sig, 1, &slot.word);

	slot.holds = match && !entry_empty(kind, slot.word);
	return slot;
}
#endif

#if LINE_EXCLUSION != LINE_SWAP
/* Write an entry over what was seen there; always does. */
static __always_inline bool T(swap)(atomic_word *line, unsigned s, const struct tt_slot *seen,
				    uint64_t sig, unsigned nr, const uint64_t *word)
{
	T(put)(line, s, sig, nr, word);
	return true;
}
#endif

#ifndef LINE_LAYOUT
/* Copy a slot's words as they are. Without exclusion the copy may be of two entries:
 * then it verifies for nobody, and the audit counts it as an unusable slot. */
static __always_inline void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	uint64_t data = READ_ONCE64(&line[2 * from + 1]);
	uint64_t sig = READ_ONCE64(&line[2 * from]);

	WRITE_ONCE64(&line[2 * to + 1], data);
	WRITE_ONCE64(&line[2 * to], sig);
}

/* relaxed, word by word: readers may be anywhere in the line, and memset would be a race.
 * Data first: a slot is empty once its first data word is, whatever the signature says. */
static void T(wipe)(enum kind kind, atomic_word *line)
{
	for (unsigned s = 0; s < T(slots)(kind); s++) {
		atomic_word *slot = SLOT(line, s, entry_words(kind));

		for (unsigned i = 0; i < entry_words(kind); i++)
			WRITE_ONCE64(&slot[1 + i], 0);
		WRITE_ONCE64(&slot[0], 0);
	}
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	const atomic_word *slot = SLOT(line, s, entry_words(kind));

	for (unsigned i = 0; i < entry_words(kind); i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return T(sig)(READ_ONCE64(&slot[0]), entry_words(kind), word);
}
#endif

/*
 * Audit: the slots of a line that hold an entry of the key, in one scan. The judge takes it
 * for done before the first write: [held.A] fences it off. It has no partner: it orders this
 * thread's loads before its own stores, and who stored what was found is not asked.
 */
static __always_inline uint8_t T(held)(const enum kind kind, const struct worker *w,
				       const atomic_word *line, uint64_t key, uint64_t sig)
{
	uint64_t word[MAX_ENTRY_WORDS];
	unsigned held = 0;

	for (unsigned s = 0; s < T(slots)(kind); s++)
		if (T(load)(line, s, sig, entry_words(kind), word) &&
		    !entry_empty(kind, word[0]) && audit_holds(w->audit, kind, key, word))
			held |= 1u << s;
	smp_acquire_fence(); /* [held.A] */
	return (uint8_t)held;
}

/* Audit: an attempt to store came to nothing but perhaps a copy; the next is a new one. */
static __always_inline void T(store_again)(struct table *t, struct worker *w, uint64_t index,
					   uint64_t key, int bumped_to, struct audited *a,
					   struct counts *n)
{
	uint32_t serial = a->op.serial;

	a->op.victim = -1;
	a->op.bump_to = (int8_t)bumped_to;
	a->op.held = 0; /* by now, who knows */
	audit_stored(w, t, a, n);
	audit_enter(w, t, WITNESS_STORE, index, key, a);
	/* what is to be stored is the same; or else it is stamped anew */
	a->op.serial = serial;
}

static __always_inline void T(tt_store)(struct table *t, struct worker *w,
					const struct trace_op *op, uint64_t key,
					struct counts *n, const bool audit)
{
	const struct tt_store in = store_from_op(t, op);
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(KIND_TT, t, key);
	uint64_t index = T(index)(KIND_TT, t, line);
	uint64_t generation, word;
	struct tt_slot s0, s1, victim;
	struct tt_plan plan;
	struct audited a;

	n->stored[in.bound]++;
	if (tt_drops(&in, t->mate)) {
		n->drops++;
		return;
	}
	if (audit)
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
	generation = READ_ONCE64(&t->generation);
	T(begin_write)(KIND_TT, t, w, line, index);
	for (;;) {
		if (audit)
			a.op.held = T(held)(KIND_TT, w, line, key, sig);
		s0 = T(look)(KIND_TT, line, 0, sig);
		s1 = T(look)(KIND_TT, line, 1, sig);
		plan = tt_plan_store(s0, s1, &in, generation, t->mate, LINE_SLOTS);
		if (plan.bump_to >= 0) {
			T(bump)(line, (unsigned)plan.victim, (unsigned)plan.bump_to);
			n->bumps++;
		}
		victim = plan.victim == 0   ? s0
			 : plan.victim == 1 ? s1
					    : T(look)(KIND_TT, line, LINE_SLOTS - 1, sig);
		word = tt_merge(victim, &in, generation, t->mate);
		if (audit)
			a.op.serial = audit_stamp(w, KIND_TT, op, key, &word);
		if (T(swap)(line, (unsigned)plan.victim, &victim, sig, 1, &word))
			break;
		if (audit)
			T(store_again)(t, w, index, key, plan.bump_to, &a, n);
	}
	T(end_write)(KIND_TT, t, w, line, index);
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
static __always_inline unsigned T(refresh)(struct table *t, atomic_word *line, uint64_t sig,
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
		if (LINE_EXCLUSION == LINE_SWAP ||
		    (LINE_EXCLUSION == LINE_FREE && t->refresh == REFRESH_CAS)) {
			/* one of two words may be exchanged and the other not */
			wrote |= 1u << s;
			n->refreshes += T(replace)(line, s, sig, word[s], fresh);
			continue;
		}
		if (LINE_EXCLUSION == LINE_SEQUENCE &&
		    !(T(load)(line, s, sig, 1, &now) && now == word[s]))
			continue;
#ifdef LINE_REFRESH
		T(rewrite)(line, s, sig, word[s], fresh);
#elif LINE_EXCLUSION != LINE_SWAP
		T(put)(line, s, sig, 1, &fresh);
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

/*
 * Take matching entries into the answer, in the order of slots, until one is usable.
 * Returns those taken, as a mask, and how many; their words are in word[slot].
 */
static __always_inline unsigned T(gather)(const atomic_word *line, uint64_t sig,
					  const struct tt_query *q, uint64_t *word,
					  struct tt_answer *a, unsigned *matches)
{
	unsigned match = 0;

	*matches = 0;
	*a = (struct tt_answer){ 0 };
#ifdef LINE_SCAN
	for (unsigned m = T(scan)(KIND_TT, line, sig).match; m; m &= m - 1) {
		unsigned s = (unsigned)__builtin_ctz(m);
#else
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(KIND_TT); s++) {
#endif
		if (!T(load)(line, s, sig, 1, &word[s]) || tt_empty(word[s]))
			continue;
		match |= 1u << s;
		++*matches;
		if (tt_lookup(a, word[s], q))
			break;
	}
	return match;
}

/* out: NULL, or where a caller wants the whole answer. */
static __always_inline struct answer T(tt_probe)(struct table *t, struct worker *w,
						 const struct trace_op *op, uint64_t key,
						 struct counts *n, const bool audit,
						 struct tt_answer *out)
{
	const struct tt_query q = query_from_op(t, op);
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(KIND_TT, t, key);
	uint64_t index = T(index)(KIND_TT, t, line);
	uint64_t word[LINE_SLOTS];
	struct tt_answer a;
	struct audited seen;
	unsigned match, matches, refreshed = 0;
	unsigned cookie;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, index, key, &seen);
	do {
		cookie = T(begin_read)(KIND_TT, t, w, line, index);
		match = T(gather)(line, sig, &q, word, &a, &matches);
		if (LINE_EXCLUSION == LINE_LOCKED && T(wants_refresh)(t, word, match))
			refreshed = T(refresh)(t, line, sig, word, match, n);
	} while (!T(end_read)(KIND_TT, t, w, line, index, cookie));

	if (LINE_EXCLUSION != LINE_LOCKED && T(wants_refresh)(t, word, match)) {
		T(begin_write)(KIND_TT, t, w, line, index);
		refreshed = T(refresh)(t, line, sig, word, match, n);
		T(end_write)(KIND_TT, t, w, line, index);
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
	if (out)
		*out = a;
	return (struct answer){ .hit = match,
				.word = a.move + (uint64_t)(unsigned)a.value + a.bound +
					a.threat + a.avoid_null };
}

/* eval and pawn: one slot, always overwritten. own: NULL, or the words of a caller. */
static __always_inline void T(slot_store)(const enum kind kind, struct table *t,
					  struct worker *w, const struct trace_op *op,
					  const uint64_t *own, uint64_t key, struct counts *n,
					  const bool audit)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(kind, t, key);
	uint64_t index = T(index)(kind, t, line);
	uint64_t word[MAX_ENTRY_WORDS];
	struct tt_slot seen;
	struct audited a;

	if (own)
		entry_from_own(kind, own, word);
	else
		entry_from_op(kind, op, word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
		a.op.serial = audit_stamp(w, kind, op, key, word);
	}
	T(begin_write)(kind, t, w, line, index);
	for (;;) {
		if (audit)
			a.op.held = T(held)(kind, w, line, key, sig);
		if (LINE_EXCLUSION == LINE_SWAP)
			seen = T(look)(kind, line, 0, sig);
		if (T(swap)(line, 0, &seen, sig, entry_words(kind), word))
			break;
		if (audit)
			T(store_again)(t, w, index, key, -1, &a, n);
	}
	T(end_write)(kind, t, w, line, index);
	if (audit) {
		a.op.victim = 0;
		audit_stored(w, t, &a, n);
	}
}

/* kv: the same key's slot, else an empty one, else the one the key picks. */
static __always_inline unsigned T(kv_slot)(const struct table *t, const atomic_word *line,
					   uint64_t key, struct tt_slot *seen)
{
	uint64_t sig = key & t->sig_mask;
	unsigned taken = 0;

#ifdef LINE_SCAN
	struct line_scan scan = T(scan)(KIND_KV, line, sig);

	taken = scan.taken;
	if (scan.match)
		return (unsigned)__builtin_ctz(scan.match);
#else
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(KIND_KV); s++) {
		seen[s] = T(look)(KIND_KV, line, s, sig);
		if (entry_empty(KIND_KV, seen[s].word))
			continue;
		taken |= 1u << s;
		if (seen[s].holds)
			return s;
	}
#endif
	if (taken != (1u << LINE_SLOTS) - 1)
		return (unsigned)__builtin_ctz(~taken);
	return kv_victim(line_rest(t, key), LINE_SLOTS);
}

static __always_inline void T(kv_store)(struct table *t, struct worker *w,
					const struct trace_op *op, const uint64_t *own,
					uint64_t key, struct counts *n, const bool audit)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(KIND_KV, t, key);
	uint64_t index = T(index)(KIND_KV, t, line);
	struct tt_slot seen[LINE_SLOTS];
	struct audited a;
	unsigned slot;
	uint64_t word;

	if (own)
		entry_from_own(KIND_KV, own, &word);
	else
		entry_from_op(KIND_KV, op, &word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
		a.op.serial = audit_stamp(w, KIND_KV, op, key, &word);
	}
	T(begin_write)(KIND_KV, t, w, line, index);
	for (;;) {
		if (audit)
			a.op.held = T(held)(KIND_KV, w, line, key, sig);
		slot = T(kv_slot)(t, line, key, seen);
		if (T(swap)(line, slot, &seen[slot], sig, 1, &word))
			break;
		if (audit)
			T(store_again)(t, w, index, key, -1, &a, n);
	}
	T(end_write)(KIND_KV, t, w, line, index);
	if (audit) {
		a.op.victim = (int8_t)slot;
		audit_stored(w, t, &a, n);
	}
}

/* eval, pawn, kv: the first slot that verifies, copied whole; if none does, zeros. */
static __always_inline bool T(copy)(const enum kind kind, const struct table *t,
				    const atomic_word *line, const struct trace_op *op,
				    uint64_t sig, uint64_t *word, unsigned *slot)
{
#ifdef LINE_SCAN
	/* A caller that chains keys waits for this one where it finds the line. */
	if (kind == KIND_KV)
		return T(pick)(line, &op->key, t->sig_mask, word, slot);
#endif
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(kind); s++) {
		if (T(load)(line, s, sig, entry_words(kind), word) &&
		    !entry_empty(kind, word[0])) {
			*slot = s;
			return true;
		}
	}
	for (unsigned i = 0; i < entry_words(kind); i++)
		word[i] = 0;
	return false;
}

static __always_inline unsigned T(find_all)(const enum kind kind, struct table *t,
					    struct worker *w, uint64_t key,
					    uint64_t word[][MAX_ENTRY_WORDS])
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(kind, t, key);
	uint64_t index = T(index)(kind, t, line);
	unsigned cookie, match;

	do {
		match = 0;
		cookie = T(begin_read)(kind, t, w, line, index);
		for (unsigned s = 0; s < T(slots)(kind); s++)
			if (T(load)(line, s, sig, entry_words(kind), word[s]) &&
			    !entry_empty(kind, word[s][0]))
				match |= 1u << s;
	} while (!T(end_read)(kind, t, w, line, index, cookie));
	return match;
}

static __always_inline struct answer T(slot_probe)(const enum kind kind, struct table *t,
						   struct worker *w, const struct trace_op *op,
						   uint64_t key, struct counts *n,
						   const bool audit, uint64_t *out)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(kind, t, key);
	uint64_t index = T(index)(kind, t, line);
	uint64_t word[MAX_ENTRY_WORDS];
	struct audited seen;
	struct answer a = { 0 };
	unsigned slot = 0, cookie;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, index, key, &seen);
	do {
		cookie = T(begin_read)(kind, t, w, line, index);
		a.hit = T(copy)(kind, t, line, op, sig, word, &slot);
	} while (!T(end_read)(kind, t, w, line, index, cookie));
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
	for (unsigned i = 0; out && i < entry_words(kind); i++)
		out[i] = word[i];
	return a;
}

static __always_inline void T(store)(const enum kind kind, struct table *t, struct worker *w,
				     const struct trace_op *op, uint64_t key, struct counts *n,
				     const bool audit)
{
	if (kind == KIND_TT)
		T(tt_store)(t, w, op, key, n, audit);
	else if (kind == KIND_KV)
		T(kv_store)(t, w, op, NULL, key, n, audit);
	else
		T(slot_store)(kind, t, w, op, NULL, key, n, audit);
}

static __always_inline struct answer T(probe)(const enum kind kind, struct table *t,
					      struct worker *w, const struct trace_op *op,
					      uint64_t key, struct counts *n, const bool audit)
{
	if (kind == KIND_TT)
		return T(tt_probe)(t, w, op, key, n, audit, NULL);
	return T(slot_probe)(kind, t, w, op, key, n, audit, NULL);
}

/* One at a time: see single.h. */
static __always_inline bool T(tt_ask)(struct table *t, struct worker *w,
				      const struct trace_op *op, struct counts *n,
				      struct tt_answer *a)
{
	return T(tt_probe)(t, w, op, op->key, n, false, a).hit;
}

static __always_inline bool T(slot_ask)(const enum kind kind, struct table *t, struct worker *w,
					const struct trace_op *op, struct counts *n,
					uint64_t *word)
{
	return T(slot_probe)(kind, t, w, op, op->key, n, false, word).hit;
}

static __always_inline void T(store_own)(const enum kind kind, struct table *t,
					 struct worker *w, const struct trace_op *op,
					 const uint64_t *own, struct counts *n)
{
	if (kind == KIND_TT)
		T(tt_store)(t, w, op, op->key, n, false);
	else if (kind == KIND_KV)
		T(kv_store)(t, w, op, own, op->key, n, false);
	else
		T(slot_store)(kind, t, w, op, own, op->key, n, false);
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
	line_walk(t, fn, arg);
}

static void T(clear_live)(struct table *t, struct worker *w)
{
	struct audited a;

	for (uint64_t index = 0; index < t->lines; index++) {
		atomic_word *line =
			t->word + index * (t->loops->shape->bytes[t->kind] / sizeof(*line));

		worker_begins(w);
		if (w->audit)
			audit_enter(w, t, WITNESS_CLEAR, index, 0, &a);
		T(begin_write)(t->kind, t, w, line, index);
		T(wipe)(t->kind, line);
		T(end_write)(t->kind, t, w, line, index);
		if (w->audit)
			audit_cleared(&a);
	}
	WRITE_ONCE64(&t->generation, 0);
}

#define SHAPE(member, value)                    \
	.member = {                             \
		[KIND_TT] = value(KIND_TT),     \
		[KIND_PAWN] = value(KIND_PAWN), \
		[KIND_EVAL] = value(KIND_EVAL), \
		[KIND_KV] = value(KIND_KV)      \
	}
#define SHAPE_SLOTS(kind) (kind == KIND_TT || kind == KIND_KV ? LINE_SLOTS : 1)
static const struct line_shape T(shape) = {
	SHAPE(slots, SHAPE_SLOTS),
	SHAPE(bytes, LINE_BYTES),
	.at_rest = T(at_rest),
	.wipe = T(wipe),
};
#undef SHAPE
#undef SHAPE_SLOTS

#define REPLAY_SHAPE &T(shape)
#define REPLAY_SINGLE
#include "replay.h"

/* For the next one. */
#undef LINE_SLOTS
#undef LINE_BYTES

#pragma GCC diagnostic pop
