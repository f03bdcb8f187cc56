// SPDX-License-Identifier: BSD-2-Clause
/* test_torture - what a table is held to, by what it promises and on which keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "torture.h"
#include "torture_slice.h"

#define TEARS (1u << FAULT_TORN | 1u << FAULT_WRONG_KEY | 1u << FAULT_WRONG_ANSWER)
#define LOSSES                                                               \
	(1u << FAULT_FALSE_MISS | 1u << FAULT_STALE | 1u << FAULT_LOST |     \
	 1u << FAULT_UNUSABLE | 1u << FAULT_DUPLICATE | 1u << FAULT_GHOST |  \
	 1u << FAULT_DEAD_PAIR)
/* Of whatever promises anything. */
#define NONSENSE (1u << FAULT_CONTRADICTION)

static void check(uint32_t promises, unsigned sig_bits, bool built, unsigned never,
		  unsigned expected)
{
	struct table_class c = { .promises = promises };
	struct held h = torture_held(&c, sig_bits, built);

	assert_int_equal(h.never, never);
	assert_int_equal(h.expected, expected);
}

static void test_no_promise(void **state)
{
	check(0, 64, false, 0, 0);
	check(0, 64, true, 0, 0);
}

static void test_no_tear(void **state)
{
	check(PROMISE_NO_TEAR, 64, false, TEARS | NONSENSE, 0);
	check(PROMISE_NO_TEAR, 64, true, TEARS | NONSENSE, 0);
	check(PROMISE_NO_TEAR, 16, false, (TEARS & ~(1u << FAULT_WRONG_KEY)) | NONSENSE, 0);
}

static void test_honest_keys(void **state)
{
	check(PROMISE_NO_TEAR | PROMISE_HONEST_KEYS, 64, false, TEARS | NONSENSE, 0);
	check(PROMISE_NO_TEAR | PROMISE_HONEST_KEYS, 64, true, NONSENSE, TEARS);
	check(PROMISE_NO_TEAR | PROMISE_HONEST_KEYS | PROMISE_NO_FALSE_MISS, 64, true,
	      LOSSES | NONSENSE, TEARS);
}

static void test_no_false_miss(void **state)
{
	check(PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS, 64, false,
	      TEARS | LOSSES | NONSENSE, 0);
	assert_int_equal(TEARS | LOSSES | NONSENSE, (1u << NR_FAULTS) - 1);
}

static void test_faults_text(void **state)
{
	uint64_t fault[NR_FAULTS] = { [FAULT_TORN] = 3, [FAULT_LOST] = 1, [FAULT_STALE] = 0 };
	char *with, *without;

	assert_int_equal(faults_seen(fault), 1u << FAULT_TORN | 1u << FAULT_LOST);
	with = faults_text(fault, faults_seen(fault), true);
	without = faults_text(fault, faults_seen(fault), false);
	assert_string_equal(with, "3 torn_reads, 1 lost_stores");
	assert_string_equal(without, "torn_reads, lost_stores");
	free(with);
	free(without);
}

/* With so many workloads and numbers of threads: every value soon, every variant once. */
static void check_variants(unsigned workloads, unsigned nr_threads)
{
	const unsigned of[] = { 2, 4, nr_threads, 3, 2, 2, 4 };
	uint64_t all = torture_nr_variants(nr_threads), product = 1;
	bool *met = calloc(all, sizeof(*met));

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		product *= of[i];
	assert_int_equal(product, all);
	for (unsigned w = 0; w < workloads; w++) {
		unsigned seen[sizeof(of) / sizeof(of[0])] = { 0 };

		memset(met, 0, all * sizeof(*met));
		for (uint64_t turn = 0; turn < all; turn++) {
			struct variant v = torture_variant(w, workloads, turn, nr_threads);
			const unsigned digit[] = { v.witness, v.place, v.threads, v.size,
						   v.ends,    v.meet,  v.shake };
			uint64_t number = 0;

			for (size_t i = sizeof(of) / sizeof(of[0]); i-- > 0;) {
				assert_true(digit[i] < of[i]);
				number = number * of[i] + digit[i];
				if (turn < 12)
					seen[i] |= 1u << digit[i];
			}
			assert_false(met[number]);
			met[number] = true;
		}
		for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
			assert_int_equal(seen[i], (1u << of[i]) - 1);
	}
	free(met);
}

static void test_variants(void **state)
{
	static const unsigned workloads[] = { 4, 5, 6, 11, 13 };

	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		for (unsigned threads = 2; threads <= 4; threads++)
			check_variants(workloads[i], threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_promise),  cmocka_unit_test(test_no_tear),
		cmocka_unit_test(test_honest_keys), cmocka_unit_test(test_no_false_miss),
		cmocka_unit_test(test_faults_text), cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
