// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the judge says of histories written by hand: every rule, and both sides of every
 * boundary. That the rules are sound is for test_judge_brute.c to attack.
 *
 * In every case the probe of K runs from 20 to 30, the re-probe from 40 to 50.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "judge.h"
#include "util.h"

#define OPEN STAMP_OPEN

enum { J = 1, K, L };

/* A store that found its key in these slots, wrote `to`, having copied `to` to `copy`. */
#define STORE(KEY, START, END, HELD, TO, COPY)                                               \
	{                                                                                    \
		.type = WITNESS_STORE, .key = KEY, .start = START, .end = END, .held = HELD, \
		.victim = TO, .bump_to = COPY                                                \
	}
#define INSERT(KEY, START, END, TO) STORE(KEY, START, END, 0, TO, -1)
#define UPDATE(START, END, SLOT) STORE(K, START, END, 1 << (SLOT), SLOT, -1)
#define KEEP(KEY, START, END, HELD) STORE(KEY, START, END, HELD, -1, -1)
#define REFRESH(KEY, START, END, SLOT)                                         \
	{                                                                      \
		.type = WITNESS_PROBE, .key = KEY, .start = START, .end = END, \
		.refreshed = 1 << (SLOT), .held = 1 << (SLOT)                  \
	}
/* Of an entry that passes for the key's. */
#define REFRESH_ALIAS(KEY, START, END, SLOTS, HELD)                            \
	{                                                                      \
		.type = WITNESS_PROBE, .key = KEY, .start = START, .end = END, \
		.refreshed = SLOTS, .held = HELD                               \
	}
#define PROBE(KEY, START, END)                                                \
	{                                                                     \
		.type = WITNESS_PROBE, .key = KEY, .start = START, .end = END \
	}
#define CLEAR(START, END)                                         \
	{                                                         \
		.type = WITNESS_CLEAR, .start = START, .end = END \
	}

#define MAX_OPS 4
#define NOTHING   \
	{         \
		0 \
	}

static struct history history_of(const struct witness_op *op, uint64_t from)
{
	struct history h = { .op = op, .from = from };

	while (h.nr < MAX_OPS && op[h.nr].end)
		h.nr++;
	return h;
}

struct miss_case {
	const char *shows;
	enum verdict verdict;
	int again; /* the slot where the re-probe found K, -1: missed too */
	uint64_t from;
	struct witness_op op[MAX_OPS];
};

#define MISS(shows, verdict, again, from, ...) \
	{                                      \
		shows, verdict, again, from,   \
		{                              \
			__VA_ARGS__            \
		}                              \
	}

static const struct miss_case misses[] = {
	/* Nothing happened. */
	MISS("no history, missed again", MISS_HONEST, -1, 0, NOTHING),
	MISS("found where nobody wrote", MISS_FALSE, 1, 0, NOTHING),
	MISS("... nor is known to have written", MISS_POSSIBLE, 1, 21, NOTHING),
	MISS("probes that wrote nothing", MISS_FALSE, 1, 0, PROBE(K, 22, 28)),
	MISS("a store that kept what was there wrote nothing", MISS_FALSE, 1, 0,
	     KEEP(K, 22, 28, 1 << 1)),
	MISS("... missed again", MISS_HONEST, -1, 0, KEEP(K, 22, 28, 1 << 1)),
	MISS("what ended before the probe is not of Q", MISS_HONEST, -1, 0, UPDATE(10, 19, 1)),
	MISS("what began after the re-probe is not of Q", MISS_HONEST, -1, 0, UPDATE(51, 55, 1)),
	MISS("back to back before Q: stored, evicted, nothing in Q", MISS_HONEST, -1, 0,
	     INSERT(K, 5, 10, 1), INSERT(J, 11, 19, 1)),

	/* Serial. */
	MISS("updated in place, found again", MISS_FALSE, 1, 0, UPDATE(22, 28, 1)),
	MISS("an update that ends after the probe began is of Q", MISS_FALSE, 1, 0,
	     UPDATE(10, 21, 1)),
	MISS("an update that began before the re-probe ended is of Q", MISS_FALSE, 1, 0,
	     UPDATE(49, 55, 1)),
	MISS("updated, missed again: nothing of Q can have removed it", MISS_FALSE, -1, 0,
	     UPDATE(22, 28, 1)),
	MISS("refreshed, missed again", MISS_FALSE, -1, 0, REFRESH(K, 22, 28, 1)),
	MISS("what was refreshed only passed for K", MISS_HONEST, -1, 0,
	     REFRESH_ALIAS(K, 22, 28, 1 << 1, 0)),
	MISS("one slot was K's, another passed for it", MISS_FALSE, -1, 0,
	     REFRESH_ALIAS(K, 22, 28, 1 << 1 | 1 << 2, 1 << 2)),
	MISS("moved by its own store, found again", MISS_FALSE, 0, 0,
	     STORE(K, 22, 28, 1 << 2, 0, 2)),
	MISS("... missed again", MISS_FALSE, -1, 0, STORE(K, 22, 28, 1 << 2, 0, 2)),
	MISS("copied by another key's store, found again", MISS_FALSE, 2, 0,
	     STORE(J, 22, 28, 0, 0, 2)),
	MISS("moved, and adjacent is not overlapping", MISS_FALSE, 0, 0,
	     STORE(K, 22, 25, 1 << 2, 0, 2), INSERT(J, 26, 29, 1)),
	MISS("moved under another store: not serial", MISS_POSSIBLE, 0, 0,
	     STORE(K, 22, 27, 1 << 2, 0, 2), INSERT(J, 26, 29, 1)),
	MISS("moved under a refresh of another key", MISS_POSSIBLE, 0, 0,
	     STORE(K, 22, 27, 1 << 2, 0, 2), REFRESH(J, 26, 29, 1)),
	MISS("moved under a probe that wrote nothing", MISS_FALSE, 0, 0,
	     STORE(K, 22, 27, 1 << 2, 0, 2), PROBE(J, 26, 29)),
	MISS("a store that found K nowhere may have brought it", MISS_POSSIBLE, 1, 0,
	     INSERT(K, 22, 28, 1)),
	MISS("evicted, then stored again", MISS_POSSIBLE, 1, 0, INSERT(J, 22, 24, 1),
	     INSERT(K, 26, 28, 1)),
	MISS("kept by a store that did not find it", MISS_POSSIBLE, 2, 0, KEEP(K, 22, 24, 0),
	     STORE(J, 26, 28, 0, 0, 2)),
	MISS("a store that kept what it found is no event", MISS_HONEST, -1, 0,
	     KEEP(K, 22, 28, 1 << 1), UPDATE(35, 51, 1)),
	MISS("moved, missed again, and another store may have removed it", MISS_HONEST, -1, 0,
	     STORE(K, 22, 24, 1 << 2, 0, 2), INSERT(J, 26, 28, 1)),
	MISS("updated, then evicted", MISS_HONEST, -1, 0, UPDATE(22, 24, 1),
	     INSERT(J, 26, 28, 1)),
	MISS("updated, then cleared", MISS_HONEST, -1, 0, UPDATE(22, 24, 1), CLEAR(26, 28)),
	MISS("cleared, then stored", MISS_POSSIBLE, 1, 0, CLEAR(22, 24), INSERT(K, 26, 28, 1)),

	/* By slot. */
	MISS("two updates of one slot at a time", MISS_FALSE, 1, 0, UPDATE(22, 28, 1),
	     UPDATE(24, 35, 1)),
	MISS("... missed again", MISS_FALSE, -1, 0, UPDATE(22, 28, 1), UPDATE(24, 35, 1)),
	MISS("an update and a refresh of one slot at a time", MISS_FALSE, 1, 0,
	     UPDATE(22, 28, 1), REFRESH(K, 24, 35, 1)),
	MISS("other keys' stores pass by in other slots", MISS_FALSE, 1, 0, UPDATE(22, 28, 1),
	     INSERT(J, 24, 35, 0)),
	MISS("... missed again", MISS_FALSE, -1, 0, UPDATE(22, 28, 1), INSERT(J, 24, 35, 0)),
	MISS("nobody writes the slot, others write beside it", MISS_FALSE, 1, 0,
	     INSERT(J, 22, 28, 0), INSERT(L, 24, 35, 0)),
	MISS("... missed again: nobody saw it", MISS_HONEST, -1, 0, INSERT(J, 22, 28, 0),
	     INSERT(L, 24, 35, 0)),
	MISS("found in another slot than the one written", MISS_POSSIBLE, 1, 0,
	     STORE(K, 22, 28, 1 << 2, 1, -1), INSERT(J, 24, 35, 0)),
	MISS("another key writes the slot", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     INSERT(J, 24, 35, 1)),
	MISS("another key is copied into the slot", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     STORE(J, 24, 35, 0, 0, 1)),
	MISS("another key is refreshed in the slot", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     REFRESH(J, 24, 35, 1)),
	MISS("... by a probe for which it passes for K's", MISS_POSSIBLE, 1, 0,
	     UPDATE(22, 28, 1), REFRESH_ALIAS(K, 24, 35, 1 << 1, 0)),
	MISS("cleared meanwhile", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1), CLEAR(24, 35)),
	MISS("copied onto by a store that had found K there", MISS_POSSIBLE, 3, 0,
	     UPDATE(15, 38, 3), STORE(K, 22, 24, 1 << 3, 1, 3), INSERT(J, 26, 28, 1)),

	/* Back from the dead. */
	MISS("a copy by another key's store brings an evicted K back", MISS_POSSIBLE, 2, 0,
	     STORE(J, 5, 35, 0, 0, 2), INSERT(L, 10, 15, 0)),
	MISS("... but not if nothing evicted it", MISS_FALSE, 2, 0, STORE(J, 5, 35, 0, 0, 2)),
	MISS("a refresh brings an evicted K back", MISS_POSSIBLE, 1, 0, REFRESH(K, 5, 35, 1),
	     INSERT(J, 10, 15, 1)),
	MISS("... but not if nothing evicted it", MISS_FALSE, 1, 0, REFRESH(K, 5, 35, 1)),
	MISS("a store that had looked K up rewrites it", MISS_POSSIBLE, 1, 0, UPDATE(5, 35, 1),
	     INSERT(J, 10, 15, 1)),
	MISS("... missed again", MISS_HONEST, -1, 0, UPDATE(5, 35, 1), INSERT(J, 10, 15, 1)),

	/* Q reaches back. */
	MISS("no store straddles: what brought K was before Q", MISS_FALSE, 1, 0,
	     INSERT(K, 5, 9, 1), INSERT(J, 10, 22, 0)),
	MISS("a store straddles the start of a store that straddles the probe's", MISS_POSSIBLE,
	     1, 0, INSERT(K, 5, 12, 1), INSERT(J, 10, 22, 0)),
	MISS("as far as it takes: what evicted K before a refresh in vain", MISS_HONEST, -1, 0,
	     REFRESH(K, 5, 12, 1), INSERT(J, 3, 7, 1), INSERT(J, 10, 22, 0)),
	MISS("... but not if that was before the refresh began", MISS_FALSE, -1, 0,
	     REFRESH(K, 8, 12, 1), INSERT(J, 3, 7, 1), INSERT(J, 10, 22, 0)),
	MISS("a probe that straddles takes Q nowhere", MISS_FALSE, 1, 0, INSERT(K, 5, 12, 1),
	     PROBE(J, 10, 22), UPDATE(25, 28, 1)),

	/* Seen too late, or through a foreign write. */
	MISS("an update that ends after the re-probe may have looked after it", MISS_HONEST, -1,
	     0, UPDATE(35, 51, 1)),
	MISS("one that ends before it does", MISS_FALSE, -1, 0, UPDATE(35, 49, 1)),
	MISS("one dead pair copied onto another under the re-probe", MISS_POSSIBLE, 2, 0,
	     STORE(J, 35, 45, 0, 0, 2)),
	MISS("copied onto another slot than the one found", MISS_FALSE, 1, 0,
	     STORE(J, 35, 45, 0, 0, 2)),
	MISS("copied, and done before the re-probe", MISS_FALSE, 2, 0,
	     STORE(J, 35, 39, 0, 0, 2)),
	MISS("copied, and begun after the re-probe", MISS_FALSE, 2, 0,
	     STORE(J, 51, 55, 0, 0, 2)),
	MISS("even K's own copy under the re-probe", MISS_POSSIBLE, 2, 0,
	     STORE(K, 35, 51, 1 << 1, 0, 2)),
	MISS("another key's store under the re-probe", MISS_POSSIBLE, 1, 0,
	     INSERT(J, 41, 49, 1)),
	MISS("K's own update under the re-probe", MISS_FALSE, 1, 0, UPDATE(41, 55, 1)),
	MISS("a clear under the re-probe", MISS_POSSIBLE, 1, 0, CLEAR(41, 49)),

	/* Not known. */
	MISS("complete from the probe's start on", MISS_FALSE, 1, 20, UPDATE(22, 28, 1)),
	MISS("complete too late", MISS_POSSIBLE, 1, 21, UPDATE(22, 28, 1)),
	MISS("... missed again", MISS_HONEST, -1, 21, UPDATE(22, 28, 1)),
	MISS("complete from where Q begins", MISS_FALSE, 1, 15, UPDATE(15, 28, 1)),
	MISS("complete from after where Q begins", MISS_POSSIBLE, 1, 16, UPDATE(15, 28, 1)),
	MISS("nothing known", MISS_POSSIBLE, 1, UINT64_MAX, NOTHING),
	MISS("nothing known, missed again", MISS_HONEST, -1, UINT64_MAX, NOTHING),
	MISS("a store under way", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     INSERT(J, 10, OPEN, 0)),
	MISS("a clear under way", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1), CLEAR(49, OPEN)),
	MISS("a probe under way may yet refresh", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     PROBE(J, 22, OPEN)),
	MISS("one under way since after the probe", MISS_POSSIBLE, 1, 0, UPDATE(22, 28, 1),
	     PROBE(J, 35, OPEN)),
	MISS("under way, missed again", MISS_HONEST, -1, 0, UPDATE(22, 28, 1),
	     PROBE(J, 22, OPEN)),
	MISS("under way, but since after the re-probe", MISS_FALSE, 1, 0, UPDATE(22, 28, 1),
	     CLEAR(51, OPEN)),
};

static void says(const char *shows, int got, int want)
{
	if (got != want)
		fail_msg("%s: %d, expected %d", shows, got, want);
}

static void judges_misses(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(misses); i++) {
		const struct miss_case *c = &misses[i];
		struct history h = history_of(c->op, c->from);
		struct missed m = { .key = K,
				    .start = 20,
				    .end = 30,
				    .again_start = 40,
				    .again_end = 50,
				    .again_slot = c->again };

		says(c->shows, judge_miss(&h, &m), c->verdict);
	}
}

/* The order in which a history lists its operations says nothing. */
static void reads_histories_backwards_too(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(misses); i++) {
		const struct miss_case *c = &misses[i];
		struct history h = history_of(c->op, c->from);
		struct witness_op back[MAX_OPS] = { 0 };
		struct missed m = { K, 20, 30, 40, 50, c->again };

		for (unsigned j = 0; j < h.nr; j++)
			back[h.nr - 1 - j] = h.op[j];
		h.op = back;
		says(c->shows, judge_miss(&h, &m), c->verdict);
	}
}

/* A hit of a probe from 40 to 50, on words with serial 0x105 that slot 1 held. */
#define WROTE(KEY, START, END, SLOT, SERIAL)                                                   \
	{                                                                                      \
		.type = WITNESS_STORE, .key = KEY, .start = START, .end = END, .victim = SLOT, \
		.bump_to = -1, .serial = SERIAL                                                \
	}

struct stale_case {
	const char *shows;
	bool stale, stale_slotted;
	uint32_t mask;
	uint64_t from;
	struct witness_op op[MAX_OPS];
};

#define HIT(shows, stale, slotted, mask, from, ...) \
	{                                           \
		shows, stale, slotted, mask, from,  \
		{                                   \
			__VA_ARGS__                 \
		}                                   \
	}

static const struct stale_case stales[] = {
	HIT("nothing known of it", false, false, ~0u, 0, NOTHING),
	HIT("the newest", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105)),
	HIT("a newer one had replaced it", true, true, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106)),
	HIT("the same, told the other way round", true, true, ~0u, 0,
	    WROTE(K, 16, 20, 1, 0x106), WROTE(K, 10, 15, 1, 0x105)),
	HIT("it overlaps the other one: not newer", false, false, ~0u, 0,
	    WROTE(K, 10, 17, 1, 0x105), WROTE(K, 16, 20, 1, 0x106)),
	HIT("the newer one was done just in time", true, true, ~0u, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 39, 1, 0x106)),
	HIT("the newer one was not done when the probe began", false, false, ~0u, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 41, 1, 0x106)),
	HIT("the newer one is under way", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, OPEN, 1, 0x106)),
	HIT("another key's", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(J, 16, 20, 1, 0x106)),
	HIT("the newer one is in another slot", true, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, 0, 0x106)),
	HIT("the newer one wrote nothing", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, -1, 0x106)),
	HIT("the same serial written later", false, false, 0xff, 0, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106), WROTE(K, 21, 25, 1, 0x205)),
	HIT("the same bits of the serial, told apart", true, true, 0xfff, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), WROTE(K, 21, 25, 1, 0x205)),
	HIT("the same serial, but written after the hit", true, true, 0xff, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), WROTE(K, 51, 55, 1, 0x205)),
	HIT("the same serial, but it wrote nothing", true, true, 0xff, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 20, 1, 0x106),
	    WROTE(K, 21, 25, -1, 0x205)),
	HIT("one under way may carry the serial", false, false, 0xff, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), WROTE(K, 21, OPEN, 0, 0)),
	HIT("complete from its start on", true, true, ~0u, 10, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106)),
	HIT("complete from before its end on", true, true, ~0u, 11, WROTE(K, 10, 15, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106)),
	HIT("so old that it is not on record", true, true, ~0u, 16, WROTE(K, 16, 20, 1, 0x106)),
	HIT("not on record, nor all of the newer one", false, false, ~0u, 17,
	    WROTE(K, 16, 20, 1, 0x106)),
	HIT("nothing on record", false, false, ~0u, UINT64_MAX, WROTE(K, 16, 20, 1, 0x106)),
	HIT("copied there before the newer one began", true, true, ~0u, 0,
	    WROTE(K, 6, 9, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), STORE(J, 11, 15, 0, 0, 1)),
	HIT("copied there after the newer one began", true, false, ~0u, 0,
	    WROTE(K, 6, 9, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), STORE(J, 11, 17, 0, 0, 1)),
	HIT("copied elsewhere", true, true, ~0u, 0, WROTE(K, 6, 9, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106), STORE(J, 11, 17, 0, 0, 2)),
	HIT("a store under way may copy it there", true, false, ~0u, 0,
	    WROTE(K, 6, 9, 1, 0x105), WROTE(K, 16, 20, 1, 0x106), INSERT(J, 30, OPEN, 0)),
	HIT("a copy that began after the hit", true, true, ~0u, 0, WROTE(K, 6, 9, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106), STORE(J, 51, 55, 0, 0, 1)),
	HIT("cleared in between, and back", true, true, ~0u, 0, WROTE(K, 6, 9, 1, 0x105),
	    WROTE(K, 16, 20, 1, 0x106), CLEAR(25, 30)),
};

static void judges_stale_hits(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(stales); i++) {
		const struct stale_case *c = &stales[i];
		struct history h = history_of(c->op, c->from);
		struct returned r = { .key = K,
				      .start = 40,
				      .end = 50,
				      .serial = 0x105 & c->mask,
				      .serial_mask = c->mask,
				      .slot = 1 };

		says(c->shows, judge_stale(&h, &r), c->stale);
		r.slotted = true;
		says(c->shows, judge_stale(&h, &r), c->stale_slotted);
	}
}

/* The same hit, of a table whose slots are not places, and of one whose are. */
static const struct stale_case ghosts[] = {
	HIT("nothing known of it", false, false, ~0u, 0, NOTHING),
	HIT("stored, and there", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105)),
	HIT("overwritten", false, true, ~0u, 0, WROTE(K, 10, 15, 1, 0x105), INSERT(J, 16, 20, 1)),
	HIT("... in another slot", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    INSERT(J, 16, 20, 0)),
	HIT("... by a store that kept what was there", false, false, ~0u, 0,
	    WROTE(K, 10, 15, 1, 0x105), KEEP(J, 16, 20, 0)),
	HIT("a newer store of its key is no ghost's business", false, false, ~0u, 0,
	    WROTE(K, 10, 15, 1, 0x105), WROTE(K, 16, 20, 1, 0x106)),
	HIT("cleared", true, true, ~0u, 0, WROTE(K, 10, 15, 1, 0x105), CLEAR(16, 20)),
	HIT("overwritten just in time", false, true, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    INSERT(J, 16, 39, 1)),
	HIT("not done when the probe began", false, false, ~0u, 0, WROTE(K, 10, 15, 1, 0x105),
	    INSERT(J, 16, 41, 1)),
	HIT("overwritten by what began before it ended", false, false, ~0u, 0,
	    WROTE(K, 10, 17, 1, 0x105), INSERT(J, 16, 20, 1)),
	HIT("a clear that began before it ended", false, false, ~0u, 0,
	    WROTE(K, 10, 17, 1, 0x105), CLEAR(16, 20)),
	HIT("overwritten, and stored again", false, false, 0xff, 0, WROTE(K, 10, 15, 1, 0x105),
	    INSERT(J, 16, 20, 1), WROTE(K, 21, 25, 1, 0x205)),
	HIT("overwritten, and brought back by a copy", false, false, ~0u, 0,
	    WROTE(K, 10, 15, 0, 0x105), INSERT(J, 16, 20, 1), STORE(L, 21, 25, 0, 0, 1)),
	HIT("a copy that was done before", false, true, ~0u, 0, WROTE(K, 6, 9, 0, 0x105),
	    STORE(L, 10, 15, 0, 0, 1), INSERT(J, 16, 20, 1)),
	HIT("overwritten, and brought back by a refresh", false, true, ~0u, 0,
	    WROTE(K, 10, 15, 1, 0x105), REFRESH(K, 12, 30, 1), INSERT(J, 16, 20, 1)),
	HIT("so old that it is not on record", false, true, ~0u, 16, INSERT(J, 16, 20, 1)),
	HIT("not on record, nor all of the other store", false, false, ~0u, 17,
	    INSERT(J, 16, 20, 1)),
	HIT("a store of its key under way", false, false, 0xff, 0, WROTE(K, 10, 15, 1, 0x105),
	    INSERT(J, 16, 20, 1), WROTE(K, 30, OPEN, 0, 0)),
	HIT("nothing on record", false, false, ~0u, UINT64_MAX, INSERT(J, 16, 20, 1)),
};

static void judges_ghosts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(ghosts); i++) {
		const struct stale_case *c = &ghosts[i];
		struct history h = history_of(c->op, c->from);
		struct returned r = { .key = K,
				      .start = 40,
				      .end = 50,
				      .serial = 0x105 & c->mask,
				      .serial_mask = c->mask,
				      .slot = 1 };

		says(c->shows, judge_ghost(&h, &r), c->stale);
		r.placed = true;
		says(c->shows, judge_ghost(&h, &r), c->stale_slotted);
	}
}

/* The store of K began at 10; the line is read from 40 to 50. */
struct hold_case {
	const char *shows;
	bool must;
	uint64_t from;
	struct witness_op op[MAX_OPS];
};

#define STORED(shows, must, from, ...) \
	{                              \
		shows, must, from,     \
		{                      \
			__VA_ARGS__    \
		}                      \
	}

static const struct hold_case holds[] = {
	STORED("not on record", false, 0, INSERT(K, 11, 15, 1)),
	STORED("not a store", false, 0, REFRESH(K, 10, 15, 1)),
	STORED("kept what was there", false, 0, KEEP(K, 10, 15, 0)),
	STORED("alone", true, 0, INSERT(K, 10, 15, 1)),
	STORED("done just before the read", true, 0, INSERT(K, 10, 39, 1)),
	STORED("not done when it was read", false, 0, INSERT(K, 10, 41, 1)),
	STORED("under way", false, 0, INSERT(K, 10, OPEN, 1)),
	STORED("complete from its start on", true, 10, INSERT(K, 10, 15, 1)),
	STORED("complete too late", false, 11, INSERT(K, 10, 15, 1)),
	STORED("another store ended before", true, 0, INSERT(K, 10, 15, 1), INSERT(J, 5, 9, 0)),
	STORED("another store ended after it began", false, 0, INSERT(K, 10, 15, 1),
	       INSERT(J, 5, 11, 0)),
	STORED("another store under way", false, 0, INSERT(K, 10, 15, 1),
	       INSERT(J, 5, OPEN, 0)),
	STORED("a newer one of its own key", false, 0, INSERT(K, 10, 15, 1), UPDATE(20, 25, 1)),
	STORED("a clear ended before", true, 0, INSERT(K, 10, 15, 1), CLEAR(5, 9)),
	STORED("a clear ended after it began", false, 0, INSERT(K, 10, 15, 1), CLEAR(5, 11)),
	STORED("a store that began after the read", true, 0, INSERT(K, 10, 15, 1),
	       INSERT(J, 51, 55, 1)),
	STORED("a store that began under the read", false, 0, INSERT(K, 10, 15, 1),
	       INSERT(J, 49, 55, 0)),
	STORED("refreshes before the read must not remove it", true, 0, INSERT(K, 10, 15, 1),
	       REFRESH(J, 12, 39, 1)),
	STORED("a refresh under the read", false, 0, INSERT(K, 10, 15, 1),
	       REFRESH(J, 12, 41, 0)),
	STORED("a probe under the read", true, 0, INSERT(K, 10, 15, 1), PROBE(J, 41, 45)),
	STORED("a probe under way may yet refresh", false, 0, INSERT(K, 10, 15, 1),
	       PROBE(J, 12, OPEN)),
};

static void judges_lost_stores(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++) {
		const struct hold_case *c = &holds[i];
		struct history h = history_of(c->op, c->from);

		says(c->shows, judge_must_hold(&h, 10, 40, 50), c->must);
	}
}

/* Must a read from 40 to 50 find K? */
static const struct hold_case finds[] = {
	STORED("nobody stored it", false, 0, INSERT(J, 10, 15, 1)),
	STORED("stored", true, 0, INSERT(K, 10, 15, 1)),
	STORED("kept what was there", false, 0, KEEP(K, 10, 15, 0)),
	STORED("stored twice, in one slot", true, 0, INSERT(K, 10, 20, 1), INSERT(K, 15, 25, 1)),
	STORED("stored, then kept", true, 0, INSERT(K, 10, 15, 1), KEEP(K, 12, 25, 0)),
	STORED("another key stored before", true, 0, INSERT(J, 5, 9, 1), INSERT(K, 10, 15, 1)),
	STORED("... until after it began", false, 0, INSERT(J, 5, 11, 1), INSERT(K, 10, 15, 1)),
	STORED("... but not until after the next began", true, 0, INSERT(J, 5, 11, 1),
	       INSERT(K, 10, 15, 1), INSERT(K, 12, 20, 1)),
	STORED("another key stored since", false, 0, INSERT(K, 10, 15, 1), INSERT(J, 20, 25, 2)),
	STORED("cleared since", false, 0, INSERT(K, 10, 15, 1), CLEAR(20, 25)),
	STORED("cleared before", true, 0, CLEAR(5, 9), INSERT(K, 10, 15, 1)),
	STORED("refreshes remove nothing", true, 0, INSERT(K, 10, 15, 1), REFRESH(J, 12, 39, 1)),
	STORED("a refresh under the read", false, 0, INSERT(K, 10, 15, 1),
	       REFRESH(K, 12, 41, 1)),
	STORED("its own store under the read", false, 0, INSERT(K, 10, 15, 1),
	       INSERT(K, 41, 45, 1)),
	STORED("another store under way", false, 0, INSERT(K, 10, 15, 1), INSERT(J, 5, OPEN, 0)),
	STORED("begun after the read", true, 0, INSERT(K, 10, 15, 1), INSERT(J, 51, 55, 1)),
	STORED("complete from its start on", true, 10, INSERT(K, 10, 15, 1)),
	STORED("complete too late", false, 11, INSERT(K, 10, 15, 1)),
	STORED("nothing on record", false, UINT64_MAX, INSERT(K, 10, 15, 1)),
};

static void judges_keys_gone(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(finds); i++) {
		const struct hold_case *c = &finds[i];
		struct history h = history_of(c->op, c->from);
		const struct witness_op *s = judge_must_find(&h, K, 40, 50);

		says(c->shows, s != NULL, c->must);
		/* the one that ended last */
		for (unsigned j = 0; s && j < h.nr; j++)
			if (h.op[j].key == K && h.op[j].victim >= 0 && h.op[j].end < 40)
				assert_true(h.op[j].end <= s->end);
	}
}

struct contended_case {
	const char *shows;
	bool contended;
	struct witness_op op[MAX_OPS];
};

/* An operation from 20 to 30. */
#define BESIDE(shows, contended, ...) \
	{                             \
		shows, contended,     \
		{                     \
			__VA_ARGS__   \
		}                     \
	}

static const struct contended_case contended[] = {
	BESIDE("alone", false, NOTHING),
	BESIDE("itself", false, INSERT(K, 20, 30, 1)),
	BESIDE("a store of any key", true, INSERT(J, 22, 25, 0)),
	BESIDE("one that ended before", false, INSERT(J, 15, 19, 0)),
	BESIDE("one that ended after it began", true, INSERT(J, 15, 21, 0)),
	BESIDE("one that began before it ended", true, INSERT(J, 29, 35, 0)),
	BESIDE("one that began after it ended", false, INSERT(J, 31, 35, 0)),
	BESIDE("one that kept what was there", false, KEEP(J, 22, 25, 0)),
	BESIDE("a refresh", true, REFRESH(J, 22, 25, 0)),
	BESIDE("a probe", false, PROBE(K, 22, 25)),
	BESIDE("a clear", true, CLEAR(22, 25)),
	BESIDE("a store under way", true, KEEP(J, 22, OPEN, 0)),
	BESIDE("a clear under way", true, CLEAR(22, OPEN)),
	BESIDE("a probe under way", false, REFRESH(K, 22, OPEN, 0)),
	BESIDE("a store under way since after it", false, INSERT(J, 31, OPEN, 0)),
};

static void judges_exposure(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(contended); i++) {
		const struct contended_case *c = &contended[i];
		struct history h = history_of(c->op, 0);

		says(c->shows, judge_contended(&h, 20, 30), c->contended);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_misses),
		cmocka_unit_test(reads_histories_backwards_too),
		cmocka_unit_test(judges_stale_hits),
		cmocka_unit_test(judges_ghosts),
		cmocka_unit_test(judges_lost_stores),
		cmocka_unit_test(judges_keys_gone),
		cmocka_unit_test(judges_exposure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
