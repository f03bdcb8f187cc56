// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor32 - xor.h's idea in 12 bytes: 32 bits of the key, XORed with the data folded to 32
 *
 * A line is four data words and four signatures, 48 bytes: a third more entries than with
 * whole words in the same memory (of a size that is three quarters of a power of two, or with
 * index=mulhi). Half of the lines straddle two cache lines; the price is seen where probes
 * miss the cache.
 *
 * The fold must not let changes in the two halves of a word cancel, as their exclusive or
 * would: depth one up and a move's number one up came to nothing. It is the upper half of
 * the word times an odd constant. That sees every change of up to three bits, for certain:
 * their sums, times the constant, stay clear of the few differences (less than 2^32, of
 * either sign) that the upper half can miss. A test tries them all.
 *
 * When two stores (K1,D1), (K2,D2) race, a slot or a reader may end up with D1 and K2^F(D2):
 *   - a probe of K2 accepts if F(D1) == F(D2), with data that nobody stored for it. For
 *     data that differ by more than three bits that is one chance in 2^32;
 *   - a probe of K1 accepts if K1^F(D1) == K2^F(D2), and has K1's own data: harmless;
 *   - a third key of the line accepts with one chance in 2^32, or at will;
 *   - the same key rewritten is rejected: a false miss, as in xor.
 * And an intact entry is another key's with one chance in 2^32, as with any such signature.
 *
 * Promises: PROMISE_NO_TEAR for PROMISE_SHORT_CHECK: one torn entry in four billion of those
 * that are met is believed. Not NO_FALSE_MISS.
 */
#include "line.h"
#include "template.h"

#define TABLE xor32
#define LINE_EXCLUSION LINE_FREE
#define LINE_SLOTS 4
#define LINE_BYTES(kind) 48
#define NARROW_BITS 32

static __always_inline uint64_t T(fold)(uint64_t sig, uint64_t word)
{
	return (uint32_t)sig ^ (word * 0x9e3779b97f4a7c15ull >> 32);
}

#include "narrow.h"

/* Both from what was read, as in xor: a signature stored blindly would undo a store that
 * came between. */
static __always_inline bool T(replace)(atomic_word *line, unsigned s, uint64_t sig,
				       uint64_t old, uint64_t new)
{
	struct T(packed) *l = (void *)line;

	return cmpxchg64_relaxed(&l->data[s], old, new) &&
	       cmpxchg32_relaxed(&l->sig[s], (uint32_t)T(fold)(sig, old),
				 (uint32_t)T(fold)(sig, new));
}

#include "line_table.h"

static int xor32_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor32_loops;
	return line_create(t, p, e);
}

static struct table_class xor32_class = {
	.name = "xor32",
	.summary = "lockless in 12 bytes: 32 bits of the key ^ the data folded to 32",
	.reference = "Hyatt and Mann 2002, narrowed",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NO_TEAR | PROMISE_SHORT_CHECK,
	LINE_CLASS_AS(1u << KIND_TT | 1u << KIND_KV, NARROW_BITS, "12 bytes"),
	.options = { REFRESH_OPTION, INDEX_OPTION, MATE_OPTION },
	.create = xor32_create,
};
TABLE_REGISTER(xor32);
