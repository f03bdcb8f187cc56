// SPDX-License-Identifier: BSD-2-Clause
/*
 * What every table must do, on one thread. argv: a table's spec. A new table is tested
 * by being listed in tables/meson.build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "audit.h"
#include "fixture.h"
#include "line.h"

#define MATE TT_MATE_DEFAULT

static const char *spec;
static const struct table_class *class;

#define for_each_kind(k)                         \
	for (enum kind k = 0; k < NR_KINDS; k++) \
		if (class->kinds & 1u << k)

static void empty_finds_nothing(void **state)
{
	static const uint64_t keys[] = { 0, 1, UINT64_MAX, 1ull << 63 };
	struct fixture f;

	for_each_kind(k)
	{
		fixture_open(&f, spec, k, 4096, MATE);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct trace_op op = probe_op(k, keys[i]);

			assert_int_equal(fixture_op(&f, &op), 0);
			assert_false(fixture_find(&f, keys[i]));
		}
		assert_int_equal(f.w->n[k].hits, 0);
		fixture_close(&f);
	}
}

/* Keys 0 and ~0 are keys like any other. */
static void every_key_is_found_once_stored(void **state)
{
	static const uint64_t keys[] = { 0, UINT64_MAX, 1, 1ull << 63, 0x123456789abcdef0ull };
	struct fixture f;

	for_each_kind(k)
	{
		fixture_open(&f, spec, k, 4096, MATE);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct trace_op store = store_op(k, keys[i], 77),
					probe = probe_op(k, keys[i]);

			fixture_op(&f, &store);
			assert_true(fixture_find(&f, keys[i]));
			assert_int_not_equal(fixture_op(&f, &probe), 0);
			assert_int_equal(f.w->n[k].hits, i + 1);
		}
		fixture_close(&f);
	}
}

static void clear_empties(void **state)
{
	struct fixture f;

	for_each_kind(k)
	{
		fixture_open(&f, spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 5000; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			fixture_op(&f, &op);
		}
		table_new_generation(f.t);
		for (unsigned part = 0; part < 3; part++)
			class->clear(f.t, part, 3);
		for (uint64_t i = 0; i < 5000; i++)
			assert_false(fixture_find(&f, mix64(i)));
		assert_int_equal(READ_ONCE64(&f.t->generation), 0);
		fixture_close(&f);
	}
}

static void count_slot(void *arg, const struct slot_view *v)
{
	(*(uint64_t *)arg)++;
}

/* Emptying what some operations wrote empties the table if there were no others. */
static void clear_ops_empties(void **state)
{
	struct trace_op op[512];
	struct fixture f;

	for_each_kind(k)
	{
		uint64_t held = 0;

		fixture_open(&f, spec, k, 4096, MATE);
		for (uint64_t i = 0; i < ARRAY_SIZE(op); i++) {
			op[i] = i % 3 ? store_op(k, mix64(i), (uint32_t)i)
				      : probe_op(k, mix64(i));
			fixture_op(&f, &op[i]);
		}
		f.t->loops->walk(f.t, count_slot, &held);
		assert_true(held > 0);
		table_new_generation(f.t);
		if (class->clear_ops) {
			held = 0;
			class->clear_ops(f.t, op, ARRAY_SIZE(op));
			f.t->loops->walk(f.t, count_slot, &held);
			assert_int_equal(held, 0);
			assert_int_equal(READ_ONCE64(&f.t->generation), 0);
		}
		fixture_close(&f);
	}
}

/* Amid traffic or not, a live clear leaves nothing, and what comes after it stays. */
static void clear_live_empties(void **state)
{
	static const uint64_t odd[] = { 0, UINT64_MAX };
	struct fixture f;

	for_each_kind(k)
	{
		uint64_t held = 0;

		fixture_open(&f, spec, k, 4096, MATE);
		for (unsigned round = 0; round < 3; round++) {
			for (uint64_t i = 0; i < 5000; i++) {
				struct trace_op op =
					store_op(k, i < 2 ? odd[i] : mix64(i), (uint32_t)i);

				fixture_op(&f, &op);
			}
			f.t->loops->walk(f.t, count_slot, &held);
			assert_true(held > f.t->entries / 4);
			table_new_generation(f.t);
			held = 0;
			f.t->loops->clear_live(f.t, f.w);
			f.t->loops->walk(f.t, count_slot, &held);
			assert_int_equal(held, 0);
			assert_false(fixture_find(&f, 0));
			assert_int_equal(READ_ONCE64(&f.t->generation), 0);
		}
		for (uint64_t i = 0; i < 50; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			fixture_op(&f, &op);
			assert_true(fixture_find(&f, mix64(i)));
		}
		fixture_close(&f);
	}
}

static void no_table_at_size_0(void **state)
{
	struct fixture f;

	for_each_kind(k)
	{
		fixture_open(&f, spec, k, 0, MATE);
		for (uint64_t i = 0; i < 100; i++) {
			struct trace_op store = store_op(k, i, 1), probe = probe_op(k, i);

			fixture_op(&f, &store);
			assert_int_equal(fixture_op(&f, &probe), 0);
		}
		assert_int_equal(f.w->n[k].hits, 0);
		assert_int_equal(f.w->n[k].drops, 100);
		assert_int_equal(f.t->entries, 0);
		fixture_close(&f);
	}
}

/* Never more entries than it says it holds, however many are stored; and most of them. */
static void capacity(void **state)
{
	struct fixture f;

	for_each_kind(k)
	{
		uint64_t held = 0;

		fixture_open(&f, spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 10 * 4096; i++) {
			struct trace_op op = store_op(k, mix64(i), (uint32_t)i);

			/* tt keeps the deep and the recent: all one depth fills half a line */
			op.depth = (uint8_t)(mix64(~i) % 20);
			fixture_op(&f, &op);
		}
		f.t->loops->walk(f.t, count_slot, &held);
		assert_in_range(held, 1, f.t->entries);
		assert_true(held > f.t->entries / 2);
		assert_true(f.t->bytes >=
			    f.t->entries * 10); /* a word and the least signature */
		fixture_close(&f);
	}
}

/* A stored key that nothing can have evicted is found with the last value stored. */
static void last_value_wins(void **state)
{
	struct fixture f;
	uint64_t word;

	for_each_kind(k)
	{
		fixture_open(&f, spec, k, 4096, MATE);
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t key = mix64(i % 300);
			struct trace_op op = store_op(k, key, (uint32_t)i + 1);

			fixture_op(&f, &op);
			assert_true((word = fixture_word(&f, key)));
			assert_int_equal((uint32_t)word, i + 1);
		}
		fixture_close(&f);
	}
}

/* tt: 16 generations on, an entry looks current again; before that it is stale. */
static void generations_wrap(void **state)
{
	struct trace_op deep = store_op(KIND_TT, 5, 1), shallow = store_op(KIND_TT, 5, 2);
	struct fixture f;
	uint64_t word;

	if (!(class->kinds & 1u << KIND_TT))
		return;
	deep.depth = 9;
	for (unsigned gap = 0; gap <= 16; gap++) {
		fixture_open(&f, spec, KIND_TT, 4, MATE);
		fixture_op(&f, &deep);
		for (unsigned i = 0; i < gap; i++)
			table_new_generation(f.t);
		fixture_op(&f, &shallow);
		assert_true((word = fixture_word(&f, 5)));
		/* A current deep entry stays in front; a stale one is replaced. */
		assert_int_equal(tt_depth(word), gap % 16 ? 3 : 9);
		fixture_close(&f);
	}
}

/* refresh=always makes an old entry current on a hit; never does not. */
static void refresh_does_what_it_says(void **state)
{
	static const char *const modes[] = { "always", "stale", "cas", "never" };
	struct trace_op store = store_op(KIND_TT, 5, 1), probe = probe_op(KIND_TT, 5);
	struct fixture f;
	uint64_t word;

	if (!(class->kinds & 1u << KIND_TT))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		char text[128];
		bool fresh = strcmp(modes[i], "never");

		snprintf(text, sizeof(text), "%s%srefresh=%s", spec,
			 strchr(spec, ':') ? "," : ":", modes[i]);
		fixture_open(&f, text, KIND_TT, 4, MATE);
		fixture_op(&f, &store);
		fixture_op(&f, &probe);
		assert_int_equal(f.w->n[KIND_TT].refreshes, !strcmp(modes[i], "always"));
		table_new_generation(f.t);
		fixture_op(&f, &probe);
		assert_true((word = fixture_word(&f, 5)));
		assert_int_equal(tt_generation(word), fresh);
		assert_int_equal(tt_move(word), 1);
		assert_int_equal(f.w->n[KIND_TT].refreshes,
				 (unsigned)fresh + !strcmp(modes[i], "always"));
		fixture_close(&f);
	}
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

static bool spec_with(char text[128], const char *option)
{
	struct table_spec parsed;
	struct err e;

	snprintf(text, 128, "%s%c%s", spec, strchr(spec, ':') ? ',' : ':', option);
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
static void mates_count_from_the_node(void **state)
{
	const int16_t mate = TT_INFINITY - 50;
	const int exact = 5 + TT_EXACT, useless = 5;
	char text[128];
	struct fixture f;

	if (!(class->kinds & 1u << KIND_TT) || !spec_with(text, "mate=ply"))
		skip();
	fixture_open(&f, text, KIND_TT, 4096, MATE);
	store_mate(&f, 1, mate, 3);
	store_mate(&f, 1ull << 63, -mate, 3);
	assert_int_equal(looked_up(&f, 1, 3), mate + exact);
	assert_int_equal(looked_up(&f, 1, 7), mate - 4 + exact);
	assert_int_equal(looked_up(&f, 1, 0), mate + 3 + exact);
	assert_int_equal(looked_up(&f, 1ull << 63, 3), -mate + exact);
	assert_int_equal(looked_up(&f, 1ull << 63, 7), -mate + 4 + exact);
	assert_int_equal(looked_up(&f, 1, TRACE_PLY_UNKNOWN), useless);
	store_mate(&f, 2, mate, TRACE_PLY_UNKNOWN);
	assert_int_equal(looked_up(&f, 2, 7), useless);
	/* other scores are what they are, wherever */
	store_mate(&f, 3, 40, 3);
	assert_int_equal(looked_up(&f, 3, 7), 40 + exact);
	fixture_close(&f);

	assert_true(spec_with(text, "mate=clamp"));
	fixture_open(&f, text, KIND_TT, 4096, MATE);
	store_mate(&f, 1, mate, 3);
	assert_int_equal(looked_up(&f, 1, 3), useless);
	fixture_close(&f);
}

/* Every caller and the mixed loop see the same traffic the same way. */
static void loops_agree(void **state)
{
	struct trace_op op[2 * 500 + MAX_LOOKAHEAD] = { { 0 } };
	struct counts first;
	struct fixture f;

	for_each_kind(k)
	{
		for (size_t i = 0; i < 500; i++) {
			op[2 * i] = store_op(k, mix64(i % 50), (uint32_t)i);
			op[2 * i + 1] = probe_op(k, mix64((i * 7) % 60));
		}
		for (size_t i = 0; i < MAX_LOOKAHEAD; i++)
			op[1000 + i] = op[i];
		for (unsigned variant = 0; variant < 2 * (NR_CALLERS + 1); variant++) {
			unsigned caller = variant / 2;

			fixture_open(&f, spec, k, 4096, MATE);
			f.w->lookahead = variant & 1 ? 16 : 0;
			if (caller < NR_CALLERS)
				f.t->loops->run[k][caller](f.by_kind, f.w, op, 1000);
			else
				f.t->loops->run[LOOP_MIXED][CALLER_BRANCH](f.by_kind, f.w, op,
									   1000);
			assert_int_equal(f.w->n[k].stores, 500);
			assert_int_equal(f.w->n[k].probes, 500);
			assert_in_range(f.w->n[k].hits, 390, 430);
			if (!variant)
				first = f.w->n[k];
			assert_memory_equal(&f.w->n[k], &first, sizeof(first));
			fixture_close(&f);
		}
	}
}

/*
 * What a table tells the witness is what it did: before and after each operation the line is
 * looked at, and whatever changed must have been named; what a store says that it found
 * must have been there.
 */
struct slot {
	uint64_t sig, word[MAX_ENTRY_WORDS];
};

struct told {
	struct fixture f;
	struct audit audit;
	struct slot before[MAX_SLOTS];
	unsigned held;
	uint64_t asked; /* stamp */
};

/* The one line there is, slot by slot. */
static void copy_line(const struct table *t, struct slot *slot)
{
	memset(slot, 0, MAX_SLOTS * sizeof(*slot));
	for (unsigned s = 0; s < t->slots; s++)
		slot[s].sig = t->loops->shape->at_rest(t->kind, t->word, s, slot[s].word);
}

static void look_at_line(struct told *t, uint64_t key)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];

	copy_line(t->f.t, t->before);
	t->held = t->f.t->loops->find(t->f.t, t->f.w, key, word);
}

static unsigned slots_changed(const struct told *t)
{
	struct slot now[MAX_SLOTS];
	unsigned changed = 0;

	copy_line(t->f.t, now);
	for (unsigned s = 0; s < MAX_SLOTS; s++)
		if (memcmp(&now[s], &t->before[s], sizeof(now[s])))
			changed |= 1u << s;
	return changed;
}

/*
 * The operation that was told first since this was asked last, by way of another thread that
 * passes by. What comes behind it is the audit's, which now and then looks again.
 */
static struct witness_op next_told(struct told *t)
{
	struct witness *w = t->audit.witness[t->f.t->kind];
	struct witness_op op[WITNESS_MAX_OPS], next = { .start = UINT64_MAX };
	struct witness_op mine = { .victim = -1 };
	struct witness_mark m;
	struct history h;

	witness_begin(w, 1, 0, 0, &mine, &m);
	witness_end(&m, &mine);
	witness_history(&m, m.start, false, op, &h);
	for (unsigned i = 0; i < h.nr; i++)
		if (op[i].start > t->asked && op[i].start < next.start)
			next = op[i];
	t->asked = m.end;
	return next;
}

static void check_told(struct told *t, const struct trace_op *op)
{
	struct witness_op told;
	unsigned named;

	look_at_line(t, op->key);
	t->f.t->loops->audit[t->f.t->kind](t->f.by_kind, t->f.w, op, 1);
	told = next_told(t);
	named = told.refreshed | (told.victim >= 0 ? 1u << told.victim : 0) |
		(told.bump_to >= 0 ? 1u << told.bump_to : 0);
	assert_int_equal(slots_changed(t) & ~named, 0);
	if (!(op->op & 1)) {
		assert_int_equal(told.type, WITNESS_PROBE);
		assert_int_equal(told.refreshed & ~t->held, 0);
		return;
	}
	assert_int_equal(told.type, WITNESS_STORE);
	assert_int_equal(told.key, op->key);
	assert_int_equal(told.held, t->held);
	assert_true(told.victim >= 0 && told.victim < (int)t->f.t->slots);
	/* and there it is */
	look_at_line(t, op->key);
	assert_true(t->held >> told.victim & 1);
}

static void told_is_what_was_done(void **state)
{
	if (!class->lines)
		return;
	for_each_kind(k)
	{
		struct told t = { .audit = { .seed = 7, .sig_bits = 64, .threads = 1 } };
		uint64_t rng = 99;

		fixture_open(&t.f, spec, k, 1, MATE);
		assert_int_equal(t.f.t->lines, 1);
		t.audit.witness[k] = witness_create(1, 2);
		t.f.w->audit = &t.audit;
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t key = mix64(rng_below(&rng, 6));
			bool store = rng_below(&rng, 2);
			struct trace_op op = store ? store_op(k, key, (uint32_t)rng_next(&rng))
						   : probe_op(k, key);

			op.depth = (uint8_t)rng_below(&rng, 16);
			op.value = (int16_t)(rng_below(&rng, 400) - 200);
			if (store)
				op.flags = (uint8_t)((BOUND_UPPER + rng_below(&rng, 3))
						     << TRACE_BOUND_SHIFT);
			if (!rng_below(&rng, 20))
				table_new_generation(t.f.t);
			check_told(&t, &op);
		}
		witness_free(t.audit.witness[k]);
		fixture_close(&t.f);
	}
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
static void single_operations(void **state)
{
	struct fixture f, g;

	for_each_kind(k)
	{
		uint64_t own[100][MAX_ENTRY_WORDS], rng = 5, hits = 0;
		const struct table_ops *ops;
		struct table_answer a;

		fixture_open(&f, spec, k, 64, MATE);
		fixture_open(&g, spec, k, 64, MATE);
		ops = table_ops(g.t);
		assert_non_null(ops);
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
			assert_int_equal(a.hit, f.w->n[k].hits > hits);
			hits += a.hit;
			if (k == KIND_TT || !a.hit)
				assert_int_equal(summed(k, &a), sum);
			else
				assert_int_equal(a.word[0], own[nr][0] & ~table_bits(k));
			for (unsigned w = 1; k != KIND_TT && a.hit && w < entry_words(k); w++)
				assert_int_equal(a.word[w], own[nr][w]);
		}
		g.t->loops->offline(g.t, g.w);
		assert_true(hits > 100);
		assert_memory_equal(&f.w->n[k], &g.w->n[k], sizeof(struct counts));
		fixture_close(&f);
		fixture_close(&g);
	}
}

/* A table of size 0 has them too: all is a miss. */
static void single_operations_without_a_table(void **state)
{
	struct fixture f;

	for_each_kind(k)
	{
		struct trace_op store = store_op(k, 5, 1), probe = probe_op(k, 5);
		const uint64_t own[MAX_ENTRY_WORDS] = { 3 };
		struct table_answer a;

		fixture_open(&f, spec, k, 0, MATE);
		f.t->loops->online(f.t, f.w);
		table_ops(f.t)->prefetch(f.t, 5);
		table_ops(f.t)->store(f.t, f.w, &store, own);
		table_ops(f.t)->probe(f.t, f.w, &probe, &a);
		f.t->loops->offline(f.t, f.w);
		assert_false(a.hit);
		assert_int_equal(f.w->n[k].drops, 1);
		fixture_close(&f);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_finds_nothing),
		cmocka_unit_test(every_key_is_found_once_stored),
		cmocka_unit_test(clear_empties),
		cmocka_unit_test(clear_ops_empties),
		cmocka_unit_test(clear_live_empties),
		cmocka_unit_test(no_table_at_size_0),
		cmocka_unit_test(capacity),
		cmocka_unit_test(last_value_wins),
		cmocka_unit_test(generations_wrap),
		cmocka_unit_test(refresh_does_what_it_says),
		cmocka_unit_test(mates_count_from_the_node),
		cmocka_unit_test(loops_agree),
		cmocka_unit_test(told_is_what_was_done),
		cmocka_unit_test(single_operations),
		cmocka_unit_test(single_operations_without_a_table),
	};
	struct table_spec parsed;
	struct err e;

	spec = argv[1];
	if (argc != 2) {
		fprintf(stderr, "usage: test_table TABLE\n");
		return 1;
	}
	fixture_needs(spec);
	if (table_spec_parse(spec, &parsed, &e) || table_class_fault(parsed.class, &e)) {
		err_report(&e);
		return 1;
	}
	class = parsed.class;
	table_spec_free(&parsed);
	if (class->floor) {
		printf("skipped: %s stores nothing\n", spec);
		return 77;
	}
	if (class->control && class->control->threads == 1) {
		printf("skipped: what is broken in %s takes no race\n", spec);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
