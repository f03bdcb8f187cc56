/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide - shared words that are wider than C11 has; a part of atomic.h
 *
 * Two words as one (struct word16): 16 bytes, aligned, relaxed as the ONCE forms are. By
 * volatile assembly, which the compiler neither splits nor repeats:
 *
 *   x86-64    vmovdqa. Intel (Software Developer's Manual, volume 3A, 9.1.1) and AMD document
 *             aligned 16-byte moves in VEX encoding as atomic on processors that have AVX, of
 *             memory that is cached as usual. The constraint x keeps to the registers that
 *             VEX can name. lock cmpxchg16b, which needs nothing but itself.
 *   aarch64   ldp and stp of two words, from LSE2 on; casp, from LSE on.
 *
 * Whether this machine is such a one, cpu.h says; on others this compiles and promises
 * nothing. The compilers' own builtins will not do: they may call libatomic, which may take a
 * lock. Only the ThreadSanitizer build has them, because it cannot see assembly and brings its
 * own for them.
 *
 * Vectors of words, aligned as a whole (load_vector16, 32 or 64 bytes into a variable of a
 * vector type that the code is compiled for): one instruction. Each word is whole on every
 * machine that has it, the vector as such is promised by nobody, not even that its words were
 * there at the same time. Whoever finds something in one must check it, either by what is in
 * the very same vector or by another load. In the ThreadSanitizer build, word by word.
 */
#ifndef TEARLINE_WIDE_H
#define TEARLINE_WIDE_H

#include "atomic.h"

struct word16 {
	uint64_t w[2];
};
_Static_assert(sizeof(struct word16) == 16, "two words and nothing else");

typedef uint64_t vector16 __attribute__((vector_size(16), may_alias));

#ifdef TSAN_BUILD
typedef unsigned __int128 double_word __attribute__((may_alias));

static inline double_word double_of(struct word16 v)
{
	return (double_word)v.w[1] << 64 | v.w[0];
}

static inline struct word16 load16(const atomic_word *p)
{
	double_word v = __atomic_load_n((const double_word *)p, __ATOMIC_RELAXED);

	return (struct word16){ { (uint64_t)v, (uint64_t)(v >> 64) } };
}

static inline void store16(atomic_word *p, struct word16 v)
{
	__atomic_store_n((double_word *)p, double_of(v), __ATOMIC_RELAXED);
}

/* Replace old by new if it is still there. True if it was. */
static inline bool cmpxchg16_relaxed(atomic_word *p, struct word16 old, struct word16 new)
{
	double_word was = double_of(old);

	return __atomic_compare_exchange_n((double_word *)p, &was, double_of(new), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline vector16 load16_vector(const atomic_word *p)
{
	struct word16 v = load16(p);

	return (vector16){ v.w[0], v.w[1] };
}

#define load_words(v, p)                                                       \
	do {                                                                   \
		for (unsigned i_ = 0; i_ < sizeof(v) / sizeof(uint64_t); i_++) \
			(v)[i_] = READ_ONCE64((p) + i_);                       \
	} while (0)
#define load_vector16(v, p) load_words(v, p)
#define load_vector32(v, p) load_words(v, p)
#define load_vector64(v, p) load_words(v, p)

#elif defined(__x86_64__)
static __always_inline vector16 load16_vector(const atomic_word *p)
{
	vector16 v;

	__asm__ volatile("vmovdqa %1, %0" : "=x"(v) : "m"(*(const vector16 *)p));
	return v;
}

static __always_inline struct word16 load16(const atomic_word *p)
{
	vector16 v = load16_vector(p);

	return (struct word16){ { v[0], v[1] } };
}

static __always_inline void store16(atomic_word *p, struct word16 v)
{
	vector16 both = { v.w[0], v.w[1] };

	__asm__ volatile("vmovdqa %1, %0" : "=m"(*(vector16 *)p) : "x"(both));
}

static __always_inline bool cmpxchg16_relaxed(atomic_word *p, struct word16 old,
					      struct word16 new)
{
	bool was;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(was), "+m"(*(vector16 *)p), "+a"(old.w[0]), "+d"(old.w[1])
			 : "b"(new.w[0]), "c"(new.w[1]));
	return was;
}

#define load_vector32(v, p)               \
	__asm__ volatile("vmovdqa %1, %0" \
			 : "=x"(v)        \
			 : "m"(*(const struct word16(*)[2])(p)))
#define load_vector64(v, p)                 \
	__asm__ volatile("vmovdqa64 %1, %0" \
			 : "=v"(v)          \
			 : "m"(*(const struct word16(*)[4])(p)))

#elif defined(__aarch64__)
static __always_inline struct word16 load16(const atomic_word *p)
{
	struct word16 v;

	__asm__ volatile("ldp %0, %1, %2"
			 : "=r"(v.w[0]), "=r"(v.w[1])
			 : "Q"(*(const vector16 *)p));
	return v;
}

static __always_inline void store16(atomic_word *p, struct word16 v)
{
	__asm__ volatile("stp %1, %2, %0"
			 : "=Q"(*(vector16 *)p)
			 : "r"(v.w[0]), "r"(v.w[1]));
}

/* casp wants pairs of neighbours. */
static __always_inline bool cmpxchg16_relaxed(atomic_word *p, struct word16 old,
					      struct word16 new)
{
	register uint64_t was0 __asm__("x0") = old.w[0];
	register uint64_t was1 __asm__("x1") = old.w[1];
	register uint64_t new0 __asm__("x2") = new.w[0];
	register uint64_t new1 __asm__("x3") = new.w[1];

	__asm__ volatile(".arch_extension lse\n\tcasp %0, %1, %3, %4, %2"
			 : "+r"(was0), "+r"(was1), "+Q"(*(vector16 *)p)
			 : "r"(new0), "r"(new1));
	return was0 == old.w[0] && was1 == old.w[1];
}

/* Two general registers, and from there: no load of a vector register is promised. */
static __always_inline vector16 load16_vector(const atomic_word *p)
{
	struct word16 v = load16(p);

	return (vector16){ v.w[0], v.w[1] };
}

#define load_vector16(v, p) \
	__asm__ volatile("ldr %q0, %1" : "=w"(v) : "Q"(*(const vector16 *)(p)))

#else
static inline struct word16 load16(const atomic_word *p)
{
	return (struct word16){ { READ_ONCE64(p), READ_ONCE64(p + 1) } };
}

static inline void store16(atomic_word *p, struct word16 v)
{
	WRITE_ONCE64(p, v.w[0]);
	WRITE_ONCE64(p + 1, v.w[1]);
}

static inline bool cmpxchg16_relaxed(atomic_word *p, struct word16 old, struct word16 new)
{
	return false;
}
#endif

#endif
