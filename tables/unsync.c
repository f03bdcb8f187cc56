// SPDX-License-Identifier: BSD-2-Clause
/*
 * unsync - no protection at all: the ceiling, and the detectors' control
 *
 * Key and data are two independent words. A reader may meet the key of one entry and
 * the data of another and is told nothing about it; two writers may leave such a pair
 * for good. Relaxed atomics, so that this is torn data and not undefined behaviour.
 *
 * What a kv probe compiles to on x86-64 (gcc 12), beside finding the line: for each slot two
 * mov to registers, cmp of the signature and a branch; with probe=avx2, avx512 or neon, what
 * simd.h says. Those are the ceiling of the tables that search a line the same way.
 *
 * Promises: nothing. Reference: what Stockfish and Ethereal live with, at full width.
 */
#define TABLE unsync
#define LINE_EXCLUSION LINE_FREE
#define LINE_PLAIN

#include "line_table.h"
#undef TABLE

#define SIMD_TABLE unsync
#define SIMD_FORM SIMD_PLAIN

#include "simd_variants.h"

static const struct table_loops *const loops[NR_ISAS] = { [ISA_SCALAR] = &unsync_loops,
							  SIMD_LOOPS(unsync) };

static int unsync_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = loops[simd_isa(p->option[0])];
	return line_create(t, p, e);
}

static const struct control unsync_control = {
	.workload = "hot-evict:lines=1",
	.threads = 2,
	.shows = 1u << FAULT_TORN,
	.planted = "key and data unprotected",
};

static struct table_class unsync_class = {
	.name = "unsync",
	.summary =
		"no protection, relaxed words: the ceiling, and what the detectors must catch",
	.reference = "Stockfish, Ethereal (at full key width)",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS,
	.options = { PROBE_OPTION("scalar|auto", "scalar"), LINE_OPTIONS },
	.control = &unsync_control,
	.lacks = simd_lacks,
	.create = unsync_create,
};
TABLE_REGISTER(unsync);
