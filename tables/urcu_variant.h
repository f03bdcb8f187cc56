/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One flavor of a table of pointers: include with FLAVOR defined to liburcu's name of it,
 * URCU to the prefix of the table's own primitives, and URCU_BYTES to what LINE_BYTES is to
 * be; leaves <URCU>_<FLAVOR>_loops. The primitives are those that line_table.h asks for, and
 * know no flavor; here are the read sections they are called in.
 */
#undef TABLE
#define URCU_PASTE__(a, b) a##_##b
#define URCU_PASTE_(a, b) URCU_PASTE__(a, b)
#define TABLE URCU_PASTE_(URCU, FLAVOR)
#define U(name) URCU_PASTE_(URCU, name)
#define RCU__(flavor, name) urcu_##flavor##_##name
#define RCU_(flavor, name) RCU__(flavor, name)
#define RCU(name) RCU_(FLAVOR, name)
#define LINE_BYTES(kind) URCU_BYTES(kind)
#define LINE_ENTRY URCU

#include "template.h"

static __always_inline void T(online)(struct table *t, struct worker *w)
{
	RCU(thread_online)();
}

static __always_inline void T(offline)(struct table *t, struct worker *w)
{
	RCU(thread_offline)();
}

static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	RCU(read_lock)();
	return 0;
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	RCU(read_unlock)();
	return true;
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	urcu_pool = w->priv[kind];
	rcu_provide(urcu_pool);
	RCU(read_lock)();
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	RCU(read_unlock)();
}

static __always_inline bool T(swap)(atomic_word *line, unsigned s, const struct tt_slot *seen,
				    uint64_t sig, unsigned nr, const uint64_t *word)
{
	return U(swap)(line, s, seen, sig, nr, word);
}

#include "line_table.h"

#undef FLAVOR
#undef RCU
#undef RCU_
#undef RCU__
#undef U
#undef URCU_PASTE_
#undef URCU_PASTE__
