// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor-half - broken on purpose: xor, but the signature does not cover the move
 *
 * A check word over part of an entry protects only that part. What is left out are the
 * low 32 bits of the first data word, in tt the move half; depth, flags and value are
 * folded in. Two entries that agree in those can exchange their moves unseen, and so
 * can the first words of two pawn entries.
 *
 * kv shows none of it: the half that is folded in holds the key's authenticator.
 */
#include "xor.h"

#define TABLE xor_half
#define LINE_EXCLUSION LINE_FREE

static __always_inline uint64_t xor_half_sig(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return xor_sig(sig, nr, word) ^ (word[0] & TT_MOVE_BITS);
}

static __always_inline bool xor_half_load(const atomic_word *line, unsigned s, uint64_t sig,
					  unsigned nr, uint64_t *word)
{
	return xor_half_sig(xor_read(line, s, nr, word), nr, word) == sig;
}

static __always_inline void xor_half_put(atomic_word *line, unsigned s, uint64_t sig,
					 unsigned nr, const uint64_t *word)
{
	xor_put(line, s, sig ^ (word[0] & TT_MOVE_BITS), nr, word);
}

static __always_inline bool xor_half_replace(atomic_word *line, unsigned s, uint64_t sig,
					     uint64_t old, uint64_t new)
{
	atomic_word *slot = SLOT(line, s, 1);

	return cmpxchg64_relaxed(&slot[1], old, new) &&
	       cmpxchg64_relaxed(&slot[0], xor_half_sig(sig, 1, &old),
				 xor_half_sig(sig, 1, &new));
}

#include "line_table.h"

static int xor_half_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor_half_loops;
	return line_create(t, p, e);
}

static const struct control xor_half_control = {
	.workload = "wide",
	.threads = 2,
	.shows = 1u << FAULT_TORN,
	.planted = "the signature leaves out the move",
};

static struct table_class xor_half_class = {
	.name = "xor-half",
	.summary = "xor, but the signature covers depth, flags and value and not the move",
	.reference = "-",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS,
	.broken = true,
	.control = &xor_half_control,
	.options = { LINE_OPTIONS },
	.create = xor_half_create,
};
TABLE_REGISTER(xor_half);
