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

static void replay_both(const char *spec, enum kind k, uint64_t entries, const struct stream *s,
			int mate)
{
	struct model_layout layout;
	struct fixture f;
	struct model *m;
	size_t event = 0;

	fixture_open(&f, spec, k, entries, mate);
	layout = layout_of(&f);
	m = model_create(&layout);
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

static void replay_sizes(const char *spec, enum kind k, const struct traffic *t)
{
	static const uint64_t entries[] = { 1, 64, 5000, 65536 };

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		replay_both(spec, k, entries[i], &t->stream[0], t->mate);
}

/*
 * "xor" and "refresh=never": "xor:refresh=never". Of several options those that the table
 * has; NULL if it has none of them.
 */
static char *with_options(const char *spec, const char *options)
{
	char *text = xstrdup(spec);
	bool any = !*options;

	for (size_t len; *options; options += len + (options[len] == ',')) {
		const char *sep = strchr(text, ':') ? "," : ":";
		struct table_spec parsed;
		struct err e;
		char *more;

		len = strcspn(options, ",");
		more = xasprintf("%s%s%.*s", text, sep, (int)len, options);
		if (table_spec_parse(more, &parsed, &e)) {
			free(more);
			continue;
		}
		table_spec_free(&parsed);
		free(text);
		text = more;
		any = true;
	}
	if (any)
		return text;
	free(text);
	return NULL;
}

/* Every refresh option, which is about tt only; and what else makes a layout class. */
static const struct {
	const char *options;
	bool tt_only;
} classes[] = {
	{ "", false },
	{ "refresh=stale", true },
	{ "refresh=cas", true },
	{ "refresh=never", true },
	{ "sig=16,index=mulhi", false },
	{ "sig=32,mate=ply", true },
	{ "sig=48,index=mulhi,mate=ply", false },
};

static void replay_kinds(const char *spec, const struct table_class *class, bool tt_only,
			 const struct trace *trace, const struct traffic *kv)
{
	struct dealing d = { .threads = 1, .clears = CLEARS_DROP };
	struct traffic *t;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (!(class->kinds & 1u << k) || (k != KIND_TT && tt_only))
			continue;
		if (k == KIND_KV) {
			replay_sizes(spec, k, kv);
			continue;
		}
		d.kinds = 1u << k;
		if (traffic_from_trace(trace, &d, &t, &e))
			continue; /* this engine has no such table */
		replay_sizes(spec, k, t);
		traffic_free(t);
	}
}

int main(int argc, char **argv)
{
	struct table_size small = { .entries = 4096 };
	struct table_spec parsed;
	struct traffic *kv;
	struct trace *trace;
	struct err e;
	int status = 0;

	if (argc != 3)
		return 1;
	fixture_needs(argv[1]);
	if (table_spec_parse(argv[1], &parsed, &e) || trace_read(argv[2], &trace, &e) ||
	    traffic_from_workload("uniform:store=50", &small, 1, 7, &kv, &e))
		fixture_die(&e);
	if (!parsed.class->lines) {
		printf("skipped: %s is not made of lines\n", argv[1]);
		status = 77;
		goto out;
	}
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		char *spec = with_options(argv[1], classes[i].options);

		if (!spec)
			continue;
		replay_kinds(spec, parsed.class, classes[i].tt_only, trace, kv);
		free(spec);
	}
	if (!failures)
		printf("%s: identical to the model\n", argv[1]);
out:
	traffic_free(kv);
	trace_free(trace);
	table_spec_free(&parsed);
	return status ? status : failures != 0;
}
