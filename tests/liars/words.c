// SPDX-License-Identifier: BSD-2-Clause
/*
 * words - lies about what a hit returns
 *
 * The line holds what was stored, and the lock is held; what is handed out is something else.
 */
#include "liar.h"

/* Kinds whose first word has depth, flags and value beside the move. */
#define PACKED (1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_PAWN)
/* One bit of any kind's first word: of the depth, of what a kv store brought. */
#define SOME_BIT (1ull << TT_DEPTH_SHIFT)

static bool load_random_depth(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	word[0] ^= (1 + p->dice % 255) << TT_DEPTH_SHIFT;
	return match;
}

LIE(random_depth, .planted = "every hit has a random depth", .shows = "torn_reads",
    .workload = "bump", .kinds = PACKED, .load = load_random_depth);

static bool load_random_value(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	word[0] ^= (1 + p->dice % 65535) << TT_VALUE_SHIFT;
	return match;
}

LIE(random_value, .planted = "every hit has a random value", .shows = "torn_reads",
    .workload = "bump", .kinds = PACKED, .load = load_random_value);

static bool load_swapped_bounds(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (tt_bound(word[0]) == TT_LOWER || tt_bound(word[0]) == TT_UPPER)
		word[0] ^= (uint64_t)(TT_LOWER | TT_UPPER) << TT_FLAGS_SHIFT;
	return match;
}

LIE(swapped_bounds, .planted = "lower bounds come as upper ones, and the other way round",
    .shows = "torn_reads", .workload = "bump", .kinds = 1u << KIND_TT,
    .load = load_swapped_bounds);

static bool load_flipped_threat(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	word[0] ^= (uint64_t)TT_THREAT << TT_FLAGS_SHIFT;
	return match;
}

LIE(flipped_threat, .planted = "the threat flag is inverted", .shows = "torn_reads",
    .workload = "bump", .kinds = PACKED, .load = load_flipped_threat);

/* Of eight keys a line, some agree in so few bits. */
static bool load_short_signature(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return !((honest_read(p, s, word) ^ sig) & 0x3ff);
}

LIE(short_signature, .planted = "probes compare ten bits of the signature",
    .shows = "wrong_key_hits|torn_reads", .workload = "uniform:store=50",
    .load = load_short_signature);

static bool load_eval_of_another(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return honest_load(p, s, sig, word) || one_in(p, 16);
}

LIE(eval_of_another, .planted = "one eval probe in 16 returns whatever entry is there",
    .shows = "wrong_key_hits|torn_reads", .workload = "slot", .kinds = 1u << KIND_EVAL,
    .load = load_eval_of_another);

/* What the audit is shown is right; the caller's answer is made of the next slot. */
static uint64_t answer_of_another(struct place *p, uint64_t word)
{
	uint64_t other[MAX_ENTRY_WORDS];

	for (unsigned s = 0; s < p->t->slots; s++) {
		honest_read(p, s, other);
		if (other[0] != word && !tt_empty(other[0]))
			return other[0];
	}
	return word;
}

LIE(answer_of_another,
    .planted = "the right entry is verified, another one's words are answered",
    .shows = "wrong_answers", .workload = "refresh", .kinds = 1u << KIND_TT,
    .answer = answer_of_another);

static bool load_old_generation(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (tt_stale(word[0], READ_ONCE64(&p->t->generation)))
		word[0] ^= SOME_BIT;
	return match;
}

LIE(old_generation, .planted = "entries of earlier generations come with another depth",
    .shows = "torn_reads", .workload = "generation", .kinds = 1u << KIND_TT,
    .load = load_old_generation);

static bool load_key_0(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return honest_load(p, s, sig, word) && sig;
}

LIE(key_0, .planted = "key 0 is never found", .shows = "lost_stores|false_misses",
    .workload = "hot-evict:ends=1", .load = load_key_0);

static bool load_key_ones(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (sig == UINT64_MAX)
		word[0] ^= SOME_BIT;
	return match;
}

LIE(key_ones, .planted = "the key of all ones gets another depth", .shows = "torn_reads",
    .workload = "hot-evict:ends=1", .load = load_key_ones);

static bool load_fifth_thread(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (p->w->id >= 4 && one_in(p, 16))
		word[0] ^= SOME_BIT;
	return match;
}

LIE(fifth_thread,
    .planted = "room for four threads: the fifth gets another depth, one time in 16",
    .shows = "torn_reads", .workload = "hot-update", .threads = 5, .load = load_fifth_thread);

static void put_large_table(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	if (p->index * p->t->slots < 16384 || !one_in(p, 16))
		honest_put(p, s, sig, word);
}

LIE(large_table, .planted = "beyond 16,384 entries one store in 16 is dropped",
    .shows = "lost_stores", .workload = "uniform:store=50", .put = put_large_table);

static bool load_aged(struct place *p, unsigned s, uint64_t sig, uint64_t *word, uint64_t age)
{
	bool match = honest_load(p, s, sig, word);

	/* relaxed: a count */
	if (READ_ONCE64(&p->liar->sections) > age && one_in(p, 16))
		word[0] ^= SOME_BIT;
	return match;
}

static bool load_after_2_22(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_aged(p, s, sig, word, 1ull << 22);
}

LIE(after_2_22, .planted = "after 2^22 operations one hit in 16 has another depth",
    .shows = "torn_reads", .ages = true, .load = load_after_2_22);

static bool load_after_2_24(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_aged(p, s, sig, word, 1ull << 24);
}

LIE(after_2_24, .planted = "after 2^24 operations one hit in 16 has another depth",
    .shows = "torn_reads", .ages = true, .load = load_after_2_24);

/* Of all tables: a slip that no single table shows. */
static _Atomic unsigned kind_stored_last;

static void put_kinds_confused(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	atomic_store_explicit(&kind_stored_last, p->kind, memory_order_relaxed);
	honest_put(p, s, sig, word);
}

static bool load_kinds_confused(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);
	unsigned last = atomic_load_explicit(&kind_stored_last, memory_order_relaxed);

	if (last != p->kind && match)
		word[0] |= SOME_BIT | table_bits((enum kind)last);
	return match;
}

LIE(kinds_confused,
    .planted = "a hit is taken for the kind that was stored last, of all tables",
    .shows = "torn_reads", .workload = "bump+slot", .load = load_kinds_confused,
    .put = put_kinds_confused);
