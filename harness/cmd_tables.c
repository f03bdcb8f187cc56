// SPDX-License-Identifier: BSD-2-Clause
/* tearline tables - the schemes, their options, what they promise, and why one is absent */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "table.h"

static const struct option_def *tables_options(void)
{
	static const struct option_def defs[] = { { .name = NULL } };

	return defs;
}

static void print_kinds(const struct table_class *c)
{
	const char *sep = "";

	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (!(c->kinds & 1u << k))
			continue;
		printf("%s%s", sep, kind_names[k]);
		sep = ", ";
	}
}

static const char *promise_text(const struct table_class *c)
{
	if (c->promises & PROMISE_NO_FALSE_MISS)
		return "no torn read, no false miss, no lost store";
	if (c->promises & PROMISE_HONEST_KEYS)
		return "no torn read, unless keys are built for it";
	return c->promises & PROMISE_NO_TEAR ? "no torn read" : "nothing";
}

/* What was broken, and what shows it. */
static void print_control(const struct table_class *c)
{
	const struct control *k = c->control;
	const char *sep = "";

	if (c->broken)
		printf("  planted    %s\n", k->planted);
	printf("  must show  ");
	for (unsigned f = 0; f < NR_FAULTS; f++) {
		if (!(k->shows & 1u << f))
			continue;
		printf("%s%s", sep, fault_names[f]);
		sep = ", ";
	}
	printf(" (--workload %s --threads %u%s)\n", k->workload, k->threads,
	       k->witness ? "" : " --witness no");
}

static void print_class(const struct table_class *c)
{
	printf("%s\n  %s\n  kinds      ", c->name, c->summary);
	print_kinds(c);
	printf("\n  progress   probe %s, store %s\n", c->probe_progress, c->store_progress);
	if (!c->floor)
		printf("  promises   %s\n", promise_text(c));
	if (c->control)
		print_control(c);
	printf("  reference  %s\n", c->reference);
	for (const struct table_option *o = c->options; o->name; o++) {
		printf("  :%s=%s", o->name, o->values ? o->values : "...");
		printf(" [%s]\n             %s\n", o->dflt, o->help);
	}
	putchar('\n');
}

/* The tables to show; none: all that are built in. */
static struct table_spec *named;
static int nr_named;

static bool is_shown(const struct table_class *c)
{
	for (int i = 0; i < nr_named; i++)
		if (named[i].class == c)
			return true;
	return !nr_named;
}

static int parse_named(int nr, char **spec)
{
	struct err e;

	named = xcalloc((size_t)nr, sizeof(*named));
	for (; nr_named < nr; nr_named++)
		if (table_spec_parse(spec[nr_named], &named[nr_named], &e))
			return err_report(&e);
	return EXIT_DONE;
}

static void drop_named(void)
{
	for (int i = 0; i < nr_named; i++)
		table_spec_free(&named[i]);
	free(named);
}

static void print_group(const char *title, bool broken, bool floor)
{
	bool any = false;

	table_for_each(c)
	{
		if (c->broken != broken || c->floor != floor || !is_shown(c))
			continue;
		if (!any)
			printf("%s\n\n", title);
		any = true;
		print_class(c);
	}
}

static void print_tables(void)
{
	struct table_absence a;

	print_group("Tables: --table NAME[:option=value,...]", false, false);
	print_group("Floors: what the harness and the memory cost by themselves", false, true);
	print_group("Controls: broken on purpose, the audit must catch them", true, false);
	for (size_t i = 0; !nr_named && table_absent(i, &a); i++)
		printf("absent: %s, %s\n", a.name, a.why);
}

static int run_tables(const struct command *c, int argc, char **argv)
{
	int status, first = option_parse(c, tables_options(), argc, argv, &status);

	if (first < 0)
		return status;
	status = parse_named(argc - first, argv + first);
	if (status == EXIT_DONE)
		print_tables();
	drop_named();
	return status;
}

const struct command cmd_tables = {
	.name = "tables",
	.summary = "the locking schemes, their options and kinds",
	.usage = "[TABLE | FILE.so]...",
	.takes_arguments = true,
	.example = "tearline tables\ntearline tables xor ./mine.so",
	.run = run_tables,
	.options = tables_options,
};
