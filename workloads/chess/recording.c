// SPDX-License-Identifier: BSD-2-Clause
#include "recording.h"

#include <sys/mman.h>
#include <unistd.h>

#include "policy.h"

/* A huge page: one page fault where there are such pages, tens of milliseconds after the last. */
#define BUFFER_BYTES (2u << 20)
#define BUFFER_OPS (BUFFER_BYTES / sizeof(struct tlrec_record))

/* Ready when a search begins: 4 million operations, of all threads. */
#define RESERVE_BYTES (128u << 20)

struct recording {
	struct recorder *thread;
	unsigned threads;
	uint64_t generations;
	struct tlrec clock; /* no buffer, just when it began */
};

uint64_t recording_usual_ops(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return bytes / 4 / sizeof(struct tlrec_record);
}

struct recording *recording_create(unsigned threads, uint64_t max_ops)
{
	struct recording *r = xcalloc(1, sizeof(*r));

	r->threads = threads;
	r->clock.open_ns = tlrec_ns();
	r->clock.open_stamp = tlrec_now();
	r->thread = aligned_alloc(128, threads * sizeof(*r->thread));
	if (!r->thread) {
		free(r);
		return NULL;
	}
	memset(r->thread, 0, threads * sizeof(*r->thread));
	for (unsigned i = 0; i < threads; i++)
		r->thread[i].room = max_ops / threads;
	return r;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->threads; i++) {
		struct recorder *one = &r->thread[i];

		for (size_t k = 0; k < one->nr; k++)
			tlrec_close(&one->buffer[k]);
		free(one->buffer);
	}
	free(r->thread);
	free(r);
}

struct recorder *recording_of(struct recording *r, unsigned thread)
{
	return &r->thread[thread];
}

/* What tlrec_open() does, on a huge page: twice as fast to touch than on many small ones. */
static int add_buffer(struct recorder *r)
{
	uint64_t nr = r->room < BUFFER_OPS ? r->room : BUFFER_OPS;
	char *page = nr ? aligned_alloc(BUFFER_BYTES, BUFFER_BYTES) : NULL;

	/* Where there is none to be had, the thread drops from now on. */
	if (!page) {
		r->room = 0;
		return -1;
	}
	r->room -= nr;
	madvise(page, BUFFER_BYTES, MADV_HUGEPAGE); /* a hint */
	for (size_t i = 0; i < BUFFER_BYTES; i += 4096)
		((volatile char *)page)[i] = 0;
	r->buffer = xrealloc(r->buffer, (r->nr + 1) * sizeof(*r->buffer));
	r->buffer[r->nr++] =
		(struct tlrec){ .record = (struct tlrec_record *)page, .capacity = nr };
	return 0;
}

/* What was recorded until now is in the buffers. */
static void put_back(struct recorder *r)
{
	if (r->used)
		r->buffer[r->used - 1] = r->now;
}

void recorder_more(struct recorder *r)
{
	if (r->used == r->nr && add_buffer(r))
		return;
	put_back(r);
	r->now = r->buffer[r->used++];
}

void recording_reserve(struct recording *r)
{
	size_t each = RESERVE_BYTES / BUFFER_BYTES / r->threads + 1;

	for (unsigned i = 0; i < r->threads; i++) {
		struct recorder *one = &r->thread[i];

		while (one->nr - one->used < each && !add_buffer(one))
			;
	}
}

void recording_generation(struct recording *r, uint64_t key)
{
	struct recorder *first = &r->thread[0];
	uint64_t stamp = recorder_stamp(first);

	tlrec_new_generation(&first->now, stamp, key, (uint32_t)++r->generations);
}

void recording_clear(struct recording *r)
{
	struct recorder *first = &r->thread[0];
	uint64_t stamp = recorder_stamp(first);

	tlrec_clear(&first->now, stamp);
	r->generations = 0;
}

uint64_t recording_ops(const struct recording *r)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < r->threads; i++) {
		const struct recorder *one = &r->thread[i];

		for (size_t k = 0; k + 1 < one->used; k++)
			nr += one->buffer[k].nr;
		nr += one->now.nr;
	}
	return nr;
}

uint64_t recording_dropped(const struct recording *r)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < r->threads; i++)
		nr += r->thread[i].now.dropped;
	return nr;
}

int recording_write(struct recording *r, const char *path, const char *source, struct err *e)
{
	struct trace_records *all = xcalloc(r->threads, sizeof(*all));
	struct trace *t;
	int ret;

	for (unsigned i = 0; i < r->threads; i++) {
		struct recorder *one = &r->thread[i];

		put_back(one);
		memset(&one->now, 0, sizeof(one->now));
		all[i] = (struct trace_records){ .thread = i,
						 .buffer = one->buffer,
						 .nr = one->used };
	}
	ret = trace_from_records(all, r->threads, source, tlrec_hz(&r->clock), TT_MATE_DEFAULT,
				 &t, e);
	free(all);
	if (ret)
		return -1;
	ret = trace_write_fast(t, path, e);
	trace_free(t);
	return ret;
}
