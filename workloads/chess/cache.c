// SPDX-License-Identifier: BSD-2-Clause
#include "cache.h"

/* The kinds of tables that a search has. */
static const enum kind used[] = { KIND_TT, KIND_PAWN, KIND_EVAL };

static int create(const struct cache_params *p, enum kind k, const struct table_spec *spec,
		  unsigned threads, struct table **out, struct err *e)
{
	struct table_params tp = { .kind = k,
				   .size = p->size[k],
				   .size_text = p->size_text[k],
				   .pages = p->pages,
				   .threads = threads,
				   .mate = TT_MATE_DEFAULT };

	if (p->sharing[k] == SHARING_NONE)
		tp.size = (struct table_size){ 0 };
	return table_create(spec, &tp, out, e);
}

int cache_create_shared(const struct cache_params *p, struct table *shared[NR_KINDS],
			struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		enum kind k = used[i];

		if (p->sharing[k] == SHARING_SHARED &&
		    create(p, k, p->spec, p->threads, &shared[k], e))
			goto out_destroy;
	}
	return 0;
out_destroy:
	for (enum kind k = 0; k < NR_KINDS; k++) {
		table_destroy(shared[k]);
		shared[k] = NULL;
	}
	return -1;
}

int cache_create(const struct cache_params *p, struct table *const shared[NR_KINDS],
		 struct cache *c, struct err *e)
{
	struct table_spec own;
	int ret = -1;

	if (table_spec_parse("unsync", &own, e))
		return -1;
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		enum kind k = used[i];

		c->table[k] = shared[k];
		if (!shared[k] && create(p, k, &own, 1, &c->table[k], e))
			goto out;
		c->ops[k] = table_ops(c->table[k]);
	}
	ret = 0;
out:
	if (ret)
		cache_destroy(shared, c);
	table_spec_free(&own);
	return ret;
}

void cache_destroy(struct table *const shared[NR_KINDS], struct cache *c)
{
	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (c->table[k] != shared[k])
			table_destroy(c->table[k]);
		c->table[k] = NULL;
	}
}

void cache_clear_own(struct table *const shared[NR_KINDS], struct cache *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		struct table *t = c->table[used[i]];

		if (t != shared[used[i]])
			t->class->clear(t, 0, 1);
	}
}

/* The thread's own have nobody to wait for, which costs nothing to say. */
void cache_pause(struct cache *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		table_pause(c->table[used[i]], c->worker);
}
