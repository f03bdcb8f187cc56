// SPDX-License-Identifier: BSD-2-Clause
/*
 * plot_draw - from a program for gnuplot to a file
 *
 * gnuplot reads the program from its standard input and answers on its standard output, both
 * of them memory: it opens no file by any name, so that no name can be a command to it. What
 * comes out is put down by us, who see whether the disk takes it, and under a name of its own
 * only when it is whole.
 */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const suffixes[] = { "png", "svg", "pdf", "gp" };

/* Pixels around the axes, and of a letter and a line of text. */
#define LEFT 92
#define TOP 34
#define BOTTOM 70
#define CAPTION 46
#define AXIS_WIDTH 600
#define LEAST_WIDTH 1000
#define LEAST_HEIGHT 700
#define LETTER 9.2
#define TITLE_LETTER 7.6
#define LINE 23
#define KEY_SAMPLE 88
/* What the libraries under gnuplot can still draw. */
#define MOST_PIXELS 30000

/* Bytes of the UTF-8 character at `s`; 0: it is none, or a control character. */
static size_t character(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = *u < 0x80		     ? 1
		   : *u >= 0xc2 && *u < 0xe0 ? 2
		   : (*u & 0xf0) == 0xe0     ? 3
		   : *u >= 0xf0 && *u < 0xf5 ? 4
					     : 0;

	if (n == 1)
		return *u >= ' ' && *u != 0x7f;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	/* too long a form, surrogates, beyond the last, C1 controls */
	if ((*u == 0xe0 && u[1] < 0xa0) || (*u == 0xed && u[1] >= 0xa0) ||
	    (*u == 0xf0 && u[1] < 0x90) || (*u == 0xf4 && u[1] >= 0x90) ||
	    (*u == 0xc2 && u[1] < 0xa0))
		return 0;
	return n;
}

static void put_quoted(FILE *f, const char *s, bool double_percent)
{
	fputc('\'', f);
	while (*s) {
		size_t n = character(s);

		if (!n)
			fputc(' ', f);
		else
			fprintf(f, "%.*s", (int)n, s);
		if (*s == '\'' || (*s == '%' && double_percent))
			fputc(*s, f);
		s += n ? n : 1;
	}
	fputc('\'', f);
}

void plot_put_text(FILE *f, const char *text)
{
	put_quoted(f, text, false);
}

void plot_put_tic(FILE *f, char axis, const char *text, double at)
{
	fprintf(f, "set %ctics add (", axis);
	put_quoted(f, text, true);
	fprintf(f, " %.9g)\n", at);
}

/* As many bytes of `text` as go into a line: to its end, a blank, or else any character. */
static size_t line_length(const char *text, size_t letters)
{
	size_t n = strcspn(text, "\n");

	if (n <= letters)
		return n;
	n = letters;
	while (n > letters / 2 && text[n - 1] != ' ')
		n--;
	if (n > letters / 2)
		return n;
	for (n = letters; n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80;)
		n--;
	return n;
}

/* Text in lines, as an expression of gnuplot's; how many they are. */
static size_t put_lines(FILE *f, const char *text, size_t letters)
{
	size_t nr = 0;

	for (; *text; nr++) {
		size_t n = line_length(text, letters);
		char *line = xasprintf("%.*s", (int)n, text);

		fputs(nr ? ".\"\\n\"." : "", f);
		plot_put_text(f, line);
		free(line);
		text += n + (text[n] == '\n');
	}
	return nr;
}

/* "measured 2026-11-30", "... to 2026-12-01" */
static char *dates_text(const struct slice *rows)
{
	const char *first = NULL, *last = NULL;

	for (size_t i = 0; i < rows->nr; i++) {
		const char *at = rows->row[i]->field[COL_started_utc];

		if (!*at)
			continue;
		if (!first || strcmp(at, first) < 0)
			first = at;
		if (!last || strcmp(at, last) > 0)
			last = at;
	}
	if (!first)
		return xstrdup("date unknown");
	if (!strncmp(first, last, 10))
		return xasprintf("measured %.10s", first);
	return xasprintf("measured %.10s to %.10s", first, last);
}

static const char *or_unknown(const struct record *r, enum csv_column c)
{
	return record_has(r, c) ? r->field[c] : "unknown";
}

/* Below everything: where, when and of which commit. */
static void put_caption(struct picture *pic, const struct slice *rows)
{
	const struct record *r = rows->row[0];
	char *dates = dates_text(rows);
	char *machine = xasprintf("host %s, CPU %s, %s cores, Linux %s",
				  or_unknown(r, COL_host), or_unknown(r, COL_cpu_model),
				  or_unknown(r, COL_cores), or_unknown(r, COL_kernel));
	char *build =
		xasprintf("%s; tearline %s, built by %s %s", dates, or_unknown(r, COL_version),
			  or_unknown(r, COL_compiler), or_unknown(r, COL_flags));
	const char *const line[] = { build, machine };

	for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
		fputs("set label ", pic->gp);
		plot_put_text(pic->gp, line[i]);
		fprintf(pic->gp,
			" at screen %.6f, screen %.6f left font ',9' "
			"textcolor rgb '#666666'\n",
			12 / pic->width, (12.0 + 16 * (double)i) / pic->height);
	}
	free(build);
	free(machine);
	free(dates);
}

static void put_terminal(const struct picture *pic)
{
	double w = pic->width, h = pic->height;

	switch (pic->plot->format) {
	case PLOT_SVG:
		fprintf(pic->gp,
			"set terminal svg size %.0f,%.0f noenhanced font 'Sans,15' "
			"background rgb 'white'\n",
			w, h);
		return;
	case PLOT_PDF:
		fprintf(pic->gp,
			"set terminal pdfcairo size %.4fin,%.4fin noenhanced font 'Sans,12'\n",
			w / 96, h / 96);
		return;
	default:
		fprintf(pic->gp,
			"set terminal pngcairo size %.0f,%.0f noenhanced font 'Sans,12'\n", w,
			h);
	}
}

static void put_frame(struct picture *pic, double left, double right, double top, double bottom)
{
	double w = pic->width, h = pic->height;

	fprintf(pic->gp,
		"set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
		"set tmargin at screen %.6f\nset bmargin at screen %.6f\n"
		"set key at screen %.6f, screen %.6f left top vertical Left reverse samplen 3 "
		"maxrows 1000\n",
		left / w, right / w, 1 - top / h, bottom / h, (right + 15) / w,
		1 - (top - 10) / h);
	fputs("set encoding utf8\nset border 3 linecolor rgb '#444444'\nset tics nomirror\n"
	      "set grid ytics linecolor rgb '#dddddd' linetype 1\nset bars 0.7\n",
	      pic->gp);
}

/* Title and subtitle, in lines; the height they take. */
static double put_title(struct picture *pic, const struct pictures *ps, const struct record *r,
			const char *subtitle)
{
	/* a title is set in the middle of the axis and may overhang a little */
	size_t letters = (size_t)(pic->axis_px * 1.1 / TITLE_LETTER), lines;
	char *title = plot_title(ps, r);

	fputs("set title ", pic->gp);
	lines = put_lines(pic->gp, title, letters);
	fputs(".\"\\n\".", pic->gp);
	lines += put_lines(pic->gp, subtitle, letters);
	fputc('\n', pic->gp);
	free(title);
	return TOP + LINE * (double)lines;
}

void picture_begin(struct picture *pic, struct plot *p, const struct pictures *ps,
		   const struct slice *rows, const struct picture_size *size,
		   const char *subtitle)
{
	double key = KEY_SAMPLE + LETTER * (double)size->key_chars;
	double bottom = CAPTION + (size->bottom > 0 ? size->bottom : BOTTOM), top;

	*pic = (struct picture){ .plot = p, .name = plot_name(ps, rows->row[0]) };
	pic->gp = open_memstream(&pic->text, &pic->len);
	pic->width = fmin(fmax(LEAST_WIDTH, LEFT + fmax(AXIS_WIDTH, size->least_axis) + key),
			  MOST_PIXELS);
	pic->axis_px = fmax(pic->width - LEFT - key, AXIS_WIDTH / 2);
	top = put_title(pic, ps, rows->row[0], subtitle);
	pic->height = fmin(
		fmax(LEAST_HEIGHT + size->bottom, top + bottom + LINE * (double)size->nr_keys),
		MOST_PIXELS);
	pic->axis_height = pic->height - top - bottom;
	put_terminal(pic);
	put_frame(pic, LEFT, LEFT + pic->axis_px, top, bottom);
	put_caption(pic, rows);
}

static int memory_file(struct err *e)
{
	int fd = memfd_create("plot", MFD_CLOEXEC);

	return fd < 0 ? err_set(e, "plot: no memory for a picture: %s", strerror(errno)) : fd;
}

/* All of a memory file, ended by a zero byte. Caller frees; NULL: it cannot be read. */
static char *memory_text(int fd, size_t *len)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st))
		return NULL;
	*len = (size_t)st.st_size;
	text = xcalloc(*len + 1, 1);
	if (pread(fd, text, *len, 0) == (ssize_t)*len)
		return text;
	free(text);
	return NULL;
}

static int spawn_gnuplot(int in, int out, int errors, pid_t *pid)
{
	/* no start-up files: a picture looks the same at everybody's */
	char *const argv[] = { "gnuplot", "--default-settings", NULL };
	posix_spawn_file_actions_t fds;
	int error;

	posix_spawn_file_actions_init(&fds);
	posix_spawn_file_actions_adddup2(&fds, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fds, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fds, errors, STDERR_FILENO);
	error = posix_spawnp(pid, "gnuplot", &fds, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fds);
	return error;
}

/* What it complained of, in one line; it shows the command and an arrow first. */
static int gnuplot_failed(const struct picture *pic, int errors, struct err *e)
{
	size_t len = 0;
	char *text = memory_text(errors, &len), *line = text;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		text[--len] = 0;
	for (char *p = text; p && *p; p++)
		if (*p == '\n')
			line = p + 1;
	err_set(e, "plot: gnuplot failed on %s: %s", pic->name,
		line && *line ? line : "no whole picture came of it");
	free(text);
	return -1;
}

static int wait_for(const struct picture *pic, pid_t pid, int errors, struct err *e)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(e, "gnuplot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, "plot: cannot run gnuplot (is it installed and in PATH?)");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return gnuplot_failed(pic, errors, e);
	return 0;
}

/* gnuplot does not look whether what it writes is taken. */
static bool is_whole(const struct picture *pic, const char *image, size_t len)
{
	static const char *const ends[] = { "IEND\xae\x42\x60\x82", "</svg>", "%%EOF" };
	const char *end = ends[pic->plot->format];

	while (len && image[len - 1] == '\n')
		len--;
	return len >= strlen(end) && !memcmp(image + len - strlen(end), end, strlen(end));
}

/* The program's output, *len bytes; NULL with an error. Caller frees. */
static char *run_gnuplot(const struct picture *pic, size_t *len, struct err *e)
{
	int fd[3] = { -1, -1, -1 }, error;
	char *image = NULL;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = memory_file(e);
		if (fd[i] < 0)
			goto out_close;
	}
	if (write_all(fd[0], pic->text, pic->len) || lseek(fd[0], 0, SEEK_SET)) {
		err_set(e, "plot: no memory for a picture: %s", strerror(errno));
		goto out_close;
	}
	error = spawn_gnuplot(fd[0], fd[1], fd[2], &pid);
	if (error == ENOENT)
		err_set(e, "plot: gnuplot is not installed, or not in PATH");
	else if (error)
		err_set(e, "plot: cannot run gnuplot: %s", strerror(error));
	if (error || wait_for(pic, pid, fd[2], e))
		goto out_close;
	image = memory_text(fd[1], len);
	if (!image || !is_whole(pic, image, *len)) {
		gnuplot_failed(pic, fd[2], e);
		free(image);
		image = NULL;
	}
out_close:
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return image;
}

static bool name_is_taken(const struct plot *p, const char *name)
{
	for (size_t i = 0; i < p->nr_names; i++)
		if (!strcmp(p->name[i], name))
			return true;
	return false;
}

/* One that no other picture of this run has; remembered. */
static const char *take_name(struct plot *p, const char *name)
{
	char *file = xasprintf("%s.%s", name, suffixes[p->format]);

	for (unsigned n = 2; name_is_taken(p, file); n++) {
		free(file);
		file = xasprintf("%s-%u.%s", name, n, suffixes[p->format]);
	}
	p->name = xrealloc(p->name, (p->nr_names + 1) * sizeof(*p->name));
	p->name[p->nr_names++] = file;
	return file;
}

/* A file that is there stays as it was until the new one is whole. */
static int put_file(const char *path, const char *image, size_t len, struct err *e)
{
	char *part = xasprintf("%s.part", path);
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	bool failed = fd < 0 || write_all(fd, image, len);
	int error = errno;

	if (fd >= 0 && close(fd) && !failed) {
		failed = true;
		error = errno;
	}
	if (!failed && rename(part, path)) {
		failed = true;
		error = errno;
	}
	if (failed) {
		if (fd >= 0)
			unlink(part);
		err_set(e, "%s: cannot write: %s", path, strerror(error));
	}
	free(part);
	return failed ? -1 : 0;
}

int picture_end(struct picture *pic, struct err *e)
{
	struct plot *p = pic->plot;
	char *image = NULL, *path = NULL;
	size_t len;
	int ret = -1;

	fclose(pic->gp);
	if (p->format == PLOT_GNUPLOT) {
		image = xstrdup(pic->text);
		len = pic->len;
	} else {
		image = run_gnuplot(pic, &len, e);
	}
	if (!image)
		goto out_free;
	path = xasprintf("%s/%s", p->dir, take_name(p, pic->name));
	ret = put_file(path, image, len, e);
	if (!ret)
		puts(path);
out_free:
	free(path);
	free(image);
	free(pic->text);
	free(pic->name);
	return ret;
}
