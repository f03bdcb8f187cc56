// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv_write - rows go down whole or not at all
 *
 * A sweep may run for days: what it finished must be on disk when the machine goes
 * down, and a full disk must not leave half a row that spoils the file.
 */
#include "csv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct csv_writer {
	int fd;
	char *path;
	bool regular; /* can be cut, and was meant to last */
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

/* The line of a row, with its end; *len excludes the terminating 0. Caller frees. */
static char *make_line(const char *const field[NR_COLS], size_t *len)
{
	size_t size = 1;
	char *line, *p;

	for (int c = 0; c < NR_COLS; c++)
		size += 1 + (field[c] ? quoted_length(field[c]) : 0);
	p = line = xcalloc(size, 1);
	for (int c = 0; c < NR_COLS; c++) {
		if (field[c])
			p = put_field(p, field[c]);
		*p++ = c + 1 < NR_COLS ? ',' : '\n';
	}
	*len = (size_t)(p - line);
	return line;
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

static int write_line(struct csv_writer *w, const char *const field[NR_COLS], struct err *e)
{
	off_t start = end_of(w);
	size_t len;
	char *line = make_line(field, &len);
	int error = write_all(w->fd, line, len) || sync_data(w) ? errno : 0;

	free(line);
	if (!error)
		return 0;
	err_set(e, "%s: cannot write a row: %s", w->path, strerror(error));
	if (start >= 0 && (ftruncate(w->fd, start) || lseek(w->fd, start, SEEK_SET) < 0))
		err_set(e, "%s: a row was cut short and could not be removed: %s", w->path,
			strerror(errno));
	return -1;
}

static int write_header(struct csv_writer *w, struct err *e)
{
	return write_line(w, csv_names, e);
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

/* A crash or a power cut may have left the last row without its end. */
static int check_last_line(const struct csv_writer *w, off_t size, struct err *e)
{
	size_t line = 1;
	char buf[65536], last = 0;
	ssize_t n;

	for (off_t at = 0; at < size; at += n) {
		n = pread(w->fd, buf, sizeof(buf), at);
		if (n <= 0)
			return err_set(e, "%s: cannot read: %s", w->path,
				       n ? strerror(errno) : "the file became shorter");
		for (ssize_t i = 0; i < n; i++)
			line += buf[i] == '\n';
		last = buf[n - 1];
	}
	if (last != '\n')
		return err_set(
			e,
			"%s:%zu: cannot append: the last line has no end, its run was cut "
			"short (remove that line)",
			w->path, line);
	return 0;
}

static int check_file(const struct csv_writer *w, off_t size, struct err *e)
{
	struct csv_file *f;
	int ret;

	if (check_last_line(w, size, e) || csv_read(w->path, &f, e))
		return -1;
	ret = check_header(f, e);
	csv_file_free(f);
	return ret;
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

static int prepare(struct csv_writer *w, struct err *e)
{
	bool own = strcmp(w->path, "-") != 0;
	struct stat st;

	if (fstat(w->fd, &st))
		return err_set(e, "%s: %s", w->path, strerror(errno));
	w->regular = S_ISREG(st.st_mode);
	if (!own || !w->regular)
		return write_header(w, e);
	if (lock_file(w, e))
		return -1;
	/* the size again: what another process wrote until it let go of the lock counts */
	if (fstat(w->fd, &st))
		return err_set(e, "%s: %s", w->path, strerror(errno));
	return st.st_size ? check_file(w, st.st_size, e) : write_header(w, e);
}

int csv_open(const char *path, struct csv_writer **out, struct err *e)
{
	struct csv_writer *w = xcalloc(1, sizeof(*w));

	/* beyond a limit on file sizes: an error to report, not a signal to die of */
	signal(SIGXFSZ, SIG_IGN);
	w->path = xstrdup(path);
	w->fd = STDOUT_FILENO;
	if (strcmp(path, "-") && open_path(w, path, e))
		goto out_free;
	if (prepare(w, e))
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

int csv_write(struct csv_writer *w, const struct csv_row *r, struct err *e)
{
	return write_line(w, (const char *const *)r->field, e);
}

int csv_close(struct csv_writer *w, struct err *e)
{
	int ret = 0;

	if (w->fd != STDOUT_FILENO && close(w->fd))
		ret = err_set(e, "%s: cannot close: %s", w->path, strerror(errno));
	free(w->path);
	free(w);
	return ret;
}
