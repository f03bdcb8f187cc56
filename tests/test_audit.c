// SPDX-License-Identifier: BSD-2-Clause
/* The audit's detectors, each made to fire on purpose, and to keep quiet beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "audit.h"
#include "fixture.h"
#include "line.h"

#define SEED 99

static void stamp_knows_its_key(void **state)
{
	for (unsigned nr = 1; nr <= MAX_ENTRY_WORDS; nr += MAX_ENTRY_WORDS - 1) {
		for (unsigned wide = 0; wide < (nr == 1 ? 2u : 1u); wide++) {
			uint64_t word[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, -3) };
			uint64_t mine = stamp_auth(SEED, 5), foreign = stamp_auth(SEED, 6);

			stamp_entry(word, nr, wide, mine, 0xabcde);
			assert_true(stamp_authentic(word, nr, wide, mine));
			assert_false(stamp_authentic(word, nr, wide, foreign));
			assert_int_equal(wide ? 7 : tt_depth(word[0]), 7);
			if (!wide) /* a refresh is no tear */
				word[0] = tt_refreshed(word[0], 11);
			assert_true(stamp_authentic(word, nr, wide, mine));
		}
	}
}

/* Any word of a pawn entry from another store of the same key shows. */
static void stamp_shows_a_mix(void **state)
{
	uint64_t mine = stamp_auth(SEED, 5);

	for (unsigned torn = 0; torn < MAX_ENTRY_WORDS; torn++) {
		uint64_t a[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };
		uint64_t b[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };

		stamp_entry(a, MAX_ENTRY_WORDS, false, mine, 1000);
		stamp_entry(b, MAX_ENTRY_WORDS, false, mine, 1001);
		a[torn] = b[torn];
		assert_false(stamp_authentic(a, MAX_ENTRY_WORDS, false, mine));
	}
}

/* Words must also stand where they were written. */
static void stamp_shows_a_swap(void **state)
{
	uint64_t mine = stamp_auth(SEED, 5), swap;
	uint64_t a[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };

	stamp_entry(a, MAX_ENTRY_WORDS, false, mine, 1000);
	swap = a[2];
	a[2] = a[3];
	a[3] = swap;
	assert_false(stamp_authentic(a, MAX_ENTRY_WORDS, false, mine));
}

/* A narrow check is passed by foreign words as often as 2^-20 says. */
static void undetected_is_what_is_printed(void **state)
{
	unsigned passed = 0, tries = 1u << 23;

	for (uint64_t i = 0; i < tries; i++) {
		uint64_t word[MAX_ENTRY_WORDS] = { 0 };

		stamp_entry(word, 1, false, stamp_auth(SEED, 2 * i), (uint32_t)i);
		passed += stamp_authentic(word, 1, false, stamp_auth(SEED, 2 * i + 1));
	}
	assert_in_range(passed, 1, 24); /* 8 expected; outside once in a million */
	assert_true(audit_undetected(KIND_TT) == 1.0 / (1u << 20));
	assert_true(audit_undetected(KIND_KV) == 1.0 / (1u << 27));
}

/* A table of one line with three keys of the run, and the audit that knows them. */
struct scene {
	struct fixture f;
	struct audit audit;
	struct counts n;
};

static const uint64_t scene_keys[] = { 0x10001, 0x20001, 0x30002 };

static void scene_open(struct scene *s, const char *spec, enum kind k, unsigned sig_bits)
{
	uint64_t *keys = xcalloc(ARRAY_SIZE(scene_keys), sizeof(*keys));

	memset(s, 0, sizeof(*s));
	fixture_open(&s->f, spec, k, 4, TT_MATE_DEFAULT);
	memcpy(keys, scene_keys, sizeof(scene_keys));
	s->audit.seed = SEED;
	s->audit.sig_bits = sig_bits;
	key_set_make(&s->audit.keys[k], keys, ARRAY_SIZE(scene_keys));
	s->f.w->audit = &s->audit;
}

static void scene_close(struct scene *s)
{
	free(s->audit.keys[s->f.t->kind].key);
	fixture_close(&s->f);
}

static uint64_t stamped(uint64_t key, bool wide)
{
	uint64_t word[MAX_ENTRY_WORDS] = { tt_pack(0, 3, TT_EXACT, 0) };

	stamp_entry(word, 1, wide, stamp_auth(SEED, key), 7);
	return word[0];
}

static void check(struct scene *s, uint64_t key, uint64_t word)
{
	uint64_t entry[MAX_ENTRY_WORDS] = { word };

	audit_check(s->f.w, s->f.t, key, entry, &s->n);
}

static void torn_or_wrong_key(void **state)
{
	struct scene s;

	/* 16-bit signatures: the first two keys are the same to a probe. */
	scene_open(&s, "unsync", KIND_TT, 16);
	check(&s, scene_keys[0], stamped(scene_keys[0], false));
	assert_true(s.n.torn == 0 && s.n.wrong_key == 0);
	check(&s, scene_keys[0], stamped(scene_keys[1], false));
	assert_true(s.n.torn == 0 && s.n.wrong_key == 1);
	check(&s, scene_keys[0], stamped(scene_keys[2], false)); /* another signature */
	assert_true(s.n.torn == 1 && s.n.wrong_key == 1);
	check(&s, scene_keys[0], stamped(0x40001, false)); /* nobody stored that key */
	assert_true(s.n.torn == 2 && s.n.wrong_key == 1);
	scene_close(&s);
	/* Whole keys: no other entry can pass for this one. */
	scene_open(&s, "unsync", KIND_TT, 64);
	check(&s, scene_keys[0], stamped(scene_keys[1], false));
	assert_true(s.n.torn == 1 && s.n.wrong_key == 0);
	scene_close(&s);
}

static void rest_faults_show(void **state)
{
	static const char *const specs[] = { "unsync", "xor" };
	struct rest_faults r;
	struct scene s;

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		atomic_word *slot;
		uint64_t fold, first = stamped(scene_keys[0], true);

		scene_open(&s, specs[i], KIND_KV, 64);
		slot = s.f.t->word;
		fold = i ? first : 0;
		WRITE_ONCE64(&slot[0], scene_keys[0] ^ fold);
		WRITE_ONCE64(&slot[1], first);
		audit_rest(&s.audit, s.f.t, &s.f.w, 1, &r);
		assert_true(r.unusable_slots == 0 && r.duplicate_keys == 0);
		assert_true(r.slots == 1 && r.distinct == 1);
		/* The same entry once more. */
		WRITE_ONCE64(&slot[4], scene_keys[0] ^ fold);
		WRITE_ONCE64(&slot[5], first);
		audit_rest(&s.audit, s.f.t, &s.f.w, 1, &r);
		assert_true(r.unusable_slots == 0 && r.duplicate_keys == 1);
		/* Its signature over another key's data: a dead pair. */
		WRITE_ONCE64(&slot[5], stamped(scene_keys[1], true));
		audit_rest(&s.audit, s.f.t, &s.f.w, 1, &r);
		assert_true(r.unusable_slots == 1 && r.duplicate_keys == 0);
		scene_close(&s);
	}
}

static void exact_tells_missed_from_lost(void **state)
{
	struct scene s;
	struct exact *x;

	scene_open(&s, "unsync", KIND_KV, 64);
	x = s.audit.exact = exact_create(&s.audit.keys[KIND_KV]);
	exact_enter(x);
	WRITE_ONCE64(&s.f.t->word[0], scene_keys[0]);
	WRITE_ONCE64(&s.f.t->word[1], stamped(scene_keys[0], true));
	/* It is there: whoever missed it was told wrong. */
	exact_missed(s.f.w, s.f.t, scene_keys[0], false);
	assert_int_equal(exact_false_misses(x), 1);
	assert_int_equal(exact_lost_stores(x), 0);
	assert_true(exact_admits(s.f.w, scene_keys[0]));
	/* It is not there: lost, once, and out of the count. */
	exact_missed(s.f.w, s.f.t, scene_keys[1], false);
	exact_missed(s.f.w, s.f.t, scene_keys[1], false);
	assert_int_equal(exact_false_misses(x), 1);
	assert_int_equal(exact_lost_stores(x), 1);
	assert_false(exact_admits(s.f.w, scene_keys[1]));
	assert_true(exact_admits(s.f.w, scene_keys[2]));
	exact_leave(x);
	exact_free(x);
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamp_knows_its_key),
		cmocka_unit_test(stamp_shows_a_mix),
		cmocka_unit_test(stamp_shows_a_swap),
		cmocka_unit_test(undetected_is_what_is_printed),
		cmocka_unit_test(torn_or_wrong_key),
		cmocka_unit_test(rest_faults_show),
		cmocka_unit_test(exact_tells_missed_from_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
