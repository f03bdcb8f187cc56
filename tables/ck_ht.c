// SPDX-License-Identifier: BSD-2-Clause
/*
 * ck_ht - Concurrency Kit's hash table, sharded and bounded
 *
 * A shard is a ck_ht in direct mode (key and data word in the entry itself, nothing to
 * reclaim), a lock for its writers and a clock hand. Readers take no lock: they scan
 * again if an entry was deleted meanwhile. One entry per key; a store of a new key into
 * a full shard evicts the entry under the hand. ck_ht grows beyond half its capacity,
 * so a shard holds at most that many, and the allocator below refuses a second map.
 *
 * Keys 0 and ~0 mean "empty" and "deleted" to ck_ht; they live in words of their own.
 * tt: the new entry replaces the old if it is as deep or the old one is stale.
 *
 * Only ck_ht_set_spmc() writes: ck_ht_put_spmc() of some releases reuses a tombstone
 * without looking whether the key stands further on, and leaves it there twice.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS.
 *
 * Ordering (inside ck):
 *   [ht.W1] value, store fence, key            -> [ht.R1] key, load fence, value
 *   [ht.W2] tombstone, store fence, deletions  -> [ht.R2] deletions again after the scan
 *   [ht.L1] writer lock acquire                <- [ht.L2] release by the writer before
 */
#include <ck_ht.h>
#include <ck_spinlock.h>
#include <stdlib.h>

#include "container.h"
#include "template.h"

#define TABLE ckht /* ck_ht_ is taken */
#define CONTAINER_WORDS 1

struct shard {
	struct ck_ht ht;
	struct ck_spinlock_fas lock;
	bool map_taken; /* the shard's only map is in use */
	uint64_t held, limit; /* entries: under the lock */
	struct ck_ht_iterator hand;
	/* keys 0 and ~0: their data words; 0 is empty in every kind */
	atomic_word odd[2];
} __attribute__((aligned(128)));

struct ckht {
	struct shard *shard;
	uint64_t nr;
	unsigned shift; /* shard of a key: key >> 1 >> shift */
	size_t map_bytes;
	uint64_t capacity; /* slots of a shard's map */
};

/* ck's allocator hooks carry no context: the shard being set up stands here. */
static __thread struct {
	struct shard *shard;
	void *map;
	size_t size; /* in: of map; out, with map NULL: what was asked for */
} setup;

static void *map_alloc(size_t size)
{
	if (!setup.map) {
		setup.size = size;
		return NULL;
	}
	if (!setup.shard || setup.shard->map_taken || size > setup.size)
		return NULL;
	setup.shard->map_taken = true;
	return setup.map;
}

/* Growing is refused: a full shard evicts. */
static void *map_realloc(void *p, size_t old, size_t size, bool defer)
{
	return NULL;
}

static void map_free(void *p, size_t size, bool defer)
{
	setup.shard->map_taken = false;
}

static struct ck_malloc map_allocator = {
	.malloc = map_alloc,
	.realloc = map_realloc,
	.free = map_free,
};

static void hash_key(struct ck_ht_hash *h, const void *key, size_t len, uint64_t seed)
{
	uint64_t k;

	memcpy(&k, key, sizeof(k));
	h->value = mix64(k);
}

#define CK_HT_MODE (CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE)

/* What ck_ht allocates for a map of this capacity: ask, and refuse. */
static size_t map_bytes_for(uint64_t capacity)
{
	struct ck_ht ht;

	setup.map = NULL;
	setup.size = 0;
	ck_ht_init(&ht, CK_HT_MODE, hash_key, &map_allocator, capacity, 0);
	return setup.size;
}

static __always_inline struct ckht *shards_of(const struct table *t)
{
	return t->priv;
}

static __always_inline struct shard *shard_at(const struct table *t, uint64_t region)
{
	return &shards_of(t)->shard[region];
}

static __always_inline uint64_t T(region)(const struct table *t, uint64_t key)
{
	return key >> 1 >> shards_of(t)->shift;
}

static __always_inline bool key_is_odd(uint64_t key)
{
	return key == 0 || key == UINT64_MAX;
}

static __always_inline struct ck_ht_hash hash_of(uint64_t key)
{
	return (struct ck_ht_hash){ .value = mix64(key) };
}

/* The data word of a key, or 0. Lock-free. */
static __always_inline uint64_t shard_get(struct shard *s, uint64_t key)
{
	struct ck_ht_entry entry;

	if (key_is_odd(key))
		return READ_ONCE64(&s->odd[key & 1]);
	ck_ht_entry_key_set_direct(&entry, key);
	/* [ht.R1] [ht.R2] pair with [ht.W1] [ht.W2] */
	if (!ck_ht_get_spmc(&s->ht, hash_of(key), &entry))
		return 0;
	return ck_ht_entry_value_direct(&entry);
}

/* Evict the entry under the hand and move on. Under the lock. */
static void shard_evict(struct shard *s)
{
	struct ck_ht_entry *victim, entry;

	if (!ck_ht_next(&s->ht, &s->hand, &victim)) {
		ck_ht_iterator_init(&s->hand);
		if (!ck_ht_next(&s->ht, &s->hand, &victim))
			return;
	}
	entry = *victim;
	/* [ht.W2] pairs with [ht.R2] */
	if (ck_ht_remove_spmc(&s->ht, hash_of(entry.key), &entry))
		s->held--;
}

/* Write the word of a key, evicting if it is new and the shard is full. Under the lock. */
static void shard_set(struct shard *s, uint64_t key, uint64_t word, bool is_new)
{
	struct ck_ht_hash h = hash_of(key);
	struct ck_ht_entry entry;

	if (key_is_odd(key)) {
		WRITE_ONCE64(&s->odd[key & 1], word);
		return;
	}
	if (is_new) {
		if (s->held >= s->limit)
			shard_evict(s);
		s->held++;
	}
	ck_ht_entry_set_direct(&entry, h, key, word);
	/* [ht.W1] pairs with [ht.R1]. No free slot within ck_ht's probe limit: make one. */
	while (!ck_ht_set_spmc(&s->ht, h, &entry) && s->held > 1)
		shard_evict(s);
}

static __always_inline void T(begin_read)(struct table *t, struct worker *w, uint64_t region)
{
}

static __always_inline void T(end_read)(struct table *t, struct worker *w, uint64_t region)
{
}

static __always_inline void T(begin_write)(struct table *t, struct worker *w, uint64_t region)
{
	struct shard *s = shard_at(t, region);

	/* [ht.L1] pairs with [ht.L2] */
	ck_spinlock_fas_lock(&s->lock);
	tsan_acquired(&s->lock);
}

static __always_inline void T(end_write)(struct table *t, struct worker *w, uint64_t region)
{
	struct shard *s = shard_at(t, region);

	tsan_releasing(&s->lock);
	/* [ht.L2] pairs with [ht.L1] */
	ck_spinlock_fas_unlock(&s->lock);
}

static __always_inline bool T(get)(const enum kind kind, struct table *t, uint64_t region,
				   uint64_t key, struct found *f)
{
	f->word[0] = shard_get(shard_at(t, region), key);
	return f->word[0];
}

static __always_inline bool T(set)(const enum kind kind, struct table *t, struct worker *w,
				   uint64_t region, uint64_t key, const struct found *f,
				   const uint64_t *word)
{
	shard_set(shard_at(t, region), key, word[0], !f->held);
	return true;
}

static void T(walk_region)(struct table *t, uint64_t region, struct shown *show)
{
	struct shard *s = shard_at(t, region);
	struct ck_ht_iterator it = CK_HT_ITERATOR_INITIALIZER;
	struct ck_ht_entry *entry;
	uint64_t word;

	while (ck_ht_next(&s->ht, &it, &entry)) {
		word = ck_ht_entry_value_direct(entry);
		container_show(show, ck_ht_entry_key_direct(entry), &word);
	}
	for (unsigned i = 0; i < 2; i++) {
		word = READ_ONCE64(&s->odd[i]);
		if (word)
			container_show(show, i ? UINT64_MAX : 0, &word);
	}
}

static void T(clear_region)(struct table *t, struct worker *w, uint64_t region)
{
	struct shard *s = shard_at(t, region);
	struct ck_ht_iterator it = CK_HT_ITERATOR_INITIALIZER;
	struct ck_ht_entry *at, entry;

	while (ck_ht_next(&s->ht, &it, &at)) {
		entry = *at;
		/* [ht.W2] pairs with [ht.R2] */
		if (ck_ht_remove_spmc(&s->ht, hash_of(entry.key), &entry))
			s->held--;
	}
	WRITE_ONCE64(&s->odd[0], 0);
	WRITE_ONCE64(&s->odd[1], 0);
}

#include "container_table.h"

static void shard_reset(struct ckht *shards, const struct table *t, uint64_t i)
{
	struct shard *s = &shards->shard[i];

	setup.shard = s;
	setup.map = (char *)t->mem.base + i * shards->map_bytes;
	setup.size = shards->map_bytes;
	if (s->map_taken)
		ck_ht_destroy(&s->ht);
	/* Cannot fail: the map has exactly the size that was asked for. */
	ck_ht_init(&s->ht, CK_HT_MODE, hash_key, &map_allocator, shards->capacity, 0);
	setup.shard = NULL;
	ck_ht_iterator_init(&s->hand);
	s->held = 0;
	s->limit = shards->capacity / 2;
	WRITE_ONCE64(&s->odd[0], 0);
	WRITE_ONCE64(&s->odd[1], 0);
}

static void T(clear)(struct table *t, unsigned part, unsigned parts)
{
	struct ckht *s = shards_of(t);

	for (uint64_t i = s->nr * part / parts; i < s->nr * (part + 1) / parts; i++)
		shard_reset(s, t, i);
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

#define MIN_CAPACITY 64u

/* The largest power of two of slots a shard can have within the size, at least 64. */
static uint64_t capacity_for(const struct table_size *size, uint64_t nr)
{
	uint64_t capacity = MIN_CAPACITY;

	if (size->bytes)
		while (map_bytes_for(capacity * 2) + sizeof(struct shard) <= size->bytes / nr)
			capacity *= 2;
	else
		while (capacity <= size->entries / nr)
			capacity *= 2;
	return capacity;
}

static int T(create)(struct table *t, const struct table_params *p, struct err *e)
{
	struct ckht *s;
	uint64_t nr;

	if (parse_u64(p->option[0], 1, 65536, &nr) || nr & (nr - 1))
		return err_set(e,
			       "--table ck_ht: option shards: expected a power of two up to "
			       "65536, got '%s'",
			       p->option[0]);
	/* Small tables get fewer shards rather than more memory than was asked for. */
	while (nr > 1 && (p->size.bytes ? p->size.bytes / nr < map_bytes_for(MIN_CAPACITY) +
								       sizeof(struct shard)
					: p->size.entries / nr < MIN_CAPACITY / 2))
		nr /= 2;
	t->loops = &T(loops);
	s = xcalloc(1, sizeof(*s));
	s->nr = nr;
	s->shift = 63 - (unsigned)__builtin_ctzll(nr);
	s->capacity = capacity_for(&p->size, nr);
	s->map_bytes = (map_bytes_for(s->capacity) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	if (mem_map(&t->mem, nr * s->map_bytes, p->pages, p->size_text, e))
		goto out_free;
	if (mem_map(&t->side, nr * sizeof(struct shard), p->pages, p->size_text, e))
		goto out_mem;
	s->shard = t->side.base;
	t->priv = s;
	t->lines = nr;
	t->bytes = nr * (s->map_bytes + sizeof(struct shard));
	t->entries = nr * (s->capacity / 2) + 2; /* and the two odd keys */
	t->never_evicts = s->capacity / 2;
	return 0;
out_mem:
	mem_unmap(&t->mem);
out_free:
	free(s);
	return -1;
}

static void T(destroy)(struct table *t)
{
	free(t->priv);
}

static struct table_class ckht_class = {
	.name = "ck_ht",
	.summary = "Concurrency Kit's hash table in shards: lock-free readers, one writer each",
	.reference = "Al Bahra, ck_ht",
	.probe_progress = "lock-free (scans again after deletions)",
	.store_progress = "blocking",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.kinds = 1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_KV,
	.sig_bits = 64,
	.options = { { "shards", NULL, "256",
		       "a power of two: how many writers can be inside" },
		     REFRESH_OPTION,
		     MATE_OPTION },
	.create = ckht_create,
	.destroy = ckht_destroy,
	.clear = ckht_clear,
};
TABLE_REGISTER(ckht);
