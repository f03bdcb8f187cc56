/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ck_shard - what tables on Concurrency Kit's containers share: shards
 *
 * Those containers allow one writer. A table is cut into shards by the keys' top bits, each
 * a container with a lock for its writers, full at a fixed number of entries: then a store
 * of a new key evicts. t->lines is the number of shards, and t->side begins with an array
 * of them; what a shard's container needs is in t->mem, a block each.
 *
 * A map is half full at most, as the containers would have it: beyond that they grow, and
 * the allocator here refuses. It lends them the memory that was set aside, and takes
 * nothing back: whoever lent it knows when it is free again.
 *
 * Ordering (inside ck): [shard.A] acquire of the lock <- [shard.R] release by the one before.
 */
#ifndef TEARLINE_CK_SHARD_H
#define TEARLINE_CK_SHARD_H

#include <ck_malloc.h>
#include <ck_spinlock.h>
#include <stdlib.h>

#include "container.h"

/* A map holds half its slots. */
#define SHARD_LOAD(capacity) ((capacity) / 2)
/* A map in which so many entries were removed is full of what they leave behind. */
#define SHARD_TOMBSTONES(capacity) ((capacity) / 4)

/* Which shard a key is in. A shift by 64 is undefined, hence two. */
static __always_inline uint64_t shard_of(const struct table *t, uint64_t key)
{
	return key >> 1 >> t->shift;
}

static __always_inline void shard_lock(struct ck_spinlock_fas *lock)
{
	/* [shard.A] pairs with [shard.R] */
	ck_spinlock_fas_lock(lock);
	tsan_acquired(lock);
}

static __always_inline void shard_unlock(struct ck_spinlock_fas *lock)
{
	tsan_releasing(lock);
	/* [shard.R] pairs with [shard.A] */
	ck_spinlock_fas_unlock(lock);
}

/* The allocator's hooks carry no context: what the next call may have stands here. */
static __thread struct {
	void *base;
	size_t size; /* of it; with no base: what was asked for */
} shard_lent;

static void *shard_map_alloc(size_t size)
{
	void *base = shard_lent.base;

	if (!base)
		shard_lent.size = size;
	if (!base || size > shard_lent.size)
		return NULL;
	shard_lent.base = NULL;
	return base;
}

static void *shard_map_realloc(void *p, size_t old, size_t size, bool defer)
{
	return NULL;
}

static void shard_map_free(void *p, size_t size, bool defer)
{
}

static struct ck_malloc shard_allocator = {
	.malloc = shard_map_alloc,
	.realloc = shard_map_realloc,
	.free = shard_map_free,
};

static inline void shard_lend(void *base, size_t size)
{
	shard_lent.base = base;
	shard_lent.size = size;
}

/* How a scheme's shards are made. */
struct shard_plan {
	uint64_t min_capacity; /* slots of a map, a power of two */
	size_t shard_bytes; /* in t->side */
	size_t more_side; /* in t->side, behind the shards */
	size_t thread_bytes; /* likewise, for each thread */
	/* in t->mem: for each shard, and behind them all; multiples of a cache line */
	size_t (*block_bytes)(enum kind kind, uint64_t capacity);
	size_t (*more_bytes)(enum kind kind, uint64_t capacity);
};

/* What came of it. */
struct shard_layout {
	uint64_t nr, capacity;
	size_t block; /* bytes */
	size_t blocks, side; /* bytes of t->mem, t->side */
};

static size_t shard_round_up(size_t bytes)
{
	return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static struct shard_layout shard_layout(const struct shard_plan *plan,
					const struct table_params *p, uint64_t nr,
					uint64_t capacity)
{
	struct shard_layout l = { .nr = nr, .capacity = capacity };

	l.block = plan->block_bytes(p->kind, capacity);
	l.blocks = nr * l.block + plan->more_bytes(p->kind, capacity);
	l.side = nr * plan->shard_bytes + plan->more_side + p->threads * plan->thread_bytes;
	return l;
}

/* Within the size, in bytes or in entries, whichever it says? */
static bool shard_fits(const struct shard_layout *l, const struct table_size *size)
{
	return size->bytes ? l->blocks + l->side <= size->bytes
			   : SHARD_LOAD(l->capacity) <= size->entries / l->nr;
}

/*
 * As many shards as the option says, and maps as large as fit; both are powers of two.
 * Small tables get fewer shards rather than more memory than was asked for.
 */
static struct shard_layout shard_choose(const struct shard_plan *plan,
					const struct table_params *p, uint64_t nr)
{
	struct shard_layout l = shard_layout(plan, p, nr, plan->min_capacity), larger;

	while (l.nr > 1 && !shard_fits(&l, &p->size))
		l = shard_layout(plan, p, l.nr / 2, l.capacity);
	for (;;) {
		larger = shard_layout(plan, p, l.nr, 2 * l.capacity);
		if (!shard_fits(&larger, &p->size))
			return l;
		l = larger;
	}
}

/* Allocate t->mem and t->side. 0 or -1. */
static int shard_create(struct table *t, const struct shard_plan *plan,
			const struct table_params *p, struct shard_layout *l, struct err *e)
{
	uint64_t nr;

	if (parse_u64(p->option[0], 1, 65536, &nr) || nr & (nr - 1))
		return err_set(e,
			       "--table %s: option shards: expected a power of two up to "
			       "65536, got '%s'",
			       t->class->name, p->option[0]);
	*l = shard_choose(plan, p, nr);
	if (mem_map(&t->mem, l->blocks, p->pages, p->size_text, e))
		return -1;
	if (mem_map(&t->side, l->side, p->pages, p->size_text, e)) {
		mem_unmap(&t->mem);
		return -1;
	}
	t->lines = l->nr;
	t->shift = 63 - (unsigned)__builtin_ctzll(l->nr);
	t->bytes = l->blocks + l->side;
	t->entries = l->nr * SHARD_LOAD(l->capacity);
	t->never_evicts = SHARD_LOAD(l->capacity);
	return 0;
}

#define SHARDS_OPTION                                                                   \
	{                                                                               \
		"shards", NULL, "256", "a power of two: how many writers can be inside" \
	}

#endif
