// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_topo - placements on machines we do not have, binding on the one we have
 *
 * The orders expected here were worked out by hand from the shape of the machine.
 * The XML files stand in the directory given as the only argument. They hold no comments:
 * the parser that hwloc has without its plugins knows none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <hwloc.h>

#include "topo.h"

#define MACHINE_128 "pack:2 numa:2 l3:2 core:8 pu:2"
#define LAPS 2000

static const char *xml_dir;

static struct topo *open_real(void)
{
	struct topo *t;
	struct err e;

	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	if (topo_open(&t, &e))
		fail_msg("%s", e.text);
	return t;
}

static struct topo *open_synthetic(const char *description)
{
	struct topo *t;
	struct err e;

	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", description, 1);
	if (topo_open(&t, &e))
		fail_msg("%s", e.text);
	unsetenv("HWLOC_SYNTHETIC");
	return t;
}

static struct topo *open_xml(const char *name)
{
	char *path = xasprintf("%s/%s", xml_dir, name);
	struct topo *t;
	struct err e;

	unsetenv("HWLOC_SYNTHETIC");
	setenv("HWLOC_XMLFILE", path, 1);
	if (topo_open(&t, &e))
		fail_msg("%s", e.text);
	unsetenv("HWLOC_XMLFILE");
	free(path);
	return t;
}

static void expect_order(const struct topo *t, const char *how, unsigned threads,
			 const char *expected)
{
	struct placement p;
	struct err e;
	char *s;

	if (topo_place(t, how, threads, false, &p, &e))
		fail_msg("%s", e.text);
	s = placement_str(&p);
	assert_string_equal(s, expected);
	assert_false(p.oversubscribed);
	free(s);
	placement_free(&p);
}

static void expect_error(const struct topo *t, const char *how, unsigned threads,
			 bool oversubscribe, const char *expected)
{
	struct placement p;
	struct err e;

	assert_int_equal(topo_place(t, how, threads, oversubscribe, &p, &e), -1);
	assert_string_equal(e.text, expected);
}

/* Every placement of every allowed CPU must name each of them exactly once. */
static void expect_distinct(const struct topo *t, unsigned nr)
{
	static const char *const hows[] = { "core", "compact", "spread" };
	struct placement p;
	struct err e;

	for (size_t h = 0; h < ARRAY_SIZE(hows); h++) {
		hwloc_bitmap_t seen = hwloc_bitmap_alloc();

		assert_int_equal(topo_place(t, hows[h], 0, false, &p, &e), 0);
		assert_int_equal(p.nr, nr);
		for (unsigned i = 0; i < p.nr; i++)
			hwloc_bitmap_set(seen, p.cpu[i]);
		assert_int_equal(hwloc_bitmap_weight(seen), nr);
		hwloc_bitmap_free(seen);
		placement_free(&p);
	}
}

static void test_128_pus(void **state)
{
	struct topo *t = open_synthetic(MACHINE_128);

	assert_false(topo_is_this_system(t));
	assert_int_equal(topo_nr_allowed(t), 128);
	assert_int_equal(topo_nr_cores(t), 64);
	expect_distinct(t, 128);
	expect_order(t, "core", 10, "0,2,4,6,8,10,12,14,16,18");
	expect_order(t, "compact", 10, "0,1,2,3,4,5,6,7,8,9");
	/* packages of 64, nodes of 32, L3s of 16: one of each in turn, then its next core */
	expect_order(t, "spread", 10, "0,64,32,96,16,80,48,112,2,66");
	expect_order(t, "list:127,0,64-66", 4, "127,0,64,65");
	topo_close(t);
}

static void test_siblings_last(void **state)
{
	struct topo *t = open_synthetic(MACHINE_128);
	static const char *const hows[] = { "core", "spread" };
	struct placement p;
	struct err e;

	for (size_t h = 0; h < ARRAY_SIZE(hows); h++) {
		assert_int_equal(topo_place(t, hows[h], 128, false, &p, &e), 0);
		for (unsigned i = 0; i < 128; i++)
			assert_int_equal(p.cpu[i] % 2, i >= 64);
		placement_free(&p);
	}
	topo_close(t);
}

static void test_1100_pus(void **state)
{
	struct topo *t = open_synthetic("pack:2 core:275 pu:2");

	assert_int_equal(topo_nr_allowed(t), 1100);
	assert_int_equal(topo_nr_cores(t), 550);
	expect_distinct(t, 1100);
	expect_order(t, "spread", 4, "0,550,2,552");
	expect_order(t, "list:1099,1024", 2, "1099,1024");
	expect_error(
		t, "core", 1101, false,
		"--threads 1101: only 1100 CPUs are allowed (0-1099); use fewer threads or "
		"--oversubscribe");
	topo_close(t);
}

/* Neither packages nor cores nor L3 caches: each CPU counts as a core. */
static void test_bare(void **state)
{
	struct topo *t = open_synthetic("pu:4");

	assert_int_equal(topo_nr_allowed(t), 4);
	assert_int_equal(topo_nr_cores(t), 4);
	expect_order(t, "core", 4, "0,1,2,3");
	expect_order(t, "compact", 4, "0,1,2,3");
	expect_order(t, "spread", 4, "0,1,2,3");
	topo_close(t);
}

/* Slow cores 0-3 and 14, fast ones 8+9 and 10+11; 14 has no L3. */
static void test_hybrid(void **state)
{
#if HWLOC_API_VERSION >= 0x00020400
	struct topo *t = open_xml("hybrid.xml");

	assert_int_equal(topo_nr_allowed(t), 9);
	assert_int_equal(topo_nr_cores(t), 7);
	expect_distinct(t, 9);
	expect_order(t, "core", 9, "8,10,0,1,2,3,14,9,11");
	expect_order(t, "spread", 9, "8,10,0,14,1,2,3,9,11");
	expect_order(t, "compact", 9, "0,1,2,3,8,9,10,11,14");
	expect_error(t, "list:4", 1, false,
		     "--placement list:4: CPU 4 is not allowed (allowed: 0-3,8-11,14)");
	topo_close(t);
#else
	print_message("hwloc before 2.4 knows no kinds of cores\n");
	skip();
#endif
}

/* Cores 0+1, 2+3, 4+5, 6+7, of which 0, 1, 3, 6, 7 are ours. */
static void test_partial(void **state)
{
	struct topo *t = open_xml("partial.xml");

	assert_int_equal(topo_nr_allowed(t), 5);
	assert_int_equal(topo_nr_cores(t), 3);
	expect_order(t, "core", 5, "0,3,6,1,7");
	expect_order(t, "spread", 5, "0,3,6,1,7");
	expect_order(t, "compact", 5, "0,1,3,6,7");
	expect_error(t, "list:0-3", 1, false,
		     "--placement list:0-3: CPU 2 is not allowed (allowed: 0-1,3,6-7)");
	topo_close(t);
}

/* Package 0 has cores 0, 1 in one node, package 1 cores 4, 5 in a node each. */
static void test_uneven(void **state)
{
	struct topo *t = open_xml("uneven.xml");

	expect_order(t, "spread", 4, "0,4,1,5");
	expect_order(t, "core", 4, "0,1,4,5");
	topo_close(t);
}

static void test_errors(void **state)
{
	struct topo *t = open_synthetic("core:2 pu:1");
	struct topo *one = open_synthetic("pu:1");

	expect_error(t, "core", 3, false,
		     "--threads 3: only 2 CPUs are allowed (0-1); use fewer threads or "
		     "--oversubscribe");
	expect_error(one, "spread", 2, false,
		     "--threads 2: only 1 CPU is allowed (0); use fewer threads or "
		     "--oversubscribe");
	expect_error(t, "list:0", 2, false,
		     "--placement list:0: holds 1 CPU for --threads 2; name more or use "
		     "--oversubscribe");
	expect_error(t, "list:1,0,1", 2, false,
		     "--placement list:1,0,1: CPU 1 stands twice; name each once or use "
		     "--oversubscribe");
	expect_error(t, "list:0,9", 1, true,
		     "--placement list:0,9: CPU 9 is not allowed (allowed: 0-1)");
	expect_error(t, "list:0-4294967295", 1, false,
		     "--placement list:0-4294967295: CPU 2 is not allowed (allowed: 0-1)");
	expect_error(
		t, "list:4294967295", 1, false,
		"--placement list:4294967295: CPU 4294967295 is not allowed (allowed: 0-1)");
	expect_error(t, "scatter", 1, false,
		     "--placement scatter: expected core, compact, spread or a list of OS "
		     "indices as in list:0,2,5-7");
	expect_error(t, "core", TOPO_MAX_THREADS + 1, true,
		     "--threads 65537: expected at most 65536");
	topo_close(one);
	topo_close(t);
}

static void test_malformed_lists(void **state)
{
	static const char *const lists[] = { "",   "x",	  "0,",	   ",0",	 "1-0",
					     "0-", "-1",  "0--1",  "0,,1",	 "0 0,1",
					     "+1", "0x1", "0-1-1", "4294967296", "0;1" };
	struct topo *t = open_synthetic("core:2 pu:1");
	struct placement p;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		char *how = xasprintf("list:%s", lists[i]);

		assert_int_equal(topo_place(t, how, 1, true, &p, &e), -1);
		assert_non_null(
			strstr(e.text, "expected OS indices as in list:0,2,5-7, got '"));
		free(how);
	}
	topo_close(t);
}

static void test_oversubscribe(void **state)
{
	struct topo *t = open_synthetic("core:2 pu:1");
	struct placement p;
	struct err e;
	char *s;

	assert_int_equal(topo_place(t, "core", 5, true, &p, &e), 0);
	s = placement_str(&p);
	assert_string_equal(s, "0,1,0,1,0");
	assert_true(p.oversubscribed);
	free(s);
	placement_free(&p);
	assert_int_equal(topo_place(t, "list:1,1", 0, true, &p, &e), 0);
	assert_int_equal(p.nr, 2);
	assert_true(p.oversubscribed);
	placement_free(&p);
	/* allowed, but not needed */
	assert_int_equal(topo_place(t, "core", 2, true, &p, &e), 0);
	assert_false(p.oversubscribed);
	placement_free(&p);
	topo_close(t);
}

/* The cure at the end of the line must survive a list of CPUs longer than the line. */
static void test_long_ranges(void **state)
{
	char *description = xstrdup("pu:300(indexes=0");
	struct placement p;
	struct topo *t;
	struct err e;

	/* every other number, which makes the ranges as many as the CPUs */
	for (unsigned i = 1; i < 300; i++) {
		char *longer = xasprintf("%s,%u", description, 2 * i);

		free(description);
		description = longer;
	}
	description = xrealloc(description, strlen(description) + 2);
	strcat(description, ")");
	t = open_synthetic(description);
	free(description);
	expect_order(t, "core", 3, "0,2,4");
	assert_int_equal(topo_place(t, "core", 301, false, &p, &e), -1);
	assert_non_null(strstr(e.text, "only 300 CPUs are allowed (0,2,4,"));
	assert_non_null(strstr(e.text, ",...); use fewer threads or --oversubscribe"));
	topo_close(t);
}

static void test_blanks_in_a_list(void **state)
{
	struct topo *t = open_synthetic("core:4 pu:1");
	struct placement p;
	struct err e;

	assert_int_equal(topo_place(t, "list:0-1 , 3 ", 3, false, &p, &e), 0);
	assert_int_equal(p.nr, 3);
	assert_int_equal(p.cpu[1], 1);
	assert_int_equal(p.cpu[2], 3);
	placement_free(&p);
	topo_close(t);
}

static void test_bad_description(void **state)
{
	struct topo *t;
	struct err e;

	setenv("HWLOC_SYNTHETIC", "nonsense", 1);
	assert_int_equal(topo_open(&t, &e), -1);
	unsetenv("HWLOC_SYNTHETIC");
	assert_non_null(strstr(e.text, "HWLOC_SYNTHETIC=nonsense: hwloc cannot use this"));
	setenv("HWLOC_XMLFILE", "/nonexistent.xml", 1);
	assert_int_equal(topo_open(&t, &e), -1);
	unsetenv("HWLOC_XMLFILE");
	assert_non_null(
		strstr(e.text, "HWLOC_XMLFILE=/nonexistent.xml: cannot open: No such file"));
}

static void test_synthetic_refuses_binding(void **state)
{
	struct topo *t = open_synthetic("core:2 pu:1");
	cpu_set_t before, after;
	struct err e;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(topo_bind_self(t, 0, &e), -1);
	assert_string_equal(e.text,
			    "cannot bind to CPU 0: the topology is not this system's "
			    "(HWLOC_SYNTHETIC=core:2 pu:1), which allows planning only");
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	topo_close(t);
}

struct bound {
	const struct topo *topo;
	unsigned cpu;
	unsigned strays; /* times it ran elsewhere */
	int failed;
	struct err e;
};

static void *run_bound(void *arg)
{
	struct bound *b = arg;

	b->failed = topo_bind_self(b->topo, b->cpu, &b->e);
	for (unsigned i = 0; !b->failed && i < LAPS; i++) {
		b->strays += sched_getcpu() != (int)b->cpu;
		sched_yield();
	}
	return NULL;
}

/* Two threads a CPU, so that the scheduler has a reason to move them. */
static void test_bound_threads_stay(void **state)
{
	struct topo *t = open_real();
	unsigned nr = 2 * topo_nr_allowed(t);
	struct bound *b = xcalloc(nr, sizeof(*b));
	pthread_t *id = xcalloc(nr, sizeof(*id));
	struct placement p;
	struct err e;

	assert_true(topo_is_this_system(t));
	assert_int_equal(topo_place(t, "core", nr, true, &p, &e), 0);
	for (unsigned i = 0; i < nr; i++) {
		b[i].topo = t;
		b[i].cpu = p.cpu[i];
		assert_int_equal(pthread_create(&id[i], NULL, run_bound, &b[i]), 0);
	}
	for (unsigned i = 0; i < nr; i++)
		pthread_join(id[i], NULL);
	for (unsigned i = 0; i < nr; i++) {
		if (b[i].failed)
			fail_msg("%s", b[i].e.text);
		assert_int_equal(b[i].strays, 0);
	}
	placement_free(&p);
	free(id);
	free(b);
	topo_close(t);
}

/* The mask at start rules, although hwloc and the kernel would allow more. */
static void test_mask_is_kept(void **state)
{
	struct topo *t = open_real();
	struct placement p;
	cpu_set_t before, narrow, now;
	struct err e;

	if (topo_nr_allowed(t) < 2) {
		topo_close(t);
		print_message("needs two CPUs\n");
		skip();
	}
	assert_int_equal(topo_place(t, "compact", 2, false, &p, &e), 0);
	topo_close(t);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&narrow);
	CPU_SET(p.cpu[1], &narrow);
	assert_int_equal(sched_setaffinity(0, sizeof(narrow), &narrow), 0);
	t = open_real();
	assert_int_equal(topo_nr_allowed(t), 1);
	assert_int_equal(topo_nr_cores(t), 1);
	assert_int_equal(topo_bind_self(t, p.cpu[0], &e), -1);
	assert_non_null(strstr(e.text, "not allowed (allowed: "));
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &narrow));
	assert_int_equal(topo_bind_self(t, p.cpu[1], &e), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	topo_close(t);
	placement_free(&p);
}

/* From here on, this thread's sched_setaffinity() claims success and does nothing. */
static int install_liar(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static void *bind_with_liar(void *arg)
{
	struct bound *b = arg;

	if (install_liar())
		b->strays = 1;
	else
		b->failed = topo_bind_self(b->topo, b->cpu, &b->e);
	return NULL;
}

/* Sandboxes exist that accept a binding and ignore it. */
static void test_binding_is_read_back(void **state)
{
	struct topo *t = open_real();
	struct bound b = { .topo = t };
	unsigned nr = topo_nr_allowed(t);
	struct placement p;
	pthread_t id;
	struct err e;

	assert_int_equal(topo_place(t, "core", 1, false, &p, &e), 0);
	b.cpu = p.cpu[0];
	placement_free(&p);
	assert_int_equal(pthread_create(&id, NULL, bind_with_liar, &b), 0);
	pthread_join(id, NULL);
	topo_close(t);
	if (nr < 2 || b.strays) {
		print_message("needs two CPUs and seccomp\n");
		skip();
	}
	assert_int_equal(b.failed, -1);
	assert_non_null(strstr(b.e.text, "did not hold"));
}

/* CPUs this machine lacks. */
static void test_far_cpu(void **state)
{
	struct topo *t = open_real();
	struct err e;

	assert_int_equal(topo_bind_self(t, 1000000, &e), -1);
	assert_non_null(strstr(e.text, "cannot bind to CPU 1000000: not allowed"));
	topo_close(t);
	/* HWLOC_THISSYSTEM vouches for CPUs this machine lacks; the mask knows better */
	setenv("HWLOC_THISSYSTEM", "1", 1);
	t = open_synthetic("core:4096 pu:1");
	assert_true(topo_is_this_system(t));
	assert_true(topo_nr_allowed(t) < 4096);
	unsetenv("HWLOC_THISSYSTEM");
	topo_close(t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_128_pus),
		cmocka_unit_test(test_siblings_last),
		cmocka_unit_test(test_1100_pus),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_uneven),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_malformed_lists),
		cmocka_unit_test(test_oversubscribe),
		cmocka_unit_test(test_long_ranges),
		cmocka_unit_test(test_bad_description),
		cmocka_unit_test(test_blanks_in_a_list),
		cmocka_unit_test(test_synthetic_refuses_binding),
		cmocka_unit_test(test_bound_threads_stay),
		cmocka_unit_test(test_mask_is_kept),
		cmocka_unit_test(test_binding_is_read_back),
		cmocka_unit_test(test_far_cpu),
	};

	if (argc != 2) {
		fputs("usage: test_topo DIRECTORY-OF-XML\n", stderr);
		return 2;
	}
	xml_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
