// SPDX-License-Identifier: BSD-2-Clause
/* The texts that come from a command's table: --help and its section of the manual. */
#include "option.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "paths.h"

#define SAMPLE_TRACE "crafty-2t-fine70.tlt"

/* Columns of the terminal. Elsewhere who reads is not known: the usual number. */
static int text_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	uint64_t nr;

	if (columns && !parse_u64(columns, 40, 1000, &nr))
		return (int)nr;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= 40)
		return w.ws_col;
	return 80;
}

static int new_line(FILE *f, int indent)
{
	return fprintf(f, "\n%*s", indent, "") - 1;
}

/*
 * Words, with what is written so far ending at `column`. A newline in the text is one, and what
 * follows it is an item of a list.
 */
static void print_wrapped(FILE *f, const char *text, int column, int indent)
{
	const int width = text_width();
	int hang = indent, gap = 0;

	while (*text) {
		int len = (int)strcspn(text, " \n");

		if (column + gap + len > width && column > hang) {
			column = new_line(f, hang);
			gap = 0;
		}
		column += fprintf(f, "%*s%.*s", gap, "", len, text);
		gap = 1;
		text += len;
		if (*text == '\n') {
			column = new_line(f, indent);
			hang = indent + 2;
			gap = 0;
		}
		text += *text != 0;
	}
	fputc('\n', f);
}

/* Of an option, with its default and with what it needs. Caller frees. */
static char *full_help(const struct command *c, const struct option_def *d)
{
	char *text = d->dflt ? xasprintf("%s [%s]", d->help, d->dflt) : xstrdup(d->help);

	for (const struct option_effect *f = c->effects; f && f->option; f++) {
		char *longer;

		if (strcmp(f->option, d->name))
			continue;
		longer = xasprintf("%s (only %s)", text, f->when);
		free(text);
		text = longer;
	}
	return text;
}

static void print_option(const struct command *c, const struct option_def *d, FILE *f)
{
	const int indent = text_width() < 64 ? 8 : 32;
	int n = fprintf(f, "  --%s%s%s", d->name, d->metavar ? " " : "",
			d->metavar ? d->metavar : "");
	char *help = full_help(c, d);

	if (n >= indent)
		n = new_line(f, 0);
	n += fprintf(f, "%*s", indent - n, "");
	print_wrapped(f, help, n, indent);
	free(help);
}

static char *replaced(const char *text, const char *mark, const char *with)
{
	char *out = xstrdup(text), *at;

	while ((at = strstr(out, mark))) {
		char *next =
			xasprintf("%.*s%s%s", (int)(at - out), out, with, at + strlen(mark));

		free(out);
		out = next;
	}
	return out;
}

char *option_sample(const char *text, char *traces)
{
	char *trace = xasprintf("%s/" SAMPLE_TRACE, traces);
	char *half = replaced(text, "@TRACE@", trace);
	char *out = replaced(half, "@TRACES@", traces);

	free(half);
	free(trace);
	free(traces);
	return out;
}

/* A command line, in several where it is long: an option begins the next. */
static void print_command(FILE *f, const char *line)
{
	const int width = text_width() - 2; /* room for " \\" */
	int column = fprintf(f, " ");

	while (*line) {
		const char *next = strstr(line + 1, " --");
		int len = next ? (int)(next - line) : (int)strlen(line);

		if (column + 1 + len > width && column > 1) {
			fputs(" \\", f);
			column = new_line(f, 8);
		}
		column += fprintf(f, column == 1 ? " %.*s" : "%.*s", len, line);
		line += len;
	}
	fputc('\n', f);
}

void option_help(const struct command *c, FILE *f)
{
	char *example = option_sample(c->example, paths_find(PATHS_TRACES));

	print_wrapped(f, c->summary, fprintf(f, "tearline %s - ", c->name), 8);
	fputc('\n', f);
	print_wrapped(f, c->usage, fprintf(f, "usage: tearline %s ", c->name), 8);
	fputc('\n', f);
	for (const struct option_def *d = c->options; d->name; d++)
		print_option(c, d, f);
	print_option(c, &(struct option_def){ .name = "help", .help = "this text" }, f);
	if (c->details) {
		fputc('\n', f);
		print_wrapped(f, c->details, 0, 0);
	}
	fputs("\nexample:\n", f);
	for (char *rest = example, *line; (line = strsep(&rest, "\n"));)
		print_command(f, line);
	free(example);
}

/* Text for roff: a backslash or a dash must not be read as markup. */
static void print_roff_lines(FILE *f, const char *s, const char *newline)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", f);
	for (; *s; s++) {
		if (*s == '\n')
			fputs(newline, f);
		else if (*s == '\\')
			fputs("\\e", f);
		else if (*s == '-')
			fputs("\\-", f);
		else
			fputc(*s, f);
	}
}

static void print_roff(FILE *f, const char *s)
{
	print_roff_lines(f, s, "\n.br\n");
}

void option_man(const struct command *c, FILE *f)
{
	char *example = option_sample(c->example, paths_installed(PATHS_TRACES));

	fprintf(f, ".SS ");
	print_roff(f, c->name);
	fputc('\n', f);
	print_roff(f, c->summary);
	fprintf(f, ".\n.PP\n.B tearline %s\n", c->name);
	print_roff(f, c->usage);
	fputc('\n', f);
	for (const struct option_def *d = c->options; d->name; d++) {
		char *help = full_help(c, d);

		fprintf(f, ".TP\n.BR \\-\\-");
		print_roff(f, d->name);
		if (d->metavar) {
			fputs(" \\ ", f);
			print_roff(f, d->metavar);
		}
		fputc('\n', f);
		print_roff(f, help);
		fputc('\n', f);
		free(help);
	}
	if (c->details) {
		fputs(".PP\n", f);
		print_roff(f, c->details);
		fputc('\n', f);
	}
	fputs(".PP\nExample:\n.nf\n.RS\n", f);
	print_roff_lines(f, example, "\n"); /* in between, all lines are kept */
	fputs("\n.RE\n.fi\n", f);
	free(example);
}
