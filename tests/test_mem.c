// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_mem - page sizes got, demands refused, limits found
 *
 * Whether there are huge pages depends on the machine: then either they are got, or
 * the error is the documented one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "mem.h"

#define MIB ((size_t)1 << 20)

/* A sanitizer maps memory of its own beside ours. */
#if defined(ASAN_BUILD) || defined(TSAN_BUILD)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static void map_ok(struct mem *m, size_t bytes, enum mem_pages pages)
{
	struct err e;

	if (mem_map(m, bytes, pages, "--hash x", &e))
		fail_msg("%s", e.text);
	assert_int_equal(m->bytes, bytes);
	assert_true(m->mapped >= bytes);
	assert_int_equal((uintptr_t)m->base % (2 * MIB), 0);
	assert_int_equal(m->asked, pages);
}

static void expect_zero_then_fill(struct mem *m)
{
	unsigned char *p = m->base;
	size_t nonzero = 0;

	for (size_t i = 0; i < m->mapped; i++)
		nonzero += p[i] != 0;
	assert_int_equal(nonzero, 0);
	memset(p, 0xa5, m->mapped);
}

static void expect_got(const struct mem *m, const char *expected)
{
	char got[16];
	struct err e;

	if (mem_pages_got(m, got, &e))
		fail_msg("%s", e.text);
	assert_string_equal(got, expected);
}

/*
 * qemu-user keeps advice to itself, even such as no kernel knows, and what /proc says of
 * pages is invented or about the emulator's own.
 */
static bool emulated(void)
{
	return !madvise(NULL, 0, -1);
}

static void need_kernel(void)
{
	if (!emulated())
		return;
	print_message("an emulator stands between us and the kernel\n");
	skip();
}

static bool thp_enabled(void)
{
	static const char *const files[] = {
		"/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled",
		"/sys/kernel/mm/transparent_hugepage/enabled",
	};
	char line[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		FILE *f = fopen(files[i], "r");
		bool read = f && fgets(line, sizeof(line), f);

		if (f)
			fclose(f);
		if (read && !strstr(line, "[inherit]"))
			return !strstr(line, "[never]");
	}
	return false;
}

static void need_thp(void)
{
	need_kernel();
	if (thp_enabled())
		return;
	print_message("transparent huge pages are off\n");
	skip();
}

static const char *base_page_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "%ldk", sysconf(_SC_PAGESIZE) / 1024);
	return name;
}

/* Is `flag` among the VmFlags that smaps shows for the area at `base`? */
static bool has_flag(const void *base, const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	bool here = false, found = false;
	uintmax_t from, to;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%jx-%jx ", &from, &to) == 2)
			here = from == (uintptr_t)base;
		else if (here && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, flag);
	}
	fclose(f);
	return found;
}

static void test_4k(void **state)
{
	struct mem m;

	need_kernel();
	map_ok(&m, 5 * MIB + 1, PAGES_4K);
	assert_int_equal(m.pages, PAGES_4K);
	assert_int_equal(m.mapped, 5 * MIB + (size_t)sysconf(_SC_PAGESIZE));
	expect_zero_then_fill(&m);
	expect_got(&m, base_page_name());
	/* where huge pages come unasked, only the advice keeps them away */
	if (thp_enabled())
		assert_true(has_flag(m.base, " nh "));
	mem_unmap(&m);
}

static void test_thp(void **state)
{
	struct mem m;

	need_thp();
	map_ok(&m, 3 * MIB, PAGES_THP);
	assert_int_equal(m.pages, PAGES_THP);
	assert_int_equal(m.mapped, 4 * MIB);
	expect_zero_then_fill(&m);
	expect_got(&m, "thp");
	mem_unmap(&m);
}

/* Half of it forbidden to be huge: two areas in smaps, one answer. */
static void test_split(void **state)
{
	struct mem m;
	char *expected;

	need_thp();
	map_ok(&m, 8 * MIB, PAGES_THP);
	assert_int_equal(madvise((char *)m.base + 4 * MIB, 4 * MIB, MADV_NOHUGEPAGE), 0);
	expect_zero_then_fill(&m);
	expected = xasprintf("thp+%s", base_page_name());
	expect_got(&m, expected);
	free(expected);
	mem_unmap(&m);
}

/* Explicit thp that got nothing huge is an error; auto takes what it gets. */
static void test_thp_got_none(void **state)
{
	struct mem m;
	char got[16];
	struct err e;

	need_thp();
	map_ok(&m, 4 * MIB, PAGES_THP);
	assert_int_equal(madvise(m.base, m.mapped, MADV_NOHUGEPAGE), 0);
	expect_zero_then_fill(&m);
	assert_int_equal(mem_pages_got(&m, got, &e), -1);
	assert_non_null(strstr(e.text, "--pages thp: the kernel gave no huge page"));
	m.asked = PAGES_AUTO;
	expect_got(&m, base_page_name());
	mem_unmap(&m);
}

/* Mapped one after the other, the kernel would merge them into one area. */
static void test_neighbours(void **state)
{
	struct mem m[4];

	need_thp();
	for (size_t i = 0; i < 4; i++)
		map_ok(&m[i], 2 * MIB, i % 2 ? PAGES_THP : PAGES_4K);
	for (size_t i = 0; i < 4; i++)
		expect_zero_then_fill(&m[i]);
	for (size_t i = 0; i < 4; i++)
		expect_got(&m[i], i % 2 ? "thp" : base_page_name());
	for (size_t i = 0; i < 4; i++)
		mem_unmap(&m[i]);
}

/* Two alike, one of them untouched: the pages of the one must not count for the other. */
static void test_twins(void **state)
{
	struct mem a, b;
	char got[16];
	struct err e;

	need_kernel();
	map_ok(&a, 2 * MIB, PAGES_4K);
	map_ok(&b, 2 * MIB, PAGES_4K);
	expect_zero_then_fill(&a);
	expect_got(&a, base_page_name());
	assert_int_equal(mem_pages_got(&b, got, &e), -1);
	assert_non_null(strstr(e.text, "before the memory was touched"));
	mem_unmap(&a);
	mem_unmap(&b);
}

static void test_auto(void **state)
{
	struct mem m;
	char got[16];
	struct err e;

	need_kernel();
	map_ok(&m, 4 * MIB, PAGES_AUTO);
	assert_true(m.pages == PAGES_2M || m.pages == PAGES_THP || m.pages == PAGES_4K);
	if (thp_enabled())
		assert_int_not_equal(m.pages, PAGES_4K);
	expect_zero_then_fill(&m);
	assert_int_equal(mem_pages_got(&m, got, &e), 0);
	if (m.pages == PAGES_2M)
		assert_string_equal(got, "2m");
	mem_unmap(&m);
}

/* The process may switch thp off for itself: explicit fails, auto falls back. */
static void test_thp_off(void **state)
{
	struct mem m;
	struct err e;

	need_thp();
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	assert_int_equal(mem_map(&m, 4 * MIB, PAGES_THP, "--hash 4", &e), -1);
	assert_string_equal(e.text, "--hash 4: transparent huge pages are off for this process "
				    "(prctl)");
	assert_null(m.base);
	map_ok(&m, 4 * MIB, PAGES_AUTO);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	assert_true(m.pages == PAGES_4K || m.pages == PAGES_2M);
	mem_unmap(&m);
}

/* Either the pages are there and every one can be touched, or the line says why not. */
static void explicit_or_error(enum mem_pages pages, size_t page, const char *name)
{
	struct mem m;
	struct err e;

	if (mem_map(&m, page + 1, pages, "--hash 7", &e)) {
		print_message("%s\n", e.text);
		assert_int_equal(strncmp(e.text, "--hash 7: ", 10), 0);
		assert_non_null(strstr(e.text, pages == PAGES_1G ? " 1024 MiB" : " 2 MiB"));
		assert_null(m.base);
		assert_int_equal(m.mapped, 0);
		return;
	}
	assert_int_equal(m.pages, pages);
	assert_int_equal(m.mapped, 2 * page);
	for (size_t i = 0; i < m.mapped; i += MIB)
		((char *)m.base)[i] = 1;
	expect_got(&m, name);
	mem_unmap(&m);
}

static void test_explicit(void **state)
{
	need_kernel();
	explicit_or_error(PAGES_2M, 2 * MIB, "2m");
	explicit_or_error(PAGES_1G, 1024 * MIB, "1g");
}

static void test_too_much(void **state)
{
	static const enum mem_pages pages[] = { PAGES_AUTO, PAGES_4K };
	struct mem m;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		assert_int_equal(mem_map(&m, 4194304 * MIB, pages[i], "--hash 4194304", &e),
				 -1);
		assert_int_equal(strncmp(e.text, "--hash 4194304: needs 4194304 MiB", 33), 0);
		assert_non_null(strstr(e.text, " MiB are free ("));
		assert_null(m.base);
	}
	assert_int_equal(mem_map(&m, 4194304 * MIB, PAGES_2M, "--hash 4194304", &e), -1);
	assert_int_equal(mem_map(&m, 4194304 * MIB, PAGES_1G, "--hash 4194304", &e), -1);
	assert_int_equal(mem_map(&m, SIZE_MAX, PAGES_AUTO, "--hash 9", &e), -1);
	assert_non_null(strstr(e.text, "more than there are addresses"));
}

static void test_nothing(void **state)
{
	struct mem m;
	char got[16] = "x";
	struct err e;

	for (unsigned pages = PAGES_AUTO; pages <= PAGES_1G; pages++) {
		assert_int_equal(mem_map(&m, 0, pages, "--hash 0", &e), 0);
		assert_null(m.base);
		assert_int_equal(m.mapped, 0);
		assert_int_equal(mem_pages_got(&m, got, &e), 0);
		assert_string_equal(got, "");
		mem_unmap(&m);
	}
}

/* Unmapping twice is harmless, and after it the addresses are gone. */
static void test_unmap(void **state)
{
	unsigned char in;
	struct mem m;
	void *was;

	map_ok(&m, 2 * MIB, PAGES_4K);
	was = m.base;
	assert_int_equal(mincore(was, 1, &in), 0);
	mem_unmap(&m);
	assert_null(m.base);
	assert_int_equal(mincore(was, 1, &in), -1);
	assert_int_equal(errno, ENOMEM);
	mem_unmap(&m);
}

static long address_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = -1;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	return pages;
}

/* What the alignment cost is given back: the mapping and its two guards remain. */
static void test_trimmed(void **state)
{
	struct mem m;
	long before;

	if (SANITIZED) {
		print_message("cannot be counted under a sanitizer\n");
		skip();
	}
	need_kernel();
	address_pages(); /* stdio's buffers */
	before = address_pages();
	map_ok(&m, 8 * MIB, PAGES_4K);
	assert_int_equal(address_pages() - before, (long)(8 * MIB) / sysconf(_SC_PAGESIZE) + 2);
	mem_unmap(&m);
	assert_int_equal(address_pages(), before);
}

/* A write just past either end is caught, and not found in a neighbour's entries. */
static void test_guards(void **state)
{
	struct mem m;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	map_ok(&m, 2 * MIB, PAGES_4K);
	/* the kernel says EFAULT where we would get a signal */
	assert_int_equal(write(fd[1], m.base, 1), 1);
	assert_int_equal(write(fd[1], (char *)m.base - 1, 1), -1);
	assert_int_equal(write(fd[1], (char *)m.base + m.mapped, 1), -1);
	assert_int_equal(write(fd[1], (char *)m.base + m.mapped - 1, 1), 1);
	mem_unmap(&m);
	close(fd[0]);
	close(fd[1]);
}

/* A directory that stands for /. */
static char root[64];

static void put(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", root, path);
	FILE *f;

	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(full);
}

static int new_root(void **state)
{
	strcpy(root, "/tmp/test_mem.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	put("/proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    4096 kB\nSwapFree: 1 kB\n");
	return 0;
}

static int remove_root(void **state)
{
	char *command = xasprintf("rm -r %s", root);
	int r = system(command);

	free(command);
	return r;
}

static void expect_room(uint64_t bytes, const char *whose)
{
	struct mem_room r;
	struct err e;

	if (mem_room(root, &r, &e))
		fail_msg("%s", e.text);
	assert_int_equal(r.bytes, bytes);
	assert_string_equal(r.whose, whose);
}

static void test_room_machine(void **state)
{
	struct mem_room r;
	struct err e;

	expect_room(4096 * 1024, "MemAvailable in /proc/meminfo");
	put("/proc/meminfo", "MemTotal: 9000 kB\n");
	assert_int_equal(mem_room(root, &r, &e), -1);
	assert_non_null(strstr(e.text, "expected a line 'MemAvailable: N kB'"));
}

/* Version 2: the group has no limit, the one above has; its page cache makes way. */
static void test_room_group(void **state)
{
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo", "20 1 0:1 / /proc rw - proc proc rw\n"
				    "30 1 0:2 / /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
	put("/cg/a/b/memory.max", "max\n");
	put("/cg/a/b/memory.current", "1000\n");
	expect_room(4096 * 1024, "MemAvailable in /proc/meminfo");
	put("/cg/a/memory.max", "500000\n");
	put("/cg/a/memory.current", "300000\n");
	expect_room(200000, "memory.max in /cg/a");
	put("/cg/a/memory.stat", "anon 5\nfile 70000\ninactive_file 60000\nactive_file 7000\n");
	expect_room(267000, "memory.max in /cg/a");
	put("/cg/a/b/memory.max", "2000\n");
	expect_room(1000, "memory.max in /cg/a/b");
	put("/cg/a/b/memory.current", "3000\n");
	expect_room(0, "memory.max in /cg/a/b");
}

/* A container's mount begins at its own group. */
static void test_room_container(void **state)
{
	put("/proc/self/cgroup", "0::/docker/ab/x\n");
	put("/proc/self/mountinfo", "30 1 0:2 /docker/ab /cg rw - cgroup2 cgroup2 rw\n");
	put("/cg/memory.max", "500000\n");
	put("/cg/memory.current", "100000\n");
	expect_room(400000, "memory.max in /cg");
	put("/cg/x/memory.max", "700\n");
	put("/cg/x/memory.current", "300\n");
	expect_room(400, "memory.max in /cg/x");
	put("/proc/self/cgroup", "0::/docker/abc\n");
	expect_room(400000, "memory.max in /cg");
}

/* Version 1 beside version 2, as on systems in between. */
static void test_room_group_v1(void **state)
{
	put("/proc/self/cgroup", "5:cpu,memoryless:/z\n4:cpuacct,memory:/job\n0::/\n");
	put("/proc/self/mountinfo", "30 1 0:2 / /cg/u rw - cgroup2 cgroup2 rw\n"
				    "31 1 0:3 / /cg/m rw - cgroup cgroup rw,memory\n");
	put("/cg/m/memory.limit_in_bytes", "9223372036854771712\n");
	put("/cg/m/memory.usage_in_bytes", "123\n");
	put("/cg/m/job/memory.limit_in_bytes", "900000\n");
	put("/cg/m/job/memory.usage_in_bytes", "100000\n");
	put("/cg/m/job/memory.stat", "inactive_file 7\ntotal_inactive_file 50\n");
	expect_room(800050, "memory.limit_in_bytes in /cg/m/job");
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, new_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_4k),	   cmocka_unit_test(test_thp),
		cmocka_unit_test(test_split),	   cmocka_unit_test(test_thp_got_none),
		cmocka_unit_test(test_neighbours), cmocka_unit_test(test_twins),
		cmocka_unit_test(test_auto),	   cmocka_unit_test(test_thp_off),
		cmocka_unit_test(test_explicit),   cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_nothing),	   cmocka_unit_test(test_unmap),
		cmocka_unit_test(test_trimmed),	   cmocka_unit_test(test_guards),
		WITH_ROOT(test_room_machine),	   WITH_ROOT(test_room_group),
		WITH_ROOT(test_room_container),	   WITH_ROOT(test_room_group_v1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
