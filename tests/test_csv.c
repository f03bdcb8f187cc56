// SPDX-License-Identifier: BSD-2-Clause
/* test_csv - numbers and rows in memory, and what the reader accepts and refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "csv.h"

static void test_names_are_unique(void **state)
{
	for (int a = 0; a < NR_COLS; a++) {
		assert_true(csv_help[a][0]);
		assert_non_null(csv_types[a].fits);
		assert_true(csv_types[a].want[0]);
		assert_null(csv_misfit((enum csv_column)a, ""));
		for (int b = 0; b < a; b++)
			assert_string_not_equal(csv_names[a], csv_names[b]);
	}
	assert_string_equal(csv_names[COL_torn_reads], "torn_reads");
}

static void test_numbers(void **state)
{
	static const struct {
		double v;
		int digits;
		const char *want;
	} cases[] = {
		{ 0, 6, "0" },
		{ 1.5, 6, "1.5" },
		{ 1.0 / 3, 3, "0.333" },
		{ 123456.75, 8, "123456.75" },
		{ 0.1, 17, "0.10000000000000001" },
		{ 9.5367431640625e-07, 3, "9.54e-07" },
	};
	struct csv_row r = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double back;

		csv_set_double(&r, COL_mops, cases[i].v, cases[i].digits);
		assert_string_equal(r.field[COL_mops], cases[i].want);
		assert_int_equal(csv_number(r.field[COL_mops], &back), 0);
	}
	csv_set_double(&r, COL_mops, NAN, 6);
	assert_null(r.field[COL_mops]);
	csv_set_double(&r, COL_mops, INFINITY, 6);
	assert_null(r.field[COL_mops]);
	csv_set_u64(&r, COL_probes, (1ull << 32) + 1);
	assert_string_equal(r.field[COL_probes], "4294967297");
	csv_row_clear(&r);
	assert_null(r.field[COL_probes]);
}

static void test_parse_numbers(void **state)
{
	static const char *const bad[] = { "",	  " 1",	   "1 ", "1,5",	  "0x10", "inf",
					   "nan", "1e999", "e",	 "1.2.3", "-" };
	double v;

	assert_int_equal(csv_number("-2.5e3", &v), 0);
	assert_true(v == -2500);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(csv_number(bad[i], &v), -1);
}

static void test_copy(void **state)
{
	struct csv_row a = { 0 }, b = { 0 };

	csv_set(&a, COL_table, "xor");
	csv_copy(&b, &a);
	csv_set(&a, COL_table, "seqlock");
	assert_string_equal(b.field[COL_table], "xor");
	assert_null(b.field[COL_mops]);
	csv_row_clear(&a);
	csv_row_clear(&b);
}

/* Read `len` bytes as a file whose name is *path; csv_read()'s result. */
static int read_text(const char *text, size_t len, struct csv_file **f, struct err *e)
{
	char path[] = "/tmp/test_csv-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	ret = csv_read(path, f, e);
	unlink(path);
	return ret;
}

static void test_reads(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "name,\"a,b\",c\r\n"
				   "x,\"1,\"\"2\"\"\",\r\n"
				   "\"\",\"two\r\nlines\",\"\"\n"
				   "\n"
				   "last,,no end";
	struct csv_file *f;
	struct err e;

	assert_int_equal(read_text(text, sizeof(text) - 1, &f, &e), 0);
	assert_int_equal(f->nr_cols, 3);
	assert_int_equal(f->nr_rows, 3);
	assert_string_equal(f->name[0], "name");
	assert_int_equal(csv_find(f, "a,b"), 1);
	assert_int_equal(csv_find(f, "d"), -1);
	assert_string_equal(f->cell[0], "x");
	assert_string_equal(f->cell[1], "1,\"2\"");
	assert_string_equal(f->cell[2], "");
	assert_string_equal(f->cell[3], "");
	assert_string_equal(f->cell[4], "two\r\nlines");
	assert_string_equal(f->cell[6], "last");
	assert_string_equal(f->cell[8], "no end");
	assert_int_equal(f->line[1], 3);
	assert_int_equal(f->line[2], 6);
	csv_file_free(f);
}

static void test_reads_one_column(void **state)
{
	struct csv_file *f;
	struct err e;

	assert_int_equal(read_text("a\n1\n\n3\n", 7, &f, &e), 0);
	assert_int_equal(f->nr_rows, 3);
	assert_string_equal(f->cell[1], "");
	csv_file_free(f);
}

static void test_refuses(void **state)
{
	static const struct {
		const char *text;
		size_t len; /* 0: strlen */
		const char *want; /* end of the message, behind the path */
	} cases[] = {
		{ "", 0, ": empty: expected a header with the columns' names" },
		{ "a,b\n1,2\n1,2,3\n", 0, ":3: expected 2 fields as in the header, got 3" },
		{ "a,b\n1,2\n1\n", 0, ":3: expected 2 fields as in the header, got 1" },
		{ "a,b\n\"x\ny\",2\n1\n", 0, ":4: expected 2 fields as in the header, got 1" },
		{ "a,b\n1,\"2\n3,4\n", 0, ":2: a quote is opened here and never closed" },
		{ "a,b\n1,\"2\"x\n", 0,
		  ":2: expected a comma or the end of the line after a quote" },
		{ "a,b\n1,2\"x\"\n", 0,
		  ":2: a quote inside a field that does not begin with one" },
		{ "a,b\n1\r,2\n", 0, ":2: a carriage return that ends no line" },
		{ "a,b\n1,\0\n", 8, ":2: a zero byte: this is no text file" },
		{ "a,b\n1,\"\0\"\n", 10, ":2: a zero byte: this is no text file" },
		{ "a,b,a\n", 0, ":1: column a is there twice (1 and 3)" },
		{ "a,,c\n", 0, ":1: no header: column 2 has no name" },
	};
	struct csv_file *f;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = cases[i].len ? cases[i].len : strlen(cases[i].text);

		assert_int_equal(read_text(cases[i].text, len, &f, &e), -1);
		assert_string_equal(e.text + strlen("/tmp/test_csv-XXXXXX"), cases[i].want);
		assert_null(strchr(e.text, '\n'));
	}
	assert_int_equal(csv_read("/nonexistent/x.csv", &f, &e), -1);
	assert_string_equal(e.text,
			    "/nonexistent/x.csv: cannot open: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_unique),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_parse_numbers),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_reads_one_column),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
