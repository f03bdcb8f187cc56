// SPDX-License-Identifier: BSD-2-Clause
/*
 * What was planted in the controls that take no race, one operation at a time: the dead
 * pair a bare refresh leaves, and as many wrong keys as theory says 16 bits must confuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "audit.h"
#include "fixture.h"
#include "line.h"

#define SEED 99

static bool built(const char *table)
{
	table_for_each(c) if (!strcmp(c->name, table)) return true;
	return false;
}

static void count_slots(void *arg, const struct slot_view *v)
{
	*(unsigned *)arg += 1;
}

/* A hit under a new generation kills the entry; the same hits on xor do not. */
static void bare_refresh_kills(void **state)
{
	static const char *const specs[] = { "xor", "xor-bare-field",
					     "xor-bare-field:refresh=stale",
					     "xor-bare-field:refresh=cas",
					     "xor-bare-field:refresh=never" };
	static const bool dies[] = { false, true, true, true, false };
	struct trace_op store = store_op(KIND_TT, 5, 1), probe = probe_op(KIND_TT, 5);

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		unsigned slots = 0;
		struct fixture f;

		fixture_open(&f, specs[i], KIND_TT, 4, TT_MATE_DEFAULT);
		fixture_op(&f, &store);
		fixture_op(&f, &probe);
		assert_true(fixture_find(&f, 5)); /* its own generation: nothing changed */
		table_new_generation(f.t);
		fixture_op(&f, &probe);
		assert_int_equal(f.w->n[KIND_TT].hits, 2);
		assert_int_equal(fixture_find(&f, 5), !dies[i]);
		f.t->loops->walk(f.t, count_slots, &slots);
		assert_int_equal(slots, 1); /* and it keeps its slot */
		fixture_close(&f);
	}
}

/*
 * The middle 99.9 % of a Poisson distribution: how often is a count below `from`, or above
 * `to`, by accident? Less than once in 2000 each.
 */
static void poisson_interval(double mean, unsigned *from, unsigned *to)
{
	double term = exp(-mean), below = term;
	unsigned k = 0;

	*from = 0;
	while (below < 0.0005) {
		term *= mean / ++k;
		below += term;
		*from = k;
	}
	while (1 - below > 0.0005) {
		term *= mean / ++k;
		below += term;
	}
	*to = k;
}

/* One probe of an absent key against `entries` of its line, signatures of `bits` bits. */
static double confusion(unsigned entries, unsigned bits)
{
	return -expm1(entries * log1p(-ldexp(1, -(int)bits)));
}

static void interval_is_poisson(void **state)
{
	unsigned from, to;

	poisson_interval(1, &from, &to); /* P(X > 5) = 0.00059, P(X > 6) = 0.00008 */
	assert_int_equal(from, 0);
	assert_int_equal(to, 6);
	poisson_interval(256, &from, &to); /* about 3.29 standard deviations of 16 */
	assert_in_range(from, 203, 207);
	assert_in_range(to, 308, 312);
	/* Tiny chances are not 0. */
	assert_true(confusion(4, 64) > 0 && fabs(confusion(1, 16) * 65536 - 1) < 1e-12);
}

#define LINES (1u << 12)
#define PROBES (1u << 22)

struct crowd {
	struct fixture f;
	struct audit audit;
	uint64_t key[4 * LINES]; /* four of each line, told apart by 16 bits */
};

static uint64_t line_key(uint64_t line, uint64_t j)
{
	return line << 52 | mix64(mix64(SEED + line) + j) >> 12;
}

/* Fill every line; the audit knows what is stored. */
static void crowd_open(struct crowd *c)
{
	uint64_t *stored = xcalloc(ARRAY_SIZE(c->key), sizeof(*stored));
	size_t nr = 0;

	memset(c, 0, sizeof(*c));
	fixture_open(&c->f, "sig16", KIND_KV, 4 * LINES, TT_MATE_DEFAULT);
	assert_int_equal(c->f.t->lines, LINES);
	c->audit.seed = SEED;
	c->audit.sig_bits = c->f.t->class->sig_bits;
	c->f.w->audit = &c->audit;
	for (uint64_t line = 0; line < LINES; line++) {
		for (uint64_t j = 0; nr < 4 * (line + 1); j++) {
			uint64_t key = line_key(line, j);
			bool taken = false;

			for (size_t i = 4 * line; i < nr; i++)
				taken |= (uint16_t)c->key[i] == (uint16_t)key;
			if (!taken)
				c->key[nr++] = key;
		}
	}
	memcpy(stored, c->key, sizeof(c->key));
	key_set_make(&c->audit.keys[KIND_KV], stored, nr);
	for (size_t i = 0; i < nr; i++) {
		struct trace_op op = store_op(KIND_KV, c->key[i], 1);

		c->f.t->loops->audit[KIND_KV](c->f.by_kind, c->f.w, &op, 1);
	}
}

static void crowd_close(struct crowd *c)
{
	free(c->audit.keys[KIND_KV].key);
	fixture_close(&c->f);
	free(c);
}

static void crowd_probe(struct crowd *c, uint64_t key)
{
	struct trace_op op = probe_op(KIND_KV, key);

	c->f.t->loops->audit[KIND_KV](c->f.by_kind, c->f.w, &op, 1);
}

static void sig16_confuses_as_theory_says(void **state)
{
	struct crowd *c;
	struct counts *n;
	struct rest_faults rest;
	unsigned from, to;

	if (!built("sig16"))
		skip();
	c = xcalloc(1, sizeof(*c));
	crowd_open(c);
	n = &c->f.w->n[KIND_KV];
	/* What is there is found, and is its own. */
	for (size_t i = 0; i < ARRAY_SIZE(c->key); i++)
		crowd_probe(c, c->key[i]);
	assert_int_equal(n->hits, ARRAY_SIZE(c->key));
	assert_true(n->wrong_key == 0 && n->torn == 0);
	/* What is not there is found now and then, and is always another's. */
	n->hits = 0;
	for (uint64_t i = 0; i < PROBES; i++)
		crowd_probe(c, mix64(~i));
	assert_int_equal(n->hits, n->wrong_key);
	assert_int_equal(n->torn, 0);
	poisson_interval(PROBES * confusion(4, 16), &from, &to);
	assert_in_range(n->wrong_key, from, to);
	/* One bit more or less would show. */
	poisson_interval(PROBES * confusion(4, 17), &from, &to);
	assert_true(n->wrong_key > to);
	poisson_interval(PROBES * confusion(4, 15), &from, &to);
	assert_true(n->wrong_key < from);
	/* At rest every slot has its owner. */
	audit_rest(&c->audit, c->f.t, &c->f.w, 1, &rest);
	assert_int_equal(rest.slots, ARRAY_SIZE(c->key));
	assert_int_equal(rest.distinct, ARRAY_SIZE(c->key));
	assert_true(rest.unusable_slots == 0 && rest.duplicate_keys == 0);
	crowd_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_refresh_kills),
		cmocka_unit_test(interval_is_poisson),
		cmocka_unit_test(sig16_confuses_as_theory_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
