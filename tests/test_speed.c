// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_speed - from the times of threads to seconds, overlap and speed; who counts as stopped
 * by a quota
 *
 * With times and counts written by hand: what a figure comes to is known to the last digit,
 * and no noise is in it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "quota.h"
#include "runner.h"

#define MAX_THREADS 4

static struct runner runner[MAX_THREADS];
static struct run run;

static void begin(unsigned threads)
{
	memset(runner, 0, sizeof(runner));
	memset(&run, 0, sizeof(run));
	run.runner = runner;
	run.threads = threads;
}

/* What a thread does in the epoch: `done` operations until its window ends, more until `end`. */
static void plays(unsigned i, uint64_t start, uint64_t window_end, uint64_t end, uint64_t done,
		  uint64_t more)
{
	struct runner *r = &runner[i];

	r->start = start;
	r->window_end = done ? window_end : UINT64_MAX;
	r->end = end;
	r->window_done = done;
	r->ops += done + more;
	if (done) {
		r->busy_ns += window_end - start;
		r->busy_ops += done;
	}
}

static struct run_result figures(void)
{
	struct run_result r;

	memset(&r, 0, sizeof(r));
	run_collect_times(&run, &r);
	return r;
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.12g, expected %.12g", got, want);
}

static void test_two_that_run_together(void **state)
{
	struct run_result r;

	begin(2);
	plays(0, 1000, 1001000, 1001000, 500000, 0);
	plays(1, 1000, 1001100, 2001000, 250025, 700);
	runner_add_epoch(&run);
	for (int epochs = 1; epochs <= 3; epochs++) {
		r = figures();
		assert_near(r.seconds, epochs * 1e-3);
		assert_near(r.replay_seconds, epochs * 2e-3);
		assert_near(r.overlap, 0.5);
		assert_int_equal(r.ops, epochs * 750725);
		/* 2 ns each by one, 4 by the other; the same however many epochs there were */
		assert_near(r.mops, 500000 / 1e3 + 250025 / 1000.1);
		assert_near(r.ns_per_op, (1000000 + 1000100) / 750025.0);
		plays(0, 5000, 1005000, 1005000, 500000, 0);
		plays(1, 5000, 1005100, 2005000, 250025, 700);
		runner_add_epoch(&run);
	}
}

/* Each for itself at 1000 Mops: 1000 in the time, and not 1000 a thread. */
static void test_two_that_take_turns(void **state)
{
	struct run_result r;

	begin(2);
	plays(0, 0, 1000, 1000, 1000, 0);
	plays(1, 1000, 1010, 2000, 10, 990);
	runner_add_epoch(&run);
	r = figures();
	assert_true(isnan(r.mops) && isnan(r.ns_per_op));
	assert_near(r.seconds, 1e-6);
	assert_true(r.overlap == 0);

	/* a third of the time is too little, two thirds are enough, and the rest is no gift */
	begin(2);
	plays(0, 0, 900, 900, 900, 0);
	plays(1, 600, 900, 900, 300, 0);
	runner_add_epoch(&run);
	assert_true(isnan(figures().mops));
	begin(2);
	plays(0, 0, 900, 900, 900, 0);
	plays(1, 300, 900, 900, 600, 0);
	runner_add_epoch(&run);
	assert_near(figures().mops, 1500 / 0.9);
}

static void test_epochs_of_one_thread_each(void **state)
{
	begin(2);
	for (unsigned i = 0; i < 2; i++) {
		plays(i, 0, 1000, 1000, 1000, 0);
		plays(!i, 0, 0, 10, 0, 0);
		runner_add_epoch(&run);
	}
	assert_near(figures().mops, 1000);
	assert_near(figures().ns_per_op, 1);
	assert_near(figures().overlap, 1);
}

static void test_nothing_to_do(void **state)
{
	struct run_result r;

	begin(1);
	plays(0, 10, 0, 20, 0, 0);
	runner_add_epoch(&run);
	r = figures();
	assert_true(isnan(r.mops) && r.seconds == 0 && r.overlap == 0 && r.ops == 0);
}

static void test_shares(void **state)
{
	begin(2);
	for (unsigned i = 0; i < 2; i++) {
		runner[i].wall_ns = 1000;
		runner[i].cpu_ns = 1000 - 400 * i;
		runner[i].preempted = 3;
		runner[i].pace.late = 5;
	}
	assert_near(figures().cpu_share, 0.8);
	assert_int_equal(figures().preempted, 6);
	assert_int_equal(figures().late, 10);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(path, 0755);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static uint64_t throttled(const char *dir, const char *self)
{
	char path[256];

	put(dir, "self", self);
	snprintf(path, sizeof(path), "%s/self", dir);
	return quota_throttled(path, dir);
}

static void test_quota(void **state)
{
	char dir[] = "/tmp/test_speed.XXXXXX", command[64];

	assert_non_null(mkdtemp(dir));
	/* a container sees its own group as the root */
	put(dir, "cpu.stat", "usage_usec 9\nnr_periods 7\nnr_throttled 5\nthrottled_usec 99\n");
	assert_int_equal(throttled(dir, "0::/\n"), 5);
	/* a group within groups: each may have a quota, or no such file */
	put(dir, "a/b/c/cpu.stat", "nr_periods 1\nnr_throttled 100\n");
	put(dir, "a/cpu.stat", "nr_throttled 20\n");
	assert_int_equal(throttled(dir, "0::/a/b/c\n"), 125);
	assert_int_equal(throttled(dir, "0::/a/b\n"), 25);
	assert_int_equal(throttled(dir, "0::/other\n"), 5);
	/* version 1: a hierarchy for each controller */
	put(dir, "cpu/x/cpu.stat", "nr_throttled 7\n");
	assert_int_equal(throttled(dir, "5:cpuset:/a\n4:cpu,cpuacct:/x\n1:name=systemd:/a\n"), 7);
	assert_int_equal(throttled(dir, "4:cpuacct:/x\nnonsense\n\n"), 0);
	assert_int_equal(quota_throttled("/nowhere/self", dir), 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_that_run_together),
		cmocka_unit_test(test_two_that_take_turns),
		cmocka_unit_test(test_epochs_of_one_thread_each),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_quota),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
