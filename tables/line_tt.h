/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_tt - tt entries in a line: what line_table.h makes of a scheme and the policy
 *
 * A store looks at the slots that the policy decides by, bumps if it is told to, and writes one;
 * a probe takes matching entries until one is usable, and then refreshes those it took. Which of
 * it happens in what section follows from LINE_EXCLUSION.
 */
static __always_inline void T(tt_store)(struct table *t, struct worker *w,
					const struct trace_op *op, uint64_t key,
					struct counts *n, const bool audit)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(KIND_TT, t, key);
	uint64_t index = T(index)(KIND_TT, t, line);
	uint64_t generation, word;
	struct tt_store in;
	struct tt_slot s0, s1, victim;
	struct tt_plan plan;
	struct audited a;

	if (!tt_store_begin(t, op, n, &in))
		return;
	if (audit)
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
	generation = READ_ONCE64(&t->generation);
	T(begin_write)(KIND_TT, t, w, line, index);
	for (;;) {
		if (audit)
			a.op.held = T(held)(KIND_TT, w, line, key, sig);
		s0 = T(look)(KIND_TT, line, 0, sig);
		s1 = T(look)(KIND_TT, line, 1, sig);
		plan = tt_plan_store(s0, s1, &in, generation, t->mate, LINE_SLOTS);
		if (plan.bump_to >= 0) {
			T(bump)(line, (unsigned)plan.victim, (unsigned)plan.bump_to);
			n->bumps++;
		}
		victim = plan.victim == 0   ? s0
			 : plan.victim == 1 ? s1
					    : T(look)(KIND_TT, line, LINE_SLOTS - 1, sig);
		word = tt_merge(victim, &in, generation, t->mate);
		if (audit)
			a.op.serial = audit_stamp(w, KIND_TT, op, key, &word);
		if (T(swap)(line, (unsigned)plan.victim, &victim, sig, 1, &word))
			break;
		if (audit)
			audit_again(w, t, &a, plan.bump_to, n);
	}
	T(end_write)(KIND_TT, t, w, line, index);
	if (audit) {
		a.op.victim = (int8_t)plan.victim;
		a.op.bump_to = (int8_t)plan.bump_to;
		audit_stored(w, t, &a, n);
	}
}

/*
 * Give the entries that matched the current generation. Under exclusion only where the
 * slot still holds what was read; without, refresh=always and stale write blindly (and
 * may bring an old entry back: that is what the audit is for), refresh=cas compares.
 * Returns the slots it may have written, as a mask.
 */
static __always_inline unsigned T(refresh)(struct table *t, atomic_word *line, uint64_t sig,
					   const uint64_t *word, unsigned match,
					   struct counts *n)
{
	uint64_t generation = READ_ONCE64(&t->generation);
	uint64_t now, fresh;
	unsigned wrote = 0;

	for (; match; match &= match - 1) {
		unsigned s = (unsigned)__builtin_ctz(match);

		fresh = tt_refreshed(word[s], generation);
		if (fresh == word[s] && t->refresh != REFRESH_ALWAYS)
			continue;
		if (LINE_EXCLUSION == LINE_SWAP ||
		    (LINE_EXCLUSION == LINE_FREE && t->refresh == REFRESH_CAS)) {
			/* one of two words may be exchanged and the other not */
			wrote |= 1u << s;
			n->refreshes += T(replace)(line, s, sig, word[s], fresh);
			continue;
		}
		if (LINE_EXCLUSION == LINE_SEQUENCE &&
		    !(T(load)(line, s, sig, 1, &now) && now == word[s]))
			continue;
#ifdef LINE_REFRESH
		T(rewrite)(line, s, sig, word[s], fresh);
#elif LINE_EXCLUSION != LINE_SWAP
		T(put)(line, s, sig, 1, &fresh);
#endif
		wrote |= 1u << s;
		n->refreshes++;
	}
	return wrote;
}

/* Does any of the matched entries want a refresh? Keeps seqlock readers readers. */
static __always_inline bool T(wants_refresh)(const struct table *t, const uint64_t *word,
					     unsigned match)
{
	uint64_t generation;

	if (!match || t->refresh == REFRESH_NEVER)
		return false;
	if (t->refresh == REFRESH_ALWAYS)
		return true;
	generation = READ_ONCE64(&t->generation);
	for (; match; match &= match - 1)
		if (tt_stale(word[__builtin_ctz(match)], generation))
			return true;
	return false;
}

/*
 * Take matching entries into the answer, in the order of slots, until one is usable.
 * Returns those taken, as a mask, and how many; their words are in word[slot].
 */
static __always_inline unsigned T(gather)(const atomic_word *line, uint64_t sig,
					  const struct tt_query *q, uint64_t *word,
					  struct tt_answer *a, unsigned *matches)
{
	unsigned match = 0;

	*matches = 0;
	*a = (struct tt_answer){ 0 };
#ifdef LINE_SCAN
	for (unsigned m = T(scan)(KIND_TT, line, sig).match; m; m &= m - 1) {
		unsigned s = (unsigned)__builtin_ctz(m);
#else
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(KIND_TT); s++) {
#endif
		if (!T(load)(line, s, sig, 1, &word[s]) || tt_empty(word[s]))
			continue;
		match |= 1u << s;
		++*matches;
		if (tt_lookup(a, word[s], q))
			break;
	}
	return match;
}

static __always_inline struct answer T(tt_probe)(struct table *t, struct worker *w,
						 const struct trace_op *op, uint64_t key,
						 struct counts *n, const bool audit,
						 struct table_answer *whole)
{
	const struct tt_query q = query_from_op(t, op);
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(KIND_TT, t, key);
	uint64_t index = T(index)(KIND_TT, t, line);
	uint64_t word[LINE_SLOTS];
	struct tt_answer a;
	struct audited seen;
	unsigned match, matches, refreshed = 0;
	unsigned cookie;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, index, key, &seen);
	do {
		cookie = T(begin_read)(KIND_TT, t, w, line, index);
		match = T(gather)(line, sig, &q, word, &a, &matches);
		if (LINE_EXCLUSION == LINE_LOCKED && T(wants_refresh)(t, word, match))
			refreshed = T(refresh)(t, line, sig, word, match, n);
	} while (!T(end_read)(KIND_TT, t, w, line, index, cookie));

	if (LINE_EXCLUSION != LINE_LOCKED && T(wants_refresh)(t, word, match)) {
		T(begin_write)(KIND_TT, t, w, line, index);
		refreshed = T(refresh)(t, line, sig, word, match, n);
		T(end_write)(KIND_TT, t, w, line, index);
	}
	if (audit) {
		seen.op.refreshed = (uint8_t)refreshed;
		for (unsigned m = refreshed; m; m &= m - 1)
			seen.op.held |= audit_holds(w, KIND_TT, key, &word[__builtin_ctz(m)])
					<< __builtin_ctz(m);
		audit_probed(&seen, n);
		for (unsigned m = match; m; m &= m - 1)
			audit_hit(w, t, &seen, (unsigned)__builtin_ctz(m),
				  &word[__builtin_ctz(m)], n);
		if (!match)
			audit_missed(w, t, &seen, n);
	}
	n->hits += match != 0;
	n->matches += matches;
	n->usable[a.bound]++;
	if (whole)
		tt_answer_give(&a, whole);
	return (struct answer){ .hit = match, .word = tt_answer_sum(&a) };
}
