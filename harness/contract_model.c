// SPDX-License-Identifier: BSD-2-Clause
#include "contract.h"

#include "fixture.h"
#include "model.h"

struct contents {
	struct model *m;
	uint64_t slots;
	bool equal;
};

static void compare_slot(void *arg, const struct slot_view *v)
{
	struct contents *c = arg;
	const struct model_entry *x = &c->m->entry[v->line * c->m->is.slots + v->slot];

	c->slots++;
	c->equal &= x->taken && x->sig == v->sig && model_word(c->m, x) == v->word[0];
	for (unsigned i = 1; i < v->nr_words; i++)
		c->equal &= v->word[i] == v->word[0] + i;
}

static bool same_contents(struct fixture *f, struct model *m)
{
	struct contents c = { .m = m, .equal = true };
	uint64_t taken = 0;

	for (uint64_t i = 0; i < m->is.lines * m->is.slots; i++)
		taken += m->entry[i].taken;
	f->t->loops->walk(f->t, compare_slot, &c);
	return c.equal && c.slots == taken;
}

static bool same_counts(const struct counts *a, const struct counts *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* What a spec's options come to. */
static struct model_layout layout_of(const struct fixture *f)
{
	const char *index = table_spec_option(&f->spec, "index");
	const char *mate = table_spec_option(&f->spec, "mate");

	return (struct model_layout){ .kind = f->t->kind,
				      .lines = f->t->lines,
				      .slots = f->t->slots,
				      .sig_bits = table_spec_sig_bits(&f->spec),
				      .refresh = f->t->refresh,
				      .mate = f->t->mate,
				      .mate_ply = mate && !strcmp(mate, "ply"),
				      .mulhi = index && !strcmp(index, "mulhi") };
}

static int differs(struct err *e, const char *what, size_t at)
{
	return err_set(e, "%s differs from the model at operation %zu", what, at);
}

int contract_identity(const char *spec, enum kind k, uint64_t entries, const struct stream *s,
		    int mate, struct err *e)
{
	struct model_layout layout;
	struct fixture f;
	struct model *m;
	size_t event = 0;
	int ret = 0;

	fixture_open(&f, spec, k, entries, mate);
	layout = layout_of(&f);
	m = model_create(&layout);
	for (size_t i = 0; i < s->nr && !ret; i++) {
		struct model_answer want;
		uint64_t got;

		for (; event < s->nr_events && s->event[event].at == i; event++) {
			table_new_generation(f.t);
			m->generation++;
		}
		want = model_replay(m, &s->op[i]);
		got = fixture_op(&f, &s->op[i]);
		if (got != want.word || !same_counts(&f.w->n[k], &m->n))
			ret = differs(e, "an answer", i);
		else if (i % 65536 == 65535 && !same_contents(&f, m))
			ret = differs(e, "a slot", i);
	}
	if (!ret && !same_contents(&f, m))
		ret = differs(e, "a slot", s->nr);
	model_free(m);
	fixture_close(&f);
	return ret;
}

/* A workload of each kind, in which all occurs that its policy tells apart. */
static const struct {
	enum kind kind;
	const char *workload;
} traffics[] = {
	{ KIND_TT, "generation:lines=0,ops=40000" }, { KIND_TT, "bump:ops=20000,ends=1" },
	{ KIND_PAWN, "wide:lines=0,ops=20000" },     { KIND_EVAL, "slot:lines=0,ops=20000" },
	{ KIND_KV, "uniform:store=50,ops=40000" },
};

static int same_as_model(const char *spec, const struct table_class *class, struct err *e)
{
	static const uint64_t entries[] = { 1, 64, 5000 };
	struct traffic *t;
	struct err why;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(traffics) && !ret; i++) {
		const enum kind k = traffics[i].kind;

		for (size_t j = 0; class->kinds & 1u << k && j < ARRAY_SIZE(entries) && !ret; j++) {
			struct table_size size = { .entries = entries[j] };

			if (traffic_from_workload(traffics[i].workload, &size, 1, 7, &t, e))
				return -1;
			ret = contract_identity(spec, k, entries[j], &t->stream[0], t->mate, &why);
			if (ret)
				err_set(e, "of kind %s, %ju entries, %s: %s", kind_names[k],
					(uintmax_t)entries[j], traffics[i].workload, why.text);
			traffic_free(t);
		}
	}
	return ret;
}

int contract_run(const char *spec, struct err *e)
{
	struct table_spec parsed;
	int ret = 0;

	for (const struct contract_check *c = contract_checks; c->what && !ret; c++)
		ret = contract_check(c, spec, e);
	if (ret || table_spec_parse(spec, &parsed, e))
		return -1;
	if (parsed.class->lines)
		ret = same_as_model(spec, parsed.class, e);
	table_spec_free(&parsed);
	return ret;
}
