// SPDX-License-Identifier: BSD-2-Clause
#include "option.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

static size_t count_options(const struct option_def *defs)
{
	size_t nr = 0;

	while (defs[nr].name)
		nr++;
	return nr;
}

static int choice_index(const char *choices, const char *s)
{
	size_t len = strlen(s);
	int index = 0;

	for (const char *p = choices; p; index++) {
		size_t n = strcspn(p, "|");

		if (n == len && !strncmp(p, s, n))
			return index;
		p = p[n] ? p + n + 1 : NULL;
	}
	return -1;
}

static int bad_value(const struct command *c, const struct option_def *d, const char *s,
		     struct err *e)
{
	if (d->type == OPT_CHOICE)
		return err_set(e, "%s: --%s: expected %s, got '%s'", c->name, d->name,
			       d->metavar, s);
	if (d->max)
		return err_set(e, "%s: --%s: expected a %snumber from %ju to %ju, got '%s'",
			       c->name, d->name, d->type == OPT_U64 ? "whole " : "",
			       (uintmax_t)d->min, (uintmax_t)d->max, s);
	return err_set(e, "%s: --%s: expected a %snumber of at least %ju, got '%s'", c->name,
		       d->name, d->type == OPT_U64 ? "whole " : "", (uintmax_t)d->min, s);
}

static int store_value(const struct command *c, const struct option_def *d, const char *s,
		       struct err *e)
{
	uint64_t max = d->max ? d->max : UINT64_MAX;
	uint64_t number;
	double decimal;
	int index;

	switch (d->type) {
	case OPT_FLAG:
		*(bool *)d->dest = true;
		return 0;
	case OPT_STR:
		*(const char **)d->dest = s;
		return 0;
	case OPT_U64:
		if (parse_u64(s, d->min, max, &number))
			return bad_value(c, d, s, e);
		*(uint64_t *)d->dest = number;
		return 0;
	case OPT_DECIMAL:
		if (parse_decimal(s, &decimal) || decimal < (double)d->min ||
		    decimal > (double)max)
			return bad_value(c, d, s, e);
		*(double *)d->dest = decimal;
		return 0;
	case OPT_CHOICE:
		index = choice_index(d->metavar, s);
		if (index < 0)
			return bad_value(c, d, s, e);
		*(unsigned *)d->dest = (unsigned)index;
		return 0;
	}
	return -1;
}

static int set_defaults(const struct command *c, const struct option_def *defs, struct err *e)
{
	for (const struct option_def *d = defs; d->name; d++)
		if (d->dflt && d->type != OPT_FLAG && store_value(c, d, d->dflt, e))
			return -1;
	return 0;
}

static struct option *long_options(const struct option_def *defs)
{
	size_t nr = count_options(defs);
	struct option *lo = xcalloc(nr + 2, sizeof(*lo));

	for (size_t i = 0; i < nr; i++) {
		lo[i].name = defs[i].name;
		lo[i].has_arg = defs[i].type == OPT_FLAG ? no_argument : required_argument;
	}
	lo[nr].name = "help";
	lo[nr].val = 'h';
	return lo;
}

/*
 * Returns the index of the first argument that is no option, or -1 after an error or --help,
 * with *status set to the exit code.
 */
static int parse(const struct command *c, int argc, char **argv, int *status)
{
	const struct option_def *defs = c->options;
	struct option *lo = long_options(defs);
	struct err e;
	int index, got;

	*status = EXIT_USAGE;
	if (set_defaults(c, defs, &e))
		goto out_err;
	optind = 0;
	opterr = 0;
	while ((got = getopt_long(argc, argv, ":h", lo, &index)) != -1) {
		if (got == 'h') {
			option_help(c, stdout);
			*status = EXIT_DONE;
			goto out_free;
		}
		if (got == '?' && optopt && optopt != 'h') {
			/* of several letters in one word, where optind still stands at it */
			err_set(&e, "%s: unknown option '-%c' (see tearline %s --help)",
				c->name, optopt, c->name);
			goto out_err;
		}
		if (got == ':' || got == '?') {
			err_set(&e, "%s: %s '%s' (see tearline %s --help)", c->name,
				got == ':' ? "a value is missing after" : "unknown option",
				argv[optind - 1], c->name);
			goto out_err;
		}
		if (store_value(c, &defs[index], optarg, &e))
			goto out_err;
	}
	if (optind < argc && !c->takes_arguments) {
		err_set(&e, "%s: expected options only, got '%s'", c->name, argv[optind]);
		goto out_err;
	}
	free(lo);
	return optind;
out_err:
	err_report(&e);
out_free:
	free(lo);
	return -1;
}

int command_run(const struct command *c, int argc, char **argv)
{
	int status, first = parse(c, argc, argv, &status);
	struct err e;

	if (first < 0)
		return status;
	status = c->work(argv + first, argc - first, &e);
	if (status < 0)
		return err_report(&e);
	return status == EXIT_DONE && interrupted() ? EXIT_INTERRUPTED : status;
}

static void print_wrapped(FILE *f, const char *text, int column, int indent)
{
	const int width = 96;

	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column + len > width && column > indent)
			column = fprintf(f, "\n%*s", indent, "") - 1;
		column += fprintf(f, "%.*s", len, text);
		text += len;
		if (*text == ' ') {
			text++;
			column += fprintf(f, " ");
		}
	}
	fputc('\n', f);
}

void option_help(const struct command *c, FILE *f)
{
	const int indent = 32;

	fprintf(f, "tearline %s - %s\n\n", c->name, c->summary);
	print_wrapped(f, c->usage, fprintf(f, "usage: tearline %s ", c->name), 8);
	fputc('\n', f);
	for (const struct option_def *d = c->options; d->name; d++) {
		int n = fprintf(f, "  --%s%s%s", d->name, d->metavar ? " " : "",
				d->metavar ? d->metavar : "");
		char *help =
			d->dflt ? xasprintf("%s [%s]", d->help, d->dflt) : xstrdup(d->help);

		if (n >= indent)
			n = fprintf(f, "\n") - 1;
		n += fprintf(f, "%*s", indent - n, "");
		print_wrapped(f, help, n, indent);
		free(help);
	}
	fputs("  --help                        this text\n\nexample:\n", f);
	for (const char *p = c->example; *p;) {
		int len = (int)strcspn(p, "\n");

		fprintf(f, "  %.*s\n", len, p);
		p += len + (p[len] == '\n');
	}
}

/* Text for roff: a backslash or a dash must not be read as markup. */
static void print_roff(FILE *f, const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", f);
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\e", f);
		else if (*s == '-')
			fputs("\\-", f);
		else
			fputc(*s, f);
	}
}

void option_man(const struct command *c, FILE *f)
{
	fprintf(f, ".SS ");
	print_roff(f, c->name);
	fputc('\n', f);
	print_roff(f, c->summary);
	fprintf(f, ".\n.PP\n.B tearline %s\n", c->name);
	print_roff(f, c->usage);
	fputc('\n', f);
	for (const struct option_def *d = c->options; d->name; d++) {
		fprintf(f, ".TP\n.BR \\-\\-");
		print_roff(f, d->name);
		if (d->metavar) {
			fputs(" \\ ", f);
			print_roff(f, d->metavar);
		}
		fputc('\n', f);
		print_roff(f, d->help);
		if (d->dflt) {
			fputs("\n(default ", f);
			print_roff(f, d->dflt);
			fputs(")", f);
		}
		fputc('\n', f);
	}
	fputs(".PP\nExample:\n.nf\n.RS\n", f);
	print_roff(f, c->example);
	fputs("\n.RE\n.fi\n", f);
}
