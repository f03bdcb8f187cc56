/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * util - errors, numbers, seeds and clocks
 *
 * A function that can fail on what a user gave it takes a struct err, writes one
 * line into it that names the file or option, the place and what was expected,
 * and returns -1. Only commands print such a line, and then exit with 2.
 */
#ifndef TEARLINE_UTIL_H
#define TEARLINE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/cdefs.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CACHE_LINE 64

enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

struct err {
	char text[768];
};

/*
 * Format the error line; always returns -1, so that callers `return err_set(...)`. It is one
 * line, of UTF-8, whatever the names in it are: control characters and bytes that are part of
 * no character become "\xNN". An argument may be the text of *e itself.
 */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print "tearline: <text>" on stderr; returns EXIT_USAGE for `return err_report(&e)`. */
int err_report(const struct err *e);

/*
 * Open a regular file for reading. Anything else, which may never end or have nothing to say,
 * is refused with what it is, and no pipe is waited for. The file's size goes to *bytes.
 * A descriptor, or -1.
 */
int open_regular(const char *path, uint64_t *bytes, struct err *e);

/* "zstd", "gzip", ... if a file that begins with these bytes is compressed, else NULL. */
const char *compressed_with(const void *head, size_t bytes);

/* Do these two names, or a name and a descriptor, stand for one file? */
bool is_same_file(const char *a, const char *b);
bool is_open_file(int fd, const char *path);

/* How much of a text of `len` bytes ends with a whole character of UTF-8: len, or a bit less. */
size_t utf8_whole(const char *text, size_t len);

/* Allocate or exit with 2: for small, bounded memory only. Tables use mem.h. */
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Without the blanks around it: the text is cut, its beginning returned. */
char *trim(char *s);

/* Whole decimal number within [min, max]; 0 or -1, sets nothing on failure. */
int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);
/* Decimal number with '.', whatever the locale: digits[.digits], nothing else. */
int parse_decimal(const char *s, double *out);

/* splitmix64 (Steele, Lea, Flood 2014): one step of the generator, and its mixer. */
static inline uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(uint64_t *state)
{
	return mix64(*state += 0x9e3779b97f4a7c15ull);
}

/* Uniform in [0, n), n > 0, without modulo bias worth the name (Lemire 2019). */
static inline uint64_t rng_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(state) * n) >> 64);
}

/*
 * The first thing that a program does. A standard stream that was closed at the start gets a
 * descriptor that can neither be read nor written: else the next file that is opened would
 * take its place, and messages would go into it. Beyond a limit on file sizes a write fails,
 * and the process does not die with half a file.
 */
void process_prepare(void);

/* Write it all, however often the kernel takes a part; 0, or -1 with errno set. */
int write_all(int fd, const char *from, size_t bytes);

/* Was all that was printed written? 0, or -1 with errno saying why not. */
int flush_all(FILE *f);

/* Monotonic clock, nanoseconds. */
uint64_t now_ns(void);

#endif
