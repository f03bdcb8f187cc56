/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay - the measured loops, stamped out for one table
 *
 * Include with TABLE defined to a prefix for which these exist, all always-inline:
 *
 *   struct answer T(probe)(const enum kind, t, w, op, key, n, const bool audit, whole)
 *   void T(store)(const enum kind, t, w, op, own, key, n, const bool audit)
 *   void T(prefetch)(const enum kind, t, key)
 *
 * where `whole` is NULL, as it is in the loops, or a struct table_answer, all zero, to be filled
 * in but for `hit`; and `own` NULL, or the words that a caller stores, of a kind other than tt:
 * see single.h.
 *
 * and, out of line, T(find), T(walk) and T(clear_live) as table.h has them. Where a thread
 * must say that it is about to use a table for a while, and that it has ceased to, define
 * REPLAY_SECTIONS and
 *
 *   void T(online)(t, w), T(offline)(t, w)
 *
 * which enclose each call of a loop, and of T(clear_live).
 *
 * It leaves `static const struct table_loops T(loops)`, in which are single operations, too.
 * Every loop gets kind, caller and audit as constants, so one source makes straight code for
 * each: no call through a pointer, no allocation, no clock, no shared counter.
 */
#include "template.h"

/* Not every table needs all that the others do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifndef REPLAY_SHAPE
#define REPLAY_SHAPE NULL
#endif

#ifndef REPLAY_SECTIONS
static __always_inline void T(online)(struct table *t, struct worker *w)
{
}

static __always_inline void T(offline)(struct table *t, struct worker *w)
{
}
#endif

static __always_inline void T(one_op)(const enum kind kind, const enum caller caller,
				      const bool audit, struct table *t, struct worker *w,
				      const struct trace_op *op, struct counts *n,
				      uint64_t zero, uint64_t *acc)
{
	uint64_t key = op->key;
	struct answer a;

	if (audit)
		worker_begins(w);
	if (caller == CALLER_CHAIN)
		key ^= *acc & zero;
	if (audit && !audit_admits(w, kind, key)) {
		n->skipped++;
		return;
	}
	if (op->op & 1) {
		n->stores++;
		T(store)(kind, t, w, op, NULL, key, n, audit);
		return;
	}
	a = T(probe)(kind, t, w, op, key, n, audit, NULL);
	if (audit)
		n->wrong_answers += !answer_follows(t, w, op, a);
	take_answer(caller, a, acc);
}

static __always_inline void T(ops)(const enum kind kind, const enum caller caller,
				   const bool audit, struct table *t, struct worker *w,
				   const struct trace_op *op, const struct trace_op *end,
				   const unsigned ahead, struct counts *n)
{
	uint64_t acc = w->sink;
	uint64_t zero = w->zero;

	for (; op < end; op++) {
		if (ahead)
			T(prefetch)(kind, t, op[ahead].key);
		T(one_op)(kind, caller, audit, t, w, op, n, zero, &acc);
	}
	w->sink = acc;
}

/*
 * With the table in cache an operation is a few cycles, and as many are lost where the
 * compiler loads what it knows of the table again after every store, asks of every key what is
 * settled for all, or keeps counts in memory. So there is a copy of the table that nothing
 * can change, where no generation is asked for; the usual case has a loop of its own, in which
 * nothing is asked; and no count is known by its address.
 */
static __always_inline void T(loop)(const enum kind kind, const enum caller caller,
				    const bool audit, struct table *const *by_kind,
				    struct worker *w, const struct trace_op *op, size_t nr)
{
	struct table *t = by_kind[kind];
	struct table here = table_copy(t);
	struct counts n = { 0 }, sum;

	T(online)(t, w);
	if (audit || kind == KIND_TT)
		T(ops)(kind, caller, audit, t, w, op, op + nr, w->lookahead, &n);
	else if (w->lookahead || here.mulhi || here.sig_mask != UINT64_MAX)
		T(ops)(kind, caller, audit, &here, w, op, op + nr, w->lookahead, &n);
	else
		T(ops)(kind, caller, audit, &here, w, op, op + nr, 0, &n);
	T(offline)(t, w);
	/* One count less in the loop. */
	n.probes = nr - n.stores - n.skipped;
	sum = n;
	counts_add(&w->n[kind], &sum);
}

static __always_inline void T(loop_mixed)(const enum caller caller, const bool audit,
					  struct table *const *by_kind, struct worker *w,
					  const struct trace_op *op, size_t nr)
{
	const struct trace_op *end = op + nr;
	unsigned ahead = w->lookahead;
	uint64_t acc = w->sink;
	uint64_t zero = w->zero;

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (by_kind[k])
			T(online)(by_kind[k], w);
#define MIXED_CASE(K)                                                                 \
	case K:                                                                       \
		T(one_op)(K, caller, audit, by_kind[K], w, op, &w->n[K], zero, &acc); \
		w->n[K].probes += ~op->op & 1;                                        \
		break;
#define MIXED_PREFETCH(K)                                  \
	case K:                                            \
		T(prefetch)(K, by_kind[K], op[ahead].key); \
		break;
	for (; op < end; op++) {
		if (ahead)
			switch (op[ahead].op >> 1) {
				MIXED_PREFETCH(KIND_TT)
				MIXED_PREFETCH(KIND_PAWN)
				MIXED_PREFETCH(KIND_EVAL)
				MIXED_PREFETCH(KIND_KV)
			}
		switch (op->op >> 1) {
			MIXED_CASE(KIND_TT)
			MIXED_CASE(KIND_PAWN)
			MIXED_CASE(KIND_EVAL)
			MIXED_CASE(KIND_KV)
		}
	}
#undef MIXED_CASE
#undef MIXED_PREFETCH
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (by_kind[k])
			T(offline)(by_kind[k], w);
	w->sink = acc;
}

#define STAMP_LOOP(suffix, call)                                              \
	static void T(suffix)(struct table *const *by_kind, struct worker *w, \
			      const struct trace_op *op, size_t nr)           \
	{                                                                     \
		call;                                                         \
	}
#define STAMP_CALLERS(name, K)                                                                 \
	STAMP_LOOP(name##_batch_replay, T(loop)(K, CALLER_BATCH, false, by_kind, w, op, nr))   \
	STAMP_LOOP(name##_branch_replay, T(loop)(K, CALLER_BRANCH, false, by_kind, w, op, nr)) \
	STAMP_LOOP(name##_chain_replay, T(loop)(K, CALLER_CHAIN, false, by_kind, w, op, nr))   \
	STAMP_LOOP(name##_audit_replay, T(loop)(K, CALLER_BRANCH, true, by_kind, w, op, nr))

STAMP_CALLERS(tt, KIND_TT)
STAMP_CALLERS(pawn, KIND_PAWN)
STAMP_CALLERS(eval, KIND_EVAL)
STAMP_CALLERS(kv, KIND_KV)
STAMP_LOOP(mixed_batch_replay, T(loop_mixed)(CALLER_BATCH, false, by_kind, w, op, nr))
STAMP_LOOP(mixed_branch_replay, T(loop_mixed)(CALLER_BRANCH, false, by_kind, w, op, nr))
STAMP_LOOP(mixed_chain_replay, T(loop_mixed)(CALLER_CHAIN, false, by_kind, w, op, nr))
STAMP_LOOP(mixed_audit_replay, T(loop_mixed)(CALLER_BRANCH, true, by_kind, w, op, nr))

static void T(clear_live_online)(struct table *t, struct worker *w)
{
	T(online)(t, w);
	T(clear_live)(t, w);
	T(offline)(t, w);
}

static void T(go_online)(struct table *t, struct worker *w)
{
	T(online)(t, w);
}

static void T(go_offline)(struct table *t, struct worker *w)
{
	T(offline)(t, w);
}

#include "single.h"

#define BY_CALLER(name)                                                                 \
	{                                                                               \
		T(name##_batch_replay), T(name##_branch_replay), T(name##_chain_replay) \
	}

static const struct table_loops T(loops) = {
	.shape = REPLAY_SHAPE,
	.run = { [KIND_TT] = BY_CALLER(tt),
		 [KIND_PAWN] = BY_CALLER(pawn),
		 [KIND_EVAL] = BY_CALLER(eval),
		 [KIND_KV] = BY_CALLER(kv),
		 [LOOP_MIXED] = BY_CALLER(mixed) },
	.audit = { [KIND_TT] = T(tt_audit_replay),
		   [KIND_PAWN] = T(pawn_audit_replay),
		   [KIND_EVAL] = T(eval_audit_replay),
		   [KIND_KV] = T(kv_audit_replay),
		   [LOOP_MIXED] = T(mixed_audit_replay) },
	.find = T(find),
	.walk = T(walk),
	.clear_live = T(clear_live_online),
	.ops = T(ops_by_kind),
	.online = T(go_online),
	.offline = T(go_offline),
};

#undef REPLAY_SHAPE
#undef BY_CALLER
#undef STAMP_CALLERS
#undef STAMP_LOOP

#pragma GCC diagnostic pop
