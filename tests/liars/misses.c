// SPDX-License-Identifier: BSD-2-Clause
/* misses - lies about what is not there; and what a table tells whoever looks twice */
#include "liar.h"

static bool load_unless(struct place *p, bool miss, unsigned s, uint64_t sig, uint64_t *word)
{
	return honest_load(p, s, sig, word) && !miss;
}

static bool load_probe_misses(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_unless(p, !p->looking && one_in(p, 64), s, sig, word);
}

LIE(probe_misses, .planted = "one probe in 64 finds nothing; who looks again is told the truth",
    .shows = "false_misses", .workload = "hot-update", .load = load_probe_misses);

static bool load_quiet_miss(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_unless(p, p->guard->alone >= 8 && one_in(p, 64), s, sig, word);
}

LIE(quiet_miss, .planted = "one probe in 64 of a line that nobody else is at finds nothing",
    .shows = "false_misses|lost_stores", .workload = "uniform:store=20",
    .load = load_quiet_miss);

static bool load_look_misses(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_unless(p, p->looking && one_in(p, 2), s, sig, word);
}

LIE(look_misses, .planted = "probes are honest, but every other second look finds nothing",
    .shows = "lost_stores", .workload = "hot-evict", .load = load_look_misses);

/* The last entry that each slot lost is found by whoever looks again. */
static void put_look_finds(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	struct liar_past *past = past_of(p, s);

	past->sig = honest_read(p, s, past->word);
	past->there = past->sig != sig && !entry_empty(p->kind, past->word[0]);
	honest_put(p, s, sig, word);
}

static bool load_look_finds(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	const struct liar_past *past = past_of(p, s);

	if (!p->looking || !past->there || past->sig != sig)
		return honest_load(p, s, sig, word);
	memcpy(word, past->word, p->words * sizeof(*word));
	return true;
}

LIE(look_finds,
    .planted = "probes are honest, but a second look finds what has been overwritten",
    .shows = "contradictions", .workload = "hot-evict", .past = true, .load = load_look_finds,
    .put = put_look_finds);

/* Give up where somebody is writing. */
static bool before_busy_miss(struct place *p)
{
	p->misses = !p->writing && READ_ONCE64(&p->guard->lock) == 2;
	return p->misses;
}

static bool load_busy_miss(struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return load_unless(p, p->misses, s, sig, word);
}

static void put_busy_miss(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	window(p);
	honest_put(p, s, sig, word);
}

LIE(busy_miss, .planted = "a probe that meets a writer does not wait for it, but finds nothing",
    .shows = "false_misses", .workload = "same-key", .threads = 2, .race = true,
    .before = before_busy_miss, .load = load_busy_miss, .put = put_busy_miss);
