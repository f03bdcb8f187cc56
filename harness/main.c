// SPDX-License-Identifier: BSD-2-Clause
/* tearline - argv to subcommand; nothing else happens here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "completion.h"
#include "nearest.h"
#include "paths.h"
#include "version.h"
#include "build_config.h"

#define COMMAND_ENTRY(id) &cmd_##id,
static const struct command *const commands[] = { COMMANDS(COMMAND_ENTRY) NULL };
#undef COMMAND_ENTRY

static void print_help(FILE *f)
{
	char *example = option_sample("tearline replay --table xor --trace @TRACE@ --threads 2",
				      paths_find(PATHS_TRACES));

	fputs("tearline - how fast is a shared hash table, and does it ever lie?\n\n"
	      "usage: tearline COMMAND [options]\n\n",
	      f);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(f, "  %-11s%s\n", (*c)->name, (*c)->summary);
	fprintf(f,
		"\n'tearline help COMMAND' explains each; 'tearline version' says what this is.\n\n"
		"example:\n"
		"  %s\n\n",
		example);
	fputs("exit: 0 done, 1 found a fault it was asked to look for, 2 unusable input or arguments,\n"
	      "130 interrupted\n",
	      f);
	free(example);
}

static void print_man(void)
{
	fputs(".TH TEARLINE 1\n.SH NAME\ntearline \\- replay recorded hash table traffic on "
	      "concurrent tables, measure it and audit the answers\n.SH SYNOPSIS\n.B tearline\n"
	      ".I COMMAND\n[options]\n.SH DESCRIPTION\n"
	      "tearline replays recorded probes and stores of real engines from pinned threads on "
	      "interchangeable hash tables, and says how fast each locking scheme is, how often it "
	      "forgets what it should know, and whether it ever returns what nobody stored.\n"
	      ".SH COMMANDS\n",
	      stdout);
	for (const struct command *const *c = commands; *c; c++)
		option_man(*c, stdout);
	fputs(".SH EXIT STATUS\n0 done; 1 found a fault it was asked to look for; 2 unusable input "
	      "or arguments, with one line on standard error that names the file or option, the "
	      "place and what was expected; 130 interrupted.\n.SH SEE ALSO\nThe columns of the CSV are "
	      "described in results/README.md.\n",
	      stdout);
}

/* What is asked for by a word of its own is no command: it has no options. */
#define WORDS "help|version"

static const struct command *find_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp(name, (*c)->name))
			return *c;
	return NULL;
}

static int unknown_command(const char *name)
{
	struct nearest n;
	struct err e;

	nearest_begin(&n, name, strlen(name));
	for (const struct command *const *c = commands; *c; c++)
		nearest_try(&n, (*c)->name, strlen((*c)->name));
	nearest_try_choices(&n, WORDS);
	err_set(&e, "unknown command '%s'%s (see tearline --help)", name, nearest_hint(&n));
	return err_report(&e);
}

static int too_many(const char *word, const char *more)
{
	struct err e;

	err_set(&e, "%s: nothing more expected, got '%s'", word, more);
	return err_report(&e);
}

static int help(int nr, char **arg)
{
	const struct command *c;

	if (nr > 1)
		return too_many("help", arg[1]);
	if (!nr) {
		print_help(stdout);
		return EXIT_DONE;
	}
	c = find_command(arg[0]);
	if (!c)
		return unknown_command(arg[0]);
	option_help(c, stdout);
	return EXIT_DONE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "help", "--help", "-h"))
		return help(argc - 2, argv + 2);
	if (is_one_of(argv[1], "version", "--version", "-V")) {
		if (argc > 2)
			return too_many(argv[1], argv[2]);
		printf("tearline %s (%s), %s %s\n", PROJECT_VERSION, GIT_VERSION, COMPILER,
		       FLAGS);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--man")) {
		print_man();
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--completion"))
		return completion(commands, argc > 2 ? argv[2] : "");
	c = find_command(argv[1]);
	return c ? command_run(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* What was printed is the result: without it the command is not done. */
int main(int argc, char **argv)
{
	struct err e;
	int status;

	process_prepare();
	status = dispatch(argc, argv);
	if (status != EXIT_USAGE && flush_all(stdout)) {
		err_set(&e, "cannot write to standard output: %s", strerror(errno));
		return err_report(&e);
	}
	return status;
}
