// SPDX-License-Identifier: BSD-2-Clause
/*
 * torture_controls - how often is a table that is broken on purpose caught?
 *
 * A detector that was never seen to fire proves nothing by its silence. Races need two
 * CPUs: with one, a control that takes a race is neither caught nor missed.
 */
#include "torture.h"

#include <stdlib.h>

#include "grid.h"
#include "interrupt.h"
#include "progress.h"
#include "stats.h"
#include "torture_slice.h"

#define RUN_SECONDS 1
/* Enough lines for some keys of one to agree in 16 bits. */
#define CONTROL_HASH "262144e"

struct tried {
	const struct table_class *class;
	bool applies;
	uint64_t runs, caught;
	uint64_t fault[NR_FAULTS]; /* over all runs */
};

struct controls {
	const struct torture_args *args;
	struct bench bench;
	struct tried *tried;
	size_t nr;
	struct progress progress;
};

static unsigned control_threads(const struct controls *c, const struct control *control)
{
	return control->threads > 1 && c->args->threads ? (unsigned)c->args->threads
							: control->threads;
}

static void find_controls(struct controls *c)
{
	bool alone = topo_nr_allowed(c->bench.topo) == 1;

	table_for_each(class)
	{
		if (!class->control)
			continue;
		c->tried = xrealloc(c->tried, (c->nr + 1) * sizeof(*c->tried));
		c->tried[c->nr++] =
			(struct tried){ .class = class,
					.applies = class->control->threads == 1 || !alone };
	}
}

static char *repeat_text(const struct controls *c)
{
	return xasprintf("tearline torture --controls --runs %ju --threads %ju --seed %ju%s",
			 (uintmax_t)c->args->runs, (uintmax_t)c->args->threads,
			 (uintmax_t)c->args->seed, c->args->shake ? " --shake" : "");
}

static int try_once(struct controls *c, struct tried *t, struct table_spec *table,
		    struct err *e)
{
	const struct control *control = t->class->control;
	struct torture_slice s = { .table = table,
				   .workload = xstrdup(control->workload),
				   .hash = CONTROL_HASH,
				   .placement = "core",
				   .threads = control_threads(c, control),
				   .witness = control->witness,
				   .shake = c->args->shake,
				   .seed = mix64(c->args->seed + mix64(t->runs)),
				   .nr = t->runs + 1,
				   .seconds = RUN_SECONDS,
				   .repeat = repeat_text(c) };
	char *text = xasprintf("control %s, caught in %ju of %ju runs", t->class->name,
			       (uintmax_t)t->caught, (uintmax_t)t->runs);
	int ret;

	progress_step(&c->progress, text);
	ret = slice_run(&c->bench, &s, e);
	if (!ret && !interrupted()) {
		t->runs++;
		t->caught += !(control->shows & ~faults_seen(s.fault));
		for (enum fault f = 0; f < NR_FAULTS; f++)
			t->fault[f] += s.fault[f];
		ret = slice_write(&c->bench, &s, NULL, e);
	}
	slice_drop(&s);
	free(text);
	return ret;
}

static int try_control(struct controls *c, struct tried *t, struct err *e)
{
	struct table_spec table;
	int ret = 0;

	if (table_spec_parse(t->class->name, &table, e))
		return -1;
	while (!ret && t->runs < c->args->runs && !interrupted())
		ret = try_once(c, t, &table, e);
	table_spec_free(&table);
	return ret;
}

static int try_all(struct controls *c, struct err *e)
{
	size_t applicable = 0;
	int ret = 0;

	for (size_t i = 0; i < c->nr; i++)
		applicable += c->tried[i].applies;
	progress_begin(&c->progress, applicable * c->args->runs);
	for (size_t i = 0; !ret && i < c->nr; i++)
		if (c->tried[i].applies)
			ret = try_control(c, &c->tried[i], e);
	progress_end(&c->progress);
	return ret;
}

static char *interval_text(const struct tried *t)
{
	struct interval ci;

	if (!t->runs)
		return NULL;
	ci = stats_wilson(t->caught, t->runs);
	return xasprintf("[%.1f, %.1f]", 100 * ci.lo, 100 * ci.hi);
}

static char *caught_text(const struct tried *t)
{
	if (!t->applies)
		return xstrdup("not applicable here (one CPU)");
	return xasprintf("%ju of %ju", (uintmax_t)t->caught, (uintmax_t)t->runs);
}

static void print_tried(const struct controls *c)
{
	uint64_t none[NR_FAULTS] = { 0 };
	struct grid g;

	grid_begin(&g, "<control|<workload|threads|<must show|caught in|95 %, in %|"
		       "<planted");
	for (size_t i = 0; i < c->nr; i++) {
		const struct tried *t = &c->tried[i];
		const struct control *control = t->class->control;

		grid_add(&g, xstrdup(t->class->name));
		grid_add(&g, xstrdup(control->workload));
		grid_add(&g, xasprintf("%u", control_threads(c, control)));
		grid_add(&g, faults_text(none, control->shows, false));
		grid_add(&g, caught_text(t));
		grid_add(&g, interval_text(t));
		grid_add(&g, xstrdup(control->planted));
	}
	grid_end(&g, c->bench.out);
}

static int print_verdict(const struct controls *c)
{
	char *repeat = repeat_text(c);
	size_t caught = 0, applicable = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct tried *t = &c->tried[i];

		applicable += t->applies;
		caught += t->caught > 0;
		if (t->applies && !t->caught && !interrupted())
			fprintf(c->bench.out,
				"FAILURE: %s was not caught in any of %ju runs; repeat with: "
				"%s\n",
				t->class->name, (uintmax_t)t->runs, repeat);
	}
	free(repeat);
	if (caught < applicable && !interrupted())
		return EXIT_FAULT;
	fprintf(c->bench.out, "%s: %zu of %zu controls caught, %zu not applicable here\n",
		interrupted() ? "INTERRUPTED" : "SUCCESS", caught, c->nr, c->nr - applicable);
	return EXIT_DONE;
}

int torture_controls(const struct torture_args *a, struct err *e)
{
	struct controls c = { .args = a };
	int status = -1;

	if (bench_open(&c.bench, a, e))
		return -1;
	find_controls(&c);
	if (!try_all(&c, e)) {
		print_tried(&c);
		status = print_verdict(&c);
	}
	free(c.tried);
	return bench_close(&c.bench, status < 0, e) ? -1 : status;
}
