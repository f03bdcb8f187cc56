// SPDX-License-Identifier: BSD-2-Clause
#include "engine.h"

#include <stdlib.h>

#include "cell.h"
#include "crew.h"

struct engine {
	struct table_spec spec;
	struct topo *topo;
	struct placement placement;
	bool oversubscribe;
	struct table *shared[NR_KINDS];
	struct search search;
	const struct game *game; /* to search */
	struct recording *recording; /* or NULL */
	struct counts count[NR_KINDS]; /* of the last crew */
};

const struct engine_params engine_usual = { .table = ENGINE_TABLE,
					    .hash = ENGINE_HASH,
					    .pawn_hash = ENGINE_PAWN_HASH,
					    .eval_hash = ENGINE_EVAL_HASH,
					    .placement = ENGINE_PLACEMENT,
					    .pawn = SHARING_PRIVATE,
					    .eval = SHARING_PRIVATE,
					    .threads = 1 };

/* The searcher of a thread of the crew. */
static struct searcher *searcher_of(struct engine *e, struct member *m)
{
	struct searcher *s = e->search.searcher[m->w.id];

	s->cache.worker = &m->w;
	return s;
}

static void forget(struct member *m)
{
	struct engine *e = m->crew->arg;
	struct searcher *s = searcher_of(e, m);

	crew_clear(m);
	cache_clear_own(e->shared, &s->cache);
	memset(&s->history, 0, sizeof(s->history));
}

static void go(struct member *m)
{
	struct engine *e = m->crew->arg;

	crew_online(m);
	search_run(searcher_of(e, m), e->game);
	crew_offline(m);
}

static int run_crew(struct engine *e, void (*work)(struct member *m), struct err *err)
{
	struct crew c = { .topo = e->topo,
			  .placement = &e->placement,
			  .table = e->shared,
			  .work = work,
			  .arg = e };

	if (crew_run(&c, err))
		return -1;
	memcpy(e->count, c.n, sizeof(e->count));
	return 0;
}

static int parse_sizes(const struct engine_params *p, struct cache_params *c, struct err *e)
{
	return parse_size(p->hash, "hash", &c->size[KIND_TT], e) ||
	       parse_size(p->pawn_hash, "pawn-hash", &c->size[KIND_PAWN], e) ||
	       parse_size(p->eval_hash, "eval-hash", &c->size[KIND_EVAL], e);
}

static int create_searchers(struct engine *e, const struct cache_params *c, struct err *err)
{
	for (unsigned i = 0; i < c->threads; i++) {
		struct searcher *s = aligned_alloc(128, sizeof(*s));

		if (!s)
			return err_set(err, "--threads %u: out of memory", c->threads);
		memset(s, 0, sizeof(*s));
		s->search = &e->search;
		s->id = i;
		if (cache_create(c, e->shared, &s->cache, err)) {
			free(s);
			return -1;
		}
		e->search.searcher[i] = s;
	}
	return 0;
}

static int create_tables(struct engine *e, const struct engine_params *p, struct err *err)
{
	struct cache_params c = { .spec = &e->spec,
				  .sharing = { [KIND_TT] = SHARING_SHARED,
					       [KIND_PAWN] = (enum sharing)p->pawn,
					       [KIND_EVAL] = (enum sharing)p->eval },
				  .pages = (enum mem_pages)p->pages,
				  .threads = (unsigned)p->threads };
	int ret = -1;

	if (parse_sizes(p, &c, err))
		return -1;
	c.size_text[KIND_TT] = xasprintf("--hash %s", p->hash);
	c.size_text[KIND_PAWN] = xasprintf("--pawn-hash %s", p->pawn_hash);
	c.size_text[KIND_EVAL] = xasprintf("--eval-hash %s", p->eval_hash);
	if (!cache_create_shared(&c, e->shared, err))
		ret = create_searchers(e, &c, err);
	for (enum kind k = 0; k < NR_KINDS; k++)
		free((char *)c.size_text[k]);
	return ret;
}

int engine_create(const struct engine_params *p, struct engine **out, struct err *err)
{
	struct engine *e = xcalloc(1, sizeof(*e));

	e->search.threads = (unsigned)p->threads;
	e->oversubscribe = p->oversubscribe;
	e->search.searcher = xcalloc(p->threads, sizeof(*e->search.searcher));
	if (table_spec_parse(p->table, &e->spec, err) || topo_open(&e->topo, err) ||
	    topo_place(e->topo, p->placement, (unsigned)p->threads, p->oversubscribe,
		       &e->placement, err) ||
	    create_tables(e, p, err) || engine_clear(e, err)) {
		engine_destroy(e);
		return -1;
	}
	*out = e;
	return 0;
}

void engine_destroy(struct engine *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < e->search.threads; i++) {
		struct searcher *s = e->search.searcher[i];

		if (s)
			cache_destroy(e->shared, &s->cache);
		free(s);
	}
	for (enum kind k = 0; k < NR_KINDS; k++)
		table_destroy(e->shared[k]);
	placement_free(&e->placement);
	if (e->topo)
		topo_close(e->topo);
	table_spec_free(&e->spec);
	free(e->search.searcher);
	free(e);
}

int engine_clear(struct engine *e, struct err *err)
{
	if (e->recording)
		recording_clear(e->recording);
	return run_crew(e, forget, err);
}

static void collect(const struct engine *e, struct engine_result *r)
{
	const struct searcher *first = e->search.searcher[0];

	*r = (struct engine_result){ .best = first->best,
				     .score = first->score,
				     .depth = first->depth,
				     .nodes = search_nodes(&e->search),
				     .ns = now_ns() - e->search.timing.start };
	memcpy(r->count, e->count, sizeof(r->count));
	for (unsigned i = 0; i < e->search.threads; i++)
		r->rejected += e->search.searcher[i]->rejected;
}

int engine_search(struct engine *e, const struct game *g, const struct limits *l,
		  void (*report)(void *arg, const struct searcher *s), void *arg,
		  struct engine_result *r, struct err *err)
{
	e->game = g;
	e->search.limits = *l;
	e->search.report = report;
	e->search.report_arg = arg;
	if (e->recording)
		recording_reserve(e->recording);
	e->search.clock_runs = !search_ponders(&e->search);
	timing_start(&e->search.timing,
		     e->search.clock_runs ? l : &(struct limits){ .depth = 0 });
	if (e->recording)
		recording_generation(e->recording, g->board.now.key);
	table_new_generation(e->shared[KIND_TT]);
	/* here: the first sums them while others may not have begun */
	for (unsigned i = 0; i < e->search.threads; i++)
		WRITE_ONCE64(&e->search.searcher[i]->nodes, 0);
	if (run_crew(e, go, err))
		return -1;
	collect(e, r);
	return 0;
}

void engine_ready(struct engine *e)
{
	atomic_store_explicit(&e->search.stop, false, memory_order_relaxed);
	search_ponder(&e->search, false);
}

void engine_ponder(struct engine *e)
{
	search_ponder(&e->search, true);
}

void engine_ponderhit(struct engine *e)
{
	search_ponder(&e->search, false);
}

void engine_stop(struct engine *e)
{
	search_stop(&e->search);
}

void engine_record(struct engine *e, struct recording *r)
{
	e->recording = r;
	for (unsigned i = 0; i < e->search.threads; i++)
		e->search.searcher[i]->cache.recorder = recording_of(r, i);
	recording_clear(r);
}

struct table *engine_table(const struct engine *e, enum kind k)
{
	return e->shared[k];
}

uint64_t engine_bytes(const struct engine *e, enum kind k)
{
	uint64_t bytes = 0;

	if (e->shared[k])
		return e->shared[k]->bytes;
	for (unsigned i = 0; i < e->search.threads; i++)
		bytes += e->search.searcher[i]->cache.table[k]->bytes;
	return bytes;
}

unsigned engine_max_threads(const struct engine *e)
{
	return e->oversubscribe ? TOPO_MAX_THREADS : topo_nr_allowed(e->topo);
}
