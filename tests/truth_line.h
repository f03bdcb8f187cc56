/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * truth_line - what really was in a line, and when
 *
 * Every access of a word of the line goes through here, one at a time: so their order is
 * known, while all that may go wrong between two of them still does. Beside each word stands
 * the key it was written for, and from that follows, after every write, which keys are
 * resident: the truth that the judge's verdicts are held against.
 *
 * A key is resident while some slot verifies for it, or is made of nothing but its words; or
 * while a store of it, which had found it, is between its first write and its last.
 *
 * Time is the number of writes so far. What is true after one is true until the next.
 */
#ifndef TEARLINE_TESTS_TRUTH_LINE_H
#define TEARLINE_TESTS_TRUTH_LINE_H

#include <assert.h>
#include <sched.h>

#include "line.h"
#include "xor.h"

#define TRUTH_KEYS 16 /* of a line */
#define TRUTH_WORDS (1 + MAX_ENTRY_WORDS)

struct truth_key {
	uint64_t key;
	bool resident;
	uint64_t since; /* then: since when */
	unsigned updates; /* between their first and their last write */
};

struct truth_line {
	atomic_word busy;
	uint64_t time;
	atomic_word *word;
	enum kind kind;
	struct truth_key key[TRUTH_KEYS];
	unsigned nr_keys;
	/* by slot and word: written for this key; none: the word is of no entry */
	struct {
		bool any;
		uint64_t key;
	} owner[MAX_SLOTS][TRUTH_WORDS];
} __attribute__((aligned(128)));

static inline void truth_enter(struct truth_line *l)
{
	/* [truth.A] acquire, pairs with [truth.R] of the one before */
	for (unsigned i = 1; !cmpxchg64_acquire(&l->busy, 0, 1); i++)
		if (i % 64)
			cpu_relax();
		else
			sched_yield();
}

static inline void truth_leave(struct truth_line *l)
{
	smp_store_release(&l->busy, 0); /* [truth.R] pairs with [truth.A] */
}

static inline struct truth_key *truth_key(struct truth_line *l, uint64_t key)
{
	for (unsigned i = 0; i < l->nr_keys; i++)
		if (l->key[i].key == key)
			return &l->key[i];
	assert(l->nr_keys < TRUTH_KEYS);
	l->key[l->nr_keys] = (struct truth_key){ .key = key };
	return &l->key[l->nr_keys++];
}

/* Is the slot the key's? */
static inline bool truth_slot_holds(const struct truth_line *l, unsigned s, uint64_t key)
{
	unsigned nr = entry_words(l->kind);
	uint64_t word[MAX_ENTRY_WORDS], sig = xor_read(l->word, s, nr, word);
	bool own = true;

	if (!entry_empty(l->kind, word[0]) && xor_sig(sig, nr, word) == key)
		return true;
	for (unsigned i = 0; i < 1 + nr; i++)
		own &= l->owner[s][i].any && l->owner[s][i].key == key;
	return own;
}

/* Something was written: who is resident now? */
static inline void truth_step(struct truth_line *l)
{
	unsigned slots = kind_has_slots(l->kind) ? MAX_SLOTS : 1;

	l->time++;
	for (struct truth_key *k = l->key; k < l->key + l->nr_keys; k++) {
		bool resident = k->updates;

		for (unsigned s = 0; s < slots && !resident; s++)
			resident = truth_slot_holds(l, s, k->key);
		if (resident && !k->resident)
			k->since = l->time;
		k->resident = resident;
	}
}

/* Was the key resident from that time until now? */
static inline bool truth_resident(struct truth_line *l, uint64_t key, uint64_t from)
{
	const struct truth_key *k = truth_key(l, key);

	return k->resident && k->since <= from;
}

#endif
