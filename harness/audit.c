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
static const uint64_t *true_owner(const struct worker *w, enum kind kind, uint64_t first,
				  uint64_t last, uint64_t sig, const uint64_t *word)
{
	const struct key_set *s = &w->audit->keys[kind];
	uint64_t mask = sig_mask(w->audit);

	for (size_t i = lower_bound(s, first); i < s->nr && s->key[i] <= last; i++)
		if ((s->key[i] & mask) == (sig & mask) &&
		    audit_holds(w, kind, s->key[i], word))
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

/* Epochs back that are asked about. */
#define OLD_EPOCHS 8

/* Are these words of the key from before one of the last clears? */
static bool outlived_a_clear(const struct worker *w, enum kind kind, uint64_t key,
			     const uint64_t *word)
{
	struct worker then = { .audit = w->audit };

	for (uint32_t back = 1; back <= OLD_EPOCHS && back <= w->epoch; back++) {
		then.epoch = w->epoch - back;
		if (audit_holds(&then, kind, key, word))
			return true;
	}
	return false;
}

bool audit_check(struct worker *w, const struct table *t, uint64_t key, const uint64_t *word,
		 struct counts *n)
{
	uint64_t first, last;

	if (audit_holds(w, t->kind, key, word))
		return true;
	line_span(t, key, &first, &last);
	if (outlived_a_clear(w, t->kind, key, word))
		n->ghosts++;
	else if (true_owner(w, t->kind, first, last, key, word))
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
	witness_history(&a->mark, a->op.start, false, op, &h);
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
static bool entry_of(const struct worker *w, enum kind kind, const struct witness_op *store,
		     const uint64_t *word)
{
	uint32_t mask, serial = entry_serial(kind, word, &mask);

	return audit_holds(w, kind, store->key, word) && !((serial ^ store->serial) & mask);
}

void audit_hit(struct worker *w, const struct table *t, const struct audited *a, unsigned slot,
	       const uint64_t *word, struct counts *n)
{
	struct returned r = { .key = a->op.key,
			      .start = a->op.start,
			      .end = a->op.end,
			      .slot = (int)slot,
			      .slotted = t->kind == KIND_TT,
			      .placed = t->class->lines };
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;

	if (w->nr_given < MAX_SLOTS)
		memcpy(w->given[w->nr_given++], word, audit_words(t->kind) * sizeof(*word));
	if (!audit_check(w, t, a->op.key, word, n) || !a->mark.w)
		return;
	r.serial = entry_serial(t->kind, word, &r.serial_mask);
	if (!witness_suspects(&a->mark, &r))
		return;
	witness_history(&a->mark, a->op.start, true, op, &h);
	if (judge_stale(&h, &r))
		n->stale++;
	else
		n->ghosts += judge_ghost(&h, &r);
}

/* A look at the line after an operation, between stamps of its own. */
struct second_look {
	struct audited seen;
	bool undisturbed;
	unsigned match;
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
	unsigned own; /* of those, the slots that hold authentic words of the key */
};

static void look_again(struct worker *w, struct table *t, const struct audited *a,
		       struct second_look *l)
{
	audit_enter(w, t, WITNESS_PROBE, a->mark.line, a->op.key, &l->seen);
	l->match = t->loops->find(t, w, a->op.key, l->word);
	l->undisturbed = witness_end(&l->seen.mark, &l->seen.op);
	l->own = 0;
	for (unsigned m = l->match; m; m &= m - 1)
		if (audit_holds(w, t->kind, a->op.key, l->word[__builtin_ctz(m)]))
			l->own |= m & -m;
}

bool audit_asks(struct worker *w, struct table *t, uint64_t key)
{
	/* tt: deeper than any entry, so that all of the line is read */
	struct trace_op op = { .key = key, .op = (uint8_t)(t->kind << 1), .depth = UINT8_MAX };
	struct counts before = w->n[t->kind];
	struct table_answer answer;

	table_ops(t)->probe(t, w, &op, &answer);
	w->n[t->kind] = before;
	return answer.hit;
}

/*
 * What a second look found is the table's word, and on it rests a verdict: does a third,
 * by a probe like any, agree? If not, though nobody touched the line in between, the table
 * answers now this way and now that. Where somebody did, nothing is known.
 */
static bool contradicts_itself(struct worker *w, struct table *t, const struct second_look *l,
			       struct counts *n)
{
	struct audited third;
	bool hit, undisturbed;

	audit_enter(w, t, WITNESS_PROBE, l->seen.mark.line, l->seen.op.key, &third);
	hit = audit_asks(w, t, l->seen.op.key);
	if (t->kind == KIND_TT && t->refresh != REFRESH_NEVER) {
		third.op.refreshed = (uint8_t)l->match;
		third.op.held = (uint8_t)l->own;
	}
	undisturbed = witness_end(&third.mark, &third.op);
	if (!l->undisturbed || !undisturbed || third.op.start != l->seen.op.end + 1 ||
	    hit == (l->match != 0))
		return false;
	n->contradictions++;
	return true;
}

/* One in so many operations around which nothing happened is looked at again all the same. */
#define QUIET_SAMPLE 16

static bool sampled(struct worker *w)
{
	return !rng_below(&w->jitter, QUIET_SAMPLE);
}

/* What a line lost is counted once, here or at rest. */
struct lost_store {
	enum kind kind;
	uint64_t line, start;
};

static void count_lost(struct worker *w, enum kind kind, uint64_t line, uint64_t start,
		       struct counts *n)
{
	w->lost = xrealloc(w->lost, (w->nr_lost + 1) * sizeof(*w->lost));
	w->lost[w->nr_lost++] = (struct lost_store){ kind, line, start };
	n->lost++;
}

/* A store that others wrote around, or one of some: is it there, if it must be? */
static void check_store(struct worker *w, struct table *t, const struct audited *a,
			struct counts *n)
{
	struct witness_op op[WITNESS_MAX_OPS];
	struct second_look l;
	struct history h;

	look_again(w, t, a, &l);
	if (!l.undisturbed)
		return;
	for (unsigned m = l.match; m; m &= m - 1)
		if (entry_of(w, t->kind, &a->op, l.word[__builtin_ctz(m)]))
			return;
	witness_history(&l.seen.mark, a->op.start, false, op, &h);
	if (!judge_must_hold(&h, a->op.start, l.seen.op.start, l.seen.op.end) ||
	    contradicts_itself(w, t, &l, n))
		return;
	/* Whoever misses the key now need not find that out. */
	witness_forget(&a->mark, a->op.key);
	count_lost(w, t->kind, a->mark.line, a->op.start, n);
}

void audit_stored(struct worker *w, struct table *t, struct audited *a, struct counts *n)
{
	bool contended = leave_contended(a);

	n->contended_stores += contended;
	if (a->op.victim < 0)
		return;
	if (t->kind == KIND_KV && w->audit->exact && !a->op.held)
		exact_restored(w, a->op.key);
	if (contended || (a->mark.w && sampled(w)))
		check_store(w, t, a, n);
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

/*
 * The key was not there at the second look: must it have been? If only one store of it can
 * be to blame, that is lost, and counted once; else its stores have destroyed each other, and
 * every miss is counted.
 */
static void check_gone(struct worker *w, struct table *t, const struct second_look *l,
		       const struct history *h, struct counts *n)
{
	const struct witness_op *look = &l->seen.op;
	const struct witness_op *s = judge_must_find(h, look->key, look->start, look->end);

	if (!s || contradicts_itself(w, t, l, n))
		return;
	if (!judge_must_hold(h, s->start, look->start, look->end))
		n->dead_pairs++;
	else if (witness_forget(&l->seen.mark, look->key))
		count_lost(w, t->kind, l->seen.mark.line, s->start, n);
}

static enum verdict judge_again(struct worker *w, struct table *t, const struct audited *a,
				bool expected, struct second_look *l, struct counts *n)
{
	struct missed m = { .key = a->op.key, .start = a->op.start, .end = a->op.end };
	struct witness_op op[WITNESS_MAX_OPS];
	enum verdict v;
	struct history h;

	look_again(w, t, a, l);
	m.again_start = l->seen.op.start;
	m.again_end = l->seen.op.end;
	m.again_slot = l->own ? __builtin_ctz(l->own) : -1;
	witness_history(&l->seen.mark, a->op.start, expected, op, &h);
	v = judge_miss(&h, &m);
	if (v != MISS_FALSE) {
		if (!l->own)
			check_gone(w, t, l, &h, n);
		return v;
	}
	m.again_slot = -1;
	if (judge_miss(&h, &m) == MISS_FALSE)
		return v;
	if (contradicts_itself(w, t, l, n))
		return MISS_HONEST;
	n->on_its_word++;
	return v;
}

void audit_missed(struct worker *w, struct table *t, const struct audited *a, struct counts *n)
{
	enum verdict v = MISS_HONEST;
	struct second_look l;

	if (a->mark.w) {
		bool quiet = a->mark.quiet && a->op.end == a->op.start + 1;
		bool expected = witness_expects(&a->mark, a->op.key);

		if (!quiet || expected || sampled(w))
			v = judge_again(w, t, a, expected, &l, n);
	}
	n->false_misses += v == MISS_FALSE;
	n->possible += v == MISS_POSSIBLE;
	if (t->kind == KIND_KV && w->audit->exact)
		exact_missed(w, t, a->op.key, v == MISS_FALSE ? &l.seen.mark : NULL, n);
}

struct rest_walk {
	const struct worker *w;
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
	owner = true_owner(r->w, t->kind, first, last, v->sig, v->word);
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
		if (entry_of(r->w[0], r->t->kind, store, word[__builtin_ctz(match)]))
			return;
	*r->count += !counted_before(r, line, store->start);
}

void audit_rest(const struct audit *a, struct table *t, struct worker *const *w, unsigned nr,
		struct rest_faults *out)
{
	struct rest_lost lost = { .t = t, .w = w, .nr = nr, .count = &out->lost_stores };
	struct rest_walk r = { .w = w[0], .t = t, .faults = out };
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
