// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer - does an audited answer follow from the entries that the table says it is made of?
 *
 * Entries are authenticated by audit_hit(); what the caller is told is worked out here once
 * more from the same words, by the policy alone.
 */
#include "line.h"
#include "template.h"

static uint64_t told_by_tt(const struct table *t, const struct worker *w,
			   const struct trace_op *op)
{
	const struct tt_query q = query_from_op(t, op);
	struct tt_answer a = { 0 };

	for (unsigned i = 0; i < w->nr_given; i++)
		if (tt_lookup(&a, w->given[i][0], &q))
			break;
	return tt_answer_sum(&a);
}

static uint64_t told_by_words(const struct table *t, const struct worker *w)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < entry_words(t->kind); i++)
		sum += w->given[0][i];
	return sum;
}

bool answer_follows(const struct table *t, struct worker *w, const struct trace_op *op,
		    struct answer a)
{
	bool hit = w->nr_given != 0, follows = a.hit == hit;

	if (hit && follows)
		follows = a.word == (t->kind == KIND_TT ? told_by_tt(t, w, op) :
							  told_by_words(t, w));
	w->nr_given = 0;
	return follows || t->class->floor;
}
