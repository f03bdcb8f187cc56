// SPDX-License-Identifier: BSD-2-Clause
/* report_head - what a machine is, what all rows share, and the harness's floor. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "grid.h"

static const char *field_or_dash(const struct record *r, enum csv_column c)
{
	return record_has(r, c) ? r->field[c] : "-";
}

void report_print_machine(const struct report *rp, size_t i)
{
	const struct record *r = rp->machine[i];

	if (rp->nr_machines > 1)
		fprintf(rp->out, "machine %zu: ", i + 1);
	else
		fputs("machine: ", rp->out);
	fprintf(rp->out, "%s, %s, %s cores allowed, Linux %s; tearline %s built by %s %s\n",
		field_or_dash(r, COL_host), field_or_dash(r, COL_cpu_model),
		field_or_dash(r, COL_cores), field_or_dash(r, COL_kernel),
		field_or_dash(r, COL_version), field_or_dash(r, COL_compiler),
		field_or_dash(r, COL_flags));
}

static void print_setting(const struct report *rp, enum csv_column c, const char **sep)
{
	const char *value = rp->rows.value[c];

	if (rp->rows.varies[c] || !value || !*value)
		return;
	fprintf(rp->out, "%s%s %s", *sep, csv_names[c], value);
	*sep = ", ";
}

/* What is the same everywhere is said once, here; what differs stands over each group. */
static void print_settings(const struct report *rp)
{
	static const enum csv_column cell_settings[] = { COL_page_size, COL_refresh };
	const char *sep = "all rows: ";

	for (const enum csv_column *c = dim_setting; *c != NR_COLS; c++)
		print_setting(rp, *c, &sep);
	for (size_t i = 0; i < ARRAY_SIZE(cell_settings); i++)
		print_setting(rp, cell_settings[i], &sep);
	if (sep[0] == ',')
		fputc('\n', rp->out);
}

/* What a setting means, where there is one that does not explain itself. */
static const struct {
	enum csv_column column;
	const char *value, *text;
} words[] = {
	{ COL_deal, "split", "threads beyond the recorded ones share their streams" },
	{ COL_deal, "clone", "threads beyond the recorded ones replay the same streams again" },
	{ COL_deal, "salt", "threads beyond the recorded ones replay them with other keys" },
	{ COL_clears, "barrier", "all threads meet where the trace clears the table" },
	{ COL_clears, "live", "tables are cleared under the other threads' hands" },
	{ COL_clears, "drop", "nothing is cleared" },
	{ COL_witness, "1",
	  "audited operations took stamps, by which misses are judged and contention is known" },
	{ COL_witness, "0",
	  "no stamps: threads meet more often, and only what is returned or left is checked" },
};

static bool occurs(const struct report *rp, enum csv_column c, const char *value)
{
	for (size_t i = 0; i < rp->rows.nr; i++)
		if (record_is(&rp->rows.rec[i], c, value))
			return true;
	return false;
}

static void print_words(const struct report *rp)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (occurs(rp, words[i].column, words[i].value))
			fprintf(rp->out, "%s %s: %s\n", csv_names[words[i].column],
				words[i].value, words[i].text);
}

static int compare_threads(const void *pa, const void *pb)
{
	const struct record *a = *(const struct record *const *)pa;
	const struct record *b = *(const struct record *const *)pb;

	return strverscmp(a->field[COL_threads], b->field[COL_threads]);
}

/* Throughput rows of one machine that carry a floor, by threads. Free .row. */
static struct slice select_floor(const struct report *rp, const struct record *machine)
{
	struct slice s = { .row = xcalloc(rp->rows.nr, sizeof(*s.row)) };

	for (size_t i = 0; i < rp->rows.nr; i++) {
		const struct record *r = &rp->rows.rec[i];

		if (record_is(r, COL_mode, "throughput") &&
		    (record_has(r, COL_stream_ns) || record_has(r, COL_null_ns)) &&
		    report_same_machine(machine, r))
			s.row[s.nr++] = r;
	}
	qsort(s.row, s.nr, sizeof(*s.row), compare_threads);
	return s;
}

static void add_floor(struct grid *g, const struct slice *s, enum csv_column c)
{
	size_t nr;
	double *v = slice_values(s, c, &nr);
	struct interval range = nr ? stats_median_range(v, nr) : (struct interval){ 0 };

	grid_add(g, nr ? text_figure(range.mid) : NULL);
	/* over different traces a range, however many rows there are */
	grid_add(g, text_interval(&range, nr > 1 ? 2 : nr));
	free(v);
}

static void print_floor(const struct report *rp, size_t machine)
{
	static const enum csv_column threads[] = { COL_threads, NR_COLS };
	struct slice all = select_floor(rp, rp->machine[machine]), rest = all;
	struct grid g;

	fputs("\nthe harness's floor", rp->out);
	if (rp->nr_machines > 1)
		fprintf(rp->out, ", machine %zu", machine + 1);
	fputs(all.nr ? " (ns per operation and thread: median and range over its rows)\n"
		     : ": not measured\n",
	      rp->out);
	grid_begin(&g, "threads|read an operation|<range|and dispatch it|<range|rows");
	while (rest.nr) {
		struct slice s = slice_take(&rest, threads);

		grid_add(&g, xstrdup(s.row[0]->field[COL_threads]));
		add_floor(&g, &s, COL_stream_ns);
		add_floor(&g, &s, COL_null_ns);
		grid_add(&g, xasprintf("%zu", s.nr));
	}
	if (all.nr)
		grid_end(&g, rp->out);
	else
		grid_drop(&g);
	free(all.row);
}

void report_head(const struct report *rp)
{
	print_settings(rp);
	print_words(rp);
	for (size_t i = 0; i < rp->nr_machines; i++)
		print_floor(rp, i);
}
