// SPDX-License-Identifier: BSD-2-Clause
/*
 * The audit out of the loops: what each operation amounts to, and the walk at rest. Exact
 * mode is in exact.c.
 */
#include "audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void key_set_make(struct key_set *s, uint64_t *key, size_t nr)
{
	size_t distinct = 0;

	if (nr) /* or there may be no array */
		qsort(key, nr, sizeof(*key), compare_keys);
	for (size_t i = 0; i < nr; i++)
		if (!i || key[i] != key[distinct - 1])
			key[distinct++] = key[i];
	s->key = key;
	s->nr = distinct;
}

/* Index of the first key that is not below `key`. */
static size_t lower_bound(const struct key_set *s, uint64_t key)
{
	size_t from = 0, to = s->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (s->key[mid] < key)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static uint64_t sig_mask(const struct audit *a)
{
	return a->sig_bits < 64 ? (1ull << a->sig_bits) - 1 : UINT64_MAX;
}

/*
 * The key of this run whose entry these words are, among the keys that a probe of `key`
 * could be confused with: same signature, and same index bits as far as a line of
 * `line_span` keys goes. NULL if nobody stored these words.
 */
static const uint64_t *true_owner(const struct audit *a, enum kind kind, uint64_t first,
				  uint64_t last, uint64_t sig, const uint64_t *word,
				  unsigned nr)
{
	const struct key_set *s = &a->keys[kind];
	uint64_t mask = sig_mask(a);

	for (size_t i = lower_bound(s, first); i < s->nr && s->key[i] <= last; i++)
		if ((s->key[i] & mask) == (sig & mask) &&
		    stamp_authentic(word, nr, kind_is_wide(kind),
				    stamp_auth(a->seed, s->key[i])))
			return &s->key[i];
	return NULL;
}

/* The keys that share `key`'s line: first to last. */
static void line_span(const struct table *t, uint64_t key, uint64_t *first, uint64_t *last)
{
	*first = key;
	*last = key;
	if (t->class->lines)
		line_keys(t, line_number(t, key), first, last);
}

bool audit_check(struct worker *w, const struct table *t, uint64_t key, const uint64_t *word,
		 struct counts *n)
{
	uint64_t first, last;

	if (audit_holds(w->audit, t->kind, key, word))
		return true;
	line_span(t, key, &first, &last);
	if (true_owner(w->audit, t->kind, first, last, key, word, audit_words(t->kind)))
		n->wrong_key++;
	else
		n->torn++;
	return false;
}

/*
 * Passing the counter round makes threads take turns: whoever has just got it is done with
 * the line before the next one can begin. A random wait behind the stamp, of about the time
 * a cache line takes to change hands, lets them meet again: xor then shows 34 to 91 false
 * misses a second on one hot line where it showed 2 to 11.
 */
#define JITTER 3

void audit_enter(struct worker *w, const struct table *t, enum witness_type type, uint64_t line,
		 uint64_t key, struct audited *a)
{
	a->op = (struct witness_op){
		.key = key, .type = (uint8_t)type, .victim = -1, .bump_to = -1
	};
	if (!w->audit->witness[t->kind]) {
		a->mark.w = NULL;
		return;
	}
	witness_begin(w->audit->witness[t->kind], w->id, line, w->epoch, &a->op, &a->mark);
	for (uint64_t n = rng_below(&w->jitter, JITTER); n; n--)
		cpu_relax();
}

/* Take the second stamp. Did another operation write the line meanwhile? */
static bool leave_contended(struct audited *a)
{
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;

	if (!a->mark.w || witness_end(&a->mark, &a->op))
		return false;
	/* Interrupted for so long that nobody knows who all was there: somebody was. */
	if (a->op.end - a->op.start > WITNESS_REACH)
		return true;
	witness_history(&a->mark, a->op.start, op, &h);
	return judge_contended(&h, a->op.start, a->op.end);
}

void audit_cleared(struct audited *a)
{
	if (a->mark.w)
		witness_end(&a->mark, &a->op);
}

void audit_probed(struct audited *a, struct counts *n)
{
	n->contended_probes += leave_contended(a);
}

/* The bits of a store's serial that its words carry. */
static uint32_t entry_serial(enum kind kind, const uint64_t *word, uint32_t *mask)
{
	*mask = UINT32_MAX;
	if (kind_is_wide(kind))
		return (uint32_t)(word[0] >> STAMP_WIDE_SERIAL_SHIFT);
	if (audit_words(kind) > 1)
		return (uint32_t)(word[1] >> STAMP_WIDE_SERIAL_SHIFT);
	*mask = STAMP_NARROW_SERIALS - 1;
	return (uint32_t)word[0] & *mask;
}

/* Is this an entry that the store wrote? The generation doesn't matter. */
static bool entry_of(const struct audit *a, enum kind kind, const struct witness_op *store,
		     const uint64_t *word)
{
	uint32_t mask, serial = entry_serial(kind, word, &mask);

	return audit_holds(a, kind, store->key, word) && !((serial ^ store->serial) & mask);
}

void audit_hit(struct worker *w, const struct table *t, const struct audited *a, unsigned slot,
	       const uint64_t *word, struct counts *n)
{
	struct returned r = { .key = a->op.key,
			      .start = a->op.start,
			      .end = a->op.end,
			      .slot = (int)slot,
			      .slotted = t->kind == KIND_TT };
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;

	if (!audit_check(w, t, a->op.key, word, n) || !a->mark.w)
		return;
	r.serial = entry_serial(t->kind, word, &r.serial_mask);
	if (!witness_suspects(&a->mark, r.key, r.serial, r.serial_mask,
			      r.slotted ? r.slot : -1))
		return;
	witness_history(&a->mark, a->op.start, op, &h);
	n->stale += judge_stale(&h, &r);
}

/* A look at the line after an operation, between stamps of its own. */
struct second_look {
	struct audited seen;
	bool undisturbed;
	unsigned match;
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
};

static void look_again(struct worker *w, struct table *t, const struct audited *a,
		       struct second_look *l)
{
	audit_enter(w, t, WITNESS_PROBE, a->mark.line, a->op.key, &l->seen);
	l->match = t->loops->find(t, w, a->op.key, l->word);
	l->undisturbed = witness_end(&l->seen.mark, &l->seen.op);
}

/* What a line lost is counted once, here or at rest. */
struct lost_store {
	enum kind kind;
	uint64_t line, start;
};

static void count_lost(struct worker *w, enum kind kind, const struct audited *a,
		       struct counts *n)
{
	w->lost = xrealloc(w->lost, (w->nr_lost + 1) * sizeof(*w->lost));
	w->lost[w->nr_lost++] = (struct lost_store){ kind, a->mark.line, a->op.start };
	n->lost++;
}

/* A store that others wrote around: is it there, if it must be? */
void audit_stored(struct worker *w, struct table *t, struct audited *a, struct counts *n)
{
	struct witness_op op[WITNESS_MAX_OPS];
	struct second_look l;
	struct history h;

	if (!leave_contended(a))
		return;
	n->contended_stores++;
	if (a->op.victim < 0)
		return;
	look_again(w, t, a, &l);
	if (!l.undisturbed)
		return;
	for (unsigned m = l.match; m; m &= m - 1)
		if (entry_of(w->audit, t->kind, &a->op, l.word[__builtin_ctz(m)]))
			return;
	witness_history(&l.seen.mark, a->op.start, op, &h);
	if (judge_must_hold(&h, a->op.start, l.seen.op.start, l.seen.op.end))
		count_lost(w, t->kind, a, n);
}

void audit_again(struct worker *w, struct table *t, struct audited *a, int bumped_to,
		 struct counts *n)
{
	const struct witness_op op = a->op;

	if (!a->mark.w)
		return;
	a->op.victim = -1;
	a->op.bump_to = (int8_t)bumped_to;
	a->op.held = 0; /* by now, who knows */
	audit_stored(w, t, a, n);
	audit_enter(w, t, WITNESS_STORE, a->mark.line, op.key, a);
	a->op.serial = op.serial;
}

static enum verdict verdict_on(const struct worker *w, const struct table *t,
			       const struct audited *a, const struct second_look *l)
{
	struct missed m = { .key = a->op.key,
			    .start = a->op.start,
			    .end = a->op.end,
			    .again_start = l->seen.op.start,
			    .again_end = l->seen.op.end,
			    .again_slot = -1 };
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;

	for (unsigned s = l->match; s && m.again_slot < 0; s &= s - 1)
		if (audit_holds(w->audit, t->kind, a->op.key, l->word[__builtin_ctz(s)]))
			m.again_slot = __builtin_ctz(s);
	witness_history(&l->seen.mark, a->op.start, op, &h);
	return judge_miss(&h, &m);
}

void audit_missed(struct worker *w, struct table *t, const struct audited *a, struct counts *n)
{
	enum verdict v = MISS_HONEST;
	struct second_look l;

	/* Nobody was around: no need to ask. */
	if (a->mark.w && !(a->mark.quiet && a->op.end == a->op.start + 1)) {
		look_again(w, t, a, &l);
		v = verdict_on(w, t, a, &l);
	}
	n->false_misses += v == MISS_FALSE;
	n->possible += v == MISS_POSSIBLE;
	if (t->kind == KIND_KV && w->audit->exact)
		exact_missed(w, t, a->op.key, v == MISS_FALSE ? &l.seen.mark : NULL);
}

struct rest_walk {
	const struct audit *audit;
	const struct table *t;
	struct rest_faults *faults;
	uint64_t *seen; /* owners of authentic slots */
	size_t nr_seen, room;
};

static void judge_slot(void *arg, const struct slot_view *v)
{
	struct rest_walk *r = arg;
	const struct table *t = r->t;
	uint64_t first = v->sig, last = v->sig;
	const uint64_t *owner;

	if (t->class->lines)
		line_keys(t, v->line, &first, &last);
	owner = true_owner(r->audit, t->kind, first, last, v->sig, v->word, v->nr_words);
	if (!owner) {
		r->faults->unusable_slots++;
		return;
	}
	if (r->nr_seen == r->room) {
		r->room = r->room ? 2 * r->room : 4096;
		r->seen = xrealloc(r->seen, r->room * sizeof(*r->seen));
	}
	r->seen[r->nr_seen++] = *owner;
}

struct rest_lost {
	const struct audit *audit;
	struct table *t;
	struct worker *const *w;
	unsigned nr;
	uint64_t *count;
};

static bool counted_before(const struct rest_lost *r, uint64_t line, uint64_t start)
{
	for (unsigned i = 0; i < r->nr; i++)
		for (size_t j = 0; j < r->w[i]->nr_lost; j++)
			if (r->w[i]->lost[j].kind == r->t->kind &&
			    r->w[i]->lost[j].line == line && r->w[i]->lost[j].start == start)
				return true;
	return false;
}

static void judge_last(void *arg, uint64_t line, const struct witness_op *store)
{
	struct rest_lost *r = arg;
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
	unsigned match = r->t->loops->find(r->t, r->w[0], store->key, word);

	for (; match; match &= match - 1)
		if (entry_of(r->audit, r->t->kind, store, word[__builtin_ctz(match)]))
			return;
	*r->count += !counted_before(r, line, store->start);
}

void audit_rest(const struct audit *a, struct table *t, struct worker *const *w, unsigned nr,
		struct rest_faults *out)
{
	struct rest_lost lost = {
		.audit = a, .t = t, .w = w, .nr = nr, .count = &out->lost_stores
	};
	struct rest_walk r = { .audit = a, .t = t, .faults = out };
	struct key_set distinct;

	memset(out, 0, sizeof(*out));
	t->loops->walk(t, judge_slot, &r);
	out->slots = r.nr_seen;
	key_set_make(&distinct, r.seen, r.nr_seen);
	out->distinct = distinct.nr;
	if (t->kind == KIND_KV)
		out->duplicate_keys = out->slots - out->distinct;
	free(r.seen);
	if (a->witness[t->kind])
		witness_last_stores(a->witness[t->kind], w[0]->epoch, judge_last, &lost);
}

double audit_undetected(enum kind kind)
{
	return ldexp(1, -(kind_is_wide(kind) ? STAMP_WIDE_AUTH_BITS : STAMP_NARROW_AUTH_BITS));
}
