/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * policy - what a transposition table keeps, and what it answers
 *
 * Pure functions on words: packing an entry, whether it is stale, where a store
 * goes and what it pushes aside, what a scan of matching entries amounts to. There
 * is no memory here and no memory order; a scheme (tables/<name>.c) decides how the
 * words get in and out of a line safely, and never what is kept. With one thread all
 * schemes of one layout therefore give the same results, operation for operation.
 *
 * The data word, from the least significant bit:
 *   move 0-31 | depth 32-39 | flags 40-47 | value 48-63 (signed)
 * flags: the low nibble holds exactly one bound on a live entry, and threat; the high
 * nibble is the generation. A slot is empty iff its bound bits are 0: neither key nor
 * move decides that, so key 0 is a key like any other.
 *
 * The line follows Gasch's Typhoon: slot 0 depth-preferred, slot 1 always replaced,
 * slots 2 and 3 catch what the first two push out.
 */
#ifndef TEARLINE_POLICY_H
#define TEARLINE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define TT_DEPTH_SHIFT 32
#define TT_FLAGS_SHIFT 40
#define TT_GENERATION_SHIFT 44
#define TT_VALUE_SHIFT 48

#define TT_EXACT 0x1u
#define TT_LOWER 0x2u
#define TT_UPPER 0x4u
#define TT_BOUND 0x7u
#define TT_THREAT 0x8u
#define TT_GENERATIONS 16u

#define TT_MOVE_BITS 0xffffffffull
#define TT_GENERATION_BITS (0xfull << TT_GENERATION_SHIFT)

#define TT_INFINITY 32767
#define TT_MATE_DEFAULT (TT_INFINITY - 200)

/* kv: the top bit of the data word says that the slot is taken. */
#define KV_OCCUPIED (1ull << 63)

static inline uint64_t tt_pack(uint32_t move, uint8_t depth, unsigned flags, int16_t value)
{
	return move | (uint64_t)depth << TT_DEPTH_SHIFT |
	       (uint64_t)(flags & 0xff) << TT_FLAGS_SHIFT |
	       (uint64_t)(uint16_t)value << TT_VALUE_SHIFT;
}

static inline uint32_t tt_move(uint64_t word)
{
	return (uint32_t)word;
}

static inline unsigned tt_depth(uint64_t word)
{
	return (unsigned)(word >> TT_DEPTH_SHIFT) & 0xff;
}

static inline unsigned tt_bound(uint64_t word)
{
	return (unsigned)(word >> TT_FLAGS_SHIFT) & TT_BOUND;
}

static inline bool tt_threat(uint64_t word)
{
	return (word >> TT_FLAGS_SHIFT) & TT_THREAT;
}

static inline unsigned tt_generation(uint64_t word)
{
	return (unsigned)(word >> TT_GENERATION_SHIFT) & (TT_GENERATIONS - 1);
}

static inline int tt_value(uint64_t word)
{
	return (int16_t)(word >> TT_VALUE_SHIFT);
}

static inline bool tt_empty(uint64_t word)
{
	return !tt_bound(word);
}

/* The generation counts on without end; entries hold it modulo 16. */
static inline bool tt_stale(uint64_t word, uint64_t generation)
{
	return tt_generation(word) != (generation & (TT_GENERATIONS - 1));
}

static inline uint64_t tt_refreshed(uint64_t word, uint64_t generation)
{
	return (word & ~TT_GENERATION_BITS) | (generation & (TT_GENERATIONS - 1))
						      << TT_GENERATION_SHIFT;
}

static inline bool tt_is_mate(int value, int mate)
{
	return value >= mate || value <= -mate;
}

/* Unknown to the trace, or not asked for: mate scores are clamped. */
#define TT_PLY_UNKNOWN 255

/* What a caller asks to have stored. bound: TT_EXACT, TT_LOWER or TT_UPPER. */
struct tt_store {
	uint32_t move;
	int16_t value;
	uint8_t depth;
	uint8_t bound;
	uint8_t ply; /* from the root, or TT_PLY_UNKNOWN */
	bool threat;
};

/* What a store must know of a slot: its data word as it is, and whether the slot
 * verifies for the key and is not empty. */
struct tt_slot {
	uint64_t word;
	bool holds;
	uint64_t raw; /* the scheme's own: what else a swap compares */
};

/* Bounds that say nothing are dropped before any memory is touched. */
static inline bool tt_drops(const struct tt_store *in, int mate)
{
	return (in->bound == TT_UPPER && in->value >= mate) ||
	       (in->bound == TT_LOWER && in->value <= -mate);
}

/*
 * "Mate in N" depends on where in the tree the position was met. mate=clamp does not keep
 * N: scores beyond the threshold become bounds at it. Changes value and bound; what was
 * passed must be kept by whoever compares with it later.
 */
static inline void tt_clamp(int16_t *value, unsigned *bound, int mate)
{
	if (*bound == TT_EXACT)
		*bound = *value > 0 ? TT_LOWER : TT_UPPER;
	*value = (int16_t)(*value > 0 ? mate : -mate);
}

/*
 * mate=ply keeps the distance from the node: `by` plies further from 0 than the distance
 * from the root when stored, as many nearer when looked up. Saturates at infinity.
 */
static inline int16_t tt_shift_mate(int16_t value, int by)
{
	int shifted = value > 0 ? value + by : value - by;

	if (shifted > TT_INFINITY)
		shifted = TT_INFINITY;
	if (shifted < -TT_INFINITY)
		shifted = -TT_INFINITY;
	return (int16_t)shifted;
}

/* Where a store goes, and which slot it first copies where (bump_to < 0: none). */
struct tt_plan {
	int victim;
	int bump_to;
};

/*
 * Victim and bump for a store, from the first two slots of the line. `in` is what the
 * caller passed, before clamping. A line has 4 slots, or 3: then there is no slot 3,
 * copies to it are dropped and what would go there goes to slot 1.
 */
static inline struct tt_plan tt_plan_store(struct tt_slot s0, struct tt_slot s1,
					   const struct tt_store *in, uint64_t generation,
					   int mate, unsigned slots)
{
	struct tt_plan p = { .victim = 0, .bump_to = -1 };

	if (tt_depth(s0.word) <= in->depth || tt_stale(s0.word, generation)) {
		if (!(s0.holds && tt_bound(s0.word) == in->bound))
			p.bump_to = 2;
		return p;
	}
	p.victim = 1;
	if (tt_is_mate(tt_value(s1.word), mate) && !tt_stale(s1.word, generation) &&
	    !tt_is_mate(in->value, mate)) {
		if (slots > 3)
			p.victim = 3;
		return p;
	}
	if (slots > 3 && !(s1.holds && tt_bound(s1.word) == in->bound))
		p.bump_to = 3;
	return p;
}

/*
 * The word to write into the victim. An exact score brings its move; an upper bound
 * has none and keeps the one its key had in this very slot; a lower bound keeps it
 * only if it brings none itself (a null-move cutoff).
 */
static inline uint64_t tt_merge(struct tt_slot victim, const struct tt_store *in,
				uint64_t generation, int mate)
{
	uint32_t move = in->bound == TT_UPPER ? 0 : in->move;
	unsigned bound = in->bound;
	int16_t value = in->value;

	if (in->bound != TT_EXACT && !move && victim.holds)
		move = tt_move(victim.word);
	if (tt_is_mate(value, mate)) {
		if (in->ply == TT_PLY_UNKNOWN)
			tt_clamp(&value, &bound, mate);
		else
			value = tt_shift_mate(value, in->ply);
	}
	return tt_refreshed(
		tt_pack(move, in->depth, bound | (in->threat ? TT_THREAT : 0), value),
		generation);
}

/* A search that does not say its null-move depth is never told to avoid it. */
#define TT_NEXT_UNKNOWN 255

/* What a search asks of the table. */
struct tt_query {
	int alpha, beta;
	int mate; /* the threshold */
	uint8_t depth;
	uint8_t next_depth;
	uint8_t ply; /* or TT_PLY_UNKNOWN */
};

/* What it gets: a local copy, nothing in it points into the table. */
struct tt_answer {
	uint32_t move;
	int value; /* with a usable bound only */
	unsigned bound; /* 0: not usable */
	bool threat;
	bool avoid_null;
	unsigned depth; /* of the deepest match, usable or not */
	unsigned move_score; /* of the move kept; 0: none yet */
};

/*
 * An entry as the node sees that asks: mate scores by its own distance from the root. An
 * entry of a table with mate=clamp stays as it is.
 */
static inline uint64_t tt_seen(uint64_t word, const struct tt_query *q)
{
	int16_t value = (int16_t)(word >> TT_VALUE_SHIFT);
	unsigned bound = tt_bound(word);

	if (!tt_is_mate(value, q->mate))
		return word;
	if (q->ply == TT_PLY_UNKNOWN)
		tt_clamp(&value, &bound, q->mate);
	else
		value = tt_shift_mate(value, -(int)q->ply);
	word &= ~((uint64_t)TT_BOUND << TT_FLAGS_SHIFT | 0xffffull << TT_VALUE_SHIFT);
	return word | (uint64_t)bound << TT_FLAGS_SHIFT |
	       (uint64_t)(uint16_t)value << TT_VALUE_SHIFT;
}

/* May this entry end the search of the node? */
static inline bool tt_usable(uint64_t word, const struct tt_query *q)
{
	unsigned bound = tt_bound(word);
	int value = tt_value(word);

	return tt_depth(word) >= q->depth &&
	       (bound == TT_EXACT || (bound == TT_LOWER && value >= q->beta) ||
		(bound == TT_UPPER && value <= q->alpha));
}

/*
 * Take one matching entry, in slot order, into the answer. True if it is usable: the
 * scan ends. The move kept is the one of the deepest match (8 per unit of depth, plus
 * the value of what it captures, which a trace does not know); the first of equals.
 */
static inline bool tt_lookup(struct tt_answer *a, uint64_t word, const struct tt_query *q)
{
	unsigned score = 8 * tt_depth(word) + 1;

	word = tt_seen(word, q);
	a->threat |= tt_threat(word);
	a->avoid_null |= q->next_depth != TT_NEXT_UNKNOWN && tt_depth(word) >= q->next_depth &&
			 tt_bound(word) != TT_LOWER && tt_value(word) < q->beta;
	if (tt_depth(word) > a->depth)
		a->depth = tt_depth(word);
	if (tt_move(word) && score > a->move_score) {
		a->move = tt_move(word);
		a->move_score = score;
	}
	if (!tt_usable(word, q))
		return false;
	a->value = tt_value(word);
	a->bound = tt_bound(word);
	return true;
}

/* ponder_move: the first exact entry's move, else the last match's. True: scan ends. */
static inline bool tt_ponder(uint32_t *move, uint64_t word)
{
	*move = tt_move(word);
	return tt_bound(word) == TT_EXACT;
}

/*
 * kv: which slot a new key evicts from a full line. A key's line is the whole part of
 * key * lines / 2^64; the first bits behind the point, which neither the line nor a narrow
 * signature uses, pick the slot. With a power of two of lines they are the key bits below
 * the index bits.
 */
static inline unsigned kv_victim(uint64_t rest, unsigned slots)
{
	/* 16 bits: of three slots none is picked more often than the others. */
	return (unsigned)((rest >> 48) * slots >> 16);
}

#endif
