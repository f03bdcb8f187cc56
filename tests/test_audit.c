// SPDX-License-Identifier: BSD-2-Clause
/* The audit's detectors, each made to fire on purpose, and to keep quiet beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "audit.h"
#include "fixture.h"
#include "line.h"
#include "template.h"

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

/* Whatever bit of an entry changes, but for the generation of a first word: it shows. */
static void stamp_covers_every_bit(void **state)
{
	uint64_t mine = stamp_auth(SEED, 5);

	for (unsigned nr = 1; nr <= MAX_ENTRY_WORDS; nr += MAX_ENTRY_WORDS - 1)
		for (unsigned wide = 0; wide < (nr == 1 ? 2u : 1u); wide++)
			for (unsigned bit = 0; bit < 64 * nr; bit++) {
				uint64_t word[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, -3) };
				bool free = !wide && TT_GENERATION_BITS >> bit % 64 & 1 &&
					    bit < 64;

				stamp_entry(word, nr, wide, mine, 0xabcde);
				word[bit / 64] ^= 1ull << bit % 64;
				assert_int_equal(stamp_authentic(word, nr, wide, mine), free);
			}
}

/* Halves of two stores of one key, whose serials agree in the bits that are there. */
static void stamp_shows_halves(void **state)
{
	uint64_t mine = stamp_auth(SEED, 5);
	uint64_t a[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };
	uint64_t b[MAX_ENTRY_WORDS] = { tt_pack(0, 9, TT_UPPER, -1) };
	uint64_t half;

	stamp_entry(a, 1, false, mine, 5);
	stamp_entry(b, 1, false, mine, 5 + STAMP_NARROW_SERIALS);
	half = (a[0] & 0xffffffff) | (b[0] & ~0xffffffffull);
	assert_false(stamp_authentic(&half, 1, false, mine));
}

/* Any word of a pawn entry from another store of the same key shows. */
static void stamp_shows_a_mix(void **state)
{
	uint64_t mine = stamp_auth(SEED, 5);

	for (unsigned torn = 0; torn < MAX_ENTRY_WORDS; torn++) {
		uint64_t a[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };
		uint64_t b[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_EXACT, 1) };

		stamp_entry(a, MAX_ENTRY_WORDS, false, mine, 1000);
		/* the first word alone cannot tell these two */
		stamp_entry(b, MAX_ENTRY_WORDS, false, mine, 1000 + STAMP_NARROW_SERIALS);
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

static unsigned finds_everything(struct table *t, struct worker *w, uint64_t key,
				 uint64_t word[][MAX_ENTRY_WORDS])
{
	word[0][0] = stamped(key, true);
	return 1;
}

static void exact_tells_missed_from_lost(void **state)
{
	struct table_loops lying;
	struct witness_mark mark = { 0 };
	struct scene s;
	struct exact *x;

	scene_open(&s, "unsync", KIND_KV, 64);
	x = s.audit.exact = exact_create(&s.audit.keys[KIND_KV]);
	exact_enter(x);
	WRITE_ONCE64(&s.f.t->word[0], scene_keys[0]);
	WRITE_ONCE64(&s.f.t->word[1], stamped(scene_keys[0], true));
	/* It is there: whoever missed it was told wrong. */
	exact_missed(s.f.w, s.f.t, scene_keys[0], NULL, &s.n);
	assert_int_equal(exact_false_misses(x), 1);
	assert_int_equal(exact_lost_stores(x), 0);
	assert_true(exact_admits(s.f.w, scene_keys[0]));
	/* It is not there: lost, once, and out of the count. */
	exact_missed(s.f.w, s.f.t, scene_keys[1], NULL, &s.n);
	exact_missed(s.f.w, s.f.t, scene_keys[1], NULL, &s.n);
	assert_int_equal(exact_false_misses(x), 1);
	assert_int_equal(exact_lost_stores(x), 1);
	assert_false(exact_admits(s.f.w, scene_keys[1]));
	assert_true(exact_admits(s.f.w, scene_keys[2]));
	/* It is there, but a store meanwhile had found it gone: no false miss, unless the judge
	 * says so. */
	assert_true(exact_admits(s.f.w, scene_keys[0]));
	exact_restored(s.f.w, scene_keys[0]);
	exact_missed(s.f.w, s.f.t, scene_keys[0], NULL, &s.n);
	assert_int_equal(exact_false_misses(x), 1);
	exact_missed(s.f.w, s.f.t, scene_keys[0], &mark, &s.n);
	assert_int_equal(exact_false_misses(x), 2);
	/* Before the probe began, it says nothing. */
	assert_true(exact_admits(s.f.w, scene_keys[0]));
	exact_missed(s.f.w, s.f.t, scene_keys[0], NULL, &s.n);
	assert_int_equal(exact_false_misses(x), 3);
	assert_int_equal(s.n.contradictions, 0);
	/* One look finds it and the other does not: neither is believed. */
	lying = *s.f.t->loops;
	lying.find = finds_everything;
	s.f.t->loops = &lying;
	assert_true(exact_admits(s.f.w, scene_keys[2]));
	exact_missed(s.f.w, s.f.t, scene_keys[2], NULL, &s.n);
	assert_int_equal(s.n.contradictions, 1);
	assert_int_equal(exact_false_misses(x), 3);
	assert_int_equal(exact_lost_stores(x), 1);
	exact_leave(x);
	exact_free(x);
	scene_close(&s);
}

/*
 * Two workers on one line, whose operations are told to the audit in the order the test
 * writes down; what the table really holds is written by hand.
 */
struct pair {
	struct scene s;
	struct worker *b; /* beside s.f.w */
	uint64_t key; /* of both */
};

static void pair_open(struct pair *p, enum kind k)
{
	memset(p, 0, sizeof(*p));
	scene_open(&p->s, "unsync", k, 64);
	p->s.audit.witness[k] = witness_create(1, 2);
	p->b = aligned_alloc(128, sizeof(*p->b));
	memset(p->b, 0, sizeof(*p->b));
	p->b->id = 1;
	p->b->audit = &p->s.audit;
	p->key = scene_keys[0];
}

static void pair_close(struct pair *p)
{
	free(p->s.f.w->lost);
	free(p->b->lost);
	free(p->b);
	witness_free(p->s.audit.witness[p->s.f.t->kind]);
	scene_close(&p->s);
}

static uint64_t word_of(const struct pair *p, uint32_t serial)
{
	uint64_t word[MAX_ENTRY_WORDS] = { tt_pack(0, 3, TT_EXACT, 0) };

	stamp_entry(word, 1, kind_is_wide(p->s.f.t->kind), stamp_auth(SEED, p->key), serial);
	return word[0];
}

static void put_entry(struct pair *p, unsigned slot, uint32_t serial)
{
	WRITE_ONCE64(&p->s.f.t->word[2 * slot], p->key);
	WRITE_ONCE64(&p->s.f.t->word[2 * slot + 1], word_of(p, serial));
}

static struct audited enter_key(struct pair *p, struct worker *w, enum witness_type type,
				uint64_t key)
{
	struct audited a;

	audit_enter(w, p->s.f.t, type, 0, key, &a);
	return a;
}

static struct audited enter(struct pair *p, struct worker *w, enum witness_type type)
{
	return enter_key(p, w, type, p->key);
}

static void stored(struct pair *p, struct worker *w, struct audited *a, unsigned slot,
		   uint32_t serial)
{
	a->op.victim = (int8_t)slot;
	a->op.serial = serial;
	audit_stored(w, p->s.f.t, a, &p->s.n);
}

static void refreshed(struct pair *p, struct audited *a, unsigned slot)
{
	a->op.refreshed = a->op.held = (uint8_t)(1u << slot);
	audit_probed(a, &p->s.n);
}

/* Around a probe of A that misses, B refreshes the key: it was there, and is. */
static void a_refresh_proves_a_false_miss(void **state)
{
	for (int there = 1; there >= 0; there--) {
		struct audited probe, refresh;
		struct pair p;

		pair_open(&p, KIND_TT);
		if (there)
			put_entry(&p, 2, 9);
		probe = enter(&p, p.s.f.w, WITNESS_PROBE);
		refresh = enter(&p, p.b, WITNESS_PROBE);
		refreshed(&p, &refresh, 2);
		audit_probed(&probe, &p.s.n);
		audit_missed(p.s.f.w, p.s.f.t, &probe, &p.s.n);
		assert_int_equal(p.s.n.contended_probes, 1);
		/* A refresh alone says that it was there; that it is no more is no excuse. */
		assert_int_equal(p.s.n.false_misses, 1);
		pair_close(&p);
	}
}

/* The same with a store that did not find the key: it may have come just then. */
static void a_new_store_proves_nothing(void **state)
{
	struct audited probe, store;
	struct pair p;

	pair_open(&p, KIND_TT);
	probe = enter(&p, p.s.f.w, WITNESS_PROBE);
	store = enter(&p, p.b, WITNESS_STORE);
	put_entry(&p, 2, 9);
	stored(&p, p.b, &store, 2, 9);
	audit_probed(&probe, &p.s.n);
	audit_missed(p.s.f.w, p.s.f.t, &probe, &p.s.n);
	assert_int_equal(p.s.n.false_misses, 0);
	assert_int_equal(p.s.n.possible, 1);
	/* Nobody around, and it is there: what was stored last is looked for. */
	probe = enter(&p, p.s.f.w, WITNESS_PROBE);
	audit_probed(&probe, &p.s.n);
	audit_missed(p.s.f.w, p.s.f.t, &probe, &p.s.n);
	assert_int_equal(p.s.n.false_misses, 1);
	assert_int_equal(p.s.n.possible, 1);
	assert_int_equal(p.s.n.contradictions, 0);
	pair_close(&p);
}

/* A line at rest is looked at again now and then, whatever is known of it. */
static void quiet_misses_are_sampled(void **state)
{
	for (int there = 0; there < 2; there++) {
		struct pair p;

		pair_open(&p, KIND_TT);
		if (there)
			put_entry(&p, 2, 9);
		for (unsigned i = 0; i < 1000; i++) {
			struct audited probe = enter(&p, p.s.f.w, WITNESS_PROBE);

			audit_probed(&probe, &p.s.n);
			audit_missed(p.s.f.w, p.s.f.t, &probe, &p.s.n);
		}
		/* 62.5 expected, if it is there */
		assert_in_range(p.s.n.false_misses, there ? 20 : 0, there ? 200 : 0);
		assert_int_equal(p.s.n.possible, 0);
		pair_close(&p);
	}
}

/* Two stores of the key met and left neither's words: every miss says so. Where another key
 * was stored since, nothing follows; where one store was alone, that is lost, once. */
static void a_key_gone_is_a_dead_pair_or_a_lost_store(void **state)
{
	for (unsigned how = 0; how < 3; how++) {
		struct audited first, second;
		struct pair p;

		pair_open(&p, KIND_TT);
		first = enter(&p, p.s.f.w, WITNESS_STORE);
		if (how)
			stored(&p, p.s.f.w, &first, 0, 7);
		second = enter_key(&p, p.b, WITNESS_STORE, how == 1 ? scene_keys[1] : p.key);
		if (!how)
			stored(&p, p.s.f.w, &first, 0, 7);
		if (how < 2)
			stored(&p, p.b, &second, how ? 1 : 0, 8);
		else
			audit_again(p.b, p.s.f.t, &second, -1, &p.s.n); /* wrote nothing */
		memset(&p.s.n, 0, sizeof(p.s.n));
		for (unsigned i = 0; i < 2; i++) {
			struct audited probe = enter(&p, p.s.f.w, WITNESS_PROBE);

			audit_probed(&probe, &p.s.n);
			audit_missed(p.s.f.w, p.s.f.t, &probe, &p.s.n);
		}
		assert_int_equal(p.s.n.dead_pairs, how == 0 ? 2 : 0);
		assert_int_equal(p.s.n.lost, 0);
		assert_int_equal(p.s.n.false_misses, 0);
		pair_close(&p);
	}
}

/* A store with nobody around that is not there: the next who misses the key finds that out,
 * whether or not the store itself was looked for. */
static void a_quiet_loss_is_found(void **state)
{
	struct audited store, probe;
	struct pair p;

	for (unsigned i = 0; i < 50; i++) {
		pair_open(&p, KIND_TT);
		p.s.f.w->jitter = i;
		store = enter(&p, p.s.f.w, WITNESS_STORE);
		stored(&p, p.s.f.w, &store, 0, 9);
		for (unsigned j = 0; j < 2; j++) {
			probe = enter(&p, p.b, WITNESS_PROBE);
			audit_probed(&probe, &p.s.n);
			audit_missed(p.b, p.s.f.t, &probe, &p.s.n);
		}
		assert_int_equal(p.s.n.lost, 1);
		pair_close(&p);
	}
}

/* An entry that another key's store or a clear had overwritten is returned. */
static void an_overwritten_entry_is_a_ghost(void **state)
{
	for (unsigned clear = 0; clear < 2; clear++) {
		uint64_t old[MAX_ENTRY_WORDS];
		struct audited a;
		struct pair p;

		pair_open(&p, KIND_TT);
		a = enter(&p, p.s.f.w, WITNESS_STORE);
		stored(&p, p.s.f.w, &a, 0, 7);
		old[0] = word_of(&p, 7);
		a = enter(&p, p.b, WITNESS_PROBE);
		audit_probed(&a, &p.s.n);
		audit_hit(p.b, p.s.f.t, &a, 0, old, &p.s.n);
		assert_int_equal(p.s.n.ghosts, 0);
		a = enter_key(&p, p.s.f.w, clear ? WITNESS_CLEAR : WITNESS_STORE,
			      scene_keys[1]);
		if (clear)
			audit_cleared(&a);
		else
			stored(&p, p.s.f.w, &a, 0, 8);
		a = enter(&p, p.b, WITNESS_PROBE);
		audit_probed(&a, &p.s.n);
		audit_hit(p.b, p.s.f.t, &a, 0, old, &p.s.n);
		assert_int_equal(p.s.n.ghosts, 1);
		assert_int_equal(p.s.n.stale + p.s.n.torn, 0);
		pair_close(&p);
	}
}

/* What was stored before a clear at which all met is nobody's entry after it. */
static void what_outlives_a_clear_is_a_ghost(void **state)
{
	uint64_t word[MAX_ENTRY_WORDS];
	struct rest_faults r;
	struct scene s;

	scene_open(&s, "unsync", KIND_KV, 64);
	word[0] = stamped(scene_keys[0], true);
	WRITE_ONCE64(&s.f.t->word[0], scene_keys[0]);
	WRITE_ONCE64(&s.f.t->word[1], word[0]);
	assert_true(audit_check(s.f.w, s.f.t, scene_keys[0], word, &s.n));
	s.f.w->epoch++;
	assert_false(audit_check(s.f.w, s.f.t, scene_keys[0], word, &s.n));
	assert_true(s.n.ghosts == 1 && s.n.torn == 0);
	audit_rest(&s.audit, s.f.t, &s.f.w, 1, &r);
	assert_int_equal(r.unusable_slots, 1);
	scene_close(&s);
}

/* The answer must be what the entries say, and there must be some if it is a hit. */
static void an_answer_follows_from_its_entries(void **state)
{
	static const enum kind kinds[] = { KIND_TT, KIND_PAWN, KIND_EVAL, KIND_KV };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint64_t word[MAX_ENTRY_WORDS] = { tt_pack(0, 7, TT_LOWER, 30) };
		struct trace_op op = { .key = scene_keys[0], .depth = 5, .beta = 20 };
		struct answer a = { .hit = true };
		struct audited probe;
		struct pair p;

		pair_open(&p, kinds[i]);
		stamp_entry(word, audit_words(kinds[i]), kind_is_wide(kinds[i]),
			    stamp_auth(SEED, p.key), 7);
		/* move, value and bound; the sum of the words */
		if (kinds[i] == KIND_TT)
			a.word = tt_move(word[0]) + 30 + TT_LOWER;
		else
			for (unsigned j = 0; j < audit_words(kinds[i]); j++)
				a.word += word[j];
		for (unsigned wrong = 0; wrong < 4; wrong++) {
			struct answer told = { a.hit ^ (wrong == 1), a.word + (wrong == 2) };

			probe = enter(&p, p.s.f.w, WITNESS_PROBE);
			audit_probed(&probe, &p.s.n);
			if (wrong != 3)
				audit_hit(p.s.f.w, p.s.f.t, &probe, 0, word, &p.s.n);
			assert_int_equal(answer_follows(p.s.f.t, p.s.f.w, &op, told), !wrong);
		}
		assert_int_equal(p.s.n.torn, 0);
		pair_close(&p);
	}
}

/* A store that a refresh ran into: it is looked for, and is there or is not. */
static void a_store_gone_is_lost(void **state)
{
	for (int gone = 0; gone < 2; gone++) {
		struct audited store, refresh;
		struct rest_faults rest;
		struct worker *both[2];
		struct pair p;

		pair_open(&p, KIND_TT);
		both[0] = p.s.f.w;
		both[1] = p.b;
		store = enter(&p, p.s.f.w, WITNESS_STORE);
		refresh = enter(&p, p.b, WITNESS_PROBE);
		refreshed(&p, &refresh, 0);
		put_entry(&p, 0, gone ? 8 : 9);
		stored(&p, p.s.f.w, &store, 0, 9);
		assert_int_equal(p.s.n.contended_stores, 1);
		assert_int_equal(p.s.n.lost, gone);
		/* The walk at rest finds it missing too, and counts it once. */
		audit_rest(&p.s.audit, p.s.f.t, both, 2, &rest);
		assert_int_equal(rest.lost_stores, 0);
		p.s.f.w->nr_lost = 0;
		audit_rest(&p.s.audit, p.s.f.t, both, 2, &rest);
		assert_int_equal(rest.lost_stores, gone);
		pair_close(&p);
	}
}

/* A store that had to begin again is looked for by what it stores. */
static void a_store_that_begins_again_is_the_same(void **state)
{
	for (int gone = 0; gone < 2; gone++) {
		struct audited store, refresh;
		struct pair p;

		pair_open(&p, KIND_KV);
		store = enter(&p, p.s.f.w, WITNESS_STORE);
		store.op.serial = 9;
		audit_again(p.s.f.w, p.s.f.t, &store, -1, &p.s.n);
		refresh = enter(&p, p.b, WITNESS_PROBE);
		refreshed(&p, &refresh, 0);
		put_entry(&p, 0, gone ? 8 : 9);
		store.op.victim = 0;
		audit_stored(p.s.f.w, p.s.f.t, &store, &p.s.n);
		assert_int_equal(p.s.n.contended_stores, 1);
		assert_int_equal(p.s.n.lost, gone);
		pair_close(&p);
	}
}

/* The entry of an older store comes back, though a newer one went to the slot since. */
static void an_older_entry_is_stale(void **state)
{
	static const enum kind kinds[] = { KIND_TT, KIND_KV, KIND_EVAL };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct audited first, second, probe;
		uint64_t old[MAX_ENTRY_WORDS], new[MAX_ENTRY_WORDS];
		struct pair p;

		pair_open(&p, kinds[i]);
		first = enter(&p, p.s.f.w, WITNESS_STORE);
		stored(&p, p.s.f.w, &first, 0, 7);
		second = enter(&p, p.b, WITNESS_STORE);
		stored(&p, p.b, &second, 0, 8);
		old[0] = word_of(&p, 7);
		new[0] = word_of(&p, 8);
		probe = enter(&p, p.s.f.w, WITNESS_PROBE);
		audit_probed(&probe, &p.s.n);
		audit_hit(p.s.f.w, p.s.f.t, &probe, 0, new, &p.s.n);
		assert_int_equal(p.s.n.stale, 0);
		audit_hit(p.s.f.w, p.s.f.t, &probe, 0, old, &p.s.n);
		assert_int_equal(p.s.n.stale, 1);
		assert_int_equal(p.s.n.torn, 0);
		/* tt: in another slot an older entry is by design. */
		audit_hit(p.s.f.w, p.s.f.t, &probe, 1, old, &p.s.n);
		assert_int_equal(p.s.n.stale, kinds[i] == KIND_TT ? 1 : 2);
		pair_close(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamp_knows_its_key),
		cmocka_unit_test(stamp_covers_every_bit),
		cmocka_unit_test(stamp_shows_halves),
		cmocka_unit_test(stamp_shows_a_mix),
		cmocka_unit_test(stamp_shows_a_swap),
		cmocka_unit_test(undetected_is_what_is_printed),
		cmocka_unit_test(torn_or_wrong_key),
		cmocka_unit_test(rest_faults_show),
		cmocka_unit_test(exact_tells_missed_from_lost),
		cmocka_unit_test(a_refresh_proves_a_false_miss),
		cmocka_unit_test(a_new_store_proves_nothing),
		cmocka_unit_test(quiet_misses_are_sampled),
		cmocka_unit_test(a_store_gone_is_lost),
		cmocka_unit_test(a_key_gone_is_a_dead_pair_or_a_lost_store),
		cmocka_unit_test(a_quiet_loss_is_found),
		cmocka_unit_test(an_overwritten_entry_is_a_ghost),
		cmocka_unit_test(what_outlives_a_clear_is_a_ghost),
		cmocka_unit_test(an_answer_follows_from_its_entries),
		cmocka_unit_test(a_store_that_begins_again_is_the_same),
		cmocka_unit_test(an_older_entry_is_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
