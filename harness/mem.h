/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mem - table memory, with the page size asked for and the page size got
 *
 * Explicit huge pages are reserved at mmap time, so that a demand that cannot be
 * met is an error before the run and never a SIGBUS in it. Memory is mapped, not
 * touched: the pinned threads touch it first.
 */
#ifndef TEARLINE_MEM_H
#define TEARLINE_MEM_H

#include "util.h"

/* In the order of the --pages choices, "auto|4k|thp|2m|1g". */
enum mem_pages { PAGES_AUTO, PAGES_4K, PAGES_THP, PAGES_2M, PAGES_1G };
#define MEM_PAGES_CHOICES "auto|4k|thp|2m|1g"

struct mem {
	void *base; /* zeroed, aligned to at least 2 MiB; NULL if bytes is 0 */
	size_t bytes; /* as asked */
	size_t mapped; /* rounded up to the page size */
	enum mem_pages pages; /* what the mapping was made with */
	enum mem_pages asked; /* what the caller wanted */
};

/* How much memory can be had, and which file says so (under the smallest limit). */
struct mem_room {
	uint64_t bytes;
	char whose[256]; /* "memory.max in /sys/fs/cgroup/..." */
};

/*
 * MemAvailable of /proc/meminfo, or what is left of the memory limit of our control
 * group (either version) or of one above it, page cache not counted as used. `root`
 * is "", or a directory that stands for / in a test. 0 or -1.
 */
int mem_room(const char *root, struct mem_room *room, struct err *e);

/*
 * Is there so much memory for `what`, which claims it ("x.tlt: says that it holds ...")? For
 * what is allocated by other means than mem_map(), where a file or an option says how much.
 * 0 or -1.
 */
int mem_check(uint64_t bytes, const char *what, struct err *e);

/*
 * Map `bytes` zeroed bytes. auto tries 2m, then thp, then 4k. An explicit demand
 * that cannot be had, or more memory than the machine (or the control group) has
 * free, is an error that names `what` (an option, as "--hash 16"); nothing is
 * touched before. Each mapping is held against what is free then: touch one before
 * mapping the next. 0 or -1, and then *m is all zero.
 */
int mem_map(struct mem *m, size_t bytes, enum mem_pages pages, const char *what, struct err *e);
void mem_unmap(struct mem *m);

/*
 * After the first touch: what the kernel really gave, from /proc/self/smaps, as
 * "4k", "thp", "2m", "1g", or "thp+4k" if only part is huge. An explicit thp that
 * got no huge page at all is an error, and so is memory nobody touched yet. "" for
 * no bytes. 0 or -1.
 */
int mem_pages_got(const struct mem *m, char got[16], struct err *e);

#endif
