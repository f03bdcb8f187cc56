// SPDX-License-Identifier: BSD-2-Clause
/*
 * Words of 16 bytes: what is promised of them, and that the test would see it broken.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "atomic.h"
#include "cpu.h"
#include "util.h"

/* As many runs as a mix may take to show; one is enough as a rule. */
#define MAX_RUNS 400
#define OPS 100000u

struct shared {
	atomic_word pair[2] __attribute__((aligned(128)));
	_Atomic uint32_t stop __attribute__((aligned(128)));
	bool whole; /* written and read as one; else as two words */
};

/* The second word follows from the first. */
static struct word16 matching(uint64_t i)
{
	return (struct word16){ { i, mix64(i) } };
}

static struct word16 read_pair(const struct shared *s)
{
	if (s->whole)
		return load16(s->pair);
	return (struct word16){ { READ_ONCE64(&s->pair[0]), READ_ONCE64(&s->pair[1]) } };
}

static void write_pair(struct shared *s, struct word16 v)
{
	if (s->whole) {
		store16(s->pair, v);
		return;
	}
	WRITE_ONCE64(&s->pair[0], v.w[0]);
	WRITE_ONCE64(&s->pair[1], v.w[1]);
}

static void *write_on(void *arg)
{
	struct shared *s = arg;

	for (uint64_t i = 0; !READ_ONCE32(&s->stop); i++)
		write_pair(s, matching(i));
	return NULL;
}

/* One thread writes, this one reads: pairs that no store wrote, and how many it saw at all. */
static unsigned mixed(bool whole, unsigned *distinct)
{
	struct shared s = { .whole = whole };
	uint64_t last = 0;
	unsigned mixes = 0;
	pthread_t writer;

	write_pair(&s, matching(0));
	assert_int_equal(pthread_create(&writer, NULL, write_on, &s), 0);
	while (!read_pair(&s).w[0]) /* a thread may take longer to start than this one to read */
		sched_yield();
	for (unsigned i = 0; i < OPS; i++) {
		struct word16 v = read_pair(&s);

		mixes += v.w[1] != mix64(v.w[0]);
		*distinct += v.w[0] != last;
		last = v.w[0];
	}
	WRITE_ONCE32(&s.stop, 1);
	pthread_join(writer, NULL);
	return mixes;
}

static bool alone(void)
{
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1)
		return false;
	print_message("one CPU is allowed: nobody writes while another reads\n");
	return true;
}

static bool missing(const char *why)
{
	if (why)
		print_message("%s\n", why);
	return why;
}

static void a_pair_is_never_mixed(void **state)
{
	unsigned distinct = 0, runs = 0;

	if (missing(cpu_lacks_load16()) || alone())
		skip();
	/* at least so many runs, and until some were seen to change under the reader */
	for (; (runs < 10 || distinct < 1000) && runs < MAX_RUNS; runs++)
		assert_int_equal(mixed(true, &distinct), 0);
	assert_true(distinct >= 1000);
}

/* The negative control: two words on their own. */
static void two_words_are_mixed(void **state)
{
	unsigned distinct = 0, mixes = 0;

	if (alone())
		skip();
	for (unsigned runs = 0; !mixes && runs < MAX_RUNS; runs++)
		mixes = mixed(false, &distinct);
	assert_true(mixes > 0);
}

static void what_is_stored_is_loaded(void **state)
{
	atomic_word pair[6] __attribute__((aligned(16))) = { 1, 2, 3, 4, 5, 6 };
	struct word16 v;

	if (missing(cpu_lacks_load16()))
		skip();
	v = load16(pair + 2);
	assert_int_equal(v.w[0], 3);
	assert_int_equal(v.w[1], 4);
	store16(pair + 2, (struct word16){ { UINT64_MAX, 1ull << 63 } });
	assert_int_equal(READ_ONCE64(&pair[1]), 2);
	assert_int_equal(READ_ONCE64(&pair[2]), UINT64_MAX);
	assert_int_equal(READ_ONCE64(&pair[3]), 1ull << 63);
	assert_int_equal(READ_ONCE64(&pair[4]), 5);
}

/* Both words must be there, and then both are exchanged. */
static void swaps_compare_both_words(void **state)
{
	atomic_word pair[2] __attribute__((aligned(16))) = { 7, 8 };
	const struct word16 now = { { 7, 8 } }, new = { { 9, 10 } };
	const struct word16 wrong[] = { { { 7, 9 } }, { { 6, 8 } }, { { 8, 7 } } };

	if (missing(cpu_lacks_cmpxchg16()))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_false(cmpxchg16_relaxed(pair, wrong[i], new));
		assert_int_equal(READ_ONCE64(&pair[0]), 7);
		assert_int_equal(READ_ONCE64(&pair[1]), 8);
	}
	assert_true(cmpxchg16_relaxed(pair, now, new));
	assert_int_equal(READ_ONCE64(&pair[0]), 9);
	assert_int_equal(READ_ONCE64(&pair[1]), 10);
}

static void *count_on(void *arg)
{
	atomic_word *pair = arg;

	for (unsigned i = 0; i < OPS; i++) {
		struct word16 old, new;

		do {
			old = (struct word16){ { READ_ONCE64(&pair[0]),
						 READ_ONCE64(&pair[1]) } };
			new = (struct word16){ { old.w[0] + 1, old.w[1] + 3 } };
		} while (!cmpxchg16_relaxed(pair, old, new));
	}
	return NULL;
}

/* Two threads count by swaps, and none is lost. */
static void no_swap_is_lost(void **state)
{
	atomic_word pair[2] __attribute__((aligned(16))) = { 0, 0 };
	pthread_t other;

	if (missing(cpu_lacks_cmpxchg16()))
		skip();
	assert_int_equal(pthread_create(&other, NULL, count_on, pair), 0);
	count_on(pair);
	pthread_join(other, NULL);
	assert_int_equal(READ_ONCE64(&pair[0]), 2 * OPS);
	assert_int_equal(READ_ONCE64(&pair[1]), 6 * OPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_stored_is_loaded),
		cmocka_unit_test(swaps_compare_both_words),
		cmocka_unit_test(no_swap_is_lost),
		cmocka_unit_test(a_pair_is_never_mixed),
		cmocka_unit_test(two_words_are_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
