// SPDX-License-Identifier: BSD-2-Clause
/* atomic16 */
#include "cpu.h"
#include "whole.h"

#define LINE_EXCLUSION LINE_FREE
#define LINE_ENTRY whole
#define LINE_LOOK
#define LINE_LAYOUT

#define TABLE atomic16
#include "line_table.h"
#undef TABLE

#define SIMD_TABLE atomic16
#define SIMD_FORM SIMD_WHOLE

#include "simd_variants.h"

static const struct table_loops *const loops[NR_ISAS] = { [ISA_SCALAR] = &atomic16_loops,
							  SIMD_LOOPS(atomic16) };

static const char *atomic16_absent(void)
{
	const char *why = cpu_lacks_load16();

	return why ? why : cpu_lacks_cmpxchg16(); /* for refresh=cas */
}

static int atomic16_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = loops[simd_isa(p->option[0])];
	return line_create(t, p, e);
}

static struct table_class atomic16_class = {
	.name = "atomic16",
	.summary = "entries of 16 bytes, moved as one by the hardware",
	.reference = "Intel SDM 3A, 9.1.1; AMD; Arm LSE2",
	.probe_progress = "wait-free",
	.probe_writes = "nothing",
	.store_progress = "wait-free",
	.promises = PROMISE_NO_TEAR,
	LINE_CLASS_AS(WHOLE_KINDS, 64, "16 bytes"),
	.options = { PROBE_OPTION("auto|scalar", "auto"), LINE_OPTIONS },
	.absent = atomic16_absent,
	.lacks = simd_lacks,
	.create = atomic16_create,
};
TABLE_REGISTER(atomic16);
