/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * container_table - the template of tables that hold one entry per key, wherever it stands
 *
 * Here is what such tables keep and answer (tt: the new entry replaces the old if it is as
 * deep or the old one is stale), and what the audit is told; a scheme says how an entry is
 * found, written and pushed out. Keys live in regions: a store may evict anything else of
 * its region, and to the witness a region is a line of one slot. t->lines is their number.
 *
 * A scheme defines TABLE to its prefix, CONTAINER_WORDS to the data words an entry can have
 * and, always-inline,
 *
 *   uint64_t T(region)(t, key)
 *   void T(begin_read)(t, w, region)       what keeps an entry that was found from being
 *   void T(end_read)(t, w, region)         used for another key. Nothing waits in between
 *   void T(begin_write)(t, w, region)      that too, and what excludes other writers of the
 *   void T(end_write)(t, w, region)        region, if anything does
 *   bool T(get)(kind, t, region, key, f)   copy a key's entry to f->word; f->at is the
 *                                          scheme's own, for set. In either section
 *   bool T(set)(kind, t, w, region, key, f, word)
 *                                          write a key's words. f: what get found in the
 *                                          same section. False: somebody else has written
 *                                          the key since, and nothing is done
 *
 * and, out of line,
 *
 *   void T(walk_region)(t, region, show)        at rest: container_show() every entry
 *   void T(clear_region)(t, w, region)          remove every entry, amid readers; between
 *                                               begin_write and end_write
 *
 * CONTAINER_IN_PLACE, where a tt entry can be refreshed in the read section that found it:
 * then also
 *
 *   bool T(replace)(f, new)                write the word only over the one found
 *
 * Without, a refresh takes the write side after the read section, and looks again.
 *
 * A scheme without locks has empty begin_write and end_write, or a read section there, and
 * a set that can fail. It includes this file, which makes probe, store, find, walk and
 * clear_live, and the replay loops (replay.h).
 */
#include "container.h"
#include "template.h"
#include "container_needs.h"

/* Not every table needs all that the others do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

static __always_inline void T(prefetch)(const enum kind kind, const struct table *t,
					uint64_t key)
{
	/* Where an entry stands is known only after walking there. */
}

static __always_inline void T(tt_store)(struct table *t, struct worker *w,
					const struct trace_op *op, uint64_t key,
					struct counts *n, const bool audit)
{
	uint64_t region = T(region)(t, key);
	uint64_t generation, word;
	struct tt_store in;
	struct audited a;
	struct found f;

	if (!tt_store_begin(t, op, n, &in))
		return;
	if (audit)
		audit_enter(w, t, WITNESS_STORE, region, key, &a);
	generation = READ_ONCE64(&t->generation);
	T(begin_write)(t, w, region);
	do {
		f.held = T(get)(KIND_TT, t, region, key, &f);
		if (f.held && in.depth < tt_depth(f.word[0]) &&
		    !tt_stale(f.word[0], generation)) {
			a.op.victim = -1;
			break;
		}
		word = tt_merge((struct tt_slot){ .word = f.word[0], .holds = f.held }, &in,
				generation, t->mate);
		if (audit) {
			a.op.serial = audit_stamp(w, KIND_TT, op, key, &word);
			a.op.victim = 0;
		}
	} while (!T(set)(KIND_TT, t, w, region, key, &f, &word));
	T(end_write)(t, w, region);
	if (audit) {
		a.op.held = f.held;
		audit_stored(w, t, &a, n);
	}
}

/* eval, pawn, kv: the key's entry is overwritten, whatever it was. */
static __always_inline void T(overwrite)(const enum kind kind, struct table *t,
					 struct worker *w, const struct trace_op *op,
					 const uint64_t *own, uint64_t key, struct counts *n,
					 const bool audit)
{
	uint64_t region = T(region)(t, key);
	uint64_t word[MAX_ENTRY_WORDS];
	struct audited a;
	struct found f;

	entry_words_of(kind, op, own, word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, region, key, &a);
		a.op.serial = audit_stamp(w, kind, op, key, word);
		a.op.victim = 0;
	}
	T(begin_write)(t, w, region);
	do
		f.held = T(get)(kind, t, region, key, &f);
	while (!T(set)(kind, t, w, region, key, &f, word));
	T(end_write)(t, w, region);
	if (audit) {
		a.op.held = f.held;
		audit_stored(w, t, &a, n);
	}
}

static __always_inline void T(store)(const enum kind kind, struct table *t, struct worker *w,
				     const struct trace_op *op, const uint64_t *own,
				     uint64_t key, struct counts *n, const bool audit)
{
	if (entry_words(kind) > CONTAINER_WORDS)
		return;
	if (kind == KIND_TT)
		T(tt_store)(t, w, op, key, n, audit);
	else
		T(overwrite)(kind, t, w, op, own, key, n, audit);
}

static __always_inline bool T(wants_refresh)(const struct table *t, const struct found *f,
					     uint64_t *fresh)
{
	if (!f->held || t->refresh == REFRESH_NEVER)
		return false;
	*fresh = tt_refreshed(f->word[0], READ_ONCE64(&t->generation));
	return t->refresh == REFRESH_ALWAYS || *fresh != f->word[0];
}

#ifndef CONTAINER_IN_PLACE
/* Give an entry the current generation if it is still the one read. True if it did. */
static bool T(refresh)(struct table *t, struct worker *w, uint64_t region, uint64_t key,
		       uint64_t word, uint64_t fresh)
{
	struct found f;
	bool still;

	T(begin_write)(t, w, region);
	f.held = T(get)(KIND_TT, t, region, key, &f);
	still = f.held && f.word[0] == word && T(set)(KIND_TT, t, w, region, key, &f, &fresh);
	T(end_write)(t, w, region);
	return still;
}
#endif

/* Find the entry; tt: refresh it, if it wants to be. True if that was done. */
static __always_inline bool T(look_up)(const enum kind kind, struct table *t, struct worker *w,
				       uint64_t region, uint64_t key, struct found *f)
{
	bool refreshed = false;
	uint64_t fresh;

	T(begin_read)(t, w, region);
	f->held = T(get)(kind, t, region, key, f);
#ifdef CONTAINER_IN_PLACE
	if (kind == KIND_TT && T(wants_refresh)(t, f, &fresh))
		refreshed = T(replace)(f, fresh);
#endif
	T(end_read)(t, w, region);
#ifndef CONTAINER_IN_PLACE
	if (kind == KIND_TT && T(wants_refresh)(t, f, &fresh))
		refreshed = T(refresh)(t, w, region, key, f->word[0], fresh);
#endif
	return refreshed;
}

static __always_inline struct answer T(answer)(const enum kind kind, const struct table *t,
					       const struct found *f, const struct trace_op *op,
					       struct counts *n, struct table_answer *whole)
{
	const struct tt_query q = query_from_op(t, op);
	struct answer answer = { .hit = true };
	struct tt_answer a = { 0 };

	if (kind == KIND_TT) {
		tt_lookup(&a, f->word[0], &q);
		n->usable[a.bound]++;
		if (whole)
			tt_answer_give(&a, whole);
		answer.word = tt_answer_sum(&a);
		return answer;
	}
	for (unsigned i = 0; i < entry_words(kind); i++)
		answer.word += f->word[i];
	if (whole)
		memcpy(whole->word, f->word, entry_words(kind) * sizeof(f->word[0]));
	return answer;
}

static __always_inline struct answer T(probe)(const enum kind kind, struct table *t,
					      struct worker *w, const struct trace_op *op,
					      uint64_t key, struct counts *n, const bool audit,
					      struct table_answer *whole)
{
	uint64_t region = T(region)(t, key);
	struct audited seen;
	struct found f;
	bool refreshed;

	if (entry_words(kind) > CONTAINER_WORDS)
		return (struct answer){ .hit = false };
	if (audit)
		audit_enter(w, t, WITNESS_PROBE, region, key, &seen);
	refreshed = T(look_up)(kind, t, w, region, key, &f);
	if (audit) {
		seen.op.refreshed = refreshed;
		seen.op.held = refreshed && audit_holds(w, kind, key, f.word);
		audit_probed(&seen, n);
		if (f.held)
			audit_hit(w, t, &seen, 0, f.word, n);
		else
			audit_missed(w, t, &seen, n);
	}
	n->refreshes += refreshed;
	if (!f.held)
		return (struct answer){ .hit = false };
	n->hits++;
	n->matches++;
	return T(answer)(kind, t, &f, op, n, whole);
}

static __always_inline unsigned T(find_one)(const enum kind kind, struct table *t,
					    struct worker *w, uint64_t key, uint64_t *word)
{
	uint64_t region = T(region)(t, key);
	struct found f;

	T(begin_read)(t, w, region);
	f.held = T(get)(kind, t, region, key, &f);
	T(end_read)(t, w, region);
	for (unsigned i = 0; f.held && i < entry_words(kind); i++)
		word[i] = f.word[i];
	return f.held;
}

static unsigned T(find)(struct table *t, struct worker *w, uint64_t key,
			uint64_t word[][MAX_ENTRY_WORDS])
{
	if (entry_words(t->kind) > CONTAINER_WORDS)
		return 0;
	return t->kind == KIND_PAWN ? T(find_one)(KIND_PAWN, t, w, key, word[0])
				    : T(find_one)(KIND_KV, t, w, key, word[0]);
}

static void T(walk)(struct table *t, table_walk_fn *fn, void *arg)
{
	struct shown s = { .fn = fn, .arg = arg, .view = { .nr_words = entry_words(t->kind) } };

	for (s.view.line = 0; s.view.line < t->lines; s.view.line++) {
		s.view.slot = 0;
		T(walk_region)(t, s.view.line, &s);
	}
}

static void T(clear_live)(struct table *t, struct worker *w)
{
	struct audited a;

	for (uint64_t region = 0; region < t->lines; region++) {
		worker_begins(w);
		if (w->audit)
			audit_enter(w, t, WITNESS_CLEAR, region, 0, &a);
		T(begin_write)(t, w, region);
		T(clear_region)(t, w, region);
		T(end_write)(t, w, region);
		if (w->audit)
			audit_cleared(&a);
	}
	WRITE_ONCE64(&t->generation, 0);
}

#include "replay.h"

#pragma GCC diagnostic pop
