// SPDX-License-Identifier: BSD-2-Clause
#include "model.h"

#include <stdlib.h>

#include "util.h"

struct model *model_create(const struct model_layout *layout)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->is = *layout;
	if (layout->kind != KIND_TT && layout->kind != KIND_KV)
		m->is.slots = 1;
	m->entry = xcalloc(m->is.lines * m->is.slots, sizeof(*m->entry));
	return m;
}

void model_free(struct model *m)
{
	free(m->entry);
	free(m);
}

/* The key as a fraction of the number of lines: the line, and what is behind the point. */
static uint64_t place(const struct model *m, uint64_t key, uint64_t *rest)
{
	unsigned __int128 at;

	/* A signature of up to 32 bits shares none with the line. */
	if (m->is.mulhi && m->is.sig_bits <= 32)
		key = key >> m->is.sig_bits << m->is.sig_bits;
	at = (unsigned __int128)key * m->is.lines;
	*rest = (uint64_t)at;
	return (uint64_t)(at >> 64);
}

struct model_entry *model_line(struct model *m, uint64_t key)
{
	uint64_t rest;

	return m->entry + place(m, key, &rest) * m->is.slots;
}

static uint64_t sig_of(const struct model *m, uint64_t key)
{
	return m->is.sig_bits == 64 ? key : key & ((1ull << m->is.sig_bits) - 1);
}

static bool matches(const struct model *m, const struct model_entry *x, uint64_t key)
{
	return x->taken && x->sig == sig_of(m, key);
}

static unsigned flags_of(const struct model_entry *x)
{
	return x->bound | (x->threat ? 8 : 0) | x->generation << 4;
}

uint64_t model_word(const struct model *m, const struct model_entry *x)
{
	if (!x->taken)
		return 0;
	if (m->is.kind == KIND_KV)
		return 1ull << 63 | x->kv;
	return x->move + ((uint64_t)x->depth << 32) + ((uint64_t)flags_of(x) << 40) +
	       ((uint64_t)(x->value & 0xffff) << 48);
}

static bool is_mate(const struct model *m, int value)
{
	return abs(value) >= m->is.mate;
}

static bool is_stale(const struct model *m, const struct model_entry *x)
{
	return x->generation != m->generation % 16;
}

/* The engine's names of bounds, in the table's coding. */
static unsigned bound_of(const struct trace_op *op)
{
	switch (trace_op_bound(op)) {
	case BOUND_UPPER:
		return TT_UPPER;
	case BOUND_LOWER:
		return TT_LOWER;
	case BOUND_EXACT:
		return TT_EXACT;
	case BOUND_NONE:
		break;
	}
	return 0;
}

/* The victim slot; what it pushes aside has been copied. */
static struct model_entry *make_room(struct model *m, struct model_entry *line,
				     const struct trace_op *op)
{
	unsigned bound = bound_of(op);
	struct model_entry *first = &line[0], *second = &line[1];

	if (first->depth <= op->depth || is_stale(m, first)) {
		if (!(matches(m, first, op->key) && first->bound == bound)) {
			line[2] = *first;
			m->n.bumps++;
		}
		return first;
	}
	if (is_mate(m, second->value) && !is_stale(m, second) && !is_mate(m, op->value))
		return m->is.slots == 4 ? &line[3] : second;
	if (m->is.slots == 4 && !(matches(m, second, op->key) && second->bound == bound)) {
		line[3] = *second;
		m->n.bumps++;
	}
	return second;
}

/* "Mate in N" as a bound that holds wherever the position is met. */
static void clamp(const struct model *m, int *value, unsigned *bound)
{
	if (*value >= m->is.mate) {
		*value = m->is.mate;
		*bound = *bound == TT_EXACT ? TT_LOWER : *bound;
	}
	if (*value <= -m->is.mate) {
		*value = -m->is.mate;
		*bound = *bound == TT_EXACT ? TT_UPPER : *bound;
	}
}

/* ... or as the distance from the node: `plies` more than from the root. */
static int from_node(const struct model *m, int value, int plies)
{
	if (value >= m->is.mate)
		return value + plies > TT_INFINITY ? TT_INFINITY : value + plies;
	if (value <= -m->is.mate)
		return value - plies < -TT_INFINITY ? -TT_INFINITY : value - plies;
	return value;
}

/* An entry as a node at this ply takes it. */
static struct model_entry as_seen(const struct model *m, const struct model_entry *x,
				  const struct trace_op *op)
{
	struct model_entry seen = *x;

	if (m->is.mate_ply && op->ply != TRACE_PLY_UNKNOWN)
		seen.value = from_node(m, x->value, -(int)op->ply);
	else
		clamp(m, &seen.value, &seen.bound);
	return seen;
}

static void store_tt(struct model *m, const struct trace_op *op)
{
	struct model_entry *line = model_line(m, op->key);
	unsigned bound = bound_of(op);
	int value = op->value;
	struct model_entry *x;
	uint32_t move = op->move;

	m->n.stored[bound]++;
	if ((bound == TT_UPPER && value >= m->is.mate) ||
	    (bound == TT_LOWER && value <= -m->is.mate)) {
		m->n.drops++;
		return;
	}
	x = make_room(m, line, op);
	if (bound == TT_UPPER)
		move = matches(m, x, op->key) ? x->move : 0;
	if (bound == TT_LOWER && !move && matches(m, x, op->key))
		move = x->move;
	if (m->is.mate_ply && op->ply != TRACE_PLY_UNKNOWN)
		value = from_node(m, value, op->ply);
	else
		clamp(m, &value, &bound);
	*x = (struct model_entry){ .taken = true,
				   .sig = sig_of(m, op->key),
				   .move = move,
				   .value = value,
				   .depth = op->depth,
				   .bound = bound,
				   .generation = m->generation % 16,
				   .threat = op->flags & TRACE_THREAT };
}

static bool usable(const struct model_entry *x, const struct trace_op *op)
{
	if (x->depth < op->depth)
		return false;
	switch (x->bound) {
	case TT_EXACT:
		return true;
	case TT_LOWER:
		return x->value >= op->beta;
	case TT_UPPER:
		return x->value <= op->value; /* alpha */
	}
	return false;
}

static struct model_answer probe_tt(struct model *m, const struct trace_op *op)
{
	struct model_entry *line = model_line(m, op->key), seen, end = { 0 };
	struct model_answer a = { .hit = false };
	bool threat = false, avoid_null = false;
	int best_depth = -1;
	uint32_t move = 0;

	for (unsigned s = 0; s < m->is.slots && !end.taken; s++) {
		struct model_entry *x = &line[s];

		if (!matches(m, x, op->key))
			continue;
		a.hit = true;
		m->n.matches++;
		if (m->is.refresh == REFRESH_ALWAYS ||
		    (m->is.refresh != REFRESH_NEVER && is_stale(m, x))) {
			x->generation = m->generation % 16;
			m->n.refreshes++;
		}
		seen = as_seen(m, x, op);
		threat |= x->threat;
		if (op->next_depth != TRACE_DEPTH_UNKNOWN && x->depth >= op->next_depth &&
		    seen.bound != TT_LOWER && seen.value < op->beta)
			avoid_null = true;
		if (x->move && (int)x->depth > best_depth) {
			best_depth = (int)x->depth;
			move = x->move;
		}
		if (usable(&seen, op))
			end = seen;
	}
	m->n.hits += a.hit;
	m->n.usable[end.bound]++;
	a.word = move + (uint64_t)(unsigned)end.value + end.bound + threat + avoid_null;
	return a;
}

static void store_kv(struct model *m, const struct trace_op *op)
{
	struct model_entry *line = model_line(m, op->key), *x = NULL;
	uint64_t rest;

	for (unsigned s = 0; s < m->is.slots; s++)
		if (matches(m, &line[s], op->key) && !x)
			x = &line[s];
	for (unsigned s = 0; s < m->is.slots; s++)
		if (!line[s].taken && !x)
			x = &line[s];
	place(m, op->key, &rest);
	if (!x) /* by what is behind the point, to 16 bits, cut into as many parts */
		x = &line[(rest >> 48) * m->is.slots / 65536];
	*x = (struct model_entry){ .taken = true,
				   .sig = sig_of(m, op->key),
				   .kv = (uint64_t)op->depth << 32 | op->move };
}

static void store_slot(struct model *m, const struct trace_op *op)
{
	*model_line(m, op->key) = (struct model_entry){ .taken = true,
							.sig = sig_of(m, op->key),
							.move = op->move,
							.value = op->value,
							.depth = op->depth,
							.bound = TT_EXACT };
}

static struct model_answer probe_slots(struct model *m, const struct trace_op *op)
{
	struct model_entry *line = model_line(m, op->key);
	struct model_answer a = { .hit = false };

	for (unsigned s = 0; s < m->is.slots && !a.hit; s++) {
		if (!matches(m, &line[s], op->key))
			continue;
		a.hit = true;
		a.word = model_word(m, &line[s]);
	}
	/* A pawn entry's further words are its first plus 1, 2, ... 6. */
	if (a.hit && m->is.kind == KIND_PAWN)
		a.word = 7 * a.word + 21;
	m->n.hits += a.hit;
	m->n.matches += a.hit;
	return a;
}

struct model_answer model_replay(struct model *m, const struct trace_op *op)
{
	bool store = op->op & 1;

	m->n.stores += store;
	m->n.probes += !store;
	if (!store)
		return m->is.kind == KIND_TT ? probe_tt(m, op) : probe_slots(m, op);
	if (m->is.kind == KIND_TT)
		store_tt(m, op);
	else if (m->is.kind == KIND_KV)
		store_kv(m, op);
	else
		store_slot(m, op);
	return (struct model_answer){ .hit = false };
}
