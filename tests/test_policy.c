// SPDX-License-Identifier: BSD-2-Clause
/* The policy by example: words in, words out; every rule with the case beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "policy.h"

#define MATE TT_MATE_DEFAULT
#define GEN 5u

static uint64_t entry(unsigned bound, uint8_t depth, int16_t value, uint32_t move, unsigned gen)
{
	return tt_refreshed(tt_pack(move, depth, bound, value), gen);
}

static struct tt_slot holds(uint64_t word)
{
	return (struct tt_slot){ .word = word, .holds = true };
}

static struct tt_slot other(uint64_t word)
{
	return (struct tt_slot){ .word = word, .holds = false };
}

static void fields_do_not_touch(void **state)
{
	uint64_t w = tt_pack(0xffffffffu, 0, 0, 0);

	assert_int_equal(tt_depth(w), 0);
	assert_true(tt_empty(w));
	w = tt_refreshed(tt_pack(0x12345678u, 142, TT_LOWER | TT_THREAT, -31000), 0xabc);
	assert_int_equal(tt_move(w), 0x12345678u);
	assert_int_equal(tt_depth(w), 142);
	assert_int_equal(tt_bound(w), TT_LOWER);
	assert_true(tt_threat(w));
	assert_int_equal(tt_generation(w), 0xc);
	assert_int_equal(tt_value(w), -31000);
	assert_int_equal(w, 0x86e8ca8e12345678ull);
	for (int v = -32768; v <= 32767; v += 257)
		assert_int_equal(tt_value(tt_pack(0, 255, 0xff, (int16_t)v)), v);
}

static void empty_is_no_bound(void **state)
{
	assert_true(tt_empty(0));
	assert_true(tt_empty(tt_pack(7, 9, TT_THREAT, 3)));
	assert_false(tt_empty(tt_pack(0, 0, TT_UPPER, 0)));
}

static void generations_wrap(void **state)
{
	uint64_t w = entry(TT_EXACT, 1, 0, 0, 15);

	assert_false(tt_stale(w, 15));
	assert_true(tt_stale(w, 16));
	assert_false(tt_stale(w, 31));
	assert_false(tt_stale(tt_refreshed(w, 16), 0));
}

static void drops(void **state)
{
	struct tt_store up = { .bound = TT_UPPER, .value = MATE };
	struct tt_store low = { .bound = TT_LOWER, .value = -MATE };
	struct tt_store exact = { .bound = TT_EXACT, .value = MATE };

	assert_true(tt_drops(&up, MATE));
	assert_true(tt_drops(&low, MATE));
	assert_false(tt_drops(&exact, MATE));
	up.value = MATE - 1;
	low.value = -MATE + 1;
	assert_false(tt_drops(&up, MATE));
	assert_false(tt_drops(&low, MATE));
	up.value = -MATE;
	low.value = MATE;
	assert_false(tt_drops(&up, MATE));
	assert_false(tt_drops(&low, MATE));
}

static void clamps(void **state)
{
	static const struct {
		unsigned bound;
		int value;
		unsigned to_bound;
		int to_value;
	} c[] = {
		{ TT_UPPER, -MATE - 7, TT_UPPER, -MATE },
		{ TT_LOWER, MATE + 7, TT_LOWER, MATE },
		{ TT_EXACT, MATE + 7, TT_LOWER, MATE },
		{ TT_EXACT, -MATE - 7, TT_UPPER, -MATE },
		{ TT_EXACT, MATE, TT_LOWER, MATE },
		{ TT_EXACT, MATE - 1, TT_EXACT, MATE - 1 },
		{ TT_EXACT, 1 - MATE, TT_EXACT, 1 - MATE },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct tt_store in = { .bound = (uint8_t)c[i].bound,
				       .value = (int16_t)c[i].value,
				       .ply = TT_PLY_UNKNOWN };
		uint64_t word = tt_merge((struct tt_slot){ 0 }, &in, GEN, MATE);

		assert_int_equal(tt_bound(word), c[i].to_bound);
		assert_int_equal(tt_value(word), c[i].to_value);
	}
}

/* mate=ply: a mate stored at one ply and read at another differs by just the difference. */
static uint64_t stored_at(unsigned bound, int value, uint8_t ply)
{
	struct tt_store in = { .bound = (uint8_t)bound, .value = (int16_t)value, .ply = ply };

	return tt_merge((struct tt_slot){ 0 }, &in, GEN, MATE);
}

static uint64_t seen_at(uint64_t word, uint8_t ply)
{
	struct tt_query q = { .mate = MATE, .ply = ply };

	return tt_seen(word, &q);
}

static void mates_count_from_the_node(void **state)
{
	uint64_t word = stored_at(TT_EXACT, MATE + 50, 3);

	assert_int_equal(tt_value(seen_at(word, 3)), MATE + 50);
	assert_int_equal(tt_value(seen_at(word, 7)), MATE + 50 - 4);
	assert_int_equal(tt_bound(seen_at(word, 7)), TT_EXACT);
	word = stored_at(TT_UPPER, -MATE - 50, 3);
	assert_int_equal(tt_value(seen_at(word, 7)), -MATE - 50 + 4);
	assert_int_equal(tt_bound(seen_at(word, 7)), TT_UPPER);
	/* a node that doesn't know its ply gets the bound that clamping would have left */
	word = stored_at(TT_EXACT, MATE + 50, 3);
	assert_int_equal(tt_value(seen_at(word, TT_PLY_UNKNOWN)), MATE);
	assert_int_equal(tt_bound(seen_at(word, TT_PLY_UNKNOWN)), TT_LOWER);
	/* no further than infinity, and the sign stays */
	assert_int_equal(tt_value(stored_at(TT_EXACT, TT_INFINITY - 2, 9)), TT_INFINITY);
	assert_int_equal(tt_value(stored_at(TT_EXACT, 2 - TT_INFINITY, 9)), -TT_INFINITY);
	/* other scores are what they are, and so is everything that is clamped */
	word = stored_at(TT_EXACT, MATE - 1, 3);
	assert_int_equal(seen_at(word, 7), word);
	word = stored_at(TT_EXACT, MATE + 50, TT_PLY_UNKNOWN);
	assert_int_equal(seen_at(word, TT_PLY_UNKNOWN), word);
}

static struct tt_plan plan(struct tt_slot s0, struct tt_slot s1, unsigned bound, uint8_t depth,
			   int16_t value, unsigned slots)
{
	struct tt_store in = { .bound = (uint8_t)bound, .depth = depth, .value = value };

	return tt_plan_store(s0, s1, &in, GEN, MATE, slots);
}

static void check_plan(struct tt_plan p, int victim, int bump_to)
{
	assert_int_equal(p.victim, victim);
	assert_int_equal(p.bump_to, bump_to);
}

static void slot_0_prefers_depth(void **state)
{
	struct tt_slot deep = other(entry(TT_EXACT, 8, 10, 1, GEN));
	struct tt_slot any = other(entry(TT_EXACT, 3, 10, 1, GEN));

	check_plan(plan(deep, any, TT_EXACT, 8, 0, 4), 0, 2); /* as deep */
	check_plan(plan(deep, any, TT_EXACT, 9, 0, 4), 0, 2);
	check_plan(plan(deep, any, TT_EXACT, 7, 0, 4), 1, 3); /* shallower */
	deep.word = entry(TT_EXACT, 8, 10, 1, GEN - 1);
	check_plan(plan(deep, any, TT_EXACT, 0, 0, 4), 0, 2); /* stale */
	check_plan(plan(other(0), other(0), TT_EXACT, 0, 0, 4), 0, 2); /* empty */
}

static void same_key_and_bound_is_not_bumped(void **state)
{
	struct tt_slot mine = holds(entry(TT_LOWER, 4, 10, 1, GEN));
	struct tt_slot deep = other(entry(TT_EXACT, 9, 10, 1, GEN));

	check_plan(plan(mine, deep, TT_LOWER, 5, 0, 4), 0, -1);
	check_plan(plan(mine, deep, TT_EXACT, 5, 0, 4), 0, 2);
	check_plan(plan(deep, mine, TT_LOWER, 5, 0, 4), 1, -1);
	check_plan(plan(deep, mine, TT_UPPER, 5, 0, 4), 1, 3);
}

static void bound_type_is_what_was_passed(void **state)
{
	/* An exact mate score is stored as a lower bound, but compared as exact. */
	struct tt_slot mine = holds(entry(TT_LOWER, 4, MATE, 1, GEN));

	check_plan(plan(mine, other(0), TT_EXACT, 5, MATE, 4), 0, 2);
	check_plan(plan(mine, other(0), TT_LOWER, 5, MATE, 4), 0, -1);
}

static void mates_stay_in_slot_1(void **state)
{
	struct tt_slot deep = other(entry(TT_EXACT, 9, 10, 1, GEN));
	struct tt_slot mate = other(entry(TT_LOWER, 2, MATE, 1, GEN));
	struct tt_slot mated = other(entry(TT_UPPER, 2, -MATE, 1, GEN));
	struct tt_slot stale = other(entry(TT_LOWER, 2, MATE, 1, GEN - 1));

	check_plan(plan(deep, mate, TT_EXACT, 5, 0, 4), 3, -1);
	check_plan(plan(deep, mated, TT_EXACT, 5, 0, 4), 3, -1);
	check_plan(plan(deep, mate, TT_LOWER, 5, MATE, 4), 1, 3); /* a mate for a mate */
	check_plan(plan(deep, stale, TT_EXACT, 5, 0, 4), 1, 3);
}

static void three_slots(void **state)
{
	struct tt_slot deep = other(entry(TT_EXACT, 9, 10, 1, GEN));
	struct tt_slot mate = other(entry(TT_LOWER, 2, MATE, 1, GEN));

	check_plan(plan(deep, mate, TT_EXACT, 5, 0, 3), 1, -1);
	check_plan(plan(deep, other(0), TT_EXACT, 5, 0, 3), 1, -1);
	check_plan(plan(deep, other(0), TT_EXACT, 9, 0, 3), 0, 2);
}

static uint32_t merged(struct tt_slot victim, unsigned bound, uint32_t move)
{
	struct tt_store in = { .bound = (uint8_t)bound, .move = move, .depth = 3 };

	return tt_move(tt_merge(victim, &in, GEN, MATE));
}

static void moves_merge(void **state)
{
	struct tt_slot mine = holds(entry(TT_LOWER, 4, 10, 77, GEN));
	struct tt_slot foe = other(entry(TT_LOWER, 4, 10, 77, GEN));

	assert_int_equal(merged(mine, TT_EXACT, 5), 5);
	assert_int_equal(merged(mine, TT_EXACT, 0), 0);
	assert_int_equal(merged(mine, TT_UPPER, 0), 77);
	assert_int_equal(merged(mine, TT_UPPER, 5), 77);
	assert_int_equal(merged(foe, TT_UPPER, 5), 0);
	assert_int_equal(merged(mine, TT_LOWER, 5), 5);
	assert_int_equal(merged(mine, TT_LOWER, 0), 77);
	assert_int_equal(merged(foe, TT_LOWER, 0), 0);
}

static void merge_writes_the_entry(void **state)
{
	struct tt_store in = { .bound = TT_EXACT,
			       .move = 9,
			       .depth = 12,
			       .value = MATE + 3,
			       .ply = TT_PLY_UNKNOWN,
			       .threat = true };
	uint64_t w = tt_merge(other(0), &in, 21, MATE);

	assert_int_equal(tt_value(w), MATE);
	assert_int_equal(tt_bound(w), TT_LOWER);
	assert_int_equal(tt_generation(w), 5);
	assert_int_equal(tt_depth(w), 12);
	assert_true(tt_threat(w));
}

static void usable_bounds(void **state)
{
	struct tt_query q = { .alpha = 10, .beta = 20, .depth = 6, .next_depth = 255 };

	assert_true(tt_usable(entry(TT_EXACT, 6, 15, 0, 0), &q));
	assert_false(tt_usable(entry(TT_EXACT, 5, 15, 0, 0), &q));
	assert_true(tt_usable(entry(TT_LOWER, 6, 20, 0, 0), &q));
	assert_false(tt_usable(entry(TT_LOWER, 6, 19, 0, 0), &q));
	assert_true(tt_usable(entry(TT_UPPER, 6, 10, 0, 0), &q));
	assert_false(tt_usable(entry(TT_UPPER, 6, 11, 0, 0), &q));
}

static void lookup_gathers(void **state)
{
	struct tt_query q = {
		.alpha = 10, .beta = 20, .mate = MATE, .depth = 6, .next_depth = 2
	};
	struct tt_answer a = { 0 };

	/* Not usable, but gives its move, its threat and avoid_null. */
	assert_false(tt_lookup(&a, entry(TT_UPPER | TT_THREAT, 2, 19, 5, 0), &q));
	assert_true(a.avoid_null && a.threat);
	assert_int_equal(a.move, 5);
	assert_int_equal(a.bound, 0);
	assert_int_equal(a.value, 0);
	/* Deeper: its move is better. As deep: the first stands. */
	assert_false(tt_lookup(&a, entry(TT_LOWER, 4, 19, 6, 0), &q));
	assert_int_equal(a.move, 6);
	assert_false(tt_lookup(&a, entry(TT_LOWER, 4, 19, 7, 0), &q));
	assert_int_equal(a.move, 6);
	/* No move: keeps what there is. Usable: ends. */
	assert_true(tt_lookup(&a, entry(TT_EXACT, 9, 12, 0, 0), &q));
	assert_int_equal(a.move, 6);
	assert_int_equal(a.bound, TT_EXACT);
	assert_int_equal(a.value, 12);
}

static void avoid_null_needs_all_three(void **state)
{
	struct tt_query q = {
		.alpha = 0, .beta = 20, .mate = MATE, .depth = 255, .next_depth = 3
	};
	struct tt_answer a = { 0 };

	tt_lookup(&a, entry(TT_UPPER, 2, 19, 0, 0), &q); /* too shallow */
	tt_lookup(&a, entry(TT_LOWER, 3, 19, 0, 0), &q); /* wrong bound */
	tt_lookup(&a, entry(TT_UPPER, 3, 20, 0, 0), &q); /* not below beta */
	assert_false(a.avoid_null);
	tt_lookup(&a, entry(TT_EXACT, 3, 19, 0, 0), &q);
	assert_true(a.avoid_null);
	a = (struct tt_answer){ 0 };
	q.next_depth = 255; /* unknown */
	tt_lookup(&a, entry(TT_UPPER, 255, 19, 0, 0), &q);
	assert_false(a.avoid_null);
}

static void ponder(void **state)
{
	uint32_t move = 0;

	assert_false(tt_ponder(&move, entry(TT_LOWER, 9, 0, 4, 0)));
	assert_true(tt_ponder(&move, entry(TT_EXACT, 1, 0, 5, 0)));
	assert_int_equal(move, 5);
	assert_false(tt_ponder(&move, entry(TT_UPPER, 1, 0, 6, 0)));
	assert_int_equal(move, 6);
}

static void kv_victims(void **state)
{
	assert_int_equal(kv_victim(0, 4), 0);
	assert_int_equal(kv_victim(1ull << 62, 4), 1);
	assert_int_equal(kv_victim(3ull << 62, 4), 3);
	assert_int_equal(kv_victim(~0ull, 3), 2);
	assert_int_equal(kv_victim(~(3ull << 62), 4), 0);
	/* three slots, a third of all keys each */
	assert_int_equal(kv_victim(0x5555ull << 48, 3), 0);
	assert_int_equal(kv_victim(0x5556ull << 48, 3), 1);
	assert_int_equal(kv_victim(0xaaaaull << 48, 3), 1);
	assert_int_equal(kv_victim(0xaaabull << 48, 3), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_do_not_touch),
		cmocka_unit_test(empty_is_no_bound),
		cmocka_unit_test(generations_wrap),
		cmocka_unit_test(drops),
		cmocka_unit_test(clamps),
		cmocka_unit_test(mates_count_from_the_node),
		cmocka_unit_test(slot_0_prefers_depth),
		cmocka_unit_test(same_key_and_bound_is_not_bumped),
		cmocka_unit_test(bound_type_is_what_was_passed),
		cmocka_unit_test(mates_stay_in_slot_1),
		cmocka_unit_test(three_slots),
		cmocka_unit_test(moves_merge),
		cmocka_unit_test(merge_writes_the_entry),
		cmocka_unit_test(usable_bounds),
		cmocka_unit_test(lookup_gathers),
		cmocka_unit_test(avoid_null_needs_all_three),
		cmocka_unit_test(ponder),
		cmocka_unit_test(kv_victims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
