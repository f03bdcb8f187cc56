/* SPDX-License-Identifier: BSD-2-Clause */
/* info - what a search says of itself, as text */
#ifndef TEARLINE_CHESS_INFO_H
#define TEARLINE_CHESS_INFO_H

#include "search.h"

#define LINE_TEXT (MAX_PLY * MOVE_TEXT)
/* "e2e4 e7e5", moves with a space between. Returns text. */
char *line_text(const struct line *l, char text[LINE_TEXT]);

/* Of a mate, given, suffered or on the board already. */
static inline bool is_mate(int score)
{
	return score >= SCORE_MATE || score <= -SCORE_MATE;
}

/*
 * Moves to mate: 3, or -3 where the side to move gets mated; 0: it is mated already, or the
 * score is none of a mate.
 */
int mate_in(int score);

/* Per second, of what happened in so many ns. */
uint64_t per_second(uint64_t count, uint64_t ns);
/* Percent; 0 of nothing. */
double percent(uint64_t part, uint64_t of);
/* Probes that a bound ended the search by. */
uint64_t usable_hits(const struct counts *n);

#endif
