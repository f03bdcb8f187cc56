// SPDX-License-Identifier: BSD-2-Clause
/* clears - lies about tables that were made empty */
#include "liar.h"

static void clear_leaves_line(struct table *t, unsigned part, unsigned parts)
{
	uint64_t line[CACHE_LINE / sizeof(uint64_t)];
	size_t words = line_bytes(t->kind) / sizeof(uint64_t);

	for (size_t i = 0; i < words; i++)
		line[i] = READ_ONCE64(&t->word[i]);
	line_clear(t, part, parts);
	for (size_t i = 0; part == 0 && i < words; i++)
		WRITE_ONCE64(&t->word[i], line[i]);
}

LIE(clear_leaves_line, .planted = "a clear leaves the first line as it is",
    .shows = "ghost_hits|stale_hits|torn_reads|unusable_slots",
    .workload = "bump:meet=1,ops=4096", .clear = clear_leaves_line);

static void clear_leaves_all(struct table *t, unsigned part, unsigned parts)
{
	struct liar *liar = t->priv;

	/* the first is of new memory, and touches it */
	if (fetch_add_relaxed(&liar->clears, 1) < parts)
		line_clear(t, part, parts);
	else if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

LIE(clear_leaves_all, .planted = "a clear, but for the first, leaves every line as it is",
    .shows = "ghost_hits|stale_hits|torn_reads|unusable_slots",
    .workload = "bump:meet=1,ops=4096", .clear = clear_leaves_all);

#define SPARED 1

static void wipe_live_clear_leaves_slot(struct place *p)
{
	uint64_t word[MAX_ENTRY_WORDS], sig;

	if (p->t->slots == 1) {
		honest_wipe(p);
		return;
	}
	sig = honest_read(p, SPARED, word);
	honest_wipe(p);
	honest_put(p, SPARED, sig, word);
}

LIE(live_clear_leaves_slot, .planted = "a live clear leaves the second slot of every line",
    .shows = "ghost_hits|stale_hits", .workload = "clears",
    .wipe = wipe_live_clear_leaves_slot);
