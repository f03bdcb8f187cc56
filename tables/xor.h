/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xor - lockless hashing: the signature word is the key folded with the data
 *
 * A store writes the data words, then sig = key ^ data, as independent relaxed words; a
 * probe copies both and believes them only if sig ^ data is its key. No lock, no fence:
 * on x86-64 plain moves. After Hyatt and Mann, "A lock-less transposition-table
 * implementation for parallel search", ICGA Journal 25(1), 2002.
 *
 * An entry of n words has sig = key ^ rot(w1, 0) ^ rot(w2, 1) ^ ... ^ rot(wn, n - 1):
 * every word is folded in, since a check over part of an entry protects only that part,
 * and rotated by its number, so that equal changes in two words do not cancel. Numbers
 * begin at 0, which makes the one-word entry the plain scheme and no special case.
 *
 * When two stores (K1,D1), (K2,D2) race, a slot or a reader may end up with D1 and
 * K2^D2, which decodes to the key K2^D2^D1:
 *   - a probe of K2 accepts only if D1 == D2: the data is right;
 *   - a probe of K1 accepts only if both signatures are the same word: D1 is K1's data;
 *   - the same key rewritten (K1 == K2, D1 != D2): rejected, a false miss. This is what
 *     the scheme costs in practice, and worse follows from it: another thread that
 *     stores the key meanwhile takes it for absent and uses a second slot;
 *   - a third key K3 = K1^D1^D2 accepts a word it never stored: 2^-64 by chance, at will
 *     if the keys are built for it.
 */
#ifndef TEARLINE_XOR_H
#define TEARLINE_XOR_H

#include "line.h"

static __always_inline uint64_t xor_fold(unsigned nr, const uint64_t *word)
{
	uint64_t fold = word[0];

	for (unsigned i = 1; i < nr; i++)
		fold ^= word[i] << i | word[i] >> (64 - i);
	return fold;
}

static __always_inline uint64_t xor_sig(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return sig ^ xor_fold(nr, word);
}

/* Copy the data words; returns the signature. relaxed: a torn copy decodes to no key. */
static __always_inline uint64_t xor_read(const atomic_word *line, unsigned s, unsigned nr,
					 uint64_t *word)
{
	const atomic_word *slot = SLOT(line, s, nr);
	uint64_t sig = READ_ONCE64(&slot[0]);

	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return sig;
}

static __always_inline bool xor_load(const atomic_word *line, unsigned s, uint64_t sig,
				     unsigned nr, uint64_t *word)
{
	return xor_sig(xor_read(line, s, nr, word), nr, word) == sig;
}

/* relaxed: a reader in between has a torn copy. */
static __always_inline void xor_put(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
				    const uint64_t *word)
{
	atomic_word *slot = SLOT(line, s, nr);

	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&slot[1 + i], word[i]);
	WRITE_ONCE64(&slot[0], sig ^ xor_fold(nr, word));
}

/*
 * Both words from what was read: a signature stored blindly would undo a store that
 * came between. An ABA of the data word can still slip through.
 */
static __always_inline bool xor_replace(atomic_word *line, unsigned s, uint64_t sig,
					uint64_t old, uint64_t new)
{
	atomic_word *slot = SLOT(line, s, 1);

	return cmpxchg64_relaxed(&slot[1], old, new) &&
	       cmpxchg64_relaxed(&slot[0], sig ^ old, sig ^ new);
}

#endif
