// SPDX-License-Identifier: BSD-2-Clause
/*
 * spinlock - probes and stores hold a lock that covers the line
 *
 * lock=     every spinlock of Concurrency Kit; each has its own stamped loops, so that
 *           no operation goes through a pointer to reach it
 * stripes=  global, a power of two of locks, or one per line. 256 is what the historical
 *           engine (Typhoon) had. Locks stand on cache lines of their own up to 65536 of
 *           them and are packed above; queue locks end there.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS: a whole operation on a line excludes
 * every other. Both are blocking: a preempted holder stops all who want its stripe; FIFO
 * locks (ticket and the queues) stop them longest when there are more threads than CPUs.
 *
 * Ordering (inside ck): [spin.A] acquire in lock -> [spin.R] release in unlock by the
 * holder before.
 */
#include <ck_spinlock.h>
#include <stdlib.h>

#include "line.h"
#include "spinlock.h"

#define PADDED_MAX 65536u

/* What a thread brings along to a lock; each kind uses its own member. */
struct lock_node {
	union {
		struct ck_spinlock_mcs mcs;
		struct ck_spinlock_clh *clh;
		struct ck_spinlock_hclh *hclh;
		struct ck_spinlock_anderson_thread *anderson;
	};
} __attribute__((aligned(128)));

/* A node of a queue lock, alone on its cache line: others spin on it. */
union queue_node {
	struct ck_spinlock_clh clh;
	struct ck_spinlock_hclh hclh;
	char pad[CACHE_LINE];
};

struct hclh_lock {
	struct ck_spinlock_hclh *global, *local;
};

#define LOCK cas
#define LOCK_ACQUIRE(lock, node) ck_spinlock_cas_lock(lock)
#define LOCK_RELEASE(lock, node) ck_spinlock_cas_unlock(lock)
#include "spinlock_variant.h"

#define LOCK fas
#define LOCK_ACQUIRE(lock, node) ck_spinlock_fas_lock(lock)
#define LOCK_RELEASE(lock, node) ck_spinlock_fas_unlock(lock)
#include "spinlock_variant.h"

#define LOCK dec
#define LOCK_ACQUIRE(lock, node) ck_spinlock_dec_lock(lock)
#define LOCK_RELEASE(lock, node) ck_spinlock_dec_unlock(lock)
#include "spinlock_variant.h"

#define LOCK ticket
#define LOCK_ACQUIRE(lock, node) ck_spinlock_ticket_lock(lock)
#define LOCK_RELEASE(lock, node) ck_spinlock_ticket_unlock(lock)
#include "spinlock_variant.h"

#define LOCK mcs
#define LOCK_ACQUIRE(lock, node) ck_spinlock_mcs_lock(lock, &(node)->mcs)
#define LOCK_RELEASE(lock, node) ck_spinlock_mcs_unlock(lock, &(node)->mcs)
#include "spinlock_variant.h"

#define LOCK clh
#define LOCK_ACQUIRE(lock, node) ck_spinlock_clh_lock(lock, (node)->clh)
#define LOCK_RELEASE(lock, node) ck_spinlock_clh_unlock(&(node)->clh)
#include "spinlock_variant.h"

#define LOCK anderson
#define LOCK_ACQUIRE(lock, node) ck_spinlock_anderson_lock(lock, &(node)->anderson)
#define LOCK_RELEASE(lock, node) ck_spinlock_anderson_unlock(lock, (node)->anderson)
#include "spinlock_variant.h"

#define LOCK hclh
#define LOCK_ACQUIRE(lock, node)                                     \
	ck_spinlock_hclh_lock(&((struct hclh_lock *)(lock))->global, \
			      &((struct hclh_lock *)(lock))->local, (node)->hclh)
#define LOCK_RELEASE(lock, node) ck_spinlock_hclh_unlock(&(node)->hclh)
#include "spinlock_variant.h"

/* The layout of t->side: locks, then queue nodes, then Anderson slots. */
struct spinlock_side {
	uint64_t stripes, threads;
	uint64_t locks, nodes, slots; /* bytes */
	unsigned shift; /* log2 of the distance of two locks */
};

struct lock_kind {
	const char *name;
	const struct table_loops *loops;
	size_t size;
	bool queue;
	unsigned nodes; /* queue nodes a lock begins with */
	void (*init)(void *lock, union queue_node *node,
		     struct ck_spinlock_anderson_thread *slot, unsigned threads);
};

static void init_dec(void *lock, union queue_node *node,
		     struct ck_spinlock_anderson_thread *slot, unsigned threads)
{
	ck_spinlock_dec_init(lock);
}

static void init_clh(void *lock, union queue_node *node,
		     struct ck_spinlock_anderson_thread *slot, unsigned threads)
{
	ck_spinlock_clh_init(lock, &node->clh);
}

static void init_hclh(void *lock, union queue_node *node,
		      struct ck_spinlock_anderson_thread *slot, unsigned threads)
{
	struct hclh_lock *l = lock;

	/* One cluster: nothing says here which threads share a cache. */
	ck_spinlock_hclh_init(&l->global, &node[0].hclh, 1);
	ck_spinlock_hclh_init(&l->local, &node[1].hclh, 1);
}

static void init_anderson(void *lock, union queue_node *node,
			  struct ck_spinlock_anderson_thread *slot, unsigned threads)
{
	ck_spinlock_anderson_init(lock, slot, threads);
}

/* Without init, a zeroed lock is a free one. */
static const struct lock_kind lock_kinds[] = {
	{ "cas", &spinlock_cas_loops, sizeof(struct ck_spinlock_cas), false, 0, NULL },
	{ "fas", &spinlock_fas_loops, sizeof(struct ck_spinlock_fas), false, 0, NULL },
	{ "dec", &spinlock_dec_loops, sizeof(struct ck_spinlock_dec), false, 0, init_dec },
	{ "ticket", &spinlock_ticket_loops, sizeof(struct ck_spinlock_ticket), false, 0, NULL },
	{ "mcs", &spinlock_mcs_loops, sizeof(struct ck_spinlock_mcs *), true, 0, NULL },
	{ "clh", &spinlock_clh_loops, sizeof(struct ck_spinlock_clh *), true, 1, init_clh },
	{ "anderson", &spinlock_anderson_loops, sizeof(struct ck_spinlock_anderson), true, 0,
	  init_anderson },
	{ "hclh", &spinlock_hclh_loops, sizeof(struct hclh_lock), true, 2, init_hclh },
};
#define LOCK_CHOICES "cas|fas|dec|ticket|mcs|clh|anderson|hclh"

static const struct lock_kind *lock_kind_of(const struct table_params *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_kinds); i++)
		if (!strcmp(lock_kinds[i].name, p->option[SPINLOCK_LOCK]))
			return &lock_kinds[i];
	return NULL;
}

static int parse_stripes(const struct table_params *p, const struct lock_kind *kind,
			 uint64_t lines, uint64_t *stripes, struct err *e)
{
	const char *text = p->option[SPINLOCK_STRIPES];

	if (!strcmp(text, "global"))
		*stripes = 1;
	else if (!strcmp(text, "line"))
		*stripes = lines;
	else if (parse_u64(text, 1, 1ull << 40, stripes) || *stripes & (*stripes - 1))
		return err_set(e,
			       "--table spinlock: option stripes: expected global, line or a "
			       "power of two, got '%s'",
			       text);
	if (*stripes > lines)
		*stripes = lines;
	if (kind->queue && *stripes > PADDED_MAX)
		return err_set(
			e,
			"--table spinlock: lock=%s: at most %u stripes for a queue lock, "
			"got %ju",
			kind->name, PADDED_MAX, (uintmax_t)*stripes);
	return 0;
}

static unsigned ceil_log2(uint64_t x)
{
	return x <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

static struct spinlock_side side_layout(const struct lock_kind *kind, uint64_t stripes,
					unsigned threads)
{
	struct spinlock_side s = { .stripes = stripes, .threads = 1ull << ceil_log2(threads) };

	s.shift = ceil_log2(kind->size);
	if (stripes <= PADDED_MAX && s.shift < 6)
		s.shift = 6;
	s.locks = stripes << s.shift;
	s.locks = (s.locks + CACHE_LINE - 1) & ~(uint64_t)(CACHE_LINE - 1);
	if (kind->nodes)
		s.nodes = (stripes * kind->nodes + threads) * sizeof(union queue_node);
	if (kind->init == init_anderson)
		s.slots = stripes * s.threads * sizeof(struct ck_spinlock_anderson_thread);
	return s;
}

static void init_locks(struct table *t, const struct lock_kind *kind,
		       const struct spinlock_side *s)
{
	union queue_node *node = (void *)(t->guard + s->locks);
	struct ck_spinlock_anderson_thread *slot = (void *)(t->guard + s->locks + s->nodes);

	for (uint64_t i = 0; kind->init && i < s->stripes; i++)
		kind->init(line_guard(t, i), node + i * kind->nodes, slot + i * s->threads,
			   (unsigned)s->threads);
}

/* A queue lock hands nodes round between threads: they all belong to the table. */
static int init_threads(struct table *t, const struct lock_kind *kind,
			const struct spinlock_side *s, unsigned threads, struct err *e)
{
	union queue_node *node = (void *)(t->guard + s->locks);
	struct lock_node *own = aligned_alloc(128, threads * sizeof(*own));

	if (!own)
		return err_set(e, "--table spinlock: no memory for %u threads", threads);
	memset(own, 0, threads * sizeof(*own));
	node += s->stripes * kind->nodes;
	for (unsigned i = 0; kind->nodes && i < threads; i++) {
		if (kind->init == init_clh)
			own[i].clh = &node[i].clh;
		else
			own[i].hclh = &node[i].hclh;
	}
	t->priv = own;
	return 0;
}

int spinlock_create(struct table *t, const struct table_params *p, struct err *e)
{
	const struct lock_kind *kind = lock_kind_of(p);
	struct spinlock_side side;
	uint64_t stripes;

	t->loops = kind->loops;
	if (line_create(t, p, e))
		return -1;
	if (parse_stripes(p, kind, t->lines, &stripes, e))
		goto out_lines;
	side = side_layout(kind, stripes, p->threads);
	if (line_create_side(t, p, side.locks + side.nodes + side.slots, e))
		return -1;
	t->guard = t->side.base;
	t->guard_mask = stripes - 1;
	t->guard_shift = side.shift;
	init_locks(t, kind, &side);
	if (init_threads(t, kind, &side, p->threads, e))
		goto out_side;
	return 0;
out_side:
	mem_unmap(&t->side);
out_lines:
	mem_unmap(&t->mem);
	return -1;
}

void spinlock_destroy(struct table *t)
{
	free(t->priv);
}

int spinlock_thread_enter(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = (struct lock_node *)t->priv + w->id;
	return 0;
}

static struct table_class spinlock_class = {
	.name = "spinlock",
	.summary = "a lock per stripe of lines, held by probes and stores",
	.reference = "Typhoon (256 stripes); Concurrency Kit's spinlocks",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	LINE_CLASS,
	.options = { [SPINLOCK_LOCK] = { "lock", LOCK_CHOICES, "fas", "kind of lock" },
		     [SPINLOCK_STRIPES] = STRIPES_OPTION,
		     LINE_OPTIONS },
	.create = spinlock_create,
	.destroy = spinlock_destroy,
	.thread_enter = spinlock_thread_enter,
};
TABLE_REGISTER(spinlock);
