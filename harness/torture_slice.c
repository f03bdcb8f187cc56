// SPDX-License-Identifier: BSD-2-Clause
#include "torture_slice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"

const enum csv_column fault_column[NR_FAULTS] = {
	[FAULT_TORN] = COL_torn_reads,		[FAULT_WRONG_KEY] = COL_wrong_key_hits,
	[FAULT_FALSE_MISS] = COL_false_misses,	[FAULT_STALE] = COL_stale_hits,
	[FAULT_LOST] = COL_lost_stores,		[FAULT_UNUSABLE] = COL_unusable_slots,
	[FAULT_DUPLICATE] = COL_duplicate_keys,	[FAULT_WRONG_ANSWER] = COL_wrong_answers,
	[FAULT_GHOST] = COL_ghost_hits,		[FAULT_DEAD_PAIR] = COL_dead_pair_misses,
	[FAULT_CONTRADICTION] = COL_contradictions,
};

char *faults_text(const uint64_t fault[NR_FAULTS], unsigned mask, bool figures)
{
	char *text = xstrdup("");

	for (enum fault f = 0; f < NR_FAULTS; f++) {
		const char *name = csv_names[fault_column[f]];
		const char *sep = *text ? ", " : "";
		char *more;

		if (!(mask & 1u << f))
			continue;
		more = figures ? xasprintf("%s%s%ju %s", text, sep, (uintmax_t)fault[f], name)
			       : xasprintf("%s%s%s", text, sep, name);
		free(text);
		text = more;
	}
	return text;
}

unsigned faults_seen(const uint64_t fault[NR_FAULTS])
{
	unsigned mask = 0;

	for (enum fault f = 0; f < NR_FAULTS; f++)
		mask |= fault[f] ? 1u << f : 0;
	return mask;
}

int bench_open(struct bench *b, const struct torture_args *a, struct err *e)
{
	memset(b, 0, sizeof(*b));
	b->args = a;
	b->out = a->csv && !strcmp(a->csv, "-") ? stderr : stdout;
	if (topo_open(&b->topo, e))
		return -1;
	cell_base(b->topo, &b->base);
	return 0;
}

int bench_close(struct bench *b, bool failed, struct err *e)
{
	struct err unheard;
	int ret = 0;

	if (b->csv)
		ret = csv_close(b->csv, failed ? &unheard : e);
	csv_row_clear(&b->base);
	topo_close(b->topo);
	return failed ? -1 : ret;
}

char *slice_text(const struct torture_slice *s)
{
	return xasprintf("%s (%s, %u threads, placement %s%s%s%s)", s->workload, s->hash,
			 s->threads, s->placement, s->witness ? "" : ", no witness",
			 s->shake ? ", shaken" : "", s->age ? ", aged" : "");
}

/* What the watchdog needs, should the slice never end. */
struct at_work {
	struct bench *b;
	const struct torture_slice *s;
	const struct cell *cell;
	const struct cell_setup *setup;
	const struct csv_row *base;
};

static void hung(void *arg)
{
	const struct at_work *w = arg;
	char *where = slice_text(w->s);
	struct csv_row row = { 0 };
	struct err e;

	cell_row_hung(w->cell, w->setup, w->base, w->s->nr, &row);
	cell_warn(&row, "FAILURE: hung");
	if (w->b->csv && csv_write(w->b->csv, &row, 1, &e))
		err_report(&e);
	fprintf(w->b->out,
		"FAILURE: %s hung on %s: no operation began for %g s; repeat with: %s\n",
		w->s->table->class->name, where, w->b->args->watchdog, w->s->repeat);
	fflush(w->b->out);
	/* The threads cannot be joined, nor what they use be given back. */
	_exit(EXIT_FAULT);
}

/* Everything that can be refused is, before the CSV is there. */
static int prepare(struct bench *b, const struct cell *c, struct cell_setup *setup,
		   struct err *e)
{
	if (cell_check(c, e) || cell_setup(c, setup, e))
		return -1;
	if (b->csv)
		return 0;
	if (cell_try(c, setup, e) || (b->args->csv && csv_open(b->args->csv, &b->csv, e))) {
		cell_setup_free(setup);
		return -1;
	}
	return 0;
}

int slice_run(struct bench *b, struct torture_slice *s, struct err *e)
{
	struct cell_args args = { .pawn_hash = s->hash,
				  .eval_hash = s->hash,
				  .placement = s->placement,
				  .oversubscribe = true,
				  .caller = CALLER_BRANCH,
				  .clears = CLEARS_DROP,
				  .mode = MODE_AUDIT,
				  .witness = s->witness ? WITNESS_YES : WITNESS_NO,
				  .seed = s->seed,
				  .shake = s->shake,
				  .age = s->age,
				  .age_seconds = s->age_seconds,
				  .seconds = s->seconds };
	struct source source = { .workload = s->workload };
	struct csv_row base = { 0 };
	struct cell_setup setup;
	struct cell cell = { .args = &args,
			     .topo = b->topo,
			     .table = s->table,
			     .source = &source,
			     .hash = s->hash,
			     .threads = s->threads,
			     .repeat = s->repeat,
			     .watchdog_ns = (uint64_t)(b->args->watchdog * 1e9),
			     .hung = hung };
	struct at_work work = { b, s, &cell, &setup, &base };
	struct run_result r;
	int ret;

	if (prepare(b, &cell, &setup, e))
		return -1;
	csv_copy(&base, &b->base);
	env_stamp_start(&base);
	cell.hung_arg = &work;
	ret = cell_run(&cell, &setup, &r, e);
	if (!ret) {
		s->built_keys = setup.traffic->built_keys;
		s->stops = r.shaken;
		s->aged = r.aged;
		run_faults(&r, s->fault);
		s->nr_rows = cell_rows(&cell, &setup, &r, &base, s->nr, s->row);
	}
	csv_row_clear(&base);
	cell_setup_free(&setup);
	return ret;
}

int slice_write(struct bench *b, struct torture_slice *s, const char *failure, struct err *e)
{
	for (unsigned i = 0; failure && i < s->nr_rows; i++)
		cell_warn(&s->row[i], failure);
	return b->csv ? csv_write(b->csv, s->row, s->nr_rows, e) : 0;
}

void slice_drop(struct torture_slice *s)
{
	for (unsigned i = 0; i < s->nr_rows; i++)
		csv_row_clear(&s->row[i]);
	s->nr_rows = 0;
	free(s->repeat);
	free(s->workload);
	s->repeat = NULL;
	s->workload = NULL;
}
