// SPDX-License-Identifier: BSD-2-Clause
#include "zobrist.h"

#include "util.h"

struct zobrist zobrist;

/* Before main(), as everything that asks them may begin there. */
static void __attribute__((constructor)) zobrist_fill(void)
{
	uint64_t state = 0x7465617263686573ull;

	for (unsigned side = 0; side < NR_SIDES; side++)
		for (unsigned p = 0; p < NR_PIECES; p++)
			for (unsigned sq = 0; sq < NR_SQUARES; sq++)
				zobrist.piece[side][p][sq] = rng_next(&state);
	for (unsigned rights = 1; rights <= CASTLE_ALL; rights++)
		zobrist.castling[rights] = rng_next(&state);
	for (unsigned file = 0; file < 8; file++) {
		uint64_t word = rng_next(&state);

		for (unsigned sq = file; sq < NR_SQUARES; sq += 8)
			zobrist.ep[sq] = word;
	}
	zobrist.black = rng_next(&state);
}
