/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole - the plain layout, but an entry of two words is moved as one
 *
 * By load16 and store16 (wide.h) where others move two words: every copy of an entry, a bump
 * and a wipe too, is of one entry, so that a key never meets another's data. Entries of more
 * words cannot be had: there are loops for them like for any kind, but no table.
 */
#ifndef TEARLINE_WHOLE_H
#define TEARLINE_WHOLE_H

#include "line.h"

#define WHOLE_KINDS (1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_KV)

_Static_assert(line_bytes(KIND_TT) % sizeof(struct word16) == 0 &&
		       line_bytes(KIND_EVAL) % sizeof(struct word16) == 0 &&
		       line_bytes(KIND_KV) % sizeof(struct word16) == 0,
	       "lines begin on a page, so entries are aligned");

/*
 * A first look at the signature alone spares most slots the longer way from a vector register.
 * relaxed: the pair is one, and is what counts.
 */
static __always_inline bool whole_load(const atomic_word *line, unsigned s, uint64_t sig,
				       unsigned nr, uint64_t *word)
{
	const atomic_word *slot = SLOT(line, s, 1);
	struct word16 entry;

	if (READ_ONCE64(slot) != sig)
		return false;
	entry = load16(slot);
	word[0] = entry.w[1];
	for (unsigned i = 1; i < nr; i++)
		word[i] = 0;
	return entry.w[0] == sig;
}

static __always_inline struct tt_slot whole_look(const enum kind kind, const atomic_word *line,
						 unsigned s, uint64_t sig)
{
	struct word16 entry = load16(SLOT(line, s, 1));

	return (struct tt_slot){ .word = entry.w[1],
				 .raw = entry.w[0],
				 .holds = entry.w[0] == sig &&
					  !entry_empty(kind, entry.w[1]) };
}

static __always_inline void whole_put(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
				      const uint64_t *word)
{
	store16(SLOT(line, s, 1), (struct word16){ { sig, word[0] } });
}

static __always_inline bool whole_replace(atomic_word *line, unsigned s, uint64_t sig,
					  uint64_t old, uint64_t new)
{
	return cmpxchg16_relaxed(SLOT(line, s, 1), (struct word16){ { sig, old } },
				 (struct word16){ { sig, new } });
}

static __always_inline uint64_t whole_sig(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return sig;
}

static __always_inline void whole_bump(atomic_word *line, unsigned from, unsigned to)
{
	store16(SLOT(line, to, 1), load16(SLOT(line, from, 1)));
}

static inline void whole_wipe(enum kind kind, atomic_word *line)
{
	for (unsigned i = 0; i < line_bytes(kind) / sizeof(struct word16); i++)
		store16(SLOT(line, i, 1), (struct word16){ { 0, 0 } });
}

static inline uint64_t whole_at_rest(enum kind kind, const atomic_word *line, unsigned s,
				     uint64_t *word)
{
	struct word16 entry = load16(SLOT(line, s, 1));

	word[0] = entry.w[1];
	return entry.w[0];
}

#endif
