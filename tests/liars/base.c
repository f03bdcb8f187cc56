// SPDX-License-Identifier: BSD-2-Clause
/*
 * base - the honest table that all lies are told with
 *
 * Every section of the template, read or write, holds the line's lock, and a refresh is a write
 * section of its own that compares: so nothing is ever torn, missed or lost. Where a lie
 * has a hook, that is called instead.
 */
#include <sched.h>
#include <stdlib.h>

#include "liar.h"
#include "xor.h"

#define LIST_LIE(id) &lie_##id,
const struct lie *const lies[] = { LIES(LIST_LIE) HONEST(LIST_LIE) };
#define COUNT_LIE(id) +1
const size_t nr_lies = 0 LIES(COUNT_LIE), nr_honest = 0 HONEST(COUNT_LIE);

void (*in_window)(void);

static _Thread_local struct place me;
static _Thread_local uint64_t rng;

void window(struct place *p)
{
	struct place mine = *p;

	if (in_window) {
		in_window();
		me = mine;
		return;
	}
	for (uint64_t n = rng_below(&rng, 16); n; n--)
		cpu_relax();
}

uint64_t honest_read(const struct place *p, unsigned s, uint64_t *word)
{
	const atomic_word *slot = slot_of(p, s);
	uint64_t sig = READ_ONCE64(&slot[0]);

	for (unsigned i = 0; i < p->words; i++)
		word[i] = READ_ONCE64(&slot[1 + i]);
	return p->liar->lie->xor ? xor_sig(sig, p->words, word) : sig;
}

bool honest_load(const struct place *p, unsigned s, uint64_t sig, uint64_t *word)
{
	return honest_read(p, s, word) == sig;
}

void honest_put(const struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	if (p->liar->lie->xor)
		xor_put(p->line, s, sig, p->words, word);
	else
		plain_put(p->line, s, sig, p->words, word);
}

void honest_bump(const struct place *p, unsigned from, unsigned to)
{
	uint64_t word[MAX_ENTRY_WORDS], sig = honest_read(p, from, word);

	honest_put(p, to, sig, word);
}

void honest_wipe(const struct place *p)
{
	for (unsigned i = 0; i < line_bytes(p->kind) / sizeof(*p->line); i++)
		WRITE_ONCE64(&p->line[i], 0);
}

static void honest_rewrite(struct place *p, unsigned s, uint64_t sig, uint64_t old,
			   uint64_t new)
{
	uint64_t now;

	if (honest_load(p, s, sig, &now) && now == old)
		honest_put(p, s, sig, &new);
}

static void lock(struct place *p)
{
	struct liar_guard *g = p->guard;

	/* [liar.A] acquire, pairs with [liar.R] of the holder before */
	while (!cmpxchg64_acquire(&g->lock, 0, 1 + p->writing))
		sched_yield();
	g->sections++;
	g->alone = g->last == p->w->id ? g->alone + 1 : 0;
	g->last = p->w->id;
}

static void unlock(struct place *p)
{
	/* [liar.R] release, pairs with [liar.A] of the next holder */
	smp_store_release(&p->guard->lock, 0);
}

/* What follows on `enter` is between the two ends of a section. */
static void enter(enum kind kind, struct table *t, struct worker *w, atomic_word *line,
		  uint64_t index, bool writing)
{
	struct liar *liar = t->priv;
	const struct lie *lie = liar->lie;

	me = (struct place){ .t = t,
			     .w = w,
			     .liar = liar,
			     .lie = lie->kinds && !(lie->kinds & 1u << kind) ? NULL : lie,
			     .guard = line_guard(t, index),
			     .line = line,
			     .index = index,
			     .kind = kind,
			     .words = entry_words(kind),
			     .looking = me.looking,
			     .writing = writing,
			     .dice = rng_next(&rng) };
	if (lie->ages)
		fetch_add_relaxed(&liar->sections, 1);
}

#define HOOK(name) (me.lie && me.lie->name)

#define TABLE liar
#define LINE_EXCLUSION LINE_FREE
#define LINE_SECTIONS
#define LINE_REFRESH
#define LINE_LOOK
#define LINE_LAYOUT

#include "template.h"

static unsigned T(begin_read)(const enum kind kind, struct table *t, struct worker *w,
			      atomic_word *line, uint64_t index)
{
	uint64_t count;

	enter(kind, t, w, line, index, false);
	if (HOOK(before))
		me.unlocked = me.lie->before(&me);
	if (!me.liar->lie->count_mask) {
		if (!me.unlocked)
			lock(&me);
		return 0;
	}
	/* [count.A] acquire, pairs with [count.R] */
	while ((count = smp_load_acquire(&me.guard->count)) & 1)
		sched_yield();
	return (unsigned)count & me.liar->lie->count_mask;
}

static bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
			atomic_word *line, uint64_t index, unsigned cookie)
{
	unsigned mask = me.liar->lie->count_mask;

	if (!mask) {
		if (!me.unlocked)
			unlock(&me);
		return true;
	}
	/* [count.F] the words before the count; pairs with [count.W]: who read a new word sees
	 * the count that was odd before it */
	smp_acquire_fence();
	return ((unsigned)READ_ONCE64(&me.guard->count) & mask) == cookie;
}

static void T(begin_write)(const enum kind kind, struct table *t, struct worker *w,
			   atomic_word *line, uint64_t index)
{
	enter(kind, t, w, line, index, true);
	window(&me);
	if (HOOK(before))
		me.unlocked = me.lie->before(&me);
	if (me.unlocked)
		return;
	lock(&me);
	/* relaxed: the writer's own, under the lock */
	WRITE_ONCE64(&me.guard->count, READ_ONCE64(&me.guard->count) + 1);
	smp_release_fence(); /* [count.W] pairs with [count.F] */
}

static void T(end_write)(const enum kind kind, struct table *t, struct worker *w,
			 atomic_word *line, uint64_t index)
{
	if (!me.unlocked) {
		/* [count.R] release, pairs with [count.A] */
		smp_store_release(&me.guard->count, READ_ONCE64(&me.guard->count) + 1);
		unlock(&me);
	}
	if (HOOK(after))
		me.lie->after(&me);
}

static bool T(load)(const atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
		    uint64_t *word)
{
	if (!me.writing && HOOK(load))
		return me.lie->load(&me, s, sig, word);
	return honest_load(&me, s, sig, word);
}

static struct tt_slot T(look)(const enum kind kind, const atomic_word *line, unsigned s,
			      uint64_t sig)
{
	uint64_t word[MAX_ENTRY_WORDS];
	struct tt_slot slot = { .holds = honest_load(&me, s, sig, word) };

	slot.word = word[0];
	slot.holds &= !entry_empty(kind, word[0]);
	if (HOOK(holds))
		slot.holds = me.lie->holds(&me, slot.holds);
	return slot;
}

static void T(put)(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
		   const uint64_t *word)
{
	if (HOOK(put))
		me.lie->put(&me, s, sig, word);
	else
		honest_put(&me, s, sig, word);
}

static void T(rewrite)(atomic_word *line, unsigned s, uint64_t sig, uint64_t old, uint64_t new)
{
	if (HOOK(rewrite))
		me.lie->rewrite(&me, s, sig, old, new);
	else
		honest_rewrite(&me, s, sig, old, new);
}

static bool T(replace)(atomic_word *line, unsigned s, uint64_t sig, uint64_t old, uint64_t new)
{
	T(rewrite)(line, s, sig, old, new);
	return true;
}

static void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	if (HOOK(bump))
		me.lie->bump(&me, from, to);
	else
		honest_bump(&me, from, to);
}

static void T(wipe)(enum kind kind, atomic_word *line)
{
	if (HOOK(wipe))
		me.lie->wipe(&me);
	else
		honest_wipe(&me);
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	return xor_read(line, s, entry_words(kind), word);
}

static uint64_t at_rest_folded(enum kind kind, const atomic_word *line, unsigned s,
			       uint64_t *word)
{
	uint64_t sig = xor_read(line, s, entry_words(kind), word);

	return xor_sig(sig, entry_words(kind), word);
}

/* The policy answers from what matched, unless a lie has something else. */
static bool lookup(struct tt_answer *a, uint64_t word, const struct tt_query *q)
{
	return tt_lookup(a, HOOK(answer) ? me.lie->answer(&me, word) : word, q);
}

#define tt_lookup lookup
#include "line_table.h"
#undef tt_lookup

static unsigned find(struct table *t, struct worker *w, uint64_t key,
		     uint64_t word[][MAX_ENTRY_WORDS])
{
	unsigned match;

	me.looking = true;
	match = T(find)(t, w, key, word);
	me.looking = false;
	return match;
}

static void clear_live(struct table *t, struct worker *w)
{
	struct liar *liar = t->priv;

	atomic_store_explicit(&liar->clearing, true, memory_order_relaxed);
	T(clear_live_online)(t, w);
	atomic_store_explicit(&liar->clearing, false, memory_order_relaxed);
}

static void clear(struct table *t, unsigned part, unsigned parts)
{
	const struct lie *lie = ((struct liar *)t->priv)->lie;

	if (lie->clear)
		lie->clear(t, part, parts);
	else
		line_clear(t, part, parts);
}

static const struct lie *lie_named(const char *name)
{
	for (size_t i = 0; i < nr_lies + nr_honest; i++)
		if (!strcmp(lies[i]->name, name))
			return lies[i];
	return NULL;
}

static int create(struct table *t, const struct table_params *p, struct err *e)
{
	struct liar *liar = xcalloc(1, sizeof(*liar));

	liar->lie = lie_named(p->option[0]);
	liar->loops = liar_loops;
	liar->shape = liar_shape;
	liar->loops.shape = &liar->shape;
	liar->loops.find = find;
	liar->loops.clear_live = clear_live;
	if (liar->lie->xor)
		liar->shape.at_rest = at_rest_folded;
	t->loops = &liar->loops;
	t->priv = liar;
	if (line_create(t, p, e) ||
	    line_create_side(t, p, t->lines * sizeof(struct liar_guard), e)) {
		free(liar);
		return -1;
	}
	if (liar->lie->past)
		liar->past = xcalloc(t->entries, sizeof(*liar->past));
	t->guard = t->side.base; /* zeroed: all are free */
	t->guard_mask = UINT64_MAX;
	t->guard_shift = 6;
	_Static_assert(sizeof(struct liar_guard) == 64, "the shift");
	return 0;
}

static void destroy(struct table *t)
{
	struct liar *liar = t->priv;

	free(liar->past);
	free(liar);
}

static int thread_enter(struct table *t, struct worker *w, struct err *e)
{
	rng = mix64(w->id + 1);
	return 0;
}

/* The last of a list has no bar behind it. */
#define NAME_LIE(id) #id "|"
static struct table_class liar_class = {
	.name = "liar",
	.summary = "a lock per line, and one fault planted",
	.reference = "none",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.probe_writes = "the lock",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.broken = true,
	.kinds = LINE_KINDS,
	.lines = true,
	.sig_bits = 64,
	.memory = "32 bytes",
	.clear = clear,
	.options = { { "lie", LIES(NAME_LIE) HONEST(NAME_LIE) "honest", "honest",
		       "the fault that is planted" },
		     LINE_OPTIONS },
	.create = create,
	.destroy = destroy,
	.thread_enter = thread_enter,
};
TABLE_REGISTER(liar);
