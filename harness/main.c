// SPDX-License-Identifier: BSD-2-Clause
/* tearline - argv to subcommand; nothing else happens here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "version.h"
#include "build_config.h"

#define COMMAND_ENTRY(id) &cmd_##id,
static const struct command *const commands[] = { COMMANDS(COMMAND_ENTRY) NULL };
#undef COMMAND_ENTRY

static void print_help(FILE *f)
{
	fputs("tearline - how fast is a shared hash table, and does it ever lie?\n\n"
	      "usage: tearline COMMAND [options]\n\n",
	      f);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(f, "  %-10s%s\n", (*c)->name, (*c)->summary);
	fputs("\n'tearline COMMAND --help' explains each; 'tearline --version' says what this is.\n\n"
	      "example:\n"
	      "  tearline replay --table xor --trace workloads/traces/crafty-2t-fine70.tlt --threads 2\n\n"
	      "exit: 0 done, 1 found a fault it was asked to look for, 2 unusable input or arguments,\n"
	      "130 interrupted\n",
	      f);
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

static int dispatch(int argc, char **argv)
{
	struct err e;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("tearline %s (%s), %s %s\n", PROJECT_VERSION, GIT_VERSION, COMPILER,
		       FLAGS);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--man")) {
		print_man();
		return EXIT_DONE;
	}
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp(argv[1], (*c)->name))
			return command_run(*c, argc - 1, argv + 1);
	err_set(&e, "unknown command '%s' (see tearline --help)", argv[1]);
	return err_report(&e);
}

/* What was printed is the result: without it the command is not done. */
int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);
	struct err e;

	if (status != EXIT_USAGE && flush_all(stdout)) {
		err_set(&e, "cannot write to standard output: %s", strerror(errno));
		return err_report(&e);
	}
	return status;
}
