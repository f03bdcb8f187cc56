// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "judge_family.h"

/* Take digits off a number, and count how many numbers there are. */
struct digits {
	uint64_t rest, of;
};

static unsigned digit(struct digits *d, unsigned base)
{
	unsigned v = (unsigned)(d->rest % base);

	d->rest /= base;
	d->of *= base;
	return v;
}

static void draw_start(const struct family *f, struct program *p, struct digits *d)
{
	static const uint8_t entry[] = { 0, ENTRY(KEY_K, 0), ENTRY(KEY_J, 2), ENTRY(KEY_L, 3),
					 ENTRY(KEY_K, 1) };
	bool had_k = false;

	for (unsigned i = 0; i < f->nr_slots; i++) {
		uint8_t data = entry[digit(d, f->kv ? 4 : 5)];
		uint8_t sig = f->torn ? entry[digit(d, 5)] : data;

		/* kv holds a key once. */
		if (f->kv && had_k && entry_key(data) == KEY_K)
			sig = data = 0;
		had_k |= entry_key(data) == KEY_K;
		p->start[2 * i] = f->scheme == SCHEME_UNSYNC ? entry_key(sig) : sig;
		p->start[2 * i + 1] = data;
	}
}

static void draw_store(const struct family *f, struct model_op *op, unsigned v)
{
	unsigned targets = f->kv ? 1 : f->nr_slots;

	op->type = OP_STORE;
	op->key = v % 2 ? KEY_J : KEY_K;
	v /= 2;
	op->victim = (int8_t)(v / targets);
	if (v == targets * f->nr_slots) {
		op->victim = op->bump_to = -1; /* keeps what is there */
		return;
	}
	/* The target that is the victim is none. */
	op->bump_to = f->kv || v % targets == (unsigned)op->victim ? -1 : (int8_t)(v % targets);
}

static void draw_op(const struct family *f, struct model_op *op, struct digits *d)
{
	unsigned stores = 2 * f->nr_slots * (f->kv ? 1 : f->nr_slots) + (f->kv ? 0 : 2);
	unsigned modes = f->blind ? 3 : 1;
	unsigned refreshes = f->kv ? 0 : 2 * modes;
	unsigned v = digit(d, stores + refreshes + 1);

	if (v < stores) {
		draw_store(f, op, v);
	} else if (v < stores + refreshes) {
		v -= stores;
		op->type = OP_REFRESH;
		op->key = v % 2 ? KEY_J : KEY_K;
		op->refresh = (uint8_t)(REWRITE_CHECKED - v / 2);
	} else {
		op->type = OP_CLEAR;
	}
}

uint64_t family_draw(const struct family *f, uint64_t number, struct program *p)
{
	struct digits d = { .rest = number, .of = 1 };
	bool words = scheme_has_words(f->scheme);

	*p = (struct program){ .scheme = f->scheme,
			       .looker = f->looker,
			       .nr_slots = f->nr_slots,
			       .nr_threads = (unsigned)strlen(f->threads),
			       .kv = f->kv };
	p->data_first = words && digit(&d, 2);
	p->put_sig_first = words && digit(&d, 2);
	for (unsigned t = 0; t < p->nr_threads; t++)
		for (unsigned i = 0; i < (unsigned)(f->threads[t] - '0'); i++) {
			struct model_op *op = &p->op[p->nr_ops++];

			op->thread = (uint8_t)t;
			draw_op(f, op, &d);
		}
	draw_start(f, p, &d);
	return d.of;
}

bool program_has_k(const struct program *p)
{
	for (unsigned i = 0; i < 2 * p->nr_slots; i++)
		if (entry_key(p->start[i]) == KEY_K)
			return true;
	for (unsigned i = 0; i < p->nr_ops; i++)
		if (p->op[i].type != OP_CLEAR && p->op[i].key == KEY_K)
			return true;
	return false;
}
