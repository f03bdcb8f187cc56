// SPDX-License-Identifier: BSD-2-Clause
/* test_stats - medians, spreads and intervals against values worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats.h"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("%.17g is not %.17g", got, want);
}

static const double odd[] = { 7, 1, 5, 3, 100 };
static const double even[] = { 4, 1, 2, 3 };

static void test_order(void **state)
{
	assert_near(stats_min(odd, 5), 1);
	assert_near(stats_max(odd, 5), 100);
	assert_near(stats_median(odd, 5), 5);
	assert_near(stats_median(even, 4), 2.5);
	assert_near(stats_median(even, 1), 4);
	assert_near(odd[0], 7); /* left as it was */
}

static void test_quantiles(void **state)
{
	/* type 7: 1 + 0.25 * 3 = 1.75; 1 + 0.9 * 3 = 3.7; in odd 0.9 * 4 = 3.6: 7 + 0.6 * 93 */
	assert_near(stats_quantile(even, 4, 0), 1);
	assert_near(stats_quantile(even, 4, 0.25), 1.75);
	assert_near(stats_quantile(even, 4, 0.9), 3.7);
	assert_near(stats_quantile(even, 4, 1), 4);
	assert_near(stats_quantile(odd, 5, 0.9), 62.8);
}

static void test_mad(void **state)
{
	/* distances from 5: 2 4 0 2 95; from 2.5: 1.5 1.5 0.5 0.5 */
	assert_near(stats_mad(odd, 5), 2);
	assert_near(stats_mad(even, 4), 1);
}

/*
 * Five values, resampled: the median is the smallest only if three or more of five draws
 * are: 10/3125 * 16 + 5/3125 * 4 + 1/3125 = 181/3125 = 5.8 %, more than 2.5 %. So both ends
 * of the interval are the extremes themselves.
 */
static void test_interval_of_five(void **state)
{
	struct interval ci = stats_median_interval(odd, 5, 1);

	assert_near(ci.mid, 5);
	assert_near(ci.lo, 1);
	assert_near(ci.hi, 100);
}

static const double nine[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };

/*
 * Nine values 1..9: P(median <= k) = P(Bin(9, k/9) >= 5): k = 2: 2.6 %, k = 1: 0.1 %. The 2.5 %
 * point is 2, or 3 by the luck of the draw; never 1 or 4 (k = 3: 14.5 %). Likewise above.
 */
static void test_interval_of_nine(void **state)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct interval ci = stats_median_interval(nine, 9, seed);

		assert_near(ci.mid, 5);
		assert_true(ci.lo >= 2 && ci.lo <= 3);
		assert_true(ci.hi >= 7 && ci.hi <= 8);
	}
}

static void test_interval_is_repeatable(void **state)
{
	struct interval a = stats_median_interval(nine, 9, 42);
	struct interval b = stats_median_interval(nine, 9, 42);
	bool differs = false;

	assert_near(a.lo, b.lo);
	assert_near(a.hi, b.hi);
	for (uint64_t seed = 0; seed < 50 && !differs; seed++) {
		struct interval c = stats_median_interval(nine, 9, seed);

		differs = c.lo != a.lo || c.hi != a.hi;
	}
	assert_true(differs);
}

static void test_constant(void **state)
{
	static const double four[] = { 4, 4, 4, 4, 4 }, two[] = { 2, 2, 2, 2, 2, 2 };
	struct interval ci = stats_ratio_interval(four, 5, two, 6, 3);

	assert_near(ci.mid, 2);
	assert_near(ci.lo, 2);
	assert_near(ci.hi, 2);
}

/* Two sets of recorded runs: the first pair differs by some 3 %, the second shows nothing. */
static void test_ratio_of_known_runs(void **state)
{
	static const double a[] = { 7366232, 7262794, 7355431, 7318777 };
	static const double b[] = { 7541027, 7572720, 7550268, 7538925 };
	static const double c[] = { 19237932, 19050166, 19085315 };
	static const double d[] = { 19266346, 19207025, 19548758 };
	struct interval ab = stats_ratio_interval(b, 4, a, 4, 1);
	struct interval cd = stats_ratio_interval(d, 3, c, 3, 1);

	/* medians 7545647.5 and 7337104; 19266346 and 19085315 */
	assert_near(ab.mid, 7545647.5 / 7337104);
	assert_true(ab.lo > 1.02 && ab.hi < 1.045 && ab.lo < ab.mid && ab.mid < ab.hi);
	assert_near(cd.mid, 19266346.0 / 19085315);
	assert_true(cd.lo < 1 && cd.hi > 1.01);
}

static void test_ranges(void **state)
{
	static const double a[] = { 10, 12, 11 }, b[] = { 5, 4 };
	struct interval m = stats_median_range(a, 3), r = stats_ratio_range(a, 3, b, 2);

	assert_near(m.mid, 11);
	assert_near(m.lo, 10);
	assert_near(m.hi, 12);
	assert_near(r.mid, 11 / 4.5);
	assert_near(r.lo, 2);
	assert_near(r.hi, 3);
}

/* Of a few the range, of more the interval, which is narrower. */
static void test_spread(void **state)
{
	static const double a[] = { 10, 11, 12, 13, 14, 15, 16, 17, 40 };
	static const double one[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	assert_near(stats_median_spread(a + 5, 4, 1).hi, 40);
	assert_near(stats_ratio_spread(a, 9, one, 4, 1).hi, 40);
	assert_true(stats_median_spread(a, 9, 1).hi < 20);
	assert_true(stats_ratio_spread(a, 9, one, 9, 1).hi < 20);
}

/*
 * Newcombe (Statistics in Medicine 17, 1998), table I, method 3: 81/263, 15/148, 0/20 and
 * 1/29; and 10/10, whose lower end is 1 / (1 + z^2 / 10).
 */
static void test_wilson(void **state)
{
	static const struct {
		uint64_t k, n;
		double lo, hi;
	} known[] = {
		{ 81, 263, 0.2553, 0.3662 }, { 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 },	     { 1, 29, 0.0061, 0.1718 },
		{ 10, 10, 0.7225, 1 },	     { 97, 100, 0.9155, 0.9897 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct interval ci = stats_wilson(known[i].k, known[i].n);
		struct interval other = stats_wilson(known[i].n - known[i].k, known[i].n);

		assert_near(ci.mid, (double)known[i].k / (double)known[i].n);
		assert_true(fabs(ci.lo - known[i].lo) < 0.00005);
		assert_true(fabs(ci.hi - known[i].hi) < 0.00005);
		assert_near(other.lo, 1 - ci.hi);
		assert_near(other.hi, 1 - ci.lo);
	}
}

/* Hanley and Lippman-Hand (JAMA 249, 1983): 3 / n, and 1 - 0.05^(1/n) where n is small. */
static void test_excluded(void **state)
{
	static const uint64_t few[] = { 1, 2, 10, 133 };

	assert_near(stats_excluded(1), 0.95);
	for (size_t i = 0; i < ARRAY_SIZE(few); i++)
		assert_near(pow(1 - stats_excluded(few[i]), (double)few[i]), 0.05);
	assert_true(fabs(stats_excluded(1000000) * 1000000 - 2.9957) < 0.0001);
	assert_true(stats_excluded(UINT64_MAX) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_mad),
		cmocka_unit_test(test_interval_of_five),
		cmocka_unit_test(test_interval_of_nine),
		cmocka_unit_test(test_interval_is_repeatable),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_ratio_of_known_runs),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_wilson),
		cmocka_unit_test(test_excluded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
