// SPDX-License-Identifier: BSD-2-Clause
/*
 * How often a narrow signature takes one key's entry for another's, against theory.
 *
 * A probe of an absent key meets the T entries of its line. With n bits that tell keys of
 * the line apart, one of them passes for its own with 1 - (1 - 2^-n)^T. For wide signatures
 * nobody can wait that long: there all keys of a test agree in the lowest bits, so that the
 * rest of the signature is as narrow as is wanted, whatever its width. One thread, fixed
 * seeds: the same figures every time.
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
#define LINES 4096u
#define SIGMAS 5

/* One of several, all of them narrow, one in so many entries. */
static double confusion(unsigned entries, unsigned bits)
{
	return -expm1(entries * log1p(-ldexp(1, -(int)bits)));
}

static void tiny_chances_are_not_0(void **state)
{
	assert_true(confusion(4, 64) > 0 && confusion(4, 64) < 3e-19);
	assert_true(fabs(confusion(1, 16) * 65536 - 1) < 1e-12);
	/* 256,000 entries and 100,000 lookups a second, as engines' authors reckon it */
	assert_true(fabs(1e5 * confusion(256000, 32) - 5.96) < 0.01);
	assert_true(fabs(1e5 * confusion(256000, 64) - 1.39e-9) < 1e-11);
}

/* Every line full of keys whose signatures differ. */
struct crowd {
	struct fixture f;
	struct audit audit;
	unsigned bits; /* of the signature */
	unsigned same; /* its lowest, in which all keys agree */
	uint64_t state;
	uint64_t *key; /* f.t->slots of each line */
};

static uint64_t low_mask(unsigned bits)
{
	return bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

static uint64_t agreeing(const struct crowd *c, uint64_t key)
{
	return (key & ~low_mask(c->same)) | (0x5a5a5a5a5a5a5a5aull & low_mask(c->same));
}

static bool confused(const struct crowd *c, uint64_t a, uint64_t b)
{
	return !((a ^ b) & low_mask(c->bits));
}

/* How many entries of its line would a probe of the key take for its own? */
static unsigned truth(const struct crowd *c, uint64_t key)
{
	const uint64_t *line = c->key + line_number(c->f.t, key) * c->f.t->slots;
	unsigned nr = 0;

	for (unsigned s = 0; s < c->f.t->slots; s++)
		nr += confused(c, line[s], key);
	return nr;
}

static uint64_t absent_key(struct crowd *c)
{
	const uint64_t *line;
	uint64_t key;
	unsigned s;

	do {
		key = agreeing(c, rng_next(&c->state));
		line = c->key + line_number(c->f.t, key) * c->f.t->slots;
		for (s = 0; s < c->f.t->slots && line[s] != key; s++)
			;
	} while (s < c->f.t->slots);
	return key;
}

/* A key of the line that none of the `nr` it has would be taken for. */
static uint64_t another_key(struct crowd *c, uint64_t line, unsigned nr)
{
	const uint64_t *had = c->key + line * c->f.t->slots;
	uint64_t first, last, key;
	unsigned s;

	line_keys(c->f.t, line, &first, &last);
	do {
		key = agreeing(c, first + rng_below(&c->state, last - first) + 1);
		for (s = 0; s < nr && !confused(c, had[s], key); s++)
			;
	} while (s < nr || line_number(c->f.t, key) != line);
	return key;
}

static void crowd_op(struct crowd *c, const struct trace_op *op)
{
	enum kind k = c->f.t->kind;

	c->f.t->loops->audit[k](c->f.by_kind, c->f.w, op, 1);
}

/*
 * tt: the second goes to slot 0, which copies the first aside; then slot 1 is what is
 * replaced, and does the same for the fourth.
 */
static const uint8_t depths[MAX_SLOTS] = { 1, 2, 1, 1 };

static void fill_lines(struct crowd *c)
{
	struct table *t = c->f.t;
	size_t nr = t->lines * t->slots;
	uint64_t *stored = xcalloc(nr, sizeof(*stored));

	for (uint64_t line = 0; line < t->lines; line++)
		for (unsigned s = 0; s < t->slots; s++)
			c->key[line * t->slots + s] = another_key(c, line, s);
	memcpy(stored, c->key, nr * sizeof(*stored));
	key_set_make(&c->audit.keys[t->kind], stored, nr);
	for (size_t i = 0; i < nr; i++) {
		struct trace_op op = store_op(t->kind, c->key[i], 1);

		op.depth = depths[i % t->slots];
		crowd_op(c, &op);
	}
}

/* Whatever is found is not deep enough: the scan goes on to the last slot. */
static void crowd_probe(struct crowd *c, uint64_t key)
{
	struct trace_op op = probe_op(c->f.t->kind, key);

	op.depth = 255;
	crowd_op(c, &op);
}

static struct crowd *crowd_open(const char *spec, enum kind kind, unsigned free_bits)
{
	struct crowd *c = xcalloc(1, sizeof(*c));
	struct counts *n;

	fixture_open(&c->f, spec, kind, 4 * LINES - 1, TT_MATE_DEFAULT);
	c->bits = table_spec_sig_bits(&c->f.spec);
	if (c->bits < 64)
		assert_int_equal(table_sig_counts(c->f.t), c->bits);
	c->same = c->bits - free_bits;
	c->state = SEED;
	c->key = xcalloc(c->f.t->lines * c->f.t->slots, sizeof(*c->key));
	c->audit.seed = SEED;
	c->audit.sig_bits = c->bits;
	c->audit.threads = 1;
	c->f.w->audit = &c->audit;
	fill_lines(c);
	/* What is there is found, and is its own. */
	n = &c->f.w->n[kind];
	for (size_t i = 0; i < c->f.t->lines * c->f.t->slots; i++)
		crowd_probe(c, c->key[i]);
	assert_int_equal(n->hits, c->f.t->lines * c->f.t->slots);
	assert_int_equal(n->matches, n->hits);
	assert_true(n->wrong_key == 0 && n->torn == 0);
	n->hits = 0;
	n->matches = 0;
	return c;
}

/* At rest every slot has its owner. */
static void crowd_close(struct crowd *c)
{
	struct rest_faults rest;

	audit_rest(&c->audit, c->f.t, &c->f.w, 1, &rest);
	assert_int_equal(rest.slots, c->f.t->lines * c->f.t->slots);
	assert_int_equal(rest.distinct, rest.slots);
	assert_true(rest.unusable_slots == 0 && rest.duplicate_keys == 0);
	free(c->audit.keys[c->f.t->kind].key);
	free(c->key);
	fixture_close(&c->f);
	free(c);
}

static bool near(uint64_t counted, double expected)
{
	return fabs((double)counted - expected) <= SIGMAS * sqrt(expected);
}

/* Probe absent keys: as many are wrong as theory says, and exactly those that are. */
static void confuses(const char *spec, enum kind kind, unsigned free_bits, unsigned probes)
{
	struct crowd *c = crowd_open(spec, kind, free_bits);
	const struct counts *n = &c->f.w->n[kind];
	unsigned slots = c->f.t->slots;
	uint64_t wrong = 0;

	for (unsigned i = 0; i < probes; i++) {
		uint64_t key = absent_key(c);

		wrong += truth(c, key);
		crowd_probe(c, key);
	}
	printf("%s, %s: %ju wrong keys of %u probes, expected %.1f\n", spec, kind_names[kind],
	       (uintmax_t)n->wrong_key, probes, probes * confusion(slots, free_bits));
	assert_int_equal(n->wrong_key, wrong);
	assert_int_equal(n->hits, wrong); /* at most one of a line: all of them differ */
	assert_int_equal(n->torn, 0);
	assert_true(near(wrong, probes * confusion(slots, free_bits)));
	/* One bit more or less would show. */
	assert_false(near(wrong, probes * confusion(slots, free_bits + 1)));
	assert_false(near(wrong, probes * confusion(slots, free_bits - 1)));
	crowd_close(c);
}

/* Sixteen bits and keys of any kind, as they are. */
static void uniform_keys(void **state)
{
	confuses("xor:sig=16", KIND_KV, 16, 1u << 22);
	confuses("cluster10", KIND_KV, 16, 1u << 22);
}

static void every_width(void **state)
{
	static const char *const specs[] = { "xor:sig=16",
					     "xor:sig=24",
					     "xor:sig=32",
					     "xor:sig=48",
					     "xor:sig=16,index=mulhi",
					     "xor:sig=32,index=mulhi",
					     "cluster10",
					     "cluster10:index=mulhi",
					     "xor32",
					     "xor32:index=mulhi" };

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		confuses(specs[i], KIND_KV, 13, 1u << 19);
		confuses(specs[i], KIND_TT, 13, 1u << 19);
	}
}

/* Whatever else is narrow, or can be made so. */
static void every_table(void **state)
{
	table_for_each(class)
	{
		struct table_spec parsed;
		char text[64];
		struct err e;

		if (!class->lines || class->floor)
			continue;
		snprintf(text, sizeof(text), "%s:sig=24", class->name);
		if (table_spec_parse(text, &parsed, &e)) {
			if (class->sig_bits == 64)
				continue;
			text[strlen(class->name)] = '\0';
		} else {
			table_spec_free(&parsed);
		}
		for (enum kind k = 0; k < NR_KINDS; k++)
			if (class->kinds & 1u << k && kind_has_slots(k))
				confuses(text, k, 11, 1u << 17);
	}
}

/* A whole key is never another's, though those of a line differ in 16 bits only. */
static void whole_keys_confuse_nobody(void **state)
{
	struct crowd *c = crowd_open("xor", KIND_KV, 28);

	for (unsigned i = 0; i < 1u << 18; i++)
		crowd_probe(c, absent_key(c));
	assert_int_equal(c->f.w->n[KIND_KV].hits, 0);
	crowd_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiny_chances_are_not_0),
		cmocka_unit_test(uniform_keys),
		cmocka_unit_test(every_width),
		cmocka_unit_test(every_table),
		cmocka_unit_test(whole_keys_confuse_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
