/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compiler - what is inlined, and in which builds; what an object says of its own build
 *
 * The measured loops are stamped out with everything inlined: no call, and constants where
 * the source has parameters. A build with sanitizers measures nothing, and takes 40 s for a
 * file of four variants that way, 2.5 s if the compiler may make functions of functions.
 */
#ifndef TEARLINE_COMPILER_H
#define TEARLINE_COMPILER_H

#include <sys/cdefs.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN_BUILD
#endif
#if __has_feature(address_sanitizer)
#define ASAN_BUILD
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define TSAN_BUILD
#endif
#ifdef __SANITIZE_ADDRESS__
#define ASAN_BUILD
#endif

#if defined(TSAN_BUILD) || defined(ASAN_BUILD)
#undef __always_inline
#define __always_inline __inline
#endif

/*
 * What built the object in which this stands, as far as the compiler tells: "gcc 12.2.0 -O0".
 * Its -O1 to -O3 look the same.
 */
#define BUILT_TEXT_(x) #x
#define BUILT_TEXT(x) BUILT_TEXT_(x)
#ifdef __clang__
#define BUILT_COMPILER                          \
	"clang " BUILT_TEXT(__clang_major__) "." \
	BUILT_TEXT(__clang_minor__) "." BUILT_TEXT(__clang_patchlevel__)
#else
#define BUILT_COMPILER "gcc " __VERSION__
#endif
#ifndef __OPTIMIZE__
#define BUILT_LEVEL " -O0"
#elif defined(__OPTIMIZE_SIZE__)
#define BUILT_LEVEL " -Os"
#else
#define BUILT_LEVEL " optimised"
#endif
#if defined(__AVX512F__)
#define BUILT_FOR " avx512f"
#elif defined(__AVX2__)
#define BUILT_FOR " avx2"
#else
#define BUILT_FOR ""
#endif
#if defined(TSAN_BUILD) || defined(ASAN_BUILD)
#define BUILT_CHECKS " sanitized"
#else
#define BUILT_CHECKS ""
#endif
#define BUILT_BY BUILT_COMPILER BUILT_LEVEL BUILT_FOR BUILT_CHECKS

#endif
