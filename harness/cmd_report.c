// SPDX-License-Identifier: BSD-2-Clause
/* cmd_report - `tearline report`: a CSV as tables for people. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "report.h"

struct report_args {
	const char *baseline;
	bool schema;
};

static struct report_args args;

static const struct option_def report_options[] = {
	{ .name = "baseline",
	  .type = OPT_STR,
	  .dest = &args.baseline,
	  .metavar = "TABLE",
	  .help = "compare with this table; without it with unsync, or else the first table" },
	{ .name = "schema",
	  .type = OPT_FLAG,
	  .dest = &args.schema,
	  .help = "print what each column of the CSV means, as a Markdown table" },
	{ .name = NULL },
};

static const struct option_effect report_effects[] = {
	{ "baseline", "without --schema" },
	{ .option = NULL },
};

static void print_schema(FILE *f)
{
	fputs("| column | holds | meaning |\n|---|---|---|\n", f);
	for (int c = 0; c < NR_COLS; c++)
		fprintf(f, "| `%s` | %s | %s |\n", csv_names[c], csv_types[c].name, csv_help[c]);
}

static bool has_table(const struct records *rows, const char *table)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (record_is(&rows->rec[i], COL_table, table))
			return true;
	return false;
}

static int no_such_baseline(const struct records *rows, const char *wanted, struct err *e)
{
	struct nearest n;

	nearest_begin(&n, wanted, strlen(wanted));
	for (size_t i = 0; i < rows->nr; i++)
		nearest_try(&n, rows->rec[i].field[COL_table],
			    strlen(rows->rec[i].field[COL_table]));
	return err_set(e, "report: --baseline: no row is of table '%s'%s", wanted,
		       nearest_hint(&n));
}

static int choose_baseline(struct report *rp, const char *wanted, struct err *e)
{
	rp->baseline = wanted ? wanted : "unsync";
	if (has_table(&rp->rows, rp->baseline))
		return 0;
	if (wanted)
		return no_such_baseline(&rp->rows, wanted, e);
	rp->baseline = rp->rows.rec[0].field[COL_table];
	return 0;
}

/* One row of each machine and build, in the order of the files. */
static void find_machines(struct report *rp)
{
	rp->machine = xcalloc(rp->rows.nr, sizeof(*rp->machine));
	for (size_t i = 0; i < rp->rows.nr; i++) {
		const struct record *r = &rp->rows.rec[i];
		bool known = false;

		for (size_t m = 0; m < rp->nr_machines && !known; m++) {
			known = report_same_machine(rp->machine[m], r);
		}
		if (!known)
			rp->machine[rp->nr_machines++] = r;
	}
}

static int check_rows(const struct records *rows, char *const *paths, struct err *e)
{
	if (rows->nr)
		return 0;
	return err_set(e, "%s: a header and no rows: nothing to report", paths[0]);
}

static int report_files(char *const *paths, size_t nr, struct err *e)
{
	struct report rp = { .out = stdout };
	int ret = -1;

	if (records_read(paths, nr, &rp.rows, e))
		return -1;
	if (check_rows(&rp.rows, paths, e) || choose_baseline(&rp, args.baseline, e))
		goto out_free;
	find_machines(&rp);
	report_verdict(&rp);
	report_head(&rp);
	report_speed(&rp);
	report_latency(&rp);
	report_audit(&rp);
	report_notes(&rp);
	ret = 0;
	free(rp.machine);
out_free:
	records_free(&rp.rows);
	return ret;
}

static int report(char **arg, int nr, struct err *e)
{
	if (nr && args.schema)
		return err_set(e, "report: --schema: expected no file with it, got '%s'",
			       arg[0]);
	if (!nr && !args.schema)
		return err_set(e, "report: expected a CSV file, or - for standard input");
	if (args.schema)
		print_schema(stdout);
	else if (report_files(arg, (size_t)nr, e))
		return -1;
	return EXIT_DONE;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "a CSV as readable tables: which scheme, how fast, does it ever lie",
	.takes_arguments = true,
	.usage = "FILE... [--baseline TABLE] | --schema",
	.example = "tearline sweep --tables spinlock,xor --traces @TRACE@ --out x.csv\n"
		   "tearline report x.csv --baseline spinlock",
	.work = report,
	.options = report_options,
	.effects = report_effects,
};
