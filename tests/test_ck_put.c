// SPDX-License-Identifier: BSD-2-Clause
/*
 * Does the Concurrency Kit that is installed put a key twice? Some releases' puts reuse the
 * first tombstone without looking whether the key stands further on. This says which of
 * them do, whatever they do; our tables on the same containers may never hold a key twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ck_hs.h>
#include <ck_ht.h>
#include <ck_malloc.h>
#include <ck_rhs.h>

#include "fixture.h"

#define KEYS 40u /* in a map of 128 slots, so that it never grows */
#define SLOTS 128u
#define ROUNDS 2000u

static uint64_t key_of(unsigned i)
{
	return mix64(i + 1);
}

static void *get_memory(size_t size)
{
	return malloc(size);
}

static void put_memory(void *p, size_t size, bool defer)
{
	free(p);
}

static struct ck_malloc memory = { .malloc = get_memory, .free = put_memory };

/* How often each key was met in a walk. */
struct census {
	unsigned copies[KEYS];
};

static void census_take(struct census *c, uint64_t key)
{
	for (unsigned i = 0; i < KEYS; i++)
		c->copies[i] += key_of(i) == key;
}

static unsigned census_twice(const struct census *c)
{
	unsigned twice = 0;

	for (unsigned i = 0; i < KEYS; i++)
		twice += c->copies[i] > 1;
	return twice;
}

/* One container, bare, and the put in question. */
struct container {
	const char *put_name;
	void (*open)(void);
	void (*put)(unsigned i);
	void (*remove)(unsigned i);
	void (*walk)(struct census *c);
	void (*close)(void);
};

static uint64_t objects[KEYS]; /* the sets hold pointers */

static unsigned long object_hash(const void *object, unsigned long seed)
{
	return mix64(*(const uint64_t *)object);
}

static bool object_same(const void *a, const void *b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

#define SET_OF_POINTERS(name, mode)                                                          \
	static struct ck_##name name;                                                        \
	static void name##_open(void)                                                        \
	{                                                                                    \
		assert_true(ck_##name##_init(&name, mode, object_hash, object_same, &memory, \
					     SLOTS, 0));                                     \
	}                                                                                    \
	static void name##_put(unsigned i)                                                   \
	{                                                                                    \
		ck_##name##_put(&name, object_hash(&objects[i], 0), &objects[i]);            \
	}                                                                                    \
	static void name##_remove(unsigned i)                                                \
	{                                                                                    \
		ck_##name##_remove(&name, object_hash(&objects[i], 0), &objects[i]);         \
	}                                                                                    \
	static void name##_walk(struct census *c)                                            \
	{                                                                                    \
		struct ck_##name##_iterator it;                                              \
		void *object;                                                                \
                                                                                             \
		ck_##name##_iterator_init(&it);                                              \
		while (ck_##name##_next(&name, &it, &object))                                \
			census_take(c, *(uint64_t *)object);                                 \
	}                                                                                    \
	static void name##_close(void)                                                       \
	{                                                                                    \
		ck_##name##_destroy(&name);                                                  \
	}

SET_OF_POINTERS(hs, CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT | CK_HS_MODE_DELETE)
SET_OF_POINTERS(rhs, CK_RHS_MODE_SPMC | CK_RHS_MODE_OBJECT)

static struct ck_ht ht;

static void ht_hash(struct ck_ht_hash *h, const void *key, size_t len, uint64_t seed)
{
	uint64_t k;

	memcpy(&k, key, sizeof(k));
	h->value = mix64(k);
}

static void ht_open(void)
{
	assert_true(ck_ht_init(&ht, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, ht_hash, &memory,
			       SLOTS, 0));
}

static void ht_put(unsigned i)
{
	struct ck_ht_hash h = { .value = mix64(key_of(i)) };
	struct ck_ht_entry entry;

	ck_ht_entry_set_direct(&entry, h, key_of(i), 1);
	ck_ht_put_spmc(&ht, h, &entry);
}

static void ht_remove(unsigned i)
{
	struct ck_ht_hash h = { .value = mix64(key_of(i)) };
	struct ck_ht_entry entry;

	ck_ht_entry_key_set_direct(&entry, key_of(i));
	ck_ht_remove_spmc(&ht, h, &entry);
}

static void ht_walk(struct census *c)
{
	struct ck_ht_iterator it = CK_HT_ITERATOR_INITIALIZER;
	struct ck_ht_entry *entry;

	while (ck_ht_next(&ht, &it, &entry))
		census_take(c, ck_ht_entry_key_direct(entry));
}

static void ht_close(void)
{
	ck_ht_destroy(&ht);
}

#define CONTAINER(name, put_)                                                       \
	{                                                                           \
		.put_name = put_, .open = name##_open, .put = name##_put,           \
		.remove = name##_remove, .walk = name##_walk, .close = name##_close \
	}

static const struct container containers[] = {
	CONTAINER(ht, "ck_ht_put_spmc"),
	CONTAINER(hs, "ck_hs_put"),
	CONTAINER(rhs, "ck_rhs_put"),
};

/* Remove one key, put all the others, which are there, and that one. How many rounds until
 * some key stood there twice? 0: it never did. */
static unsigned rounds_until_twice(const struct container *c)
{
	unsigned round, twice = 0;
	uint64_t rng = 7;

	for (unsigned i = 0; i < KEYS; i++)
		objects[i] = key_of(i);
	c->open();
	for (unsigned i = 0; i < KEYS; i++)
		c->put(i);
	for (round = 0; round < ROUNDS && !twice; round++) {
		unsigned gone = (unsigned)rng_below(&rng, KEYS);
		struct census census = { { 0 } };

		c->remove(gone);
		for (unsigned i = 1; i <= KEYS; i++)
			c->put((gone + i) % KEYS);
		c->walk(&census);
		twice = census_twice(&census);
	}
	c->close();
	return twice ? round : 0;
}

static void which_puts_leave_a_key_twice(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++) {
		unsigned rounds = rounds_until_twice(&containers[i]);

		if (rounds)
			printf("%s left a key twice in round %u\n", containers[i].put_name,
			       rounds);
		else
			printf("%s left none twice in %u rounds\n", containers[i].put_name,
			       ROUNDS);
	}
}

static void count_slot(void *arg, const struct slot_view *v)
{
	census_take(arg, v->sig);
}

/* Evictions remove, stores put: of keys that are there and of others, all over again. */
static void our_tables_never_do(void **state)
{
	static const char *const specs[] = { "ck_ht:shards=1", "ck_hs:shards=1",
					     "ck_rhs:shards=1" };

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct fixture f;
		uint64_t rng = 7;

		fixture_open(&f, specs[i], KIND_KV, 1, 32567);
		for (unsigned n = 0; n < 20 * ROUNDS; n++) {
			struct census census = { { 0 } };
			uint64_t other = mix64(rng_below(&rng, 2 * f.t->entries) + KEYS + 1);
			struct trace_op put =
				store_op(KIND_KV, key_of((unsigned)rng_below(&rng, KEYS)), n);
			struct trace_op evict = store_op(KIND_KV, other, n);

			fixture_op(&f, &put);
			fixture_op(&f, &evict);
			if (n % 16)
				continue;
			f.t->loops->walk(f.t, count_slot, &census);
			assert_int_equal(census_twice(&census), 0);
		}
		fixture_close(&f);
	}
}

static void a_key_twice_is_noticed(void **state)
{
	struct census census = { { 0 } };

	for (unsigned i = 0; i < KEYS; i++)
		census_take(&census, key_of(i));
	assert_int_equal(census_twice(&census), 0);
	census_take(&census, key_of(3));
	census_take(&census, 99);
	assert_int_equal(census_twice(&census), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_twice_is_noticed),
		cmocka_unit_test(which_puts_leave_a_key_twice),
		cmocka_unit_test(our_tables_never_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
