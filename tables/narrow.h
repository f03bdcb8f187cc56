/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * narrow - lines of data words with narrower signatures behind them
 *
 *   data word 0 | ... | data word n-1 | signature 0 | ... | signature n-1
 *
 * An entry is so 10 or 12 bytes and not 16; of kinds tt and kv, whose data are one word.
 * Every signature is an atomic of its own: written as a part of a wider word, it would take
 * what others have just written beside it back.
 *
 * Include it between the definitions of TABLE, LINE_SLOTS, LINE_BYTES, NARROW_BITS (16 or
 * 32) and
 *
 *   uint64_t T(fold)(sig, word)   what is kept of the key bits `sig` beside this data word;
 *                                 of what is kept, the key bits
 *
 * and line_table.h, with LINE_LAYOUT. It makes load to at_rest, but for T(replace).
 */
#include "line.h"
#include "template.h"

#define LINE_LAYOUT

#define NARROW__(name, bits, suffix) name##bits##suffix
#define NARROW_(name, bits, suffix) NARROW__(name, bits, suffix)
#define NARROW_TYPE NARROW_(uint, NARROW_BITS, _t)
#define NARROW_READ NARROW_(READ_ONCE, NARROW_BITS, )
#define NARROW_WRITE NARROW_(WRITE_ONCE, NARROW_BITS, )

struct T(packed) {
	atomic_word data[LINE_SLOTS];
	_Atomic NARROW_TYPE sig[LINE_SLOTS];
};
_Static_assert(sizeof(struct T(packed)) == LINE_BYTES(KIND_TT), "a line is all there is");
_Static_assert(offsetof(struct T(packed), sig) == LINE_SLOTS * sizeof(uint64_t),
	       "signatures stand right behind the data");
_Static_assert(sizeof(_Atomic NARROW_TYPE) * 8 == NARROW_BITS, "no wider than it says");

static __always_inline bool T(load)(const atomic_word *line, unsigned s, uint64_t sig,
				    unsigned nr, uint64_t *word)
{
	const struct T(packed) *l = (const void *)line;
	uint64_t kept = NARROW_READ(&l->sig[s]);

	word[0] = READ_ONCE64(&l->data[s]);
	/* of wider kinds there are loops like of any, but no table */
	for (unsigned i = 1; i < nr; i++)
		word[i] = 0;
	return kept == (NARROW_TYPE)T(fold)(sig, word[0]);
}

/*
 * relaxed: a reader in between has the data of one entry and the signature of another.
 * Signature first, as in the plain layout and in the engine that has these: which makes it
 * the new entry's signature and the old one's data, where threads meet on a key.
 */
static __always_inline void T(put)(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
				   const uint64_t *word)
{
	struct T(packed) *l = (void *)line;

	NARROW_WRITE(&l->sig[s], (NARROW_TYPE)T(fold)(sig, word[0]));
	WRITE_ONCE64(&l->data[s], word[0]);
}

static __always_inline uint64_t T(sig)(uint64_t sig, unsigned nr, const uint64_t *word)
{
	return (NARROW_TYPE)T(fold)(sig, word[0]);
}

/* Copies as they are, in two accesses: of two entries perhaps. */
static __always_inline void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	struct T(packed) *l = (void *)line;
	uint64_t data = READ_ONCE64(&l->data[from]);
	NARROW_TYPE sig = NARROW_READ(&l->sig[from]);

	WRITE_ONCE64(&l->data[to], data);
	NARROW_WRITE(&l->sig[to], sig);
}

/* Data first: a slot is empty once its data word is, whatever the signature says. */
static void T(wipe)(enum kind kind, atomic_word *line)
{
	struct T(packed) *l = (void *)line;

	for (unsigned s = 0; s < LINE_SLOTS; s++) {
		WRITE_ONCE64(&l->data[s], 0);
		NARROW_WRITE(&l->sig[s], 0);
	}
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	const struct T(packed) *l = (const void *)line;

	word[0] = READ_ONCE64(&l->data[s]);
	return T(sig)(NARROW_READ(&l->sig[s]), 1, word);
}
