/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * single - one operation at a time, stamped out for one table: a struct table_ops by kind
 *
 * The probe and the store that the measured loops are made of (replay.h, which includes this),
 * without a loop, for programs that have something else to do between two operations. It
 * leaves T(ops_by_kind).
 */
static __always_inline void T(probe_one)(const enum kind kind, struct table *t,
					 struct worker *w, const struct trace_op *op,
					 struct table_answer *a)
{
	struct counts *n = &w->n[kind];

	n->probes++;
	*a = (struct table_answer){ .hit = false };
	a->hit = T(probe)(kind, t, w, op, op->key, n, false, a).hit;
	a->word[0] &= ~table_bits(kind);
}

static __always_inline void T(store_one)(const enum kind kind, struct table *t,
					 struct worker *w, const struct trace_op *op,
					 const uint64_t *word)
{
	w->n[kind].stores++;
	T(store)(kind, t, w, op, word, op->key, &w->n[kind], false);
}

#define STAMP_ONE(name, K)                                                                 \
	static void T(name##_probe_one)(struct table * t, struct worker * w,               \
					const struct trace_op *op, struct table_answer *a) \
	{                                                                                  \
		T(probe_one)(K, t, w, op, a);                                              \
	}                                                                                  \
	static void T(name##_store_one)(struct table * t, struct worker * w,               \
					const struct trace_op *op, const uint64_t *word)   \
	{                                                                                  \
		T(store_one)(K, t, w, op, word);                                           \
	}                                                                                  \
	static void T(name##_prefetch_one)(const struct table *t, uint64_t key)            \
	{                                                                                  \
		T(prefetch)(K, t, key);                                                    \
	}

STAMP_ONE(tt, KIND_TT)
STAMP_ONE(pawn, KIND_PAWN)
STAMP_ONE(eval, KIND_EVAL)
STAMP_ONE(kv, KIND_KV)

#define OPS_OF(name)                                                             \
	{                                                                        \
		T(name##_probe_one), T(name##_store_one), T(name##_prefetch_one) \
	}
static const struct table_ops T(ops_by_kind)[NR_KINDS] = { [KIND_TT] = OPS_OF(tt),
							   [KIND_PAWN] = OPS_OF(pawn),
							   [KIND_EVAL] = OPS_OF(eval),
							   [KIND_KV] = OPS_OF(kv) };
#undef OPS_OF
#undef STAMP_ONE
