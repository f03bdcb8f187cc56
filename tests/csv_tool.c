// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv_tool - lets the tests of the CSV drive its writer and reader from outside
 *
 *     csv_tool write FILE NAME=VALUE... [-- NAME=VALUE...]   a row for each part
 *     csv_tool read FILE      number of columns, names and cells, each ended by a 0 byte
 *     csv_tool numbers FILE   a row of numbers in the user's locale, whose point is printed
 *     csv_tool env FILE       a row as a sweep would begin it
 *     csv_tool pause FILE     a row, "written" on standard output, and once that was answered
 *                             by a line, one more row; or, if it says "close", none
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "env.h"

static int column_of(const char *arg, size_t len)
{
	for (int c = 0; c < NR_COLS; c++)
		if (strlen(csv_names[c]) == len && !strncmp(csv_names[c], arg, len))
			return c;
	fprintf(stderr, "csv_tool: no column of that name: %s\n", arg);
	exit(EXIT_FAULT);
}

static int write_rows(struct csv_writer *w, char **arg, struct err *e)
{
	struct csv_row row = { 0 };
	int ret = 0;

	for (bool more = *arg != NULL; more && !ret;) {
		for (; *arg && strcmp(*arg, "--"); arg++) {
			size_t len = strcspn(*arg, "=");

			csv_set(&row, (enum csv_column)column_of(*arg, len), *arg + len + 1);
		}
		ret = csv_write(w, &row, 1, e);
		csv_row_clear(&row);
		more = *arg && *++arg;
	}
	return ret;
}

static int write_numbers(struct csv_writer *w, struct err *e)
{
	struct csv_row row = { 0 };
	int ret;

	setlocale(LC_ALL, "");
	printf("%s %.1f\n", localeconv()->decimal_point, 1.5);
	csv_set_u64(&row, COL_probes, UINT64_MAX);
	csv_set_double(&row, COL_mops, 1234.5678, 6);
	csv_set_double(&row, COL_ns_per_op, 0.00012345, 3);
	ret = csv_write(w, &row, 1, e);
	csv_row_clear(&row);
	return ret;
}

static int write_env(struct csv_writer *w, struct err *e)
{
	struct csv_row row = { 0 };
	char *warnings = env_warnings();
	int ret;

	env_fill(&row);
	env_stamp_start(&row);
	if (warnings)
		csv_set(&row, COL_warnings, warnings);
	ret = csv_write(w, &row, 1, e);
	free(warnings);
	csv_row_clear(&row);
	return ret;
}

static int write_and_pause(struct csv_writer *w, struct err *e)
{
	struct csv_row row = { 0 };
	char answer[16] = "";
	int ret;

	csv_set(&row, COL_table, "xor");
	ret = csv_write(w, &row, 1, e);
	puts("written");
	fflush(stdout);
	if (!ret && fgets(answer, sizeof(answer), stdin) && strcmp(answer, "close\n"))
		ret = csv_write(w, &row, 1, e);
	csv_row_clear(&row);
	return ret;
}

static int read_file(const char *path, struct err *e)
{
	struct csv_file *f;

	if (csv_read(path, &f, e))
		return -1;
	printf("%zu%c", f->nr_cols, 0);
	for (size_t i = 0; i < f->nr_cols; i++)
		printf("%s%c", f->name[i], 0);
	for (size_t i = 0; i < f->nr_rows * f->nr_cols; i++)
		printf("%s%c", f->cell[i], 0);
	csv_file_free(f);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	struct csv_writer *w;
	struct err e;
	int ret;

	process_prepare();
	if (!strcmp(what, "read"))
		return read_file(argv[2], &e) ? err_report(&e) : EXIT_DONE;
	if (!*what || csv_open(argv[2], &w, &e))
		return *what ? err_report(&e) : EXIT_FAULT;
	if (!strcmp(what, "write"))
		ret = write_rows(w, argv + 3, &e);
	else if (!strcmp(what, "numbers"))
		ret = write_numbers(w, &e);
	else if (!strcmp(what, "pause"))
		ret = write_and_pause(w, &e);
	else
		ret = write_env(w, &e);
	if (csv_close(w, ret ? &(struct err){ { 0 } } : &e))
		ret = -1;
	return ret ? err_report(&e) : EXIT_DONE;
}
