/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simd - a whole line of four 16-byte slots looked at at once
 *
 * A scalar search leaves at the slot that matches, which no branch predictor foresees; that
 * one branch costs several times what the comparison does. Here all slots are compared, and
 * what a kv probe answers is computed without a branch. It pays where the caller, too, does
 * not branch on the answer (--caller batch).
 *
 * Each instruction set ISA, in a region of code compiled for it (ISA_BEGIN, SIMD_END), has
 *
 *   struct line_scan ISA_scan(kind, form, line, sig)
 *   bool ISA_pick(form, line, key, mask, word, slot)   kv: the first slot that verifies
 *
 * where `form`, a constant, is one of enum simd_form; *word is the data word, or 0, which no
 * entry has. The key is in memory, because from there it comes into all lanes by one load, and
 * from a general register by a detour; the mask, where the compiler knows it to be all ones,
 * costs nothing.
 *
 * What a vector load promises, wide.h says: words, and neither lines nor pairs. pick compares
 * the very words that it returns, in the registers into which they were loaded. Folded, a pair
 * of two entries decodes to no key and does not match, however it came about. Plain, it
 * matches, as it does word by word. Whole, every slot is loaded by its own 16-byte load, which
 * makes it a pair, and only then put together with the others. scan finds slots and returns no
 * words: who takes one loads it and checks it again.
 *
 * What pick compiles to, beside finding the line (gcc 12):
 *   AVX-512  vmovdqa64 of the line, vpshufd, folded also vpxorq: what was kept beside every
 *            data word; vptestmq for the slots taken, under that mask vpcmpeqq with the
 *            broadcast signature; vpcompressq, vmovq
 *   whole    four vmovdqa, two vinserti128, vpunpcklqdq and vpunpckhqdq: signatures and data
 *            apart; vpmovq2m, vpcmpeqq, vpcompressq, vmovq
 *   AVX2     two vmovdqa and the unpacks (whole: as above), folded also vpxor; vpcmpeqq, vpand,
 *            vmovmskpd, which selects from a small array how vpermd moves the first match to
 *            the front; vmovq
 *   NEON     four ldr (whole: ldp, fmov), uzp1 and uzp2, folded also eor; cmeq, and; narrowed
 *            to a mask by xtn; the data words go to the stack, the first match comes from there
 */
#ifndef TEARLINE_SIMD_H
#define TEARLINE_SIMD_H

#include "line.h"

enum isa {
	ISA_SCALAR,
#if defined(__x86_64__)
	ISA_AVX2,
	ISA_AVX512,
#elif defined(__aarch64__)
	ISA_NEON,
#endif
	NR_ISAS
};

/* Entries as others see them: words on their own, key ^ data (see xor.h), 16 bytes as one. */
enum simd_form { SIMD_PLAIN, SIMD_FOLDED, SIMD_WHOLE };

#if defined(__x86_64__)
#define SIMD_CHOICES "|avx2|avx512"
#elif defined(__aarch64__)
#define SIMD_CHOICES "|neon"
#else
#define SIMD_CHOICES ""
#endif
#define PROBE_OPTION(choices, dflt)                                             \
	{                                                                       \
		"probe", choices SIMD_CHOICES, dflt,                            \
			"how a line is searched: slot by slot, or all at once " \
			"(auto: the widest vectors there are)"                  \
	}

/* The instruction set that a value of `probe` stands for. */
enum isa simd_isa(const char *probe);
/* Fields of a class whose first option is `probe`, and of one that has no scalar search. */
const char *simd_lacks(const char *const *option);
const char *simd_absent(void);

#if defined(__clang__)
#define SIMD_PRAGMA(text) _Pragma(#text)
#define SIMD_BEGIN(isas) \
	SIMD_PRAGMA(clang attribute push(__attribute__((target(isas))), apply_to = function))
#define SIMD_END SIMD_PRAGMA(clang attribute pop)
#else
#define SIMD_PRAGMA(text) _Pragma(#text)
#define SIMD_BEGIN(isas) SIMD_PRAGMA(GCC push_options) SIMD_PRAGMA(GCC target(isas))
#define SIMD_END SIMD_PRAGMA(GCC pop_options)
#endif

/* kv, or tt: which bits of a data word say that the slot is taken. */
static __always_inline uint64_t taken_bits(const enum kind kind)
{
	return kind == KIND_KV ? KV_OCCUPIED : (uint64_t)TT_BOUND << TT_FLAGS_SHIFT;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2_BEGIN SIMD_BEGIN("avx2,bmi,bmi2")
#define AVX512_BEGIN SIMD_BEGIN("avx2,bmi,bmi2,avx512f,avx512dq,avx512vl")

/* clang-format off */
AVX2_BEGIN
/* clang-format on */

/* Signatures and data apart; in the order of slots if whole, else 0, 2, 1, 3. */
struct avx2_line {
	__m256i sig, data;
};

static __always_inline __m256i avx2_pair(const atomic_word *low, const atomic_word *high)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)load16_vector(low)),
				       (__m128i)load16_vector(high), 1);
}

static __always_inline struct avx2_line avx2_load(const enum simd_form form,
						  const atomic_word *line)
{
	__m256i a, b, sig, data;

	if (form == SIMD_WHOLE) {
		a = avx2_pair(line, line + 4);
		b = avx2_pair(line + 2, line + 6);
	} else {
		load_vector32(a, line);
		load_vector32(b, line + 4);
	}
	sig = _mm256_unpacklo_epi64(a, b);
	data = _mm256_unpackhi_epi64(a, b);
	return (struct avx2_line){ form == SIMD_FOLDED ? _mm256_xor_si256(sig, data) : sig,
				   data };
}

/* The signature bits of a key in all lanes. By assembly, for compilers like the detour. */
static __always_inline __m256i avx2_sig(const uint64_t *key, uint64_t mask)
{
	__m256i v;

	__asm__("vpbroadcastq %1, %0" : "=x"(v) : "m"(*key));
	return _mm256_and_si256(v, _mm256_set1_epi64x((long long)mask));
}

/* Lanes whose top bit is set. */
static __always_inline unsigned avx2_mask(__m256i v)
{
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(v));
}

/* From a mask of lanes in the order 0, 2, 1, 3 to one of slots. */
static __always_inline unsigned avx2_slots(unsigned lanes)
{
	return (lanes & 9) | (lanes & 2) << 1 | (lanes & 4) >> 1;
}

static __always_inline struct line_scan avx2_scan(const enum kind kind,
						  const enum simd_form form,
						  const atomic_word *line, uint64_t sig)
{
	/* not whole: see above */
	struct avx2_line l = avx2_load(form == SIMD_FOLDED ? form : SIMD_PLAIN, line);
	__m256i bits = _mm256_set1_epi64x((long long)taken_bits(kind));
	__m256i empty = _mm256_cmpeq_epi64(_mm256_and_si256(l.data, bits),
					   _mm256_setzero_si256());
	__m256i match = _mm256_andnot_si256(empty, _mm256_cmpeq_epi64(l.sig, _mm256_set1_epi64x((long long)sig)));

	return (struct line_scan){ .match = avx2_slots(avx2_mask(match)),
				   .taken = avx2_slots(avx2_mask(empty) ^ 15) };
}

/* By a mask of lanes: what vpermd makes of the lane of the first slot the first of all. */
#define AVX2_LANE(n) (2ull * (n) | (2ull * (n) + 1) << 32)
static const uint64_t avx2_front[2][16] = {
	{ AVX2_LANE(0), AVX2_LANE(0), AVX2_LANE(1), AVX2_LANE(0), AVX2_LANE(2), AVX2_LANE(0),
	  AVX2_LANE(2), AVX2_LANE(0), AVX2_LANE(3), AVX2_LANE(0), AVX2_LANE(1), AVX2_LANE(0),
	  AVX2_LANE(2), AVX2_LANE(0), AVX2_LANE(2), AVX2_LANE(0) },
	/* whole */
	{ AVX2_LANE(0), AVX2_LANE(0), AVX2_LANE(1), AVX2_LANE(0), AVX2_LANE(2), AVX2_LANE(0),
	  AVX2_LANE(1), AVX2_LANE(0), AVX2_LANE(3), AVX2_LANE(0), AVX2_LANE(1), AVX2_LANE(0),
	  AVX2_LANE(2), AVX2_LANE(0), AVX2_LANE(1), AVX2_LANE(0) },
};

static __always_inline bool avx2_pick(const enum simd_form form, const atomic_word *line,
				      const uint64_t *key, uint64_t mask, uint64_t *word,
				      unsigned *slot)
{
	struct avx2_line l = avx2_load(form, line);
	/* the top bit of a data word says that its slot is taken */
	__m256i held = _mm256_and_si256(l.data,
					_mm256_cmpeq_epi64(l.sig, avx2_sig(key, mask)));
	unsigned lanes = avx2_mask(held);
	__m128i front =
		_mm_loadl_epi64((const __m128i *)&avx2_front[form == SIMD_WHOLE][lanes]);
	__m256i first = _mm256_permutevar8x32_epi32(held, _mm256_castsi128_si256(front));

	*word = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(first));
	*slot = (unsigned)__builtin_ctz(
		(form == SIMD_WHOLE ? lanes : avx2_slots(lanes)) | 8);
	return *word >> 63;
}
/* clang-format off */
SIMD_END

AVX512_BEGIN
/* clang-format on */

/* A line in one register. Of the lanes of data words: those that match, those taken. */
struct avx512_line {
	__m512i words;
	__mmask8 match, taken;
};
#define AVX512_DATA 0xaa

static __always_inline struct avx512_line avx512_load(const enum kind kind, const bool folded,
						      const atomic_word *line, __m512i sig)
{
	struct avx512_line l;
	__m512i kept;

	load_vector64(l.words, line);
	kept = _mm512_shuffle_epi32(l.words, _MM_PERM_BADC);
	if (folded)
		kept = _mm512_xor_si512(kept, l.words);
	l.taken = _mm512_mask_test_epi64_mask(AVX512_DATA, l.words,
					      _mm512_set1_epi64((long long)taken_bits(kind)));
	l.match = _mm512_mask_cmpeq_epi64_mask(l.taken, kept, sig);
	return l;
}

static __always_inline __m512i avx512_sig(const uint64_t *key, uint64_t mask)
{
	__m512i v;

	__asm__("vpbroadcastq %1, %0" : "=v"(v) : "m"(*key));
	return _mm512_and_si512(v, _mm512_set1_epi64((long long)mask));
}

static __always_inline struct line_scan avx512_scan(const enum kind kind,
						    const enum simd_form form,
						    const atomic_word *line, uint64_t sig)
{
	struct avx512_line l = avx512_load(kind, form == SIMD_FOLDED, line,
					   _mm512_set1_epi64((long long)sig));

	return (struct line_scan){ .match = _pext_u32(l.match, AVX512_DATA),
				   .taken = _pext_u32(l.taken, AVX512_DATA) };
}

static __always_inline uint64_t avx512_pick_whole(const atomic_word *line, const uint64_t *key,
						  uint64_t mask, unsigned *slot)
{
	struct avx2_line l = avx2_load(SIMD_WHOLE, line);
	__mmask8 taken = _mm256_movepi64_mask(l.data);
	__mmask8 match = _mm256_mask_cmpeq_epi64_mask(taken, l.sig, avx2_sig(key, mask));
	__m256i first = _mm256_maskz_compress_epi64(match, l.data);

	*slot = (unsigned)__builtin_ctz(match | 8u);
	return (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(first));
}

static __always_inline uint64_t avx512_pick_any(const bool folded, const atomic_word *line,
						const uint64_t *key, uint64_t mask,
						unsigned *slot)
{
	struct avx512_line l = avx512_load(KIND_KV, folded, line, avx512_sig(key, mask));
	__m512i first = _mm512_maskz_compress_epi64(l.match, l.words);

	*slot = (unsigned)__builtin_ctz(l.match | 0x80u) / 2;
	return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(first));
}

static __always_inline bool avx512_pick(const enum simd_form form, const atomic_word *line,
					const uint64_t *key, uint64_t mask, uint64_t *word,
					unsigned *slot)
{
	*word = form == SIMD_WHOLE
			? avx512_pick_whole(line, key, mask, slot)
			: avx512_pick_any(form == SIMD_FOLDED, line, key, mask, slot);
	return *word >> 63;
}
/* clang-format off */
SIMD_END
/* clang-format on */

#elif defined(__aarch64__)
#include <arm_neon.h>

/* Signatures and data apart, two slots each. */
struct neon_line {
	uint64x2_t sig[2], data[2];
};

static __always_inline struct neon_line neon_load(const enum simd_form form,
						  const atomic_word *line)
{
	struct neon_line l;
	uint64x2_t slot[4];

	for (unsigned s = 0; s < 4; s++)
		if (form == SIMD_WHOLE)
			slot[s] = (uint64x2_t)load16_vector(line + 2 * s);
		else
			load_vector16(slot[s], line + 2 * s);
	for (unsigned i = 0; i < 2; i++) {
		l.sig[i] = vuzp1q_u64(slot[2 * i], slot[2 * i + 1]);
		l.data[i] = vuzp2q_u64(slot[2 * i], slot[2 * i + 1]);
		if (form == SIMD_FOLDED)
			l.sig[i] = veorq_u64(l.sig[i], l.data[i]);
	}
	return l;
}

/* Sixteen bits a slot, all or none. */
static __always_inline uint16x4_t neon_mask(const uint64x2_t *v)
{
	return vmovn_u32(vcombine_u32(vmovn_u64(v[0]), vmovn_u64(v[1])));
}

static __always_inline unsigned neon_slots(const uint64x2_t *v)
{
	const uint16x4_t bit = { 1, 2, 4, 8 };

	return vaddv_u16(vand_u16(neon_mask(v), bit));
}

static __always_inline struct line_scan neon_scan(const enum kind kind,
						  const enum simd_form form,
						  const atomic_word *line, uint64_t sig)
{
	/* not whole: see above */
	struct neon_line l = neon_load(form == SIMD_FOLDED ? form : SIMD_PLAIN, line);
	uint64x2_t taken[2], match[2];

	for (unsigned i = 0; i < 2; i++) {
		taken[i] = vtstq_u64(l.data[i], vdupq_n_u64(taken_bits(kind)));
		match[i] = vandq_u64(taken[i], vceqq_u64(l.sig[i], vdupq_n_u64(sig)));
	}
	return (struct line_scan){ .match = neon_slots(match), .taken = neon_slots(taken) };
}

static __always_inline bool neon_pick(const enum simd_form form, const atomic_word *line,
				      const uint64_t *key, uint64_t mask, uint64_t *word,
				      unsigned *slot)
{
	struct neon_line l = neon_load(form, line);
	uint64x2_t sig = vandq_u64(vld1q_dup_u64(key), vdupq_n_u64(mask));
	uint64x2_t match[2];
	uint64_t all[4], lanes;

	for (unsigned i = 0; i < 2; i++) {
		uint64x2_t held = vandq_u64(l.data[i], vceqq_u64(l.sig[i], sig));

		vst1q_u64(all + 2 * i, held);
		match[i] = vtstq_u64(held, vdupq_n_u64(KV_OCCUPIED));
	}
	lanes = vget_lane_u64(vreinterpret_u64_u16(neon_mask(match)), 0);
	*slot = (unsigned)__builtin_ctzll(lanes | 1ull << 63) / 16;
	*word = all[*slot];
	return *word >> 63;
}
#endif

#endif
