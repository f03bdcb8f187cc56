// SPDX-License-Identifier: BSD-2-Clause
/*
 * lfht - liburcu's lock-free hash table (cds_lfht), bounded
 *
 * One node per key, in split-ordered lists behind about as many buckets. The data is one
 * word of the node: it is overwritten in place, by a compare-and-swap over the word read. A
 * new key brings a node, and then takes the next place of its region's ring of places, whose
 * hand moves on by one: the node that stood there is evicted, unlinked and, after a grace
 * period (rcu.h), used again. In a place at the start, and after a clear, is a node that is
 * not in the table; such have data word 0, which no entry has, and get it after they were
 * unlinked: whoever is about to overwrite finds that somebody has been there.
 *
 * flavor=  which liburcu: each has its own stamped loops
 *
 * Each node is in one place, so it is unlinked once, by the thread that took it from there.
 * Between its being added and its getting a place nobody can evict it.
 *
 * A probe is a call of cds_lfht_lookup, which calls back to compare keys, and one load; a
 * refresh or an update one locked compare-and-swap more. Around it is what urcu.c says of
 * the flavors.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS: a node keeps its key as long as anybody
 * may look at it, and cds_lfht_add_unique sees to it that there is one node per key.
 *
 * Ordering: inside liburcu, by full barriers around what adds and unlinks; and once more
 * where C11 knows of it:
 *   [lfht.R] word, then key, release -> [lfht.A] the key that matches, acquire, then word
 *   [lfht.P] a place changes hands, acquire and release: the node in it was added, and its
 *            word is to be read
 */
#include <stdlib.h>

#include "container.h"
#include "rcu.h"

#include <urcu/rculfhash.h>

#define CONTAINER_WORDS 1
#define CONTAINER_IN_PLACE
#define REPLAY_SECTIONS

struct lfht_node {
	struct cds_lfht_node chain; /* liburcu's */
	atomic_word key;
	atomic_word word; /* 0: not in the table */
};

struct lfht_hand {
	atomic_word at; /* counts on without end */
} __attribute__((aligned(CACHE_LINE)));

struct lfht {
	struct cds_lfht *ht;
	struct rcu *rcu;
	struct lfht_node *node; /* as many as places */
	atomic_word *place; /* a region's are neighbours */
	struct lfht_hand *hand;
	uint64_t places; /* of a region */
	unsigned shift; /* region of a key: key >> 1 >> shift */
};

static __always_inline struct lfht *lfht_of(const struct table *t)
{
	return t->priv;
}

static int lfht_match(struct cds_lfht_node *chain, const void *key)
{
	const struct lfht_node *n = caa_container_of(chain, struct lfht_node, chain);

	/* [lfht.A] pairs with [lfht.R] */
	return smp_load_acquire(&n->key) == *(const uint64_t *)key;
}

static __always_inline bool lfht_get(const struct lfht *h, uint64_t key, struct found *f)
{
	struct cds_lfht_iter iter;
	struct lfht_node *n;

	f->word[0] = 0;
	cds_lfht_lookup(h->ht, mix64(key), lfht_match, &key, &iter);
	if (!iter.node)
		return false;
	n = caa_container_of(iter.node, struct lfht_node, chain);
	f->at = n;
	f->word[0] = READ_ONCE64(&n->word);
	return f->word[0];
}

/* relaxed: the one word is all there is to it */
static __always_inline bool lfht_update(const struct found *f, uint64_t word)
{
	struct lfht_node *n = f->at;

	return cmpxchg64_relaxed(&n->word, f->word[0], word);
}

/* Put a node where another stood, which is evicted if it is in the table. */
static __always_inline void lfht_settle(const struct lfht *h, struct rcu_pool *pool,
					uint64_t place, struct lfht_node *n)
{
	/* [lfht.P] */
	struct lfht_node *old = (void *)xchg_acq_rel(&h->place[place], (uintptr_t)n);

	if (READ_ONCE64(&old->word)) {
		cds_lfht_del(h->ht, &old->chain);
		WRITE_ONCE64(&old->word, 0);
	}
	rcu_retire(pool, old);
}

/* A key that was not found. False: somebody else has added it since. */
static __always_inline bool lfht_add(const struct lfht *h, struct rcu_pool *pool,
				     uint64_t region, uint64_t key, uint64_t word)
{
	struct lfht_node *n = rcu_spare(pool);
	uint64_t at;

	WRITE_ONCE64(&n->word, word);
	/* [lfht.R] pairs with [lfht.A] */
	smp_store_release(&n->key, key);
	if (cds_lfht_add_unique(h->ht, mix64(key), lfht_match, &key, &n->chain) != &n->chain)
		return false;
	at = fetch_add_relaxed(&h->hand[region].at, 1);
	lfht_settle(h, pool, region * h->places + at % h->places, n);
	return true;
}

/* Evict what stands in a place, amid traffic. */
static void lfht_empty(const struct lfht *h, struct rcu_pool *pool, uint64_t place)
{
	struct lfht_node *n = (void *)READ_ONCE64(&h->place[place]);

	if (!READ_ONCE64(&n->word))
		return;
	n = rcu_spare(pool);
	WRITE_ONCE64(&n->word, 0);
	lfht_settle(h, pool, place, n);
}

static void lfht_show(const struct lfht *h, uint64_t region, struct shown *show)
{
	for (uint64_t i = region * h->places; i < (region + 1) * h->places; i++) {
		const struct lfht_node *n = (void *)READ_ONCE64(&h->place[i]);
		uint64_t word = READ_ONCE64(&n->word);

		if (word)
			container_show(show, READ_ONCE64(&n->key), &word);
	}
}

#define FLAVOR memb
#include "lfht_variant.h"

#define FLAVOR mb
#include "lfht_variant.h"

#define FLAVOR qsbr
#include "lfht_variant.h"

static const struct table_loops *const lfht_loops[] = { RCU_LOOPS(lfht) };

/* No traffic, so no section: nodes that are unlinked now are used again only after one. */
static void unlink_node(const struct lfht *h, struct lfht_node *n)
{
	if (READ_ONCE64(&n->word))
		cds_lfht_del(h->ht, &n->chain);
	WRITE_ONCE64(&n->word, 0);
}

/* The first time, each place gets a node of its own; they change places later. */
static void clear_place(const struct lfht *h, uint64_t place)
{
	if (!READ_ONCE64(&h->place[place]))
		WRITE_ONCE64(&h->place[place], (uintptr_t)&h->node[place]);
	unlink_node(h, (void *)READ_ONCE64(&h->place[place]));
}

static void lfht_clear(struct table *t, unsigned part, unsigned parts)
{
	const struct lfht *h = lfht_of(t);
	uint64_t to = t->lines * h->places * (part + 1) / parts;

	for (uint64_t i = t->lines * h->places * part / parts; i < to; i++)
		clear_place(h, i);
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

static uint64_t buckets_for(uint64_t entries)
{
	uint64_t buckets = 1;

	/* from 0.75 to 1.5 nodes in each */
	while (3 * buckets < 2 * entries)
		buckets *= 2;
	return buckets;
}

/* All that a table of so many regions with so many places takes. */
static uint64_t bytes_for(const struct table_params *p, uint64_t regions, uint64_t places)
{
	uint64_t entries = regions * places;
	unsigned size = rcu_pool_size(entries, p->threads);

	return entries * (sizeof(struct lfht_node) + sizeof(atomic_word)) +
	       buckets_for(entries) * sizeof(struct cds_lfht_node) +
	       regions * sizeof(struct lfht_hand) +
	       rcu_pool_bytes(size, sizeof(struct lfht_node), p->threads);
}

/* Places of a region, as many as fit with everything that is beside them. */
static uint64_t places_for(const struct table_params *p, uint64_t regions)
{
	uint64_t places = 0;

	if (!p->size.bytes)
		return (p->size.entries + regions - 1) / regions;
	for (uint64_t bit = 1ull << 40; bit; bit >>= 1)
		if (bytes_for(p, regions, places | bit) <= p->size.bytes)
			places |= bit;
	return places ? places : 1;
}

/* Fewer would have the hand come round too soon. */
#define MIN_PLACES 32u

static int map_memory(struct table *t, const struct table_params *p, struct err *e)
{
	struct lfht *h = lfht_of(t);
	uint64_t entries = t->lines * h->places;

	if (mem_map(&t->mem, entries * sizeof(*h->node), p->pages, p->size_text, e))
		return -1;
	if (mem_map(&t->side, t->lines * sizeof(*h->hand) + entries * sizeof(*h->place),
		    p->pages, p->size_text, e)) {
		mem_unmap(&t->mem);
		return -1;
	}
	h->node = t->mem.base;
	h->hand = t->side.base;
	h->place = (atomic_word *)(h->hand + t->lines);
	return 0;
}

static int create_parts(struct table *t, const struct table_params *p, enum rcu_flavor flavor,
			struct err *e)
{
	struct lfht *h = lfht_of(t);
	uint64_t entries = t->lines * h->places, buckets = buckets_for(entries);

	if (map_memory(t, p, e))
		return -1;
	h->ht = cds_lfht_new_flavor(buckets, buckets, buckets, 0, rcu_flavors[flavor], NULL);
	if (!h->ht) {
		err_set(e, "--table lfht: no memory for %ju buckets", (uintmax_t)buckets);
		goto out_mem;
	}
	if (rcu_create(&h->rcu, flavor, rcu_pool_size(entries, p->threads),
		       sizeof(struct lfht_node), p->threads, e))
		goto out_ht;
	return 0;
out_ht:
	cds_lfht_destroy(h->ht, NULL);
out_mem:
	mem_unmap(&t->side);
	mem_unmap(&t->mem);
	return -1;
}

static int lfht_create(struct table *t, const struct table_params *p, struct err *e)
{
	enum rcu_flavor flavor = rcu_flavor_of(p->option[0]);
	struct lfht *h;
	uint64_t nr;

	if (parse_u64(p->option[1], 1, 65536, &nr) || nr & (nr - 1))
		return err_set(e,
			       "--table lfht: option hands: expected a power of two up to "
			       "65536, got '%s'",
			       p->option[1]);
	while (nr > 1 && places_for(p, nr) < MIN_PLACES)
		nr /= 2;
	h = xcalloc(1, sizeof(*h));
	h->places = places_for(p, nr);
	h->shift = 63 - (unsigned)__builtin_ctzll(nr);
	t->priv = h;
	t->lines = nr;
	t->loops = lfht_loops[flavor];
	if (create_parts(t, p, flavor, e)) {
		free(h);
		return -1;
	}
	t->entries = nr * h->places;
	t->never_evicts = h->places;
	t->bytes = bytes_for(p, nr, h->places);
	return 0;
}

static void lfht_destroy(struct table *t)
{
	struct lfht *h = lfht_of(t);

	/* cds_lfht_destroy wants it empty; and a table may never have been cleared. */
	for (uint64_t i = 0; i < t->entries; i++)
		if (READ_ONCE64(&h->place[i]))
			unlink_node(h, (void *)READ_ONCE64(&h->place[i]));
	cds_lfht_destroy(h->ht, NULL);
	rcu_destroy(h->rcu);
	free(h);
}

static int lfht_thread_enter(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = rcu_enter(lfht_of(t)->rcu, w->id);
	return 0;
}

static void lfht_thread_leave(struct table *t, struct worker *w)
{
	rcu_leave(lfht_of(t)->rcu, w->id, &t->bytes);
}

static struct table_class lfht_class = {
	.name = "lfht",
	.summary =
		"liburcu's lock-free hash table, bounded: nodes evicted by the hands of clocks",
	.reference = "liburcu, cds_lfht; Shalev and Shavit 2006",
	.probe_progress = "wait-free",
	.store_progress = "lock-free",
	.probe_writes = "its own thread's counter; qsbr: nothing",
	.memory = "51 to 61 bytes; and spare nodes for each thread",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.kinds = 1u << KIND_TT | 1u << KIND_EVAL | 1u << KIND_KV,
	.sig_bits = 64,
	.options = { RCU_FLAVOR_OPTION,
		     { "hands", NULL, "256",
		       "a power of two: rings of places, each of a part of the keys" },
		     REFRESH_OPTION,
		     MATE_OPTION },
	.create = lfht_create,
	.destroy = lfht_destroy,
	.clear = lfht_clear,
	.thread_enter = lfht_thread_enter,
	.thread_leave = lfht_thread_leave,
};
TABLE_REGISTER(lfht);
