/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One kind of seqlock. Include with TABLE defined, SEQLOCK(name) to the function of that
 * name of an implementation (seqlock.h, seqlock_c11.h), and SEQLOCK_IN_LINE to 1 where lines
 * of slots have their counter in place of the fourth; leaves <TABLE>_loops.
 */
#define LINE_EXCLUSION LINE_SEQUENCE
#define LINE_PLAIN
#if SEQLOCK_IN_LINE
#define LINE_SLOTS 3
#else
#define LINE_GUARD_AHEAD
#endif

#include "template.h"

static __always_inline void *T(guard)(const enum kind kind, const struct table *t,
				      atomic_word *line, uint64_t index)
{
	if (SEQLOCK_IN_LINE && kind_has_slots(kind))
		return SLOT(line, 3, 1);
	return line_guard(t, index);
}

static __always_inline unsigned T(begin_read)(const enum kind kind, struct table *t,
					      struct worker *w, atomic_word *line,
					      uint64_t index)
{
	return SEQLOCK(begin_read)(T(guard)(kind, t, line, index));
}

static __always_inline bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
					atomic_word *line, uint64_t index, unsigned cookie)
{
	return SEQLOCK(end_read)(T(guard)(kind, t, line, index), cookie);
}

#ifndef SEQLOCK_OWN_WRITES
static __always_inline void T(begin_write)(const enum kind kind, struct table *t,
					   struct worker *w, atomic_word *line, uint64_t index)
{
	SEQLOCK(begin_write)(T(guard)(kind, t, line, index));
}

static __always_inline void T(end_write)(const enum kind kind, struct table *t,
					 struct worker *w, atomic_word *line, uint64_t index)
{
	SEQLOCK(end_write)(T(guard)(kind, t, line, index));
}
#endif

#include "line_table.h"

#undef TABLE
#undef LINE_EXCLUSION
#undef LINE_PLAIN
#undef LINE_GUARD_AHEAD
#undef SEQLOCK
#undef SEQLOCK_IN_LINE
