// SPDX-License-Identifier: BSD-2-Clause
/*
 * cas16 - entries of 16 bytes, replaced only by who has seen what is replaced
 *
 * Entries and probes are atomic16's, slot by slot: a compare-and-swap would do as a load, but
 * it writes. Whatever is stored, refreshed or bumped is swapped in for the very entry that was
 * looked at when that was decided. A store that comes too late looks again; a refresh or bump
 * is dropped. What is decided on part of a line only is still decided on what was seen: the
 * other slots may have changed.
 *
 * What it compiles to on x86-64 (gcc 12): a kv probe, a cmp of each slot's signature, then
 * vmovdqa, vmovq, cmp and the data word; a store, a vmovdqa of every slot and one
 * lock cmpxchg16b, a bump another one.
 *
 * Promises: PROMISE_NO_TEAR. It was never seen to do worse, but more cannot be promised:
 *   - a tt store of a key that stands in slot 2 or 3 may push another entry into that slot
 *     before it writes the key to slot 0 or 1. For that moment the key is nowhere, though
 *     it was stored before and is stored again;
 *   - amid a live clear, two kv stores of one key may see different slots free.
 * Without clears a kv key cannot stand twice. In a line that is full, all stores of a key
 * choose the same slot; in one that is not, the first free one, and slots are never freed: who
 * chose a later one saw an earlier one taken, and who chose an earlier one later saw it
 * free; one of the two swaps fails.
 */
#include "cpu.h"
#include "whole.h"

#define TABLE cas16
#define LINE_EXCLUSION LINE_SWAP
#define LINE_LOOK
#define LINE_LAYOUT

#define cas16_load whole_load
#define cas16_look whole_look
#define cas16_sig whole_sig
#define cas16_replace whole_replace
#define cas16_wipe whole_wipe
#define cas16_at_rest whole_at_rest

static __always_inline bool cas16_swap(atomic_word *line, unsigned s,
				       const struct tt_slot *seen, uint64_t sig, unsigned nr,
				       const uint64_t *word)
{
	return cmpxchg16_relaxed(SLOT(line, s, 1), (struct word16){ { seen->raw, seen->word } },
				 (struct word16){ { sig, word[0] } });
}

/* Over what it looked at, too; if that is gone, something newer than the copy is there. */
static __always_inline void cas16_bump(atomic_word *line, unsigned from, unsigned to)
{
	struct word16 seen = load16(SLOT(line, to, 1));

	cmpxchg16_relaxed(SLOT(line, to, 1), seen, load16(SLOT(line, from, 1)));
}

#include "line_table.h"

static const char *cas16_absent(void)
{
	const char *why = cpu_lacks_load16();

	return why ? why : cpu_lacks_cmpxchg16();
}

static int cas16_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &cas16_loops;
	return line_create(t, p, e);
}

static struct table_class cas16_class = {
	.name = "cas16",
	.summary = "entries of 16 bytes, replaced only by who has seen what is replaced",
	.reference = "cmpxchg16b; Arm casp",
	.probe_progress = "wait-free",
	.probe_writes = "nothing",
	.store_progress = "lock-free",
	.promises = PROMISE_NO_TEAR,
	LINE_CLASS_AS(WHOLE_KINDS, 64, "16 bytes"),
	.options = { LINE_OPTIONS },
	.absent = cas16_absent,
	.create = cas16_create,
};
TABLE_REGISTER(cas16);
