// SPDX-License-Identifier: BSD-2-Clause
/* The audit out of the loops: mismatches, the walk at rest. Exact mode is in exact.c. */
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
	uint64_t width = t->class->lines ? UINT64_MAX >> t->index_bits : 0;

	*first = key & ~width;
	*last = key | width;
}

void audit_mismatch(struct worker *w, const struct table *t, uint64_t key, const uint64_t *word,
		    struct counts *n)
{
	unsigned nr = t->kind == KIND_PAWN ? MAX_ENTRY_WORDS : 1;
	uint64_t first, last;

	line_span(t, key, &first, &last);
	if (true_owner(w->audit, t->kind, first, last, key, word, nr))
		n->wrong_key++;
	else
		n->torn++;
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

	if (t->class->lines) {
		unsigned below = 64 - t->index_bits;

		first = below == 64 ? 0 : v->line << below;
		last = first | UINT64_MAX >> t->index_bits;
	}
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

void audit_rest(const struct audit *a, struct table *t, struct rest_faults *out)
{
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
}

double audit_undetected(enum kind kind)
{
	return ldexp(1, -(kind_is_wide(kind) ? STAMP_WIDE_AUTH_BITS : STAMP_NARROW_AUTH_BITS));
}
