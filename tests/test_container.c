// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables that hold one entry per key, against a plain model. argv: a table's spec; a table
 * made of lines is skipped. One thread.
 *
 * The model knows for each key what was stored last. It does not know what a table evicts:
 * a key that is gone was evicted, which is only allowed if more keys are about than are
 * never evicted, and may not come back before it is stored again. What is there must be as
 * it was stored last, once, and no more than the table says it can hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fixture.h"
#include "line.h"

#define MATE TT_MATE_DEFAULT
#define ENTRIES 1024 /* asked for: some tables hold more at least */
#define OPS 60000
#define WALK_EVERY 1000 /* operations */

static const char *spec;
static const struct table_class *class;

#define for_each_kind(k)                         \
	for (enum kind k = 0; k < NR_KINDS; k++) \
		if (class->kinds & 1u << k)

/* What a table can do wrong. */
enum wrong { WRONG_WORD, WRONG_GONE, WRONG_BACK, WRONG_TWICE, WRONG_MORE, NR_WRONG };

struct key {
	uint64_t key, word[MAX_ENTRY_WORDS];
	bool held; /* as far as is known */
	bool walked;
};

struct check {
	struct fixture f;
	enum kind kind;
	struct key *key;
	uint64_t nr, walked, most; /* keys; slots in the last walk, and in any */
	bool may_evict;
	enum refresh refresh;
	uint64_t wrong[NR_WRONG];
	enum wrong planted; /* NR_WRONG: none */
	uint64_t rng;
};

static enum refresh refresh_of(const struct table_spec *s)
{
	static const char *const names[] = { "always", "stale", "cas", "never" };
	const char *value = table_spec_option(s, "refresh");

	for (enum refresh r = 0; r < ARRAY_SIZE(names); r++)
		if (value && !strcmp(value, names[r]))
			return r;
	return REFRESH_NEVER;
}

/* Keys in the order of their numbers would be in one shard; 0 and ~0 are among them. */
static void check_open(struct check *c, enum kind kind, bool may_evict)
{
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->planted = NR_WRONG;
	c->may_evict = may_evict;
	c->rng = 12345;
	fixture_open(&c->f, spec, kind, ENTRIES, MATE);
	c->refresh = refresh_of(&c->f.spec);
	c->nr = may_evict ? 3 * c->f.t->entries : c->f.t->never_evicts;
	assert_true(c->nr > 2);
	c->key = calloc(c->nr, sizeof(*c->key));
	for (uint64_t i = 0; i < c->nr; i++)
		c->key[i].key = i < 2 ? -i : mix64(i);
}

static void check_close(struct check *c)
{
	free(c->key);
	fixture_close(&c->f);
}

static void sees(struct check *c, struct key *k, bool held, const uint64_t *word)
{
	if (k->held && !held)
		c->wrong[WRONG_GONE] += !c->may_evict;
	if (held && !k->held)
		c->wrong[WRONG_BACK]++;
	if (held && k->held && memcmp(word, k->word, entry_words(c->kind) * sizeof(*word)) != 0)
		c->wrong[WRONG_WORD]++;
	k->held = held;
}

/* Look for a key; a fault that is planted is seen every now and then. */
static void look(struct check *c, struct key *k)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
	bool held = c->f.t->loops->find(c->f.t, c->f.w, k->key, word);
	bool lie = !rng_below(&c->rng, 100);

	if (lie && c->planted == WRONG_GONE)
		held = false;
	if (lie && c->planted == WRONG_WORD)
		word[0][0] ^= 1ull << 32;
	if (lie && c->planted == WRONG_BACK && !held) {
		held = true;
		memset(word, 0, sizeof(word));
	}
	sees(c, k, held, word[0]);
}

static void model_store(struct check *c, struct key *k, const struct trace_op *op)
{
	const struct table *t = c->f.t;
	struct tt_slot old = { .word = k->word[0], .holds = k->held };
	uint64_t generation = READ_ONCE64(&t->generation);
	struct tt_store in;

	if (c->kind != KIND_TT) {
		entry_from_op(c->kind, op, k->word);
		k->held = true;
		return;
	}
	in = store_from_op(t, op);
	if (tt_drops(&in, t->mate) ||
	    (k->held && in.depth < tt_depth(k->word[0]) && !tt_stale(k->word[0], generation)))
		return;
	k->word[0] = tt_merge(old, &in, generation, t->mate);
	k->held = true;
}

static struct trace_op random_store(struct check *c, const struct key *k)
{
	struct trace_op op = store_op(c->kind, k->key, (uint32_t)rng_next(&c->rng));

	op.depth = (uint8_t)rng_below(&c->rng, 12);
	op.flags = (uint8_t)((BOUND_UPPER + rng_below(&c->rng, 3)) << TRACE_BOUND_SHIFT);
	op.value = (int16_t)(rng_below(&c->rng, 65535) - 32767);
	if (!rng_below(&c->rng, 4))
		op.move = 0;
	return op;
}

static void store_one(struct check *c, struct key *k)
{
	struct trace_op op = random_store(c, k);

	look(c, k);
	model_store(c, k, &op);
	fixture_op(&c->f, &op);
	/* The newest may not be what is evicted. */
	c->wrong[WRONG_GONE] += k->held && !fixture_find(&c->f, k->key);
	look(c, k);
}

static void probe_one(struct check *c, struct key *k)
{
	struct trace_op op = probe_op(c->kind, k->key);
	uint64_t hits = c->f.w->n[c->kind].hits;

	look(c, k);
	fixture_op(&c->f, &op);
	c->wrong[WRONG_GONE] +=
		c->f.w->n[c->kind].hits - hits != k->held && c->planted == NR_WRONG;
	if (c->kind == KIND_TT && k->held && c->refresh != REFRESH_NEVER)
		k->word[0] = tt_refreshed(k->word[0], READ_ONCE64(&c->f.t->generation));
	look(c, k);
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = ((const struct key *)a)->key, y = ((const struct key *)b)->key;

	return x < y ? -1 : x > y;
}

static void walked(void *arg, const struct slot_view *v)
{
	struct check *c = arg;
	struct key wanted = { .key = v->sig };
	struct key *k = bsearch(&wanted, c->key, c->nr, sizeof(*k), compare_keys);

	c->walked++;
	if (!k) {
		c->wrong[WRONG_BACK]++;
		return;
	}
	c->wrong[WRONG_TWICE] += k->walked;
	k->walked = true;
	sees(c, k, true, v->word);
	if (c->planted == WRONG_TWICE && c->walked == 10)
		walked(c, v);
}

static void walk(struct check *c)
{
	c->walked = 0;
	for (uint64_t i = 0; i < c->nr; i++)
		c->key[i].walked = false;
	c->f.t->loops->walk(c->f.t, walked, c);
	if (c->planted == WRONG_MORE)
		c->walked += c->f.t->entries;
	c->wrong[WRONG_MORE] += c->walked > c->f.t->entries;
	c->most = c->walked > c->most ? c->walked : c->most;
	for (uint64_t i = 0; i < c->nr; i++)
		if (!c->key[i].walked)
			sees(c, &c->key[i], false, NULL);
}

static void clear(struct check *c)
{
	c->f.t->loops->clear_live(c->f.t, c->f.w);
	for (uint64_t i = 0; i < c->nr; i++)
		c->key[i].held = false;
}

static void run(struct check *c)
{
	qsort(c->key, c->nr, sizeof(*c->key), compare_keys);
	for (uint64_t i = 0; i < OPS; i++) {
		struct key *k = &c->key[rng_below(&c->rng, c->nr)];

		rng_below(&c->rng, 2) ? store_one(c, k) : probe_one(c, k);
		if (!rng_below(&c->rng, 500))
			table_new_generation(c->f.t);
		if (!rng_below(&c->rng, OPS / 4))
			clear(c);
		if (i % WALK_EVERY == WALK_EVERY - 1)
			walk(c);
	}
}

static void all_right(struct check *c)
{
	run(c);
	for (enum wrong w = 0; w < NR_WRONG; w++)
		assert_int_equal(c->wrong[w], 0);
	/* and the table was put to use */
	assert_true(c->most > c->nr / 4);
	check_close(c);
}

static void few_keys_are_all_kept(void **state)
{
	for_each_kind(k)
	{
		struct check c;

		check_open(&c, k, false);
		all_right(&c);
	}
}

static void many_keys_evict_each_other(void **state)
{
	for_each_kind(k)
	{
		struct check c;

		check_open(&c, k, true);
		all_right(&c);
	}
}

/* The check finds what it is there to find. */
static void what_is_planted_is_found(void **state)
{
	for (enum wrong w = 0; w < NR_WRONG; w++) {
		struct check c;

		/* an eviction is no fault where there may be some, and all keys come back */
		check_open(&c, KIND_KV, w != WRONG_GONE);
		c.planted = w;
		run(&c);
		assert_true(c.wrong[w] > 0);
		check_close(&c);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_keys_are_all_kept),
		cmocka_unit_test(many_keys_evict_each_other),
		cmocka_unit_test(what_is_planted_is_found),
	};
	struct table_spec parsed;
	struct err e;

	spec = argv[1];
	if (argc != 2) {
		fprintf(stderr, "usage: test_container TABLE\n");
		return 1;
	}
	fixture_needs(spec);
	if (table_spec_parse(spec, &parsed, &e))
		fixture_die(&e);
	class = parsed.class;
	table_spec_free(&parsed);
	if (class->lines || class->floor) {
		printf("skipped: %s holds no one entry per key\n", spec);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
