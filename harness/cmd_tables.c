// SPDX-License-Identifier: BSD-2-Clause
/* tearline tables - the schemes, their options, what they promise, and why one is absent */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "grid.h"
#include "table.h"

static const struct option_def tables_options[] = { { .name = NULL } };

/* The tables to show; none: all that are built in. */
static struct table_spec *named;
static int nr_named;

/* "tt, kv" */
static char *kinds_text(const struct table_class *c, const char *sep)
{
	char *text = xstrdup("");

	for (enum kind k = 0; k < NR_KINDS; k++) {
		char *longer;

		if (!(c->kinds & 1u << k))
			continue;
		longer = xasprintf("%s%s%s", text, *text ? sep : "", kind_names[k]);
		free(text);
		text = longer;
	}
	return text;
}

static char *promise_text(const struct table_class *c)
{
	if (c->promises & PROMISE_NO_FALSE_MISS)
		return xstrdup("no torn read, no false miss, no lost store");
	if (c->promises & PROMISE_HONEST_KEYS)
		return xstrdup("no torn read, unless keys are built for it");
	if (c->promises & PROMISE_SHORT_CHECK)
		return xasprintf("no torn read, but for one in 2^%u of the torn entries met, "
				 "and unless keys are built for it",
				 c->sig_bits);
	return xstrdup(c->promises & PROMISE_NO_TEAR ? "no torn read" : "nothing");
}

/* The same at a glance. */
static char *short_promise(const struct table_class *c)
{
	if (c->promises & PROMISE_NO_FALSE_MISS)
		return xstrdup("no tear, no miss");
	if (c->promises & PROMISE_HONEST_KEYS)
		return xstrdup("no tear (honest keys)");
	if (c->promises & PROMISE_SHORT_CHECK)
		return xasprintf("no tear (%u bits)", c->sig_bits);
	return xstrdup(c->promises & PROMISE_NO_TEAR ? "no tear" : "nothing");
}

/* "blocking (retries ...)": what comes before the explanation; of "16 bytes": the figure. */
static char *head_text(const char *text, const char *sep)
{
	const char *end = text ? strstr(text, sep) : NULL;

	return !text ? NULL
		     : xasprintf("%.*s", (int)(end ? end - text : (long)strlen(text)), text);
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

static void print_field(const char *name, const char *text)
{
	if (text)
		printf("  %-10s %s\n", name, text);
}

static const struct table_option *option_of(const struct table_class *c, unsigned i)
{
	return i < MAX_TABLE_OPTIONS && c->options[i].name ? &c->options[i] : NULL;
}

static bool same_option(const struct table_option *a, const struct table_option *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->help, b->help) &&
	       !strcmp(a->dflt, b->dflt) && !a->values == !b->values &&
	       (!a->values || !strcmp(a->values, b->values));
}

/* The first table that has the option. */
static const struct table_class *first_with(const struct table_option *o)
{
	const struct table_option *other;

	table_for_each(c) for (unsigned i = 0; (other = option_of(c, i)); i++)
	{
		if (same_option(other, o))
			return c;
	}
	return NULL;
}

/* So many have it that it is explained in one place, where all are shown. */
static bool is_common(const struct table_option *o)
{
	const struct table_option *other;
	unsigned nr = 0;

	table_for_each(c) for (unsigned i = 0; (other = option_of(c, i)); i++) nr +=
		same_option(other, o);
	return nr > 2 && !nr_named;
}

static void print_option(const struct table_option *o)
{
	printf("  :%s=%s [%s]\n", o->name, o->values ? o->values : "...", o->dflt);
}

static void print_common_options(void)
{
	const struct table_option *o;

	puts("Options of many tables, in brackets what they are by default\n");
	table_for_each(c) for (unsigned i = 0; (o = option_of(c, i)); i++)
	{
		if (!is_common(o) || first_with(o) != c)
			continue;
		print_option(o);
		printf("             %s\n", o->help);
	}
	putchar('\n');
}

static void print_options(const struct table_class *c)
{
	const struct table_option *o;

	for (unsigned i = 0; (o = option_of(c, i)); i++) {
		print_option(o);
		if (!is_common(o))
			printf("             %s\n", o->help);
	}
}

static bool has_option(const struct table_class *c, const char *name)
{
	const struct table_option *o;

	for (unsigned i = 0; (o = option_of(c, i)); i++)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

/* Slots of a line, with options as they are by default; 0: it has none. */
static unsigned line_slots(const struct table_class *c)
{
	struct table_params p = {
		.size = { .entries = 1 }, .size_text = "size", .threads = 1, .kind = KIND_TT
	};
	struct table_spec spec;
	unsigned slots = 0;
	struct table *t;
	struct err e;

	if (!c->lines || !(c->kinds & 1u << KIND_TT) || table_spec_parse(c->name, &spec, &e))
		return 0;
	if (!table_create(&spec, &p, &t, &e)) {
		slots = t->slots;
		table_destroy(t);
	}
	table_spec_free(&spec);
	return slots;
}

static void print_memory(const struct table_class *c)
{
	unsigned slots = line_slots(c);

	if (!c->memory)
		return;
	printf("  memory     %s", c->memory);
	if (slots)
		printf("; in lines of %u slots", slots);
	putchar('\n');
}

static void print_class(const struct table_class *c)
{
	char *kinds = kinds_text(c, ", "), *promise = promise_text(c);

	printf("%s\n  %s\n", c->name, c->summary);
	print_field("kinds", kinds);
	printf("  progress   probe %s, store %s\n", c->probe_progress, c->store_progress);
	if (!c->floor) {
		if (c->probe_writes)
			printf("  written    by a probe: %s%s\n", c->probe_writes,
			       has_option(c, "refresh") ? "; refreshes of tt" : "");
		print_memory(c);
		printf("  signature  %u bits of the key\n", c->sig_bits);
		print_field("promises", promise);
	}
	if (c->control)
		print_control(c);
	print_field("reference", c->reference);
	print_options(c);
	putchar('\n');
	free(kinds);
	free(promise);
}

/* For someone choosing: what is to be known first, a line each. */
static void print_overview(void)
{
	struct table_absence a;
	struct grid g;

	puts("At a glance; more of each below. A probe of tt also writes refreshes, unless "
	     "refresh=never\n");
	grid_begin(
		&g,
		"<table|<promises|<probe|<store|<written by a probe|bytes an entry|key bits|<kinds");
	table_for_each(c)
	{
		if (c->broken || c->floor)
			continue;
		grid_add(&g, xstrdup(c->name));
		grid_add(&g, short_promise(c));
		grid_add(&g, head_text(c->probe_progress, " ("));
		grid_add(&g, head_text(c->store_progress, " ("));
		grid_add(&g, head_text(c->probe_writes, " ("));
		grid_add(&g, head_text(c->memory, " bytes"));
		grid_add(&g, xasprintf("%u", c->sig_bits));
		grid_add(&g, kinds_text(c, " "));
	}
	grid_end(&g, stdout);
	for (size_t i = 0; table_absent(i, &a); i++)
		printf("absent: %s, %s\n", a.name, a.why);
	putchar('\n');
}

static bool is_shown(const struct table_class *c)
{
	for (int i = 0; i < nr_named; i++)
		if (named[i].class == c)
			return true;
	return !nr_named;
}

static int parse_named(char **spec, int nr, struct err *e)
{
	named = xcalloc((size_t)nr, sizeof(*named));
	for (; nr_named < nr; nr_named++)
		if (table_spec_parse(spec[nr_named], &named[nr_named], e))
			return -1;
	return 0;
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
	if (!nr_named) {
		print_overview();
		print_common_options();
	}
	print_group("Tables: --table NAME[:option=value,...]", false, false);
	print_group("Floors: what the harness and the memory cost by themselves", false, true);
	print_group("Controls: broken on purpose, the audit must catch them", true, false);
}

static int show_tables(char **arg, int nr, struct err *e)
{
	int ret = parse_named(arg, nr, e);

	if (!ret)
		print_tables();
	drop_named();
	return ret;
}

const struct command cmd_tables = {
	.name = "tables",
	.summary = "the locking schemes, their options and kinds",
	.usage = "[TABLE | FILE.so]...",
	.takes_arguments = true,
	.example = "tearline tables\ntearline tables xor ./mine.so",
	.details =
		"What the columns of the overview mean:\n"
		"promises: what an audit must never see of the table; \"honest keys\": unless "
		"somebody builds keys for it; \"bits\": but for one in 2^bits of what is met\n"
		"probe, store: can a thread that is stopped at the wrong moment hold up others? "
		"blocking: yes; lock-free: some thread always gets on; wait-free: every thread "
		"does, in so many steps; obstruction-free: whoever is left alone does\n"
		"written by a probe: what a mere look-up writes to memory that others read, "
		"refreshes of tt aside\n"
		"bytes an entry: memory, all that belongs to the table counted\n"
		"key bits: of the key an entry keeps; of fewer than 64, some entries pass for "
		"another key's\n"
		"kinds: what it can hold. tt: transposition entries, with depth and bound; pawn: 7 "
		"words; eval: one word; kv: any key and one word",
	.work = show_tables,
	.options = tables_options,
};
