// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor-simd - xor, with the whole line checked at once
 *
 * What is stored, and how, is xor's (see xor.h); the results are the same, and so are the
 * promises. A slot is found and verified in the registers into which both its words were
 * loaded: see simd.h, which also says what a probe compiles to. Words of a tt entry are taken
 * and verified once more by plain moves. Kinds of one slot a line are searched as xor does.
 *
 * Promises: PROMISE_NO_TEAR for PROMISE_HONEST_KEYS; not NO_FALSE_MISS.
 */
#include "xor.h"

#define SIMD_TABLE xor_simd
#define SIMD_FORM SIMD_FOLDED
#define LINE_EXCLUSION LINE_FREE
#define LINE_ENTRY xor

#include "simd_variants.h"

static const struct table_loops *const loops[NR_ISAS] = { SIMD_LOOPS(xor_simd) };

static int xor_simd_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = loops[simd_isa(p->option[0])];
	return line_create(t, p, e);
}

static struct table_class xor_simd_class = {
	.name = "xor-simd",
	.summary = "xor, with the whole line checked at once: same entries, same results",
	.reference = "Hyatt and Mann 2002",
	.probe_progress = "wait-free",
	.probe_writes = "nothing",
	.store_progress = "wait-free",
	.promises = PROMISE_NO_TEAR | PROMISE_HONEST_KEYS,
	LINE_CLASS,
	.options = { PROBE_OPTION("auto", "auto"), LINE_OPTIONS },
	.absent = simd_absent,
	.lacks = simd_lacks,
	.create = xor_simd_create,
};
TABLE_REGISTER(xor_simd);
