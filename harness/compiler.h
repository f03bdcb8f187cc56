/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compiler - what is inlined, and in which builds
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

#endif
