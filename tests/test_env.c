// SPDX-License-Identifier: BSD-2-Clause
/* test_env - each warning appears for its cause and only then; a row gets its provenance. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "env.h"

static const struct env_state quiet = {
	.load = 1, .cpus = 4, .sanitizer = "none", .optimised = true
};

static void assert_judged(struct env_state s, const char *want)
{
	char *got = env_judge(&s);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void test_warnings(void **state)
{
	struct env_state s = quiet;

	assert_judged(s, NULL);
	s.load = 2; /* half the CPUs, and not above */
	assert_judged(s, NULL);
	s.load = 2.25;
	assert_judged(s, "load average 2.3 on 4 CPUs at start");
	s.load = -1;
	assert_judged(s, NULL);
	s.governor = "powersave";
	assert_judged(s, "cpufreq governor powersave");
	s.sanitizer = "address,undefined";
	s.optimised = false;
	assert_judged(s, "cpufreq governor powersave;sanitizer build (address,undefined);"
			 "built without optimisation");
}

static void assert_matches(const char *text, const char *pattern)
{
	regex_t re;

	assert_non_null(text);
	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&re, text, 0, NULL, 0))
		fail_msg("'%s' does not match %s", text, pattern);
	regfree(&re);
}

static void test_row(void **state)
{
	static const enum csv_column filled[] = { COL_schema,	 COL_run_id, COL_host,
						  COL_cpu_model, COL_kernel, COL_compiler,
						  COL_flags,	 COL_version };
	struct csv_row a = { 0 }, b = { 0 };

	env_fill(&a);
	env_fill(&b);
	for (size_t i = 0; i < ARRAY_SIZE(filled); i++) {
		assert_non_null(a.field[filled[i]]);
		assert_string_equal(a.field[filled[i]], b.field[filled[i]]);
	}
	assert_matches(a.field[COL_run_id], "^[0-9]{8}T[0-9]{6}Z-[0-9]+$");
	assert_matches(a.field[COL_compiler], "^(gcc|clang) [0-9]");
	assert_matches(a.field[COL_flags], "^-O");
	assert_null(a.field[COL_started_utc]);
	env_stamp_start(&a);
	assert_matches(a.field[COL_started_utc],
		       "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$");
	csv_row_clear(&a);
	csv_row_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
