/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stamp - entries that prove which key they belong to, and which store wrote them
 *
 * In an audit every word stored carries an authenticator of its key (a keyed mix, with
 * a seed drawn for the run) and a serial of the store, so that a word that no store of
 * the key wrote, or a mix of two stores, shows. Two forms:
 *
 *   narrow  a tt data word (and the first word of an eval or pawn entry): the move
 *           field is 20 bits of authenticator, 12 of serial. The policy needs the rest, depth,
 *           flags and value, which the authenticator covers: all but the generation, which a
 *           refresh changes.
 *   wide    kv values and the further words of a pawn entry: bit 63 set, 27 bits of
 *           authenticator, which covers the rest, 32 of serial, 4 of word number.
 *
 * A foreign word, or one changed anywhere but in its generation, passes a narrow check with
 * chance 2^-20, a wide one with 2^-27. A mix of the words of two stores of one key passes if
 * their serials agree in 32 bits: the first word of several covers the whole serial, too.
 */
#ifndef TEARLINE_STAMP_H
#define TEARLINE_STAMP_H

#include "util.h"

#define STAMP_NARROW_AUTH_BITS 20
#define STAMP_NARROW_SERIAL_BITS 12
#define STAMP_WIDE_AUTH_BITS 27

#define STAMP_NARROW_SERIALS (1u << STAMP_NARROW_SERIAL_BITS)
#define STAMP_WIDE_WORD_BITS 4
#define STAMP_WIDE_SERIAL_SHIFT STAMP_WIDE_WORD_BITS
#define STAMP_WIDE_AUTH_SHIFT (STAMP_WIDE_SERIAL_SHIFT + 32)
#define STAMP_WIDE_TAKEN (1ull << 63)
/* What a narrow check leaves out: the authenticator itself, and a tt word's generation. */
#define STAMP_NARROW_AUTH_FIELD 0xfffff000ull
#define STAMP_GENERATION_BITS (0xfull << 44)

static inline uint64_t stamp_auth(uint64_t seed, uint64_t key)
{
	return mix64(mix64(key ^ seed) + seed);
}

/* The move field for a first word whose other bits, the serial's too, are in place. */
static inline uint32_t stamp_narrow(uint64_t auth, uint64_t word)
{
	uint64_t covered = word & ~(STAMP_NARROW_AUTH_FIELD | STAMP_GENERATION_BITS);

	return (uint32_t)(mix64(auth ^ covered) >> (64 - STAMP_NARROW_AUTH_BITS)
						   << STAMP_NARROW_SERIAL_BITS) |
	       (uint32_t)(word & (STAMP_NARROW_SERIALS - 1));
}

static inline uint64_t stamp_wide(uint64_t auth, uint32_t serial, unsigned word)
{
	uint64_t covered = (uint64_t)serial << STAMP_WIDE_SERIAL_SHIFT | word;

	return STAMP_WIDE_TAKEN |
	       mix64(auth ^ covered) >> (64 - STAMP_WIDE_AUTH_BITS) << STAMP_WIDE_AUTH_SHIFT |
	       covered;
}

/* Replace the move field of a first word by a stamp. */
static inline uint64_t stamp_first(uint64_t word, uint64_t auth, uint32_t serial)
{
	word = (word & ~0xffffffffull) | (serial & (STAMP_NARROW_SERIALS - 1));
	return (word & ~0xffffffffull) | stamp_narrow(auth, word);
}

/* What the first of several words is stamped with: the serial that the others carry whole. */
static inline uint64_t stamp_auth_of_many(uint64_t auth, uint32_t serial)
{
	return auth ^ mix64(~(uint64_t)serial);
}

/* Put a stamp on the words of one entry; `wide` says what the first word is (kv). */
static inline void stamp_entry(uint64_t *word, unsigned nr, bool wide, uint64_t auth,
			       uint32_t serial)
{
	if (wide)
		word[0] = stamp_wide(auth, serial, 0);
	else
		word[0] = stamp_first(word[0], nr > 1 ? stamp_auth_of_many(auth, serial) : auth,
				      serial);
	for (unsigned i = 1; i < nr; i++)
		word[i] = stamp_wide(auth, serial, i);
}

/* Did one store of the key with this authenticator write all these words? */
static inline bool stamp_authentic(const uint64_t *word, unsigned nr, bool wide, uint64_t auth)
{
	/* A wide word says it whole, and of several there is one. */
	uint32_t serial = (uint32_t)(word[nr > 1] >> STAMP_WIDE_SERIAL_SHIFT);
	uint64_t expected[8] = { word[0] };

	if (!wide && nr == 1)
		serial = (uint32_t)word[0];
	stamp_entry(expected, nr, wide, auth, serial);
	for (unsigned i = 0; i < nr; i++)
		if (word[i] != expected[i])
			return false;
	return true;
}

#endif
