// SPDX-License-Identifier: BSD-2-Clause
/*
 * The searches of a whole line against one that goes slot by slot, on lines that traffic makes
 * only when threads collide: keys that stand twice, free slots before taken ones, key 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "simd.h"
#include "util.h"
#include "xor.h"

struct found {
	struct line_scan tt, kv;
	bool hit;
	uint64_t word;
	unsigned slot;
};

/* The functions under test, out of the regions that they must be inlined into. */
#define FIND(isa)                                                                             \
	static __attribute__((noinline)) struct found isa##_find(const enum simd_form form,   \
								 const atomic_word *line,     \
								 uint64_t key, uint64_t mask) \
	{                                                                                     \
		struct found f = { .slot = 0 };                                               \
                                                                                              \
		f.tt = isa##_scan(KIND_TT, form, line, key & mask);                           \
		f.kv = isa##_scan(KIND_KV, form, line, key & mask);                           \
		f.hit = isa##_pick(form, line, &key, mask, &f.word, &f.slot);                 \
		return f;                                                                     \
	}                                                                                     \
	static struct found isa##_find_any(enum simd_form form, const atomic_word *line,      \
					   uint64_t key, uint64_t mask)                       \
	{                                                                                     \
		return form == SIMD_PLAIN    ? isa##_find(SIMD_PLAIN, line, key, mask)        \
		       : form == SIMD_FOLDED ? isa##_find(SIMD_FOLDED, line, key, mask)       \
					     : isa##_find(SIMD_WHOLE, line, key, mask);       \
	}

/* clang-format off */
#if defined(__x86_64__)
AVX2_BEGIN
FIND(avx2)
SIMD_END
AVX512_BEGIN
FIND(avx512)
SIMD_END
#elif defined(__aarch64__)
FIND(neon)
#endif
/* clang-format on */

typedef struct found find_fn(enum simd_form form, const atomic_word *line, uint64_t key,
			     uint64_t mask);

static struct found slot_by_slot(enum simd_form form, const atomic_word *line, uint64_t key,
				 uint64_t mask)
{
	struct found f = { .slot = 0 };

	for (unsigned s = 0; s < 4; s++) {
		uint64_t word;
		bool match = form == SIMD_FOLDED ? xor_load(line, s, key & mask, 1, &word)
						 : plain_load(line, s, key & mask, 1, &word);

		f.tt.taken |= (unsigned)!entry_empty(KIND_TT, word) << s;
		f.tt.match |= (unsigned)(match && !entry_empty(KIND_TT, word)) << s;
		f.kv.taken |= (unsigned)!entry_empty(KIND_KV, word) << s;
		f.kv.match |= (unsigned)(match && !entry_empty(KIND_KV, word)) << s;
		if (!f.hit && f.kv.match) {
			f.hit = true;
			f.word = word;
			f.slot = s;
		}
	}
	return f;
}

/* Few keys and words, so that everything there is meets. */
static uint64_t some_key(uint64_t *rng)
{
	static const uint64_t keys[] = { 0, 1, 0x123456789abcdef0ull, 0x923456789abcdef0ull,
					 UINT64_MAX };

	return keys[rng_below(rng, ARRAY_SIZE(keys))];
}

/* Of kv, free or taken; so that a free slot has 0, as zeroed and wiped ones have. */
static uint64_t some_word(uint64_t *rng)
{
	static const uint64_t words[] = { 0, KV_OCCUPIED | 5, KV_OCCUPIED | 0x10700000005ull,
					  UINT64_MAX };

	return words[rng_below(rng, ARRAY_SIZE(words))];
}

static void fill(atomic_word *line, enum simd_form form, uint64_t mask, uint64_t *rng)
{
	for (unsigned s = 0; s < 4; s++) {
		uint64_t sig = some_key(rng) & mask, word = some_word(rng);

		/* at times a torn pair */
		if (form == SIMD_FOLDED && rng_below(rng, 4))
			sig ^= word;
		WRITE_ONCE64(&line[2 * s], sig);
		WRITE_ONCE64(&line[2 * s + 1], word);
	}
}

static bool same(const struct found *a, const struct found *b)
{
	return a->tt.match == b->tt.match && a->tt.taken == b->tt.taken &&
	       a->kv.match == b->kv.match && a->kv.taken == b->kv.taken && a->hit == b->hit &&
	       a->word == b->word && (!a->hit || a->slot == b->slot);
}

static void compare(find_fn *find)
{
	static const uint64_t masks[] = { UINT64_MAX, 0xffff, 0xffffffff };
	atomic_word line[8] __attribute__((aligned(64)));
	unsigned twice = 0, late = 0;
	uint64_t rng = 3;

	for (unsigned i = 0; i < 300000; i++) {
		enum simd_form form = (enum simd_form)rng_below(&rng, 3);
		uint64_t mask = masks[rng_below(&rng, ARRAY_SIZE(masks))];
		uint64_t key = some_key(&rng);
		struct found want, got;

		fill(line, form, mask, &rng);
		want = slot_by_slot(form, line, key, mask);
		got = find(form, line, key, mask);
		assert_true(same(&got, &want));
		twice += __builtin_popcount(want.kv.match) > 1;
		late += want.hit && !(want.kv.taken & 1);
	}
	/* and they did meet */
	assert_true(twice > 1000);
	assert_true(late > 1000);
}

/* The comparison itself can fail: a search that takes the last of several. */
static struct found backwards(enum simd_form form, const atomic_word *line, uint64_t key,
			      uint64_t mask)
{
	struct found f = slot_by_slot(form, line, key, mask);

	if (f.hit)
		f.slot = 31 - (unsigned)__builtin_clz(f.kv.match);
	return f;
}

static void order_shows(void **state)
{
	atomic_word line[8] __attribute__((aligned(64)));
	unsigned differ = 0;
	uint64_t rng = 3;

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t key = some_key(&rng);
		struct found a, b;

		fill(line, SIMD_PLAIN, UINT64_MAX, &rng);
		a = slot_by_slot(SIMD_PLAIN, line, key, UINT64_MAX);
		b = backwards(SIMD_PLAIN, line, key, UINT64_MAX);
		differ += !same(&a, &b);
	}
	assert_true(differ > 100);
}

static bool lacks(const char *probe)
{
	const char *why = simd_lacks(&probe);

	if (why)
		print_message("%s\n", why);
	return why;
}

#if defined(__x86_64__)
static void avx2(void **state)
{
	if (lacks("avx2"))
		skip();
	compare(avx2_find_any);
}

static void avx512(void **state)
{
	if (lacks("avx512"))
		skip();
	compare(avx512_find_any);
}
#elif defined(__aarch64__)
static void neon(void **state)
{
	if (lacks("neon"))
		skip();
	compare(neon_find_any);
}
#endif

/* auto: the widest that is here; scalar always is. */
static void the_widest(void **state)
{
	const char *scalar = "scalar", *automatic = "auto";

	assert_int_equal(simd_isa(scalar), ISA_SCALAR);
	assert_null(simd_lacks(&scalar));
	assert_null(simd_lacks(&automatic));
	assert_int_equal(simd_isa(automatic) == ISA_SCALAR, simd_absent() != NULL);
#if defined(__x86_64__)
	assert_int_equal(simd_isa(automatic) == ISA_AVX512, !lacks("avx512"));
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(avx2),
		cmocka_unit_test(avx512),
#elif defined(__aarch64__)
		cmocka_unit_test(neon),
#endif
		cmocka_unit_test(order_shows),
		cmocka_unit_test(the_widest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
