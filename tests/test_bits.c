// SPDX-License-Identifier: BSD-2-Clause
/*
 * Flip every bit of a stored entry, one at a time: under xor each flip must turn the hit
 * into a miss, in every kind (128 of 128 bits, for a pawn entry 512 of 512). The controls:
 * under unsync only flips of the key, or of what makes a slot empty, may miss; under
 * xor-half those of the half word that its signature leaves out must not.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xor_misses_every_flip),
		cmocka_unit_test(xor_half_lets_half_a_word_pass),
		cmocka_unit_test(unsync_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
