/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limits - how far a search may go, and what that is in time
 *
 * A chess clock is turned into two times: after the soft one no iteration is begun, for it
 * would most likely not end; at the hard one the search stops where it is.
 */
#ifndef TEARLINE_CHESS_LIMITS_H
#define TEARLINE_CHESS_LIMITS_H

#include <stdint.h>

#include "move.h"

/* 0: no limit of this kind. */
struct limits {
	unsigned depth;
	uint64_t nodes; /* of all threads; exact with one */
	uint64_t movetime_ms;
	uint64_t clock_ms, increment_ms; /* of the side to move */
	uint64_t moves_to_go; /* until the clock is set again */
	/* the only moves to look at, legal ones; nr_moves 0: all */
	unsigned nr_moves;
	uint16_t move[MAX_MOVES];
};

struct timing {
	uint64_t start, soft, hard; /* ns; UINT64_MAX: none */
};

/* From now on. */
void timing_start(struct timing *t, const struct limits *l);
/* The clock of a search that is under way begins to run. */
void timing_limit(struct timing *t, const struct limits *l);

#endif
