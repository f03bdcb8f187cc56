// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_trace - `tearline trace`: look at, check, make, export and cut trace files
 *
 * The first positional argument is the verb, which has options of its own.
 */
#include "command.h"
#include "nearest.h"
#include "trace.h"
#include "trace_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNSET UINT64_MAX
#define MAX_MATE INT16_MAX /* scores are 16 bits wide */

static const char *opt_out, *opt_csv, *opt_threads, *opt_kinds;
static uint64_t opt_mate = UNSET, opt_from = UNSET, opt_ops = UNSET;
static bool opt_force, opt_small;

static const struct option_def options[] = {
	{ "out", OPT_STR, &opt_out, "FILE", NULL,
	  "the trace to write; it appears whole or not at all", 0, 0 },
	{ "force", OPT_FLAG, &opt_force, NULL, NULL, "replace a file that exists", 0, 0 },
	{ "small", OPT_FLAG, &opt_small, NULL, NULL,
	  "pack a tenth smaller, which takes twenty times as long", 0, 0 },
	{ "mate", OPT_U64, &opt_mate, "N", NULL,
	  "scores of N and more are mates; default: the engine's, by its name", 1, MAX_MATE },
	{ "csv", OPT_STR, &opt_csv, "FILE", NULL, "where the rows go, - for standard output", 0,
	  0 },
	{ "from", OPT_U64, &opt_from, "N", NULL,
	  "leave out the first N operations, counted over all streams in order of time; "
	  "default 0",
	  0, UNSET - 1 },
	{ "ops", OPT_U64, &opt_ops, "N", NULL,
	  "keep N operations from there, counted likewise, so that all streams end at the "
	  "same moment; default: all",
	  1, UNSET - 1 },
	{ "threads", OPT_STR, &opt_threads, "LIST", NULL,
	  "keep these recorded threads only, as 0,2,4-6; done before counting", 0, 0 },
	{ "kinds", OPT_STR, &opt_kinds, "LIST", NULL,
	  "keep these kinds only, as tt,pawn; new generations and clears always stay; done "
	  "before counting",
	  0, 0 },
	{ 0 },
};

static const struct option_effect effects[] = {
	{ "out", "with import or cut" }, { "mate", "with import" }, { "csv", "with export" },
	{ "from", "with cut" },		 { "ops", "with cut" },	    { "threads", "with cut" },
	{ "kinds", "with cut" },	 { "small", "with import or cut" },
	{ "force", "with import or cut or export" },
	{ .option = NULL },
};

struct verb {
	const char *name;
	bool makes_trace; /* and so needs --out */
	const char *operands; /* for the message when there are none */
	int (*run)(char **file, int nr, struct err *e);
};

static uint64_t size_of_file(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static int run_info(char **file, int nr, struct err *e)
{
	struct trace *t;

	for (int i = 0; i < nr; i++) {
		if (trace_read(file[i], &t, e))
			return -1;
		if (i)
			putchar('\n');
		trace_info(stdout, t, file[i], size_of_file(file[i]));
		trace_free(t);
	}
	return 0;
}

static int run_verify(char **file, int nr, struct err *e)
{
	int status = EXIT_DONE;

	for (int i = 0; i < nr; i++) {
		struct trace *t;
		bool damaged;

		if (!trace_load(file[i], &t, &damaged, e)) {
			printf("%s: OK\n", file[i]);
			trace_free(t);
			continue;
		}
		err_report(e);
		if (!damaged)
			status = EXIT_USAGE;
		else if (status == EXIT_DONE)
			status = EXIT_FAULT;
	}
	return status;
}

/*
 * Packing may take seconds: say how far it is, in place on a terminal, else a line now and
 * then.
 */
static void progress(const char *path, uint64_t done, uint64_t total)
{
	static uint64_t start, said;
	bool terminal = isatty(STDERR_FILENO);
	uint64_t now = now_ns(), left;

	if (!start)
		start = said = now;
	if (terminal && said != start && done == total)
		fputs("\r\033[K", stderr);
	if (done == total || now - start < 2000000000u ||
	    now - said < (terminal ? 200000000u : 10000000000u))
		return;
	said = now;
	left = (uint64_t)((double)(now - start) / (double)done * (double)(total - done) / 1e9);
	fprintf(stderr, "%s%s: %ju of %ju records, %ju s left%s", terminal ? "\r\033[K" : "",
		path, (uintmax_t)done, (uintmax_t)total, (uintmax_t)left, terminal ? "" : "\n");
}

static int write_out(const struct trace *t, struct err *e)
{
	trace_progress = progress;
	return opt_small ? trace_write(t, opt_out, e) : trace_write_fast(t, opt_out, e);
}

/*
 * What is read is never written over, by whatever name; what else is there, only if that is
 * asked for. Found out before there is anything to do.
 */
static int check_out(const char *out, char **file, int nr, struct err *e)
{
	bool std = !strcmp(out, "-") && opt_csv;
	struct stat st;

	for (int i = 0; i < nr; i++)
		if (std ? is_open_file(STDOUT_FILENO, file[i]) : is_same_file(out, file[i]))
			return err_set(e, "trace: %.240s: would be written over what is read",
				       std ? file[i] : out);
	if (std || opt_force || stat(out, &st) || !S_ISREG(st.st_mode))
		return 0;
	return err_set(e, "trace: %.240s: exists; --force replaces it", out);
}

/* A line of its own for each kind; see trace_still_bits(). */
static void warn_of_keys(const struct trace *t)
{
	for (enum kind k = 0; k < NR_KINDS; k++) {
		unsigned bits = trace_still_bits(t, k);

		if (bits)
			fprintf(stderr, "tearline: trace import: " TRACE_STILL_BITS "\n",
				kind_names[k], bits, 64 - bits);
	}
}

static int run_import(char **file, int nr, struct err *e)
{
	int32_t mate = opt_mate == UNSET ? -1 : (int32_t)opt_mate;
	struct trace *t;
	int ret;

	if (check_out(opt_out, file, nr, e) || trace_import(file, (size_t)nr, mate, &t, e))
		return -1;
	warn_of_keys(t);
	if (mate < 0 && !trace_mate_of(t->source, &mate))
		fprintf(stderr,
			"tearline: trace import: mate threshold of '%s' unknown, %d assumed (--mate)\n",
			t->source, mate);
	ret = write_out(t, e);
	trace_free(t);
	return ret;
}

static int run_export(char **file, int nr, struct err *e)
{
	struct trace *t;
	int ret;

	if (!opt_csv)
		return err_set(e, "trace export: --csv FILE expected");
	if (nr > 1)
		return err_set(e, "trace export: one trace expected, got '%s' and '%s'",
			       file[0], file[1]);
	if (check_out(opt_csv, file, nr, e) || trace_read(file[0], &t, e))
		return -1;
	ret = trace_export(t, opt_csv, e);
	trace_free(t);
	return ret;
}

/* One "7" or "4-6" of a list; 0 or -1. */
static int add_threads(const char *item, uint32_t **list, size_t *nr)
{
	char *copy = xstrdup(item), *dash = strchr(copy, '-');
	uint64_t first, last;
	int ret = -1;

	if (dash)
		*dash++ = '\0';
	if (parse_u64(copy, 0, UINT32_MAX, &first) ||
	    parse_u64(dash ? dash : copy, first, UINT32_MAX, &last) || last - first > 65535)
		goto out;
	*list = xrealloc(*list, (*nr + last - first + 1) * sizeof(**list));
	for (uint64_t i = first; i <= last; i++)
		(*list)[(*nr)++] = (uint32_t)i;
	ret = 0;
out:
	free(copy);
	return ret;
}

static int add_kind(const char *item, unsigned *mask)
{
	for (unsigned kind = 0; kind < NR_KINDS; kind++)
		if (!strcmp(item, kind_names[kind])) {
			*mask |= 1u << kind;
			return 0;
		}
	return -1;
}

static void bad_kind(const char *item, struct err *e)
{
	struct nearest n;

	nearest_begin(&n, item, strlen(item));
	for (unsigned kind = 0; kind < NR_KINDS; kind++)
		nearest_try(&n, kind_names[kind], strlen(kind_names[kind]));
	err_set(e, "trace cut: --kinds: expected a list of tt,pawn,eval,kv, got '%s'%s",
		opt_kinds, nearest_hint(&n));
}

/* Fill the window from --threads and --kinds; the list is the caller's to free. */
static int parse_lists(struct trace_window *w, uint32_t **list, struct err *e)
{
	char *copy = xstrdup(opt_threads ? opt_threads : ""), *rest = copy, *item;
	int ret = -1;

	while (opt_threads && (item = strsep(&rest, ",")))
		if (add_threads(trim(item), list, &w->nr_threads)) {
			err_set(e, "trace cut: --threads: expected a list as 0,2,4-6, got '%s'",
				opt_threads);
			goto out;
		}
	w->threads = *list;
	free(copy);
	copy = rest = xstrdup(opt_kinds ? opt_kinds : "");
	while (opt_kinds && (item = strsep(&rest, ",")))
		if (add_kind(trim(item), &w->kinds)) {
			bad_kind(trim(item), e);
			goto out;
		}
	ret = 0;
out:
	free(copy);
	return ret;
}

static int run_cut(char **file, int nr, struct err *e)
{
	/* UNSET is more operations than there can be. */
	struct trace_window w = { .from = opt_from == UNSET ? 0 : opt_from, .ops = opt_ops };
	struct trace *t = NULL, *cut = NULL;
	uint32_t *list = NULL;
	struct err why;
	int ret = -1;

	if (nr > 1)
		return err_set(e, "trace cut: one trace expected, got '%s' and '%s'", file[0],
			       file[1]);
	if (check_out(opt_out, file, nr, e) || parse_lists(&w, &list, e) ||
	    trace_read(file[0], &t, e))
		goto out;
	if (trace_cut(t, &w, &cut, &why)) {
		err_set(e, "trace cut: %.240s: %.400s", file[0], why.text);
		goto out;
	}
	ret = write_out(cut, e);
out:
	trace_free(cut);
	trace_free(t);
	free(list);
	return ret;
}

static const struct verb verbs[] = {
	{ "info", false, "a trace file", run_info },
	{ "verify", false, "a trace file", run_verify },
	{ "import", true, "the raw files of one recording", run_import },
	{ "export", false, "a trace file", run_export },
	{ "cut", true, "a trace file", run_cut },
};

/* There is one: command_run() has looked. */
static const struct verb *find_verb(const char *name)
{
	const struct verb *v = verbs;

	while (strcmp(v->name, name))
		v++;
	return v;
}

static int trace(char **arg, int nr, struct err *e)
{
	const struct verb *v = find_verb(arg[0]);

	if (v->makes_trace && !opt_out)
		return err_set(e, "trace %s: --out FILE expected", v->name);
	if (nr == 1)
		return err_set(e, "trace %s: expected %s", v->name, v->operands);
	return v->run(arg + 1, nr - 1, e);
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "look at, check, make, export and cut trace files",
	.takes_arguments = true,
	.verbs = "info|verify|import|export|cut",
	.usage =
		"info FILE... | verify FILE... | import --out FILE [--mate N] [--small] RAW... | "
		"export --csv FILE FILE | cut --out FILE [--from N] [--ops N] [--threads LIST] "
		"[--kinds LIST] [--small] FILE",
	.example = "tearline trace info @TRACE@\n"
		   "tearline trace verify @TRACES@/*.tlt\n"
		   "tearline trace export --csv rows.csv @TRACE@\n"
		   "tearline trace cut --out start.tlt --ops 100000 --kinds tt @TRACE@\n"
		   "tearline trace import --out run.tlt run.t0.raw.zst run.t1.raw.zst",
	.work = trace,
	.options = options,
	.effects = effects,
};
