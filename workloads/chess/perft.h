/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perft - how many positions there are so many plies ahead
 *
 * The count of the leaves of the tree of legal moves, known for many positions: what proves a
 * move generator, and a table that is asked for counts of subtrees. A wrong answer that a
 * table passes off as right becomes a wrong total; one that it forgets only costs time.
 */
#ifndef TEARLINE_CHESS_PERFT_H
#define TEARLINE_CHESS_PERFT_H

#include "movegen.h"
#include "table.h"
#include "topo.h"

#define PERFT_MAX_DEPTH 30

/*
 * Alone, without a table. The last ply is counted without being made. Of no use after an
 * interrupt, or beyond 64 bits.
 */
uint64_t perft_plain(struct board *b, unsigned depth);

struct perft {
	struct board root;
	unsigned depth; /* 1 to PERFT_MAX_DEPTH */
	struct table *table; /* of kind kv, with single operations; NULL: none */
	const struct topo *topo;
	const struct placement *placement; /* a thread an entry */
	/* what came of it */
	unsigned nr;
	uint16_t move[MAX_MOVES]; /* of the root */
	uint64_t count[MAX_MOVES]; /* behind each */
	uint64_t nodes;
	uint64_t unstored; /* counts that a value of 63 bits cannot hold */
	struct counts n; /* of the table */
	double seconds; /* of counting alone */
};

/*
 * Threads take subtrees from one list, so that who is through with one takes the next; there
 * are many to each thread. 0, or -1: also where the total has more than 64 bits. After an
 * interrupt (interrupt.h) it is of less than was asked for.
 */
int perft_run(struct perft *p, struct err *e);

#endif
