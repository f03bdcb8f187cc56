// SPDX-License-Identifier: BSD-2-Clause
/*
 * urcu-line - a line is a pointer to its slots, which never change and are exchanged whole
 *
 * A store copies the line it found into one that nobody knows yet, entry, bump and all, and
 * puts it in the place of the one it copied, by a compare-and-swap; so does a refresh. Lines
 * that were replaced are used again after a grace period of liburcu (rcu.h). A probe reads
 * one pointer and finds a whole line behind it, as it was at one moment: what urcu, with a
 * pointer a slot, cannot give. It is also less memory, and fewer cache misses than where
 * every slot's key is behind a pointer of its own; a store writes a cache line more.
 *
 * flavor=  which liburcu, as urcu has it
 *
 * On x86-64 a probe is one load of the pointer, which it keeps in a word of its thread, and a
 * compare for each slot behind it until one matches; and what urcu has around that.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS: every operation is one load or one
 * exchange of the line's pointer.
 *
 * Ordering: [line.R] a line is written, release -> [line.A] its pointer is read, acquire.
 */
#include "urcu.h"

#define LINE_EXCLUSION LINE_SWAP
#define LINE_SECTIONS
#define LINE_LAYOUT
#define LINE_LOOK
#define REPLAY_SECTIONS
#define URCU urcu_line
#define urcu_line_sig plain_sig
#define URCU_BYTES(kind) ((unsigned)sizeof(atomic_word))

/* The line as it was when slot 0 was last looked at: whoever wants several begins there. */
static __thread struct {
	const atomic_word *words;
	unsigned nr;
	int from, to; /* a slot to be copied when it is exchanged, or -1 */
} snapshot;

static __always_inline const atomic_word *words_of(const atomic_word *line)
{
	/* [line.A] pairs with [line.R] */
	return (const atomic_word *)smp_load_acquire(line);
}

static __always_inline bool urcu_line_load(const atomic_word *line, unsigned s, uint64_t sig,
					   unsigned nr, uint64_t *word)
{
	if (s == 0)
		snapshot.words = words_of(line);
	return plain_load(snapshot.words, s, sig, nr, word);
}

static __always_inline struct tt_slot
urcu_line_look(const enum kind kind, const atomic_word *line, unsigned s, uint64_t sig)
{
	struct tt_slot slot = { 0 };
	bool match = urcu_line_load(line, s, sig, 1, &slot.word);

	if (s == 0) {
		snapshot.nr = line_bytes(kind) / sizeof(*line);
		snapshot.to = -1;
	}
	slot.holds = match && !entry_empty(kind, slot.word);
	return slot;
}

/* relaxed: the one doesn't change, and nobody has the other. */
static __always_inline void copy_words(atomic_word *to, const atomic_word *from, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&to[i], READ_ONCE64(&from[i]));
}

static __always_inline bool urcu_line_swap(atomic_word *line, unsigned s,
					   const struct tt_slot *slot, uint64_t sig,
					   unsigned nr, const uint64_t *word)
{
	const atomic_word *old = snapshot.words;
	atomic_word *new = rcu_spare(urcu_pool);

	copy_words(new, old, snapshot.nr);
	if (snapshot.to >= 0)
		copy_words(new + 2 * snapshot.to, old + 2 * snapshot.from, 2);
	plain_put(new, s, sig, nr, word);
	/* [line.R] pairs with [line.A] */
	if (!cmpxchg64_release(line, (uintptr_t)old, (uintptr_t) new))
		return false;
	rcu_retire(urcu_pool, (void *)old);
	return true;
}

static __always_inline bool urcu_line_replace(atomic_word *line, unsigned s, uint64_t sig,
					      uint64_t old, uint64_t new)
{
	struct tt_slot slot;

	urcu_line_look(KIND_TT, line, 0, sig);
	slot = urcu_line_look(KIND_TT, line, s, sig);
	return slot.holds && slot.word == old && urcu_line_swap(line, s, &slot, sig, 1, &new);
}

/* Together with the swap that follows. */
static __always_inline void urcu_line_bump(atomic_word *line, unsigned from, unsigned to)
{
	snapshot.from = (int)from;
	snapshot.to = (int)to;
}

static __always_inline void urcu_line_wipe(enum kind kind, atomic_word *line)
{
	atomic_word *words = rcu_spare(urcu_pool);

	for (unsigned i = 0; i < line_bytes(kind) / sizeof(*line); i++)
		WRITE_ONCE64(&words[i], 0);
	/* [line.R] pairs with [line.A] */
	rcu_retire(urcu_pool, (void *)xchg_release(line, (uintptr_t)words));
}

static __always_inline uint64_t urcu_line_at_rest(enum kind kind, const atomic_word *line,
						  unsigned s, uint64_t *word)
{
	const atomic_word *slot = SLOT(words_of(line), s, entry_words(kind));

	for (unsigned i = 0; i < entry_words(kind); i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return READ_ONCE64(&slot[0]);
}

#define FLAVOR memb
#include "urcu_variant.h"

#define FLAVOR mb
#include "urcu_variant.h"

#define FLAVOR qsbr
#include "urcu_variant.h"

static const struct table_loops *const urcu_line_loops[] = { RCU_LOOPS(urcu_line) };

static int urcu_line_create(struct table *t, const struct table_params *p, struct err *e)
{
	enum rcu_flavor flavor = rcu_flavor_of(p->option[0]);

	return urcu_create_as(t, p, flavor, urcu_line_loops[flavor], e);
}

static struct table_class urcu_line_class = {
	.name = "urcu-line",
	.summary = "lines are copied, changed and exchanged whole, and used again after a "
		   "grace period",
	.reference = "liburcu; McKenney and Slingwine 1998",
	.memory = "18 bytes, eval 24, pawn 72; and spare lines for each thread",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.create = urcu_line_create,
	URCU_CLASS,
};
TABLE_REGISTER(urcu_line);
