/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record - write down what an engine does to its hash tables
 *
 * One header, nothing to link: copy it into an engine (C99 or C++) and call one
 * inline function per table operation. Each thread has its own buffer, touched
 * beforehand, so recording takes no lock, no system call and no page fault; a full
 * buffer counts what it drops instead of growing. The files are written at the end
 * and joined by `tearline trace import --out F FILE...`.
 *
 *	#include "record.h"
 *	static struct tlrec rec[MAX_THREADS];
 *
 *	tlrec_open(&rec[me], me, 10000000);		// each thread, once; 32 bytes a record
 *	if (me == 0)
 *		tlrec_new_generation(&rec[me], tlrec_now(), root_key, age);
 *	...
 *	uint64_t t = tlrec_now();			// before the access, before any lock
 *	hit = probe(key, &entry);
 *	tlrec_tt_probe(&rec[me], t, key, depth, TLREC_NO_DEPTH, alpha, beta, ply, hit, 0);
 *	...
 *	t = tlrec_now();
 *	store(key, move, score, depth, ...);
 *	tlrec_tt_store(&rec[me], t, key, move, score, depth, TLREC_LOWER, ply, 0);
 *	...
 *	snprintf(name, sizeof(name), "run.t%u.raw", me);
 *	if (tlrec_write(&rec[me], name, "Engine 1.0 abc1234") || rec[me].dropped)
 *		complain();				// errno says why
 *	tlrec_close(&rec[me]);
 *
 * Keys are hashes, all bits of which vary, as a table's own are: its lines are chosen by the
 * top ones, so that numbers counted up, say, would all meet in one.
 *
 * Order matters: take a stamp, do the access, record it, before the thread takes
 * the next stamp. A new generation and a clear are recorded once, by thread 0, and
 * hold for all threads.
 *
 * File, all little-endian: 64 bytes of header (8 "RAWTRC01", u32 record size 32,
 * u32 thread, u64 records, u64 clock frequency in Hz, 32 bytes engine and commit,
 * NUL padded), then records of 32 bytes: u64 key, u64 stamp, u32 move, i16 value
 * (probes: alpha), i16 beta, u8 op, u8 depth, u8 bound, u8 hit, u16 ply, u8
 * next_depth, u8 flags. Values beyond a field are clamped, never wrapped.
 */
#ifndef TEARLINE_RECORD_H
#define TEARLINE_RECORD_H

/* Strict ISO C hides the POSIX clock; where we come first, ask for it. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && \
	!defined(_DEFAULT_SOURCE) && !defined(_XOPEN_SOURCE)
#define _POSIX_C_SOURCE 200112L
#endif

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CLOCK_MONOTONIC
#error "include record.h before the standard headers, or compile with -D_POSIX_C_SOURCE=200112L"
#endif

#define TLREC_NO_DEPTH 0xff /* next_depth unknown */
#define TLREC_NO_PLY 0xffff /* distance from the root unknown */

enum tlrec_op {
	TLREC_TT_PROBE,
	TLREC_TT_STORE,
	TLREC_PAWN_PROBE,
	TLREC_PAWN_STORE,
	TLREC_EVAL_PROBE,
	TLREC_EVAL_STORE,
	TLREC_NEW_GENERATION,
	TLREC_CLEAR
};

enum tlrec_bound { TLREC_NONE, TLREC_UPPER, TLREC_LOWER, TLREC_EXACT };

/* What the engine's own table said: "usable" allows a cutoff. */
enum tlrec_hit { TLREC_MISS, TLREC_FOUND, TLREC_USABLE };

/* flags: bit 0 is the threat bit, bits 1 to 3 are the engine's own, the rest 0. */
#define TLREC_THREAT 0x01
#define TLREC_FLAGS 0x0f

struct tlrec_record {
	uint64_t key;
	uint64_t stamp;
	uint32_t move;
	int16_t value;
	int16_t beta;
	uint8_t op;
	uint8_t depth;
	uint8_t bound;
	uint8_t hit;
	uint16_t ply;
	uint8_t next_depth;
	uint8_t flags;
};

struct tlrec {
	struct tlrec_record *record;
	uint64_t nr, capacity;
	uint64_t dropped; /* records that found the buffer full */
	uint32_t thread;
	uint64_t open_stamp, open_ns; /* to learn the clock's frequency by */
};

/* The processor's own time stamp, the same on all cores; read without a system call. */
static inline uint64_t tlrec_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
	uint32_t lo, hi;

	__asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
#endif
}

static inline uint64_t tlrec_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Allocate and touch room for `capacity` records; 0, or -1 with errno. */
static inline int tlrec_open(struct tlrec *r, uint32_t thread, uint64_t capacity)
{
	volatile char *touch;
	uint64_t i, bytes = capacity * sizeof(*r->record);

	memset(r, 0, sizeof(*r));
	r->thread = thread;
	if (!capacity || capacity > SIZE_MAX / sizeof(*r->record)) {
		errno = EINVAL;
		return -1;
	}
	r->record = (struct tlrec_record *)malloc((size_t)bytes);
	if (!r->record)
		return -1;
	/* Every page, through a volatile pointer: a memset() after malloc() may become
	 * a calloc(), which touches nothing. */
	touch = (volatile char *)r->record;
	for (i = 0; i < bytes; i += 1024)
		touch[i] = 0;
	r->capacity = capacity;
	r->open_ns = tlrec_ns();
	r->open_stamp = tlrec_now();
	return 0;
}

static inline void tlrec_close(struct tlrec *r)
{
	free(r->record);
	memset(r, 0, sizeof(*r));
}

static inline int16_t tlrec_clamp16(int v)
{
	return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

static inline uint8_t tlrec_clamp_depth(int v)
{
	return (uint8_t)(v < 0 ? 0 : v > 254 ? 254 : v);
}

static inline uint16_t tlrec_clamp_ply(int v)
{
	return (uint16_t)(v < 0 || v > 0xffff ? TLREC_NO_PLY : v);
}

/* The next free record with what all have in common; NULL if there is none. */
static inline struct tlrec_record *tlrec_next(struct tlrec *r, uint64_t stamp, uint64_t key,
					      enum tlrec_op op)
{
	struct tlrec_record *x;

	if (r->nr >= r->capacity) {
		r->dropped++;
		return NULL;
	}
	x = &r->record[r->nr++];
	x->key = key;
	x->stamp = stamp;
	x->move = 0;
	x->value = 0;
	x->beta = 0;
	x->op = (uint8_t)op;
	x->depth = 0;
	x->bound = TLREC_NONE;
	x->hit = TLREC_MISS;
	x->ply = TLREC_NO_PLY;
	x->next_depth = TLREC_NO_DEPTH;
	x->flags = 0;
	return x;
}

/* next_depth: depth of the null move that would follow, or TLREC_NO_DEPTH. */
static inline void tlrec_tt_probe(struct tlrec *r, uint64_t stamp, uint64_t key, int depth,
				  int next_depth, int alpha, int beta, int ply,
				  enum tlrec_hit hit, unsigned flags)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_TT_PROBE);

	if (!x)
		return;
	x->value = tlrec_clamp16(alpha);
	x->beta = tlrec_clamp16(beta);
	x->depth = tlrec_clamp_depth(depth);
	x->next_depth = next_depth == TLREC_NO_DEPTH ? (uint8_t)TLREC_NO_DEPTH
						     : tlrec_clamp_depth(next_depth);
	x->ply = tlrec_clamp_ply(ply);
	x->hit = (uint8_t)hit;
	x->flags = (uint8_t)(flags & TLREC_FLAGS);
}

/* move: the engine's encoding, 0 none. */
static inline void tlrec_tt_store(struct tlrec *r, uint64_t stamp, uint64_t key, uint32_t move,
				  int value, int depth, enum tlrec_bound bound, int ply,
				  unsigned flags)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_TT_STORE);

	if (!x)
		return;
	x->move = move;
	x->value = tlrec_clamp16(value);
	x->depth = tlrec_clamp_depth(depth);
	x->bound = (uint8_t)bound;
	x->ply = tlrec_clamp_ply(ply);
	x->flags = (uint8_t)(flags & TLREC_FLAGS);
}

static inline void tlrec_pawn_probe(struct tlrec *r, uint64_t stamp, uint64_t key,
				    enum tlrec_hit hit)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_PAWN_PROBE);

	if (x)
		x->hit = (uint8_t)hit;
}

static inline void tlrec_pawn_store(struct tlrec *r, uint64_t stamp, uint64_t key, int value)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_PAWN_STORE);

	if (!x)
		return;
	x->value = tlrec_clamp16(value);
	x->bound = TLREC_EXACT;
}

/* alpha, beta: 0, 0 where the evaluation knows no window. */
static inline void tlrec_eval_probe(struct tlrec *r, uint64_t stamp, uint64_t key, int alpha,
				    int beta, enum tlrec_hit hit, unsigned flags)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_EVAL_PROBE);

	if (!x)
		return;
	x->value = tlrec_clamp16(alpha);
	x->beta = tlrec_clamp16(beta);
	x->hit = (uint8_t)hit;
	x->flags = (uint8_t)(flags & TLREC_FLAGS);
}

static inline void tlrec_eval_store(struct tlrec *r, uint64_t stamp, uint64_t key, int value)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_EVAL_STORE);

	if (!x)
		return;
	x->value = tlrec_clamp16(value);
	x->bound = TLREC_EXACT;
}

/* A new search began, or entries age by one. Key and age may be 0. Thread 0 only. */
static inline void tlrec_new_generation(struct tlrec *r, uint64_t stamp, uint64_t key,
					uint32_t age)
{
	struct tlrec_record *x = tlrec_next(r, stamp, key, TLREC_NEW_GENERATION);

	if (x)
		x->move = age;
}

/* All tables were emptied. Thread 0 only. */
static inline void tlrec_clear(struct tlrec *r, uint64_t stamp)
{
	tlrec_next(r, stamp, 0, TLREC_CLEAR);
}

static inline unsigned char *tlrec_put(unsigned char *p, uint64_t v, unsigned bytes)
{
	for (; bytes; bytes--, v >>= 8)
		*p++ = (unsigned char)v;
	return p;
}

/* Ticks of tlrec_now() in a second; waits until 20 ms have passed since tlrec_open(). */
static inline uint64_t tlrec_hz(const struct tlrec *r)
{
#if defined(__aarch64__)
	uint64_t hz;

	(void)r;
	__asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
#else
	uint64_t ns, ticks;

	do {
		ns = tlrec_ns() - r->open_ns;
		ticks = tlrec_now() - r->open_stamp;
	} while (ns < 20000000u);
	return (uint64_t)((double)ticks * 1e9 / (double)ns + 0.5);
#endif
}

static inline int tlrec_write_header(const struct tlrec *r, FILE *f, const char *engine)
{
	unsigned char h[64] = { 0 }, *p = h;
	size_t len = strlen(engine);

	memcpy(p, "RAWTRC01", 8);
	p = tlrec_put(p + 8, 32, 4);
	p = tlrec_put(p, r->thread, 4);
	p = tlrec_put(p, r->nr, 8);
	p = tlrec_put(p, tlrec_hz(r), 8);
	memcpy(p, engine, len < 32 ? len : 32);
	return fwrite(h, sizeof(h), 1, f) == 1 ? 0 : -1;
}

static inline int tlrec_write_record(const struct tlrec_record *x, FILE *f)
{
	unsigned char b[32], *p = b;

	p = tlrec_put(p, x->key, 8);
	p = tlrec_put(p, x->stamp, 8);
	p = tlrec_put(p, x->move, 4);
	p = tlrec_put(p, (uint16_t)x->value, 2);
	p = tlrec_put(p, (uint16_t)x->beta, 2);
	*p++ = x->op;
	*p++ = x->depth;
	*p++ = x->bound;
	*p++ = x->hit;
	p = tlrec_put(p, x->ply, 2);
	*p++ = x->next_depth;
	*p++ = x->flags;
	return fwrite(b, sizeof(b), 1, f) == 1 ? 0 : -1;
}

/*
 * Write the thread's file. `engine`: name and commit, up to 32 characters; the same
 * for all threads. 0, or -1 with errno; `tearline trace import` refuses what was left
 * cut short. Dropped records are not in the file: look at r->dropped.
 */
static inline int tlrec_write(const struct tlrec *r, const char *path, const char *engine)
{
	FILE *f = fopen(path, "wb");
	int bad, why;
	uint64_t i;

	if (!f)
		return -1;
	bad = tlrec_write_header(r, f, engine);
	for (i = 0; i < r->nr && !bad; i++)
		bad = tlrec_write_record(&r->record[i], f);
	why = errno;
	if (fclose(f) && !bad) {
		why = errno;
		bad = -1;
	}
	errno = why;
	return bad;
}

#endif
