/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line - shapes of lines, and what all line tables do the same way
 *
 *   kind   a line holds                 an entry is
 *   tt     4 slots, 64 bytes            signature word + 1 data word
 *   kv     4 slots, 64 bytes            signature word + 1 data word
 *   eval   1 slot, 16 bytes             signature word + 1 data word
 *   pawn   1 slot, 64 bytes             signature word + 7 data words
 *
 * unless a scheme says otherwise (struct line_shape). A line is found by the key's top bits,
 * signatures keep the low ones, so the two are disjoint as long as they fit.
 */
#ifndef TEARLINE_LINE_H
#define TEARLINE_LINE_H

#include <string.h>

#include "policy.h"
#include "stamp.h"
#include "table.h"

/* Data words of an entry. */
static __always_inline unsigned entry_words(enum kind kind)
{
	return kind == KIND_PAWN ? 7 : 1;
}

/* What is held in one slot only, or in as many as the scheme has. */
static __always_inline bool kind_has_slots(enum kind kind)
{
	return kind == KIND_TT || kind == KIND_KV;
}

/* Bytes of a line, where a scheme says nothing else. */
#define line_bytes(kind) ((kind) == KIND_EVAL ? 16u : 64u)

/*
 * A scheme's lines, as what is not measured must know them: the template fills it in.
 * at_rest: copies the data words of a slot at rest, returns the signature they decode to.
 */
struct line_shape {
	unsigned slots[NR_KINDS], bytes[NR_KINDS]; /* of a line */
	uint64_t (*at_rest)(enum kind kind, const atomic_word *line, unsigned slot,
			    uint64_t *word);
	void (*wipe)(enum kind kind, atomic_word *line);
};

/*
 * Where a key's line begins, in bytes. index=mask: its top bits, shifted down so far that
 * they stand above the bits within a line, and those cut off. Fine for a single line too,
 * and nothing to load but the shift: with the table in cache, loads in flight are the limit.
 * `bytes` of a line is a constant; if it is no power of two, the shift is to the bit below
 * the index, and that one cut off.
 *
 * index=mulhi: as many lines as there are; the key as a fraction of 2^64 of them.
 */
static __always_inline uint64_t line_offset(const struct table *t, unsigned bytes, uint64_t key)
{
	if (__builtin_expect(t->mulhi, false)) {
		key &= t->fraction_mask;
		return (uint64_t)((unsigned __int128)key * t->lines >> 64) * bytes;
	}
	if (bytes & (bytes - 1))
		return (key >> t->shift >> 1) * bytes;
	return key >> t->shift & -(uint64_t)bytes;
}

static __always_inline atomic_word *line_of(const struct table *t, unsigned bytes, uint64_t key)
{
	return (atomic_word *)((char *)t->word + line_offset(t, bytes, key));
}

/* What follows behind the point when a key's line is the whole part: see kv_victim(). */
static __always_inline uint64_t line_rest(const struct table *t, uint64_t key)
{
	return (t->mulhi ? key & t->fraction_mask : key) * t->lines;
}

/* The lock or counter of a line, where the scheme has such. */
static __always_inline void *line_guard(const struct table *t, uint64_t index)
{
	return t->guard + ((index & t->guard_mask) << t->guard_shift);
}

/* A line at a glance, as masks of slots: those that verify for a key, those not free. */
struct line_scan {
	unsigned match, taken;
};

/* Is a slot with this first data word free? */
static __always_inline bool entry_empty(enum kind kind, uint64_t word)
{
	return kind == KIND_KV ? !(word & KV_OCCUPIED) : tt_empty(word);
}

/*
 * The words an eval, pawn or kv store writes, from a recorded operation. An eval or
 * pawn word is packed like an exact tt entry, which makes it non-empty; the further
 * words of a pawn entry differ, so that a mixed copy is not the same as a whole one.
 */
static __always_inline void entry_from_op(enum kind kind, const struct trace_op *op,
					  uint64_t *word)
{
	if (kind == KIND_KV)
		word[0] = KV_OCCUPIED | (uint64_t)op->depth << 32 | op->move;
	else
		word[0] = tt_pack(op->move, op->depth, TT_EXACT, op->value);
	for (unsigned i = 1; i < entry_words(kind); i++)
		word[i] = word[0] + i;
}

/* What a store writes: that, or the words of a caller that brings its own, of which the first
 * gets the mark of an entry. */
static __always_inline void entry_words_of(enum kind kind, const struct trace_op *op,
					   const uint64_t *own, uint64_t *word)
{
	uint64_t mark = kind == KIND_KV ? KV_OCCUPIED : (uint64_t)TT_EXACT << TT_FLAGS_SHIFT;

	if (!own) {
		entry_from_op(kind, op, word);
		return;
	}
	word[0] = (own[0] & ~table_bits(kind)) | mark;
	for (unsigned i = 1; i < entry_words(kind); i++)
		word[i] = own[i];
}

/* Recorded bound to the policy's. Bounds of none were settled when streams were dealt. */
static __always_inline unsigned bound_from_op(const struct trace_op *op)
{
	return 8u >> trace_op_bound(op) & TT_BOUND;
}

/* The ply is known where the trace has it and the table is to go by it. */
static __always_inline uint8_t ply_from_op(const struct table *t, const struct trace_op *op)
{
	return t->mate_ply ? op->ply : TT_PLY_UNKNOWN;
}
_Static_assert(TT_PLY_UNKNOWN == TRACE_PLY_UNKNOWN,
	       "a ply passes from trace to policy as it is");

/* What a search asks, from a recorded probe. */
static __always_inline struct tt_query query_from_op(const struct table *t,
						     const struct trace_op *op)
{
	return (struct tt_query){ .alpha = op->value,
				  .beta = op->beta,
				  .mate = t->mate,
				  .depth = op->depth,
				  .next_depth = op->next_depth,
				  .ply = ply_from_op(t, op) };
}

static __always_inline struct tt_store store_from_op(const struct table *t,
						     const struct trace_op *op)
{
	return (struct tt_store){ .move = op->move,
				  .value = op->value,
				  .depth = op->depth,
				  .bound = (uint8_t)bound_from_op(op),
				  .ply = ply_from_op(t, op),
				  .threat = op->flags & TRACE_THREAT };
}

/* How each store of tt begins. False: it is dropped. */
static __always_inline bool tt_store_begin(const struct table *t, const struct trace_op *op,
					   struct counts *n, struct tt_store *in)
{
	*in = store_from_op(t, op);
	n->stored[in->bound]++;
	if (!tt_drops(in, t->mate))
		return true;
	n->drops++;
	return false;
}

/* What the loops make of an answer, so that nothing of it is left out. */
static __always_inline uint64_t tt_answer_sum(const struct tt_answer *a)
{
	return a->move + (uint64_t)(unsigned)a->value + a->bound + a->threat + a->avoid_null;
}

/* And what a caller gets who wants it all. */
static __always_inline void tt_answer_give(const struct tt_answer *a, struct table_answer *out)
{
	out->threat = a->threat;
	out->avoid_null = a->avoid_null;
	out->bound = (uint8_t)a->bound;
	out->depth = (uint8_t)a->depth;
	out->value = (int16_t)a->value;
	out->move = a->move;
}

/* The functions of a layout have the same parameters in all. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Slots of a signature and nr data words, one behind the other. */
#define SLOT(line, s, nr) ((line) + (s) * (1 + (nr)))

/*
 * The plain layout: slot[0] is the signature, the data words follow. Nothing here keeps a
 * reader from the key of one entry and the data of another; what encloses the calls must.
 * relaxed: each word is whole, the pair is the scheme's business.
 */
static __always_inline bool plain_load(const atomic_word *line, unsigned s, uint64_t sig,
				       unsigned nr, uint64_t *word)
{
	const atomic_word *slot = SLOT(line, s, nr);
	bool match = READ_ONCE64(&slot[0]) == sig;

	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return match;
}

static __always_inline void plain_put(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
				      const uint64_t *word)
{
	atomic_word *slot = SLOT(line, s, nr);

	WRITE_ONCE64(&slot[0], sig);
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&slot[1 + i], word[i]);
}

static __always_inline uint64_t plain_sig(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return sig;
}

/* Refresh a tt entry only over what was read. The key word needs no care: it is equal. */
static __always_inline bool plain_replace(atomic_word *line, unsigned s, uint64_t sig,
					  uint64_t old, uint64_t new)
{
	return cmpxchg64_relaxed(SLOT(line, s, 1) + 1, old, new);
}

#pragma GCC diagnostic pop

/*
 * Allocate the lines for a size, of the shape of t->loops: rounded down, to a power of two
 * of lines unless index=mulhi, at least one. 0 or -1.
 */
int line_create(struct table *t, const struct table_params *p, struct err *e);
/* Allocate zeroed memory beside the lines and count it in t->bytes. 0 or -1. */
int line_create_side(struct table *t, const struct table_params *p, uint64_t bytes,
		     struct err *e);
void line_clear(struct table *t, unsigned part, unsigned parts);
void line_clear_ops(struct table *t, const struct trace_op *op, size_t nr);

void line_walk(struct table *t, table_walk_fn *fn, void *arg);

#define LINE_KINDS (1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV)
/* The fields of a class that all line tables share: the usual ones, or others. */
#define LINE_CLASS_AS(kinds_, bits, memory_)                                   \
	.kinds = kinds_, .lines = true, .sig_bits = bits, .clear = line_clear, \
	.clear_ops = line_clear_ops, .memory = memory_
#define LINE_CLASS LINE_CLASS_AS(LINE_KINDS, 64, "16 bytes, pawn 64")
#define REFRESH_OPTION                                                            \
	{                                                                         \
		"refresh", REFRESH_CHOICES, "always",                             \
			"tt: rewrite a matched entry with the current generation" \
	}
#define SIG_OPTION                                                                         \
	{                                                                                  \
		"sig", "16|24|32|48|64", "64", "bits of the key that an entry is known by" \
	}
#define INDEX_OPTION                                                                          \
	{                                                                                     \
		"index", "mask|mulhi", "mask",                                                \
			"a key's line: its top bits, or as a fraction of any number of lines" \
	}
#define MATE_OPTION                                                                        \
	{                                                                                  \
		"mate", "clamp|ply", "clamp",                                              \
			"tt: mate scores become bounds, or are kept as seen from the node" \
	}
/* What every line table has for options; its own come before them. */
#define LINE_OPTIONS REFRESH_OPTION, SIG_OPTION, INDEX_OPTION, MATE_OPTION

#endif
