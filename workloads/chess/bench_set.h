/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_set - the fixed set of positions that a build is known by
 *
 * All to the same depth one after another, without forgetting in between: what is left of one
 * search is old in the next, as in a game. The sum of all nodes on one thread is the
 * signature: it is the same wherever the search and the table's policy are the same.
 */
#ifndef TEARLINE_CHESS_BENCH_SET_H
#define TEARLINE_CHESS_BENCH_SET_H

#define BENCH_DEPTH 9
#define NR_BENCH 12
extern const char *const bench_fens[NR_BENCH];

#endif
