/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * records - the rows of one or more CSVs, checked, by the columns we know
 *
 * What reports and pictures read. Figures are checked as the files are read, so that
 * everything after can rely on them: a field is empty or the number it should be.
 */
#ifndef TEARLINE_RECORDS_H
#define TEARLINE_RECORDS_H

#include "csv.h"

struct record {
	const char *field[NR_COLS]; /* never NULL; "" = not measured, or no such column */
	const struct csv_file *file; /* where it is from */
	size_t line;
};

struct records {
	struct csv_file **file;
	size_t nr_files;
	struct record *rec;
	size_t nr;
	bool varies[NR_COLS]; /* the column takes more than one value */
	const char *value[NR_COLS]; /* the first of them; may be NULL */
	const struct record **variant; /* one row of each table with its options */
	size_t nr_variants;
};

/*
 * Read the files; columns we don't know are ignored, a file without the columns that
 * every question needs (table, kind, trace, hash_mib, threads, mode) is an error that
 * names what is missing. So is a row that is there twice, in one file or two: a trial
 * counts once. 0 or -1; release with records_free().
 */
int records_read(char *const *paths, size_t nr, struct records *out, struct err *e);
void records_free(struct records *r);

static inline bool record_has(const struct record *r, enum csv_column c)
{
	return r->field[c][0] != 0;
}

/* NAN if not measured. */
double record_double(const struct record *r, enum csv_column c);
/* A whole number; 0 if not measured: ask record_has() first where that matters. */
uint64_t record_u64(const struct record *r, enum csv_column c);
bool record_is(const struct record *r, enum csv_column c, const char *value);
bool record_same(const struct record *a, const struct record *b, enum csv_column c);
/* "spinlock:lock=mcs": the table with every option that is not at its default, and what
 * tells it from its other variants. Caller frees. */
char *records_label(const struct records *rows, const struct record *r);

#endif
