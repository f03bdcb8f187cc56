// SPDX-License-Identifier: BSD-2-Clause
/* What tables with locks beside their lines do outside the measured loops. */
#include "stripes.h"

#include <stdlib.h>

/* Blocks of threads keep each other's prefetched neighbours out. */
#define BLOCK_ALIGN 128u

static const struct lock_kind *kind_named(const char *name, const struct lock_kind *kinds,
					  size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static bool needs_more_than_locks(const struct lock_kind *k)
{
	return k->stripe || k->stripe_thread || k->thread || k->thread_stripe;
}

static int parse_stripes(const struct table *t, const struct table_params *p,
			 const struct lock_kind *kind, uint64_t *stripes, struct err *e)
{
	const char *text = p->option[STRIPES_NR];

	if (!strcmp(text, "global"))
		*stripes = 1;
	else if (!strcmp(text, "line"))
		*stripes = t->lines;
	else if (parse_u64(text, 1, 1ull << 40, stripes) || *stripes & (*stripes - 1))
		return err_set(e,
			       "--table %s: option stripes: expected global, line or a power "
			       "of two, got '%s'",
			       t->class->name, text);
	if (*stripes > t->lines)
		*stripes = t->lines;
	if (needs_more_than_locks(kind) && *stripes > STRIPES_PADDED)
		return err_set(e,
			       "--table %s: lock=%s: at most %u stripes for a lock that "
			       "brings nodes or counters, got %ju",
			       t->class->name, kind->name, STRIPES_PADDED, (uintmax_t)*stripes);
	return 0;
}

/* Log2 of the distance of two locks. */
static unsigned lock_shift(const struct lock_kind *kind, uint64_t stripes)
{
	unsigned shift = (unsigned)__builtin_ctz(stripes_threads_pow2(kind->size));

	return stripes <= STRIPES_PADDED && shift < 6 ? 6 : shift;
}

static uint64_t align(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static int create_side(struct table *t, const struct table_params *p,
		       const struct lock_kind *kind, struct stripes *s, struct err *e)
{
	uint64_t locks;

	t->guard_shift = lock_shift(kind, s->nr);
	/* One a line: there may be any number of lines. */
	t->guard_mask = s->nr == t->lines ? UINT64_MAX : s->nr - 1;
	locks = align(s->nr << t->guard_shift, BLOCK_ALIGN);
	s->stripe_step =
		kind->stripe + (uint64_t)kind->stripe_thread * stripes_threads_pow2(p->threads);
	s->thread_step = align(kind->thread + kind->thread_stripe * s->nr, BLOCK_ALIGN);
	if (line_create_side(t, p,
			     locks + align(s->nr * s->stripe_step, BLOCK_ALIGN) +
				     s->threads * s->thread_step,
			     e))
		return -1;
	t->guard = t->side.base;
	s->stripe = t->guard + locks;
	s->thread = s->stripe + align(s->nr * s->stripe_step, BLOCK_ALIGN);
	return 0;
}

int stripes_create(struct table *t, const struct table_params *p, const struct lock_kind *kinds,
		   size_t nr, struct err *e)
{
	const struct lock_kind *kind = kind_named(p->option[STRIPES_LOCK], kinds, nr);
	struct stripes s = { .threads = p->threads };

	t->loops = kind->loops;
	if (line_create(t, p, e))
		return -1;
	if (parse_stripes(t, p, kind, &s.nr, e)) {
		mem_unmap(&t->mem);
		return -1;
	}
	if (create_side(t, p, kind, &s, e))
		return -1;
	if (kind->init)
		kind->init(t, &s);
	t->priv = xcalloc(1, sizeof(s));
	memcpy(t->priv, &s, sizeof(s));
	return 0;
}

void stripes_destroy(struct table *t)
{
	free(t->priv);
}

int stripes_thread_enter(struct table *t, struct worker *w, struct err *e)
{
	w->priv[t->kind] = thread_block(t->priv, w->id);
	return 0;
}
