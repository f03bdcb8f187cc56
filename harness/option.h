/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option - one table per command from which parsing, --help and the manual come
 *
 * A command lists its options with their default and help text in one place;
 * command_run() stores each value where the entry points, checks its range, answers
 * --help by itself, and makes an exit code of what came of the work.
 */
#ifndef TEARLINE_OPTION_H
#define TEARLINE_OPTION_H

#include <stdio.h>
#include "util.h"

enum option_type {
	OPT_FLAG, /* bool: no argument */
	OPT_STR, /* const char *: anything */
	OPT_U64, /* uint64_t within [min, max] */
	OPT_DECIMAL, /* double within [min, max] */
	OPT_CHOICE, /* unsigned: index into "a|b|c", which is the metavar */
};

struct option_def {
	const char *name; /* long name without dashes; NULL ends the table */
	enum option_type type;
	void *dest;
	const char *metavar; /* "N", "FILE", "a|b|c"; NULL for flags */
	const char *dflt; /* parsed like an argument; NULL leaves *dest alone */
	const char *help;
	uint64_t min, max; /* U64 and DECIMAL; max 0 = no bound */
};

struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	const char *usage; /* what follows the name */
	bool takes_arguments; /* besides options; else they are refused */
	const char *example; /* at least one whole command line, newline separated */
	/*
	 * With the options set and these arguments: EXIT_DONE or another exit code, or -1 with
	 * the error to be printed.
	 */
	int (*work)(char **arg, int nr, struct err *e);
	const struct option_def *options;
};

/*
 * Parse argv[1..] (options may stand anywhere; argv is permuted) and do the work. Returns the
 * exit code: of a command that was interrupted and catches that, EXIT_INTERRUPTED.
 */
int command_run(const struct command *c, int argc, char **argv);

/* The help text, and the same as a section of the manual page (roff). */
void option_help(const struct command *c, FILE *f);
void option_man(const struct command *c, FILE *f);

#endif
