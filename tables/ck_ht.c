// SPDX-License-Identifier: BSD-2-Clause
/*
 * ck_ht - Concurrency Kit's hash table, sharded and bounded
 *
 * A shard (ck_shard.h) is a ck_ht in direct mode: key and data word stand in the slot itself,
 * nothing is reclaimed. Readers take no lock: they scan again if an entry was deleted
 * meanwhile. A store of a new key into a full shard evicts the entry under a clock hand that
 * goes round the map.
 *
 * Keys 0 and ~0 mean "empty" and "deleted" to ck_ht; they live in words of their own.
 *
 * Only ck_ht_set_spmc() writes: ck_ht_put_spmc() of some releases reuses a tombstone without
 * looking whether the key stands further on, and leaves it there twice.
 *
 * A slot once used is never empty again, and a set looks for its key as far as the next
 * empty slot: without one a store takes 19 us in a map of 8192 slots instead of 0.1. So when
 * a quarter of the slots may be tombstones, the shard's entries are copied to the table's
 * one spare map, and the old map is the next spare. A reader that was in it finds out by the
 * turn, and looks again: the map it stood in may hold another shard's entries by then. It
 * never left memory that is laid out as such a map.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS.
 *
 * Ordering (the first two inside ck):
 *   [ht.W1] value, store fence, key            -> [ht.R1] key, load fence, value
 *   [ht.W2] tombstone, store fence, deletions  -> [ht.R2] deletions again after the scan
 *   [ht.W3] copied entries, store fence, map   -> [ht.R3] map (ck), the entries
 *   [ht.W4] map, release of the turn, the spare's lock, what its next user writes
 *           -> [ht.R4] acquire of the turn, map, entries, acquire fence, the turn again
 */
#include <ck_ht.h>
#include <ck_pr.h>

#include "ck_shard.h"
#include "template.h"

#define TABLE ckht /* ck_ht_ is taken */
#define CONTAINER_WORDS 1

struct shard {
	/* what readers look at */
	struct ck_ht ht;
	atomic_word turn; /* how often its map was changed for another */
	/* keys 0 and ~0: their data words; 0 is empty in every kind */
	atomic_word odd[2];
	/* what writers need under the lock */
	struct ck_spinlock_fas lock __attribute__((aligned(128)));
	uint64_t held, removed; /* entries; how many went since the map was new */
	struct ck_ht_iterator hand;
	void *map; /* of the ht */
};

/* Behind the shards: the map that no shard uses. */
struct spare {
	struct ck_spinlock_fas lock;
	void *map;
	uint64_t capacity; /* slots of any map */
	size_t map_bytes;
} __attribute__((aligned(128)));

static void hash_key(struct ck_ht_hash *h, const void *key, size_t len, uint64_t seed)
{
	uint64_t k;

	memcpy(&k, key, sizeof(k));
	h->value = mix64(k);
}

static bool map_make(struct ck_ht *ht, void *map, size_t bytes, uint64_t capacity)
{
	shard_lend(map, bytes);
	return ck_ht_init(ht, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, hash_key,
			  &shard_allocator, capacity, 0);
}

/* What ck_ht allocates for a map: ask, and refuse. */
static size_t map_bytes_for(enum kind kind, uint64_t capacity)
{
	struct ck_ht ht;

	map_make(&ht, NULL, 0, capacity);
	return shard_round_up(shard_lent.size);
}

static __always_inline struct shard *shard_at(const struct table *t, uint64_t region)
{
	return (struct shard *)t->side.base + region;
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
	uint64_t turn;
	bool found;

	if (key_is_odd(key))
		return READ_ONCE64(&s->odd[key & 1]);
	do {
		turn = smp_load_acquire(&s->turn); /* [ht.R4] pairs with [ht.W4] */
		ck_ht_entry_key_set_direct(&entry, key);
		/* [ht.R1] [ht.R2] [ht.R3] pair with [ht.W1] [ht.W2] [ht.W3] */
		found = ck_ht_get_spmc(&s->ht, hash_of(key), &entry);
		smp_acquire_fence(); /* [ht.R4] pairs with [ht.W4] */
	} while (READ_ONCE64(&s->turn) != turn);
	return found ? ck_ht_entry_value_direct(&entry) : 0;
}

static void shard_remove(struct shard *s, const struct ck_ht_entry *victim)
{
	struct ck_ht_entry entry = *victim;

	/* [ht.W2] pairs with [ht.R2] */
	if (!ck_ht_remove_spmc(&s->ht, hash_of(entry.key), &entry))
		return;
	s->held--;
	s->removed++;
}

/* Evict the entry under the hand and move on. Under the lock. */
static void shard_evict(struct shard *s)
{
	struct ck_ht_entry *victim;

	if (!ck_ht_next(&s->ht, &s->hand, &victim)) {
		ck_ht_iterator_init(&s->hand);
		if (!ck_ht_next(&s->ht, &s->hand, &victim))
			return;
	}
	shard_remove(s, victim);
}

static bool copy_entries(struct ck_ht *from, struct ck_ht *to)
{
	struct ck_ht_iterator it = CK_HT_ITERATOR_INITIALIZER;
	struct ck_ht_entry *at, entry;

	while (ck_ht_next(from, &it, &at)) {
		entry = *at;
		if (!ck_ht_set_spmc(to, hash_of(entry.key), &entry))
			return false;
	}
	return true;
}

/*
 * Copy a shard that is full of tombstones, unless the spare map is in use. The hand stays:
 * entries stand in much the same places in the new map. Under the lock.
 */
static void shard_tidy(struct shard *s, struct spare *spare)
{
	struct ck_ht fresh;
	void *map;

	if (s->removed < SHARD_TOMBSTONES(spare->capacity) ||
	    !ck_spinlock_fas_trylock(&spare->lock))
		return;
	tsan_acquired(&spare->lock);
	s->removed = 0;
	/* Cannot fail, the map has the size that was asked for; finding room for all can. */
	map_make(&fresh, spare->map, spare->map_bytes, spare->capacity);
	if (copy_entries(&s->ht, &fresh)) {
		/* [ht.W3] pairs with [ht.R3]; as ck_ht publishes a map that it grew */
		ck_pr_fence_store();
		ck_pr_store_ptr(&s->ht.map, fresh.map);
		/* [ht.W4] pairs with [ht.R4] */
		smp_store_release(&s->turn, READ_ONCE64(&s->turn) + 1);
		map = s->map;
		s->map = spare->map;
		spare->map = map;
	}
	shard_unlock(&spare->lock);
}

/* Write the word of a key, evicting if it is new and the shard is full. Under the lock. */
static void shard_set(struct shard *s, struct spare *spare, uint64_t key, uint64_t word,
		      bool is_new)
{
	struct ck_ht_hash h = hash_of(key);
	struct ck_ht_entry entry;

	if (key_is_odd(key)) {
		WRITE_ONCE64(&s->odd[key & 1], word);
		return;
	}
	if (is_new) {
		if (s->held >= SHARD_LOAD(spare->capacity))
			shard_evict(s);
		shard_tidy(s, spare);
		s->held++;
	}
	ck_ht_entry_set_direct(&entry, h, key, word);
	/* [ht.W1] pairs with [ht.R1]. No free slot within ck_ht's probe limit: make one. */
	while (!ck_ht_set_spmc(&s->ht, h, &entry) && s->held > 1)
		shard_evict(s);
}

static __always_inline uint64_t T(region)(const struct table *t, uint64_t key)
{
	return shard_of(t, key);
}

static __always_inline void T(begin_read)(struct table *t, struct worker *w, uint64_t region)
{
}

static __always_inline void T(end_read)(struct table *t, struct worker *w, uint64_t region)
{
}

static __always_inline void T(begin_write)(struct table *t, struct worker *w, uint64_t region)
{
	shard_lock(&shard_at(t, region)->lock);
}

static __always_inline void T(end_write)(struct table *t, struct worker *w, uint64_t region)
{
	shard_unlock(&shard_at(t, region)->lock);
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
	shard_set(shard_at(t, region), t->priv, key, word[0], !f->held);
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
	struct ck_ht_entry *at;

	while (ck_ht_next(&s->ht, &it, &at))
		shard_remove(s, at);
	shard_tidy(s, t->priv);
	WRITE_ONCE64(&s->odd[0], 0);
	WRITE_ONCE64(&s->odd[1], 0);
}

#include "container_table.h"

static void T(clear)(struct table *t, unsigned part, unsigned parts)
{
	struct spare *spare = t->priv;

	for (uint64_t i = t->lines * part / parts; i < t->lines * (part + 1) / parts; i++) {
		struct shard *s = shard_at(t, i);

		/* Cannot fail: the map has the size that was asked for. */
		map_make(&s->ht, s->map, spare->map_bytes, spare->capacity);
		ck_ht_iterator_init(&s->hand);
		s->held = 0;
		s->removed = 0;
		WRITE_ONCE64(&s->odd[0], 0);
		WRITE_ONCE64(&s->odd[1], 0);
	}
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

static const struct shard_plan plan = {
	.min_capacity = 64,
	.shard_bytes = sizeof(struct shard),
	.more_side = sizeof(struct spare),
	.block_bytes = map_bytes_for,
	.more_bytes = map_bytes_for, /* the spare */
};

static int T(create)(struct table *t, const struct table_params *p, struct err *e)
{
	struct shard_layout l = { 0 };
	struct spare *spare;

	t->loops = &T(loops);
	if (shard_create(t, &plan, p, &l, e))
		return -1;
	for (uint64_t i = 0; i < l.nr; i++)
		shard_at(t, i)->map = (char *)t->mem.base + i * l.block;
	spare = (struct spare *)shard_at(t, l.nr);
	spare->map = (char *)t->mem.base + l.nr * l.block;
	spare->map_bytes = l.block;
	spare->capacity = l.capacity;
	t->priv = spare;
	t->entries += 2; /* the odd keys */
	return 0;
}

static struct table_class ckht_class = {
	.name = "ck_ht",
	.summary = "Concurrency Kit's hash table in shards: lock-free readers, one writer each",
	.reference = "Al Bahra, ck_ht",
	.probe_progress = "lock-free (scans again after deletions)",
	.store_progress = "blocking",
	.probe_writes = "nothing",
	.memory = "66 bytes: two slots of 33",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.kinds = 1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_KV,
	.sig_bits = 64,
	.options = { SHARDS_OPTION, REFRESH_OPTION, MATE_OPTION },
	.create = ckht_create,
	.clear = ckht_clear,
};
TABLE_REGISTER(ckht);
