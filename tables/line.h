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
 * A line is found by the key's top bits, signatures keep the low ones, so the two are
 * disjoint as long as they fit.
 */
#ifndef TEARLINE_LINE_H
#define TEARLINE_LINE_H

#include <string.h>

#include "policy.h"
#include "stamp.h"
#include "table.h"

static __always_inline unsigned line_slots(enum kind kind)
{
	return kind == KIND_TT || kind == KIND_KV ? 4 : 1;
}

/* Data words of an entry. */
static __always_inline unsigned entry_words(enum kind kind)
{
	return kind == KIND_PAWN ? 7 : 1;
}

static __always_inline unsigned slot_words(enum kind kind)
{
	return 1 + entry_words(kind);
}

static __always_inline unsigned line_words(enum kind kind)
{
	return line_slots(kind) * slot_words(kind);
}

/* log2 of a line's bytes. */
static __always_inline unsigned line_shift(enum kind kind)
{
	return kind == KIND_EVAL ? 4 : 6;
}

/*
 * Where a key's line begins, in bytes: its top bits, shifted down so far that they stand
 * above the bits within a line, and those cut off. Fine for a single line too, and nothing
 * to load but the shift: with the table in cache, loads in flight are the limit.
 */
static __always_inline uint64_t line_offset(const struct table *t, enum kind kind, uint64_t key)
{
	return key >> t->shift & -(1ull << line_shift(kind));
}

static __always_inline uint64_t line_index(const struct table *t, enum kind kind, uint64_t key)
{
	return line_offset(t, kind, key) >> line_shift(kind);
}

static __always_inline atomic_word *line_of(const struct table *t, enum kind kind, uint64_t key)
{
	return (atomic_word *)((char *)t->word + line_offset(t, kind, key));
}

/* The lock or counter of a line, where the scheme has such. */
static __always_inline void *line_guard(const struct table *t, uint64_t index)
{
	return t->guard + ((index & t->guard_mask) << t->guard_shift);
}

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

/* Recorded bound to the policy's. Bounds of none were settled when streams were dealt. */
static __always_inline unsigned bound_from_op(const struct trace_op *op)
{
	return 8u >> trace_op_bound(op) & TT_BOUND;
}

/* What a search asks, from a recorded probe. */
static __always_inline struct tt_query query_from_op(const struct trace_op *op)
{
	return (struct tt_query){ .alpha = op->value,
				  .beta = op->beta,
				  .depth = op->depth,
				  .next_depth = op->next_depth };
}

static __always_inline struct tt_store store_from_op(const struct trace_op *op)
{
	return (struct tt_store){ .move = op->move,
				  .value = op->value,
				  .depth = op->depth,
				  .bound = (uint8_t)bound_from_op(op),
				  .threat = op->flags & TRACE_THREAT };
}

/*
 * The plain layout: slot[0] is the key, the data words follow. Nothing here keeps a
 * reader from the key of one entry and the data of another; what encloses the calls must.
 * relaxed: each word is whole, the pair is the scheme's business.
 */
static __always_inline bool plain_load(const atomic_word *slot, uint64_t key, unsigned nr,
				       uint64_t *word)
{
	bool match = READ_ONCE64(&slot[0]) == key;

	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return match;
}

static __always_inline void plain_store(atomic_word *slot, uint64_t key, unsigned nr,
					const uint64_t *word)
{
	WRITE_ONCE64(&slot[0], key);
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&slot[1 + i], word[i]);
}

static __always_inline uint64_t plain_sig(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return sig;
}

/* Refresh a tt entry only over what was read. The key word needs no care: it is equal. */
static __always_inline bool plain_replace(atomic_word *slot, uint64_t key, uint64_t old,
					  uint64_t new)
{
	return cmpxchg64_relaxed(&slot[1], old, new);
}

/*
 * Allocate the lines for a size, rounded down to a power of two of lines, at least one.
 * 0 or -1.
 */
int line_create(struct table *t, const struct table_params *p, struct err *e);
/* Allocate zeroed memory beside the lines and count it in t->bytes. 0 or -1. */
int line_create_side(struct table *t, const struct table_params *p, uint64_t bytes,
		     struct err *e);
void line_clear(struct table *t, unsigned part, unsigned parts);
void line_clear_ops(struct table *t, const struct trace_op *op, size_t nr);

/* What a scheme's signature decodes to at rest. */
typedef uint64_t line_sig_fn(uint64_t sig, unsigned nr, const uint64_t *word);
void line_walk(struct table *t, line_sig_fn *sig, table_walk_fn *fn, void *arg);

#define LINE_KINDS (1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL | 1u << KIND_KV)
/* The fields of a class that all line tables share; signatures of so many bits, or whole. */
#define LINE_CLASS_SIG(bits)                                                       \
	.kinds = LINE_KINDS, .lines = true, .sig_bits = bits, .clear = line_clear, \
	.clear_ops = line_clear_ops
#define LINE_CLASS LINE_CLASS_SIG(64)
#define REFRESH_OPTION                                                            \
	{                                                                         \
		"refresh", REFRESH_CHOICES, "always",                             \
			"tt: rewrite a matched entry with the current generation" \
	}

#endif
