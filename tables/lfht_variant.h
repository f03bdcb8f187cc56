/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One flavor of lfht: include with FLAVOR defined to liburcu's name of it; leaves
 * lfht_<FLAVOR>_loops.
 */
#undef TABLE
#define LFHT__(flavor) lfht_##flavor
#define LFHT_(flavor) LFHT__(flavor)
#define TABLE LFHT_(FLAVOR)
#define RCU__(flavor, name) urcu_##flavor##_##name
#define RCU_(flavor, name) RCU__(flavor, name)
#define RCU(name) RCU_(FLAVOR, name)

#include "template.h"

static __always_inline void T(online)(struct table *t, struct worker *w)
{
	RCU(thread_online)();
}

static __always_inline void T(offline)(struct table *t, struct worker *w)
{
	RCU(thread_offline)();
}

static __always_inline uint64_t T(region)(const struct table *t, uint64_t key)
{
	return key >> 1 >> lfht_of(t)->shift;
}

static __always_inline void T(begin_read)(struct table *t, struct worker *w, uint64_t region)
{
	RCU(read_lock)();
}

static __always_inline void T(end_read)(struct table *t, struct worker *w, uint64_t region)
{
	RCU(read_unlock)();
}

static __always_inline void T(begin_write)(struct table *t, struct worker *w, uint64_t region)
{
	rcu_provide(w->priv[t->kind]);
	RCU(read_lock)();
}

static __always_inline void T(end_write)(struct table *t, struct worker *w, uint64_t region)
{
	RCU(read_unlock)();
}

static __always_inline bool T(get)(const enum kind kind, struct table *t, uint64_t region,
				   uint64_t key, struct found *f)
{
	return lfht_get(lfht_of(t), key, f);
}

static __always_inline bool T(set)(const enum kind kind, struct table *t, struct worker *w,
				   uint64_t region, uint64_t key, const struct found *f,
				   const uint64_t *word)
{
	if (f->held)
		return lfht_update(f, word[0]);
	return lfht_add(lfht_of(t), w->priv[t->kind], region, key, word[0]);
}

static __always_inline bool T(replace)(const struct found *f, uint64_t new)
{
	return lfht_update(f, new);
}

static void T(walk_region)(struct table *t, uint64_t region, struct shown *show)
{
	lfht_show(lfht_of(t), region, show);
}

static void T(clear_region)(struct table *t, struct worker *w, uint64_t region)
{
	const struct lfht *h = lfht_of(t);

	for (uint64_t i = 0; i < h->places; i++) {
		/* Each a section of its own: nodes must come back meanwhile. */
		T(end_write)(t, w, region);
		T(begin_write)(t, w, region);
		lfht_empty(h, w->priv[t->kind], region * h->places + i);
	}
}

#include "container_table.h"

#undef FLAVOR
#undef RCU
#undef RCU_
#undef RCU__
#undef LFHT_
#undef LFHT__
