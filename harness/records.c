// SPDX-License-Identifier: BSD-2-Clause
/* records - the rows of one or more CSVs, checked, by the columns we know. */
#include "records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static const enum csv_column needed[] = { COL_table,	COL_kind,    COL_trace,
					  COL_hash_mib, COL_threads, COL_mode };

static int check_columns(const struct csv_file *f, struct err *e)
{
	char missing[256] = "";

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		const char *name = csv_names[needed[i]];

		if (csv_find(f, name) >= 0)
			continue;
		if (missing[0])
			strcat(missing, ", ");
		strcat(missing, name);
	}
	if (missing[0])
		return err_set(e, "%s: no results of tearline: missing columns: %s", f->path,
			       missing);
	return 0;
}

static int bad_cell(const struct csv_file *f, size_t row, enum csv_column c, const char *want,
		    const char *got, struct err *e)
{
	char shown[64];

	/* on one line, whatever is in it */
	snprintf(shown, sizeof(shown), "%s", got);
	for (char *p = shown; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return err_set(e, "%s:%zu: %s: expected %s, got '%s'", f->path, f->line[row],
		       csv_names[c], want, shown);
}

static int check_record(const struct csv_file *f, size_t row, const struct record *r,
			struct err *e)
{
	for (enum csv_column c = 0; c < NR_COLS; c++) {
		const char *want = csv_misfit(c, r->field[c]);

		if (want)
			return bad_cell(f, row, c, want, r->field[c], e);
	}
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!record_has(r, needed[i]))
			return bad_cell(f, row, needed[i], csv_types[needed[i]].want, "", e);
	return 0;
}

static int add_file(struct records *out, const struct csv_file *f, struct err *e)
{
	int at[NR_COLS];

	if (check_columns(f, e))
		return -1;
	for (int c = 0; c < NR_COLS; c++)
		at[c] = csv_find(f, csv_names[c]);
	out->rec = xrealloc(out->rec, (out->nr + f->nr_rows) * sizeof(*out->rec));
	for (size_t row = 0; row < f->nr_rows; row++) {
		struct record *r = &out->rec[out->nr + row];

		r->file = f;
		r->line = f->line[row];
		for (int c = 0; c < NR_COLS; c++)
			r->field[c] =
				at[c] < 0 ? "" : f->cell[row * f->nr_cols + (size_t)at[c]];
		if (check_record(f, row, r, e))
			return -1;
	}
	out->nr += f->nr_rows;
	return 0;
}

static int compare_fields(const void *pa, const void *pb)
{
	const struct record *a = *(const struct record *const *)pa;
	const struct record *b = *(const struct record *const *)pb;

	for (enum csv_column c = 0; c < NR_COLS; c++) {
		int order = strcmp(a->field[c], b->field[c]);

		if (order)
			return order;
	}
	return (a > b) - (a < b);
}

static bool same_row(const struct record *a, const struct record *b)
{
	for (enum csv_column c = 0; c < NR_COLS; c++)
		if (!record_same(a, b, c))
			return false;
	return true;
}

static int twice(const struct record *first, const struct record *again, struct err *e)
{
	return err_set(
		e, "%s:%zu: this row is at %s:%zu too (run %s, trial %s): a trial counts once",
		again->file->path, again->line, first->file->path, first->line,
		first->field[COL_run_id], first->field[COL_trial]);
}

/* A file named twice, or rows copied, would make intervals narrower than they are. Rows that
 * do not say which run they are of may be alike by chance. */
static int check_unique(const struct records *rows, struct err *e)
{
	const struct record **sorted = xcalloc(rows->nr, sizeof(*sorted));
	const struct record *first = NULL, *again = NULL;

	for (size_t i = 0; i < rows->nr; i++)
		sorted[i] = &rows->rec[i];
	qsort(sorted, rows->nr, sizeof(*sorted), compare_fields);
	for (size_t i = 1; i < rows->nr; i++) {
		if (!record_has(sorted[i], COL_run_id) || !same_row(sorted[i - 1], sorted[i]) ||
		    (again && again < sorted[i]))
			continue;
		first = sorted[i - 1];
		again = sorted[i];
	}
	free(sorted);
	return again ? twice(first, again, e) : 0;
}

static bool same_variant(const struct record *a, const struct record *b)
{
	return record_same(a, b, COL_table) && record_same(a, b, COL_options);
}

static void add_variant(struct records *out, const struct record *r)
{
	for (size_t i = 0; i < out->nr_variants; i++)
		if (same_variant(out->variant[i], r))
			return;
	out->variant = xrealloc(out->variant, (out->nr_variants + 1) * sizeof(*out->variant));
	out->variant[out->nr_variants++] = r;
}

/* A floor has no pages and refreshes nothing: that is no other value. */
static bool is_value(const struct record *r, enum csv_column c)
{
	return (c != COL_page_size && c != COL_refresh) || record_has(r, c);
}

/* What labels and headings ask for again and again. */
static void look_over(struct records *out)
{
	for (size_t i = 0; i < out->nr; i++) {
		const struct record *r = &out->rec[i];

		add_variant(out, r);
		for (enum csv_column c = 0; c < NR_COLS; c++) {
			if (!is_value(r, c))
				continue;
			if (!out->value[c])
				out->value[c] = r->field[c];
			out->varies[c] |= strcmp(out->value[c], r->field[c]) != 0;
		}
	}
}

int records_read(char *const *paths, size_t nr, struct records *out, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->file = xcalloc(nr, sizeof(*out->file));
	for (size_t i = 0; i < nr; i++) {
		if (csv_read(paths[i], &out->file[i], e))
			goto out_free;
		out->nr_files++;
		if (add_file(out, out->file[i], e))
			goto out_free;
	}
	if (check_unique(out, e))
		goto out_free;
	look_over(out);
	return 0;
out_free:
	records_free(out);
	return -1;
}

void records_free(struct records *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		csv_file_free(r->file[i]);
	free(r->file);
	free(r->rec);
	free(r->variant);
}

double record_double(const struct record *r, enum csv_column c)
{
	double v;

	return csv_number(r->field[c], &v) ? NAN : v;
}

uint64_t record_u64(const struct record *r, enum csv_column c)
{
	uint64_t v = 0;

	parse_u64(r->field[c], 0, UINT64_MAX, &v);
	return v;
}

bool record_is(const struct record *r, enum csv_column c, const char *value)
{
	return !strcmp(r->field[c], value);
}

bool record_same(const struct record *a, const struct record *b, enum csv_column c)
{
	return !strcmp(a->field[c], b->field[c]);
}

/* Is "name=value", `len` long, one of the options in "a=1;b=2"? */
static bool has_option(const char *options, const char *part, size_t len)
{
	for (const char *p = options; *p;) {
		size_t n = strcspn(p, ";");

		if (n == len && !strncmp(p, part, len))
			return true;
		p += n + (p[n] == ';');
	}
	return false;
}

/* Does another variant of the same table lack this option, or have another value? */
static bool option_tells(const struct records *rows, const struct record *r, const char *part,
			 size_t len)
{
	for (size_t i = 0; i < rows->nr_variants; i++) {
		const struct record *other = rows->variant[i];

		if (record_same(r, other, COL_table) &&
		    !has_option(other->field[COL_options], part, len))
			return true;
	}
	return false;
}

/*
 * Is "name=value" what the table has if nothing is said? Of a table that is not here (a
 * shared object's, another version's) nobody knows: no.
 */
static bool is_default(const char *table, const char *part, size_t len)
{
	table_for_each(class)
	{
		if (strcmp(class->name, table))
			continue;
		for (int i = 0; i < MAX_TABLE_OPTIONS && class->options[i].name; i++) {
			size_t name = strlen(class->options[i].name);

			if (len > name && part[name] == '=' &&
			    !strncmp(part, class->options[i].name, name))
				return strlen(class->options[i].dflt) == len - name - 1 &&
				       !strncmp(part + name + 1, class->options[i].dflt,
						len - name - 1);
		}
	}
	return false;
}

/* Which object a table is from is no option of it, but may tell two builds of it apart. */
static bool is_origin(const char *part)
{
	return !strncmp(part, "plugin=", 7);
}

static void append(char **text, char sep, const char *part, size_t len)
{
	char *longer = xasprintf("%s%c%.*s", *text, sep, (int)len, part);

	free(*text);
	*text = longer;
}

char *records_label(const struct records *rows, const struct record *r)
{
	char *label = xstrdup(r->field[COL_table]);
	char sep = ':';

	for (const char *p = r->field[COL_options]; *p;) {
		size_t n = strcspn(p, ";");

		if (n && ((!is_origin(p) && !is_default(r->field[COL_table], p, n)) ||
			  option_tells(rows, r, p, n))) {
			append(&label, sep, p, n);
			sep = ',';
		}
		p += n + (p[n] == ';');
	}
	return label;
}
