/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * between - a table whose every access can be interrupted
 *
 * Compiled in front of a table's source (gcc -include), it calls the test (test_between.c)
 * before each access to what threads share, where another thread can then do a whole
 * operation: so every place between two accesses is tried, by counting and not by luck. Where
 * the table waits, or holds a lock, the test is told, too. Arguments are evaluated before the
 * call: what they load is another access.
 *
 * The table registers itself with the test, and what it exports has another name: the table
 * proper is in the program as well.
 */
#ifndef TEARLINE_TESTS_BETWEEN_H
#define TEARLINE_TESTS_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct table_class;

void between_register(struct table_class *c);
/* Before an access. */
void between_access(void);
/* What was read of a word, or is about to be written over. */
void between_read(const volatile void *word, uint64_t value);
void between_write(const volatile void *word, uint64_t over);
/* In vain: somebody else must go on first. */
void between_wait(void);
/* A lock was taken (1), or is about to be dropped (-1). */
void between_lock(int by);

#ifdef BETWEEN_TABLE
#include "compiler.h"

/* Nothing is measured: see there. */
#undef __always_inline
#define __always_inline __inline

#include "atomic.h"

#define BETWEEN_LOAD(p, order)                                        \
	({                                                            \
		between_access();                                     \
		__auto_type read_ = atomic_load_explicit((p), order); \
		between_read((p), read_);                             \
		read_;                                                \
	})
#define BETWEEN_STORE(p, v, order)                                                   \
	({                                                                           \
		__auto_type new_ = (v);                                              \
		between_access();                                                    \
		between_write((p), atomic_load_explicit((p), memory_order_relaxed)); \
		atomic_store_explicit((p), new_, order);                             \
	})

static inline uint64_t between_xchg(atomic_word *p, uint64_t new, memory_order order)
{
	between_access();
	between_write(p, READ_ONCE64(p));
	return atomic_exchange_explicit(p, new, order);
}

static inline uint64_t between_fetch_or(atomic_word *p, uint64_t bits)
{
	between_access();
	return fetch_or_acquire(p, bits);
}

static inline uint64_t between_fetch_add(atomic_word *p, uint64_t by)
{
	between_access();
	return fetch_add_relaxed(p, by);
}

#define BETWEEN_CMPXCHG(name, word, type)                              \
	static inline bool between_##name(word *p, type old, type new) \
	{                                                              \
		between_access();                                      \
		return name(p, old, new);                              \
	}
BETWEEN_CMPXCHG(cmpxchg64_relaxed, atomic_word, uint64_t)
BETWEEN_CMPXCHG(cmpxchg64_release, atomic_word, uint64_t)
BETWEEN_CMPXCHG(cmpxchg64_acquire, atomic_word, uint64_t)
BETWEEN_CMPXCHG(cmpxchg32_relaxed, _Atomic uint32_t, uint32_t)
BETWEEN_CMPXCHG(cmpxchg16_relaxed, atomic_word, struct word16)

static inline struct word16 between_load16(const atomic_word *p)
{
	struct word16 v;

	between_access();
	v = load16(p);
	between_read(p, v.w[0]);
	between_read(p + 1, v.w[1]);
	return v;
}

static inline void between_store16(atomic_word *p, struct word16 v)
{
	between_access();
	between_write(p, READ_ONCE64(p));
	between_write(p + 1, READ_ONCE64(p + 1));
	store16(p, v);
}

static inline void between_acquired(void *lock)
{
	tsan_acquired(lock);
	between_lock(1);
}

static inline void between_releasing(void *lock)
{
	between_lock(-1);
	tsan_releasing(lock);
}

#undef READ_ONCE64
#undef READ_ONCE32
#undef READ_ONCE16
#undef WRITE_ONCE64
#undef WRITE_ONCE32
#undef WRITE_ONCE16
#undef smp_load_acquire
#undef smp_store_release
#undef xchg_release
#undef xchg_acq_rel
#undef fetch_or_acquire
#undef fetch_add_relaxed
#undef tsan_acquired
#undef tsan_releasing
#define READ_ONCE64(p) BETWEEN_LOAD(p, memory_order_relaxed)
#define READ_ONCE32(p) BETWEEN_LOAD(p, memory_order_relaxed)
#define READ_ONCE16(p) BETWEEN_LOAD(p, memory_order_relaxed)
#define WRITE_ONCE64(p, v) BETWEEN_STORE(p, v, memory_order_relaxed)
#define WRITE_ONCE32(p, v) BETWEEN_STORE(p, v, memory_order_relaxed)
#define WRITE_ONCE16(p, v) BETWEEN_STORE(p, v, memory_order_relaxed)
#define smp_load_acquire(p) BETWEEN_LOAD(p, memory_order_acquire)
#define smp_store_release(p, v) BETWEEN_STORE(p, v, memory_order_release)
#define xchg_release(p, v) between_xchg(p, v, memory_order_release)
#define xchg_acq_rel(p, v) between_xchg(p, v, memory_order_acq_rel)
#define fetch_or_acquire(p, v) between_fetch_or(p, v)
#define fetch_add_relaxed(p, v) between_fetch_add(p, v)
#define cmpxchg64_relaxed between_cmpxchg64_relaxed
#define cmpxchg64_release between_cmpxchg64_release
#define cmpxchg64_acquire between_cmpxchg64_acquire
#define cmpxchg32_relaxed between_cmpxchg32_relaxed
#define cmpxchg16_relaxed between_cmpxchg16_relaxed
#define load16 between_load16
#define store16 between_store16
#define cpu_relax between_wait
#define tsan_acquired(lock) between_acquired(lock)
#define tsan_releasing(lock) between_releasing(lock)

#include "table.h"

#undef TABLE_REGISTER
#define TABLE_REGISTER(id)                                          \
	static void __attribute__((constructor)) id##_between(void) \
	{                                                           \
		between_register(&id##_class);                      \
	}                                                           \
	_Static_assert(sizeof(#id) > 1, "")

#define seqlock_create_beside between_seqlock_create_beside
#define spinlock_create between_spinlock_create
#define urcu_create_as between_urcu_create_as
#define urcu_destroy between_urcu_destroy
#define urcu_clear between_urcu_clear
#define urcu_clear_ops between_urcu_clear_ops
#define urcu_thread_enter between_urcu_thread_enter
#define urcu_thread_leave between_urcu_thread_leave
#endif

#endif
