// SPDX-License-Identifier: BSD-2-Clause
/* past - lies that bring back what was there once */
#include "liar.h"

static void put_away(struct place *p, unsigned s)
{
	struct liar_past *past = past_of(p, s);

	past->sig = honest_read(p, s, past->word);
	past->there = !entry_empty(p->kind, past->word[0]);
	past->section = p->guard->sections;
}

/* Stored anew: what was put away of it is no ghost but old. */
static void forget(struct place *p, uint64_t sig)
{
	for (unsigned s = 0; s < p->t->slots; s++)
		if (past_of(p, s)->sig == sig)
			past_of(p, s)->there = false;
}

static bool remember(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	const struct liar_past *past = past_of(p, s);

	if (!past->there || past->sig != sig)
		return false;
	memcpy(word, past->word, p->words * sizeof(*word));
	return true;
}

static void put_previous_store(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	put_away(p, s);
	honest_put(p, s, sig, word);
}

static bool load_previous_store(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (match && one_in(p, 8))
		remember(p, s, sig, word);
	return match;
}

LIE(previous_store, .planted = "one hit in 8 returns the store before the last",
    .shows = "stale_hits", .workload = "hot-update", .past = true, .load = load_previous_store,
    .put = put_previous_store);

#define LONG_AGO 600 /* operations on the line */

static void put_very_old(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	struct liar_past *past = past_of(p, s);

	if (!past->there || past->sig != sig ||
	    p->guard->sections - past->section > 4 * LONG_AGO)
		put_away(p, s);
	honest_put(p, s, sig, word);
}

static bool load_very_old(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	bool match = honest_load(p, s, sig, word);

	if (match && p->guard->sections - past_of(p, s)->section > LONG_AGO)
		remember(p, s, sig, word);
	return match;
}

LIE(very_old, .planted = "a store that was replaced 600 operations ago is returned",
    .shows = "stale_hits", .workload = "same-key", .past = true, .load = load_very_old,
    .put = put_very_old);

static void put_ghost(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	put_away(p, s);
	forget(p, sig);
	honest_put(p, s, sig, word);
}

static bool held_anywhere(struct place *p, uint64_t sig)
{
	uint64_t word[MAX_ENTRY_WORDS];

	for (unsigned s = 0; s < p->t->slots; s++)
		if (honest_load(p, s, sig, word) && !entry_empty(p->kind, word[0]))
			return true;
	return false;
}

static bool load_ghost(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	if (one_in(p, 8) && !held_anywhere(p, sig) && remember(p, s, sig, word))
		return true;
	return honest_load(p, s, sig, word);
}

LIE(ghost, .planted = "an entry that another key's store has overwritten comes back",
    .shows = "ghost_hits|stale_hits", .workload = "hot-evict", .past = true, .load = load_ghost,
    .put = put_ghost);

static void wipe_ghost_of_clear(struct place *p)
{
	for (unsigned s = 0; s < p->t->slots; s++)
		put_away(p, s);
	honest_wipe(p);
}

static void put_ghost_of_clear(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	forget(p, sig);
	past_of(p, s)->there = false;
	honest_put(p, s, sig, word);
}

static bool load_ghost_of_clear(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return (!held_anywhere(p, sig) && remember(p, s, sig, word)) ||
	       honest_load(p, s, sig, word);
}

LIE(ghost_of_clear, .planted = "an entry that a live clear has removed comes back",
    .shows = "ghost_hits|stale_hits", .workload = "clears", .past = true,
    .load = load_ghost_of_clear, .put = put_ghost_of_clear, .wipe = wipe_ghost_of_clear);

static bool load_clear_under_way(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	/* relaxed: a little early or late */
	if (atomic_load_explicit(&p->liar->clearing, memory_order_relaxed) &&
	    !held_anywhere(p, sig) && remember(p, s, sig, word))
		return true;
	return honest_load(p, s, sig, word);
}

LIE(clear_under_way,
    .planted = "while a live clear is under way, lines it is done with answer as before",
    .shows = "ghost_hits|stale_hits", .workload = "clears", .threads = 2, .race = true,
    .past = true, .load = load_clear_under_way, .put = put_ghost_of_clear,
    .wipe = wipe_ghost_of_clear);

static void rewrite_refresh_revives(struct place *p, unsigned s, uint64_t sig, uint64_t old,
				    uint64_t new)
{
	honest_put(p, s, sig, &new);
}

LIE(refresh_revives,
    .planted = "a refresh writes without looking whether the entry is still there",
    .shows = "lost_stores|stale_hits|ghost_hits|false_misses", .workload = "refresh",
    .kinds = 1u << KIND_TT, .threads = 2, .race = true, .rewrite = rewrite_refresh_revives);

static void rewrite_refresh_over_newer(struct place *p, unsigned s, uint64_t sig, uint64_t old,
				       uint64_t new)
{
	uint64_t now;

	if (honest_load(p, s, sig, &now) && !tt_empty(now))
		honest_put(p, s, sig, &new);
}

LIE(refresh_over_newer,
    .planted = "a refresh looks at the key alone, and overwrites a newer store of it",
    .shows = "lost_stores|stale_hits", .workload = "refresh", .kinds = 1u << KIND_TT,
    .threads = 2, .race = true, .rewrite = rewrite_refresh_over_newer);
