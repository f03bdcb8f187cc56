/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liar - a table with a correct lock per line, and one fault planted in it
 *
 * A lie is a struct of hooks: what it does otherwise than the honest table in base.c, which
 * calls them where the template (tables/line_table.h) asks for something. `liars.so:lie=NAME`
 * is the table with that lie. Nothing here is measured, so all of it goes through pointers.
 *
 * Hooks run under the lock of the line, but for those that say otherwise.
 */
#ifndef TEARLINE_TESTS_LIAR_H
#define TEARLINE_TESTS_LIAR_H

#include "line.h"

/* x(name): every lie, in the order of the table that test_liars prints. Sound ones apart. */
/* clang-format off */
#define LIES(x)                                                                              \
	x(random_depth) x(random_value) x(swapped_bounds) x(flipped_threat)                  \
	x(short_signature) x(eval_of_another) x(answer_of_another) x(old_generation)         \
	x(key_0) x(key_ones) x(fifth_thread) x(large_table) x(after_2_22) x(after_2_24)      \
	x(kinds_confused)                                                                    \
	x(mixed_halves) x(split_word) x(last_word) x(dead_pair) x(bump_keeps_depth)          \
	x(bump_astray) x(lost_store) x(lost_alone) x(neighbour_line) x(second_copy)          \
	x(previous_store) x(very_old) x(ghost) x(ghost_of_clear) x(clear_under_way)          \
	x(refresh_revives) x(refresh_over_newer)                                             \
	x(probe_misses) x(quiet_miss) x(look_misses) x(look_finds) x(busy_miss)              \
	x(clear_leaves_line) x(clear_leaves_all) x(live_clear_leaves_slot)                   \
	x(count_4_bits) x(count_8_bits) x(count_16_bits) x(slot_unlocked) x(lock_skipped)
#define HONEST(x) x(honest) x(honest_halves) x(honest_xor) x(honest_count) x(honest_slow)
/* clang-format on */

/* What guards a line. */
struct liar_guard {
	atomic_word lock; /* 0: free */
	atomic_word count; /* odd while somebody writes */
	/* under the lock */
	uint64_t sections; /* so far */
	uint64_t alone; /* those in a row of one thread */
	unsigned last; /* that thread */
} __attribute__((aligned(64)));

/* An entry that was in a slot once. */
struct liar_past {
	bool there;
	uint64_t sig, word[MAX_ENTRY_WORDS];
	uint64_t section; /* the line's, when it was put away */
};

/* A table's own. */
struct liar {
	const struct lie *lie;
	struct table_loops loops;
	struct line_shape shape;
	struct liar_past *past; /* one a slot */
	atomic_word sections; /* of all lines */
	atomic_word clears; /* at a meeting: parts of them */
	_Atomic bool clearing; /* amid traffic */
};

/* Where a thread is: between the two ends of a section. */
struct place {
	struct table *t;
	struct worker *w;
	struct liar *liar;
	const struct lie *lie; /* NULL: it does not lie about this kind */
	struct liar_guard *guard;
	atomic_word *line;
	uint64_t index;
	enum kind kind;
	unsigned words; /* of an entry */
	bool looking; /* find(): the audit's second look */
	bool writing;
	bool misses; /* busy_miss: this section finds nothing, and has no lock */
	bool unlocked; /* lock_skipped: likewise */
	uint64_t dice; /* drawn for the section */
	uint64_t early[MAX_ENTRY_WORDS]; /* slot_unlocked: read before the lock was held */
	/* a store's words, which are still to be written when the lock has been let go */
	struct {
		bool there;
		unsigned slot;
		uint64_t sig, word[MAX_ENTRY_WORDS];
	} late;
};

struct lie {
	const char *name;
	const char *planted; /* in a few words */
	const char *shows; /* names of faults, of which one must be reported: "a|b" */
	const char *workload; /* on which it shows at once; NULL: there is none */
	unsigned kinds; /* 1 << enum kind; 0: all */
	unsigned threads; /* that it takes; 0: one */
	bool race; /* shows only where two threads meet */
	bool rare; /* not to be waited for: caught is better than not caught */
	bool past; /* needs struct liar_past */
	bool ages; /* needs liar->sections */
	bool xor ; /* the signature word is folded with the data */
	unsigned count_mask; /* readers take no lock but look at these bits of the count */

	/* in a read section: copy slot s; does it verify? */
	bool (*load)(struct place *p, unsigned s, uint64_t sig, uint64_t *word);
	/* what a store is told of a slot */
	bool (*holds)(struct place *p, bool holds);
	void (*put)(struct place *p, unsigned s, uint64_t sig, const uint64_t *word);
	void (*bump)(struct place *p, unsigned from, unsigned to);
	/* give a tt slot that held (sig, old) the word `new` */
	void (*rewrite)(struct place *p, unsigned s, uint64_t sig, uint64_t old, uint64_t new);
	void (*wipe)(struct place *p);
	/* the words a tt answer is made of, instead of the one that matched */
	uint64_t (*answer)(struct place *p, uint64_t word);
	/* before the lock is asked for; true: go on without it */
	bool (*before)(struct place *p);
	/* the lock has been let go */
	void (*after)(struct place *p);
	/* all threads, no traffic */
	void (*clear)(struct table *t, unsigned part, unsigned parts);
};

/* What an honest table does; hooks call them for what they do not lie about. */
bool honest_load(const struct place *p, unsigned s, uint64_t sig, uint64_t *word);
void honest_put(const struct place *p, unsigned s, uint64_t sig, const uint64_t *word);
void honest_bump(const struct place *p, unsigned from, unsigned to);
void honest_wipe(const struct place *p);
/* The words of a slot and the signature they decode to. */
uint64_t honest_read(const struct place *p, unsigned s, uint64_t *word);

/*
 * Where a lie leaves the door open: a short wait, so that others come in, or, in a test, an
 * operation of another thread's that this one does. `in_window` is the test's.
 */
void window(struct place *p);
extern void (*in_window)(void);

static inline atomic_word *slot_of(const struct place *p, unsigned s)
{
	return SLOT(p->line, s, p->words);
}

static inline struct liar_past *past_of(const struct place *p, unsigned s)
{
	return &p->liar->past[p->index * p->t->slots + s];
}

/* One section in so many. */
static inline bool one_in(const struct place *p, unsigned n)
{
	return p->dice % n == 0;
}

#define DECLARE_LIE(id) extern const struct lie lie_##id;
LIES(DECLARE_LIE)
HONEST(DECLARE_LIE)
#undef DECLARE_LIE

#define LIE(id, ...) const struct lie lie_##id = { .name = #id, __VA_ARGS__ }

/* Those that lie, and behind them those that do not. */
extern const struct lie *const lies[];
extern const size_t nr_lies, nr_honest;

#endif
