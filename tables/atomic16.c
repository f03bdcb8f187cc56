// SPDX-License-Identifier: BSD-2-Clause
/*
 * atomic16 - entries of 16 bytes, moved as one by the hardware
 *
 * Key and data of an entry are loaded and stored by one instruction each (whole.h, wide.h),
 * so there is nothing to verify but the key: no lock, no fence, no retry, no folding. Bumps and
 * wipes move whole entries, too. An entry of 64 bytes cannot be had this way: no pawn.
 *
 * What a kv probe compiles to on x86-64 (gcc 12), beside finding the line: probe=scalar, a
 * cmp of each slot's signature with the key's; where they are equal, vmovdqa, vmovq, a second
 * cmp and vpextrq (movhlps and movq). probe=avx2 and avx512: four vmovdqa, after which all
 * is done in registers and without a branch: see simd.h. A store is the same search over all
 * slots and one vmovdqa; refresh=cas is a lock cmpxchg16b.
 *
 * Promises: PROMISE_NO_TEAR. Not NO_FALSE_MISS, though within a slot nothing is ever lost:
 *   - two stores may look, choose the same slot and write one after the other; and of two
 *     stores of one key into a line that is not full, one may see a slot free that the
 *     other saw taken, and the key stands twice;
 *   - a refresh (but refresh=cas) writes back what it read, over whatever came since;
 *   - a tt store of a key that stands in slot 2 or 3 may push another entry into that slot
 *     before it writes the key to slot 0 or 1: for that moment it is nowhere;
 *   - nothing orders the loads of two slots, so an entry that is bumped may be missed in
 *     both places.
 *
 * How near this comes to unsync in the same form of probe: slot by slot 0.91, all at once 0.86
 * in cache and 0.93 out of it; to touch, 0.56 in cache (measured on a Zen 4, whose vectors of
 * 64 bytes take two turns; see results/TABLES.md). Only 16-byte loads are promised to be
 * atomic, so a line takes four, and two instructions to put them together: about one cycle of
 * five. To find the slot by one wide load and to take it by a second one, which waits for the
 * first, costs two cycles more.
 */
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
