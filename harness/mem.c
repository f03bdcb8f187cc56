// SPDX-License-Identifier: BSD-2-Clause
/*
 * mem - map table memory, refuse what does not fit, find out what was got
 *
 * Linux hands out memory it does not have and kills somebody at the first touch,
 * so the size is held against what is free before anything is mapped; this works
 * whatever vm.overcommit_memory says. Huge pages of the pool are the exception:
 * mmap reserves them, and a limit of the control group that is only looked at when
 * the page is touched (then as a SIGBUS) is looked at here first.
 *
 * Mappings other than pool pages stand between two guard pages. The kernel would
 * otherwise merge neighbours, and smaps would tell of both in one figure.
 */
#include "mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define HUGE_2M (2 * MIB)
#define HUGE_1G (1024 * MIB)
#define THP_DIR "/sys/kernel/mm/transparent_hugepage"
#define PTE_SHARE 512 /* a page table takes 8 bytes for each 4 KiB */

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* First line of a small file without its newline, or NULL. Caller frees. */
static char *read_line(const char *root, const char *dir, const char *name)
{
	char *path = xasprintf("%s%s/%s", root, dir, name);
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	free(path);
	if (!f)
		return NULL;
	if (getline(&line, &room, f) < 0) {
		free(line);
		line = NULL;
	} else {
		line[strcspn(line, "\n")] = '\0';
	}
	fclose(f);
	return line;
}

/* A file that holds one number; "max" or no file is no number. */
static int read_number(const char *root, const char *dir, const char *name, uint64_t *out)
{
	char *line = read_line(root, dir, name);
	int r = line ? parse_u64(line, 0, UINT64_MAX, out) : -1;

	free(line);
	return r;
}

/* The number behind `key` in a file of "key 123" or "key: 123 kB" lines. */
static int read_field(const char *root, const char *path, const char *key, uint64_t *out)
{
	char *full = xasprintf("%s%s", root, path);
	FILE *f = fopen(full, "re");
	size_t room = 0, len = strlen(key);
	char *line = NULL;
	int r = -1;

	free(full);
	if (!f)
		return -1;
	while (r && getline(&line, &room, f) >= 0)
		if (!strncmp(line, key, len) && strchr(": ", line[len]))
			r = sscanf(line + len + (line[len] == ':'), "%ju", out) == 1 ? 0 : -1;
	free(line);
	fclose(f);
	return r;
}

/* What a control group limits, and how the two versions name the files. */
struct limit_files {
	const char *controller;
	const char *limit[2], *used[2]; /* version 1, version 2 */
	bool cache; /* part of what is used can be reclaimed */
};

static const struct limit_files memory_files = {
	.controller = "memory",
	.limit = { "memory.limit_in_bytes", "memory.max" },
	.used = { "memory.usage_in_bytes", "memory.current" },
	.cache = true,
};

static const struct limit_files huge_2m_files = {
	.controller = "hugetlb",
	.limit = { "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max" },
	.used = { "hugetlb.2MB.usage_in_bytes", "hugetlb.2MB.current" },
};

static const struct limit_files huge_1g_files = {
	.controller = "hugetlb",
	.limit = { "hugetlb.1GB.limit_in_bytes", "hugetlb.1GB.max" },
	.used = { "hugetlb.1GB.usage_in_bytes", "hugetlb.1GB.current" },
};

/* Is `word` one of the comma-separated words of `list`? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ',') && (!p[len] || strchr(",\n", p[len])))
			return true;
	return false;
}

/* Our group: of the line "0::PATH" (version 2), or of "N:controllers:PATH". */
static char *own_group(const char *root, int version, const char *controller)
{
	char *name = xasprintf("%s/proc/self/cgroup", root);
	FILE *f = fopen(name, "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	free(name);
	if (!f)
		return NULL;
	while (!found && getline(&line, &room, f) >= 0) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (version == 2 ? !strcmp(line, "0:") : has_word(list + 1, controller))
			found = xstrdup(path);
	}
	free(line);
	fclose(f);
	return found;
}

/* Where a hierarchy is mounted, and which of its groups is the top of the mount. */
struct cgroup_mount {
	char *point, *top;
};

static int find_mount(const char *root, const char *type, const char *option,
		      struct cgroup_mount *m)
{
	char *name = xasprintf("%s/proc/self/mountinfo", root);
	FILE *f = fopen(name, "re");
	char *line = NULL;
	size_t room = 0;
	int r = -1;

	free(name);
	if (!f)
		return -1;
	while (r && getline(&line, &room, f) >= 0) {
		char *tail = strstr(line, " - ");
		char *top = NULL, *point = NULL, *fs = NULL, *opts = NULL;

		if (tail && sscanf(line, "%*s %*s %*s %ms %ms", &top, &point) == 2 &&
		    sscanf(tail, " - %ms %*s %ms", &fs, &opts) == 2 && !strcmp(fs, type) &&
		    (!option || has_word(opts, option))) {
			*m = (struct cgroup_mount){ xstrdup(point), xstrdup(top) };
			r = 0;
		}
		free(top);
		free(point);
		free(fs);
		free(opts);
	}
	free(line);
	fclose(f);
	return r;
}

static void set_room(struct mem_room *room, uint64_t bytes, const char *name, const char *place)
{
	if (bytes >= room->bytes)
		return;
	room->bytes = bytes;
	snprintf(room->whose, sizeof(room->whose), "%s in %s", name, place);
}

/* Page cache counts as used, but makes way. */
static uint64_t reclaimable(const char *root, const char *dir, int version)
{
	static const char *const keys[2][2] = { { "total_inactive_file", "total_active_file" },
						{ "inactive_file", "active_file" } };
	char *path = xasprintf("%s/memory.stat", dir);
	uint64_t sum = 0, n;

	for (size_t i = 0; i < 2; i++)
		if (!read_field(root, path, keys[version - 1][i], &n))
			sum += n;
	free(path);
	return sum;
}

static void tighten(const char *root, const char *dir, const struct limit_files *files,
		    int version, struct mem_room *room)
{
	uint64_t limit, used, cache;

	if (read_number(root, dir, files->limit[version - 1], &limit) ||
	    read_number(root, dir, files->used[version - 1], &used))
		return;
	cache = files->cache ? reclaimable(root, dir, version) : 0;
	used -= cache < used ? cache : used;
	set_room(room, limit > used ? limit - used : 0, files->limit[version - 1], dir);
}

/* A group is bound by the limits of all groups above it too. */
static void tighten_by_group(const char *root, const struct limit_files *files, int version,
			     struct mem_room *room)
{
	char *group = own_group(root, version, files->controller);
	struct cgroup_mount m;
	const char *below;
	char *dir;
	size_t top;

	if (!group || find_mount(root, version == 2 ? "cgroup2" : "cgroup",
				 version == 2 ? NULL : files->controller, &m)) {
		free(group);
		return;
	}
	/* a container sees its own group as the top of the mount */
	top = strcmp(m.top, "/") ? strlen(m.top) : 0;
	below = !strncmp(group, m.top, top) && group[top] == '/' ? group + top : "";
	dir = xasprintf("%s%s", m.point, below);
	for (;;) {
		tighten(root, dir, files, version, room);
		if (strlen(dir) <= strlen(m.point))
			break;
		*strrchr(dir, '/') = '\0';
	}
	free(dir);
	free(m.point);
	free(m.top);
	free(group);
}

static void tighten_by_groups(const char *root, const struct limit_files *files,
			      struct mem_room *room)
{
	tighten_by_group(root, files, 1, room);
	tighten_by_group(root, files, 2, room);
}

int mem_room(const char *root, struct mem_room *room, struct err *e)
{
	uint64_t kib;

	if (read_field(root, "/proc/meminfo", "MemAvailable", &kib))
		return err_set(e, "%s/proc/meminfo: expected a line 'MemAvailable: N kB'",
			       root);
	room->bytes = UINT64_MAX;
	set_room(room, kib * KIB, "MemAvailable", "/proc/meminfo");
	tighten_by_groups(root, &memory_files, room);
	return 0;
}

static int check_room(uint64_t need, uint64_t tables, const struct mem_room *room,
		      const char *what, struct err *e)
{
	if (need <= room->bytes && tables <= room->bytes - need)
		return 0;
	return err_set(e, "%s: needs %ju MiB%s, but only %ju MiB are free (%s)", what,
		       (uintmax_t)(round_up(need, MIB) / MIB), tables ? " and page tables" : "",
		       (uintmax_t)(room->bytes / MIB), room->whose);
}

static int check_free(uint64_t bytes, const char *what, struct err *e)
{
	struct mem_room room;

	if (mem_room("", &room, e))
		return -1;
	return check_room(bytes, bytes / PTE_SHARE, &room, what, e);
}

/* Not worth asking for: what little there is does no harm. */
#define CLAIM_UNASKED (16 * MIB)

int mem_check(uint64_t bytes, const char *what, struct err *e)
{
	return bytes < CLAIM_UNASKED ? 0 : check_free(bytes, what, e);
}

/* Limits that bite when a page of the pool is touched, and not when it is reserved. */
static int check_huge_limits(const struct mem *m, uint64_t page, const char *what,
			     struct err *e)
{
	struct mem_room room = { .bytes = UINT64_MAX };
	struct cgroup_mount mount;

	tighten_by_groups("", page == HUGE_1G ? &huge_1g_files : &huge_2m_files, &room);
	if (!find_mount("", "cgroup2", "memory_hugetlb_accounting", &mount)) {
		tighten_by_group("", &memory_files, 2, &room);
		free(mount.point);
		free(mount.top);
	}
	return check_room(m->mapped, 0, &room, what, e);
}

/*
 * Does the pool hold enough? The kernel may also be allowed to extend the pool,
 * from memory that must then be free. Its own answer would be a bare ENOMEM.
 */
static int check_pool(const struct mem *m, uint64_t page, const char *what, struct err *e)
{
	char *dir =
		xasprintf("/sys/kernel/mm/hugepages/hugepages-%jukB", (uintmax_t)(page / KIB));
	uint64_t nr = m->mapped / page;
	uint64_t idle, reserved = 0, extra = 0, surplus = 0;
	int r = -1;

	if (read_number("", dir, "free_hugepages", &idle)) {
		err_set(e, "%s: this kernel has no pages of %ju MiB", what,
			(uintmax_t)(page / MIB));
		goto out_dir;
	}
	read_number("", dir, "resv_hugepages", &reserved);
	read_number("", dir, "nr_overcommit_hugepages", &extra);
	read_number("", dir, "surplus_hugepages", &surplus);
	idle -= reserved < idle ? reserved : idle;
	extra -= surplus < extra ? surplus : extra;
	if (nr > idle && nr - idle > extra) {
		err_set(e,
			"%s: needs %ju pages of %ju MiB, but %ju are free; raise %s/nr_hugepages "
			"or use --pages auto",
			what, (uintmax_t)nr, (uintmax_t)(page / MIB), (uintmax_t)(idle + extra),
			dir);
		goto out_dir;
	}
	r = nr > idle ? check_free((nr - idle) * page, what, e) : 0;
out_dir:
	free(dir);
	return r;
}

static int map_pool(struct mem *m, uint64_t page, enum mem_pages pages, const char *what,
		    struct err *e)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
			  (__builtin_ctzll(page) << MAP_HUGE_SHIFT);
	void *p;

	m->mapped = round_up(m->bytes, page);
	m->pages = pages;
	if (check_pool(m, page, what, e) || check_huge_limits(m, page, what, e))
		return -1;
	p = mmap(NULL, m->mapped, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p == MAP_FAILED)
		return err_set(e, "%s: cannot reserve %ju pages of %ju MiB: %s", what,
			       (uintmax_t)(m->mapped / page), (uintmax_t)(page / MIB),
			       strerror(errno));
	m->base = p;
	return 0;
}

static uint64_t base_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * `mapped` bytes aligned to 2 MiB between two guard pages; what the alignment cost
 * is given back. Reserved without access first, which commits no memory.
 */
static void *map_guarded(uint64_t mapped)
{
	const uint64_t guard = base_page();
	const uint64_t total = mapped + HUGE_2M + 2 * guard;
	char *p, *start, *end;

	p = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	start = (char *)round_up((uintptr_t)p + guard, HUGE_2M);
	end = start + mapped;
	if (start - guard > p)
		munmap(p, (size_t)(start - guard - p));
	if (end + guard < p + total)
		munmap(end + guard, (size_t)(p + total - end - guard));
	if (mprotect(start, mapped, PROT_READ | PROT_WRITE)) {
		int error = errno;

		munmap(start - guard, mapped + 2 * guard);
		errno = error;
		return NULL;
	}
	return start;
}

static int map_small(struct mem *m, enum mem_pages pages, const char *what, struct err *e)
{
	m->mapped = round_up(m->bytes, pages == PAGES_THP ? HUGE_2M : base_page());
	m->pages = pages;
	if (check_free(m->mapped, what, e))
		return -1;
	m->base = map_guarded(m->mapped);
	if (!m->base)
		return err_set(e, "%s: cannot map %ju MiB: %s", what,
			       (uintmax_t)(round_up(m->mapped, MIB) / MIB), strerror(errno));
	/* kernels without huge pages know neither advice: nothing to forbid there */
	if (!madvise(m->base, m->mapped,
		     pages == PAGES_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) ||
	    pages == PAGES_4K)
		return 0;
	err_set(e, "%s: the kernel refuses transparent huge pages: %s", what, strerror(errno));
	mem_unmap(m);
	return -1;
}

/* "always [madvise] never": is this the word in brackets? */
static bool chosen(const char *line, const char *word)
{
	char *bracketed = xasprintf("[%s]", word);
	bool r = strstr(line, bracketed);

	free(bracketed);
	return r;
}

/* Since Linux 6.8 each size has a switch of its own, which may defer to the old one. */
static int check_thp(const char *what, struct err *e)
{
	char *line = read_line("", THP_DIR "/hugepages-2048kB", "enabled");
	int r = 0;

	if (!line || chosen(line, "inherit")) {
		free(line);
		line = read_line("", THP_DIR, "enabled");
	}
	if (!line)
		r = err_set(e, "%s: this kernel has no transparent huge pages", what);
	else if (chosen(line, "never"))
		r = err_set(e,
			    "%s: transparent huge pages are off; write madvise to %s/enabled "
			    "or use --pages auto",
			    what, THP_DIR);
	else if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
		r = err_set(e, "%s: transparent huge pages are off for this process (prctl)",
			    what);
	free(line);
	return r;
}

static int map_auto(struct mem *m, const char *what, struct err *e)
{
	if (!map_pool(m, HUGE_2M, PAGES_2M, what, e))
		return 0;
	if (!check_thp(what, e) && !map_small(m, PAGES_THP, what, e))
		return 0;
	/* smaller by up to 2 MiB than with thp; its error is the one to show */
	return map_small(m, PAGES_4K, what, e);
}

static int map_explicit(struct mem *m, const char *what, struct err *e)
{
	switch (m->asked) {
	case PAGES_2M:
		return map_pool(m, HUGE_2M, PAGES_2M, what, e);
	case PAGES_1G:
		return map_pool(m, HUGE_1G, PAGES_1G, what, e);
	case PAGES_THP:
		return check_thp(what, e) ? -1 : map_small(m, PAGES_THP, what, e);
	case PAGES_4K:
		return map_small(m, PAGES_4K, what, e);
	case PAGES_AUTO:
		break;
	}
	return map_auto(m, what, e);
}

int mem_map(struct mem *m, size_t bytes, enum mem_pages pages, const char *what, struct err *e)
{
	*m = (struct mem){ .bytes = bytes, .asked = pages, .pages = pages };
	if (!bytes)
		return 0;
	if (bytes > SIZE_MAX / 4)
		return err_set(e, "%s: needs %ju MiB, more than there are addresses", what,
			       (uintmax_t)(bytes / MIB));
	if (!map_explicit(m, what, e))
		return 0;
	memset(m, 0, sizeof(*m));
	return -1;
}

void mem_unmap(struct mem *m)
{
	const size_t guard = base_page();

	if (!m->base)
		return;
	if (m->pages == PAGES_2M || m->pages == PAGES_1G)
		munmap(m->base, m->mapped);
	else
		munmap((char *)m->base - guard, m->mapped + 2 * guard);
	m->base = NULL;
	m->mapped = 0;
}

/* What smaps says of all areas of a mapping, in KiB: the kernel may have split it. */
struct usage {
	uint64_t size, page, resident, swapped, huge;
};

static void add_field(struct usage *u, const char *line)
{
	static const char format[] = "%63[^:]: %ju kB";
	char key[64];
	uintmax_t kib;

	if (sscanf(line, format, key, &kib) != 2)
		return;
	if (!strcmp(key, "Size"))
		u->size += kib;
	else if (!strcmp(key, "KernelPageSize"))
		u->page = kib;
	else if (!strcmp(key, "Rss"))
		u->resident += kib;
	else if (!strcmp(key, "Swap"))
		u->swapped += kib;
	else if (!strcmp(key, "AnonHugePages"))
		u->huge += kib;
}

static int read_usage(const struct mem *m, struct usage *u, struct err *e)
{
	const uintptr_t first = (uintptr_t)m->base, last = first + m->mapped;
	FILE *f = fopen("/proc/self/smaps", "re");
	uintmax_t from, to;
	char *line = NULL;
	bool ours = false;
	size_t room = 0;

	memset(u, 0, sizeof(*u));
	if (!f)
		return err_set(e, "/proc/self/smaps: %s", strerror(errno));
	while (getline(&line, &room, f) >= 0) {
		/* fields begin with a capital, areas with a hexadecimal address */
		if (isupper((unsigned char)*line)) {
			if (ours)
				add_field(u, line);
		} else if (sscanf(line, "%jx-%jx ", &from, &to) == 2) {
			ours = from < last && to > first;
		}
	}
	free(line);
	fclose(f);
	/* holds unless an area was merged with a neighbour, which the guards prevent */
	if (u->size * KIB != m->mapped)
		return err_set(
			e, "/proc/self/smaps: expected areas of %ju KiB at %p, found %ju KiB",
			(uintmax_t)(m->mapped / KIB), m->base, (uintmax_t)u->size);
	return 0;
}

int mem_pages_got(const struct mem *m, char got[16], struct err *e)
{
	struct usage u;

	got[0] = '\0';
	if (!m->base)
		return 0;
	if (read_usage(m, &u, e))
		return -1;
	if (u.page == HUGE_1G / KIB)
		strcpy(got, "1g");
	else if (u.page == HUGE_2M / KIB)
		strcpy(got, "2m");
	else if (u.resident + u.swapped == 0)
		return err_set(e, "page size asked before the memory was touched");
	else if (u.huge == 0)
		snprintf(got, 16, "%juk", (uintmax_t)u.page);
	else if (u.huge >= u.resident + u.swapped)
		strcpy(got, "thp");
	else
		snprintf(got, 16, "thp+%juk", (uintmax_t)u.page);
	if (m->asked == PAGES_THP && u.huge == 0)
		return err_set(
			e,
			"--pages thp: the kernel gave no huge page for %ju MiB; memory may be "
			"fragmented: use --pages auto or 4k, or try 2m",
			(uintmax_t)(m->mapped / MIB));
	return 0;
}
