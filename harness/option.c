// SPDX-License-Identifier: BSD-2-Clause
#include "option.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "nearest.h"

/* The command that runs, and which of its options were on the command line. */
static const struct command *running;
static bool *given;

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

static int bad_choice(const struct command *c, const struct option_def *d, const char *s,
		      struct err *e)
{
	struct nearest n;

	nearest_begin(&n, s, strlen(s));
	nearest_try_choices(&n, d->metavar);
	return err_set(e, "%s: --%s: expected %s, got '%s'%s", c->name, d->name, d->metavar, s,
		       nearest_hint(&n));
}

static int bad_number(const struct command *c, const struct option_def *d, const char *s,
		      struct err *e)
{
	const char *whole = d->type == OPT_U64 ? "whole " : "";
	char range[64];

	if (c->for_lists && strchr(s, ','))
		return err_set(e, "%s: --%s: expected one number, got '%s': for several use %s",
			       c->name, d->name, s, c->for_lists);
	if (d->max)
		snprintf(range, sizeof(range), "from %ju to %ju", (uintmax_t)d->min,
			 (uintmax_t)d->max);
	else
		snprintf(range, sizeof(range), "of at least %ju", (uintmax_t)d->min);
	return err_set(e, "%s: --%s: expected a %snumber %s, got '%s'", c->name, d->name, whole,
		       range, s);
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
			return bad_number(c, d, s, e);
		*(uint64_t *)d->dest = number;
		return 0;
	case OPT_DECIMAL:
		if (parse_decimal(s, &decimal) || decimal < (double)d->min ||
		    decimal > (double)max)
			return bad_number(c, d, s, e);
		*(double *)d->dest = decimal;
		return 0;
	case OPT_CHOICE:
		index = choice_index(d->metavar, s);
		if (index < 0)
			return bad_choice(c, d, s, e);
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

/* Of a word as it was typed, "--tabel" or "--tabel=xor". */
static int unknown_option(const struct command *c, const char *word, struct err *e)
{
	struct nearest n;

	nearest_begin(&n, word, strcspn(word, "="));
	for (const struct option_def *d = c->options; d->name; d++) {
		char *option = xasprintf("--%s", d->name);

		nearest_try(&n, option, strlen(option));
		free(option);
	}
	return err_set(e, "%s: unknown option '%s'%s (see tearline %s --help)", c->name, word,
		       nearest_hint(&n), c->name);
}

static const struct option_def *find_option(const struct command *c, const char *name,
					    size_t len)
{
	for (const struct option_def *d = c->options; d->name; d++)
		if (strlen(d->name) == len && !strncmp(d->name, name, len))
			return d;
	return NULL;
}

static bool was_given(const struct option_def *d)
{
	return given[d - running->options];
}

/* Has it a value that does something? */
static bool is_set(const struct option_def *d)
{
	switch (d->type) {
	case OPT_FLAG:
		return *(bool *)d->dest;
	case OPT_STR:
		return *(const char **)d->dest;
	case OPT_U64:
		return was_given(d) && *(uint64_t *)d->dest;
	case OPT_DECIMAL:
		return was_given(d) && *(double *)d->dest > 0;
	case OPT_CHOICE:
		return was_given(d);
	}
	return false;
}

/* Is it this choice, or a list with this item ("name" or "name:with=options")? */
static bool is_value(const struct option_def *d, const char *value, size_t len)
{
	const char *list = d->type == OPT_STR ? *(const char **)d->dest : NULL;

	if (d->type == OPT_CHOICE) {
		char *text = xasprintf("%.*s", (int)len, value);
		int index = choice_index(d->metavar, text);

		free(text);
		return index >= 0 && *(unsigned *)d->dest == (unsigned)index;
	}
	while (list && *list) {
		if (strcspn(list, ":,") == len && !strncmp(list, value, len))
			return true;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return false;
}

/* "--mode audit", "--trace" or "cut". */
static bool term_holds(const char *term, size_t len, const char *verb)
{
	const char *space = memchr(term, ' ', len);
	size_t name = space ? (size_t)(space - term) : len;
	const struct option_def *d;

	if (strncmp(term, "--", 2))
		return verb && strlen(verb) == len && !strncmp(verb, term, len);
	d = find_option(running, term + 2, name - 2);
	if (!d)
		return false;
	return space ? is_value(d, space + 1, len - name - 1) : is_set(d);
}

static bool when_holds(const char *when, const char *verb)
{
	bool without = !strncmp(when, "without ", 8);

	for (const char *p = strchr(when, ' ') + 1, *end; p; p = end ? end + 4 : NULL) {
		end = strstr(p, " or ");
		if (term_holds(p, end ? (size_t)(end - p) : strlen(p), verb))
			return !without;
	}
	return without;
}

static int no_effect(const struct option_def *d, const char *when, struct err *e)
{
	return err_set(e, "%s: --%s: only has an effect %s", running->name, d->name, when);
}

static int check_effects(const char *verb, struct err *e)
{
	for (const struct option_effect *f = running->effects; f && f->option; f++) {
		const struct option_def *d = find_option(running, f->option, strlen(f->option));

		if (d && was_given(d) && !when_holds(f->when, verb))
			return no_effect(d, f->when, e);
	}
	return 0;
}

static const struct option_def *given_option(const void *dest)
{
	for (const struct option_def *d = running ? running->options : NULL; d && d->name; d++)
		if (d->dest == dest && was_given(d))
			return d;
	return NULL;
}

int option_check_effect(const void *dest, bool has, const char *when, struct err *e)
{
	const struct option_def *d = has ? NULL : given_option(dest);

	return d ? no_effect(d, when, e) : 0;
}

/* "info, verify or cut" */
static char *verbs_text(const char *verbs)
{
	char *text = xstrdup("");

	for (const char *p = verbs; *p;) {
		int len = (int)strcspn(p, "|");
		const char *sep = !*text ? "" : p[len] ? ", " : " or ";
		char *longer = xasprintf("%s%s%.*s", text, sep, len, p);

		free(text);
		text = longer;
		p += len + (p[len] == '|');
	}
	return text;
}

static int check_verb(const struct command *c, const char *verb, struct err *e)
{
	struct nearest n;
	char *list;

	if (!c->verbs || (verb && choice_index(c->verbs, verb) >= 0))
		return 0;
	list = verbs_text(c->verbs);
	if (verb) {
		nearest_begin(&n, verb, strlen(verb));
		nearest_try_choices(&n, c->verbs);
		err_set(e, "%s: expected %s, got '%s'%s", c->name, list, verb,
			nearest_hint(&n));
	} else {
		err_set(e, "%s: expected %s (see tearline %s --help)", c->name, list, c->name);
	}
	free(list);
	return -1;
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
	running = c;
	free(given);
	given = xcalloc(count_options(defs), sizeof(*given));
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
		if (got == ':') {
			err_set(&e,
				"%s: a value is missing after '%s' (see tearline %s --help)",
				c->name, argv[optind - 1], c->name);
			goto out_err;
		}
		if (got == '?') {
			unknown_option(c, argv[optind - 1], &e);
			goto out_err;
		}
		if (store_value(c, &defs[index], optarg, &e))
			goto out_err;
		given[index] = true;
	}
	if (optind < argc && !c->takes_arguments) {
		err_set(&e, "%s: expected options only, got '%s'", c->name, argv[optind]);
		goto out_err;
	}
	if (check_verb(c, argv[optind], &e) || check_effects(argv[optind], &e))
		goto out_err;
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
