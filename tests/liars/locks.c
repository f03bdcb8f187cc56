// SPDX-License-Identifier: BSD-2-Clause
/* locks - faults of what should keep threads apart */
#include "liar.h"

/*
 * Readers take no lock: they look whether the count of writers has changed meanwhile, at too
 * few bits of it. Each write counts two.
 */
static bool load_counted(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	const atomic_word *slot = slot_of(p, s);
	bool match = READ_ONCE64(&slot[0]) == sig;

	if (in_window)
		window(p);
	for (unsigned i = 0; i < p->words; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return match;
}

LIE(count_4_bits, .planted = "readers go by a count of writes of 4 bits, which wraps",
    .shows = "torn_reads", .threads = 2, .race = true, .rare = true, .count_mask = 0xf,
    .load = load_counted);

LIE(count_8_bits, .planted = "readers go by a count of writes of 8 bits, which wraps",
    .shows = "torn_reads", .threads = 2, .race = true, .rare = true, .count_mask = 0xff,
    .load = load_counted);

LIE(count_16_bits, .planted = "readers go by a count of writes of 16 bits, which wraps",
    .shows = "torn_reads", .threads = 2, .race = true, .rare = true, .count_mask = 0xffff,
    .load = load_counted);

LIE(honest_count, .planted = "nothing: readers go by a count of writes, of 32 bits",
    .count_mask = UINT32_MAX, .load = load_counted);

#define UNLOCKED 1

static bool before_slot_unlocked(struct place *p)
{
	if (p->writing || p->t->slots == 1)
		return false;
	for (unsigned i = 0; i < p->words; i++)
		p->early[i] = READ_ONCE64(&slot_of(p, UNLOCKED)[1 + i]);
	window(p);
	return false;
}

static bool load_slot_unlocked(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (s == UNLOCKED)
		memcpy(word, p->early, p->words * sizeof(*word));
	return match;
}

LIE(slot_unlocked, .planted = "one slot of four is read before the lock is held",
    .shows = "torn_reads|stale_hits", .workload = "hot-evict",
    .kinds = 1u << KIND_TT | 1u << KIND_KV, .threads = 2, .race = true,
    .before = before_slot_unlocked, .load = load_slot_unlocked);

static bool before_lock_skipped(struct place *p)
{
	return p->writing && one_in(p, 32);
}

static void put_lock_skipped(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	atomic_word *at = slot_of(p, s);

	WRITE_ONCE64(&at[0], sig);
	if (p->unlocked)
		window(p);
	for (unsigned i = 0; i < p->words; i++)
		WRITE_ONCE64(&at[1 + i], word[i]);
}

LIE(lock_skipped, .planted = "one store in 32 takes no lock", .shows = "torn_reads",
    .workload = "wide", .threads = 2, .race = true, .before = before_lock_skipped,
    .put = put_lock_skipped);
