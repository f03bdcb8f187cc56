// SPDX-License-Identifier: BSD-2-Clause
/*
 * The policy against the model for layout classes that no table has yet: lines of three
 * slots, narrow signatures. Here the policy works on plain arrays, with nothing around it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model.h"
#include "util.h"

#define LINES 64u
#define MATE 32000

struct array_table {
	unsigned slots;
	uint64_t sig_mask, generation;
	uint64_t sig[LINES][4], word[LINES][4];
};

static struct tt_slot look(const struct array_table *t, unsigned line, unsigned slot,
			   uint64_t key)
{
	uint64_t word = t->word[line][slot];

	return (struct tt_slot){ .word = word,
				 .holds = !tt_empty(word) &&
					  t->sig[line][slot] == (key & t->sig_mask) };
}

static void array_store(struct array_table *t, const struct trace_op *op, unsigned line)
{
	struct tt_store in = { .move = op->move,
			       .value = op->value,
			       .depth = op->depth,
			       .bound = (uint8_t)(8u >> trace_op_bound(op) & TT_BOUND),
			       .ply = TT_PLY_UNKNOWN,
			       .threat = op->flags & TRACE_THREAT };
	struct tt_plan plan;

	if (tt_drops(&in, MATE))
		return;
	plan = tt_plan_store(look(t, line, 0, op->key), look(t, line, 1, op->key), &in,
			     t->generation, MATE, t->slots);
	if (plan.bump_to >= 0) {
		t->sig[line][plan.bump_to] = t->sig[line][plan.victim];
		t->word[line][plan.bump_to] = t->word[line][plan.victim];
	}
	t->word[line][plan.victim] = tt_merge(look(t, line, (unsigned)plan.victim, op->key),
					      &in, t->generation, MATE);
	t->sig[line][plan.victim] = op->key & t->sig_mask;
}

static struct trace_op random_op(uint64_t *state)
{
	static const int16_t values[] = { 0,	15,	   -40,	  MATE - 1,
					  MATE, MATE + 50, -MATE, -MATE - 9 };
	struct trace_op op = { .op = OP_TT_STORE };

	/* Few keys, so that lines fill and signatures of 4 bits collide. */
	op.key = mix64(rng_below(state, 1500) + 1);
	op.move = (uint32_t)rng_below(state, 4);
	op.value = values[rng_below(state, ARRAY_SIZE(values))];
	op.depth = (uint8_t)rng_below(state, 6);
	op.flags =
		(uint8_t)((1 + rng_below(state, 3)) << TRACE_BOUND_SHIFT | rng_below(state, 2));
	return op;
}

static void same_for(unsigned slots, unsigned sig_bits)
{
	struct array_table *t = xcalloc(1, sizeof(*t));
	struct model *m = model_create(&(struct model_layout){ .kind = KIND_TT,
							       .lines = LINES,
							       .slots = slots,
							       .sig_bits = sig_bits,
							       .refresh = REFRESH_NEVER,
							       .mate = MATE });
	uint64_t state = slots * 100 + sig_bits;

	t->slots = slots;
	t->sig_mask = sig_bits == 64 ? UINT64_MAX : (1ull << sig_bits) - 1;
	for (unsigned i = 0; i < 200000; i++) {
		struct trace_op op = random_op(&state);
		unsigned line = (unsigned)(op.key >> 58);
		const struct model_entry *want = model_line(m, op.key);

		if (i % 1000 == 999) {
			t->generation++;
			m->generation++;
		}
		array_store(t, &op, line);
		model_replay(m, &op);
		for (unsigned s = 0; s < slots; s++) {
			assert_int_equal(t->word[line][s], model_word(m, &want[s]));
			if (want[s].taken)
				assert_int_equal(t->sig[line][s], want[s].sig);
		}
	}
	assert_int_equal(t->word[0][3] == 0, slots == 3); /* there is no slot 3 */
	model_free(m);
	free(t);
}

static void three_slots(void **state)
{
	same_for(3, 64);
	same_for(3, 4);
}

static void four_slots(void **state)
{
	same_for(4, 64);
	same_for(4, 16);
	same_for(4, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_slots),
		cmocka_unit_test(four_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
