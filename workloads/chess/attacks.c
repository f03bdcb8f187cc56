// SPDX-License-Identifier: BSD-2-Clause
/* The tables of attacks.h, filled before main() begins: everything here asks them. */
#include "attacks.h"

struct attack_lines attack_lines[NR_SQUARES];
uint64_t attack_knight[NR_SQUARES], attack_king[NR_SQUARES];
uint64_t attack_pawn[NR_SIDES][NR_SQUARES];
uint8_t attack_rank[64][8];
uint64_t squares_between[NR_SQUARES][NR_SQUARES];

/* The square so many files and ranks away, as a set; none beyond the edge. */
static uint64_t step(unsigned sq, int files, int ranks)
{
	int file = (int)file_of(sq) + files, rank = (int)rank_of(sq) + ranks;

	return file < 0 || file > 7 || rank < 0 || rank > 7 ? 0 : SET(8 * rank + file);
}

/* From a square to the edge, both ways. */
static uint64_t line_of_step(unsigned sq, int files, int ranks)
{
	uint64_t line = 0;

	for (int n = 1; n < 8; n++)
		line |= step(sq, n * files, n * ranks) | step(sq, -n * files, -n * ranks);
	return line;
}

static void fill_leapers(unsigned sq)
{
	static const int knight[8][2] = { { 1, 2 },   { 2, 1 },	  { 2, -1 }, { 1, -2 },
					  { -1, -2 }, { -2, -1 }, { -2, 1 }, { -1, 2 } };

	for (unsigned i = 0; i < 8; i++)
		attack_knight[sq] |= step(sq, knight[i][0], knight[i][1]);
	for (int files = -1; files <= 1; files++)
		for (int ranks = -1; ranks <= 1; ranks++)
			if (files || ranks)
				attack_king[sq] |= step(sq, files, ranks);
	attack_pawn[WHITE][sq] = step(sq, -1, 1) | step(sq, 1, 1);
	attack_pawn[BLACK][sq] = step(sq, -1, -1) | step(sq, 1, -1);
}

static uint8_t rank_reach(unsigned inner, int file)
{
	unsigned occupied = inner << 1, reach = 0;

	for (int dir = -1; dir <= 1; dir += 2) {
		for (int f = file + dir; f >= 0 && f < 8; f += dir) {
			reach |= 1u << f;
			if (occupied & 1u << f)
				break;
		}
	}
	return (uint8_t)reach;
}

static void fill_between(unsigned a)
{
	for (int files = -1; files <= 1; files++) {
		for (int ranks = -1; ranks <= 1; ranks++) {
			uint64_t passed = 0, to;

			for (int n = 1;
			     (files || ranks) && (to = step(a, n * files, n * ranks)); n++) {
				squares_between[a][first_of(to)] = passed;
				passed |= to;
			}
		}
	}
}

static void __attribute__((constructor)) attacks_fill(void)
{
	for (unsigned inner = 0; inner < 64; inner++)
		for (int file = 0; file < 8; file++)
			attack_rank[inner][file] = rank_reach(inner, file);
	for (unsigned sq = 0; sq < NR_SQUARES; sq++) {
		attack_lines[sq] = (struct attack_lines){ .file = line_of_step(sq, 0, 1),
							  .rank = line_of_step(sq, 1, 0),
							  .up = line_of_step(sq, 1, 1),
							  .down = line_of_step(sq, 1, -1) };
		fill_leapers(sq);
		fill_between(sq);
	}
}
