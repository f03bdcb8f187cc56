// SPDX-License-Identifier: BSD-2-Clause
/*
 * exact - every miss decided, on a workload from which nothing can ever be evicted
 *
 * Every key is preloaded, at most four belong to a line, and stores only update. So a
 * probe that misses has caught the table at something: the thread asks all others to
 * stop between two operations and looks the key up again while nobody moves.
 *   found      the key was there all along, a false miss; unless a store since the probe
 *              began had found it gone: then the key was lost before, and that store has
 *              brought it back
 *   not found  a store was lost: counted once, and the key is out of the count
 *
 * Two ways of looking must agree, find() and a probe; if not, the table contradicts itself.
 *
 * The point of rest is a mutex and a condition variable, not a spin: it must work with
 * more threads than CPUs, and the audit is not what is timed.
 */
#include "audit.h"

#include <pthread.h>
#include <stdlib.h>

struct exact {
	struct key_set keys;
	_Atomic bool *gone; /* by index of the key: out of the count */
	_Atomic uint32_t *restored; /* likewise: stores that ended and had found it gone */
	_Atomic bool wanted; /* somebody wants rest: look before every operation */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* running or asking changed */
	unsigned running; /* threads that have entered and are not at rest */
	bool asking; /* one thread has or wants everybody at rest */
	uint64_t false_misses, lost_stores; /* under the lock */
	uint64_t proved, overclaimed; /* likewise */
};

struct exact *exact_create(const struct key_set *keys)
{
	struct exact *x = xcalloc(1, sizeof(*x));

	x->keys = *keys;
	x->gone = xcalloc(keys->nr, sizeof(*x->gone));
	x->restored = xcalloc(keys->nr, sizeof(*x->restored));
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->moved, NULL);
	return x;
}

void exact_free(struct exact *x)
{
	if (!x)
		return;
	pthread_cond_destroy(&x->moved);
	pthread_mutex_destroy(&x->lock);
	free(x->restored);
	free(x->gone);
	free(x);
}

/* Stand still while somebody looks. Under the lock, which the wait releases: [exact.R],
 * pairs with [exact.A]. */
static void rest(struct exact *x)
{
	x->running--;
	pthread_cond_broadcast(&x->moved);
	while (x->asking)
		pthread_cond_wait(&x->moved, &x->lock);
	x->running++;
}

void exact_enter(struct exact *x)
{
	pthread_mutex_lock(&x->lock);
	x->running++;
	pthread_mutex_unlock(&x->lock);
}

void exact_leave(struct exact *x)
{
	pthread_mutex_lock(&x->lock);
	x->running--;
	pthread_cond_broadcast(&x->moved);
	pthread_mutex_unlock(&x->lock);
}

static size_t index_of(const struct exact *x, uint64_t key)
{
	size_t from = 0, to = x->keys.nr;

	while (from + 1 < to) {
		size_t mid = from + (to - from) / 2;

		if (x->keys.key[mid] <= key)
			from = mid;
		else
			to = mid;
	}
	return from;
}

bool exact_admits(struct worker *w, uint64_t key)
{
	struct exact *x = w->audit->exact;
	size_t i = index_of(x, key);

	/* relaxed: who asks waits under the lock until everybody has looked */
	if (atomic_load_explicit(&x->wanted, memory_order_relaxed)) {
		pthread_mutex_lock(&x->lock);
		if (x->asking)
			rest(x);
		pthread_mutex_unlock(&x->lock);
	}
	/* [exact.I] acquire, pairs with [exact.S]: what such a store has written is there */
	w->restored = atomic_load_explicit(&x->restored[i], memory_order_acquire);
	/* relaxed: one more operation on a lost key is skipped or not, either is right */
	return !atomic_load_explicit(&x->gone[i], memory_order_relaxed);
}

void exact_restored(struct worker *w, uint64_t key)
{
	struct exact *x = w->audit->exact;

	/* [exact.S] release, pairs with [exact.I] */
	atomic_fetch_add_explicit(&x->restored[index_of(x, key)], 1, memory_order_release);
}

/* Is it there, while nobody moves? */
static bool found_at_rest(struct worker *w, struct table *t, uint64_t key)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];

	return t->loops->find(t, w, key, word) != 0;
}

void exact_missed(struct worker *w, struct table *t, uint64_t key,
		  const struct witness_mark *proved, struct counts *n)
{
	struct exact *x = w->audit->exact;
	size_t i = index_of(x, key);
	_Atomic bool *gone = &x->gone[i];
	bool restored, found;

	pthread_mutex_lock(&x->lock);
	while (x->asking)
		rest(x);
	x->asking = true;
	atomic_store_explicit(&x->wanted, true, memory_order_relaxed);
	while (x->running > 1)
		pthread_cond_wait(&x->moved, &x->lock);
	/* [exact.A] Everybody else is inside rest() or has left: [exact.R], their last release
	 * of the lock, is before our acquire of it, and so are their stores. */
	found = found_at_rest(w, t, key);
	restored = atomic_load_explicit(&x->restored[i], memory_order_relaxed) != w->restored;
	if (atomic_load_explicit(gone, memory_order_relaxed)) {
		/* lost to a thread that asked before: counted there */
	} else if (found != audit_asks(w, t, key)) {
		n->contradictions++; /* and nobody knows which to believe */
	} else if (found) {
		x->false_misses += proved || !restored;
		x->proved += proved != NULL;
	} else {
		x->lost_stores++;
		x->overclaimed += proved && witness_undisturbed(proved);
		atomic_store_explicit(gone, true, memory_order_relaxed);
	}
	x->asking = false;
	atomic_store_explicit(&x->wanted, false, memory_order_relaxed);
	pthread_cond_broadcast(&x->moved);
	pthread_mutex_unlock(&x->lock);
}

uint64_t exact_false_misses(const struct exact *x)
{
	return x->false_misses;
}

uint64_t exact_lost_stores(const struct exact *x)
{
	return x->lost_stores;
}

uint64_t exact_proved(const struct exact *x)
{
	return x->proved;
}

uint64_t exact_overclaimed(const struct exact *x)
{
	return x->overclaimed;
}
