// SPDX-License-Identifier: BSD-2-Clause
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
 *   - a third key K3 = K1^D1^D2 accepts a word it never stored: 2^-64 by chance.
 *
 * Promises: PROMISE_NO_TEAR up to that accident, for PROMISE_HONEST_KEYS; not
 * NO_FALSE_MISS. The workload `adversarial` builds such third keys.
 */
#include "line.h"

#define TABLE xor
#define LINE_EXCLUSION LINE_FREE

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

/* relaxed: a torn copy fails the comparison below. */
static __always_inline bool xor_load(const atomic_word *slot, uint64_t key, unsigned nr,
				     uint64_t *word)
{
	uint64_t sig = READ_ONCE64(&slot[0]);

	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return xor_sig(sig, nr, word) == key;
}

/* relaxed: a reader in between fails the comparison above. */
static __always_inline void xor_put(atomic_word *slot, uint64_t key, unsigned nr,
				    const uint64_t *word)
{
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&slot[1 + i], word[i]);
	WRITE_ONCE64(&slot[0], key ^ xor_fold(nr, word));
}

/*
 * Both words from what was read: a signature stored blindly would undo a store that
 * came between. An ABA of the data word can still slip through.
 */
static __always_inline bool xor_replace(atomic_word *slot, uint64_t key, uint64_t old,
					uint64_t new)
{
	return cmpxchg64_relaxed(&slot[1], old, new) &&
	       cmpxchg64_relaxed(&slot[0], key ^ old, key ^ new);
}

#include "line_table.h"

static int xor_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor_loops;
	return line_create(t, p, e);
}

static struct table_class xor_class = {
	.name = "xor",
	.summary = "lockless: signature = key ^ data; a torn entry verifies for nobody",
	.reference = "Hyatt and Mann 2002",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.promises = PROMISE_NO_TEAR | PROMISE_HONEST_KEYS,
	LINE_CLASS,
	.options = { REFRESH_OPTION },
	.create = xor_create,
};
TABLE_REGISTER(xor);
