// SPDX-License-Identifier: BSD-2-Clause
/* stores - lies about what a store writes, and where */
#include "liar.h"

#define HALF 0xffffffffull
#define ONE_WORD (1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_KV)

static uint64_t old_word(const struct place *p, unsigned s)
{
	uint64_t word[MAX_ENTRY_WORDS];

	honest_read(p, s, word);
	return word[0];
}

static void put_mixed_halves(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	uint64_t old[MAX_ENTRY_WORDS], mixed = word[0];

	if (honest_load(p, s, sig, old) && !entry_empty(p->kind, old[0]) && one_in(p, 4))
		mixed = (old[0] & ~HALF) | (word[0] & HALF);
	honest_put(p, s, sig, &mixed);
}

LIE(mixed_halves, .planted = "an update keeps the upper half of the word that was there",
    .shows = "torn_reads", .workload = "bump", .kinds = 1u << KIND_TT | 1u << KIND_EVAL,
    .put = put_mixed_halves);

/* What the lock was let go before. */
static void put_off(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	p->late.there = true;
	p->late.slot = s;
	p->late.sig = sig;
	memcpy(p->late.word, word, p->words * sizeof(*word));
}

static void put_split_word(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	uint64_t half = (old_word(p, s) & ~HALF) | (word[0] & HALF);

	honest_put(p, s, sig, &half);
	put_off(p, s, sig, word);
}

static void after_split_word(struct place *p)
{
	atomic_word *at = slot_of(p, p->late.slot) + 1;

	if (!p->late.there)
		return;
	window(p);
	WRITE_ONCE64(at, (READ_ONCE64(at) & HALF) | (p->late.word[0] & ~HALF));
}

LIE(split_word, .planted = "a word is written in two halves, the upper one without the lock",
    .shows = "torn_reads", .workload = "bump", .kinds = 1u << KIND_TT | 1u << KIND_EVAL,
    .threads = 2, .race = true, .put = put_split_word, .after = after_split_word);

#define LAST (MAX_ENTRY_WORDS - 1)

static void put_last_word(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	atomic_word *at = slot_of(p, s);

	WRITE_ONCE64(at, sig);
	for (unsigned i = 0; i < LAST; i++)
		WRITE_ONCE64(&at[1 + i], word[i]);
	put_off(p, s, sig, word);
}

static void after_last_word(struct place *p)
{
	if (!p->late.there)
		return;
	window(p);
	WRITE_ONCE64(slot_of(p, p->late.slot) + 1 + LAST, p->late.word[LAST]);
}

LIE(last_word, .planted = "the last word of a pawn entry is written without the lock",
    .shows = "torn_reads", .workload = "wide", .kinds = 1u << KIND_PAWN, .threads = 2,
    .race = true, .put = put_last_word, .after = after_last_word);

/* Two of one key leave the word of one and the signature of the other: a pair that is dead. */
static void put_dead_pair(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	uint64_t old[MAX_ENTRY_WORDS];

	if (honest_load(p, s, sig, old) && !entry_empty(p->kind, old[0]))
		put_off(p, s, sig, word);
	else
		honest_put(p, s, sig, word);
}

static void after_dead_pair(struct place *p)
{
	atomic_word *at = slot_of(p, p->late.slot);

	if (!p->late.there)
		return;
	WRITE_ONCE64(&at[1], p->late.word[0]);
	window(p);
	WRITE_ONCE64(&at[0], p->late.sig ^ p->late.word[0]);
}

LIE(dead_pair, .planted = "xor words; updates of a key write both without the lock",
    .shows = "dead_pair_misses|false_misses|lost_stores|unusable_slots", .workload = "same-key",
    .kinds = ONE_WORD, .threads = 2, .race = true, .xor = true, .put = put_dead_pair,
    .after = after_dead_pair);

static void bump_keeps_depth(struct place *p, unsigned from, unsigned to)
{
	const uint64_t depth = 0xffull << TT_DEPTH_SHIFT;
	uint64_t word, sig = honest_read(p, from, &word);

	word = (word & ~depth) | (old_word(p, to) & depth);
	honest_put(p, to, sig, &word);
}

LIE(bump_keeps_depth, .planted = "a bump leaves the depth of what it overwrites",
    .shows = "torn_reads", .workload = "bump", .kinds = 1u << KIND_TT,
    .bump = bump_keeps_depth);

static void bump_astray(struct place *p, unsigned from, unsigned to)
{
	honest_bump(p, from, to == 2 ? 1 : 2);
}

LIE(bump_astray, .planted = "a bump goes to the wrong slot",
    .shows = "lost_stores|false_misses|stale_hits", .workload = "bump", .kinds = 1u << KIND_TT,
    .bump = bump_astray);

static void put_lost_store(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	if (!one_in(p, 64))
		honest_put(p, s, sig, word);
}

LIE(lost_store, .planted = "one store in 64 is dropped", .shows = "lost_stores",
    .workload = "refresh", .put = put_lost_store);

static void put_lost_alone(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	if (p->guard->alone < 8 || !one_in(p, 64))
		honest_put(p, s, sig, word);
}

LIE(lost_alone, .planted = "one store in 64 to a line that nobody else is at is dropped",
    .shows = "lost_stores", .workload = "uniform:store=50", .put = put_lost_alone);

/* With the neighbour's lock, or at home. */
static void put_neighbour_line(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	struct place next = *p;

	next.index ^= 1;
	if (next.index < p->t->lines && one_in(p, 1024)) {
		next.guard = line_guard(p->t, next.index);
		next.line = p->t->word + next.index * (line_bytes(p->kind) / sizeof(uint64_t));
		/* [liar.A] pairs with [liar.R] */
		if (cmpxchg64_acquire(&next.guard->lock, 0, 2)) {
			honest_put(&next, s, sig, word);
			smp_store_release(&next.guard->lock, 0); /* [liar.R] */
			return;
		}
	}
	honest_put(p, s, sig, word);
}

LIE(neighbour_line, .planted = "one store in 1,024 goes to the next line",
    .shows = "lost_stores|unusable_slots", .workload = "hot-evict", .put = put_neighbour_line);

static bool holds_second_copy(struct place *p, bool holds)
{
	return holds && !one_in(p, 16);
}

LIE(second_copy, .planted = "one update in 16 does not see that the key is there",
    .shows = "duplicate_keys", .workload = "hot-update", .kinds = 1u << KIND_KV,
    .holds = holds_second_copy);
