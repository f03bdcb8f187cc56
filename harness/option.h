/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option - one table per command from which parsing, --help and the manual come
 *
 * A command lists its options with their default and help text in one place;
 * command_run() stores each value where the entry points, checks its range, answers
 * --help by itself, and makes an exit code of what came of the work.
 *
 * An option that was given and does nothing beside the others that were given is refused: it was
 * meant to do something. What an option needs is said in a list of effects, from which the
 * refusal and the help text come. What depends on the machine or on what a file holds is no
 * ground to refuse: a script that says `--oversubscribe` is to run on any machine.
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

/*
 * An option that has an effect only with others: "with --mode audit", "with --bench or --depth",
 * "without --passes", or with a first argument, "with import or cut". An option with a value
 * stands for that value, or for a list that it is in; one without a value for having one, and a
 * number for not being 0. Of several lines of one option each must hold.
 */
struct option_effect {
	const char *option; /* NULL ends the list */
	const char *when;
};

struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	const char *usage; /* what follows the name */
	bool takes_arguments; /* besides options; else they are refused */
	const char *verbs; /* "a|b|c": the first argument is one of these; NULL: it is not */
	const char *for_lists; /* the command that takes lists where this one does not, or NULL */
	/*
	 * At least one whole command line, newline separated. In it, @TRACE@ is a trace that
	 * comes with tearline, @TRACES@ the directory that has it.
	 */
	const char *example;
	const char *details; /* what else is to be known, after the options; or NULL */
	/*
	 * With the options set and these arguments: EXIT_DONE or another exit code, or -1 with
	 * the error to be printed.
	 */
	int (*work)(char **arg, int nr, struct err *e);
	const struct option_def *options;
	const struct option_effect *effects; /* or NULL: all have theirs always */
};

/*
 * Parse argv[1..] (options may stand anywhere; argv is permuted) and do the work. Returns the
 * exit code: of a command that was interrupted and catches that, EXIT_INTERRUPTED.
 */
int command_run(const struct command *c, int argc, char **argv);

/*
 * For what only the work can tell: dest's option has no effect, unless `has`, which it has
 * `when`. 0, or -1 if it was given and hasn't.
 */
int option_check_effect(const void *dest, bool has, const char *when, struct err *e);

/* The help text, and the same as a section of the manual page (roff). */
void option_help(const struct command *c, FILE *f);
void option_man(const struct command *c, FILE *f);
/*
 * The text of an example with @TRACE@ and @TRACES@ replaced. Takes the directory, as paths_find()
 * gives it; the caller frees the text.
 */
char *option_sample(const char *text, char *traces);

#endif
