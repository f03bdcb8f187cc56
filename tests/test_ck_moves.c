// SPDX-License-Identifier: BSD-2-Clause
/*
 * Does a reader of the installed ck_rhs find the keys that stay while others come and go?
 * Puts and removals move entries; readers look again if a counter changed, of which a map
 * has 1024, and in smaller maps it is not always the right one (tables/ck_rhs.c). Our table
 * promises no false miss on the strength of larger ones, so these must show none. What the
 * smaller ones show is printed: it takes luck.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ck_malloc.h>
#include <ck_rhs.h>
#include <stdio.h>
#include <stdlib.h>

#include "atomic.h"
#include "util.h"

#define CHANGES 300000u /* of one key for another */
#define MANY_PROBES 1000u /* meanwhile, or nothing was tried: millions, on one CPU, too */

static void *get_memory(size_t size)
{
	return malloc(size);
}

static void put_memory(void *p, size_t size, bool defer)
{
	free(p);
}

static struct ck_malloc memory = { .malloc = get_memory, .free = put_memory };

static unsigned long key_hash(const void *key, unsigned long seed)
{
	return mix64(*(const uint64_t *)key);
}

static bool key_same(const void *a, const void *b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

/* Half of the map's slots are taken: half of those by keys that stay. */
struct moves {
	struct ck_rhs set;
	uint64_t *key; /* those that stay, then groups of those that go */
	unsigned stay;
	_Atomic uint32_t stop;
	uint64_t probes, misses;
};

static void probe(struct moves *m, const uint64_t *key)
{
	m->probes++;
	m->misses += !ck_rhs_get(&m->set, key_hash(key, 0), key);
}

static void *probe_those_that_stay(void *arg)
{
	struct moves *m = arg;
	uint64_t rng = 1;

	while (!READ_ONCE32(&m->stop))
		probe(m, &m->key[rng_below(&rng, m->stay)]);
	return NULL;
}

static void put(struct moves *m, const uint64_t *key)
{
	assert_true(ck_rhs_put_unique(&m->set, key_hash(key, 0), key));
}

/* Of those that go there are as many groups as keys that stay: one of each is in. */
#define GROUP 63

static uint64_t *one_of_group(const struct moves *m, unsigned group, unsigned i)
{
	return &m->key[m->stay + GROUP * group + i];
}

static void moves_open(struct moves *m, unsigned slots)
{
	*m = (struct moves){ .stay = slots / 4 };
	m->key = calloc((1 + GROUP) * m->stay, sizeof(*m->key));
	for (unsigned i = 0; i < (1 + GROUP) * m->stay; i++)
		m->key[i] = i;
	assert_true(ck_rhs_init(&m->set, CK_RHS_MODE_SPMC | CK_RHS_MODE_OBJECT, key_hash,
				key_same, &memory, slots, 0));
	for (unsigned i = 0; i < m->stay; i++) {
		put(m, &m->key[i]);
		put(m, one_of_group(m, i, 0));
	}
}

static void moves_close(struct moves *m)
{
	ck_rhs_destroy(&m->set);
	free(m->key);
}

static void change(struct moves *m, uint64_t *rng, unsigned *in)
{
	unsigned group = (unsigned)rng_below(rng, m->stay);
	const uint64_t *out = one_of_group(m, group, in[group]);

	in[group] = (in[group] + 1 + (unsigned)rng_below(rng, GROUP - 1)) % GROUP;
	assert_ptr_equal(ck_rhs_remove(&m->set, key_hash(out, 0), out), out);
	put(m, one_of_group(m, group, in[group]));
}

static uint64_t misses_of(unsigned slots)
{
	unsigned *in = calloc(slots, sizeof(*in)); /* of each group */
	uint64_t rng = 2, misses;
	pthread_t reader;
	struct moves m;

	moves_open(&m, slots);
	pthread_create(&reader, NULL, probe_those_that_stay, &m);
	for (unsigned i = 0; i < CHANGES; i++)
		change(&m, &rng, in);
	WRITE_ONCE32(&m.stop, 1);
	pthread_join(reader, NULL);
	misses = m.misses;
	printf("%u slots: %ju misses of keys that stay, in %ju probes\n", slots,
	       (uintmax_t)misses, (uintmax_t)m.probes);
	assert_true(m.probes > MANY_PROBES);
	moves_close(&m);
	free(in);
	return misses;
}

static void large_maps_lose_none(void **state)
{
	misses_of(64);
	misses_of(256);
	assert_int_equal(misses_of(1024), 0);
	assert_int_equal(misses_of(4096), 0);
}

/* A key that is gone is missed. */
static void a_miss_is_counted(void **state)
{
	struct moves m;

	moves_open(&m, 64);
	probe(&m, &m.key[0]);
	assert_int_equal(m.misses, 0);
	ck_rhs_remove(&m.set, key_hash(&m.key[0], 0), &m.key[0]);
	probe(&m, &m.key[0]);
	assert_int_equal(m.misses, 1);
	moves_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_is_counted),
		cmocka_unit_test(large_maps_lose_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
