/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge - what a line's history proves about a miss, a hit, a store
 *
 * Pure functions over the operations that the witness (witness.h) saw on one line. Every
 * operation took two stamps from the line's counter, one before its first access and one
 * after its last; A is before B iff A's end < B's start, else they overlap. The judge
 * knows no policy and no scheme: only who wrote which slot, and what a store found there.
 *
 * It may call a miss false only if the key was resident at every instant of the probe.
 * What the rules below rest on is argued in results/ANOMALIES.md, and was attacked by
 * enumeration (tests/test_judge_brute.c).
 */
#ifndef TEARLINE_JUDGE_H
#define TEARLINE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

enum witness_type { WITNESS_PROBE, WITNESS_STORE, WITNESS_CLEAR };

/* A stamp that has not been taken yet: the operation is under way, its outcome unknown. */
#define STAMP_OPEN UINT64_MAX

/*
 * One operation on a line, as its thread recorded it. Slots are bits of a mask. While it is
 * under way, only start, key and type say anything.
 */
struct witness_op {
	uint64_t start, end; /* stamps; distinct over the line */
	uint64_t key; /* not of a clear */
	uint32_t serial; /* store: the stamp that its words carry (stamp.h) */
	uint8_t type; /* enum witness_type */
	/* store: slots that its scan, before its first write, found with its key; probe: those
	 * it refreshed, and perhaps others, that held words authentic for its key */
	uint8_t held;
	int8_t victim; /* store: the slot it wrote; -1: it kept what was there */
	int8_t bump_to; /* store: the slot the victim's words were copied to, or -1 */
	/* probe: slots it wrote a refresh to, also in vain. A narrow signature takes another
	 * key's entry for this one's: such a slot is refreshed, but not held. */
	uint8_t refreshed;
};

/*
 * The operations of a line in any order. Complete from `from` on: whatever ended at or
 * after that stamp is here, or is under way and here with an open end. UINT64_MAX where
 * nothing is known.
 */
struct history {
	const struct witness_op *op;
	unsigned nr;
	uint64_t from;
};

/* A probe that missed, and the look taken after it. Neither is in the history. */
struct missed {
	uint64_t key;
	uint64_t start, end; /* the probe's stamps */
	uint64_t again_start, again_end; /* the re-probe's */
	int again_slot; /* where it found words that are authentic for the key; -1: nowhere */
};

enum verdict {
	MISS_HONEST, /* nothing says that the key was there */
	MISS_POSSIBLE, /* found again, after writes by others, but not proved */
	MISS_FALSE, /* proved: the key was resident at every instant of the probe */
};

enum verdict judge_miss(const struct history *h, const struct missed *m);

/*
 * A hit returned from `slot` an entry of `key` that carries `serial` (of which `serial_mask`
 * tells the bits that are there).
 */
struct returned {
	uint64_t key;
	uint64_t start, end; /* the probe's stamps */
	uint32_t serial, serial_mask;
	int slot;
	bool slotted; /* a key may stand in several slots (tt) */
	bool placed; /* a slot is one place: who writes it overwrites what was there */
};

/*
 * Had a newer store of the key completed before the probe began: `slotted`: into that very
 * slot, and nothing was bumped onto it since?
 */
bool judge_stale(const struct history *h, const struct returned *r);

/*
 * Had the entry been overwritten before the probe began: by a clear, or, `placed`, by a store
 * of another key into that very slot; and nothing was bumped onto it since? Nobody can have
 * brought it back but who wrote again what he had read before.
 */
bool judge_ghost(const struct history *h, const struct returned *r);

/*
 * Must the store that took the stamp `store_start` still be there in a read of all slots,
 * from stamp read_start to read_end? True if nothing that could have removed it ended after
 * it began, and nothing that may write overlaps the read. (If it is not found, it is lost.)
 * The read is not in the history.
 */
bool judge_must_hold(const struct history *h, uint64_t store_start, uint64_t read_start,
		     uint64_t read_end);

/*
 * Must a read of all slots, from stamp read_start to read_end, find the key? It must if since
 * some store of the key began no other key was stored and nothing was cleared: what is left
 * is the key's own, whichever of its stores came last. Returns the store of those that ended
 * last; NULL: it need not. (If it is not found and judge_must_hold() for that store, the store
 * is lost; else its stores have destroyed each other: a dead pair.) The read is not in the
 * history.
 */
const struct witness_op *judge_must_find(const struct history *h, uint64_t key,
					 uint64_t read_start, uint64_t read_end);

/*
 * Did another operation write the line between these two stamps? Exposure, not a proof: a
 * store or a clear under way counts, a probe does not. The one that took `start` is left out.
 */
bool judge_contended(const struct history *h, uint64_t start, uint64_t end);

#endif
