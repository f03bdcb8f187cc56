// SPDX-License-Identifier: BSD-2-Clause
#include "perft.h"

uint64_t perft_plain(struct board *b, unsigned depth)
{
	uint16_t list[MAX_MOVES];
	uint64_t sum = 0;
	struct undo u;
	unsigned nr;

	if (depth <= 1)
		return depth ? movegen_count(b) : 1;
	nr = movegen_all(b, list);
	for (unsigned i = 0; i < nr; i++) {
		board_make(b, list[i], &u);
		sum += perft_plain(b, depth - 1);
		board_unmake(b, list[i], &u);
	}
	return sum;
}
