// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv_write - rows go down whole or not at all
 *
 * A sweep may run for days: what it finished must be on disk when the machine goes
 * down, and a full disk must not leave half a row that spoils the file. The rows of one
 * trial go down in one write, so that a kill leaves all of them or none. Before each write
 * the file is looked at: rows that go into one that somebody has removed are lost.
 */
#include "csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct csv_writer {
	int fd;
	char *path;
	bool regular; /* can be cut, and was meant to last */
	bool own; /* a regular file that we opened, locked and nobody else changes */
	struct stat seen; /* own: as we left it */
};

static size_t quoted_length(const char *s)
{
	size_t nr = 2;

	for (; *s; s++)
		nr += 1 + (*s == '"');
	return nr;
}

static char *put_field(char *p, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")])
		return stpcpy(p, s);
	*p++ = '"';
	for (; *s; s++) {
		if (*s == '"')
			*p++ = '"';
		*p++ = *s;
	}
	*p++ = '"';
	return p;
}

static char *put_line(char *p, const char *const field[NR_COLS])
{
	for (int c = 0; c < NR_COLS; c++) {
		if (field[c])
			p = put_field(p, field[c]);
		*p++ = c + 1 < NR_COLS ? ',' : '\n';
	}
	return p;
}

/* At most. */
static size_t line_length(const char *const field[NR_COLS])
{
	size_t size = 0;

	for (int c = 0; c < NR_COLS; c++)
		size += 1 + (field[c] ? quoted_length(field[c]) : 0);
	return size;
}

static int sync_data(const struct csv_writer *w)
{
	int ret;

	if (!w->regular)
		return 0;
	do
		ret = fdatasync(w->fd);
	while (ret && errno == EINTR);
	/* some file systems have no such call; that is no reason to stop */
	return ret && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP ? -1 : 0;
}

/* Where the next row will begin: the end of the file, also for a redirected stdout. */
static off_t end_of(const struct csv_writer *w)
{
	return w->regular ? lseek(w->fd, 0, SEEK_END) : -1;
}

/* Is what stands under the path still the file that we write to, and as we left it? */
static int check_untouched(const struct csv_writer *w, struct err *e)
{
	struct stat there, ours;

	if (!w->own)
		return 0;
	if (fstat(w->fd, &ours))
		return err_set(e, "%s: %s", w->path, strerror(errno));
	if (stat(w->path, &there) || there.st_dev != ours.st_dev || there.st_ino != ours.st_ino)
		return err_set(e,
			       "%s: removed, renamed or replaced while this run wrote to it: "
			       "rows are lost or elsewhere",
			       w->path);
	if (ours.st_size != w->seen.st_size)
		return err_set(e,
			       "%s: %s while this run wrote to it: expected %jd bytes, found "
			       "%jd",
			       w->path,
			       ours.st_size < w->seen.st_size ? "cut short, so that rows are "
								"lost," :
								"written to by another program",
			       (intmax_t)w->seen.st_size, (intmax_t)ours.st_size);
	return 0;
}

static int remember_size(struct csv_writer *w, struct err *e)
{
	if (fstat(w->fd, &w->seen))
		return err_set(e, "%s: %s", w->path, strerror(errno));
	return 0;
}

static int write_text(struct csv_writer *w, const char *text, size_t len, struct err *e)
{
	off_t start = end_of(w);
	int error = write_all(w->fd, text, len) || sync_data(w) ? errno : 0;

	if (!error)
		return remember_size(w, e);
	err_set(e, "%s: cannot write a row: %s", w->path, strerror(error));
	if (start >= 0 && (ftruncate(w->fd, start) || lseek(w->fd, start, SEEK_SET) < 0))
		err_set(e, "%s: a row was cut short and could not be removed: %s", w->path,
			strerror(errno));
	return -1;
}

static int write_header(struct csv_writer *w, struct err *e)
{
	char *text = xcalloc(line_length(csv_names), 1);
	int ret = write_text(w, text, (size_t)(put_line(text, csv_names) - text), e);

	free(text);
	return ret;
}

static int check_header(const struct csv_file *f, struct err *e)
{
	for (size_t c = 0; c < NR_COLS || c < f->nr_cols; c++) {
		const char *want = c < NR_COLS ? csv_names[c] : "no more columns";
		const char *got = c < f->nr_cols ? f->name[c] : "no more columns";

		if (strcmp(want, got))
			return err_set(e,
				       "%s: cannot append: column %zu: expected %s, got %s "
				       "(another version's file? write to a new one)",
				       f->path, c + 1, want, got);
	}
	return 0;
}

/*
 * What a crash or a power cut left of the last rows: from where on, in which line, and how
 * many lines it goes on for. A line ends where no quote is open.
 */
struct torn {
	off_t at;
	size_t line, lines;
};

static int find_torn(const struct csv_writer *w, struct torn *t, struct err *e)
{
	bool quoted = false;
	char buf[65536];
	ssize_t n;

	*t = (struct torn){ .line = 1 };
	for (off_t at = 0; at < w->seen.st_size; at += n) {
		n = pread(w->fd, buf, sizeof(buf), at);
		if (n <= 0)
			return err_set(e, "%s: cannot read: %s", w->path,
				       n ? strerror(errno) : "the file became shorter");
		for (ssize_t i = 0; i < n; i++) {
			quoted ^= buf[i] == '"';
			if (buf[i] != '\n')
				continue;
			t->lines++;
			if (quoted)
				continue;
			t->at = at + i + 1;
			t->line += t->lines;
			t->lines = 0;
		}
	}
	return 0;
}

/* Does the file begin as ours do, as far as it goes? */
static bool begins_as_ours(const struct csv_writer *w)
{
	size_t most = line_length(csv_names);
	char *want = xcalloc(2 * most, 1), *got = want + most;
	size_t len = (size_t)(put_line(want, csv_names) - want);
	ssize_t n = pread(w->fd, got, len, 0);
	bool same = n > 0 && !memcmp(want, got, (size_t)n);

	free(want);
	return same;
}

static int cut_at(struct csv_writer *w, off_t size, struct err *e)
{
	if (ftruncate(w->fd, size))
		return err_set(e, "%s: cannot cut off what a crash left: %s", w->path,
			       strerror(errno));
	return remember_size(w, e);
}

static int read_rows(const struct csv_writer *w, struct csv_file **f, struct err *e)
{
	if (csv_read(w->path, f, e))
		return -1;
	if (!check_header(*f, e))
		return 0;
	csv_file_free(*f);
	return -1;
}

/* More lines than that are no row of ours: a quote is open since somewhere before. */
#define MAX_TORN_LINES 16

/* The rows of a file that is there; what a crash left at its end is cut off, or an error. */
static int check_file(struct csv_writer *w, bool mend, struct csv_file **f, struct err *e)
{
	struct torn t;

	if (find_torn(w, &t, e))
		return -1;
	if (t.at == w->seen.st_size || t.lines > MAX_TORN_LINES || !begins_as_ours(w))
		return read_rows(w, f, e);
	if (!mend)
		return err_set(e,
			       "%s:%zu: cannot append: the last line has no end, its run was "
			       "cut short (remove that line, or let sweep --resume do it)",
			       w->path, t.line);
	fprintf(stderr, "%s:%zu: the last line has no end, its run was cut short: removed\n",
		w->path, t.line);
	if (cut_at(w, t.at, e) || (!t.at && write_header(w, e)))
		return -1;
	return read_rows(w, f, e);
}

static int open_path(struct csv_writer *w, const char *path, struct err *e)
{
	struct stat st;
	/* a pipe opened for reading too would never tell that its reader went away */
	bool special = !stat(path, &st) && !S_ISREG(st.st_mode);
	int flags = special ? O_WRONLY : O_RDWR | O_CREAT | O_APPEND;

	w->fd = open(path, flags | O_CLOEXEC, 0644);
	if (w->fd < 0)
		return err_set(e, "%s: cannot open for writing: %s", path, strerror(errno));
	return 0;
}

/* Two processes that append to one file would cut off each other's rows. */
static int lock_file(const struct csv_writer *w, struct err *e)
{
	if (flock(w->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return err_set(e, "%s: another tearline is writing to this file", w->path);
	return 0;
}

static int prepare(struct csv_writer *w, bool mend, struct csv_file **f, struct err *e)
{
	bool own = strcmp(w->path, "-") != 0;
	struct stat st;

	if (fstat(w->fd, &st))
		return err_set(e, "%s: %s", w->path, strerror(errno));
	w->regular = S_ISREG(st.st_mode);
	w->own = own && w->regular;
	/* the size again: what another process wrote until it let go of the lock counts */
	if (w->own && (lock_file(w, e) || remember_size(w, e)))
		return -1;
	if (mend && !w->own)
		return err_set(e, "%s: expected a regular file to resume", w->path);
	if (!w->own || !w->seen.st_size)
		return write_header(w, e);
	return check_file(w, mend, f, e);
}

/* mend: cut off what a crash left at the end. *f: the rows that are there, or NULL. */
static int open_writer(const char *path, bool mend, struct csv_writer **out,
		       struct csv_file **f, struct err *e)
{
	struct csv_writer *w = xcalloc(1, sizeof(*w));

	*f = NULL;
	w->path = xstrdup(path);
	w->fd = STDOUT_FILENO;
	if (strcmp(path, "-") && open_path(w, path, e))
		goto out_free;
	if (prepare(w, mend, f, e))
		goto out_close;
	*out = w;
	return 0;
out_close:
	if (w->fd != STDOUT_FILENO)
		close(w->fd);
out_free:
	free(w->path);
	free(w);
	return -1;
}

int csv_open(const char *path, struct csv_writer **out, struct err *e)
{
	struct csv_file *f;

	if (open_writer(path, false, out, &f, e))
		return -1;
	if (f)
		csv_file_free(f);
	return 0;
}

int csv_resume(const char *path, struct csv_writer **out, struct csv_file **f, struct err *e)
{
	return open_writer(path, true, out, f, e);
}

/* Where a line begins. */
static int find_line(const struct csv_writer *w, size_t line, off_t *at, struct err *e)
{
	char buf[65536];
	ssize_t n;

	for (*at = 0; line > 1; *at += n) {
		n = pread(w->fd, buf, sizeof(buf), *at);
		if (n <= 0)
			return err_set(e, "%s: cannot read: %s", w->path,
				       n ? strerror(errno) : "the file became shorter");
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] == '\n' && --line == 1)
				n = i + 1;
	}
	return 0;
}

int csv_cut(struct csv_writer *w, const struct csv_file *f, size_t row, struct err *e)
{
	off_t at;

	if (row == f->nr_rows)
		return 0;
	return find_line(w, f->line[row], &at, e) ? -1 : cut_at(w, at, e);
}

int csv_write(struct csv_writer *w, const struct csv_row *row, size_t nr, struct err *e)
{
	char *text, *p;
	size_t size = 1;
	int ret;

	for (size_t i = 0; i < nr; i++)
		size += line_length((const char *const *)row[i].field);
	p = text = xcalloc(size, 1);
	for (size_t i = 0; i < nr; i++)
		p = put_line(p, (const char *const *)row[i].field);
	ret = check_untouched(w, e);
	if (!ret)
		ret = write_text(w, text, (size_t)(p - text), e);
	free(text);
	return ret;
}

int csv_close(struct csv_writer *w, struct err *e)
{
	int ret = check_untouched(w, e);

	if (w->fd != STDOUT_FILENO && close(w->fd))
		ret = err_set(e, "%s: cannot close: %s", w->path, strerror(errno));
	free(w->path);
	free(w);
	return ret;
}
