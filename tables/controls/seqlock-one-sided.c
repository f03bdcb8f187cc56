// SPDX-License-Identifier: BSD-2-Clause
/*
 * seqlock-one-sided - broken on purpose: seqlock, but the count moves only after writing
 *
 * A reader that began and ended between a writer's first word and its count has seen the
 * same even count twice, and believes half an entry.
 */
#include "seqlock.h"

#define TABLE seqlock_one_sided
#define LINE_EXCLUSION LINE_SEQUENCE
#define LINE_PLAIN

#define seqlock_one_sided_begin_read seqlock_begin_read
#define seqlock_one_sided_end_read seqlock_end_read

static __always_inline void seqlock_one_sided_begin_write(struct table *t, struct worker *w,
							  atomic_word *line, uint64_t index)
{
	seqlock_lock(line_guard(t, index));
}

static __always_inline void seqlock_one_sided_end_write(struct table *t, struct worker *w,
							atomic_word *line, uint64_t index)
{
	struct seqlock_guard *g = line_guard(t, index);

	/* Where [seq.W1] must not stand: behind the words. */
	ck_sequence_write_begin(&g->seq);
	seqlock_end_write(t, w, line, index);
}

#include "line_table.h"

static int seqlock_one_sided_create(struct table *t, const struct table_params *p,
				    struct err *e)
{
	int ret = seqlock_create(t, p, e);

	t->loops = &seqlock_one_sided_loops;
	return ret;
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
	LINE_CLASS,
	.broken = true,
	.control = &seqlock_one_sided_control,
	.options = { LINE_OPTIONS },
	.create = seqlock_one_sided_create,
};
TABLE_REGISTER(seqlock_one_sided);
