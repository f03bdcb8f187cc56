// SPDX-License-Identifier: BSD-2-Clause
/* Workloads: which keys, operations and events each is made of, said a second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "policy.h"
#include "traffic.h"

#define LINES 64u
#define OPS 40000u

/* What a workload must be, said a second time. */
struct expected {
	const char *name;
	enum kind kind;
	unsigned lines, stored, probed, preloaded; /* keys a line */
	unsigned stores; /* percent */
	unsigned generation_every, clear_every;
	bool updates_only, built_keys;
};
static const struct expected expected[] = {
	{ "uniform", KIND_KV, LINES, 8, 8, 4, 0, 0, 0, false, false },
	{ "hot-update", KIND_KV, 2, 4, 4, 4, 50, 0, 0, true, false },
	{ "hot-evict", KIND_KV, 2, 8, 8, 4, 50, 0, 0, false, false },
	{ "same-key", KIND_KV, 1, 1, 1, 1, 50, 0, 0, true, false },
	{ "refresh", KIND_TT, 2, 3, 3, 0, 30, 256, 0, false, false },
	{ "bump", KIND_TT, 2, 8, 8, 0, 80, 0, 0, false, false },
	{ "generation", KIND_TT, 2, 4, 4, 0, 50, 8, 0, false, false },
	{ "slot", KIND_EVAL, 2, 4, 4, 0, 50, 0, 0, false, false },
	{ "wide", KIND_PAWN, 2, 4, 4, 0, 50, 0, 0, false, false },
	{ "clears", KIND_TT, 2, 4, 4, 0, 50, 512, 4096, false, false },
	{ "adversarial", KIND_KV, 1, 5, 2, 4, 50, 0, 0, false, true },
};

static struct traffic *workload(const char *name, const char *options, unsigned threads)
{
	char *spec = xasprintf("%s%s", name, options);
	struct table_size size = { 0 };
	struct traffic *t;
	enum kind kind;
	struct err e;

	assert_int_equal(workload_kind(spec, &kind, &e), 0);
	size.entries = LINES * (kind == KIND_PAWN || kind == KIND_EVAL ? 1 : 4);
	assert_int_equal(traffic_from_workload(spec, &size, threads, 3, &t, &e), 0);
	assert_true(t->kinds & 1u << kind);
	free(spec);
	return t;
}

/* Distinct keys of the operations with this opcode, over all streams. */
static struct key_set keys_of(const struct traffic *t, unsigned op)
{
	uint64_t *key = xcalloc(t->threads * OPS, sizeof(*key));
	struct key_set keys;
	size_t nr = 0;

	for (unsigned i = 0; i < t->threads; i++)
		for (size_t j = 0; j < t->stream[i].nr; j++)
			if (t->stream[i].op[j].op == op)
				key[nr++] = t->stream[i].op[j].key;
	key_set_make(&keys, key, nr);
	return keys;
}

/* So many keys, the same number in each of so many lines, which the top six bits tell. */
static void check_spread(const struct key_set *keys, unsigned lines, unsigned each)
{
	unsigned at[LINES] = { 0 }, used = 0;

	assert_int_equal(keys->nr, lines * each);
	for (size_t i = 0; i < keys->nr; i++)
		at[keys->key[i] >> 58]++;
	for (unsigned i = 0; i < LINES; i++) {
		assert_true(!at[i] || at[i] == each);
		used += at[i] != 0;
	}
	assert_int_equal(used, lines);
}

static bool holds_key(const struct key_set *keys, uint64_t key)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (keys->key[i] == key)
			return true;
	return false;
}

static void check_event(const struct stream *s, size_t i, enum event_type type, size_t at)
{
	assert_true(i < s->nr_events);
	assert_int_equal(s->event[i].type, type);
	assert_int_equal(s->event[i].at, at);
}

static void check_events(const struct traffic *t, const struct expected *x)
{
	const struct stream *s = &t->stream[0];
	size_t nr = 0;

	for (size_t at = 1; at < OPS; at++) {
		if (x->generation_every && at % x->generation_every == 0)
			check_event(s, nr++, EVENT_GENERATION, at);
		if (x->clear_every && at % x->clear_every == 0)
			check_event(s, nr++, EVENT_CLEAR, at);
	}
	assert_int_equal(s->nr_events, nr);
	assert_int_equal(t->stream[1].nr_events, 0);
	assert_int_equal(t->clears, x->clear_every ? CLEARS_LIVE : CLEARS_DROP);
}

static void check_workload(const struct expected *x)
{
	struct traffic *t = workload(x->name, ":ops=40000", 2);
	struct key_set stored, probed = keys_of(t, 2 * x->kind);
	uint64_t count[NR_OPS];

	assert_int_equal(t->kinds, 1u << x->kind);
	assert_int_equal(t->updates_only, x->updates_only);
	assert_int_equal(t->built_keys, x->built_keys);
	assert_int_equal(t->own_serials, x->built_keys);
	assert_int_equal(t->recorded_streams, 0);
	traffic_count(t, count);
	assert_int_equal(count[2 * x->kind] + count[2 * x->kind + 1], 2 * OPS);
	assert_in_range(count[2 * x->kind + 1], OPS * x->stores / 50 * 97 / 100,
			OPS * x->stores / 50 * 103 / 100);
	check_spread(&probed, x->lines, x->probed);
	traffic_keys(t, x->kind, &stored);
	/* uniform stores nothing by default but what is preloaded */
	check_spread(&stored, x->lines, x->stores ? x->stored : x->preloaded);
	assert_int_equal(t->preload_nr, x->lines * x->preloaded);
	for (uint64_t i = 0; i < t->preload_nr; i++) {
		struct trace_op op = t->preload_op(t, i);

		assert_int_equal(op.op, 2 * x->kind + 1);
		assert_true(holds_key(&stored, op.key));
	}
	check_events(t, x);
	free(stored.key);
	free(probed.key);
	traffic_free(t);
}

static void workloads_are_what_they_say(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_non_null(workload_name(i));
		assert_string_equal(workload_name(i), expected[i].name);
		assert_non_null(strstr(workload_help, expected[i].name));
		check_workload(&expected[i]);
	}
	assert_null(workload_name(ARRAY_SIZE(expected)));
}

/* Half and half alternate, where the lines are all. */
static void uniform_alternates(void **state)
{
	struct traffic *t = workload("uniform", ":store=50,ops=1000", 1);

	for (size_t i = 0; i < t->stream[0].nr; i++)
		assert_int_equal(t->stream[0].op[i].op, i & 1 ? OP_KV_STORE : OP_KV_PROBE);
	traffic_free(t);
}

/* tt stores: every bound, some mate scores, some that say nothing, any depth. */
static void tt_workloads_vary(void **state)
{
	struct traffic *t = workload("bump", ":ops=40000", 1);
	unsigned bounds[4] = { 0 }, mates = 0, moveless = 0, depths[256] = { 0 }, nr_depths = 0;

	for (size_t i = 0; i < t->stream[0].nr; i++) {
		const struct trace_op *op = &t->stream[0].op[i];

		if (op->op != OP_TT_STORE)
			continue;
		bounds[trace_op_bound(op)]++;
		mates += op->value >= t->mate || op->value <= -t->mate;
		moveless += !op->move;
		nr_depths += !depths[op->depth]++;
	}
	assert_int_equal(bounds[BOUND_NONE], 0);
	for (unsigned b = BOUND_UPPER; b <= BOUND_EXACT; b++)
		assert_in_range(bounds[b], 9000, 12000);
	assert_in_range(mates, 3000, 5000);
	assert_in_range(moveless, 3000, 5000);
	assert_in_range(nr_depths, 16, 64);
	traffic_free(t);
}

/* The word that a store of the workload writes in an audit of this seed. */
static uint64_t audited_word(uint64_t seed, const struct trace_op *op)
{
	return stamp_wide(stamp_auth(audit_seed(seed), op->key), op->move, 0);
}

/*
 * Built keys: in each line two keys take turns, always with the same word, for the slot
 * that the preload gave to the first; every probe is of a mix of them, of that very line,
 * and of a key that nobody stores.
 */
static void built_keys_are_mixes(void **state)
{
	enum { HOT = 3 };
	struct traffic *t = workload("adversarial", ":lines=3,ops=40000", 2);
	struct trace_op first[HOT], second[HOT];
	struct key_set stored;

	traffic_keys(t, KIND_KV, &stored);
	assert_int_equal(t->preload_nr, 4 * HOT);
	for (unsigned h = 0; h < HOT; h++) {
		uint64_t line = t->preload_op(t, 4 * h).key >> 58;

		for (unsigned i = 1; i < 4; i++)
			assert_int_equal(t->preload_op(t, 4 * h + i).key >> 58, line);
		first[h] = t->preload_op(t, 4 * h + 3);
		second[h] = first[h];
	}
	for (unsigned i = 0; i < 2 * OPS; i++) {
		const struct trace_op *op = &t->stream[i % 2].op[i / 2];
		unsigned h = 0;

		while (h < HOT && first[h].key >> 58 != op->key >> 58)
			h++;
		assert_true(h < HOT);
		if (op->op != OP_KV_STORE)
			continue;
		if (op->key == first[h].key)
			assert_int_equal(op->move, first[h].move);
		else if (second[h].key == first[h].key)
			second[h] = *op;
		else
			assert_true(op->key == second[h].key && op->move == second[h].move);
	}
	for (unsigned h = 0; h < HOT; h++) {
		uint64_t mix = audited_word(3, &first[h]) ^ audited_word(3, &second[h]);
		unsigned seen = 0;

		assert_true(mix);
		assert_int_equal(kv_victim(first[h].key << 6, 4), 3);
		assert_int_equal(kv_victim(second[h].key << 6, 4), 3);
		for (unsigned i = 0; i < OPS; i++) {
			const struct trace_op *op = &t->stream[1].op[i];

			if (op->op != OP_KV_PROBE || op->key >> 58 != first[h].key >> 58)
				continue;
			assert_false(holds_key(&stored, op->key));
			if (op->key == (first[h].key ^ mix))
				seen |= 1;
			else if (op->key == (second[h].key ^ mix))
				seen |= 2;
			else
				fail_msg("a probe of no mix");
		}
		assert_int_equal(seen, 3);
	}
	free(stored.key);
	traffic_free(t);
}

/* The race, without threads: both stores, and their words as a race leaves them. */
static void xor_takes_a_mix_for_its_key(void **state)
{
	struct traffic *t = workload("adversarial", ":ops=40000", 1);
	struct audit audit = { .seed = audit_seed(3), .sig_bits = 64, .own_serials = true };
	struct trace_op first = t->preload_op(t, 3), second = first;
	const struct stream *s = &t->stream[0];
	table_replay_fn *audited;
	atomic_word *slot;
	struct counts *n;
	struct fixture f;

	traffic_keys(t, KIND_KV, &audit.keys[KIND_KV]);
	for (size_t i = 0; second.key == first.key && i < s->nr; i++)
		if (s->op[i].op == OP_KV_STORE)
			second = s->op[i];
	fixture_open(&f, "xor", KIND_KV, 4 * LINES, t->mate);
	f.w->audit = &audit;
	n = &f.w->n[KIND_KV];
	audited = f.t->loops->audit[KIND_KV];
	for (uint64_t i = 0; i < t->preload_nr; i++) {
		struct trace_op op = t->preload_op(t, i);

		audited(f.by_kind, f.w, &op, 1);
	}
	/* As long as nothing is mixed, no probe finds anything. */
	audited(f.by_kind, f.w, s->op, s->nr);
	assert_int_equal(n->hits, 0);
	audited(f.by_kind, f.w, &first, 1);
	slot = f.t->word + 8 * (first.key >> 58) + 2 * 3;
	assert_int_equal(READ_ONCE64(&slot[1]), audited_word(3, &first));
	assert_int_equal(READ_ONCE64(&slot[0]), first.key ^ audited_word(3, &first));
	WRITE_ONCE64(&slot[1], audited_word(3, &second));
	for (size_t i = 0; !n->hits && i < s->nr; i++)
		if (s->op[i].op == OP_KV_PROBE)
			audited(f.by_kind, f.w, &s->op[i], 1);
	assert_int_equal(n->hits, 1);
	assert_int_equal(n->torn, 1);
	assert_int_equal(n->wrong_key, 0);
	free(audit.keys[KIND_KV].key);
	fixture_close(&f);
	traffic_free(t);
}

/* From one line to many, there are such keys. */
static void built_keys_at_any_size(void **state)
{
	static const uint64_t lines[] = { 1, 2, 1 << 10, 1 << 22 };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct table_size size = { .entries = 4 * lines[i] };
		unsigned bits = (unsigned)__builtin_ctzll(lines[i]);
		uint64_t index = ~(UINT64_MAX >> bits);
		struct traffic *t;
		struct err e;

		assert_int_equal(
			traffic_from_workload("adversarial:ops=100", &size, 1, 3, &t, &e), 0);
		for (size_t j = 0; j < t->stream[0].nr; j++)
			assert_int_equal(
				(t->stream[0].op[j].key ^ t->preload_op(t, 0).key) & index, 0);
		traffic_free(t);
	}
}

static void ends_are_among_the_keys(void **state)
{
	struct traffic *t = workload("hot-evict", ":ends=1,ops=4000", 1);
	struct key_set keys = keys_of(t, OP_KV_PROBE);

	assert_int_equal(keys.nr, 16);
	assert_int_equal(keys.key[0], 0);
	assert_int_equal(keys.key[15], UINT64_MAX);
	for (size_t i = 0; i < keys.nr; i++)
		assert_int_equal(keys.key[i] >> 58, i < 8 ? 0 : LINES - 1);
	free(keys.key);
	traffic_free(t);
}

/* Every operation of every part, in its order, at the same pace; and the first one's events. */
static void mixed_workloads(void **state)
{
	struct traffic *mixed = workload("clears+wide+hot-update", ":ops=9000", 2);
	static const char *const name[] = { "clears", "wide", "hot-update" };
	static const enum kind kind[] = { KIND_TT, KIND_PAWN, KIND_KV };
	struct traffic *part[3];
	const struct stream *s;
	struct key_set keys;

	assert_int_equal(mixed->kinds, 1u << KIND_TT | 1u << KIND_PAWN | 1u << KIND_KV);
	assert_int_equal(mixed->clears, CLEARS_LIVE);
	assert_true(mixed->updates_only);
	for (unsigned p = 0; p < 3; p++)
		part[p] = workload(name[p], ":ops=9000", 2);
	/* lines differ by kind: only those of tt and kv are as in a table of this size */
	for (unsigned i = 0; i < 2; i++) {
		size_t at[3] = { 0 };

		s = &mixed->stream[i];
		assert_int_equal(s->nr, 27000);
		for (size_t j = 0; j < s->nr; j++) {
			unsigned p = 0;

			while (kind[p] != s->op[j].op >> 1)
				p++;
			assert_int_equal(s->op[j].op, part[p]->stream[i].op[at[p]].op);
			if (p != 1)
				assert_int_equal(s->op[j].key, part[p]->stream[i].op[at[p]].key);
			at[p]++;
			assert_in_range(at[p], j / 3, j / 3 + 1);
		}
	}
	s = &part[0]->stream[0];
	assert_int_equal(mixed->stream[0].nr_events, s->nr_events);
	for (size_t i = 0; i < s->nr_events; i++)
		check_event(&mixed->stream[0], i, s->event[i].type, 3 * s->event[i].at);
	assert_int_equal(mixed->stream[1].nr_events, 0);
	traffic_keys(mixed, KIND_KV, &keys);
	check_spread(&keys, 2, 4);
	free(keys.key);
	traffic_keys(mixed, KIND_TT, &keys);
	check_spread(&keys, 2, 4);
	free(keys.key);
	for (unsigned p = 0; p < 3; p++)
		traffic_free(part[p]);
	traffic_free(mixed);
}

static void meetings(void **state)
{
	struct traffic *t = workload("bump", ":meet=1,ops=100", 1);

	assert_int_equal(t->clears, CLEARS_BARRIER);
	traffic_free(t);
}

static void refuse_workload(const char *spec, const char *part)
{
	struct table_size size = { .entries = 256 };
	struct traffic *t;
	enum kind kind;
	struct err e;

	assert_int_equal(workload_kind(spec, &kind, &e), -1);
	assert_non_null(strstr(e.text, part));
	assert_int_equal(traffic_from_workload(spec, &size, 1, 1, &t, &e), -1);
	assert_non_null(strstr(e.text, part));
}

static void workloads_are_refused(void **state)
{
	refuse_workload("adversarial:lines=0", "from 1 to 16");
	refuse_workload("adversarial:lines=17", "from 1 to 16");
	refuse_workload("wide:keys=3", "no option 'keys=3'");
	refuse_workload("wide:ends=2", "from 0 to 1");
	refuse_workload("wide+bump+slot+refresh", "kind tt");
	refuse_workload("wide+adversarial", "adversarial goes with no other");
	refuse_workload("wide+", "expected one of");
	for (size_t i = 0; workload_name(i); i++)
		refuse_workload("no-such", workload_name(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_are_what_they_say),
		cmocka_unit_test(uniform_alternates),
		cmocka_unit_test(tt_workloads_vary),
		cmocka_unit_test(built_keys_are_mixes),
		cmocka_unit_test(xor_takes_a_mix_for_its_key),
		cmocka_unit_test(built_keys_at_any_size),
		cmocka_unit_test(ends_are_among_the_keys),
		cmocka_unit_test(mixed_workloads),
		cmocka_unit_test(meetings),
		cmocka_unit_test(workloads_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
