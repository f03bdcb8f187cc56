// SPDX-License-Identifier: BSD-2-Clause
/* tearline sweep - many cells, interleaved, each on disk before the next begins */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "env.h"
#include "interrupt.h"
#include "progress.h"
#include "sweep.h"

struct sweep_args {
	struct cell_args cell;
	struct sweep_lists lists;
	const char *out;
	bool resume;
};

static struct sweep_args args;

static const struct option_def sweep_options[] = {
	{ "tables", OPT_STR, &args.lists.tables, "LIST", "spinlock,xor,seqlock,unsync",
	  "tables, with options as in spinlock:lock=ticket,stripes=64, or the shared "
	  "objects that have them (./mine.so); 'all' is every table and floor that there "
	  "is here. One that lacks a kind that is replayed is left out",
	  0, 0 },
	{ "traces", OPT_STR, &args.lists.traces, "LIST", NULL,
	  "trace files, or patterns in quotes that match .tlt files", 0, 0 },
	{ "workload", OPT_STR, &args.lists.workloads, "LIST", NULL, workload_help, 0, 0 },
	{ "threads", OPT_STR, &args.lists.threads, "LIST", "1,all",
	  "thread counts; 'all' is one a CPU", 0, 0 },
	{ "hash", OPT_STR, &args.lists.hash, "LIST", "16",
	  "sizes of the tt or kv table, as replay takes them", 0, 0 },
	{ "lookahead", OPT_STR, &args.lists.lookahead, "LIST", "0", LOOKAHEAD_HELP, 0, 0 },
	{ "trials", OPT_U64, &args.lists.trials, "N", "3", "trials of each cell", 1, 1000000 },
	{ "out", OPT_STR, &args.out, "FILE|-", "-", "CSV to write or to append to", 0, 0 },
	{ "resume", OPT_FLAG, &args.resume, NULL, NULL,
	  "skip the cells that are already in --out: same table, options, trace, size, threads, "
	  "placement, CPUs, mode, caller, lookahead, deal, clears, pacing, seed, witness and trial, "
	  "on this machine with this build; not looked at are --seconds, --passes and --pages. "
	  "What a crash left of a trial is removed",
	  0, 0 },
	CELL_OPTIONS(&args.cell),
	{ .name = NULL },
};

static const struct option_effect sweep_effects[] = {
	CELL_EFFECTS("--traces"),
	{ .option = NULL },
};

/* What came of the cells so far. */
struct tally {
	size_t done, broken; /* trials; of them, those in which a table broke its promise */
	double replayed; /* seconds */
};

static int write_rows(const struct sweep_cell *sc, const struct run_result *r,
		      const struct csv_row *base, struct csv_writer *csv, struct tally *t,
		      struct err *e)
{
	struct csv_row rows[NR_KINDS + 1] = { 0 };
	unsigned nr = cell_rows(&sc->cell, sc->setup, r, base, sc->trial, rows);
	char *broken = cell_broken_promise(&sc->cell, sc->setup, r, rows, nr);
	int ret = csv_write(csv, rows, nr, e);

	t->broken += broken != NULL;
	t->done += !ret;
	t->replayed += r->replay_seconds;
	free(broken);
	for (unsigned i = 0; i < nr; i++)
		csv_row_clear(&rows[i]);
	return ret;
}

/* One cell; nothing is counted if it was interrupted and its row dropped. */
static int sweep_one(const struct sweep_cell *sc, const struct csv_row *base,
		     struct csv_writer *csv, struct tally *t, struct err *e)
{
	struct csv_row stamped = { 0 };
	struct run_result r;
	int ret = -1;

	csv_copy(&stamped, base);
	env_stamp_start(&stamped);
	if (cell_run(&sc->cell, sc->setup, &r, e))
		goto out;
	ret = 0;
	if (interrupted())
		goto out;
	ret = write_rows(sc, &r, &stamped, csv, t, e);
out:
	csv_row_clear(&stamped);
	return ret;
}

static void show_step(struct progress *p, const struct sweep_cell *sc)
{
	const struct source *src = sc->cell.source;
	char *text = xasprintf("%s, %s, %s MiB, %u threads", sc->cell.table->class->name,
			       src->workload ? src->workload : src->trace->name, sc->cell.hash,
			       sc->cell.threads);

	progress_step(p, text);
	free(text);
}

/* EXIT_DONE, EXIT_FAULT if a table broke its promise, or -1. */
static int run_cells(struct sweep *s, const struct csv_row *base, struct csv_writer *csv,
		     struct err *e)
{
	uint64_t begin = now_ns();
	struct tally t = { 0 };
	struct progress p;
	size_t todo = 0;
	double whole;
	int ret = 0;

	for (size_t i = 0; i < s->nr_cells; i++)
		todo += !s->cell[i].done;
	progress_begin(&p, todo);
	for (size_t i = 0; i < s->nr_cells && !ret && !interrupted(); i++) {
		if (s->cell[i].done)
			continue;
		show_step(&p, &s->cell[i]);
		ret = sweep_one(&s->cell[i], base, csv, &t, e);
	}
	progress_end(&p);
	whole = (double)(now_ns() - begin) * 1e-9;
	fprintf(stderr, "%zu of %zu trials in %.0f s, %.0f %% of it replay\n", t.done,
		todo, whole, whole > 0 ? 100 * t.replayed / whole : 0);
	if (interrupted())
		fprintf(stderr, "interrupted: %zu trials are missing; --resume does them\n",
			todo - t.done);
	if (t.broken)
		fprintf(stderr,
			"FAILURE: a table broke its promise in %zu of %zu trials; their warnings say how\n",
			t.broken, t.done);
	return ret ? ret : t.broken ? EXIT_FAULT : EXIT_DONE;
}

/* What is done already, and rows of a trial that a crash cut short. */
static int resume(struct sweep *s, const struct csv_row *base, struct csv_writer *csv,
		  const struct csv_file *f, struct err *e)
{
	size_t whole = sweep_resume(s, f, base);

	if (whole < f->nr_rows)
		fprintf(stderr,
			"%s:%zu: %zu rows of a trial that was cut short: removed, it is done again\n",
			f->path, f->line[whole], f->nr_rows - whole);
	return csv_cut(csv, f, whole, e);
}

static int sweep_to_file(struct sweep *s, const struct topo *topo, struct err *e)
{
	struct csv_file *had = NULL;
	struct csv_row base = { 0 };
	struct csv_writer *csv;
	struct err ignored;
	int ret = -1;

	cell_base(topo, &base);
	if (args.resume ? csv_resume(args.out, &csv, &had, e) : csv_open(args.out, &csv, e))
		goto out;
	ret = had ? resume(s, &base, csv, had, e) : 0;
	if (!ret)
		ret = run_cells(s, &base, csv, e);
	if (csv_close(csv, ret < 0 ? &ignored : e))
		ret = -1;
	if (had)
		csv_file_free(had);
out:
	csv_row_clear(&base);
	return ret;
}

static int sweep(char **arg, int nr, struct err *e)
{
	struct sweep s;
	struct topo *topo;
	int ret = -1;

	interrupt_catch();
	if (!args.lists.traces && !args.lists.workloads)
		return err_set(e, "sweep: expected --traces LIST or --workload LIST");
	if (args.resume && !strcmp(args.out, "-"))
		return err_set(e, "sweep: --resume needs --out FILE");
	if (topo_open(&topo, e))
		return -1;
	if (!sweep_plan(&s, &args.lists, &args.cell, topo, e))
		ret = sweep_to_file(&s, topo, e);
	sweep_free(&s);
	topo_close(topo);
	return ret;
}

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "many cells, interleaved, into one CSV",
	.usage = "--tables LIST (--traces LIST | --workload LIST) --threads LIST --hash LIST "
		 "--out FILE [options]",
	.example = "tearline sweep --tables spinlock,xor,seqlock,ck_ht --traces "
		   "'@TRACES@/*' --threads 1,2 --hash 1,16 --trials 3 --out x.csv",
	.work = sweep,
	.options = sweep_options,
	.effects = sweep_effects,
};
