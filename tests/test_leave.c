// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who enters a table leaves it, once, in the same thread: in a crew (crew.h) that works, and
 * in one of which a thread cannot enter. And with the last table of a flavor of liburcu that
 * it leaves, a thread is no reader of the flavor any more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "crew.h"
#include "fixture.h"
#include "policy.h"
#ifdef WITH_URCU
#include "rcu.h"
#endif

static const char *const specs[] = { "xor",
				     "spinlock:lock=mcs",
				     "ck_hs",
				     "lfht",
				     "urcu",
				     "urcu:flavor=mb",
				     "urcu-line:flavor=qsbr" };

/* Of this thread: tables it is in, by kind. */
static __thread unsigned inside;
static _Atomic uint64_t entered, left, wrong;
static const struct table_class *real;
static bool refused; /* thread 1, where the second kind is */
static int flavor; /* of liburcu, or -1 */

/* Is this thread a reader of the flavor? */
static bool reads(void)
{
#ifdef WITH_URCU
	switch (flavor) {
	case RCU_MEMB:
		return URCU_TLS(urcu_memb_reader).registered;
	case RCU_MB:
		return URCU_TLS(urcu_mb_reader).registered;
	case RCU_QSBR:
		return URCU_TLS(urcu_qsbr_reader).registered;
	}
#endif
	return inside;
}

static void expect(bool right)
{
	fetch_add_relaxed(&wrong, !right);
}

static int enter(struct table *t, struct worker *w, struct err *e)
{
	if (refused && w->id == 1 && t->kind == KIND_KV)
		return err_set(e, "refused");
	if (real->thread_enter && real->thread_enter(t, w, e))
		return -1;
	expect(!(inside & 1u << t->kind));
	inside |= 1u << t->kind;
	expect(reads());
	fetch_add_relaxed(&entered, 1);
	return 0;
}

static void leave(struct table *t, struct worker *w)
{
	expect(inside & 1u << t->kind);
	inside &= ~(1u << t->kind);
	if (real->thread_leave)
		real->thread_leave(t, w);
	expect(reads() == !!inside);
	fetch_add_relaxed(&left, 1);
}

static void work(struct member *m)
{
	crew_clear(m);
	crew_online(m);
	crew_offline(m);
}

static struct table *create(const struct table_spec *spec, enum kind kind)
{
	struct table_params p = { .kind = kind,
				  .size = { .entries = 1024 },
				  .size_text = "size",
				  .threads = 2,
				  .mate = TT_MATE_DEFAULT };
	struct table *t;
	struct err e;

	if (table_create(spec, &p, &t, &e))
		fixture_die(&e);
	return t;
}

static void run_crew(const char *text)
{
	struct table *table[NR_KINDS] = { NULL };
	struct crew crew = { .table = table, .work = work };
	struct placement placement;
	struct table_class counted;
	struct table_spec spec;
	struct topo *topo;
	struct err e;

	if (table_spec_parse(text, &spec, &e) || topo_open(&topo, &e) ||
	    topo_place(topo, "core", 2, true, &placement, &e))
		fixture_die(&e);
	real = spec.class;
	counted = *real;
	counted.thread_enter = enter;
	counted.thread_leave = leave;
	spec.class = &counted;
	flavor = -1;
#ifdef WITH_URCU
	if (table_spec_option(&spec, "flavor"))
		flavor = (int)rcu_flavor_of(table_spec_option(&spec, "flavor"));
#endif
	table[KIND_TT] = create(&spec, KIND_TT);
	table[KIND_KV] = create(&spec, KIND_KV);
	crew.topo = topo;
	crew.placement = &placement;
	entered = left = wrong = 0;
	assert_int_equal(crew_run(&crew, &e), refused ? -1 : 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(entered, refused ? 3 : 4);
	assert_int_equal(left, entered);
	table_destroy(table[KIND_TT]);
	table_destroy(table[KIND_KV]);
	placement_free(&placement);
	topo_close(topo);
	table_spec_free(&spec);
}

static void run_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (!fixture_lacks(specs[i]))
			run_crew(specs[i]);
}

static void who_works_leaves(void **state)
{
	refused = false;
	run_all();
}

static void who_is_refused_leaves_the_rest(void **state)
{
	refused = true;
	run_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_works_leaves),
		cmocka_unit_test(who_is_refused_leaves_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
