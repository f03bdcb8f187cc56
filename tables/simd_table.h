/* SPDX-License-Identifier: BSD-2-Clause */
/* simd_table - one of simd_variants.h: TABLE, with ISA's search */
#define LINE_SCAN

static __always_inline struct line_scan T(scan)(const enum kind kind, const atomic_word *line,
						uint64_t sig)
{
	return T_(ISA, scan)(kind, SIMD_FORM, line, sig);
}

static __always_inline bool T(pick)(const atomic_word *line, const uint64_t *key, uint64_t mask,
				    uint64_t *word, unsigned *slot)
{
	return T_(ISA, pick)(SIMD_FORM, line, key, mask, word, slot);
}

#include "line_table.h"

#undef LINE_SCAN
#undef TABLE
#undef ISA
