// SPDX-License-Identifier: BSD-2-Clause
/* Locks and counters beside the lines: as many as asked for, apart, and all paid for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fixture.h"
#include "line.h"

/* mulhi: 1250 lines, which is no power of two. */
#define ENTRIES 5000
#define LINES 1250

static const struct {
	const char *spec;
	unsigned guards, apart; /* bytes from one to the next, at least */
} cases[] = {
	{ "spinlock:stripes=global", 1, 0 },
	{ "spinlock:stripes=64", 64, 64 },
	{ "spinlock:index=mulhi,stripes=line", LINES, 64 },
	{ "spinlock:index=mulhi,stripes=4096", LINES, 64 },
	{ "spinlock:index=mulhi,stripes=1024", 1024, 64 },
	{ "spinlock:lock=anderson,stripes=16", 16, 128 },
	{ "rwlock:lock=brlock,index=mulhi,stripes=line", LINES, 64 },
	{ "rwlock:lock=bytelock", 256, 64 },
	{ "pthread:index=mulhi,stripes=line", LINES, 64 },
	{ "seqlock:index=mulhi", LINES, 8 },
	{ "seqlock:counter=table", 1, 0 },
};

static int by_address(const void *a, const void *b)
{
	const uintptr_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void check_guards(const struct table *t, unsigned guards, unsigned apart)
{
	uintptr_t *at = xcalloc(t->lines, sizeof(*at));
	uintptr_t base = (uintptr_t)t->side.base;
	unsigned distinct = 1;

	for (uint64_t i = 0; i < t->lines; i++)
		at[i] = (uintptr_t)line_guard(t, i);
	qsort(at, t->lines, sizeof(*at), by_address);
	for (uint64_t i = 1; i < t->lines; i++) {
		if (at[i] == at[i - 1])
			continue;
		distinct++;
		assert_true(at[i] - at[i - 1] >= apart);
	}
	assert_int_equal(distinct, guards);
	assert_true(at[0] >= base);
	assert_true(at[t->lines - 1] + apart <= base + t->side.bytes);
	assert_int_equal(t->bytes, t->mem.bytes + t->side.bytes);
	free(at);
}

static void as_many_as_asked_for(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		if (table_spec_absent(cases[i].spec))
			continue;
		fixture_open(&f, cases[i].spec, KIND_KV, ENTRIES, TT_MATE_DEFAULT);
		check_guards(f.t, cases[i].guards, cases[i].apart);
		fixture_close(&f);
	}
}

/* counter=line: tt and kv pay with a slot, eval and pawn have a counter beside the line. */
static void a_counter_in_the_line(void **state)
{
	for (enum kind k = 0; k < NR_KINDS; k++) {
		bool slots = kind_has_slots(k);
		struct fixture f;

		if (table_spec_absent("seqlock"))
			continue;
		fixture_open(&f, "seqlock:counter=line", k, ENTRIES, TT_MATE_DEFAULT);
		assert_int_equal(f.t->slots, slots ? 3 : 1);
		assert_int_equal(f.t->side.bytes, slots ? 0 : 8 * f.t->lines);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_asked_for),
		cmocka_unit_test(a_counter_in_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
