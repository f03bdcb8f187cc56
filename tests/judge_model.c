// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "judge_step.h"
#include "util.h"

/* What stands beside this data if it is written as an entry of the key. */
static uint8_t sig_of(const struct program *p, uint8_t key, uint8_t data)
{
	return p->scheme == SCHEME_UNSYNC ? key : data;
}

static bool verifies(const struct program *p, uint8_t key, uint8_t sig, uint8_t data)
{
	if (!data)
		return false;
	if (p->scheme == SCHEME_UNSYNC)
		return sig == key;
	return sig == data && (entry_key(data) == key ||
			       (p->scheme == SCHEME_ALIAS && entry_key(data) + key == KEY_K + KEY_J));
}

/* Verifies, and is the key's own. */
static bool authentic(const struct program *p, uint8_t key, uint8_t sig, uint8_t data)
{
	return verifies(p, key, sig, data) &&
	       (p->scheme != SCHEME_ALIAS || entry_key(data) == key);
}

void model_begin(const struct compiled *c, union model_state *s)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->mem, c->p->start, sizeof(s->mem));
	s->used = 1;
}

bool model_done(const struct compiled *c, const union model_state *s, unsigned thread)
{
	return s->pc[thread] == c->nr_steps[thread];
}

bool model_at_start(const struct compiled *c, const union model_state *s, unsigned thread)
{
	return c->step[thread][s->pc[thread]].kind == STEP_START;
}

/* Is a store of K, which had found it, between its first and its last write? */
static bool being_renewed(const struct compiled *c, const union model_state *s)
{
	for (unsigned i = 0; i < c->p->nr_ops; i++) {
		const struct model_op *op = &c->p->op[i];
		unsigned pc = s->pc[op->thread];

		if (op->type == OP_STORE && op->key == KEY_K && s->out[i] & 7 &&
		    pc > c->first_write[i] && pc <= c->last_write[i])
			return true;
	}
	return false;
}

bool model_resident(const struct compiled *c, const union model_state *s)
{
	for (unsigned i = 0; i < c->p->nr_slots; i++) {
		uint8_t sig = s->mem[2 * i], data = s->mem[2 * i + 1];

		if (authentic(c->p, KEY_K, sig, data) ||
		    (entry_key(sig) == KEY_K && entry_key(data) == KEY_K))
			return true;
	}
	return being_renewed(c, s);
}

static unsigned stamp_get(const union model_state *s, unsigned i)
{
	return s->stamp[i / 2] >> i % 2 * 4 & 15;
}

/*
 * One more than the last one. In a coarse program as much, if both are starts or both are
 * ends, but the re-probe's.
 */
static void stamp_take(const struct program *p, union model_state *s, unsigned i)
{
	unsigned last = 0, at = 0;

	for (unsigned j = 0; j < 2 * (p->nr_ops + 2); j++)
		if (stamp_get(s, j) > last) {
			last = stamp_get(s, j);
			at = j;
		}
	if (!p->coarse || (i ^ at) & 1 || i == 2 * AGAIN_OF(p) + 1 ||
	    at == 2 * AGAIN_OF(p) + 1 || !last)
		last++;
	s->stamp[i / 2] |= (uint8_t)(last << i % 2 * 4);
}

/* As the witness has it: distinct. */
static uint64_t stamp_value(const union model_state *s, unsigned i)
{
	return stamp_get(s, i) ? stamp_get(s, i) * 2 * (MODEL_OPS + 2) + i : 0;
}

/* The looker has both words of a slot; false: its probe was a hit. */
static bool looked(const struct compiled *c, union model_state *s, const struct step *st,
		   uint8_t sig, uint8_t data)
{
	s->look_tmp = 0;
	if (!verifies(c->p, KEY_K, sig, data))
		return true;
	if (st->op == PROBE_OF(c->p))
		return false;
	for (unsigned i = 0; i < c->p->nr_ops; i++)
		if ((data & ~ENTRY_FRESH) == entry_of_op(KEY_K, i))
			s->seen |= 1u << i;
	if (!s->hit_slot && entry_key(data) == KEY_K) {
		s->hit_slot = st->slot + 1;
		s->hit = data;
	}
	return true;
}

/* A store or a refresh has both words of a slot. */
static void found(const struct compiled *c, union model_state *s, const struct step *st,
		  uint8_t sig, uint8_t data)
{
	const struct model_op *op = &c->p->op[st->op];
	uint8_t *tmp = s->tmp[op->thread];
	bool match = verifies(c->p, op->key, sig, data);
	bool own = authentic(c->p, op->key, sig, data);

	if (op->type == OP_STORE) {
		tmp[0] = 0;
		if (own)
			s->out[st->op] |= 1u << st->slot;
		if (c->p->kv && !data)
			s->out[st->op] |= 0x10u << st->slot;
		return;
	}
	/* Only refresh=always writes what is fresh already. */
	match = match && (op->refresh == REWRITE_SAME || !(data & ENTRY_FRESH));
	tmp[st->slot] = match ? data : 0;
	if (match)
		s->out[st->op] |= (own ? 0x11u : 1u) << st->slot;
}

/* Does the program's victim obey kv's rule? The slot picked by the key may be any. */
static bool chosen(union model_state *s, const struct step *st)
{
	unsigned held = s->out[st->op] & 7, empty = s->out[st->op] >> 4;

	s->out[st->op] = (uint8_t)held;
	if (held | empty)
		return __builtin_ctz(held ? held : empty) == st->slot;
	return true;
}

static uint8_t *tmp_of(const struct compiled *c, union model_state *s, const struct step *st)
{
	const struct model_op *op = &c->p->op[st->op];
	unsigned i = op->type == OP_REFRESH ? st->slot : 0;

	return st->op < c->p->nr_ops ? &s->tmp[op->thread][i] : &s->look_tmp;
}

static bool load(const struct compiled *c, union model_state *s, const struct step *st)
{
	bool data_first = c->p->data_first;
	uint8_t *tmp = tmp_of(c, s, st);
	uint8_t *slot = &s->mem[2 * st->slot];
	uint8_t sig = slot[0], data = slot[1];

	if (st->kind == STEP_LOAD) {
		*tmp = data_first ? data : sig;
		return true;
	}
	if (st->kind == STEP_CHECK && data_first)
		data = *tmp;
	else if (st->kind == STEP_CHECK)
		sig = *tmp;
	if (st->op >= c->p->nr_ops)
		return looked(c, s, st, sig, data);
	found(c, s, st, sig, data);
	return true;
}

static uint8_t rewritten(const struct model_op *op, uint8_t entry)
{
	return op->refresh == REWRITE_SAME ? entry : entry | ENTRY_FRESH;
}

static void put_pair(union model_state *s, unsigned slot, uint8_t entry)
{
	s->mem[2 * slot] = entry;
	s->mem[2 * slot + 1] = entry;
}

static void again(const struct compiled *c, union model_state *s, const struct step *st)
{
	const struct model_op *op = &c->p->op[st->op];
	uint8_t *slot = &s->mem[2 * st->slot], *tmp = &s->tmp[op->thread][st->slot];
	uint8_t old = *tmp, new = rewritten(op, old);
	bool last = true;

	switch (st->kind) {
	case STEP_AGAIN_DATA:
		slot[1] = new;
		last = c->p->put_sig_first;
		break;
	case STEP_AGAIN_SIG:
		slot[0] = sig_of(c->p, op->key, new);
		last = !c->p->put_sig_first;
		break;
	case STEP_CAS_DATA:
		last = slot[1] != old;
		slot[1] = last ? slot[1] : new;
		break;
	case STEP_CAS_SIG:
		if (slot[0] == sig_of(c->p, op->key, old))
			slot[0] = sig_of(c->p, op->key, new);
		break;
	case STEP_CAS_PAIR:
		if (slot[0] != old || slot[1] != old)
			break;
		/* fall through */
	case STEP_AGAIN_PAIR:
		put_pair(s, st->slot, new);
		break;
	}
	if (last)
		*tmp = 0;
}

static void line_scan(const struct compiled *c, union model_state *s, const struct step *st)
{
	struct step at = *st;

	for (at.slot = 0; at.slot < c->p->nr_slots; at.slot++)
		found(c, s, &at, s->mem[2 * at.slot], s->mem[2 * at.slot + 1]);
}

static void line_again(const struct compiled *c, union model_state *s, const struct step *st)
{
	struct step at = { .kind = STEP_AGAIN_PAIR, .op = st->op };

	for (at.slot = 0; at.slot < c->p->nr_slots; at.slot++)
		if (s->tmp[c->p->op[st->op].thread][at.slot])
			again(c, s, &at);
}

static bool line_store(const struct compiled *c, union model_state *s, const struct step *st)
{
	const struct model_op *op = &c->p->op[st->op];

	line_scan(c, s, st);
	if (op->victim < 0)
		return true;
	if (c->p->kv && !chosen(s, st))
		return false;
	if (op->bump_to >= 0)
		memcpy(&s->mem[2 * op->bump_to], &s->mem[2 * op->victim], 2);
	put_pair(s, op->victim, entry_of_op(op->key, st->op));
	return true;
}

static bool line_read(const struct compiled *c, union model_state *s, const struct step *st)
{
	struct step at = *st;

	for (at.slot = 0; at.slot < c->p->nr_slots; at.slot++)
		if (!looked(c, s, &at, s->mem[2 * at.slot], s->mem[2 * at.slot + 1]))
			return false;
	return true;
}

static bool take(const struct compiled *c, union model_state *s, const struct step *st)
{
	const struct model_op *op = &c->p->op[st->op];
	uint8_t *slot = &s->mem[2 * st->slot], *tmp = s->tmp[op->thread];
	uint8_t entry = entry_of_op(op->key, st->op);

	switch ((enum step_kind)st->kind) {
	case STEP_START:
	case STEP_END:
		stamp_take(c->p, s, 2 * st->op + (st->kind == STEP_END));
		break;
	case STEP_LOAD:
	case STEP_CHECK:
	case STEP_CHECK_PAIR:
		return load(c, s, st);
	case STEP_CHOOSE:
		return chosen(s, st);
	case STEP_COPY_DATA:
		tmp[1] = slot[1];
		break;
	case STEP_COPY_SIG:
		tmp[0] = slot[0];
		break;
	case STEP_COPY_PAIR:
		memcpy(tmp, slot, 2);
		break;
	case STEP_PASTE_DATA:
		slot[1] = tmp[1];
		tmp[1] = 0;
		break;
	case STEP_PASTE_SIG:
		slot[0] = tmp[0];
		tmp[0] = 0;
		break;
	case STEP_PASTE_PAIR:
		memcpy(slot, tmp, 2);
		memset(tmp, 0, 2);
		break;
	case STEP_PUT_DATA:
		slot[1] = entry;
		break;
	case STEP_PUT_SIG:
		slot[0] = sig_of(c->p, op->key, entry);
		break;
	case STEP_PUT_PAIR:
		put_pair(s, st->slot, entry);
		break;
	case STEP_AGAIN_DATA:
	case STEP_AGAIN_SIG:
	case STEP_AGAIN_PAIR:
	case STEP_CAS_DATA:
	case STEP_CAS_SIG:
	case STEP_CAS_PAIR:
		again(c, s, st);
		break;
	case STEP_ZERO_DATA:
		slot[1] = 0;
		break;
	case STEP_ZERO_SIG:
		slot[0] = 0;
		break;
	case STEP_ZERO_PAIR:
		memset(slot, 0, 2);
		break;
	case STEP_LINE_STORE:
		return line_store(c, s, st);
	case STEP_LINE_REFRESH:
		line_scan(c, s, st);
		line_again(c, s, st);
		break;
	case STEP_LINE_SCAN:
		line_scan(c, s, st);
		break;
	case STEP_LINE_AGAIN:
		line_again(c, s, st);
		break;
	case STEP_LINE_CLEAR:
		memset(s->mem, 0, sizeof(s->mem));
		break;
	case STEP_LINE_READ:
		return line_read(c, s, st);
	case STEP_GAP:
		if (model_resident(c, s))
			return false;
		s->absent = 1;
		break;
	}
	return true;
}

/* Steps that come to nothing: no entry to write again; words after the re-probe's hit. */
static bool idle(const struct compiled *c, const union model_state *s, const struct step *st)
{
	const struct program *p = c->p;

	if (st->kind >= STEP_AGAIN_DATA && st->kind <= STEP_CAS_PAIR)
		return !s->tmp[p->op[st->op].thread][st->slot];
	return st->op == AGAIN_OF(p) && p->looker != LOOK_READ && s->hit_slot &&
	       (st->kind == STEP_LOAD || st->kind == STEP_CHECK || st->kind == STEP_CHECK_PAIR);
}

/* Can any other thread tell when this thread takes its next step? */
static bool alone(const struct compiled *c, const union model_state *s, unsigned thread)
{
	const struct step *st = &c->step[thread][s->pc[thread]];
	unsigned reads = 0, writes = 0;

	if (st->kind == STEP_START || st->kind == STEP_END || st->kind == STEP_GAP)
		return false;
	for (unsigned t = 0; t <= c->p->nr_threads; t++)
		if (t != thread) {
			reads |= c->step[t][s->pc[t]].reads_from_here;
			writes |= c->step[t][s->pc[t]].writes_from_here;
		}
	return !(st->writes & (reads | writes)) && !(st->reads & writes);
}

/* Take what is alone; false: impossible. */
static bool settle(const struct compiled *c, union model_state *s)
{
	bool moved;

	do {
		moved = false;
		for (unsigned t = 0; t <= c->p->nr_threads; t++)
			for (; !model_done(c, s, t); moved = true) {
				const struct step *st = &c->step[t][s->pc[t]];
				bool nothing = idle(c, s, st);

				if (!nothing && !alone(c, s, t))
					break;
				if (!nothing && !take(c, s, st))
					return false;
				s->pc[t]++;
			}
	} while (moved);
	return true;
}

bool model_step(const struct compiled *c, union model_state *s, unsigned thread)
{
	if (!take(c, s, &c->step[thread][s->pc[thread]]))
		return false;
	s->pc[thread]++;
	if (!settle(c, s))
		return false;
	if (c->p->looker == LOOK_PROBE && stamp_get(s, 2 * PROBE_OF(c->p)) &&
	    !stamp_get(s, 2 * PROBE_OF(c->p) + 1) && !model_resident(c, s))
		s->absent = 1;
	return true;
}

unsigned model_witness(const struct compiled *c, const union model_state *s,
		       struct witness_op *out)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < c->p->nr_ops; i++) {
		const struct model_op *op = &c->p->op[i];
		uint64_t start = stamp_value(s, 2 * i), end = stamp_value(s, 2 * i + 1);
		struct witness_op *w = &out[nr];

		if (!start)
			continue;
		nr++;
		*w = (struct witness_op){ .start = start,
					  .end = end ? end : STAMP_OPEN,
					  .key = op->key,
					  .serial = 8 + i,
					  .victim = -1,
					  .bump_to = -1 };
		if (op->type == OP_STORE) {
			w->type = WITNESS_STORE;
			w->held = end ? s->out[i] & 7 : 7;
			w->victim = op->victim;
			w->bump_to = end ? op->bump_to : -1;
		} else if (op->type == OP_REFRESH) {
			w->type = WITNESS_PROBE;
			w->refreshed = end ? s->out[i] & 7 : 7;
			w->held = end ? s->out[i] >> 4 & 7 : 7;
		} else {
			w->type = WITNESS_CLEAR;
		}
	}
	return nr;
}

struct missed model_missed(const struct compiled *c, const union model_state *s)
{
	unsigned probe = 2 * PROBE_OF(c->p), more = 2 * AGAIN_OF(c->p);

	return (struct missed){ .key = KEY_K,
				.start = stamp_value(s, probe),
				.end = stamp_value(s, probe + 1),
				.again_start = stamp_value(s, more),
				.again_end = stamp_value(s, more + 1),
				.again_slot = s->hit_slot - 1 };
}
