// SPDX-License-Identifier: BSD-2-Clause
/*
 * One generator for both sides, for all moves or the noisy ones, to list or to count them: what
 * it is made for are constants, so the compiler makes straight code of each.
 */
#include "movegen.h"

#include <stddef.h>

#include "compiler.h"

enum wanted { WANT_ALL, WANT_NOISY, WANT_COUNT };

struct gen {
	const struct board *b;
	uint64_t occupied, theirs;
	uint64_t answers; /* in check: squares that end it; else all */
	uint64_t target; /* where pieces other than the king may go */
	uint64_t pinned; /* own pieces that keep to their line with the king */
	unsigned king;
	uint16_t *list; /* the next move's place */
	unsigned nr; /* WANT_COUNT: moves so far */
};

static __always_inline void add_move(struct gen *g, const enum wanted want, uint16_t move)
{
	if (want == WANT_COUNT)
		g->nr++;
	else
		*g->list++ = move;
}

static __always_inline void add_moves(struct gen *g, const enum wanted want, unsigned from,
				      uint64_t to_set)
{
	if (want == WANT_COUNT) {
		g->nr += count_of(to_set);
		return;
	}
	while (to_set)
		*g->list++ = move_make(from, take_first(&to_set), MOVE_PLAIN);
}

static __always_inline unsigned behind(unsigned sq, int step)
{
	return (unsigned)((int)sq - step);
}

/* Squares of pawns, that far behind them before. */
static __always_inline void add_pawn_moves(struct gen *g, const enum wanted want,
					   uint64_t to_set, int step)
{
	if (want == WANT_COUNT) {
		g->nr += count_of(to_set);
		return;
	}
	while (to_set) {
		unsigned to = take_first(&to_set);

		*g->list++ = move_make(behind(to, step), to, MOVE_PLAIN);
	}
}

static __always_inline void add_promotions(struct gen *g, const enum wanted want,
					   uint64_t to_set, int step)
{
	while (to_set) {
		unsigned to = take_first(&to_set);

		g->nr += 4;
		for (unsigned p = QUEEN; want != WANT_COUNT && p >= KNIGHT; p--)
			*g->list++ = move_promotion(behind(to, step), to, (enum piece)p);
	}
}

static __always_inline uint64_t shifted(uint64_t set, int by)
{
	return by > 0 ? set << by : set >> -by;
}

/* Pawns from one side's view: forward is `up`. */
static __always_inline void gen_pawns(struct gen *g, const enum side us, const enum wanted want,
				      uint64_t pawns, uint64_t target)
{
	const int up = us == WHITE ? 8 : -8;
	const uint64_t last = RANK_OF(us, 8);
	uint64_t one = shifted(pawns, up) & ~g->occupied;
	uint64_t two = shifted(one & RANK_OF(us, 3), up) & ~g->occupied & target;
	uint64_t left = shifted(pawns & ~FILE_A, up - 1) & g->theirs & target;
	uint64_t right = shifted(pawns & ~FILE_H, up + 1) & g->theirs & target;

	one &= target;
	if (pawns & RANK_OF(us, 7)) {
		add_promotions(g, want, left & last, up - 1);
		add_promotions(g, want, right & last, up + 1);
		add_promotions(g, want, one & last, up);
	}
	add_pawn_moves(g, want, left & ~last, up - 1);
	add_pawn_moves(g, want, right & ~last, up + 1);
	if (want == WANT_NOISY)
		return;
	add_pawn_moves(g, want, one & ~last, up);
	add_pawn_moves(g, want, two, 2 * up);
}

static __always_inline void gen_all_pawns(struct gen *g, const enum side us,
					  const enum wanted want)
{
	uint64_t pawns = board_pieces(g->b, us, PAWN);
	/* Noisy without a capture: a promotion. */
	uint64_t quiet = want == WANT_NOISY ? ~g->occupied & RANK_OF(us, 8) : 0;
	uint64_t target = g->target | (quiet & g->answers);

	gen_pawns(g, us, want, pawns & ~g->pinned, target);
	for (uint64_t left = pawns & g->pinned; __builtin_expect(left != 0, false);) {
		unsigned from = take_first(&left);

		gen_pawns(g, us, want, SET(from), target & line_through(g->king, from));
	}
}

/* Rare, and the one move that takes two pieces off a line at once: it is looked at whole. */
static __always_inline void gen_ep(struct gen *g, const enum side us, const enum wanted want)
{
	unsigned to = g->b->now.ep;
	uint64_t pawns;

	if (__builtin_expect(to == NO_SQUARE, true))
		return;
	pawns = attack_pawn[other_side(us)][to] & board_pieces(g->b, us, PAWN);
	while (pawns) {
		unsigned from = take_first(&pawns);

		if (!board_king_safe(g->b, from, to, ep_victim(to)))
			continue;
		add_move(g, want, move_make(from, to, MOVE_EN_PASSANT));
	}
}

static __always_inline void gen_piece(struct gen *g, const enum wanted want, uint64_t set,
				      const enum piece p)
{
	while (set) {
		unsigned from = take_first(&set);
		uint64_t to = piece_attacks(p, from, g->occupied) & g->target;

		if (__builtin_expect((g->pinned & SET(from)) != 0, false))
			to &= line_through(g->king, from);
		add_moves(g, want, from, to);
	}
}

static __always_inline void gen_pieces(struct gen *g, const enum side us,
				       const enum wanted want)
{
	const struct board *b = g->b;
	uint64_t ours = b->by_side[us], queens = b->by_piece[QUEEN];

	gen_piece(g, want, ours & b->by_piece[KNIGHT] & ~g->pinned, KNIGHT);
	gen_piece(g, want, ours & (b->by_piece[BISHOP] | queens), BISHOP);
	gen_piece(g, want, ours & (b->by_piece[ROOK] | queens), ROOK);
}

/* Squares that a side attacks, if these are occupied. */
static __always_inline uint64_t attacked_by(const struct board *b, const enum side s,
					    uint64_t occupied)
{
	uint64_t ours = b->by_side[s], queens = b->by_piece[QUEEN];
	uint64_t knights = ours & b->by_piece[KNIGHT];
	uint64_t bishops = ours & (b->by_piece[BISHOP] | queens);
	uint64_t rooks = ours & (b->by_piece[ROOK] | queens);
	uint64_t set = pawn_attacks(s, ours & b->by_piece[PAWN]);

	while (knights)
		set |= attack_knight[take_first(&knights)];
	while (bishops)
		set |= bishop_attacks(take_first(&bishops), occupied);
	while (rooks)
		set |= rook_attacks(take_first(&rooks), occupied);
	return set | attack_king[board_king(b, s)];
}

struct castling {
	uint64_t empty, safe; /* squares; safe: those the king stands on or passes */
	unsigned to;
};

/* For white; black's are 56 squares further. King's side, queen's side. */
static const struct castling castlings[2] = {
	{ SET(SQ_F1) | SET(SQ_G1), SET(SQ_E1) | SET(SQ_F1) | SET(SQ_G1), SQ_G1 },
	{ SET(SQ_D1) | SET(SQ_C1) | SET(SQ_C1 - 1), SET(SQ_E1) | SET(SQ_D1) | SET(SQ_C1),
	  SQ_C1 },
};

static __always_inline bool may_castle(const struct board *b, const enum side us, unsigned i,
				       uint64_t occupied, uint64_t attacked)
{
	const struct castling *c = &castlings[i];
	const unsigned shift = us == WHITE ? 0 : 56;

	return b->now.castling & (CASTLE_KING << i) << 2 * us &&
	       !(occupied & c->empty << shift) && !(attacked & c->safe << shift);
}

static __always_inline void gen_king(struct gen *g, const enum side us, const enum wanted want)
{
	const unsigned shift = us == WHITE ? 0 : 56;
	uint64_t attacked = attacked_by(g->b, other_side(us), g->occupied ^ SET(g->king));
	uint64_t free = want == WANT_NOISY ? g->theirs : ~g->b->by_side[us];

	add_moves(g, want, g->king, attack_king[g->king] & free & ~attacked);
	if (want == WANT_NOISY || !(g->b->now.castling & 3u << 2 * us))
		return;
	for (unsigned i = 0; i < 2; i++) {
		if (may_castle(g->b, us, i, g->occupied, attacked))
			add_move(g, want,
				 move_make(g->king, castlings[i].to + shift, MOVE_CASTLING));
	}
}

/* Own pieces that stand alone between the king and a slider that would check it. */
static __always_inline uint64_t pinned_of(const struct gen *g, const enum side us)
{
	const struct board *b = g->b;
	uint64_t ours = b->by_side[us], queens = b->by_piece[QUEEN], pinned = 0;
	uint64_t snipers = bishop_attacks(g->king, g->theirs) & (b->by_piece[BISHOP] | queens);

	snipers |= rook_attacks(g->king, g->theirs) & (b->by_piece[ROOK] | queens);
	snipers &= g->theirs;
	while (snipers) {
		uint64_t between = squares_between[g->king][take_first(&snipers)] & ours;

		if (!(between & (between - 1)))
			pinned |= between;
	}
	return pinned;
}

static __always_inline unsigned generate(const struct board *b, const enum side us,
					 const enum wanted want, uint16_t *list)
{
	struct gen g = { .b = b,
			 .occupied = board_occupied(b),
			 .theirs = b->by_side[other_side(us)],
			 .king = board_king(b, us),
			 .list = list };
	uint64_t checkers = board_attackers(b, g.king, g.occupied) & g.theirs;

	g.pinned = pinned_of(&g, us);
	gen_king(&g, us, want);
	if (checkers & (checkers - 1))
		goto out; /* two at once: only the king can do something about it */
	g.answers =
		checkers ? checkers | squares_between[g.king][first_of(checkers)] : UINT64_MAX;
	g.target = g.answers & (want == WANT_NOISY ? g.theirs : ~b->by_side[us]);
	gen_ep(&g, us, want);
	gen_all_pawns(&g, us, want);
	gen_pieces(&g, us, want);
out:
	return want == WANT_COUNT ? g.nr : (unsigned)(g.list - list);
}

unsigned movegen_all(const struct board *b, uint16_t *list)
{
	return b->side == WHITE ? generate(b, WHITE, WANT_ALL, list)
				: generate(b, BLACK, WANT_ALL, list);
}

unsigned movegen_noisy(const struct board *b, uint16_t *list)
{
	return b->side == WHITE ? generate(b, WHITE, WANT_NOISY, list)
				: generate(b, BLACK, WANT_NOISY, list);
}

unsigned movegen_count(const struct board *b)
{
	return b->side == WHITE ? generate(b, WHITE, WANT_COUNT, NULL)
				: generate(b, BLACK, WANT_COUNT, NULL);
}
