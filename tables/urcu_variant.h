/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One flavor of urcu: include with FLAVOR defined to liburcu's name of it; leaves
 * urcu_line_<FLAVOR>_loops.
 */
#undef TABLE
#define URCU__(flavor) urcu_line_##flavor
#define URCU_(flavor) URCU__(flavor)
#define TABLE URCU_(FLAVOR)
#define RCU__(flavor, name) urcu_##flavor##_##name
#define RCU_(flavor, name) RCU__(flavor, name)
#define RCU(name) RCU_(FLAVOR, name)

#define LINE_BYTES(kind) line_pointers(kind)

#include "template.h"

static __always_inline void T(online)(struct table *t, struct worker *w)
{
	RCU(thread_online)();
}

static __always_inline void T(offline)(struct table *t, struct worker *w)
{
	RCU(thread_offline)();
}

static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	pool = w->priv[kind];
	RCU(read_lock)();
	return 0;
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	RCU(read_unlock)();
	return true;
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	pool = w->priv[kind];
	rcu_provide(pool);
	RCU(read_lock)();
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	RCU(read_unlock)();
}

static __always_inline bool T(load)(const atomic_word *line, unsigned s, uint64_t sig,
				    unsigned nr, uint64_t *word)
{
	return entry_read(entry_at(line, s), nr, word) == sig;
}

static __always_inline struct tt_slot T(look)(const enum kind kind, const atomic_word *line,
					      unsigned s, uint64_t sig)
{
	const struct entry *e = entry_at(line, s);
	struct tt_slot slot = { .raw = (uintptr_t)e };

	slot.holds = entry_read(e, 1, &slot.word) == sig && !entry_empty(kind, slot.word);
	return slot;
}

static __always_inline bool T(swap)(atomic_word *line, unsigned s, const struct tt_slot *seen,
				    uint64_t sig, unsigned nr, const uint64_t *word)
{
	return entry_swap(&line[s], seen->raw, sig, nr, word);
}

/* After the read section, so in another one: it may have been exchanged meanwhile. */
static __always_inline bool T(replace)(atomic_word *line, unsigned s, uint64_t sig,
				       uint64_t old, uint64_t new)
{
	const struct entry *e;
	uint64_t word;
	bool done;

	rcu_provide(pool);
	RCU(read_lock)();
	e = entry_at(line, s);
	done = entry_read(e, 1, &word) == sig && word == old &&
	       entry_swap(&line[s], (uintptr_t)e, sig, 1, &new);
	RCU(read_unlock)();
	return done;
}

/* A copy: no two slots may own an entry, for it is retired once. */
static __always_inline void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	uint64_t word, sig = entry_read(entry_at(line, from), 1, &word);

	entry_put(&line[to], sig, 1, &word);
}

static void T(wipe)(enum kind kind, atomic_word *line)
{
	static const uint64_t none[MAX_ENTRY_WORDS];

	for (unsigned s = 0; s < slots_of(kind); s++)
		entry_put(&line[s], 0, entry_words(kind), none);
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	return entry_read(entry_at(line, s), entry_words(kind), word);
}

#include "line_table.h"

#undef FLAVOR
#undef RCU
#undef RCU_
#undef RCU__
#undef URCU_
#undef URCU__
