// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_plot - `tearline plot`: a CSV as pictures, drawn by the gnuplot scripts in plots/
 *
 * The scripts read a CSV by column name and also run by hand. What they get from here is
 * a copy of the checked rows in which no field spans lines or holds a quote, for gnuplot
 * knows no such fields, and which can be read twice even if the rows came down a pipe.
 */
#include "command.h"

#include <errno.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paths.h"
#include "records.h"

extern char **environ;

static const char *out_dir;

static const struct option_def plot_options[] = {
	{ .name = "out",
	  .type = OPT_STR,
	  .dest = &out_dir,
	  .metavar = "DIR",
	  .dflt = ".",
	  .help = "where the pictures go; made if it is not there" },
	{ .name = NULL },
};

static void put_field(FILE *f, const char *s)
{
	bool quote = strchr(s, ',') != NULL;

	if (quote)
		fputc('"', f);
	for (; *s; s++)
		fputc(*s == '"' ? '\'' : *s == '\n' || *s == '\r' ? ' ' : *s, f);
	if (quote)
		fputc('"', f);
}

/* Our columns, and one more that gnuplot could hardly work out: what to call the curve. */
static void put_rows(FILE *f, const struct records *rows)
{
	for (int c = 0; c < NR_COLS; c++)
		fprintf(f, "%s,", csv_names[c]);
	fputs("label\n", f);
	for (size_t i = 0; i < rows->nr; i++) {
		char *label = records_label(rows, &rows->rec[i]);

		for (int c = 0; c < NR_COLS; c++) {
			put_field(f, rows->rec[i].field[c]);
			fputc(',', f);
		}
		put_field(f, label);
		fputc('\n', f);
		free(label);
	}
}

/* Write the rows to a new temporary file; its name, or NULL. Caller unlinks and frees. */
static char *write_copy(const struct records *rows, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char *path = xasprintf("%s/tearline-plot-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool failed;

	if (!f) {
		err_set(e, "%s: cannot make a temporary file: %s", path, strerror(errno));
		free(path);
		return NULL;
	}
	put_rows(f, rows);
	failed = ferror(f);
	if (!fclose(f) && !failed)
		return path;
	err_set(e, "%s: cannot write: %s", path, strerror(errno));
	unlink(path);
	free(path);
	return NULL;
}

/* A path as a string of gnuplot's, in which a quote is doubled. Caller frees. */
static char *gnuplot_string(const char *s)
{
	char *text = xcalloc(2 * strlen(s) + 3, 1), *p = text;

	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			*p++ = '\'';
		*p++ = *s;
	}
	*p = '\'';
	return text;
}

static int wait_for(pid_t pid, const char *script, struct err *e)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(e, "gnuplot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, "plot: cannot run gnuplot (is it installed and in PATH?)");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, "plot: gnuplot failed on %s", script);
	return 0;
}

static int run_gnuplot(const char *csv, const char *script, struct err *e)
{
	char *csv_string = gnuplot_string(csv), *out_string = gnuplot_string(out_dir);
	char *set = xasprintf("csv=%s; out=%s", csv_string, out_string);
	char *const argv[] = { "gnuplot", "-e", set, (char *)script, NULL };
	pid_t pid;
	int error = posix_spawnp(&pid, "gnuplot", NULL, NULL, argv, environ);
	int ret;

	if (error == ENOENT)
		ret = err_set(e, "plot: gnuplot is not installed, or not in PATH");
	else if (error)
		ret = err_set(e, "plot: cannot run gnuplot: %s", strerror(error));
	else
		ret = wait_for(pid, script, e);
	free(set);
	free(out_string);
	free(csv_string);
	return ret;
}

/* Every script but the parts that the others share, in the order of their names. */
static int run_scripts(const char *csv, struct err *e)
{
	char *dir = paths_find(PATHS_PLOTS), *pattern = xasprintf("%s/*.gp", dir);
	glob_t scripts;
	int ret = glob(pattern, 0, NULL, &scripts);

	if (ret) {
		ret = err_set(e, "plot: no scripts at %s", pattern);
		goto out_free;
	}
	for (size_t i = 0; i < scripts.gl_pathc && !ret; i++) {
		const char *name = strrchr(scripts.gl_pathv[i], '/') + 1;

		if (strncmp(name, "common", strlen("common")))
			ret = run_gnuplot(csv, scripts.gl_pathv[i], e);
	}
	globfree(&scripts);
out_free:
	free(pattern);
	free(dir);
	return ret;
}

static int make_dir(const char *dir, struct err *e)
{
	struct stat st;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(e, "plot: --out: cannot make %s: %s", dir, strerror(errno));
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, "plot: --out: %s is no directory", dir);
	if (access(dir, W_OK | X_OK))
		return err_set(e, "plot: --out: cannot write to %s: %s", dir, strerror(errno));
	return 0;
}

static int plot(char **arg, int nr, struct err *e)
{
	struct records rows;
	char *csv;
	int ret = -1;

	if (nr != 1)
		return err_set(e, "plot: expected one CSV file, or - for standard input");
	if (records_read(arg, 1, &rows, e))
		return -1;
	if (!rows.nr) {
		err_set(e, "%s: a header and no rows: nothing to draw", arg[0]);
		goto out_free;
	}
	if (make_dir(out_dir, e))
		goto out_free;
	csv = write_copy(&rows, e);
	if (!csv)
		goto out_free;
	ret = run_scripts(csv, e);
	unlink(csv);
	free(csv);
out_free:
	records_free(&rows);
	return ret;
}

const struct command cmd_plot = {
	.name = "plot",
	.summary = "a CSV as pictures: speed by threads, wrong answers, hits by size",
	.takes_arguments = true,
	.usage = "FILE [--out DIR]",
	.example = "tearline sweep --tables spinlock,xor --traces @TRACE@ --out x.csv\n"
		   "tearline plot x.csv --out pictures",
	.work = plot,
	.options = plot_options,
};
