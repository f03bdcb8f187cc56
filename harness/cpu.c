// SPDX-License-Identifier: BSD-2-Clause
/* What the processor says of itself. Asked when tables register, before main(). */
#include "cpu.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

const char *cpu_lacks_load16(void)
{
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx"))
		return "this CPU has no AVX, so its 16-byte loads need not be atomic";
	/* Others may be as good, and say nothing. */
	if (!__builtin_cpu_is("intel") && !__builtin_cpu_is("amd"))
		return "this CPU is neither Intel's nor AMD's, who document 16-byte loads as "
		       "atomic";
	return NULL;
}

const char *cpu_lacks_cmpxchg16(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_CMPXCHG16B)
		       ? NULL
		       : "this CPU has no cmpxchg16b";
}

bool cpu_has_avx2(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

bool cpu_has_avx512(void)
{
	return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

const char *cpu_lacks_load16(void)
{
	return getauxval(AT_HWCAP) & HWCAP_USCAT
		       ? NULL
		       : "this CPU has no LSE2, so its 16-byte loads need not be atomic";
}

const char *cpu_lacks_cmpxchg16(void)
{
	return getauxval(AT_HWCAP) & HWCAP_ATOMICS ? NULL : "this CPU has no LSE (casp)";
}

#else
const char *cpu_lacks_load16(void)
{
	return "no 16-byte loads are known to be atomic on this architecture";
}

const char *cpu_lacks_cmpxchg16(void)
{
	return "no 16-byte compare-and-swap is known of on this architecture";
}
#endif
