// SPDX-License-Identifier: BSD-2-Clause
/* tearline torture - does a table keep its promises under stress; is a broken one caught? */
#include "cell.h"
#include "command.h"
#include "interrupt.h"
#include "torture.h"

static struct torture_args args;

static const struct option_def torture_options[] = {
	{ "table", OPT_STR, &args.table, "NAME[:opt=val,...]", NULL,
	  "table to stress, on every workload that it can hold (see tearline tables), or "
	  "the shared object that has one (./mine.so)",
	  0, 0 },
	{ "controls", OPT_FLAG, &args.controls, NULL, NULL,
	  "instead: run the tables that are broken on purpose, and say how often each "
	  "is caught",
	  0, 0 },
	{ "seconds", OPT_DECIMAL, &args.seconds, "S", "10",
	  "with --table: for how long, in slices of 0.2 to 1 s", 0, 1000000 },
	{ "runs", OPT_U64, &args.runs, "R", "10",
	  "with --controls: runs of one second for each", 1, 1000000 },
	{ "threads", OPT_U64, &args.threads, "N", "0",
	  "threads; in other slices twice as many, 8 and 16 (0: as many as CPUs, at "
	  "least 2; a control's own)",
	  0, TOPO_MAX_THREADS / 2 },
	{ "seed", OPT_U64, &args.seed, "N", "1",
	  "of everything random; each slice has its own, made from this", 0, 0 },
	{ "slice", OPT_U64, &args.slice, "K", "0",
	  "with --table: the Kth slice, as a FAILURE names it, and then others of its "
	  "combination (0: all in turn)",
	  0, 1ull << 40 },
	{ "shake", OPT_FLAG, &args.shake, NULL, NULL,
	  "stop each thread some thousand times a second at any instruction, for up to "
	  "0.2 ms, in every slice (with --table, without this: in every fourth)",
	  0, 0 },
	{ "watchdog", OPT_DECIMAL, &args.watchdog, "S", "30",
	  "give up when no thread has begun an operation for so long: every thread's "
	  "stack on stderr, and FAILURE",
	  1, 1000000 },
	{ "csv", OPT_STR, &args.csv, "FILE|-", NULL,
	  "append a row a slice to FILE, or print the rows; then the summary goes to "
	  "stderr",
	  0, 0 },
	{ .name = NULL },
};

static const struct option_effect torture_effects[] = {
	{ "seconds", "with --table" },
	{ "slice", "with --table" },
	{ "runs", "with --controls" },
	{ .option = NULL },
};

static int check_args(struct err *e)
{
	if (!args.table == !args.controls)
		return err_set(e, "torture: expected one of --table NAME and --controls (see "
				  "tearline tables)");
	if (args.table && args.seconds <= 0)
		return err_set(e, "torture: --seconds: expected more than 0");
	return 0;
}

static int torture(char **arg, int nr, struct err *e)
{
	if (check_args(e))
		return -1;
	interrupt_catch();
	return args.controls ? torture_controls(&args, e) : torture_table(&args, e);
}

const struct command cmd_torture = {
	.name = "torture",
	.summary = "does a table keep its promises under stress? is a broken one caught?",
	.usage = "(--table NAME[:opt=val,...] [--seconds S] | --controls [--runs R]) [options]",
	.example = "tearline torture --table xor --seconds 60 --csv torture.csv\n"
		   "tearline torture --controls --runs 100",
	.work = torture,
	.options = torture_options,
	.effects = torture_effects,
};
