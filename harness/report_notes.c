// SPDX-License-Identifier: BSD-2-Clause
/* report_notes - what a reader should know before trusting the figures, each thing once. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trial this many (scaled) MADs and this share from its cell's median is an outlier. */
#define OUTLIER_MADS 5
#define OUTLIER_SHARE 0.05
#define MAD_TO_SIGMA 1.4826
#define LOW_OVERLAP 0.5

static size_t count_rows(const struct report *rp, bool (*test)(const struct record *r))
{
	size_t nr = 0;

	for (size_t i = 0; i < rp->rows.nr; i++)
		nr += test(&rp->rows.rec[i]);
	return nr;
}

static bool is_sanitized(const struct record *r)
{
	return strstr(r->field[COL_flags], "-fsanitize") != NULL;
}

static bool is_unoptimised(const struct record *r)
{
	return strstr(r->field[COL_flags], "-O0") || strstr(r->field[COL_flags], "-Og");
}

static bool is_oversubscribed(const struct record *r)
{
	return record_has(r, COL_oversubscribed) && !record_is(r, COL_oversubscribed, "0");
}

static bool is_dirty(const struct record *r)
{
	return strstr(r->field[COL_version], "-dirty") != NULL;
}

static bool overlaps_little(const struct record *r)
{
	return record_has(r, COL_overlap) && record_double(r, COL_overlap) < LOW_OVERLAP;
}

static bool mode_is_unknown(const struct record *r)
{
	return !record_is(r, COL_mode, "throughput") && !record_is(r, COL_mode, "audit") &&
	       !record_is(r, COL_mode, "latency");
}

static const struct {
	bool (*test)(const struct record *r);
	const char *text;
} row_notes[] = {
	{ is_sanitized, "of a sanitizer build: their times mean nothing" },
	{ is_unoptimised, "of a build without optimisation: their times mean nothing" },
	{ is_oversubscribed, "with more threads than allowed CPUs (*): a table waits there for "
			     "threads that are not running" },
	{ is_dirty, "of a version with uncommitted changes: nobody can build it again" },
	{ overlaps_little,
	  "of which less than half was timed: their streams are uneven, and only what all threads ran together is" },
	{ mode_is_unknown, "of a mode other than throughput, audit and latency: not shown" },
};

static void note_rows(const struct report *rp)
{
	for (size_t i = 0; i < ARRAY_SIZE(row_notes); i++) {
		size_t nr = count_rows(rp, row_notes[i].test);

		if (nr)
			fprintf(rp->out, "- %zu of %zu rows %s\n", nr, rp->rows.nr,
				row_notes[i].text);
	}
}

static bool seen_before(const struct report *rp, size_t i, enum csv_column c)
{
	for (size_t j = 0; j < i; j++)
		if (record_same(&rp->rows.rec[i], &rp->rows.rec[j], c))
			return true;
	return false;
}

/* "always, never": the values of a column in the order of the file. */
static void print_values(const struct report *rp, enum csv_column c)
{
	const char *sep = "";

	for (size_t i = 0; i < rp->rows.nr; i++) {
		const struct record *r = &rp->rows.rec[i];

		if (seen_before(rp, i, c))
			continue;
		fprintf(rp->out, "%s%s", sep, record_has(r, c) ? r->field[c] : "-");
		sep = ", ";
	}
	fputc('\n', rp->out);
}

static const struct {
	enum csv_column column;
	const char *text;
} mixed_notes[] = {
	{ COL_schema, "several versions of the list of columns" },
	{ COL_host, "several machines, never compared with each other" },
	{ COL_version, "several versions of tearline, never compared with each other" },
	{ COL_flags, "several kinds of build, never compared with each other" },
	{ COL_refresh, "several refresh values (a refresh turns a hit into a write; a ratio is "
		       "against the baseline with the same one, if there is one)" },
};

static void note_mixtures(const struct report *rp)
{
	for (size_t i = 0; i < ARRAY_SIZE(mixed_notes); i++) {
		if (!rp->rows.varies[mixed_notes[i].column])
			continue;
		fprintf(rp->out, "- %s: ", mixed_notes[i].text);
		print_values(rp, mixed_notes[i].column);
	}
}

/* Chance that one torn entry passes the check of the audit: the largest of all rows. */
static void note_undetected(const struct report *rp)
{
	double most = 0;

	for (size_t i = 0; i < rp->rows.nr; i++)
		if (record_has(&rp->rows.rec[i], COL_undetected_tear))
			most = fmax(most, record_double(&rp->rows.rec[i], COL_undetected_tear));
	if (most > 0)
		fprintf(rp->out,
			"- one torn entry passes the audit's check with a chance of %.2g\n",
			most);
}

static size_t count_outliers(const struct slice *s)
{
	size_t nr, outliers = 0;
	double *v = slice_values(s, COL_mops, &nr);

	if (nr >= STATS_MIN_BOOTSTRAP) {
		double median = stats_median(v, nr);
		double limit = OUTLIER_MADS * MAD_TO_SIGMA * stats_mad(v, nr);

		for (size_t i = 0; i < nr; i++)
			outliers += fabs(v[i] - median) > fmax(limit, OUTLIER_SHARE * median);
	}
	free(v);
	return outliers;
}

static void note_trials(const struct report *rp)
{
	struct slice all = report_select_cells(rp, "throughput"), rest = all;
	size_t cells = 0, few = 0, outliers = 0;

	while (rest.nr) {
		struct slice group = slice_take_group(&rest);

		for (; group.nr; cells++) {
			struct slice s = slice_take(&group, report_cell_columns);

			few += s.nr < STATS_MIN_BOOTSTRAP;
			outliers += count_outliers(&s);
		}
	}
	if (few)
		fprintf(rp->out,
			"- %zu of %zu cells with fewer than %d trials: a range, no interval\n",
			few, cells, STATS_MIN_BOOTSTRAP);
	if (outliers)
		fprintf(rp->out,
			"- %zu trials lie far from their cell's median: something else may have run\n",
			outliers);
	free(all.row);
}

/* Is the warning `text`, `len` long, one of a row's? */
static bool has_warning(const struct record *r, const char *text, size_t len)
{
	for (const char *p = r->field[COL_warnings]; *p;) {
		size_t n = strcspn(p, ";");

		if (n == len && !strncmp(p, text, len))
			return true;
		p += n + (p[n] == ';');
	}
	return false;
}

/* Once for all rows that carry it, when row `first` is the first of them. */
static void note_warning(const struct report *rp, size_t first, const char *text, size_t len)
{
	size_t nr = 1;

	for (size_t i = 0; i < first; i++)
		if (has_warning(&rp->rows.rec[i], text, len))
			return;
	for (size_t i = first + 1; i < rp->rows.nr; i++)
		nr += has_warning(&rp->rows.rec[i], text, len);
	fprintf(rp->out, "- warning on %zu of %zu rows: %.*s\n", nr, rp->rows.nr, (int)len,
		text);
}

static void note_warnings(const struct report *rp)
{
	for (size_t i = 0; i < rp->rows.nr; i++) {
		/* rows of a run mostly carry the same text: no need to take it apart again */
		if (i && record_same(&rp->rows.rec[i], &rp->rows.rec[i - 1], COL_warnings))
			continue;
		for (const char *p = rp->rows.rec[i].field[COL_warnings]; *p;) {
			size_t n = strcspn(p, ";");

			if (n)
				note_warning(rp, i, p, n);
			p += n + (p[n] == ';');
		}
	}
}

void report_notes(const struct report *rp)
{
	struct report notes = *rp;
	char *text = NULL;
	size_t len;

	notes.out = open_memstream(&text, &len);
	if (!notes.out)
		return;
	note_rows(&notes);
	note_mixtures(&notes);
	note_undetected(&notes);
	note_trials(&notes);
	note_warnings(&notes);
	fclose(notes.out);
	fprintf(rp->out, "\nNOTES\n%s", len ? text : "none\n");
	free(text);
}
