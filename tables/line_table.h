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
 *   uint64_t T(sig)(sig, nr, word)             the signature a raw slot decodes to (not with
 *                                              LINE_LAYOUT)
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
#include "line_needs.h"

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
	struct tt_slot slot = { .raw = 0 };
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
 * for done before the first write. Two stores may scan and then write the same words, and it
 * must not be that each has found what the other was about to write: [held.F] is both ends
 * of that. Who reads a word that another store has written behind its [held.F] has, by his
 * own [held.F] behind the read, that other store's scan before his writes.
 */
static __always_inline uint8_t T(held)(const enum kind kind, const struct worker *w,
				       const atomic_word *line, uint64_t key, uint64_t sig)
{
	uint64_t word[MAX_ENTRY_WORDS];
	unsigned held = 0;

	for (unsigned s = 0; s < T(slots)(kind); s++)
		if (T(load)(line, s, sig, entry_words(kind), word) &&
		    !entry_empty(kind, word[0]) && audit_holds(w, kind, key, word))
			held |= 1u << s;
	smp_acq_rel_fence(); /* [held.F] pairs with [held.F] */
	return (uint8_t)held;
}

#include "line_tt.h"
#include "line_words.h"

static __always_inline void T(store)(const enum kind kind, struct table *t, struct worker *w,
				     const struct trace_op *op, const uint64_t *own,
				     uint64_t key, struct counts *n, const bool audit)
{
	if (kind == KIND_TT)
		T(tt_store)(t, w, op, key, n, audit);
	else
		T(overwrite)(kind, t, w, op, own, key, n, audit);
}

static __always_inline struct answer T(probe)(const enum kind kind, struct table *t,
					      struct worker *w, const struct trace_op *op,
					      uint64_t key, struct counts *n, const bool audit,
					      struct table_answer *whole)
{
	if (kind == KIND_TT)
		return T(tt_probe)(t, w, op, key, n, audit, whole);
	return T(words_probe)(kind, t, w, op, key, n, audit, whole);
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

#define SHAPE(member, value)                        \
	.member = { [KIND_TT] = value(KIND_TT),     \
		    [KIND_PAWN] = value(KIND_PAWN), \
		    [KIND_EVAL] = value(KIND_EVAL), \
		    [KIND_KV] = value(KIND_KV) }
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
#include "replay.h"

/* For the next one. */
#undef LINE_SLOTS
#undef LINE_BYTES

#pragma GCC diagnostic pop
