// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a key to its line: every line is reached, all alike, by key bits that narrow
 * signatures don't use; whatever the number of lines and their size. argv: recorded traces.
 *
 * Alike is tested by chi-square over lines, with fixed seeds, so that the same p-values come
 * out every time. Those of recorded keys are printed: they say something of an engine's keys,
 * which come in families that differ in low bits only and so share a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "fixture.h"
#include "line.h"
#include "traffic.h"

/* So rarely does chance alone go so far, on either side. */
#define P_LIMIT 1e-6
#define KEYS_PER_LINE 16

/* A key's line; in the controls, by a rule that is wrong. */
typedef uint64_t line_rule(const struct table *t, uint64_t key);

/* Lines of 64, 48 and 32 bytes; whole keys and narrow ones. */
static const struct {
	const char *table;
	unsigned bytes;
} shapes[] = { { "xor", 64 },
	       { "xor:sig=32", 64 },
	       { "xor:sig=48", 64 },
	       { "xor32", 48 },
	       { "cluster10", 32 } };

static const uint64_t sizes[] = { 1,	 2,	3,     5,     7,	64,
				  100,	 1000,	4095,  4096,  4097,	3u << 10,
				  65535, 65536, 65537, 99991, 3u << 15, 1u << 17 };

struct one {
	struct table_spec spec;
	struct table *t;
	unsigned sig_bits;
};

static void one_open(struct one *o, const char *table, const char *index, uint64_t bytes)
{
	struct table_params p = { .kind = KIND_TT,
				  .size = { .bytes = bytes },
				  .size_text = "size",
				  .threads = 1,
				  .mate = TT_MATE_DEFAULT };
	char text[64];
	struct err e;

	snprintf(text, sizeof(text), "%s%cindex=%s", table, strchr(table, ':') ? ',' : ':',
		 index);
	if (table_spec_parse(text, &o->spec, &e) || table_create(&o->spec, &p, &o->t, &e))
		fixture_die(&e);
	o->sig_bits = table_spec_sig_bits(&o->spec);
}

static void one_close(struct one *o)
{
	table_destroy(o->t);
	table_spec_free(&o->spec);
}

static uint64_t floor_pow2(uint64_t x)
{
	return 1ull << (63 - __builtin_clzll(x));
}

/* Lines follow one another without a gap, and each one's keys, first to last, are its own. */
static void check_lines(const struct table *t)
{
	uint64_t next = 0, first, last;

	for (uint64_t line = 0; line < t->lines; line++) {
		line_keys(t, line, &first, &last);
		assert_true(first == next && last >= first);
		assert_int_equal(line_number(t, first), line);
		assert_int_equal(line_number(t, last), line);
		assert_int_equal(line_number(t, first + (last - first) / 2), line);
		next = last + 1;
	}
	assert_int_equal(next, 0); /* after the last key of all */
}

static void every_line_is_reached(void **state)
{
	struct one o;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
			one_open(&o, shapes[i].table, "mask", sizes[j] * shapes[i].bytes);
			assert_int_equal(o.t->lines, floor_pow2(sizes[j]));
			assert_int_equal(o.t->bytes, o.t->lines * shapes[i].bytes);
			check_lines(o.t);
			one_close(&o);
			one_open(&o, shapes[i].table, "mulhi", sizes[j] * shapes[i].bytes + 31);
			assert_int_equal(o.t->lines, sizes[j]);
			assert_int_equal(o.t->bytes, sizes[j] * shapes[i].bytes);
			check_lines(o.t);
			one_close(&o);
		}
	}
}

/* Does a change of one of the lowest bits, as many as that, ever lead to another line? */
static bool low_bits_choose(const struct table *t, line_rule *line, unsigned bits)
{
	uint64_t state = 3;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t key = rng_next(&state), own = line(t, key);

		for (unsigned b = 0; b < bits; b++)
			if (line(t, key ^ 1ull << b) != own)
				return true;
	}
	return false;
}

static uint64_t modulo(const struct table *t, uint64_t key)
{
	return key % t->lines;
}

static uint64_t low_half(const struct table *t, uint64_t key)
{
	return (uint64_t)(uint32_t)key * t->lines >> 32;
}

/* Modulo a number that is no power of two, of bits that are not many more. */
static uint64_t top_modulo(const struct table *t, uint64_t key)
{
	return (key >> 52) % t->lines;
}

/* A power of two of lines too few: those after them are never reached. */
static uint64_t top_masked(const struct table *t, uint64_t key)
{
	return key >> __builtin_clzll(t->lines) >> 1 & (floor_pow2(t->lines) - 1);
}

static void signature_and_line_share_no_bit(void **state)
{
	static const char *const rules[] = { "mask", "mulhi" };
	struct one o;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t r = 0; r < ARRAY_SIZE(rules); r++) {
			one_open(&o, shapes[i].table, rules[r], 99991 * shapes[i].bytes);
			/* wider ones under mulhi do, in the rarest of cases: at borders */
			if (o.sig_bits <= 32 || (o.sig_bits == 48 && !r)) {
				assert_false(low_bits_choose(o.t, line_number, o.sig_bits));
				assert_int_equal(table_sig_counts(o.t), o.sig_bits);
			}
			assert_true(low_bits_choose(o.t, modulo, o.sig_bits));
			if (o.sig_bits >= 32)
				assert_true(low_bits_choose(o.t, low_half, o.sig_bits));
			one_close(&o);
		}
	}
}

/*
 * index=mulhi: where a line begins, random keys never come. There keys that differ in the
 * signature's bits only share their line, and what picks a kv slot; borders of wider signatures
 * do tell them apart.
 */
static void signature_and_line_share_no_bit_at_borders(void **state)
{
	struct one o;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		unsigned apart = 0;
		uint64_t low;

		one_open(&o, shapes[i].table, "mulhi", 99991 * shapes[i].bytes);
		low = o.sig_bits < 64 ? (1ull << o.sig_bits) - 1 : UINT64_MAX;
		for (uint64_t line = 1; line < o.t->lines; line++) {
			uint64_t border =
				(uint64_t)(((unsigned __int128)line << 64) / o.t->lines);
			uint64_t first = border & ~low, last = border | low;

			apart += line_number(o.t, first) != line_number(o.t, last);
			if (o.sig_bits <= 32)
				assert_int_equal(line_rest(o.t, first), line_rest(o.t, last));
		}
		assert_int_equal(apart != 0, o.sig_bits > 32);
		one_close(&o);
	}
}

/* Beyond 64 bits they share some: how many are left is known, and no key is lost by it. */
static void effective_width(void **state)
{
	static const struct {
		const char *table, *index;
		uint64_t lines;
		unsigned counts;
	} cases[] = {
		{ "xor:sig=48", "mask", 1u << 16, 48 },
		{ "xor:sig=48", "mask", 1u << 17, 47 },
		{ "xor:sig=48", "mask", 1u << 18, 46 },
		{ "xor:sig=48", "mulhi", 1u << 16, 48 },
		{ "xor:sig=48", "mulhi", 3u << 15, 47 },
		{ "xor:sig=32", "mulhi", 3u << 15, 32 },
		{ "xor:sig=32", "mask", 1u << 18, 32 },
		{ "xor", "mask", 1u << 10, 54 },
		{ "xor", "mask", 1, 64 },
	};
	struct one o;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		one_open(&o, cases[i].table, cases[i].index, 64 * cases[i].lines);
		assert_int_equal(o.t->lines, cases[i].lines);
		assert_int_equal(table_sig_counts(o.t), cases[i].counts);
		if (!strcmp(cases[i].index, "mask"))
			assert_int_equal(low_bits_choose(o.t, line_number, o.sig_bits),
					 cases[i].counts < o.sig_bits && o.t->lines > 1);
		one_close(&o);
	}
}

/* Upper tail of chi-square, after Wilson and Hilferty; exact enough for many lines. */
static double tail(double chi2, double freedom)
{
	double v = 2 / (9 * freedom);

	return erfc((cbrt(chi2 / freedom) - (1 - v)) / sqrt(2 * v)) / 2;
}

static void tail_is_known(void **state)
{
	/* as printed in tables */
	assert_true(fabs(tail(124.342, 100) - 0.05) < 1e-3);
	assert_true(fabs(tail(149.449, 100) - 0.001) < 1e-4);
	assert_true(fabs(tail(77.929, 100) - 0.95) < 1e-3);
}

/* Do keys spread over `bins` as chance would have it? *dispersion: about 1 if so. */
static double spread(const struct table *t, line_rule *bin, uint64_t bins, const uint64_t *key,
		     size_t nr, double *dispersion)
{
	double mean = (double)nr / (double)bins, chi2 = 0;
	unsigned *count = xcalloc(bins, sizeof(*count));

	for (size_t i = 0; i < nr; i++)
		count[bin(t, key[i])]++;
	for (uint64_t i = 0; i < bins; i++)
		chi2 += (count[i] - mean) * (count[i] - mean) / mean;
	free(count);
	*dispersion = chi2 / (double)(bins - 1);
	return tail(chi2, (double)(bins - 1));
}

static uint64_t *random_keys(size_t nr)
{
	uint64_t *key = xcalloc(nr, sizeof(*key)), state = 11;

	for (size_t i = 0; i < nr; i++)
		key[i] = rng_next(&state);
	return key;
}

static bool by_chance(double p)
{
	return p > P_LIMIT && p < 1 - P_LIMIT;
}

/* The slot of a full kv line that a new key evicts, as if each were a line. */
static uint64_t victim(const struct table *t, uint64_t key)
{
	return line_number(t, key) * t->slots + kv_victim(line_rest(t, key), t->slots);
}

static void check_spread(const char *table, const char *index, uint64_t bytes)
{
	double p, of_victims, unused;
	uint64_t *key;
	struct one o;
	size_t nr;

	one_open(&o, table, index, bytes);
	nr = o.t->lines * KEYS_PER_LINE;
	key = random_keys(nr);
	p = spread(o.t, line_number, o.t->lines, key, nr, &unused);
	of_victims = spread(o.t, victim, o.t->lines * o.t->slots, key, nr, &unused);
	printf("%s, index=%s, %ju lines: p = %.3g, of victims %.3g\n", table, index,
	       (uintmax_t)o.t->lines, p, of_victims);
	assert_true(by_chance(p) && by_chance(of_victims));
	free(key);
	one_close(&o);
}

static void random_keys_spread(void **state)
{
	static const uint64_t lines[] = { 1000, 4096, 3u << 10, 65537 };

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(lines); j++) {
			check_spread(shapes[i].table, "mask", lines[j] * shapes[i].bytes);
			check_spread(shapes[i].table, "mulhi", lines[j] * shapes[i].bytes);
		}
	}
}

/* The same test sees rules that are wrong. */
static void wrong_rules_do_not(void **state)
{
	double dispersion;
	uint64_t *key = random_keys(3000 * KEYS_PER_LINE);
	struct one o;

	one_open(&o, "xor", "mulhi", 3000 * 64);
	assert_int_equal(o.t->lines, 3000);
	assert_true(spread(o.t, top_modulo, o.t->lines, key, 3000 * KEYS_PER_LINE,
			   &dispersion) < P_LIMIT);
	assert_true(spread(o.t, top_masked, o.t->lines, key, 3000 * KEYS_PER_LINE,
			   &dispersion) < P_LIMIT);
	/* this one spreads them: what is wrong with it is told above */
	assert_true(by_chance(
		spread(o.t, modulo, o.t->lines, key, 3000 * KEYS_PER_LINE, &dispersion)));
	free(key);
	one_close(&o);
}

static int nr_traces;
static char **trace_path;

static void check_recorded(const struct trace *trace, const char *index)
{
	struct dealing d = { .kinds = 1u << KIND_TT, .threads = 1, .clears = CLEARS_DROP };
	struct key_set keys;
	struct traffic *t;
	double p, dispersion;
	struct one o;
	struct err e;

	if (traffic_from_trace(trace, &d, &t, &e))
		fixture_die(&e);
	traffic_keys(t, KIND_TT, &keys);
	one_open(&o, "xor", index, keys.nr / KEYS_PER_LINE * 64);
	p = spread(o.t, line_number, o.t->lines, keys.key, keys.nr, &dispersion);
	printf("%s, index=%s: %zu keys on %ju lines, dispersion %.3f, p = %.3g\n", trace->name,
	       index, keys.nr, (uintmax_t)o.t->lines, dispersion, p);
	free(keys.key);
	one_close(&o);
	traffic_free(t);
}

static void recorded_keys_are_shown(void **state)
{
	struct trace *trace;
	struct err e;

	for (int i = 0; i < nr_traces; i++) {
		if (trace_read(trace_path[i], &trace, &e))
			fixture_die(&e);
		check_recorded(trace, "mask");
		check_recorded(trace, "mulhi");
		trace_free(trace);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_is_reached),
		cmocka_unit_test(signature_and_line_share_no_bit),
		cmocka_unit_test(signature_and_line_share_no_bit_at_borders),
		cmocka_unit_test(effective_width),
		cmocka_unit_test(tail_is_known),
		cmocka_unit_test(random_keys_spread),
		cmocka_unit_test(wrong_rules_do_not),
		cmocka_unit_test(recorded_keys_are_shown),
	};

	nr_traces = argc - 1;
	trace_path = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
