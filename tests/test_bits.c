// SPDX-License-Identifier: BSD-2-Clause
/*
 * Flip every bit of a stored entry, one at a time: under xor each flip must turn the hit
 * into a miss, in every kind (128 of 128 bits, for a pawn entry 512 of 512). The controls:
 * under unsync only flips of the key, or of what makes a slot empty, may miss; under
 * xor-half those of the half word that its signature leaves out must not.
 *
 * Where the check is of fewer bits than the data, it must see any change of up to three of
 * them; under cluster10 none is seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fixture.h"
#include "line.h"

/* How many flips of one bit of a stored entry turn its hit into a miss. */
static unsigned flips_that_miss(const char *spec, enum kind k, uint64_t key)
{
	struct trace_op store = store_op(k, key, 0x1234);
	unsigned misses = 0;
	struct fixture f;
	atomic_word *slot;

	fixture_open(&f, spec, k, 1, TT_MATE_DEFAULT);
	fixture_op(&f, &store);
	assert_true(fixture_find(&f, key));
	slot = f.t->word;
	for (unsigned bit = 0; bit < 64 * (1 + entry_words(k)); bit++) {
		uint64_t mask = 1ull << bit % 64;

		WRITE_ONCE64(&slot[bit / 64], READ_ONCE64(&slot[bit / 64]) ^ mask);
		misses += !fixture_find(&f, key);
		WRITE_ONCE64(&slot[bit / 64], READ_ONCE64(&slot[bit / 64]) ^ mask);
		assert_true(fixture_find(&f, key));
	}
	fixture_close(&f);
	return misses;
}

static void xor_misses_every_flip(void **state)
{
	for (enum kind k = 0; k < NR_KINDS; k++) {
		assert_int_equal(flips_that_miss("xor", k, 0), 64 * (1 + entry_words(k)));
		assert_int_equal(flips_that_miss("xor", k, 0x123456789abcdef0ull),
				 64 * (1 + entry_words(k)));
	}
}

static void unsync_does_not(void **state)
{
	/* 64 bits of the key; and one bit of the data: exact (tt), or taken (kv) */
	for (enum kind k = 0; k < NR_KINDS; k++)
		assert_int_equal(flips_that_miss("unsync", k, 0x123456789abcdef0ull), 65);
}

static void xor_half_lets_half_a_word_pass(void **state)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		assert_int_equal(flips_that_miss("xor-half", k, 0x123456789abcdef0ull),
				 64 * (1 + entry_words(k)) - 32);
}

/* Of all ways to flip up to three bits of its data, how many turn an entry's hit into a miss? */
static unsigned flips_of_data_that_miss(const char *spec, uint64_t key, uint32_t move,
					unsigned *tried)
{
	struct trace_op store = store_op(KIND_KV, key, move);
	unsigned misses = 0;
	struct fixture f;
	uint64_t word;

	fixture_open(&f, spec, KIND_KV, 1, TT_MATE_DEFAULT);
	fixture_op(&f, &store);
	word = READ_ONCE64(f.t->word);
	assert_int_equal((uint32_t)word, move); /* data come first, in the first slot */
	*tried = 0;
	/* The top bit says that the slot is taken: it is left alone. */
	for (unsigned a = 0; a < 63; a++) {
		for (unsigned b = a; b < 63; b++) {
			for (unsigned c = b; c < 63; c++) {
				uint64_t flipped = word ^ (1ull << a | 1ull << b | 1ull << c);

				WRITE_ONCE64(f.t->word, flipped);
				misses += !fixture_find(&f, key);
				++*tried;
			}
		}
	}
	fixture_close(&f);
	return misses;
}

static void xor32_misses_every_small_change(void **state)
{
	uint64_t rng = 5;
	unsigned tried;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t key = rng_next(&rng);
		unsigned misses =
			flips_of_data_that_miss("xor32", key, (uint32_t)rng_next(&rng), &tried);

		assert_int_equal(misses, tried);
	}
	assert_int_equal(tried, 63 * 64 * 65 / 6);
	assert_int_equal(flips_of_data_that_miss("cluster10", 7, 7, &tried), 0);
}

/* ... and of the signature, which stands behind the four data words. */
static void xor32_misses_every_flip_of_a_signature(void **state)
{
	const uint64_t key = 0x123456789abcdef0ull;
	struct trace_op store = store_op(KIND_TT, key, 0x1234);
	struct fixture f;
	_Atomic uint32_t *sig;

	fixture_open(&f, "xor32", KIND_TT, 1, TT_MATE_DEFAULT);
	fixture_op(&f, &store);
	assert_true(fixture_find(&f, key));
	sig = (_Atomic uint32_t *)(f.t->word + 4);
	for (unsigned bit = 0; bit < 32; bit++) {
		WRITE_ONCE32(sig, READ_ONCE32(sig) ^ 1u << bit);
		assert_false(fixture_find(&f, key));
		WRITE_ONCE32(sig, READ_ONCE32(sig) ^ 1u << bit);
		assert_true(fixture_find(&f, key));
	}
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xor_misses_every_flip),
		cmocka_unit_test(xor_half_lets_half_a_word_pass),
		cmocka_unit_test(unsync_does_not),
		cmocka_unit_test(xor32_misses_every_small_change),
		cmocka_unit_test(xor32_misses_every_flip_of_a_signature),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
