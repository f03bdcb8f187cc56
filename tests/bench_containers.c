// SPDX-License-Identifier: BSD-2-Clause
/*
 * Concurrency Kit's containers, bare, against our tables on them. A further container takes
 * an open, a put, a loop, a close and a line in the list.
 */
#include <ck_epoch.h>
#include <ck_hs.h>
#include <ck_ht.h>
#include <ck_malloc.h>
#include <ck_rhs.h>

#include "bench_container.h"

/* Memory as the harness has it. */
static struct mem map, objects;

static void *map_alloc(size_t size)
{
	struct err e;

	if (mem_map(&map, size, PAGES_AUTO, "a map", &e))
		fixture_die(&e);
	return map.base;
}

static void map_free(void *p, size_t size, bool defer)
{
	mem_unmap(&map);
}

static struct ck_malloc map_allocator = { .malloc = map_alloc, .free = map_free };

static struct ck_ht ht;

static void ht_hash(struct ck_ht_hash *h, const void *key, size_t len, uint64_t seed)
{
	h->value = mix64(*(const uint64_t *)key);
}

static bool ht_open(uint64_t keys)
{
	return ck_ht_init(&ht, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, ht_hash,
			  &map_allocator, 2 * keys, 0);
}

static bool ht_put(uint64_t key, uint64_t word)
{
	struct ck_ht_hash h = { .value = mix64(key) };
	struct ck_ht_entry entry;

	ck_ht_entry_set_direct(&entry, h, key, word);
	return ck_ht_set_spmc(&ht, h, &entry);
}

static void ht_close(void)
{
	ck_ht_destroy(&ht);
}

static uint64_t ht_loop(const struct contestant *c, const struct stream *s)
{
	uint64_t sum = 0;

	for (const struct trace_op *op = s->op; op < s->op + s->nr; op++) {
		struct ck_ht_hash h = { .value = mix64(op->key) };
		struct ck_ht_entry entry;

		ck_ht_entry_key_set_direct(&entry, op->key);
		if (ck_ht_get_spmc(&ht, h, &entry))
			sum += ck_ht_entry_value_direct(&entry);
	}
	return sum;
}

struct object {
	uint64_t key, word;
};

static uint64_t nr_objects;
static ck_epoch_t epoch;
static ck_epoch_record_t record;

static unsigned long object_hash(const void *object, unsigned long seed)
{
	return mix64(((const struct object *)object)->key);
}

static bool object_same(const void *a, const void *b)
{
	return ((const struct object *)a)->key == ((const struct object *)b)->key;
}

static void objects_open(uint64_t nr)
{
	struct err e;

	if (mem_map(&objects, nr * sizeof(struct object), PAGES_AUTO, "objects", &e))
		fixture_die(&e);
	nr_objects = 0;
	ck_epoch_init(&epoch);
	ck_epoch_register(&epoch, &record, NULL);
}

static struct object *object_make(uint64_t key, uint64_t word)
{
	struct object *o = (struct object *)objects.base + nr_objects++;

	*o = (struct object){ .key = key, .word = word };
	return o;
}

/* Either of the sets of pointers; a loop in sections, and one without. */
#define SET_LOOP(name, loop, begin, end)                                                  \
	static uint64_t name##_##loop(const struct contestant *c, const struct stream *s) \
	{                                                                                 \
		uint64_t sum = 0;                                                         \
                                                                                          \
		for (const struct trace_op *op = s->op; op < s->op + s->nr; op++) {       \
			struct object wanted = { .key = op->key }, *o;                    \
                                                                                          \
			begin;                                                            \
			o = ck_##name##_get(&name, mix64(op->key), &wanted);              \
			if (o)                                                            \
				sum += o->word;                                           \
			end;                                                              \
		}                                                                         \
		return sum;                                                               \
	}
#define SET_OF_POINTERS(name, mode)                                                            \
	static struct ck_##name name;                                                          \
	static bool name##_open(uint64_t keys)                                                 \
	{                                                                                      \
		objects_open(keys);                                                            \
		return ck_##name##_init(&name, mode, object_hash, object_same, &map_allocator, \
					2 * keys, 0);                                          \
	}                                                                                      \
	static bool name##_put(uint64_t key, uint64_t word)                                    \
	{                                                                                      \
		return ck_##name##_put(&name, mix64(key), object_make(key, word));             \
	}                                                                                      \
	static void name##_close(void)                                                         \
	{                                                                                      \
		ck_##name##_destroy(&name);                                                    \
		mem_unmap(&objects);                                                           \
	}                                                                                      \
	SET_LOOP(name, loop, ck_epoch_begin(&record, NULL), ck_epoch_end(&record, NULL))       \
	SET_LOOP(name, unprotected, , )

SET_OF_POINTERS(hs, CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT | CK_HS_MODE_DELETE)
SET_OF_POINTERS(rhs, CK_RHS_MODE_SPMC | CK_RHS_MODE_OBJECT)

/* Half of their slots are for keys. */
static const struct container containers[] = {
	{ "ck_ht", "ck_ht:shards=1", ht_open, ht_put, ht_loop, NULL, ht_close },
	{ "ck_hs", "ck_hs:shards=1", hs_open, hs_put, hs_loop, hs_unprotected, hs_close },
	{ "ck_rhs", "ck_rhs:shards=1", rhs_open, rhs_put, rhs_loop, rhs_unprotected,
	  rhs_close },
};

int main(void)
{
	return bench_containers(containers, ARRAY_SIZE(containers), 1024 * MIB, "1 GiB");
}
