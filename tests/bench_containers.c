// SPDX-License-Identifier: BSD-2-Clause
/*
 * How close our tables on other people's containers come to those containers used bare: one
 * loop over the same keys, one thread, probes only, half of them hits. A container and a
 * table of one shard have the same number of slots and hold the same keys.
 *
 * Where pointers are published a reader must be in a section, in bare use too; what such a
 * container would do without is shown beside it. A further container takes an open, a put, a
 * loop and a line in the list.
 */
#include <ck_epoch.h>
#include <ck_hs.h>
#include <ck_ht.h>
#include <ck_malloc.h>
#include <ck_rhs.h>

#include "bench.h"
#include "line.h"

static struct topo *topo;

/* Memory as the harness has it. One container is open at a time. */
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

static bool ht_open(uint64_t slots)
{
	return ck_ht_init(&ht, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, ht_hash,
			  &map_allocator, slots, 0);
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
	static bool name##_open(uint64_t slots)                                                \
	{                                                                                      \
		objects_open(slots / 2);                                                       \
		return ck_##name##_init(&name, mode, object_hash, object_same, &map_allocator, \
					slots, 0);                                             \
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

static const struct container {
	const char *name, *spec; /* ours: holds half of its slots, in one shard */
	bool (*open)(uint64_t slots);
	bool (*put)(uint64_t key, uint64_t word);
	uint64_t (*loop)(const struct contestant *c, const struct stream *s);
	uint64_t (*unprotected)(const struct contestant *c, const struct stream *s);
	void (*close)(void);
} containers[] = {
	{ "ck_ht", "ck_ht:shards=1", ht_open, ht_put, ht_loop, NULL, ht_close },
	{ "ck_hs", "ck_hs:shards=1", hs_open, hs_put, hs_loop, hs_unprotected, hs_close },
	{ "ck_rhs", "ck_rhs:shards=1", rhs_open, rhs_put, rhs_loop, rhs_unprotected,
	  rhs_close },
};

/* The keys that our table of this size keeps for certain. */
static uint64_t keys_held(const char *spec, uint64_t bytes)
{
	struct table_params p = {
		.kind = KIND_KV, .size = { .bytes = bytes }, .size_text = "size", .threads = 1
	};
	struct table_spec parsed;
	struct table *t;
	struct err e;
	uint64_t keys;

	if (table_spec_parse(spec, &parsed, &e) || table_create(&parsed, &p, &t, &e))
		fixture_die(&e);
	keys = t->never_evicts;
	table_destroy(t);
	table_spec_free(&parsed);
	return keys;
}

static void fill(const struct container *b, const struct traffic *t)
{
	uint64_t word;

	for (uint64_t i = 0; i < t->preload_nr; i++) {
		struct trace_op op = t->preload_op(t, i);

		entry_from_op(KIND_KV, &op, &word);
		if (!b->put(op.key, word)) {
			fprintf(stderr, "%s: no room for a key\n", b->name);
			exit(1);
		}
	}
}

static void bare_against_ours(const struct container *b, uint64_t bytes, const char *size_text)
{
	uint64_t keys = keys_held(b->spec, bytes);
	struct table_size size = { .entries = keys };
	struct contestant c[3] = { { .label = "bare", .bare = b->loop },
				   { .label = b->spec, .spec = b->spec },
				   { .label = "bare, no sections", .bare = b->unprotected } };
	size_t nr = b->unprotected ? 3 : 2;
	struct traffic *t;
	struct err e;
	char text[64];

	if (traffic_from_workload("uniform", &size, 1, 1, &t, &e))
		fixture_die(&e);
	if (!b->open(2 * keys)) {
		fprintf(stderr, "%s: cannot be opened\n", b->name);
		exit(1);
	}
	fill(b, t);
	for (size_t i = 0; i < nr; i++) {
		c[i].traffic = t;
		c[i].bytes = bytes;
		c[i].threads = 1;
		c[i].caller = CALLER_BATCH;
	}
	compete(c, nr, topo);
	printf("%s at %s, %ju keys\n", b->name, size_text, (uintmax_t)keys);
	print_all(c, nr);
	snprintf(text, sizeof(text), "%s of bare, %s", b->spec, size_text);
	verdict(text, median_of(c[0].own_ns) / median_of(c[1].own_ns), 0.9, true, "");
	b->close();
	traffic_free(t);
}

int main(void)
{
	static const struct {
		uint64_t bytes;
		const char *name;
	} sizes[] = { { MIB / 4, "256 KiB" }, { 1024 * MIB, "1 GiB" } };
	struct err e;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (topo_open(&topo, &e))
		fixture_die(&e);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t b = 0; b < ARRAY_SIZE(containers); b++)
			bare_against_ours(&containers[b], sizes[i].bytes, sizes[i].name);
	topo_close(topo);
	return 0;
}
