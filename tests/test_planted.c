// SPDX-License-Identifier: BSD-2-Clause
/*
 * What was planted in a control that takes no race, one operation at a time: the dead pair
 * a bare refresh leaves. (Of narrow signatures test_signatures.c takes care.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fixture.h"
#include "line.h"

static void count_slots(void *arg, const struct slot_view *v)
{
	*(unsigned *)arg += 1;
}

/* A hit under a new generation kills the entry; the same hits on xor do not. */
static void bare_refresh_kills(void **state)
{
	static const char *const specs[] = { "xor", "xor-bare-field",
					     "xor-bare-field:refresh=stale",
					     "xor-bare-field:refresh=cas",
					     "xor-bare-field:refresh=never" };
	static const bool dies[] = { false, true, true, true, false };
	struct trace_op store = store_op(KIND_TT, 5, 1), probe = probe_op(KIND_TT, 5);

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		unsigned slots = 0;
		struct fixture f;

		fixture_open(&f, specs[i], KIND_TT, 4, TT_MATE_DEFAULT);
		fixture_op(&f, &store);
		fixture_op(&f, &probe);
		assert_true(fixture_find(&f, 5)); /* its own generation: nothing changed */
		table_new_generation(f.t);
		fixture_op(&f, &probe);
		assert_int_equal(f.w->n[KIND_TT].hits, 2);
		assert_int_equal(fixture_find(&f, 5), !dies[i]);
		f.t->loops->walk(f.t, count_slots, &slots);
		assert_int_equal(slots, 1); /* and it keeps its slot */
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_refresh_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
