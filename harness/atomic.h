/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * atomic - the only door to words that threads share
 *
 * C11 atomics under the kernel's names. Everything a table keeps in shared memory
 * is a uint64_t (or a narrower one) _Atomic and is read and written here, so that the
 * program has no data race by the standard, ThreadSanitizer agrees, and there is
 * one place to instrument. ONCE forms are relaxed: they promise that the word is
 * whole and nothing about order. Whoever needs order says so by _acquire, _release
 * or a fence, with a label and the partner's label beside it. Words wider than C11 has are
 * in wide.h, which comes with this.
 */
#ifndef TEARLINE_ATOMIC_H
#define TEARLINE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

typedef _Atomic uint64_t atomic_word;

#define READ_ONCE64(p) atomic_load_explicit((p), memory_order_relaxed)
#define WRITE_ONCE64(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define READ_ONCE32(p) atomic_load_explicit((p), memory_order_relaxed)
#define WRITE_ONCE32(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define READ_ONCE16(p) atomic_load_explicit((p), memory_order_relaxed)
#define WRITE_ONCE16(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)

#define smp_load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define smp_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)

/* Replace old by new if it is still there; relaxed. True if it was. */
static inline bool cmpxchg64_relaxed(atomic_word *p, uint64_t old, uint64_t new)
{
	return atomic_compare_exchange_strong_explicit(p, &old, new, memory_order_relaxed,
						       memory_order_relaxed);
}

/* Likewise; release. */
static inline bool cmpxchg64_release(atomic_word *p, uint64_t old, uint64_t new)
{
	return atomic_compare_exchange_strong_explicit(p, &old, new, memory_order_release,
						       memory_order_relaxed);
}

/* Old value. */
#define xchg_release(p, v) atomic_exchange_explicit((p), (v), memory_order_release)
#define xchg_acq_rel(p, v) atomic_exchange_explicit((p), (v), memory_order_acq_rel)

/* Likewise; acquire if it was. */
static inline bool cmpxchg64_acquire(atomic_word *p, uint64_t old, uint64_t new)
{
	return atomic_compare_exchange_strong_explicit(p, &old, new, memory_order_acquire,
						       memory_order_relaxed);
}

/* Old value; acquire. */
#define fetch_or_acquire(p, v) atomic_fetch_or_explicit((p), (v), memory_order_acquire)

static inline bool cmpxchg32_relaxed(_Atomic uint32_t *p, uint32_t old, uint32_t new)
{
	return atomic_compare_exchange_strong_explicit(p, &old, new, memory_order_relaxed,
						       memory_order_relaxed);
}

/* Old value; relaxed. */
#define fetch_add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
/* Old value; in the one order of all sequentially consistent accesses, and a full fence. */
#define fetch_add_seq_cst(p, v) atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#define fetch_sub_relaxed(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_relaxed)

/*
 * ThreadSanitizer does not see fences, and gcc says so at each. What they order here are
 * atomics, between which there is no race to be seen.
 */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* Loads before it are done before stores and loads after it. */
#define smp_acquire_fence() atomic_thread_fence(memory_order_acquire)
#define smp_acq_rel_fence() atomic_thread_fence(memory_order_acq_rel)
/* Loads and stores before it are done before stores after it. */
#define smp_release_fence() atomic_thread_fence(memory_order_release)

/*
 * Concurrency Kit's locks order memory in assembly, which ThreadSanitizer cannot see. Where
 * such a lock is taken and dropped, these tell it so; elsewhere they are nothing.
 */
#ifdef TSAN_BUILD
void __tsan_acquire(void *p);
void __tsan_release(void *p);
#define tsan_acquired(p) __tsan_acquire(p)
#define tsan_releasing(p) __tsan_release(p)
#else
#define tsan_acquired(p) ((void)(p))
#define tsan_releasing(p) ((void)(p))
#endif

/* Tell the core that this is a spin loop. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

#include "wide.h"

#endif
