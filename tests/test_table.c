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
#include "contract.h"
#include "fixture.h"
#include "line.h"

#define MATE TT_MATE_DEFAULT

static const char *spec;
static const struct table_class *class;

#define for_each_kind(k)                         \
	for (enum kind k = 0; k < NR_KINDS; k++) \
		if (class->kinds & 1u << k)

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_is_what_was_done),
	};
	struct table_spec parsed;
	struct err e;
	int failed = 0;

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
	for (const struct contract_check *c = contract_checks; c->what; c++) {
		int broken = contract_check(c, spec, &e);

		printf("%s: %s\n", broken ? "FAILED" : "ok", broken ? e.text : c->what);
		failed += broken != 0;
	}
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
