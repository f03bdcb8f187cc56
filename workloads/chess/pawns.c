// SPDX-License-Identifier: BSD-2-Clause
#include "pawns.h"

#include "score.h"

static const int doubled = PAIR(-9, -18), isolated = PAIR(-12, -14), backward = PAIR(-8, -9);
static const int guarded = PAIR(7, 4); /* by another pawn */
/* By rank from the pawn's own side. */
static const int passed_at[8] = {
	0, PAIR(2, 12), PAIR(4, 16), PAIR(10, 32), PAIR(26, 60), PAIR(58, 105), PAIR(95, 165), 0
};

/* The squares in front of a set, to the far edge; without the set. */
static uint64_t ahead_of(enum side s, uint64_t set)
{
	for (unsigned by = 8; by <= 32; by *= 2)
		set |= s == WHITE ? set << by : set >> by;
	return forward(s, set);
}

static uint64_t beside(uint64_t set)
{
	return (set & ~FILE_A) >> 1 | (set & ~FILE_H) << 1;
}

/* All of the files on which the set has a square. */
static uint64_t files_of(uint64_t set)
{
	return set | ahead_of(WHITE, set) | ahead_of(BLACK, set);
}

static int score_pawn(enum side us, unsigned sq, uint64_t ours, uint64_t theirs,
		      const struct pawns *p, bool *passed)
{
	uint64_t set = SET(sq), ahead = ahead_of(us, set);
	bool alone = !(beside(files_of(set)) & ours);
	int score = 0;

	*passed = !((ahead | beside(ahead)) & theirs) && !(ahead & ours);
	if (ahead & ours)
		score += doubled;
	if (alone)
		score += isolated;
	else if (!(p->reach[us] & set) && forward(us, set) & p->attacks[other_side(us)])
		score += backward;
	if (p->attacks[us] & set)
		score += guarded;
	if (*passed)
		score += passed_at[rank_of(own_view(us, sq))] +
			 (p->attacks[us] & set ? PAIR(6, 14) : 0);
	return score;
}

void pawns_look(const struct board *b, struct pawns *out)
{
	struct pawns p = { .score = 0 };

	for (enum side s = WHITE; s < NR_SIDES; s++) {
		uint64_t ours = board_pieces(b, s, PAWN);

		p.attacks[s] = pawn_attacks(s, ours);
		p.reach[s] = p.attacks[s] | ahead_of(s, p.attacks[s]);
		p.open[s] = (uint8_t)~files_of(ours);
	}
	for (enum side s = WHITE; s < NR_SIDES; s++) {
		uint64_t ours = board_pieces(b, s, PAWN);
		uint64_t theirs = board_pieces(b, other_side(s), PAWN);

		for (uint64_t left = ours; left;) {
			unsigned sq = take_first(&left);
			bool passed;
			int score = score_pawn(s, sq, ours, theirs, &p, &passed);

			p.score += s == WHITE ? score : -score;
			if (passed)
				p.passed |= SET(sq);
		}
	}
	*out = p;
}

/* In the first word the table has bits of its own: the pair is below them. */
static void pack(const struct pawns *p, uint64_t *word)
{
	word[0] = (uint32_t)p->score;
	word[1] = p->passed;
	word[2] = p->attacks[WHITE];
	word[3] = p->attacks[BLACK];
	word[4] = p->reach[WHITE];
	word[5] = p->reach[BLACK];
	word[6] = p->open[WHITE] | (uint64_t)p->open[BLACK] << 8;
}

/* No structure is worth more: what a torn entry says must not overflow either. */
#define PAWNS_MAX 4000

static void unpack(const uint64_t *word, struct pawns *p)
{
	int score = (int)(uint32_t)word[0];

	p->score = PAIR(score_clamp(pair_middle(score), PAWNS_MAX),
			score_clamp(pair_end(score), PAWNS_MAX));
	p->passed = word[1];
	p->attacks[WHITE] = word[2];
	p->attacks[BLACK] = word[3];
	p->reach[WHITE] = word[4];
	p->reach[BLACK] = word[5];
	p->open[WHITE] = (uint8_t)word[6];
	p->open[BLACK] = (uint8_t)(word[6] >> 8);
}

void pawns_get(const struct board *b, struct cache *c, struct pawns *out)
{
	uint64_t word[MAX_ENTRY_WORDS];
	struct table_answer a;

	if (cache_probe(c, KIND_PAWN, b->now.pawn_key, &a)) {
		unpack(a.word, out);
		return;
	}
	pawns_look(b, out);
	pack(out, word);
	cache_store(c, KIND_PAWN, b->now.pawn_key, word);
}
