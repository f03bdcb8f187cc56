/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ck_set_table - the template of tables on Concurrency Kit's sets of pointers
 *
 * A shard (ck_shard.h) is a set of pointers to entries. An entry is a key, which stays as
 * long as readers may see it, and its data, which is updated in place: one word, or seven
 * (pawn) within a sequence counter that the shard has for that. Readers take no lock: a
 * section (ck_epoch) keeps the entry that they found from being used for another key.
 *
 * A shard's entries stand in a ring in the order in which their keys came: a new key takes
 * the next place, and if the shard is full the oldest is evicted, which is the clock hand. So
 * what is evicted, what awaits reclamation and what may be used again are stretches of the
 * ring, and three counters tell them apart:
 *
 *        came - places       safe           gone                 came
 *             | may be used   | in their     | in the set         |
 *             | again         | grace period |                    |
 *
 * An eighth more places than the shard holds are there for those in their grace period. A
 * grace period is asked for when that stretch is half full, and waited for only if it is
 * full: no section waits for a store, so it comes. (One that reads a pawn entry may wait for a
 * writer in the middle of seven words, who waits for nobody.) All shards share one epoch
 * record for what they call back, since whoever evicted last may never come back to poll.
 *
 * A probe compiles to two multiplications for the hash, an xchg for the section, a call into
 * the library, which calls back for each entry that it looks at, and two plain stores to the
 * reader's own record; no store to anything shared.
 *
 * A scheme defines TABLE, and in terms of CK's names
 *
 *   CK_SET(name)            ck_hs_##name, say, and CK_SET_STRUCT, struct ck_hs
 *   CK_SET_MODE             flags for init
 *   CK_SET_TOMBSTONES       1 if removal leaves some, 0: then now and then the set is
 *                           rebuilt in the table's spare map
 *   CK_SET_MIN_CAPACITY     slots of the smallest map, a power of two
 *
 * and makes a struct table_class with CK_SET_CLASS.
 *
 * Ordering:
 *   [set.W1] key and word, store fence (ck), pointer -> [set.R1] pointer, acquire fence, word
 *   [set.W2] pointer removed, full fence (ck), epoch -> [set.R2] section begins (a full fence
 *            in ck), epoch, acquire fence, pointer
 *   [set.W3] the last reader's section ended (ck), release of `pending` -> [set.R3] acquire
 *            of it by whoever uses the places or the map again
 *   [set.W4] odd, store fence, words (ck) -> [set.R5] words, load fence, odd or moved
 *   [set.W5] words, store fence, even (ck) -> [set.R4] even, load fence, words
 */
#include <ck_epoch.h>
#include <ck_pr.h>
#include <ck_sequence.h>
#include <sched.h>

#include "ck_shard.h"
#include "template.h"

#define CONTAINER_WORDS MAX_ENTRY_WORDS
#define CONTAINER_IN_PLACE

/* For readers it is all relaxed words: the set and the epoch order them. */
struct entry {
	atomic_word key;
	atomic_word word[];
};

static __always_inline void entry_write(struct entry *entry, unsigned nr, const uint64_t *word)
{
	for (unsigned i = 0; i < nr; i++)
		WRITE_ONCE64(&entry->word[i], word[i]);
}

static __always_inline void entry_read(const struct entry *entry, unsigned nr, uint64_t *word)
{
	for (unsigned i = 0; i < nr; i++)
		word[i] = READ_ONCE64(&entry->word[i]);
}

/* What to wait for before something that readers may still see is used again. */
struct grace {
	ck_epoch_entry_t called;
	atomic_word pending;
};
CK_CC_CONTAINER(ck_epoch_entry_t, struct grace, called, grace_of)

struct shard {
	/* what readers look at */
	CK_SET_STRUCT set;
	struct ck_sequence wide; /* odd while words of an entry change */
	/* what writers need under the lock */
	struct ck_spinlock_fas lock __attribute__((aligned(128)));
	uint64_t came, gone, safe; /* keys, since the last clear with no traffic */
	uint64_t asked; /* `gone` when the grace period was asked for */
	uint64_t first, next; /* places of the oldest and of the next to come */
	char *ring;
	struct grace grace;
	void *map;
	uint64_t removed; /* since the map was new */
};

/* Behind the shards: what they share; then the readers. */
struct pool {
	uint64_t capacity, limit, places; /* of a shard: slots, keys, places for them */
	unsigned words; /* of an entry */
	size_t map_bytes;
	ck_epoch_t epoch;
	struct ck_spinlock_fas lock __attribute__((aligned(128))); /* of the record */
	ck_epoch_record_t record;
	struct ck_spinlock_fas spare_lock;
	struct grace spare_grace;
	void *spare; /* the map that no shard uses */
};

struct reader {
	ck_epoch_record_t record;
} __attribute__((aligned(128)));

static uint64_t places_for(uint64_t limit)
{
	return limit + (limit < 128 ? 16 : limit / 8);
}

static size_t entry_bytes(unsigned words)
{
	return sizeof(struct entry) + words * sizeof(atomic_word);
}

static unsigned long entry_hash(const void *entry, unsigned long seed)
{
	return mix64(READ_ONCE64(&((const struct entry *)entry)->key));
}

static bool entry_same(const void *a, const void *b)
{
	return READ_ONCE64(&((const struct entry *)a)->key) ==
	       READ_ONCE64(&((const struct entry *)b)->key);
}

static bool map_make(CK_SET_STRUCT *set, void *map, size_t bytes, uint64_t capacity)
{
	shard_lend(map, bytes);
	return CK_SET(init)(set, CK_SET_MODE, entry_hash, entry_same, &shard_allocator,
			    capacity, 0);
}

/* What the library allocates for a map: ask, and refuse. */
static size_t map_bytes_for(uint64_t capacity)
{
	CK_SET_STRUCT set;

	map_make(&set, NULL, 0, capacity);
	return shard_round_up(shard_lent.size);
}

static size_t block_bytes(enum kind kind, uint64_t capacity)
{
	return map_bytes_for(capacity) + shard_round_up(places_for(SHARD_LOAD(capacity)) *
							entry_bytes(entry_words(kind)));
}

static size_t spare_bytes(enum kind kind, uint64_t capacity)
{
	return CK_SET_TOMBSTONES ? map_bytes_for(capacity) : 0;
}

static __always_inline struct shard *shard_at(const struct table *t, uint64_t region)
{
	return (struct shard *)t->side.base + region;
}

static void grace_ended(ck_epoch_entry_t *called)
{
	smp_store_release(&grace_of(called)->pending, 0); /* [set.W3] pairs with [set.R3] */
}

/* Ask for a grace period, for what has just been removed. */
static void grace_ask(struct pool *pool, struct grace *g)
{
	WRITE_ONCE64(&g->pending, 1);
	/* ck_epoch_call() takes the epoch without a fence: [set.W2] pairs with [set.R2] */
	ck_pr_fence_memory();
	shard_lock(&pool->lock);
	ck_epoch_call(&pool->record, &g->called, grace_ended);
	ck_epoch_poll(&pool->record);
	shard_unlock(&pool->lock);
}

static bool grace_over(struct grace *g)
{
	return !smp_load_acquire(&g->pending); /* [set.R3] pairs with [set.W3] */
}

#define GRACE_SPINS 64 /* a section takes less; one that was preempted, a time slice */

static void grace_wait(struct pool *pool, struct grace *g)
{
	for (unsigned spins = 0; !grace_over(g); spins++) {
		if (ck_spinlock_fas_trylock(&pool->lock)) {
			tsan_acquired(&pool->lock);
			ck_epoch_poll(&pool->record);
			shard_unlock(&pool->lock);
		}
		if (spins < GRACE_SPINS)
			cpu_relax();
		else
			sched_yield();
	}
}

static uint64_t shard_held(const struct shard *s)
{
	return s->came - s->gone;
}

static struct entry *entry_at(const struct shard *s, const struct pool *pool, uint64_t place)
{
	return (struct entry *)(s->ring + place * entry_bytes(pool->words));
}

static uint64_t place_after(const struct pool *pool, uint64_t place)
{
	return place + 1 < pool->places ? place + 1 : 0;
}

/* Evict the oldest. Under the lock. */
static void shard_evict(struct shard *s, const struct pool *pool)
{
	struct entry *oldest = entry_at(s, pool, s->first);

	CK_SET(remove)(&s->set, entry_hash(oldest, 0), oldest);
	s->first = place_after(pool, s->first);
	s->gone++;
	s->removed++;
}

/* Learn which places are safe, and have more become it if many are not. Under the lock. */
static void shard_reclaim(struct shard *s, struct pool *pool)
{
	if (s->asked != s->safe && grace_over(&s->grace))
		s->safe = s->asked;
	if (s->asked == s->safe && s->gone - s->safe >= (pool->places - pool->limit) / 2) {
		s->asked = s->gone;
		grace_ask(pool, &s->grace);
	}
}

/* The next place, which no reader can know any more. Under the lock. */
static struct entry *shard_place(struct shard *s, struct pool *pool)
{
	shard_reclaim(s, pool);
	while (s->came - s->safe >= pool->places) {
		grace_wait(pool, &s->grace);
		shard_reclaim(s, pool);
	}
	return entry_at(s, pool, s->next);
}

/*
 * Rebuild a set that is full of tombstones, unless the spare map is in use. Readers may go
 * on in the old map: only the entries tell what is so. Under the lock.
 */
static void shard_tidy(struct shard *s, struct pool *pool)
{
	void *map = s->map;

	if (s->removed < SHARD_TOMBSTONES(pool->capacity) ||
	    !ck_spinlock_fas_trylock(&pool->spare_lock))
		return;
	tsan_acquired(&pool->spare_lock);
	if (grace_over(&pool->spare_grace)) {
		s->removed = 0;
		shard_lend(pool->spare, pool->map_bytes);
		if (CK_SET(rebuild)(&s->set)) {
			s->map = pool->spare;
			pool->spare = map;
			grace_ask(pool, &pool->spare_grace);
		}
		shard_lend(NULL, 0);
	}
	shard_unlock(&pool->spare_lock);
}

/* Add a key that is not there, evicting if the shard is full. Under the lock. */
static void shard_add(struct shard *s, struct pool *pool, uint64_t key, const uint64_t *word)
{
	struct entry *entry;

	if (shard_held(s) >= pool->limit)
		shard_evict(s, pool);
	if (CK_SET_TOMBSTONES)
		shard_tidy(s, pool);
	entry = shard_place(s, pool);
	WRITE_ONCE64(&entry->key, key);
	entry_write(entry, pool->words, word);
	ck_pr_fence_store(); /* [set.W1] pairs with [set.R1] */
	/* No free slot within the probe limit: make one. */
	while (!CK_SET(put_unique)(&s->set, entry_hash(entry, 0), entry) && shard_held(s))
		shard_evict(s, pool);
	s->next = place_after(pool, s->next);
	s->came++;
}

static __always_inline uint64_t T(region)(const struct table *t, uint64_t key)
{
	return shard_of(t, key);
}

static __always_inline void T(begin_read)(struct table *t, struct worker *w, uint64_t region)
{
	ck_epoch_begin(w->priv[t->kind], NULL);
	smp_acquire_fence(); /* [set.R2] pairs with [set.W2] */
}

static __always_inline void T(end_read)(struct table *t, struct worker *w, uint64_t region)
{
	ck_epoch_end(w->priv[t->kind], NULL);
}

/* Nobody else removes anything: no section. */
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
	struct shard *s = shard_at(t, region);
	struct entry wanted = { .key = key };
	struct entry *entry = CK_SET(get)(&s->set, mix64(key), &wanted);
	unsigned wide;

	f->at = entry;
	if (!entry)
		return false;
	smp_acquire_fence(); /* [set.R1] pairs with [set.W1] */
	if (entry_words(kind) == 1) {
		entry_read(entry, 1, f->word);
		return true;
	}
	do {
		/* [set.R4] [set.R5] pair with [set.W5] [set.W4] */
		wide = ck_sequence_read_begin(&s->wide);
		entry_read(entry, entry_words(kind), f->word);
	} while (ck_sequence_read_retry(&s->wide, wide));
	return true;
}

static __always_inline bool T(set)(const enum kind kind, struct table *t, struct worker *w,
				   uint64_t region, uint64_t key, const struct found *f,
				   const uint64_t *word)
{
	struct shard *s = shard_at(t, region);

	if (!f->held) {
		shard_add(s, t->priv, key, word);
	} else if (entry_words(kind) == 1) {
		entry_write(f->at, 1, word);
	} else {
		ck_sequence_write_begin(&s->wide); /* [set.W4] pairs with [set.R5] */
		entry_write(f->at, entry_words(kind), word);
		ck_sequence_write_end(&s->wide); /* [set.W5] pairs with [set.R4] */
	}
	return true;
}

static __always_inline bool T(replace)(const struct found *f, uint64_t word)
{
	struct entry *entry = f->at;

	return cmpxchg64_relaxed(&entry->word[0], f->word[0], word);
}

/* What is in the set, not in the ring: if the two differ, it shows. */
static void T(walk_region)(struct table *t, uint64_t region, struct shown *show)
{
	uint64_t word[MAX_ENTRY_WORDS];
	struct CK_SET(iterator) it;
	void *at;

	CK_SET(iterator_init)(&it);
	while (CK_SET(next)(&shard_at(t, region)->set, &it, &at)) {
		const struct entry *entry = at;

		entry_read(entry, entry_words(t->kind), word);
		container_show(show, READ_ONCE64(&entry->key), word);
	}
}

static void T(clear_region)(struct table *t, struct worker *w, uint64_t region)
{
	struct shard *s = shard_at(t, region);

	while (shard_held(s))
		shard_evict(s, t->priv);
}

#include "container_table.h"

static void T(clear)(struct table *t, unsigned part, unsigned parts)
{
	struct pool *pool = t->priv;

	for (uint64_t i = t->lines * part / parts; i < t->lines * (part + 1) / parts; i++) {
		struct shard *s = shard_at(t, i);

		grace_wait(pool, &s->grace);
		/* Cannot fail: the map has the size that was asked for. */
		map_make(&s->set, s->map, pool->map_bytes, pool->capacity);
		s->came = s->gone = s->safe = s->asked = 0;
		s->first = s->next = s->removed = 0;
	}
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

static const struct shard_plan plan = {
	.min_capacity = CK_SET_MIN_CAPACITY,
	.shard_bytes = sizeof(struct shard),
	.more_side = sizeof(struct pool),
	.thread_bytes = sizeof(struct reader),
	.block_bytes = block_bytes,
	.more_bytes = spare_bytes,
};

static struct reader *readers_of(const struct table *t)
{
	return (struct reader *)((struct pool *)t->priv + 1);
}

static int T(create)(struct table *t, const struct table_params *p, struct err *e)
{
	struct shard_layout l = { 0 };
	struct pool *pool;

	t->loops = &T(loops);
	if (shard_create(t, &plan, p, &l, e))
		return -1;
	pool = (struct pool *)shard_at(t, l.nr);
	pool->capacity = l.capacity;
	pool->limit = SHARD_LOAD(l.capacity);
	pool->places = places_for(pool->limit);
	pool->map_bytes = map_bytes_for(l.capacity);
	pool->words = entry_words(p->kind);
	pool->spare = (char *)t->mem.base + l.nr * l.block;
	for (uint64_t i = 0; i < l.nr; i++) {
		shard_at(t, i)->map = (char *)t->mem.base + i * l.block;
		shard_at(t, i)->ring = (char *)shard_at(t, i)->map + pool->map_bytes;
	}
	ck_epoch_init(&pool->epoch);
	ck_epoch_register(&pool->epoch, &pool->record, NULL);
	t->priv = pool;
	for (unsigned i = 0; i < p->threads; i++)
		ck_epoch_register(&pool->epoch, &readers_of(t)[i].record, NULL);
	return 0;
}

static int T(thread_enter)(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = &readers_of(t)[w->id].record;
	return 0;
}

/* The fields of a class that all of these share. */
#define CK_SET_CLASS                                                               \
	.store_progress = "blocking", .probe_writes = "its thread's epoch",        \
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS, .kinds = LINE_KINDS,  \
	.sig_bits = 64, .options = { SHARDS_OPTION, REFRESH_OPTION, MATE_OPTION }, \
	.create = T(create), .clear = T(clear), .thread_enter = T(thread_enter)
