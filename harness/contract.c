// SPDX-License-Identifier: BSD-2-Clause
#include "contract.h"

#include "audit.h"
#include "fixture.h"
#include "line.h"

#define MATE TT_MATE_DEFAULT

static int broken(const struct contract *c, const char *what)
{
	return err_set(c->e, "of kind %s: expected %s", kind_names[c->kind], what);
}

/* What was made is not put down: who hears of it has no more use for the table. */
#define need(x)                               \
	do {                                  \
		if (!(x))                     \
			return broken(c, #x); \
	} while (0)
#define need_equal(a, b)                                   \
	do {                                               \
		if ((uint64_t)(a) != (uint64_t)(b))        \
			return broken(c, #a " to be " #b); \
	} while (0)
#define need_range(a, from, to) need((a) >= (from) && (a) <= (to))
#define need_same(a, b, size) need(!memcmp(a, b, size))

#define for_each_kind(c, k)                              \
	for (enum kind k = 0; k < NR_KINDS; k++)         \
		if ((c)->kind = k, (c)->class->kinds & 1u << k)

static int empty_finds_nothing(struct contract *c)
{
	static const uint64_t keys[] = { 0, 1, UINT64_MAX, 1ull << 63 };
	struct fixture f;

	for_each_kind(c, k)
	{
		fixture_open(&f, c->spec, k, 4096, MATE);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct trace_op op = probe_op(k, keys[i]);

			need_equal(fixture_op(&f, &op), 0);
			need(!fixture_find(&f, keys[i]));
		}
		need_equal(f.w->n[k].hits, 0);
		fixture_close(&f);
	}
	return 0;
}

/* Keys 0 and ~0 are keys like any other. */
static int every_key_is_found_once_stored(struct contract *c)
{
	static const uint64_t keys[] = { 0, UINT64_MAX, 1, 1ull << 63, 0x123456789abcdef0ull };
	struct fixture f;

	for_each_kind(c, k)
	{
		fixture_open(&f, c->spec, k, 4096, MATE);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct trace_op store = store_op(k, keys[i], 77),
					probe = probe_op(k, keys[i]);

			fixture_op(&f, &store);
			need(fixture_find(&f, keys[i]));
			need(fixture_op(&f, &probe));
			need_equal(f.w->n[k].hits, i + 1);
		}
		fixture_close(&f);
	}
	return 0;
}

static int clear_empties(struct contract *c)
{
	struct fixture f;

	for_each_kind(c, k)
	{
		fixture_open(&f, c->spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 5000; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			fixture_op(&f, &op);
		}
		table_new_generation(f.t);
		for (unsigned part = 0; part < 3; part++)
			c->class->clear(f.t, part, 3);
		for (uint64_t i = 0; i < 5000; i++)
			need(!fixture_find(&f, mix64(i)));
		need_equal(READ_ONCE64(&f.t->generation), 0);
		fixture_close(&f);
	}
	return 0;
}

static void count_slot(void *arg, const struct slot_view *v)
{
	(*(uint64_t *)arg)++;
}

/* Emptying what some operations wrote empties the table if there were no others. */
static int clear_ops_empties(struct contract *c)
{
	struct trace_op op[512];
	struct fixture f;

	for_each_kind(c, k)
	{
		uint64_t held = 0;

		fixture_open(&f, c->spec, k, 4096, MATE);
		for (uint64_t i = 0; i < ARRAY_SIZE(op); i++) {
			op[i] = i % 3 ? store_op(k, mix64(i), (uint32_t)i)
				      : probe_op(k, mix64(i));
			fixture_op(&f, &op[i]);
		}
		f.t->loops->walk(f.t, count_slot, &held);
		need(held > 0);
		table_new_generation(f.t);
		if (c->class->clear_ops) {
			held = 0;
			c->class->clear_ops(f.t, op, ARRAY_SIZE(op));
			f.t->loops->walk(f.t, count_slot, &held);
			need_equal(held, 0);
			need_equal(READ_ONCE64(&f.t->generation), 0);
		}
		fixture_close(&f);
	}
	return 0;
}

/* Amid traffic or not, a live clear leaves nothing, and what comes after it stays. */
static int clear_live_empties(struct contract *c)
{
	static const uint64_t odd[] = { 0, UINT64_MAX };
	struct fixture f;

	for_each_kind(c, k)
	{
		uint64_t held = 0;

		fixture_open(&f, c->spec, k, 4096, MATE);
		for (unsigned round = 0; round < 3; round++) {
			for (uint64_t i = 0; i < 5000; i++) {
				struct trace_op op =
					store_op(k, i < 2 ? odd[i] : mix64(i), (uint32_t)i);

				fixture_op(&f, &op);
			}
			f.t->loops->walk(f.t, count_slot, &held);
			need(held > f.t->entries / 4);
			table_new_generation(f.t);
			held = 0;
			f.t->loops->clear_live(f.t, f.w);
			f.t->loops->walk(f.t, count_slot, &held);
			need_equal(held, 0);
			need(!fixture_find(&f, 0));
			need_equal(READ_ONCE64(&f.t->generation), 0);
		}
		for (uint64_t i = 0; i < 50; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			fixture_op(&f, &op);
			need(fixture_find(&f, mix64(i)));
		}
		fixture_close(&f);
	}
	return 0;
}

static int no_table_at_size_0(struct contract *c)
{
	struct fixture f;

	for_each_kind(c, k)
	{
		fixture_open(&f, c->spec, k, 0, MATE);
		for (uint64_t i = 0; i < 100; i++) {
			struct trace_op store = store_op(k, i, 1), probe = probe_op(k, i);

			fixture_op(&f, &store);
			need_equal(fixture_op(&f, &probe), 0);
		}
		need_equal(f.w->n[k].hits, 0);
		need_equal(f.w->n[k].drops, 100);
		need_equal(f.t->entries, 0);
		fixture_close(&f);
	}
	return 0;
}

/* Never more entries than it says it holds, however many are stored; and most of them. */
static int capacity(struct contract *c)
{
	struct fixture f;

	for_each_kind(c, k)
	{
		uint64_t held = 0;

		fixture_open(&f, c->spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 10 * 4096; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			/* tt keeps the deep and the recent: all one depth fills half a line */
			op.depth = (uint8_t)(mix64(~i) % 20);
			fixture_op(&f, &op);
		}
		f.t->loops->walk(f.t, count_slot, &held);
		need_range(held, 1, f.t->entries);
		need(held > f.t->entries / 2);
		need(f.t->bytes >=
			    f.t->entries * 10); /* a word and the least signature */
		fixture_close(&f);
	}
	return 0;
}

/* A stored key that nothing can have evicted is found with the last value stored. */
static int last_value_wins(struct contract *c)
{
	struct fixture f;
	uint64_t word;

	for_each_kind(c, k)
	{
		fixture_open(&f, c->spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t key = mix64(i % 300);
			struct trace_op op = store_op(k, key, (uint32_t)i + 1);

			fixture_op(&f, &op);
			need((word = fixture_word(&f, key)));
			need_equal((uint32_t)word, i + 1);
		}
		fixture_close(&f);
	}
	return 0;
}

/* tt: 16 generations on, an entry looks current again; before that it is stale. */
static int generations_wrap(struct contract *c)
{
	struct trace_op deep = store_op(KIND_TT, 5, 1), shallow = store_op(KIND_TT, 5, 2);
	struct fixture f;
	uint64_t word;

	if (!(c->class->kinds & 1u << KIND_TT))
		return 0;
	deep.depth = 9;
	for (unsigned gap = 0; gap <= 16; gap++) {
		fixture_open(&f, c->spec, KIND_TT, 4, MATE);
		fixture_op(&f, &deep);
		for (unsigned i = 0; i < gap; i++)
			table_new_generation(f.t);
		fixture_op(&f, &shallow);
		need((word = fixture_word(&f, 5)));
		/* A current deep entry stays in front; a stale one is replaced. */
		need_equal(tt_depth(word), gap % 16 ? 3 : 9);
		fixture_close(&f);
	}
	return 0;
}

/* refresh=always makes an old entry current on a hit; never does not. */
static int refresh_does_what_it_says(struct contract *c)
{
	static const char *const modes[] = { "always", "stale", "cas", "never" };
	struct trace_op store = store_op(KIND_TT, 5, 1), probe = probe_op(KIND_TT, 5);
	struct fixture f;
	uint64_t word;

	if (!(c->class->kinds & 1u << KIND_TT))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		char text[128];
		bool fresh = strcmp(modes[i], "never");

		snprintf(text, sizeof(text), "%s%srefresh=%s", c->spec,
			 strchr(c->spec, ':') ? "," : ":", modes[i]);
		fixture_open(&f, text, KIND_TT, 4, MATE);
		fixture_op(&f, &store);
		fixture_op(&f, &probe);
		need_equal(f.w->n[KIND_TT].refreshes, !strcmp(modes[i], "always"));
		table_new_generation(f.t);
		fixture_op(&f, &probe);
		need((word = fixture_word(&f, 5)));
		need_equal(tt_generation(word), fresh);
		need_equal(tt_move(word), 1);
		need_equal(f.w->n[KIND_TT].refreshes,
				 (unsigned)fresh + !strcmp(modes[i], "always"));
		fixture_close(&f);
	}
	return 0;
}

/* The answer's word is move + value + bound here; a mate is looked up with an open window. */
static int looked_up(struct fixture *f, uint64_t key, uint8_t ply)
{
	struct trace_op probe = probe_op(KIND_TT, key);

	probe.value = -TT_INFINITY;
	probe.beta = TT_INFINITY;
	probe.ply = ply;
	return (int)(fixture_op(f, &probe) & UINT32_MAX);
}

static void store_mate(struct fixture *f, uint64_t key, int16_t value, uint8_t ply)
{
	struct trace_op store = store_op(KIND_TT, key, 5);

	store.value = value;
	store.ply = ply;
	fixture_op(f, &store);
}

static bool spec_with(const struct contract *c, char text[128], const char *option)
{
	struct table_spec parsed;
	struct err e;

	snprintf(text, 128, "%s%c%s", c->spec, strchr(c->spec, ':') ? ',' : ':', option);
	if (table_spec_parse(text, &parsed, &e))
		return false;
	table_spec_free(&parsed);
	return true;
}

/*
 * A mate found at ply 3 is four plies further from the root as seen at ply 7, for either
 * side. Where a ply is not known, or with mate=clamp, it is a bound: with a window as
 * open as that, of no use.
 */
static int mates_count_from_the_node(struct contract *c)
{
	const int16_t mate = TT_INFINITY - 50;
	const int exact = 5 + TT_EXACT, useless = 5;
	char text[128];
	struct fixture f;

	if (!(c->class->kinds & 1u << KIND_TT) || !spec_with(c, text, "mate=ply"))
		return 0;
	fixture_open(&f, text, KIND_TT, 4096, MATE);
	store_mate(&f, 1, mate, 3);
	store_mate(&f, 1ull << 63, -mate, 3);
	need_equal(looked_up(&f, 1, 3), mate + exact);
	need_equal(looked_up(&f, 1, 7), mate - 4 + exact);
	need_equal(looked_up(&f, 1, 0), mate + 3 + exact);
	need_equal(looked_up(&f, 1ull << 63, 3), -mate + exact);
	need_equal(looked_up(&f, 1ull << 63, 7), -mate + 4 + exact);
	need_equal(looked_up(&f, 1, TRACE_PLY_UNKNOWN), useless);
	store_mate(&f, 2, mate, TRACE_PLY_UNKNOWN);
	need_equal(looked_up(&f, 2, 7), useless);
	/* other scores are what they are, wherever */
	store_mate(&f, 3, 40, 3);
	need_equal(looked_up(&f, 3, 7), 40 + exact);
	fixture_close(&f);

	need(spec_with(c, text, "mate=clamp"));
	fixture_open(&f, text, KIND_TT, 4096, MATE);
	store_mate(&f, 1, mate, 3);
	need_equal(looked_up(&f, 1, 3), useless);
	fixture_close(&f);
	return 0;
}

/* Every caller and the mixed loop see the same traffic the same way. */
static int loops_agree(struct contract *c)
{
	struct trace_op op[2 * 500 + MAX_LOOKAHEAD] = { { 0 } };
	struct counts first;
	struct fixture f;

	for_each_kind(c, k)
	{
		for (size_t i = 0; i < 500; i++) {
			op[2 * i] = store_op(k, mix64(i % 50), (uint32_t)i);
			op[2 * i + 1] = probe_op(k, mix64((i * 7) % 60));
		}
		for (size_t i = 0; i < MAX_LOOKAHEAD; i++)
			op[1000 + i] = op[i];
		for (unsigned variant = 0; variant < 2 * (NR_CALLERS + 1); variant++) {
			unsigned caller = variant / 2;

			fixture_open(&f, c->spec, k, 4096, MATE);
			f.w->lookahead = variant & 1 ? 16 : 0;
			if (caller < NR_CALLERS)
				f.t->loops->run[k][caller](f.by_kind, f.w, op, 1000);
			else
				f.t->loops->run[LOOP_MIXED][CALLER_BRANCH](f.by_kind, f.w, op,
									   1000);
			need_equal(f.w->n[k].stores, 500);
			need_equal(f.w->n[k].probes, 500);
			need_range(f.w->n[k].hits, 390, 430);
			if (!variant)
				first = f.w->n[k];
			need_same(&f.w->n[k], &first, sizeof(first));
			fixture_close(&f);
		}
	}
	return 0;
}

/* A probe's answer as the loops sum it up. */
static uint64_t summed(enum kind k, const struct table_answer *a)
{
	uint64_t sum = 0;

	if (k == KIND_TT)
		return a->move + (uint64_t)(unsigned)a->value + a->bound + a->threat +
		       a->avoid_null;
	for (unsigned i = 0; i < entry_words(k); i++)
		sum += a->word[i];
	return sum;
}

static struct trace_op any_op(enum kind k, uint64_t key, uint64_t *rng)
{
	struct trace_op op = rng_below(rng, 2) ? store_op(k, key, (uint32_t)rng_next(rng))
					       : probe_op(k, key);

	op.depth = (uint8_t)rng_below(rng, 16);
	op.value = (int16_t)(rng_below(rng, 400) - 200);
	op.flags |= rng_below(rng, 2);
	if (op.op & 1)
		return op;
	op.next_depth = (uint8_t)rng_below(rng, 16);
	op.beta = (int32_t)rng_below(rng, 400) - 200;
	return op;
}

/* One at a time or in a loop: the same answers and counts. Other kinds than tt keep the words
 * that they are given, all of them. */
static int single_operations(struct contract *c)
{
	struct fixture f, g;

	for_each_kind(c, k)
	{
		uint64_t own[100][MAX_ENTRY_WORDS], rng = 5, hits = 0;
		const struct table_ops *ops;
		struct table_answer a;

		fixture_open(&f, c->spec, k, 64, MATE);
		fixture_open(&g, c->spec, k, 64, MATE);
		ops = table_ops(g.t);
		need(ops);
		g.t->loops->online(g.t, g.w);
		for (unsigned i = 0; i < 20000; i++) {
			unsigned nr = (unsigned)rng_below(&rng, ARRAY_SIZE(own));
			struct trace_op op = any_op(k, nr ? mix64(nr) : 0, &rng);
			uint64_t sum;

			if (!rng_below(&rng, 100)) {
				table_new_generation(f.t);
				table_new_generation(g.t);
				table_pause(g.t, g.w);
			}
			sum = fixture_op(&f, &op);
			ops->prefetch(g.t, op.key);
			if (op.op & 1) {
				for (unsigned w = 0; w < entry_words(k); w++)
					own[nr][w] = rng_next(&rng);
				ops->store(g.t, g.w, &op, own[nr]);
				continue;
			}
			ops->probe(g.t, g.w, &op, &a);
			need_equal(a.hit, f.w->n[k].hits > hits);
			hits += a.hit;
			if (k == KIND_TT || !a.hit)
				need_equal(summed(k, &a), sum);
			else
				need_equal(a.word[0], own[nr][0] & ~table_bits(k));
			for (unsigned w = 1; k != KIND_TT && a.hit && w < entry_words(k); w++)
				need_equal(a.word[w], own[nr][w]);
		}
		g.t->loops->offline(g.t, g.w);
		need(hits > 100);
		need_same(&f.w->n[k], &g.w->n[k], sizeof(struct counts));
		fixture_close(&f);
		fixture_close(&g);
	}
	return 0;
}

/* A table of size 0 has them too: all is a miss. */
static int single_operations_without_a_table(struct contract *c)
{
	struct fixture f;

	for_each_kind(c, k)
	{
		struct trace_op store = store_op(k, 5, 1), probe = probe_op(k, 5);
		const uint64_t own[MAX_ENTRY_WORDS] = { 3 };
		struct table_answer a;

		fixture_open(&f, c->spec, k, 0, MATE);
		f.t->loops->online(f.t, f.w);
		table_ops(f.t)->prefetch(f.t, 5);
		table_ops(f.t)->store(f.t, f.w, &store, own);
		table_ops(f.t)->probe(f.t, f.w, &probe, &a);
		f.t->loops->offline(f.t, f.w);
		need(!a.hit);
		need_equal(f.w->n[k].drops, 1);
		fixture_close(&f);
	}
	return 0;
}

const struct contract_check contract_checks[] = {
	{ "empty finds nothing", empty_finds_nothing },
	{ "every key is found once stored", every_key_is_found_once_stored },
	{ "clear empties", clear_empties },
	{ "clear ops empties", clear_ops_empties },
	{ "clear live empties", clear_live_empties },
	{ "no table at size 0", no_table_at_size_0 },
	{ "capacity", capacity },
	{ "last value wins", last_value_wins },
	{ "generations wrap", generations_wrap },
	{ "refresh does what it says", refresh_does_what_it_says },
	{ "mates count from the node", mates_count_from_the_node },
	{ "loops agree", loops_agree },
	{ "single operations", single_operations },
	{ "single operations without a table", single_operations_without_a_table },
	{ NULL, NULL },
};

int contract_check(const struct contract_check *check, const char *spec, struct err *e)
{
	struct contract c = { .spec = spec, .e = e };
	struct table_spec parsed;
	struct err why;
	int ret;

	if (table_spec_parse(spec, &parsed, e))
		return -1;
	c.class = parsed.class;
	c.e = &why;
	ret = check->run(&c);
	table_spec_free(&parsed);
	return ret ? err_set(e, "%s: %s", check->what, why.text) : 0;
}
