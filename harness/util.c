// SPDX-License-Identifier: BSD-2-Clause
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Bytes of the character of UTF-8 at s, with at most `left` there; 0: none stands there, or one
 * that is cut short, longer than need be, a surrogate or beyond the last.
 */
static size_t utf8_char(const unsigned char *s, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	uint32_t c = len < 2 ? *s : *s & (0x7fu >> len);

	if (*s > 0xf4 || !len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
}

size_t utf8_whole(const char *text, size_t len)
{
	size_t at = len, need;
	unsigned char lead;

	/* back over what continues a character, to what begins it */
	while (at && len - at < 3 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (!at)
		return len;
	lead = (unsigned char)text[at - 1];
	need = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	return len - (at - 1) < need ? at - 1 : len;
}

/* C0 and C1: what a terminal obeys instead of showing it. */
static bool is_control(const unsigned char *s, size_t len)
{
	return (len == 1 && (*s < ' ' || *s == 0x7f)) ||
	       (len == 2 && *s == 0xc2 && s[1] < 0xa0);
}

int err_set(struct err *e, const char *fmt, ...)
{
	char raw[sizeof(e->text)];
	size_t at = 0, nr, len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	len = utf8_whole(raw, strlen(raw));
	for (size_t i = 0; i < len; i += nr) {
		const unsigned char *s = (const unsigned char *)raw + i;
		bool hidden;

		nr = utf8_char(s, len - i);
		hidden = !nr || is_control(s, nr);
		nr = nr ? nr : 1;
		if (at + (hidden ? 4 * nr : nr) >= sizeof(e->text))
			break;
		for (size_t k = 0; k < nr; k++)
			if (hidden)
				at += (size_t)sprintf(e->text + at, "\\x%02x", s[k]);
			else
				e->text[at++] = (char)s[k];
	}
	e->text[at] = '\0';
	return -1;
}

int err_report(const struct err *e)
{
	fprintf(stderr, "tearline: %s\n", e->text);
	return EXIT_USAGE;
}

/* What is no regular file, in words. */
static const char *sort_of_file(mode_t mode)
{
	return S_ISDIR(mode)	? "a directory"
	       : S_ISFIFO(mode) ? "a named pipe"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

int open_regular(const char *path, uint64_t *bytes, struct err *e)
{
	struct stat st;
	int fd;

	/* Asked first, so that nothing is opened that does something when it is; O_NONBLOCK for
	 * what has taken its place since. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, "%s: %s: expected a regular file", path,
			       sort_of_file(st.st_mode));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(e, "%s: cannot open: %s", path, strerror(errno));
	if (fstat(fd, &st)) {
		err_set(e, "%s: cannot stat: %s", path, strerror(errno));
		goto out_close;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(e, "%s: %s: expected a regular file", path, sort_of_file(st.st_mode));
		goto out_close;
	}
	*bytes = (uint64_t)st.st_size;
	return fd;
out_close:
	close(fd);
	return -1;
}

const char *compressed_with(const void *head, size_t bytes)
{
	static const struct {
		const char *name, *magic;
	} known[] = {
		{ "zstd", "\x28\xb5\x2f\xfd" }, { "gzip", "\x1f\x8b\x08" },
		{ "xz", "\xfd\x37zXZ" },	{ "bzip2", "BZh" },
		{ "lz4", "\x04\x22\x4d\x18" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t len = strlen(known[i].magic);

		if (bytes >= len && !memcmp(head, known[i].magic, len))
			return known[i].name;
	}
	return NULL;
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && is_one_file(&x, &y);
}

bool is_open_file(int fd, const char *path)
{
	struct stat x, y;

	return !fstat(fd, &x) && !stat(path, &y) && is_one_file(&x, &y);
}

static void *check_alloc(void *p)
{
	if (!p) {
		fputs("tearline: out of memory\n", stderr);
		exit(EXIT_USAGE);
	}
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	return check_alloc(calloc(nr ? nr : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return check_alloc(realloc(p, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check_alloc(strdup(s));
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return check_alloc(s);
}

char *trim(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len && strchr(" \t", s[len - 1]))
		s[--len] = '\0';
	return s;
}

int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -1;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return -1;
	}
	if (v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

int parse_decimal(const char *s, double *out)
{
	double v = 0, unit = 1;
	bool digits = false, point = false;

	for (; *s; s++) {
		if (*s == '.' && !point) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return -1;
		digits = true;
		v = v * 10 + (*s - '0');
		if (point)
			unit *= 10;
	}
	/* far too many digits: inf, or inf / inf */
	if (!digits || !isfinite(v / unit))
		return -1;
	*out = v / unit;
	return 0;
}

void process_prepare(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(EXIT_USAGE); /* nobody could be told */
	signal(SIGXFSZ, SIG_IGN);
}

int write_all(int fd, const char *from, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, from, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		from += n;
		bytes -= (size_t)n;
	}
	return 0;
}

int flush_all(FILE *f)
{
	if (fflush(f))
		return -1;
	if (!ferror(f))
		return 0;
	/* It failed earlier, and errno is of something else by now. */
	if (fcntl(fileno(f), F_GETFD) >= 0)
		errno = EIO;
	return -1;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
