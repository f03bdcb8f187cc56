// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv_read - any RFC 4180 file with a header, decoded in place
 *
 * The file is read into one buffer and its fields are unquoted where they stand (they
 * only shrink), so that a cell is a pointer into it. Strict: what a spreadsheet would
 * guess about is an error with its line. What is no text, or never ends, is told at once.
 */
#include "csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct parser {
	struct csv_file *f;
	char *p, *end;
	size_t line; /* of the byte at p */
	size_t row_line; /* where the row under way began */
	size_t nr_cells, cap_cells;
	size_t cap_rows;
};

/* A quarter of a million rows and more; only what never ends is larger. */
#define MAX_SIZE (256u << 20)
/* All names of columns are within this much of the beginning. */
#define MAX_HEADER 65536

/* Nothing of a text is below a blank but its ends of line and tabs, and in UTF-8 nothing
 * from 0x80 to 0xbf follows an ASCII character. */
static bool is_binary(const char *p, size_t i)
{
	unsigned char c = (unsigned char)p[i];

	if (c < ' ')
		return c != '\t' && c != '\r';
	return (c & 0xc0) == 0x80 && (!i || (unsigned char)p[i - 1] < 0x80);
}

/* Where a header should be, that says which kind of file was named; further down it is one
 * bad field. */
static int check_beginning(const char *path, const char *p, size_t len, struct err *e)
{
	const char *end = memchr(p, '\n', len);

	if (end)
		len = (size_t)(end - p);
	for (size_t i = 0; i < len; i++)
		if (is_binary(p, i))
			return err_set(
				e,
				"%s: no CSV: binary data where the columns' names should "
				"be (of a trace, ask tearline trace info)",
				path);
	if (len >= MAX_HEADER)
		return err_set(e, "%s: no CSV: the first line has no end within %u bytes", path,
			       MAX_HEADER);
	return 0;
}

static int read_all(int fd, struct csv_file *f, size_t *len, struct err *e)
{
	size_t cap = 2 * MAX_HEADER, seen = 0;
	ssize_t n;

	*len = 0;
	f->data = xrealloc(NULL, cap);
	while ((n = read(fd, f->data + *len, cap - *len - 1)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, "%s: cannot read: %s", f->path, strerror(errno));
		*len += (size_t)n;
		if (seen <= MAX_HEADER && check_beginning(f->path, f->data, *len, e))
			return -1;
		seen = *len;
		if (*len > MAX_SIZE)
			return err_set(e, "%s: no results: more than %u MiB", f->path,
				       MAX_SIZE >> 20);
		if (cap - *len - 1 == 0)
			f->data = xrealloc(f->data, cap *= 2);
	}
	f->data[*len] = 0;
	return 0;
}

/* Files and pipes end; devices may not, except for a terminal at which somebody sits. */
static int check_kind(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, "%s: %s", path, strerror(errno));
	if (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd))
		return 0;
	return err_set(e, "%s: expected a CSV file, got a %s", path,
		       S_ISDIR(st.st_mode) ? "directory" : "device");
}

/* A pipe that nobody writes to is empty, and not waited for. */
static int open_input(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(e, "%s: cannot open: %s", path, strerror(errno));
	if (!fcntl(fd, F_SETFL, 0))
		return fd;
	err_set(e, "%s: cannot read: %s", path, strerror(errno));
	close(fd);
	return -1;
}

static int slurp(const char *path, struct csv_file *f, size_t *len, struct err *e)
{
	bool std = !strcmp(path, "-");
	int fd = std ? STDIN_FILENO : open_input(path, e);
	int ret;

	if (fd < 0)
		return -1;
	ret = check_kind(fd, path, e) ? -1 : read_all(fd, f, len, e);
	if (!std)
		close(fd);
	return ret;
}

static int fail(const struct parser *s, size_t line, const char *what, struct err *e)
{
	return err_set(e, "%s:%zu: %s", s->f->path, line, what);
}

/* One quoted field, s->p behind the opening quote; unquoted text goes to *to. */
static int parse_quoted(struct parser *s, char **to, struct err *e)
{
	size_t begin = s->line;

	for (; s->p < s->end; s->p++) {
		if (*s->p == '"' && s->p[1] == '"')
			s->p++;
		else if (*s->p == '"')
			break;
		if (!*s->p)
			return fail(s, s->line, "a zero byte: this is no text file", e);
		s->line += *s->p == '\n';
		*(*to)++ = *s->p;
	}
	if (s->p == s->end)
		return fail(s, begin, "a quote is opened here and never closed", e);
	s->p++;
	if (s->p < s->end && *s->p != ',' && *s->p != '\n' && *s->p != '\r')
		return fail(s, s->line, "expected a comma or the end of the line after a quote",
			    e);
	return 0;
}

static int parse_plain(struct parser *s, char **to, struct err *e)
{
	size_t len = strcspn(s->p, ",\"\r\n");

	s->p += len;
	*to = s->p;
	if (*s->p == '"')
		return fail(s, s->line, "a quote inside a field that does not begin with one",
			    e);
	return 0;
}

/* The field at s->p, 0-terminated; *more: a comma followed it. */
static int parse_field(struct parser *s, char **cell, bool *more, struct err *e)
{
	bool quoted = *s->p == '"';
	char *to = s->p, *close;

	*cell = to;
	s->p += quoted;
	if (quoted ? parse_quoted(s, &to, e) : parse_plain(s, &to, e))
		return -1;
	close = s->p;
	*more = close < s->end && *close == ',';
	if (close < s->end && *close == '\r' && close[1] != '\n')
		return fail(s, s->line, "a carriage return that ends no line", e);
	if (close < s->end && *close == 0)
		return fail(s, s->line, "a zero byte: this is no text file", e);
	s->p += close < s->end ? 1 + (*close == '\r') : 0;
	s->line += close < s->end && !*more;
	*to = 0;
	return 0;
}

static void add_cell(struct parser *s, char *cell)
{
	if (s->nr_cells == s->cap_cells) {
		s->cap_cells = s->cap_cells ? s->cap_cells * 2 : 256;
		s->f->cell = xrealloc(s->f->cell, s->cap_cells * sizeof(*s->f->cell));
	}
	s->f->cell[s->nr_cells++] = cell;
}

/* One line's fields are appended to the cells; their number, or -1. */
static long parse_row(struct parser *s, struct err *e)
{
	bool more = true;
	long nr = 0;

	s->row_line = s->line;
	for (; more; nr++) {
		char *cell;

		if (parse_field(s, &cell, &more, e))
			return -1;
		add_cell(s, cell);
	}
	return nr;
}

static int check_names(const struct parser *s, struct err *e)
{
	const struct csv_file *f = s->f;

	for (size_t i = 0; i < f->nr_cols; i++) {
		if (!f->name[i][0])
			return err_set(e, "%s:1: no header: column %zu has no name", f->path,
				       i + 1);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(f->name[i], f->name[j]))
				return err_set(e,
					       "%s:1: column %s is there twice (%zu and %zu)",
					       f->path, f->name[i], j + 1, i + 1);
	}
	return 0;
}

static int parse_header(struct parser *s, struct err *e)
{
	long nr;

	if (s->p == s->end)
		return err_set(e, "%s: empty: expected a header with the columns' names",
			       s->f->path);
	nr = parse_row(s, e);
	if (nr < 0)
		return -1;
	s->f->name = s->f->cell;
	s->f->nr_cols = (size_t)nr;
	s->f->cell = NULL;
	s->nr_cells = s->cap_cells = 0;
	return check_names(s, e);
}

static int add_row(struct parser *s, size_t nr, struct err *e)
{
	struct csv_file *f = s->f;

	if (nr != f->nr_cols)
		return err_set(e, "%s:%zu: expected %zu fields as in the header, got %zu",
			       f->path, s->row_line, f->nr_cols, nr);
	if (f->nr_rows == s->cap_rows) {
		s->cap_rows = s->cap_rows ? s->cap_rows * 2 : 64;
		f->line = xrealloc(f->line, s->cap_rows * sizeof(*f->line));
	}
	f->line[f->nr_rows++] = s->row_line;
	return 0;
}

/* A line with nothing on it; where there is only one column it is a row like any other. */
static bool skip_blank(struct parser *s)
{
	size_t len = *s->p == '\n' ? 1 : *s->p == '\r' && s->p[1] == '\n' ? 2 : 0;

	if (!len || s->f->nr_cols == 1)
		return false;
	s->p += len;
	s->line++;
	return true;
}

static int parse(struct parser *s, struct err *e)
{
	if (parse_header(s, e))
		return -1;
	while (s->p < s->end) {
		long nr;

		if (skip_blank(s))
			continue;
		nr = parse_row(s, e);
		if (nr < 0 || add_row(s, (size_t)nr, e))
			return -1;
	}
	return 0;
}

int csv_read(const char *path, struct csv_file **out, struct err *e)
{
	struct csv_file *f = xcalloc(1, sizeof(*f));
	struct parser s = { .f = f, .line = 1 };
	size_t len = 0;

	f->path = xstrdup(path);
	if (slurp(path, f, &len, e))
		goto out_free;
	s.p = f->data;
	s.end = f->data + len;
	if (len >= 3 && !memcmp(s.p, "\xef\xbb\xbf", 3))
		s.p += 3;
	if (parse(&s, e))
		goto out_free;
	*out = f;
	return 0;
out_free:
	csv_file_free(f);
	return -1;
}

void csv_file_free(struct csv_file *f)
{
	free(f->path);
	free(f->name);
	free(f->cell);
	free(f->line);
	free(f->data);
	free(f);
}

int csv_find(const struct csv_file *f, const char *name)
{
	for (size_t i = 0; i < f->nr_cols; i++)
		if (!strcmp(f->name[i], name))
			return (int)i;
	return -1;
}
