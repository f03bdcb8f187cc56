// SPDX-License-Identifier: BSD-2-Clause
/* report_notes - what a reader should know before trusting the figures, each thing once. */
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trial this many (scaled) MADs and this share from its cell's median is an outlier. */
#define OUTLIER_MADS 5
#define OUTLIER_SHARE 0.05
#define MAD_TO_SIGMA 1.4826
#define LOW_OVERLAP 0.5

/* Which rows a note is about; of a warning, those that carry it. */
struct touched {
	bool *row; /* of all rows */
	size_t nr;
};

static bool value_occurs(const struct report *rp, const struct touched *t, size_t i,
			 enum csv_column c)
{
	for (size_t j = 0; j < rp->rows.nr; j++)
		if (t->row[j] && record_same(&rp->rows.rec[i], &rp->rows.rec[j], c))
			return true;
	return false;
}

static bool seen_before(const struct report *rp, size_t i, enum csv_column c)
{
	for (size_t j = 0; j < i; j++)
		if (record_same(&rp->rows.rec[i], &rp->rows.rec[j], c))
			return true;
	return false;
}

/* More than that are counted, not named. */
#define MAX_NAMED 4

/* " threads 4, 8": what the rows have in common that others lack, column by column. */
static void print_common(const struct report *rp, const struct touched *t, enum csv_column c,
			 const char **sep)
{
	size_t values = 0, touched = 0, named = 0;

	for (size_t i = 0; i < rp->rows.nr; i++) {
		if (seen_before(rp, i, c))
			continue;
		values++;
		touched += value_occurs(rp, t, i, c);
	}
	if (touched == values)
		return;
	fprintf(rp->out, "%s%s ", *sep, csv_names[c]);
	*sep = "; ";
	if (touched > MAX_NAMED) {
		fprintf(rp->out, "%zu of %zu", touched, values);
		return;
	}
	for (size_t i = 0; i < rp->rows.nr; i++)
		if (!seen_before(rp, i, c) && value_occurs(rp, t, i, c))
			fprintf(rp->out, "%s%s", named++ ? ", " : "",
				record_has(&rp->rows.rec[i], c) ? rp->rows.rec[i].field[c]
								: "-");
}

/* " (mode audit; threads 4, 8)"; nothing if they are of all sorts. */
static void print_touched(const struct report *rp, const struct touched *t)
{
	static const enum csv_column columns[] = { COL_host, COL_mode, COL_trace, COL_table,
						   COL_threads };
	const char *sep = " (";

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		print_common(rp, t, columns[i], &sep);
	fputs(sep[0] == ';' ? ")\n" : "\n", rp->out);
}

static struct touched find_rows(const struct report *rp, bool (*test)(const struct record *r))
{
	struct touched t = { .row = xcalloc(rp->rows.nr, sizeof(*t.row)) };

	for (size_t i = 0; i < rp->rows.nr; i++)
		t.nr += t.row[i] = test(&rp->rows.rec[i]);
	return t;
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

static bool has_speed(const struct record *r)
{
	return record_has(r, COL_mops);
}

static bool overlaps_little(const struct record *r)
{
	return has_speed(r) && report_is_timed(r) &&
	       record_double(r, COL_overlap) < LOW_OVERLAP;
}

static bool has_no_figure(const struct record *r)
{
	return has_speed(r) && !report_is_timed(r);
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
	{ has_no_figure,
	  "without a figure of speed or scaling: hardly any of the replay was timed, or more than all of it (overlap)" },
};

static void note_rows(const struct report *rp)
{
	for (size_t i = 0; i < ARRAY_SIZE(row_notes); i++) {
		struct touched t = find_rows(rp, row_notes[i].test);

		if (t.nr) {
			fprintf(rp->out, "- %zu of %zu rows %s", t.nr, rp->rows.nr,
				row_notes[i].text);
			print_touched(rp, &t);
		}
		free(t.row);
	}
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
	{ COL_cpu_model, "several CPUs, never compared with each other" },
	{ COL_cores, "several numbers of allowed cores, never compared with each other" },
	{ COL_kernel, "several kernels, never compared with each other" },
	{ COL_version, "several versions of tearline, never compared with each other" },
	{ COL_compiler, "several compilers, never compared with each other" },
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
	double *v = slice_speeds(s, COL_mops, &nr);

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
			struct slice s = slice_take(&group, dim_cell);

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

static bool same_name(const struct record *a, const struct record *b)
{
	return record_same(a, b, COL_trace) && record_same(a, b, COL_kind);
}

static bool is_first_of_name(const struct report *rp, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_name(&rp->rows.rec[i], &rp->rows.rec[j]))
			return false;
	return true;
}

static bool has_other_hash(const struct report *rp, size_t i)
{
	for (size_t j = i + 1; j < rp->rows.nr; j++)
		if (same_name(&rp->rows.rec[i], &rp->rows.rec[j]) &&
		    !record_same(&rp->rows.rec[i], &rp->rows.rec[j], COL_trace_hash))
			return true;
	return false;
}

/* Two traces of one name: groups apart, but only the hash tells which is which. */
static void note_traces(const struct report *rp)
{
	for (size_t i = 0; i < rp->rows.nr && rp->rows.varies[COL_trace_hash]; i++)
		if (is_first_of_name(rp, i) && has_other_hash(rp, i))
			fprintf(rp->out,
				"- several contents under the name %s, never compared with each "
				"other: the hash behind the name tells\n",
				rp->rows.rec[i].field[COL_trace]);
}

static bool same_trial(const struct record *a, const struct record *b)
{
	return record_has(a, COL_trial) && record_same(a, b, COL_trial);
}

/* A trial's number that is there twice in a cell: run again into the same file, or copied. */
static void note_repeats_in(const struct slice *s, size_t *nr, const struct record *pair[2])
{
	for (size_t i = 1; i < s->nr; i++) {
		size_t j = 0;

		while (j < i && !same_trial(s->row[i], s->row[j]))
			j++;
		if (j == i)
			continue;
		if (!(*nr)++) {
			pair[0] = s->row[j];
			pair[1] = s->row[i];
		}
	}
}

static void note_repeats(const struct report *rp)
{
	static const char *const modes[] = { "throughput", "audit", "latency" };
	const struct record *pair[2];
	size_t nr = 0;

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		struct slice all = report_select_cells(rp, modes[m]), rest = all;

		while (rest.nr) {
			struct slice group = slice_take_group(&rest);

			while (group.nr) {
				struct slice s = slice_take(&group, dim_cell);

				note_repeats_in(&s, &nr, pair);
			}
		}
		free(all.row);
	}
	if (nr)
		fprintf(rp->out,
			"- %zu row%s with a trial's number that its cell has already, first trial %s of "
			"run %s and of run %s: all count,\n  and the intervals are as narrow as that "
			"many trials make them\n",
			nr, nr == 1 ? "" : "s", pair[1]->field[COL_trial],
			pair[0]->field[COL_run_id], pair[1]->field[COL_run_id]);
}

/* A number within a warning, and how far it ranges over all warnings of that sort. */
#define MAX_NUMBERS 8

struct sort {
	const char *text;
	size_t len, nr_numbers;
	double lo[MAX_NUMBERS], hi[MAX_NUMBERS];
	int digits[MAX_NUMBERS]; /* behind the point */
};

static size_t number_length(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (isdigit((unsigned char)p[n]) || (n && p[n] == '.' && n + 1 < len &&
							    isdigit((unsigned char)p[n + 1]))))
		n++;
	return n;
}

static double number_at(const char *p, size_t len)
{
	char *text = xasprintf("%.*s", (int)len, p);
	double v = 0;

	csv_number(text, &v);
	free(text);
	return v;
}

/* Do both say the same but for the numbers in it? */
static bool same_sort(const char *a, size_t a_len, const char *b, size_t b_len)
{
	while (a_len && b_len) {
		size_t n = number_length(a, a_len), m = number_length(b, b_len);

		if (!n != !m || (!n && *a != *b))
			return false;
		n += !n;
		m += !m;
		a += n;
		a_len -= n;
		b += m;
		b_len -= m;
	}
	return !a_len && !b_len;
}

static void widen(struct sort *s, const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t at = 0, n; at < len && nr < MAX_NUMBERS; at += n ? n : 1) {
		const char *point;
		double v;

		n = number_length(text + at, len - at);
		if (!n)
			continue;
		v = number_at(text + at, n);
		point = memchr(text + at, '.', n);
		s->digits[nr] = point ? (int)(text + at + n - point - 1) : 0;
		s->lo[nr] = nr < s->nr_numbers ? fmin(s->lo[nr], v) : v;
		s->hi[nr] = nr < s->nr_numbers ? fmax(s->hi[nr], v) : v;
		nr++;
	}
	s->nr_numbers = nr;
}

/* "load average 1.2 to 3.4 on 2 CPUs at start" */
static void print_sort(const struct report *rp, const struct sort *s)
{
	size_t nr = 0;

	for (size_t at = 0, n; at < s->len; at += n ? n : 1) {
		n = number_length(s->text + at, s->len - at);
		if (n && nr < s->nr_numbers && s->lo[nr] < s->hi[nr])
			fprintf(rp->out, "%.*f to %.*f", s->digits[nr], s->lo[nr],
				s->digits[nr], s->hi[nr]);
		else
			fprintf(rp->out, "%.*s", n ? (int)n : 1, s->text + at);
		nr += n != 0;
	}
}

/* Does row `i` carry a warning of that sort? Its numbers widen the range. */
static bool carries(const struct report *rp, size_t i, struct sort *s)
{
	bool found = false;

	for (const char *p = rp->rows.rec[i].field[COL_warnings]; *p;) {
		size_t n = strcspn(p, ";");

		if (n && same_sort(p, n, s->text, s->len)) {
			widen(s, p, n);
			found = true;
		}
		p += n + (p[n] == ';');
	}
	return found;
}

/* Once for all rows that carry one of its sort, when row `first` is the first of them. */
static void note_warning(const struct report *rp, size_t first, const char *text, size_t len)
{
	struct sort s = { .text = text, .len = len };
	struct touched t = { .row = xcalloc(rp->rows.nr, sizeof(*t.row)) };
	bool said = false;

	for (size_t i = 0; i < rp->rows.nr && !said; i++) {
		t.nr += t.row[i] = carries(rp, i, &s);
		said = t.row[i] && i < first;
	}
	if (!said) {
		fprintf(rp->out, "- warning on %zu of %zu rows: ", t.nr, rp->rows.nr);
		print_sort(rp, &s);
		print_touched(rp, &t);
	}
	free(t.row);
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
	note_traces(&notes);
	note_repeats(&notes);
	note_undetected(&notes);
	note_trials(&notes);
	note_warnings(&notes);
	fclose(notes.out);
	fprintf(rp->out, "\nNOTES\n%s", len ? text : "none\n");
	free(text);
}
