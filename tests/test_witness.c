// SPDX-License-Identifier: BSD-2-Clause
/*
 * The witness: what it knows of a line, and that it knows what it doesn't know.
 *
 * "Threads" are numbers here, taking their stamps in an order the test writes down; the last
 * test has real ones.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "atomic.h"
#include "witness.h"

#define LINE 5
#define EPOCH 0

struct scene {
	struct witness *w;
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;
};

static void open_scene(struct scene *s)
{
	s->w = witness_create(16, 4);
	assert_non_null(s->w);
}

struct running {
	struct witness_op op;
	struct witness_mark m;
};

static struct running begin_at(struct scene *s, unsigned thread, uint64_t line, uint32_t epoch,
			       enum witness_type type, uint64_t key)
{
	struct running r = {
		.op = { .key = key, .type = (uint8_t)type, .victim = -1, .bump_to = -1 }
	};

	witness_begin(s->w, thread, line, epoch, &r.op, &r.m);
	return r;
}

static struct running begin(struct scene *s, unsigned thread, enum witness_type type,
			    uint64_t key)
{
	return begin_at(s, thread, LINE, EPOCH, type, key);
}

static bool end(struct running *r)
{
	if (r->op.type == WITNESS_STORE)
		r->op.victim = 0;
	return witness_end(&r->m, &r->op);
}

/* A whole operation; its start. */
static uint64_t whole(struct scene *s, unsigned thread, enum witness_type type, uint64_t key)
{
	struct running r = begin(s, thread, type, key);

	end(&r);
	return r.op.start;
}

static const struct witness_op *find(const struct scene *s, uint64_t key)
{
	for (unsigned i = 0; i < s->h.nr; i++)
		if (s->h.op[i].key == key)
			return &s->h.op[i];
	return NULL;
}

/* The history as the owner of r would ask for it. */
static void ask(struct scene *s, const struct running *r)
{
	witness_history(&r->m, r->op.start, false, s->op, &s->h);
}

static void assert_same(const struct witness_op *a, const struct witness_op *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->key, b->key);
	assert_int_equal(a->serial, b->serial);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->held, b->held);
	assert_int_equal(a->victim, b->victim);
	assert_int_equal(a->bump_to, b->bump_to);
	assert_int_equal(a->refreshed, b->refreshed);
}

static void stamps_order_operations(void **state)
{
	struct running a, b;
	struct scene s;

	open_scene(&s);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	assert_true(a.m.quiet);
	b = begin(&s, 1, WITNESS_STORE, 2);
	assert_false(b.m.quiet);
	b.op.held = 5;
	b.op.bump_to = 3;
	b.op.serial = 77;
	assert_false(end(&b));
	assert_false(end(&a));
	assert_true(a.op.start < b.op.start && b.op.start < b.op.end && b.op.end < a.op.end);
	ask(&s, &a);
	assert_int_equal(s.h.nr, 1); /* its own is left out */
	assert_same(&s.h.op[0], &b.op);
	assert_true(s.h.from <= a.op.start);
	/* Nobody else: the quick way out. */
	a = begin(&s, 0, WITNESS_PROBE, 1);
	assert_true(end(&a));
	witness_free(s.w);
}

static void what_is_under_way_is_open(void **state)
{
	struct running a, b;
	struct scene s;

	open_scene(&s);
	b = begin(&s, 1, WITNESS_STORE, 2);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	end(&a);
	ask(&s, &a);
	assert_int_equal(find(&s, 2)->end, STAMP_OPEN);
	assert_true(s.h.from <= b.op.start);
	end(&b);
	ask(&s, &a);
	assert_int_equal(find(&s, 2)->end, b.op.end);
	witness_free(s.w);
}

/* Lines that share a counter are told apart, and stamps of both are accounted for. */
static void a_shared_counter_is_no_gap(void **state)
{
	struct running a, other;
	struct scene s;

	open_scene(&s);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	other = begin_at(&s, 1, LINE + 16, EPOCH, WITNESS_STORE, 2);
	end(&other);
	whole(&s, 2, WITNESS_STORE, 3);
	end(&a);
	assert_int_equal(other.op.start, a.op.start + 1);
	ask(&s, &a);
	assert_int_equal(s.h.nr, 1);
	assert_null(find(&s, 2));
	assert_non_null(find(&s, 3));
	assert_true(s.h.from <= a.op.start);
	witness_free(s.w);
}

/* So much later work by a thread that what it did here is out of its log. */
static void what_left_a_log_is_a_gap(void **state)
{
	struct running a, lost;
	struct scene s;

	open_scene(&s);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	lost = begin(&s, 1, WITNESS_STORE, 2);
	end(&lost);
	end(&a);
	for (unsigned i = 1; i < WITNESS_LOG_DEPTH; i++) {
		struct running r = begin_at(&s, 1, LINE + 1, EPOCH, WITNESS_STORE, 3);

		end(&r);
	}
	ask(&s, &a);
	assert_true(s.h.from <= a.op.start); /* just not yet */
	lost = begin_at(&s, 1, LINE + 1, EPOCH, WITNESS_STORE, 3);
	end(&lost);
	ask(&s, &a);
	assert_true(s.h.from > a.op.start);
	assert_null(find(&s, 2));
	witness_free(s.w);
}

static void nothing_reaches_across_an_epoch(void **state)
{
	struct running a;
	struct scene s;

	open_scene(&s);
	whole(&s, 1, WITNESS_STORE, 2);
	a = begin_at(&s, 0, LINE, EPOCH + 1, WITNESS_PROBE, 1);
	end(&a);
	ask(&s, &a);
	assert_int_equal(s.h.nr, 0);
	assert_int_equal(s.h.from, a.op.start);
	witness_free(s.w);
}

/* A probe that was interrupted for long is not read up on. */
static void the_reach_is_bounded(void **state)
{
	struct running a;
	struct scene s;

	open_scene(&s);
	for (unsigned i = 0; i < WITNESS_REACH; i++)
		whole(&s, 1, WITNESS_STORE, 2);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	end(&a);
	ask(&s, &a);
	assert_true(s.h.from <= a.op.start && s.h.from >= a.op.start - WITNESS_REACH);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	for (unsigned i = 0; i < WITNESS_REACH; i++)
		whole(&s, 1, WITNESS_STORE, 2);
	end(&a);
	ask(&s, &a);
	assert_true(s.h.from == UINT64_MAX);
	witness_free(s.w);
}

struct last {
	unsigned nr;
	uint64_t key[4];
};

static void note_last(void *arg, uint64_t line, const struct witness_op *store)
{
	struct last *l = arg;

	assert_true(l->nr < 4);
	l->key[l->nr++] = store->key;
}

static struct last last_stores(struct scene *s)
{
	struct last l = { 0 };

	witness_last_stores(s->w, EPOCH, note_last, &l);
	return l;
}

static void last_stores_are_the_last(void **state)
{
	struct running a, b;
	struct scene s;
	struct last l;

	open_scene(&s);
	whole(&s, 0, WITNESS_STORE, 1);
	whole(&s, 1, WITNESS_STORE, 2);
	a = begin_at(&s, 2, LINE + 1, EPOCH, WITNESS_STORE, 3);
	end(&a);
	whole(&s, 0, WITNESS_PROBE, 4);
	l = last_stores(&s);
	assert_int_equal(l.nr, 2);
	assert_int_equal(l.key[0], 2);
	assert_int_equal(l.key[1], 3);
	/* Two at the same time: either may have gone over the other. */
	a = begin(&s, 0, WITNESS_STORE, 5);
	b = begin(&s, 1, WITNESS_STORE, 6);
	end(&a);
	end(&b);
	l = last_stores(&s);
	assert_int_equal(l.nr, 1);
	assert_int_equal(l.key[0], 3);
	witness_free(s.w);
}

static bool suspects(const struct running *a, uint64_t key, uint32_t serial, uint32_t mask,
		     int slot, const char *how)
{
	struct returned r = { .key = key,
			      .serial = serial,
			      .serial_mask = mask,
			      .slot = slot,
			      .slotted = !strcmp(how, "slotted"),
			      .placed = !strcmp(how, "placed") };

	return witness_suspects(&a->m, &r);
}

static void suspicion_needs_a_newer_store(void **state)
{
	struct running a;
	struct scene s;

	open_scene(&s);
	a = begin(&s, 0, WITNESS_STORE, 1);
	a.op.serial = 0x1002;
	end(&a);
	assert_false(suspects(&a, 1, 0x1002, UINT32_MAX, 0, "slotted"));
	assert_true(suspects(&a, 1, 0x1001, UINT32_MAX, 0, "slotted"));
	assert_false(suspects(&a, 1, 0x2002, 0xfff, 0, "slotted")); /* as far as one can see */
	assert_false(suspects(&a, 1, 0x1001, UINT32_MAX, 1, "slotted")); /* another slot */
	assert_true(suspects(&a, 1, 0x1001, UINT32_MAX, 1, "one"));
	/* Another key's entry where this one's store was the last. */
	assert_false(suspects(&a, 2, 0x1001, UINT32_MAX, 0, "one"));
	assert_true(suspects(&a, 2, 0x1001, UINT32_MAX, 0, "placed"));
	assert_false(suspects(&a, 2, 0x1001, UINT32_MAX, 1, "placed"));
	/* Whatever its shape, a line that was cleared holds nothing. */
	a = begin(&s, 0, WITNESS_CLEAR, 0);
	end(&a);
	assert_true(suspects(&a, 2, 0x1001, UINT32_MAX, 1, "slotted"));
	witness_free(s.w);
}

/* A key is expected where its store was the last, and until somebody takes that up. */
static void a_store_is_expected_once(void **state)
{
	struct running a;
	struct scene s;

	open_scene(&s);
	a = begin(&s, 0, WITNESS_STORE, 1);
	end(&a);
	assert_true(witness_expects(&a.m, 1));
	assert_false(witness_expects(&a.m, 2));
	assert_false(witness_forget(&a.m, 2));
	assert_true(witness_forget(&a.m, 1));
	assert_false(witness_forget(&a.m, 1));
	assert_false(witness_expects(&a.m, 1));
	/* What an epoch held is gone with it. */
	a = begin(&s, 0, WITNESS_STORE, 1);
	end(&a);
	a.m.epoch++;
	assert_false(witness_expects(&a.m, 1));
	witness_free(s.w);
}

/* It began before and ended after, and its thread has done much since: no stamp of it is
 * between, and its record is deep down. That it was there is known all the same. */
static void a_straddler_is_found(void **state)
{
	struct running a, straddler;
	struct scene s;

	open_scene(&s);
	straddler = begin(&s, 1, WITNESS_STORE, 2);
	a = begin(&s, 0, WITNESS_PROBE, 1);
	end(&a);
	end(&straddler);
	for (unsigned i = 0; i < 40; i++) {
		struct running r = begin_at(&s, 1, LINE + 1, EPOCH, WITNESS_STORE, 3);

		end(&r);
	}
	ask(&s, &a);
	assert_int_equal(s.h.nr, 1);
	assert_int_equal(s.h.op[0].end, straddler.op.end);
	assert_true(s.h.from <= straddler.op.start);
	/* And if its record is gone, nothing is known. */
	for (unsigned i = 0; i < WITNESS_LOG_DEPTH; i++) {
		struct running r = begin_at(&s, 1, LINE + 1, EPOCH, WITNESS_STORE, 3);

		end(&r);
	}
	ask(&s, &a);
	assert_true(s.h.from == UINT64_MAX);
	witness_free(s.w);
}

/*
 * Real threads on one line. Whoever claims a complete history notes how many operations
 * overlapped its own, and a sum over them; after the join that is what it must have been.
 */
#define THREADS 4
#define ROUNDS 20000

struct claim {
	uint64_t start, end;
	unsigned nr;
	uint64_t sum;
	bool complete;
};

struct crowd {
	struct scene s;
	unsigned id;
	struct claim claim[ROUNDS];
};

static void note_overlap(struct claim *c, uint64_t start, uint64_t end)
{
	if (start >= c->end || end <= c->start)
		return;
	c->nr++;
	c->sum += start;
}

static void *crowd_main(void *arg)
{
	struct crowd *c = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct running r = begin(&c->s, c->id, i & 1, c->id);
		struct claim *claim = &c->claim[i];
		bool alone = end(&r);

		*claim = (struct claim){ .start = r.op.start, .end = r.op.end };
		if (!alone)
			ask(&c->s, &r);
		claim->complete = alone || c->s.h.from <= r.op.start;
		for (unsigned j = 0; !alone && j < c->s.h.nr; j++)
			note_overlap(claim, c->s.h.op[j].start, c->s.h.op[j].end);
	}
	return NULL;
}

static unsigned check_claims(const struct crowd *crowd, const struct crowd *c)
{
	unsigned next[THREADS] = { 0 }, complete = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct claim *mine = &c->claim[i];
		struct claim truth = { .start = mine->start, .end = mine->end };

		for (unsigned t = 0; t < THREADS; t++) {
			const struct claim *other = crowd[t].claim;

			while (next[t] < ROUNDS && other[next[t]].end <= mine->start)
				next[t]++;
			for (unsigned j = next[t]; j < ROUNDS && other[j].start < mine->end;
			     j++)
				if (t != c->id)
					note_overlap(&truth, other[j].start, other[j].end);
		}
		if (!mine->complete)
			continue;
		assert_int_equal(mine->nr, truth.nr);
		assert_int_equal(mine->sum, truth.sum);
		complete++;
	}
	return complete;
}

static void crowd_agrees(void **state)
{
	struct crowd *c = xcalloc(THREADS, sizeof(*c));
	pthread_t thread[THREADS];

	open_scene(&c[0].s);
	for (unsigned i = 0; i < THREADS; i++) {
		c[i].s.w = c[0].s.w;
		c[i].id = i;
		assert_int_equal(pthread_create(&thread[i], NULL, crowd_main, &c[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		print_message("%u of %u histories complete\n", check_claims(c, &c[i]), ROUNDS);
	witness_free(c[0].s.w);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_order_operations),
		cmocka_unit_test(what_is_under_way_is_open),
		cmocka_unit_test(a_shared_counter_is_no_gap),
		cmocka_unit_test(what_left_a_log_is_a_gap),
		cmocka_unit_test(nothing_reaches_across_an_epoch),
		cmocka_unit_test(the_reach_is_bounded),
		cmocka_unit_test(last_stores_are_the_last),
		cmocka_unit_test(suspicion_needs_a_newer_store),
		cmocka_unit_test(a_store_is_expected_once),
		cmocka_unit_test(a_straddler_is_found),
		cmocka_unit_test(crowd_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
