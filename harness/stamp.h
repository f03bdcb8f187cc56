/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stamp - entries that prove which key they belong to, and which store wrote them
 *
 * In an audit every word stored carries an authenticator of its key (a keyed mix, with
 * a seed drawn for the run) and a serial of the store, so that a word that no store of
 * the key wrote, or a mix of two stores, shows. Two forms:
 *
 *   narrow  a tt data word (and the first word of an eval or pawn entry): the move
 *           field is 20 bits of authenticator, 12 of serial; the policy needs the rest.
 *   wide    kv values and the further words of a pawn entry: bit 63 set, 27 bits of
 *           authenticator, 32 of serial, 4 of word number.
 *
 * A foreign word passes a narrow check with chance 2^-20, a wide one with 2^-27; a mix
 * of two stores of one key passes if their serials agree in 12 (32) bits.
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

static inline uint64_t stamp_auth(uint64_t seed, uint64_t key)
{
	return mix64(mix64(key ^ seed) + seed);
}

static inline uint32_t stamp_narrow(uint64_t auth, uint32_t serial)
{
	return (uint32_t)(auth >> (64 - STAMP_NARROW_AUTH_BITS) << STAMP_NARROW_SERIAL_BITS) |
	       (serial & (STAMP_NARROW_SERIALS - 1));
}

static inline uint64_t stamp_wide(uint64_t auth, uint32_t serial, unsigned word)
{
	return STAMP_WIDE_TAKEN |
	       (auth >> (64 - STAMP_WIDE_AUTH_BITS)) << STAMP_WIDE_AUTH_SHIFT |
	       (uint64_t)serial << STAMP_WIDE_SERIAL_SHIFT | word;
}

/* Replace the move field of a first word by a stamp. */
static inline uint64_t stamp_first(uint64_t word, uint64_t auth, uint32_t serial)
{
	return (word & ~0xffffffffull) | stamp_narrow(auth, serial);
}

/* Put a stamp on the words of one entry; `wide` says what the first word is (kv). */
static inline void stamp_entry(uint64_t *word, unsigned nr, bool wide, uint64_t auth,
			       uint32_t serial)
{
	word[0] = wide ? stamp_wide(auth, serial, 0) : stamp_first(word[0], auth, serial);
	for (unsigned i = 1; i < nr; i++)
		word[i] = stamp_wide(auth, serial, i);
}

/* Did one store of the key with this authenticator write all these words? */
static inline bool stamp_authentic(const uint64_t *word, unsigned nr, bool wide, uint64_t auth)
{
	uint32_t serial;

	if (wide) {
		serial = (uint32_t)(word[0] >> STAMP_WIDE_SERIAL_SHIFT);
		if (word[0] != stamp_wide(auth, serial, 0))
			return false;
	} else {
		serial = (uint32_t)word[0] & (STAMP_NARROW_SERIALS - 1);
		if ((uint32_t)word[0] != stamp_narrow(auth, serial))
			return false;
		if (nr > 1 &&
		    (uint32_t)(word[1] >> STAMP_WIDE_SERIAL_SHIFT) % STAMP_NARROW_SERIALS ==
			    serial)
			serial = (uint32_t)(word[1] >> STAMP_WIDE_SERIAL_SHIFT);
	}
	for (unsigned i = 1; i < nr; i++)
		if (word[i] != stamp_wide(auth, serial, i))
			return false;
	return true;
}

#endif
