// SPDX-License-Identifier: BSD-2-Clause
/* judge_compile - which words, in which order, a scheme's operations read and write. */
#include <string.h>

#include "judge_step.h"

#define ALL_SLOTS(p) ((1u << (p)->nr_slots) - 1)

static void emit(struct compiled *c, unsigned thread, unsigned op, enum step_kind kind,
		 int slot)
{
	unsigned all = ALL_SLOTS(c->p), here = 1u << slot;
	struct step *st = &c->step[thread][c->nr_steps[thread]++];

	*st = (struct step){ .kind = kind, .op = op, .slot = (uint8_t)slot };
	if ((kind >= STEP_LOAD && kind <= STEP_CHECK_PAIR) ||
	    (kind >= STEP_COPY_DATA && kind <= STEP_COPY_PAIR))
		st->reads = here;
	else if (kind >= STEP_PASTE_DATA && kind <= STEP_ZERO_PAIR)
		st->writes = here;
	else if (kind >= STEP_LINE_STORE)
		st->reads = st->writes = all;
	if (kind == STEP_LINE_SCAN || kind == STEP_LINE_READ || kind == STEP_GAP)
		st->writes = 0;
	/* Whether K is there is asked at every instant of a probe. */
	if (c->p->looker == LOOK_PROBE && op == PROBE_OF(c->p))
		st->reads = all;
}

static bool in_pairs(const struct program *p)
{
	return p->scheme == SCHEME_ATOMIC;
}

static void emit_scan(struct compiled *c, unsigned thread, unsigned op)
{
	for (unsigned s = 0; s < c->p->nr_slots; s++) {
		if (in_pairs(c->p)) {
			emit(c, thread, op, STEP_CHECK_PAIR, s);
			continue;
		}
		emit(c, thread, op, STEP_LOAD, s);
		emit(c, thread, op, STEP_CHECK, s);
	}
}

/* Two writes of one slot, in the scheme's order. */
static void emit_writes(struct compiled *c, unsigned i, enum step_kind data, int slot)
{
	unsigned thread = c->p->op[i].thread;

	if (in_pairs(c->p)) {
		emit(c, thread, i, data + 2, slot);
		return;
	}
	emit(c, thread, i, data + c->p->put_sig_first, slot);
	emit(c, thread, i, data + !c->p->put_sig_first, slot);
}

static void emit_store(struct compiled *c, unsigned i)
{
	const struct model_op *op = &c->p->op[i];

	if (c->p->scheme == SCHEME_LINE) {
		emit(c, op->thread, i, STEP_LINE_STORE, op->victim < 0 ? 0 : op->victim);
		return;
	}
	/* What a store of another key found interests nobody. */
	if (op->key == KEY_K || c->p->kv)
		emit_scan(c, op->thread, i);
	if (op->victim < 0)
		return;
	if (c->p->kv)
		emit(c, op->thread, i, STEP_CHOOSE, op->victim);
	if (op->bump_to >= 0 && in_pairs(c->p)) {
		emit(c, op->thread, i, STEP_COPY_PAIR, op->victim);
	} else if (op->bump_to >= 0) {
		emit(c, op->thread, i, STEP_COPY_DATA, op->victim);
		emit(c, op->thread, i, STEP_COPY_SIG, op->victim);
	}
	c->first_write[i] = (uint8_t)c->nr_steps[op->thread];
	if (op->bump_to >= 0)
		emit_writes(c, i, STEP_PASTE_DATA, op->bump_to);
	emit_writes(c, i, STEP_PUT_DATA, op->victim);
	c->last_write[i] = (uint8_t)(c->nr_steps[op->thread] - 1);
}

static void emit_refresh(struct compiled *c, unsigned i)
{
	const struct model_op *op = &c->p->op[i];
	bool checked = op->refresh == REWRITE_CHECKED;

	if (c->p->scheme == SCHEME_LINE) {
		emit(c, op->thread, i, checked ? STEP_LINE_REFRESH : STEP_LINE_SCAN, 0);
		if (!checked)
			emit(c, op->thread, i, STEP_LINE_AGAIN, 0);
		return;
	}
	emit_scan(c, op->thread, i);
	for (unsigned s = 0; s < c->p->nr_slots; s++) {
		if (!checked) {
			emit_writes(c, i, STEP_AGAIN_DATA, s);
		} else if (in_pairs(c->p)) {
			emit(c, op->thread, i, STEP_CAS_PAIR, s);
		} else {
			emit(c, op->thread, i, STEP_CAS_DATA, s);
			emit(c, op->thread, i, STEP_CAS_SIG, s);
		}
	}
}

static void emit_clear(struct compiled *c, unsigned i)
{
	if (c->p->scheme == SCHEME_LINE) {
		emit(c, c->p->op[i].thread, i, STEP_LINE_CLEAR, 0);
		return;
	}
	for (unsigned s = 0; s < c->p->nr_slots; s++)
		emit_writes(c, i, STEP_ZERO_DATA, s);
}

static void emit_looker(struct compiled *c)
{
	const struct program *p = c->p;
	unsigned looker = LOOKER(p);

	if (p->looker != LOOK_READ) {
		emit(c, looker, PROBE_OF(p), STEP_START, 0);
		if (p->looker == LOOK_GAP)
			emit(c, looker, PROBE_OF(p), STEP_GAP, 0);
		else if (p->scheme == SCHEME_LINE)
			emit(c, looker, PROBE_OF(p), STEP_LINE_READ, 0);
		else
			emit_scan(c, looker, PROBE_OF(p));
		/* When its end comes after the instant is of no interest to the rules. */
		if (p->looker != LOOK_GAP)
			emit(c, looker, PROBE_OF(p), STEP_END, 0);
	}
	emit(c, looker, AGAIN_OF(p), STEP_START, 0);
	if (p->scheme == SCHEME_LINE)
		emit(c, looker, AGAIN_OF(p), STEP_LINE_READ, 0);
	else
		emit_scan(c, looker, AGAIN_OF(p));
	emit(c, looker, AGAIN_OF(p), STEP_END, 0);
}

void model_compile(struct compiled *c, const struct program *p)
{
	memset(c, 0, sizeof(*c));
	c->p = p;
	for (unsigned i = 0; i < p->nr_ops; i++) {
		emit(c, p->op[i].thread, i, STEP_START, 0);
		if (p->op[i].type == OP_STORE)
			emit_store(c, i);
		else if (p->op[i].type == OP_REFRESH)
			emit_refresh(c, i);
		else
			emit_clear(c, i);
		emit(c, p->op[i].thread, i, STEP_END, 0);
	}
	emit_looker(c);
	for (unsigned t = 0; t <= p->nr_threads; t++)
		for (struct step *st = &c->step[t][c->nr_steps[t]]; st-- > c->step[t];) {
			st->reads_from_here = st->reads | st[1].reads_from_here;
			st->writes_from_here = st->writes | st[1].writes_from_here;
		}
}
