// SPDX-License-Identifier: BSD-2-Clause
/* cmd_plot - `tearline plot`: a CSV as pictures, drawn by gnuplot. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot.h"

static struct {
	const char *out;
	unsigned format;
} args;

static const struct option_def plot_options[] = {
	{ .name = "out",
	  .type = OPT_STR,
	  .dest = &args.out,
	  .metavar = "DIR",
	  .dflt = ".",
	  .help = "where the pictures go; made if it is not there" },
	{ .name = "format",
	  .type = OPT_CHOICE,
	  .dest = &args.format,
	  .metavar = PLOT_FORMATS,
	  .dflt = "png",
	  .help = "of the pictures; gp: the program and figures that gnuplot would get, to be "
		  "changed by hand" },
	{ .name = NULL },
};

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

static const struct {
	const char *name;
	int (*draw)(struct plot *p, struct err *e); /* number of pictures, or -1 */
	const char *wants;
} sorts[] = {
	{ "choice", plot_choice, "no audit with a speed beside it" },
	{ "scaling", plot_scaling, "no throughput rows with a speed" },
	{ "anomalies", plot_anomalies, "no audit rows with a count" },
	{ "hits", plot_hits, "no trace with probes at more than one size" },
};

/* Which sorts there is nothing to draw of is said when the others are done. */
static int draw_all(struct plot *p, const char *path, struct err *e)
{
	bool drawn[ARRAY_SIZE(sorts)];
	int total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		int nr = sorts[i].draw(p, e);

		if (nr < 0)
			return -1;
		drawn[i] = nr > 0;
		total += nr;
	}
	if (!total)
		return err_set(e,
			       "%s: nothing to draw: expected rows of mode throughput with a "
			       "speed, or of mode audit with counts",
			       path);
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		if (!drawn[i])
			fprintf(stderr, "%s: %s: no picture\n", sorts[i].name, sorts[i].wants);
	return 0;
}

static int plot(char **arg, int nr, struct err *e)
{
	struct plot p = { .dir = args.out, .format = args.format };
	int ret = -1;

	if (nr != 1)
		return err_set(e, "plot: expected one CSV file, or - for standard input");
	if (records_read(arg, 1, &p.from.rows, e))
		return -1;
	if (!p.from.rows.nr) {
		err_set(e, "%s: a header and no rows: nothing to draw", arg[0]);
		goto out_free;
	}
	/* a limit on files is to be an error of a write, not the end */
	signal(SIGXFSZ, SIG_IGN);
	if (!make_dir(args.out, e))
		ret = draw_all(&p, arg[0], e);
out_free:
	for (size_t i = 0; i < p.nr_names; i++)
		free(p.name[i]);
	free(p.name);
	records_free(&p.from.rows);
	return ret;
}

const struct command cmd_plot = {
	.name = "plot",
	.summary =
		"a CSV as pictures: speed against wrong answers, speed by threads, hits by size",
	.takes_arguments = true,
	.usage = "FILE [--out DIR] [--format " PLOT_FORMATS "]",
	.example = "tearline sweep --tables spinlock,xor --traces @TRACE@ --out x.csv\n"
		   "tearline plot x.csv --out pictures\n"
		   "tearline plot x.csv --out paper --format pdf",
	.work = plot,
	.options = plot_options,
};
