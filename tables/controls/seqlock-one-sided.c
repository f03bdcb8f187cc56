// SPDX-License-Identifier: BSD-2-Clause
/*
 * seqlock-one-sided - broken on purpose: seqlock, but the count moves only after writing
 *
 * A reader that began and ended between a writer's first word and its count has seen the
 * same even count twice, and believes half an entry.
 */
#include "seqlock.h"

#define TABLE seqlock_one_sided
#define SEQLOCK(name) seqlock_ck_##name
#define SEQLOCK_IN_LINE 0
#define SEQLOCK_OWN_WRITES

static __always_inline void seqlock_one_sided_begin_write(const enum kind kind, struct table *t,
							  struct worker *w, atomic_word *line,
							  uint64_t index)
{
	seqlock_ck_lock(line_guard(t, index));
}

static __always_inline void seqlock_one_sided_end_write(const enum kind kind, struct table *t,
							struct worker *w, atomic_word *line,
							uint64_t index)
{
	struct seqlock_ck *g = line_guard(t, index);

	/* Where [seq.W1] must not stand: behind the words. */
	ck_sequence_write_begin(&g->seq);
	seqlock_ck_end_write(g);
}

#include "seqlock_variant.h"

static int seqlock_one_sided_create(struct table *t, const struct table_params *p,
				    struct err *e)
{
	t->loops = &seqlock_one_sided_loops;
	return seqlock_create_beside(t, p, 0, e);
}

static const struct control seqlock_one_sided_control = {
	.workload = "refresh",
	.threads = 2,
	.shows = 1u << FAULT_TORN,
	.planted = "the count moves only after writing",
};

static struct table_class seqlock_one_sided_class = {
	.name = "seqlock-one-sided",
	.summary = "seqlock, but a writer moves the count only when it has written",
	.reference = "-",
	.probe_progress = "blocking (retries when a writer has left)",
	.store_progress = "blocking",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS,
	.broken = true,
	.control = &seqlock_one_sided_control,
	.options = { LINE_OPTIONS },
	.create = seqlock_one_sided_create,
};
TABLE_REGISTER(seqlock_one_sided);
