// SPDX-License-Identifier: BSD-2-Clause
/*
 * lockbit - a line carries its own lock, in a bit that its first entry can spare
 *
 * The flags of an entry name one bound of three with a bit for each. Slot 0 writes the same
 * in two bits (exact 1, lower 2, upper 3), and the third is the lock of the line: nothing is
 * lost, no signature is narrower, and there is no memory beside the lines. Probes and
 * stores hold it; who finds it held waits without writing until it is not.
 *
 * A store to slot 0 keeps the bit while it holds it, and the others who try write nothing
 * but that very bit, so that the word is the holder's to write.
 *
 * A probe compiles to a lock bts, unsync's with a shift, an add and some masks for slot 0,
 * and a load, and, store that clear the bit: on x86-64 no other fence.
 *
 * Not for kv: its word is a value of 63 bits and the mark that it is taken.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS. Blocking: a preempted holder stops all
 * who want the line. Probes write the line, so that readers of one line are in each other's
 * way as much as writers are.
 *
 * Ordering: [bit.A] acquire where the bit is set -> [bit.R] release where the holder before
 * cleared it.
 */
#include "line.h"
#include "template.h"

#define TABLE lockbit
#define LINE_EXCLUSION LINE_LOCKED
#define LINE_LAYOUT

#define BOUND_SHIFT TT_FLAGS_SHIFT
#define LOCK_BIT ((uint64_t)TT_UPPER << BOUND_SHIFT)
#define LOW_BIT ((uint64_t)TT_EXACT << BOUND_SHIFT)

/* Upper, 4, becomes 3. The first entry's first data word only. */
static __always_inline uint64_t bound_packed(uint64_t word)
{
	return word - (word >> 2 & LOW_BIT);
}

static __always_inline uint64_t bound_unpacked(uint64_t word)
{
	word &= ~LOCK_BIT;
	return word + (word & word >> 1 & LOW_BIT);
}

/* The word that holds the lock, in a line of any kind. */
static __always_inline atomic_word *lock_word(atomic_word *line)
{
	return &line[1];
}

static __always_inline void lockbit_begin_write(const enum kind kind, struct table *t,
						struct worker *w, atomic_word *line,
						uint64_t index)
{
	atomic_word *lock = lock_word(line);

	/* [bit.A] acquire, pairs with [bit.R] */
	while (fetch_or_acquire(lock, LOCK_BIT) & LOCK_BIT)
		while (READ_ONCE64(lock) & LOCK_BIT)
			cpu_relax();
}

static __always_inline void lockbit_end_write(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	atomic_word *lock = lock_word(line);

	/* [bit.R] release, pairs with [bit.A] */
	smp_store_release(lock, READ_ONCE64(lock) & ~LOCK_BIT);
}

static __always_inline bool lockbit_load(const atomic_word *line, unsigned s, uint64_t sig,
					 unsigned nr, uint64_t *word)
{
	bool match = plain_load(line, s, sig, nr, word);

	if (s == 0)
		word[0] = bound_unpacked(word[0]);
	return match;
}

/* The lock is held, by us. */
static __always_inline void lockbit_put(atomic_word *line, unsigned s, uint64_t sig,
					unsigned nr, const uint64_t *word)
{
	atomic_word *slot = SLOT(line, s, nr);

	WRITE_ONCE64(&slot[0], sig);
	WRITE_ONCE64(&slot[1], s == 0 ? bound_packed(word[0]) | LOCK_BIT : word[0]);
	for (unsigned i = 1; i < nr; i++)
		WRITE_ONCE64(&slot[1 + i], word[i]);
}

#define lockbit_replace plain_replace
#define lockbit_sig plain_sig

/* Under the lock; never to slot 0. */
static __always_inline void lockbit_bump(atomic_word *line, unsigned from, unsigned to)
{
	uint64_t sig = READ_ONCE64(SLOT(line, from, 1));
	uint64_t word;

	lockbit_load(line, from, sig, 1, &word);
	lockbit_put(line, to, sig, 1, &word);
}

/* With the lock held, or at rest: it stays as it is. */
static void lockbit_wipe(enum kind kind, atomic_word *line)
{
	atomic_word *lock = lock_word(line);

	for (unsigned i = 0; i < line_bytes(kind) / sizeof(*line); i++)
		if (&line[i] != lock)
			WRITE_ONCE64(&line[i], 0);
	WRITE_ONCE64(lock, READ_ONCE64(lock) & LOCK_BIT);
}

static uint64_t lockbit_at_rest(enum kind kind, const atomic_word *line, unsigned s,
				uint64_t *word)
{
	uint64_t sig = READ_ONCE64(SLOT(line, s, entry_words(kind)));

	lockbit_load(line, s, sig, entry_words(kind), word);
	return sig;
}

#include "line_table.h"

static int lockbit_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &lockbit_loops;
	return line_create(t, p, e);
}

static struct table_class lockbit_class = {
	.name = "lockbit",
	.summary = "a lock in a spare bit of the line itself, held by probes and stores",
	.reference = "tagged-word locks; the bound in two bits is our own",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.probe_writes = "a bit of the line, set and cleared",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	LINE_CLASS_AS(1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_EVAL, 64,
		      "16 bytes, pawn 64"),
	.options = { LINE_OPTIONS },
	.create = lockbit_create,
};
TABLE_REGISTER(lockbit);
