/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_words - eval, pawn and kv entries in a line: words that a store overwrites whole
 *
 * eval and pawn have one slot a line, of kv there are several, and a key stands in one of them.
 */
/* The same key's slot, else an empty one, else the one the key picks. */
static __always_inline unsigned T(kv_slot)(const struct table *t, const atomic_word *line,
					   uint64_t key, struct tt_slot *seen)
{
	uint64_t sig = key & t->sig_mask;
	unsigned taken = 0;

#ifdef LINE_SCAN
	struct line_scan scan = T(scan)(KIND_KV, line, sig);

	taken = scan.taken;
	if (scan.match)
		return (unsigned)__builtin_ctz(scan.match);
#else
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(KIND_KV); s++) {
		seen[s] = T(look)(KIND_KV, line, s, sig);
		if (entry_empty(KIND_KV, seen[s].word))
			continue;
		taken |= 1u << s;
		if (seen[s].holds)
			return s;
	}
#endif
	if (taken != (1u << LINE_SLOTS) - 1)
		return (unsigned)__builtin_ctz(~taken);
	return kv_victim(line_rest(t, key), LINE_SLOTS);
}

/* The slot to be written; what was seen there goes to seen[slot], where a swap will ask. */
static __always_inline unsigned T(place)(const enum kind kind, const struct table *t,
					 const atomic_word *line, uint64_t key,
					 struct tt_slot *seen)
{
	if (kind == KIND_KV)
		return T(kv_slot)(t, line, key, seen);
	if (LINE_EXCLUSION == LINE_SWAP)
		seen[0] = T(look)(kind, line, 0, key & t->sig_mask);
	return 0;
}

static __always_inline void T(overwrite)(const enum kind kind, struct table *t,
					 struct worker *w, const struct trace_op *op,
					 const uint64_t *own, uint64_t key, struct counts *n,
					 const bool audit)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(kind, t, key);
	uint64_t index = T(index)(kind, t, line);
	uint64_t word[MAX_ENTRY_WORDS];
	struct tt_slot seen[LINE_SLOTS];
	struct audited a;
	unsigned slot;

	entry_words_of(kind, op, own, word);
	if (audit) {
		audit_enter(w, t, WITNESS_STORE, index, key, &a);
		a.op.serial = audit_stamp(w, kind, op, key, word);
	}
	T(begin_write)(kind, t, w, line, index);
	for (;;) {
		if (audit)
			a.op.held = T(held)(kind, w, line, key, sig);
		slot = T(place)(kind, t, line, key, seen);
		if (T(swap)(line, slot, &seen[slot], sig, entry_words(kind), word))
			break;
		if (audit)
			audit_again(w, t, &a, -1, n);
	}
	T(end_write)(kind, t, w, line, index);
	if (audit) {
		a.op.victim = (int8_t)slot;
		audit_stored(w, t, &a, n);
	}
}

/* The first slot that verifies, copied whole; if none does, zeros. */
static __always_inline bool T(copy)(const enum kind kind, const struct table *t,
				    const atomic_word *line, const struct trace_op *op,
				    uint64_t sig, uint64_t *word, unsigned *slot)
{
#ifdef LINE_SCAN
	/* A caller that chains keys waits for this one where it finds the line. */
	if (kind == KIND_KV)
		return T(pick)(line, &op->key, t->sig_mask, word, slot);
#endif
#pragma GCC unroll 4
	for (unsigned s = 0; s < T(slots)(kind); s++) {
		if (T(load)(line, s, sig, entry_words(kind), word) &&
		    !entry_empty(kind, word[0])) {
			*slot = s;
			return true;
		}
	}
	for (unsigned i = 0; i < entry_words(kind); i++)
		word[i] = 0;
	return false;
}

static __always_inline struct answer T(words_probe)(const enum kind kind, struct table *t,
						    struct worker *w, const struct trace_op *op,
						    uint64_t key, struct counts *n,
						    const bool audit,
						    struct table_answer *whole)
{
	uint64_t sig = key & t->sig_mask;
	atomic_word *line = T(line)(kind, t, key);
	uint64_t index = T(index)(kind, t, line);
	uint64_t word[MAX_ENTRY_WORDS];
	struct audited seen;
	struct answer a = { 0 };
	unsigned slot = 0, cookie;

	if (audit)
		audit_enter(w, t, WITNESS_PROBE, index, key, &seen);
	do {
		cookie = T(begin_read)(kind, t, w, line, index);
		a.hit = T(copy)(kind, t, line, op, sig, word, &slot);
	} while (!T(end_read)(kind, t, w, line, index, cookie));
	n->hits += a.hit;
	n->matches += a.hit;
	if (audit) {
		audit_probed(&seen, n);
		if (a.hit)
			audit_hit(w, t, &seen, slot, word, n);
		else
			audit_missed(w, t, &seen, n);
	}
	for (unsigned i = 0; i < entry_words(kind); i++)
		a.word += word[i];
	if (whole)
		memcpy(whole->word, word, entry_words(kind) * sizeof(*word));
	return a;
}
