// SPDX-License-Identifier: BSD-2-Clause
/* Which instruction set a line is searched with. */
#include "simd.h"

#include "cpu.h"

/* In the order of preference of `auto`, from the least. */
static const struct {
	const char *name, *lacks;
	bool (*have)(void);
} isas[] = {
	[ISA_SCALAR] = { .name = "scalar" },
#if defined(__x86_64__)
	[ISA_AVX2] = { "avx2", "probe=avx2: this CPU has no AVX2 with BMI2", cpu_has_avx2 },
	[ISA_AVX512] = { "avx512", "probe=avx512: this CPU has no AVX-512 (F, DQ, VL)",
			 cpu_has_avx512 },
#elif defined(__aarch64__)
	[ISA_NEON] = { .name = "neon" },
#endif
};
_Static_assert(ARRAY_SIZE(isas) == NR_ISAS, "all of them");

static bool have(enum isa isa)
{
	return !isas[isa].have || isas[isa].have();
}

static enum isa best(void)
{
	enum isa isa = NR_ISAS - 1;

	while (!have(isa))
		isa--;
	return isa;
}

enum isa simd_isa(const char *probe)
{
	for (enum isa isa = ISA_SCALAR; isa < NR_ISAS; isa++)
		if (!strcmp(isas[isa].name, probe))
			return isa;
	return best();
}

const char *simd_lacks(const char *const *option)
{
	enum isa isa = simd_isa(option[0]);

	return have(isa) ? NULL : isas[isa].lacks;
}

const char *simd_absent(void)
{
	return best() == ISA_SCALAR ? "no vectors here that it has code for" : NULL;
}
