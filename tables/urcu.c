// SPDX-License-Identifier: BSD-2-Clause
/*
 * urcu - slots hold pointers to entries, which never change and are exchanged whole
 *
 * A line is its slots' pointers, 32 bytes of them for tt and kv. A store writes an entry
 * nobody knows yet and puts it in the slot of the one it looked at, by a compare-and-swap;
 * a refresh and a bump likewise take a new entry each. What has been pushed out is used
 * again after a grace period of liburcu (rcu.h), so in a read section an entry stays what it
 * is, and a pointer that is still there means that nothing happened in between.
 *
 * flavor=  which liburcu: each has its own stamped loops. A qsbr reader is online for a chunk
 *          of operations at a time, and announces a quiescent state when it has used up a
 *          batch of entries.
 *
 * On x86-64 a probe is, for each slot until one matches, a load of the pointer and a compare
 * of the key behind it, in straight code. Around it memb has two stores to a word of its own
 * thread and two tests of words of liburcu, mb two mfence more, qsbr nothing.
 *
 * Promises: PROMISE_NO_TEAR: an entry is one pointer. Not NO_FALSE_MISS: a tt store that
 * pushes an entry aside and takes its place exchanges two pointers, one after the other, so
 * a probe of either key can come when the one is gone and not yet, or no longer, there.
 * (The other kinds exchange one, and none of theirs was ever lost; a table cannot promise
 * by kind.)
 *
 * Ordering: [urcu.R] an entry is written, release -> [urcu.A] its pointer is read, acquire.
 */
#include "line.h"
#include "urcu.h"

#define LINE_EXCLUSION LINE_SWAP
#define LINE_SECTIONS
#define LINE_LAYOUT
#define LINE_LOOK
#define REPLAY_SECTIONS
#define URCU urcu_slot
#define urcu_slot_sig plain_sig
#define URCU_BYTES(kind) ((kind) == KIND_TT || (kind) == KIND_KV ? 32u : 8u)

struct entry {
	atomic_word sig, word[];
};

static __always_inline const struct entry *entry_at(const atomic_word *line, unsigned s)
{
	/* [urcu.A] pairs with [urcu.R] */
	return (const struct entry *)smp_load_acquire(&line[s]);
}

/* Copy the data words; returns the signature. relaxed: it doesn't change. */
static __always_inline uint64_t entry_read(const struct entry *e, unsigned nr, uint64_t *word)
{
	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&e->word[i]);
	return READ_ONCE64(&e->sig);
}

/* A spare entry with this in it. relaxed: nobody has it yet. */
static __always_inline uint64_t entry_make(uint64_t sig, unsigned nr, const uint64_t *word)
{
	struct entry *e = rcu_spare(urcu_pool);

	WRITE_ONCE64(&e->sig, sig);
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&e->word[i], word[i]);
	return (uintptr_t)e;
}

/* Whatever is there. */
static __always_inline void urcu_slot_put(atomic_word *line, unsigned s, uint64_t sig,
					  unsigned nr, const uint64_t *word)
{
	/* [urcu.R] pairs with [urcu.A] */
	rcu_retire(urcu_pool, (void *)xchg_release(&line[s], entry_make(sig, nr, word)));
}

static __always_inline bool urcu_slot_load(const atomic_word *line, unsigned s, uint64_t sig,
					   unsigned nr, uint64_t *word)
{
	return entry_read(entry_at(line, s), nr, word) == sig;
}

static __always_inline struct tt_slot
urcu_slot_look(const enum kind kind, const atomic_word *line, unsigned s, uint64_t sig)
{
	const struct entry *e = entry_at(line, s);
	struct tt_slot slot = { .raw = (uintptr_t)e };

	slot.holds = entry_read(e, 1, &slot.word) == sig && !entry_empty(kind, slot.word);
	return slot;
}

static __always_inline bool urcu_slot_swap(atomic_word *line, unsigned s,
					   const struct tt_slot *seen, uint64_t sig,
					   unsigned nr, const uint64_t *word)
{
	/* [urcu.R] pairs with [urcu.A] */
	if (!cmpxchg64_release(&line[s], seen->raw, entry_make(sig, nr, word)))
		return false;
	rcu_retire(urcu_pool, (void *)seen->raw);
	return true;
}

static __always_inline bool urcu_slot_replace(atomic_word *line, unsigned s, uint64_t sig,
					      uint64_t old, uint64_t new)
{
	struct tt_slot seen = urcu_slot_look(KIND_TT, line, s, sig);

	return seen.holds && seen.word == old && urcu_slot_swap(line, s, &seen, sig, 1, &new);
}

/* A copy: no two slots may own an entry, for it is retired once. */
static __always_inline void urcu_slot_bump(atomic_word *line, unsigned from, unsigned to)
{
	uint64_t word, sig = entry_read(entry_at(line, from), 1, &word);

	urcu_slot_put(line, to, sig, 1, &word);
}

static __always_inline void urcu_slot_wipe(enum kind kind, atomic_word *line)
{
	static const uint64_t none[MAX_ENTRY_WORDS];

	for (unsigned s = 0; s < URCU_BYTES(kind) / sizeof(*line); s++)
		urcu_slot_put(line, s, 0, entry_words(kind), none);
}

static __always_inline uint64_t urcu_slot_at_rest(enum kind kind, const atomic_word *line,
						  unsigned s, uint64_t *word)
{
	return entry_read(entry_at(line, s), entry_words(kind), word);
}

#define FLAVOR memb
#include "urcu_variant.h"

#define FLAVOR mb
#include "urcu_variant.h"

#define FLAVOR qsbr
#include "urcu_variant.h"

static const struct table_loops *const urcu_loops[] = { RCU_LOOPS(urcu_slot) };

/* What the lines of a kind are made of. */
struct parts {
	unsigned slots, pointers; /* of a line */
	unsigned words; /* of what a pointer stands for */
};

static struct parts parts_of(const struct table *t)
{
	const struct line_shape *shape = t->loops->shape;
	struct parts p = { .slots = shape->slots[t->kind],
			   .pointers = shape->bytes[t->kind] / sizeof(*t->word) };

	p.words = p.slots * (1 + entry_words(t->kind)) / p.pointers;
	return p;
}

static void clear_words(atomic_word *word, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&word[i], 0);
}

/* No traffic. The first time, each pointer gets a node of its own; they change places later. */
void urcu_clear(struct table *t, unsigned part, unsigned parts)
{
	const struct parts p = parts_of(t);
	uint64_t to = t->lines * (part + 1) / parts * p.pointers;

	for (uint64_t i = t->lines * part / parts * p.pointers; i < to; i++) {
		atomic_word *home = (atomic_word *)t->side.base + i * p.words;

		if (!READ_ONCE64(&t->word[i]))
			WRITE_ONCE64(&t->word[i], (uintptr_t)home);
		clear_words((atomic_word *)READ_ONCE64(&t->word[i]), p.words);
	}
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

/* Others may be at the same line, with the same zeros. */
void urcu_clear_ops(struct table *t, const struct trace_op *op, size_t nr)
{
	const struct parts p = parts_of(t);

	for (const struct trace_op *end = op + nr; op < end; op++) {
		const atomic_word *line = t->word + line_number(t, op->key) * p.pointers;

		for (unsigned i = 0; op->op == 2 * t->kind + 1 && i < p.pointers; i++)
			clear_words((atomic_word *)READ_ONCE64(&line[i]), p.words);
	}
	WRITE_ONCE64(&t->generation, 0);
}

/* All that a table of so many lines takes. */
static uint64_t bytes_for(const struct parts *part, const struct table_params *p,
			  uint64_t lines)
{
	uint64_t nodes = lines * part->pointers;
	size_t node = part->words * sizeof(atomic_word);

	return nodes * (sizeof(atomic_word) + node) +
	       rcu_pool_bytes(rcu_pool_size(nodes, p->threads), node, p->threads);
}

/* The most entries that fit with everything that is beside them; one line at least. */
static uint64_t entries_for(const struct parts *part, const struct table_params *p)
{
	uint64_t lines = 0;

	if (!p->size.bytes)
		return p->size.entries;
	for (uint64_t bit = 1ull << 40; bit; bit >>= 1)
		if (bytes_for(part, p, lines | bit) <= p->size.bytes)
			lines |= bit;
	return lines * part->slots;
}

int urcu_create_as(struct table *t, const struct table_params *p, enum rcu_flavor flavor,
		   const struct table_loops *loops, struct err *e)
{
	struct table_params fitted = *p;
	struct parts part;
	struct rcu *rcu;
	uint64_t nodes;

	t->loops = loops;
	part = parts_of(t);
	fitted.size = (struct table_size){ .entries = entries_for(&part, p) };
	if (line_create(t, &fitted, e))
		return -1;
	nodes = t->lines * part.pointers;
	if (line_create_side(t, p, nodes * part.words * sizeof(atomic_word), e))
		return -1;
	if (rcu_create(&rcu, flavor, rcu_pool_size(nodes, p->threads),
		       part.words * sizeof(atomic_word), p->threads, e))
		goto out_side;
	t->priv = rcu;
	t->bytes = bytes_for(&part, p, t->lines);
	return 0;
out_side:
	mem_unmap(&t->side);
	mem_unmap(&t->mem);
	return -1;
}

static int urcu_create(struct table *t, const struct table_params *p, struct err *e)
{
	enum rcu_flavor flavor = rcu_flavor_of(p->option[0]);

	return urcu_create_as(t, p, flavor, urcu_loops[flavor], e);
}

void urcu_destroy(struct table *t)
{
	rcu_destroy(t->priv);
}

int urcu_thread_enter(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = rcu_enter(t->priv, w->id);
	return 0;
}

void urcu_thread_leave(struct table *t, struct worker *w)
{
	rcu_leave(t->priv, w->id, &t->bytes);
}

static struct table_class urcu_class = {
	.name = "urcu",
	.summary = "slots hold pointers to entries that are exchanged whole, and used again "
		   "after a grace period",
	.reference = "liburcu; McKenney and Slingwine 1998",
	.memory = "24 bytes, pawn 72; and spare ones for each thread",
	.promises = PROMISE_NO_TEAR,
	.create = urcu_create,
	URCU_CLASS,
};
TABLE_REGISTER(urcu);
