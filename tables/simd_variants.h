/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simd_variants - a line table stamped out for every instruction set there is code for
 *
 * Define SIMD_TABLE to a prefix, SIMD_FORM to how its entries stand (simd.h), LINE_EXCLUSION
 * and LINE_ENTRY (or LINE_PLAIN) as line_table.h has them. It leaves the loops of each, for an
 * array by enum isa, in SIMD_LOOPS(prefix).
 *
 * A whole set of loops is compiled for its instruction set, not only the search: what is
 * inlined into a loop must have no more than the loop has.
 */
#include "simd.h"
#include "template.h"

#if defined(__x86_64__)
#define SIMD_LOOPS(prefix) [ISA_AVX2] = &prefix##_avx2_loops, [ISA_AVX512] = &prefix##_avx512_loops
/* clang-format off */
AVX2_BEGIN
#define TABLE T_(SIMD_TABLE, avx2)
#define ISA avx2
#include "simd_table.h"
SIMD_END
AVX512_BEGIN
#define TABLE T_(SIMD_TABLE, avx512)
#define ISA avx512
#include "simd_table.h"
SIMD_END
/* clang-format on */
#elif defined(__aarch64__)
#define SIMD_LOOPS(prefix) [ISA_NEON] = &prefix##_neon_loops
#define TABLE T_(SIMD_TABLE, neon)
#define ISA neon
#include "simd_table.h"
#endif
