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
 * Promises: PROMISE_NO_TEAR: an entry is one pointer. Not NO_FALSE_MISS: a tt store that
 * pushes an entry aside and takes its place exchanges two pointers, one after the other, so
 * a probe of either key can come when the one is gone and not yet, or no longer, there.
 * (The other kinds exchange one, and none of theirs was ever lost; a table cannot promise
 * by kind.)
 *
 * Ordering: [urcu.R] an entry is written, release -> [urcu.A] its pointer is read, acquire.
 */
#include "line.h"
#include "rcu.h"

#define LINE_EXCLUSION LINE_SWAP
#define LINE_SECTIONS
#define LINE_LAYOUT
#define LINE_LOOK
#define REPLAY_SECTIONS

#define line_pointers(kind) ((kind) == KIND_TT || (kind) == KIND_KV ? 32u : 8u)

static __always_inline unsigned slots_of(enum kind kind)
{
	return line_pointers(kind) / sizeof(atomic_word);
}

struct entry {
	atomic_word sig, word[];
};

/* Of the table and thread at work: primitives that exchange entries know only their line. */
static __thread struct rcu_pool *pool;

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
	struct entry *e = rcu_spare(pool);

	WRITE_ONCE64(&e->sig, sig);
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&e->word[i], word[i]);
	return (uintptr_t)e;
}

static __always_inline bool entry_swap(atomic_word *slot, uint64_t seen, uint64_t sig,
				       unsigned nr, const uint64_t *word)
{
	/* [urcu.R] pairs with [urcu.A] */
	if (!cmpxchg64_release(slot, seen, entry_make(sig, nr, word)))
		return false;
	rcu_retire(pool, (void *)seen);
	return true;
}

static __always_inline void entry_put(atomic_word *slot, uint64_t sig, unsigned nr,
				      const uint64_t *word)
{
	/* [urcu.R] pairs with [urcu.A] */
	rcu_retire(pool, (void *)xchg_release(slot, entry_make(sig, nr, word)));
}

#define FLAVOR memb
#include "urcu_variant.h"

#define FLAVOR mb
#include "urcu_variant.h"

#define FLAVOR qsbr
#include "urcu_variant.h"

static const struct table_loops *const urcu_loops[] = {
	[RCU_MEMB] = &urcu_line_memb_loops,
	[RCU_MB] = &urcu_line_mb_loops,
	[RCU_QSBR] = &urcu_line_qsbr_loops,
};

/* No traffic. The first time, each slot gets an entry of its own; they change places later. */
static void clear_slot(const struct table *t, uint64_t slot)
{
	unsigned nr = entry_words(t->kind);
	atomic_word *home = (atomic_word *)t->side.base + slot * (1 + nr);

	if (!READ_ONCE64(&t->word[slot]))
		WRITE_ONCE64(&t->word[slot], (uintptr_t)home);
	memset((void *)READ_ONCE64(&t->word[slot]), 0, (1 + nr) * sizeof(*home));
}

static void urcu_clear(struct table *t, unsigned part, unsigned parts)
{
	uint64_t to = t->lines * (part + 1) / parts * t->slots;

	for (uint64_t i = t->lines * part / parts * t->slots; i < to; i++)
		clear_slot(t, i);
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

/* Others may be at the same line, with the same zeros. */
static void empty_line(const struct table *t, const atomic_word *line)
{
	for (unsigned s = 0; s < t->slots; s++) {
		struct entry *e = (struct entry *)READ_ONCE64(&line[s]);

		for (unsigned i = 0; i < entry_words(t->kind); i++)
			WRITE_ONCE64(&e->word[i], 0);
		WRITE_ONCE64(&e->sig, 0);
	}
}

static void urcu_clear_ops(struct table *t, const struct trace_op *op, size_t nr)
{
	for (const struct trace_op *end = op + nr; op < end; op++)
		if (op->op == 2 * t->kind + 1)
			empty_line(t, line_of(t, line_pointers(t->kind), op->key));
	WRITE_ONCE64(&t->generation, 0);
}

/* All that a table of so many lines takes. */
static uint64_t bytes_for(const struct table_params *p, uint64_t lines)
{
	uint64_t entries = lines * slots_of(p->kind);
	unsigned size = rcu_pool_size(entries, p->threads);
	size_t entry = sizeof(uint64_t) * (1 + entry_words(p->kind));

	return entries * (sizeof(uint64_t) + entry) + rcu_pool_bytes(size, entry, p->threads);
}

/* The most entries that fit with everything that is beside them; one line at least. */
static uint64_t entries_for(const struct table_params *p)
{
	uint64_t lines = 0;

	if (!p->size.bytes)
		return p->size.entries;
	for (uint64_t bit = 1ull << 40; bit; bit >>= 1)
		if (bytes_for(p, lines | bit) <= p->size.bytes)
			lines |= bit;
	return lines * slots_of(p->kind);
}

static int urcu_create(struct table *t, const struct table_params *p, struct err *e)
{
	enum rcu_flavor flavor = rcu_flavor_of(p->option[0]);
	size_t entry = sizeof(uint64_t) * (1 + entry_words(p->kind));
	struct table_params fitted = *p;
	struct rcu *rcu;

	fitted.size = (struct table_size){ .entries = entries_for(p) };
	t->loops = urcu_loops[flavor];
	if (line_create(t, &fitted, e) || line_create_side(t, p, t->entries * entry, e))
		return -1;
	if (rcu_create(&rcu, flavor, rcu_pool_size(t->entries, p->threads), entry, p->threads,
		       e))
		goto out_side;
	t->priv = rcu;
	t->bytes = bytes_for(p, t->lines);
	return 0;
out_side:
	mem_unmap(&t->side);
	mem_unmap(&t->mem);
	return -1;
}

static void urcu_destroy(struct table *t)
{
	rcu_destroy(t->priv);
}

static int urcu_thread_enter(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = rcu_enter(t->priv, w->id);
	return 0;
}

static void urcu_thread_leave(struct table *t, struct worker *w)
{
	rcu_leave(t->priv, w->id, &t->bytes);
}

static struct table_class urcu_class = {
	.name = "urcu",
	.summary = "slots hold pointers to entries that are exchanged whole, and used again "
		   "after a grace period",
	.reference = "liburcu; McKenney and Slingwine 1998",
	.probe_progress = "wait-free",
	.store_progress = "lock-free",
	.probe_writes = "its own thread's counter; qsbr: nothing",
	.memory = "24 bytes, pawn 72; and spare ones for each thread",
	.kinds = LINE_KINDS,
	.lines = true,
	.sig_bits = 64,
	.promises = PROMISE_NO_TEAR,
	.options = { RCU_FLAVOR_OPTION, LINE_OPTIONS },
	.create = urcu_create,
	.destroy = urcu_destroy,
	.clear = urcu_clear,
	.clear_ops = urcu_clear_ops,
	.thread_enter = urcu_thread_enter,
	.thread_leave = urcu_thread_leave,
};
TABLE_REGISTER(urcu);
