// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "judge_model.h"
#include "judge_rules.h"

struct inquiry {
	const struct missed *m;
	unsigned without;
	unsigned nr;
	const struct witness_op *op[MODEL_OPS]; /* of Q, that may write */
};

static bool op_overlaps(const struct witness_op *op, uint64_t start, uint64_t end)
{
	return op->start < end && op->end > start;
}

static bool op_writes(const struct witness_op *op, int s)
{
	if (op->type == WITNESS_STORE)
		return op->victim == s || op->bump_to == s;
	return op->type == WITNESS_CLEAR || op->refreshed >> s & 1;
}

/* Slots that a probe of K refreshed and that were K's. */
static unsigned own(const struct inquiry *q, const struct witness_op *op)
{
	return op->refreshed & (q->without & RULE_HELD ? 0xff : op->held);
}

/* 'u' an update of K, 'r' a refresh of K and of nothing else, 'm' also of others' entries,
 * 'k' another store of K, 'o' anything else */
static char op_is(const struct inquiry *q, const struct witness_op *op)
{
	if (op->type == WITNESS_CLEAR || op->key != KEY_K)
		return 'o';
	if (op->type == WITNESS_PROBE && !own(q, op))
		return 'o';
	if (op->type == WITNESS_PROBE)
		return own(q, op) == op->refreshed ? 'r' : 'm';
	return op->held ? 'u' : 'k';
}

static bool op_renews(const struct inquiry *q, const struct witness_op *op, int s)
{
	switch (op_is(q, op)) {
	case 'r':
	case 'm':
		return own(q, op) >> s & 1;
	case 'u':
		if (op->bump_to == s && !(q->without & RULE_COPY))
			return false;
		return q->without & RULE_PLACE || op->held >> s & 1;
	case 'k':
		return false;
	default:
		return q->without & RULE_FOREIGN;
	}
}

static bool op_wrote(const struct witness_op *op)
{
	return op->type != WITNESS_STORE || op->victim >= 0;
}

static bool op_is_event(const struct inquiry *q, const struct witness_op *op)
{
	return op_wrote(op) && strchr("urm", op_is(q, op)) &&
	       (op->end < q->m->again_end || q->without & RULE_EARLY);
}

static bool rule_a(const struct inquiry *q, bool hit)
{
	bool event = false, others = false;

	for (unsigned i = 0; i < q->nr; i++) {
		const struct witness_op *a = q->op[i];

		for (unsigned j = 0; j < i; j++)
			if (op_overlaps(q->op[j], a->start, a->end) &&
			    !(q->without & RULE_SERIAL))
				return false;
		if (op_is(q, a) == 'k' && !(q->without & RULE_UPDATES))
			return false;
		event |= op_is_event(q, a);
		others |= !strchr("ur", op_is(q, a));
	}
	return hit || (event && (!others || q->without & RULE_ONLY));
}

static bool rule_b(const struct inquiry *q, bool hit, int s)
{
	bool proof = hit && q->m->again_slot == s;

	for (unsigned i = 0; i < q->nr; i++) {
		bool here = op_writes(q->op[i], s);

		if (here && !op_renews(q, q->op[i], s))
			return false;
		if (op_is_event(q, q->op[i]) && (here || q->without & RULE_EVENT))
			proof = true;
	}
	return proof;
}

static bool hit_counts(const struct inquiry *q)
{
	int s = q->m->again_slot;

	for (unsigned i = 0; i < q->nr && s >= 0 && !(q->without & RULE_UNDER); i++) {
		const struct witness_op *op = q->op[i];

		if (!op_overlaps(op, q->m->again_start, q->m->again_end))
			continue;
		if (op->type == WITNESS_CLEAR ||
		    (op->type == WITNESS_STORE &&
		     (op->bump_to == s || (op->victim == s && op->key != KEY_K))))
			return false;
	}
	return s >= 0;
}

/* False if too little is known. */
static bool gather(struct inquiry *q, const struct history *h, bool *written)
{
	uint64_t from = q->m->start;

	*written = false;

	/* Each round but the last one moves it. */
	for (unsigned round = 0; round < h->nr && !(q->without & RULE_BACK); round++)
		for (unsigned i = 0; i < h->nr; i++) {
			const struct witness_op *op = &h->op[i];
			uint64_t at = q->without & RULE_FAR ? q->m->start : from;

			if ((op->type != WITNESS_PROBE || op->refreshed) && op->start < from &&
			    op->end > at)
				from = op->start;
		}
	if (from < h->from && !(q->without & RULE_FROM))
		return false;
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (!op_overlaps(op, from, q->m->again_end))
			continue;
		if (op->end == STAMP_OPEN && !(q->without & RULE_OPEN))
			return false;
		if (op->type != WITNESS_PROBE || op->refreshed) {
			q->op[q->nr++] = op;
			*written |= op_wrote(op);
		}
	}
	return true;
}

bool rules_prove(const struct history *h, const struct missed *m, unsigned without)
{
	struct inquiry q = { .m = m, .without = without };
	bool hit, written;

	if (!gather(&q, h, &written))
		return false;
	hit = hit_counts(&q);
	if (!written)
		return hit;
	if (without & RULE_PROOF && hit)
		return true;
	if (rule_a(&q, hit))
		return true;
	for (int s = 0; s < MODEL_SLOTS; s++)
		if (rule_b(&q, hit, s))
			return true;
	return false;
}
