/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One kind of reader-writer lock in stripes: probes hold the read side, stores the write
 * side, and so does a refresh, once the probe has let go of the read side. Include with
 * TABLE, READ_ACQUIRE(lock, me), READ_RELEASE, WRITE_ACQUIRE and WRITE_RELEASE defined,
 * where me is a struct rw_me; leaves <TABLE>_loops.
 */
#define LINE_EXCLUSION LINE_SEQUENCE
#define LINE_PLAIN
#define LINE_GUARD_AHEAD

#include "template.h"

#ifndef TEARLINE_RWLOCK_VARIANT_H
#define TEARLINE_RWLOCK_VARIANT_H
/* Who takes the lock: what it brings along, its number, and the lock's. */
struct rw_me {
	void *own;
	unsigned thread;
	uint64_t stripe;
};

static __always_inline struct rw_me rw_me(const struct table *t, const struct worker *w,
					  uint64_t index)
{
	return (struct rw_me){ w->priv[t->kind], w->id, index & t->guard_mask };
}
#endif

static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	struct rw_me me __attribute__((unused)) = rw_me(t, w, index);

	/* [rw.RA] acquire, pairs with [rw.WR] */
	READ_ACQUIRE(line_guard(t, index), me);
	tsan_acquired(line_guard(t, index));
	return 0;
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	struct rw_me me __attribute__((unused)) = rw_me(t, w, index);

	tsan_releasing(line_guard(t, index));
	/* [rw.RR] release, pairs with [rw.WA] */
	READ_RELEASE(line_guard(t, index), me);
	return true;
}

static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	struct rw_me me __attribute__((unused)) = rw_me(t, w, index);

	/* [rw.WA] acquire, pairs with [rw.WR] and [rw.RR] */
	WRITE_ACQUIRE(line_guard(t, index), me);
	tsan_acquired(line_guard(t, index));
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	struct rw_me me __attribute__((unused)) = rw_me(t, w, index);

	tsan_releasing(line_guard(t, index));
	/* [rw.WR] release, pairs with [rw.WA] and [rw.RA] */
	WRITE_RELEASE(line_guard(t, index), me);
}

#include "line_table.h"

#undef TABLE
#undef LINE_EXCLUSION
#undef LINE_PLAIN
#undef LINE_GUARD_AHEAD
#undef READ_ACQUIRE
#undef READ_RELEASE
#undef WRITE_ACQUIRE
#undef WRITE_RELEASE
