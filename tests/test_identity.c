// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every line-based table against the plain model: a whole recorded trace, operation by
 * operation, for every kind it holds, several sizes and every refresh option; then the
 * contents of every slot. argv: a table's spec, a trace.
 */
#include "fixture.h"
#include "model.h"
#include "trace.h"
#include "traffic.h"

static unsigned failures;

static void fail(const char *what, const char *spec, enum kind k, size_t at)
{
	fprintf(stderr, "%s, kind %s: %s differs from the model at operation %zu\n", spec,
		kind_names[k], what, at);
	failures++;
}

struct contents {
	struct model *m;
	uint64_t slots;
	bool equal;
};

static void compare_slot(void *arg, const struct slot_view *v)
{
	struct contents *c = arg;
	const struct model_entry *x = &c->m->entry[v->line * c->m->slots + v->slot];

	c->slots++;
	c->equal &= x->taken && x->sig == v->sig && model_word(c->m, x) == v->word[0];
	for (unsigned i = 1; i < v->nr_words; i++)
		c->equal &= v->word[i] == v->word[0] + i;
}

static bool same_contents(struct fixture *f, struct model *m)
{
	struct contents c = { .m = m, .equal = true };
	uint64_t taken = 0;

	for (uint64_t i = 0; i < m->lines * m->slots; i++)
		taken += m->entry[i].taken;
	f->t->loops->walk(f->t, compare_slot, &c);
	return c.equal && c.slots == taken;
}

static bool same_counts(const struct counts *a, const struct counts *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void replay_both(const char *spec, enum kind k, uint64_t entries, enum refresh refresh,
			const struct stream *s, int mate)
{
	struct fixture f;
	struct model *m;
	size_t event = 0;

	fixture_open(&f, spec, k, entries, mate);
	m = model_create(k, f.t->lines, 4, 64, refresh, mate);
	for (size_t i = 0; i < s->nr; i++) {
		struct model_answer want;
		uint64_t got;

		for (; event < s->nr_events && s->event[event].at == i; event++) {
			table_new_generation(f.t);
			m->generation++;
		}
		want = model_replay(m, &s->op[i]);
		got = fixture_op(&f, &s->op[i]);
		if (got != want.word || !same_counts(&f.w->n[k], &m->n)) {
			fail("an answer", spec, k, i);
			break;
		}
		if (i % 65536 == 65535 && !same_contents(&f, m)) {
			fail("a slot", spec, k, i);
			break;
		}
	}
	if (!same_contents(&f, m))
		fail("a slot", spec, k, s->nr);
	model_free(m);
	fixture_close(&f);
}

static void replay_sizes(const char *spec, enum kind k, enum refresh refresh,
			 const struct traffic *t)
{
	static const uint64_t entries[] = { 1, 64, 4096, 65536 };

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		replay_both(spec, k, entries[i], refresh, &t->stream[0], t->mate);
}

int main(int argc, char **argv)
{
	static const char *const modes[] = { "always", "stale", "cas", "never" };
	int status = 0;
	struct table_size small = { .entries = 4096 };
	struct table_spec parsed;
	struct traffic *t;
	struct trace *trace;
	struct err e;

	if (argc != 3 || table_spec_parse(argv[1], &parsed, &e) ||
	    trace_read(argv[2], &trace, &e))
		fixture_die(&e);
	if (!parsed.class->lines) {
		printf("skipped: %s is not made of lines\n", argv[1]);
		status = 77;
		goto out;
	}
	for (unsigned mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		char spec[128];

		snprintf(spec, sizeof(spec), "%s%srefresh=%s", argv[1],
			 strchr(argv[1], ':') ? "," : ":", modes[mode]);
		for (enum kind k = 0; k <= KIND_EVAL; k++) {
			if (k != KIND_TT && mode)
				continue; /* only tt is refreshed */
			if (traffic_from_trace(trace, 1u << k, 1, DEAL_SPLIT, CLEARS_DROP, 1,
					       &t, &e))
				continue; /* this engine has no such table */
			replay_sizes(spec, k, (enum refresh)mode, t);
			traffic_free(t);
		}
	}
	if (traffic_from_workload("uniform:store=50", &small, 1, 7, &t, &e))
		fixture_die(&e);
	replay_sizes(argv[1], KIND_KV, REFRESH_NEVER, t);
	traffic_free(t);
	if (!failures)
		printf("%s: identical to the model\n", argv[1]);
out:
	trace_free(trace);
	table_spec_free(&parsed);
	return status ? status : failures != 0;
}
