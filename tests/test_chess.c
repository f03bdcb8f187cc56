// SPDX-License-Identifier: BSD-2-Clause
/*
 * The board: what is known of it from outside (numbers of moves), and what must hold of any
 * position. Play-outs go through thousands of them at random, from a fixed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chess_boards.h"
#include "chess_positions.h"
#include "perft.h"
#include "zobrist.h"

/* Positions with what is rare, beside the known ones. */
static const char *const rare_fens[] = {
	/* en passant: to both sides, pinned along the rank, along a diagonal, answering a check */
	"rnbqkbnr/ppp1p1pp/8/3pPpP1/8/8/PPPP1P1P/RNBQKBNR w KQkq f6 0 4",
	"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
	"8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
	"8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
	"8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
	/* castling through and out of check, rooks attacked, rights of one side */
	"r3k2r/8/8/4r3/8/8/8/R3K2R w KQkq - 0 1",
	"r3k2r/8/5Q2/8/8/3q4/8/R3K2R b KQkq - 3 9",
	"r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
	/* promotion by capture of a rook at home, under a pin, out of check */
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"2r1k2r/1P4P1/8/8/8/8/1p4p1/2R1K2R w Kk - 0 1",
	"8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
	"3K4/8/8/8/8/8/4p3/2k2R2 b - - 0 1",
	/* double check, mate, stalemate, bare kings, as many moves as there can be */
	"4k3/8/4r3/8/8/8/3n4/4K3 w - - 0 1",
	"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
	"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
	"8/8/4k3/8/8/4K3/8/8 w - - 99 200",
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
};

#define NR_FENS (ARRAY_SIZE(known_positions) + ARRAY_SIZE(rare_fens))

static const char *fen_nr(size_t i)
{
	return i < ARRAY_SIZE(known_positions) ? known_positions[i].fen
					       : rare_fens[i - ARRAY_SIZE(known_positions)];
}

static bool same_state(const struct board_state *a, const struct board_state *b)
{
	return a->key == b->key && a->pawn_key == b->pawn_key && a->halfmove == b->halfmove &&
	       a->castling == b->castling && a->ep == b->ep;
}

static bool same_board(const struct board *a, const struct board *b)
{
	return !memcmp(a->by_piece, b->by_piece, sizeof(a->by_piece)) &&
	       !memcmp(a->by_side, b->by_side, sizeof(a->by_side)) &&
	       !memcmp(a->on, b->on, sizeof(a->on)) && same_state(&a->now, &b->now) &&
	       a->fullmove == b->fullmove && a->side == b->side;
}

static void play_outs(unsigned each, unsigned plies, visit_fn *visit)
{
	for (size_t i = 0; i < NR_FENS; i++)
		for (unsigned seed = 1; seed <= each; seed++)
			play_out(fen_nr(i), seed, plies, visit, NULL);
}

/* One step after another, with no arithmetic on sets. */
static uint64_t walked(unsigned from, uint64_t occupied, bool diagonal)
{
	uint64_t reach = 0;

	for (int files = -1; files <= 1; files++) {
		for (int ranks = -1; ranks <= 1; ranks++) {
			int f = (int)file_of(from), r = (int)rank_of(from);

			if ((files && ranks) != diagonal || (!files && !ranks))
				continue;
			while ((f += files) >= 0 && f < 8 && (r += ranks) >= 0 && r < 8) {
				reach |= SET(8 * r + f);
				if (occupied & SET(8 * r + f))
					break;
			}
		}
	}
	return reach;
}

static void test_sliders(void **state)
{
	uint64_t seed = 7;

	for (unsigned n = 0; n < 200000; n++) {
		unsigned sq = (unsigned)rng_below(&seed, 64);
		uint64_t occupied = rng_next(&seed) & rng_next(&seed);

		if (n & 1)
			occupied &= rng_next(&seed);
		assert_true(bishop_attacks(sq, occupied) == walked(sq, occupied, true));
		assert_true(rook_attacks(sq, occupied) == walked(sq, occupied, false));
	}
}

static void test_lines(void **state)
{
	for (unsigned a = 0; a < NR_SQUARES; a++) {
		for (unsigned b = 0; b < NR_SQUARES; b++) {
			uint64_t between = 0, line = line_through(a, b);

			for (unsigned d = 0; d < 2; d++)
				if (a != b && walked(a, 0, d) & SET(b))
					between = walked(a, SET(b), d) & walked(b, SET(a), d) &
						  line;
			assert_true(squares_between[a][b] == between);
			if (line == UINT64_MAX)
				assert_false((walked(a, 0, true) | walked(a, 0, false)) &
					     SET(b));
			else
				assert_true(line & SET(b) && !(line & SET(a)));
		}
	}
}

static void test_known_totals(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_positions); i++) {
		const struct known_position *p = &known_positions[i];
		struct board b = board_of(p->fen);

		for (unsigned depth = 0; p->total[depth] && p->total[depth] < 1000000; depth++)
			assert_true(perft_plain(&b, depth) == p->total[depth]);
	}
}

static void check_integrity(const struct board *b)
{
	uint64_t all = 0;

	assert_true(!(b->by_side[WHITE] & b->by_side[BLACK]));
	for (unsigned p = 0; p < NR_PIECES; p++) {
		assert_false(all & b->by_piece[p]);
		all |= b->by_piece[p];
	}
	assert_true(all == board_occupied(b));
	for (unsigned sq = 0; sq < NR_SQUARES; sq++) {
		if (b->on[sq] == NO_PIECE)
			assert_false(all & SET(sq));
		else
			assert_true(b->by_piece[b->on[sq]] & SET(sq));
	}
	assert_true(b->now.key == board_key(b));
	assert_true(b->now.pawn_key == board_pawn_key(b));
	if (b->now.ep != NO_SQUARE)
		assert_true(board_ep_legal(b, (enum side)b->side, b->now.ep));
}

static void test_mirror(void **state)
{
	for (size_t i = 0; i < NR_FENS; i++) {
		struct board a = board_of(fen_nr(i)), b = mirror_of(&a);

		check_integrity(&b);
		for (unsigned depth = 1; depth <= 3; depth++)
			assert_true(perft_plain(&a, depth) == perft_plain(&b, depth));
	}
}

/* Every move there and back; nobody moves into check. */
static void visit_moves(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	const struct board before = *b;
	struct undo u;

	for (unsigned i = 0; i < nr; i++) {
		board_make(b, list[i], &u);
		check_integrity(b);
		assert_true(b->now.key != before.now.key);
		assert_false(board_attackers(b, board_king(b, other_side(b->side)),
					     board_occupied(b)) &
			     b->by_side[b->side]);
		board_unmake(b, list[i], &u);
		assert_true(same_board(b, &before));
	}
	if (board_checkers(b))
		return;
	board_make_null(b, &u);
	check_integrity(b);
	board_unmake_null(b, &u);
	assert_true(same_board(b, &before));
}

static void test_make_and_unmake(void **state)
{
	play_outs(20, 120, visit_moves);
}

static void visit_counts(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	uint16_t noisy[MAX_MOVES];
	unsigned nr_noisy = movegen_noisy(b, noisy), expected = 0;

	assert_int_equal(movegen_count(b), nr);
	assert_true(nr <= MAX_MOVES);
	for (unsigned i = 0; i < nr_noisy; i++)
		assert_true(!move_is_quiet(b, noisy[i]) && move_is_legal(b, noisy[i]));
	for (unsigned i = 0; i < nr; i++)
		expected += !move_is_quiet(b, list[i]);
	assert_int_equal(nr_noisy, expected);
}

static void test_lists_and_counts(void **state)
{
	play_outs(40, 150, visit_counts);
}

/* Exactly the moves of the generator, each once, of all the words there are. */
static void visit_words(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	static uint8_t listed[1 << 16];

	for (unsigned i = 0; i < nr; i++)
		listed[list[i]]++;
	for (unsigned word = 0; word < 1 << 16; word++)
		if (move_is_legal(b, (uint16_t)word) != listed[word])
			fail_msg("word %04x is legal: %d, in the list: %d", word,
				 move_is_legal(b, (uint16_t)word), listed[word]);
	for (unsigned i = 0; i < nr; i++)
		listed[list[i]] = 0;
}

static void test_any_word(void **state)
{
	play_outs(1, 20, visit_words);
}

static void visit_text(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	char text[MOVE_TEXT];

	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(move_from_text(b, move_text(list[i], text)), list[i]);
	assert_int_equal(move_from_text(b, "0000"), NO_MOVE);
	assert_int_equal(move_from_text(b, "e2e"), NO_MOVE);
	assert_int_equal(move_from_text(b, "e2e4e5"), NO_MOVE);
}

static void test_text_of_moves(void **state)
{
	struct board b = board_of("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1");
	char text[MOVE_TEXT];

	play_outs(2, 60, visit_text);
	assert_string_equal(move_text(NO_MOVE, text), "0000");
	assert_int_equal(move_from_text(&b, "e1g1"), move_make(SQ_E1, SQ_G1, MOVE_CASTLING));
	assert_int_equal(move_from_text(&b, "b7a8n"), move_promotion(49, SQ_A8, KNIGHT));
	assert_int_equal(move_from_text(&b, "b7a8"), NO_MOVE);
	assert_int_equal(move_from_text(&b, "b7a8k"), NO_MOVE);
}

static void visit_fen(void *arg, struct board *b, const uint16_t *list, unsigned nr)
{
	char fen[FEN_MAX], again[FEN_MAX];
	struct board copy = board_of(fen_write(b, fen));

	assert_true(same_board(b, &copy));
	assert_string_equal(fen, fen_write(&copy, again));
}

static void test_fen_round_trip(void **state)
{
	char fen[FEN_MAX];
	struct board b;

	for (size_t i = 0; i < ARRAY_SIZE(known_positions); i++) {
		b = board_of(known_positions[i].fen);
		assert_string_equal(fen_write(&b, fen), known_positions[i].fen);
	}
	play_outs(20, 200, visit_fen);
	/* four fields, and room behind */
	b = board_of("8/8/4k3/8/8/4K3/8/8 w - -");
	assert_string_equal(fen_write(&b, fen), "8/8/4k3/8/8/4K3/8/8 w - - 0 1");
	b = board_of("8/8/4k3/8/8/4K3/8/8  b  -  -  7  9 ");
	assert_string_equal(fen_write(&b, fen), "8/8/4k3/8/8/4K3/8/8 b - - 7 9");
	/* the longest there is */
	b = board_of(
		"r1b1k2r/1p1p1p1p/p1p1p1p1/n1q1b1n1/N1Q1B1N1/P1P1P1P1/1P1P1P1P/R1B1K2R w KQkq - "
		"9999 9999");
	assert_int_equal(strlen(fen_write(&b, fen)),
			 strlen("r1b1k2r/1p1p1p1p/p1p1p1p1/n1q1b1n1/"
				"N1Q1B1N1/P1P1P1P1/1P1P1P1P/R1B1K2R "
				"w KQkq - 9999 9999"));
}

/* A square that says nothing is no part of the position. */
static void test_en_passant_is_legal_or_nothing(void **state)
{
	static const struct {
		const char *fen;
		bool kept;
	} cases[] = {
		{ "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", false },
		{ "rnbqkbnr/ppp1p1pp/8/3pPpP1/8/8/PPPP1P1P/RNBQKBNR w KQkq f6 0 4", true },
		{ "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", false }, /* both pawns leave the rank */
		{ "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", true }, /* steps between */
		{ "8/8/8/1k6/3Pp3/8/8/1Q2K3 b - d3 0 1", false }, /* in check all the same */
		{ "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", true }, /* takes what gives check */
		{ "4r1k1/8/8/4Pp2/8/8/8/4K3 w - f6 0 1", false }, /* pinned on its file */
		{ "6k1/8/8/4Pp2/8/2b5/1K6/8 w - f6 0 1", false }, /* in check from the bishop */
		{ "b5k1/8/8/3Pp3/8/5K2/8/8 w - e6 0 1", false }, /* pinned on a diagonal */
		{ "6k1/8/8/1K1Pp2r/8/8/8/8 w - e6 0 1", false },
		{ "6k1/8/8/1KPPp2r/8/8/8/8 w - e6 0 1", true },
	};
	struct board b;
	struct undo u;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		b = board_of(cases[i].fen);
		if ((b.now.ep != NO_SQUARE) != cases[i].kept)
			fail_msg("%s: kept %d", cases[i].fen, b.now.ep != NO_SQUARE);
	}
	/* made on the board or read, it is the same position */
	b = board_of(FEN_START);
	board_make(&b, move_from_text(&b, "e2e4"), &u);
	assert_true(b.now.key == board_of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b "
					  "KQkq - 0 1")
					 .now.key);
}

/* Keys: of the position, not of the way there; each thing counts. */
static void test_keys(void **state)
{
	static const char *const different[] = {
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R w KQkq b6 0 1",
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R w KQkq - 0 1",
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R b KQkq - 0 1",
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R w KQk - 0 1",
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R w Qkq - 0 1",
		"r3k2r/p6p/8/1pP5/8/8/P6P/R3K2R w - - 0 1",
		"r3k1r1/p6p/8/1pP5/8/8/P6P/R3K2R w KQq - 0 1",
	};
	struct board b, c;
	struct undo u;

	for (size_t i = 0; i < ARRAY_SIZE(different); i++) {
		b = board_of(different[i]);
		for (size_t j = 0; j < i; j++) {
			c = board_of(different[j]);
			assert_true(b.now.key != c.now.key);
			assert_true(b.now.pawn_key == c.now.pawn_key);
		}
	}
	b = c = board_of(FEN_START);
	board_make(&b, move_from_text(&b, "g1f3"), &u);
	board_make(&b, move_from_text(&b, "g8f6"), &u);
	board_make(&b, move_from_text(&b, "b1c3"), &u);
	board_make(&c, move_from_text(&c, "b1c3"), &u);
	board_make(&c, move_from_text(&c, "g8f6"), &u);
	board_make(&c, move_from_text(&c, "g1f3"), &u);
	assert_true(b.now.key == c.now.key);
	assert_true(b.now.pawn_key == board_of(FEN_START).now.pawn_key);
}

static void test_repetitions(void **state)
{
	static const char *const moves[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
	struct board b = board_of(FEN_START);
	uint64_t key[16];
	unsigned nr = 0;
	struct undo u;

	for (; nr < 12; nr++) {
		assert_int_equal(board_repetitions(&b, key, nr), nr / 4);
		key[nr] = b.now.key;
		board_make(&b, move_from_text(&b, moves[nr % 4]), &u);
	}
	key[nr++] = b.now.key;
	board_make(&b, move_from_text(&b, "e2e4"), &u);
	assert_int_equal(board_repetitions(&b, key, nr), 0);
	/* what is before the counter began is not looked at */
	b = board_of(FEN_START);
	assert_int_equal(board_repetitions(&b, key, 12), 0);
}

static void test_fen_errors(void **state)
{
	static const struct {
		const char *fen, *error;
	} cases[] = {
		{ "", "FEN: pieces: ends at character 1, expected a rank of 8 files" },
		{ "xnbqkbnr/8/8/8/8/8/8/8 w - - 0 1",
		  "FEN: pieces: character 1 is 'x', expected one of PNBRQKpnbrqk, 1 to 8 or '/'" },
		{ "8/8/8/8/8/8/8/\t w - - 0 1",
		  "FEN: pieces: character 15 is byte 0x09, expected one of PNBRQKpnbrqk, 1 to 8 or "
		  "'/'" },
		{ "k7/44K/8/8/8/8/8/8 w - - 0 1",
		  "FEN: pieces: character 6 is 'K', expected '/' after 8 files" },
		{ "k7/71K/8/8/8/8/8/8 w - - 0 1",
		  "FEN: pieces: character 6 is 'K', expected '/' after 8 files" },
		{ "k7/72/8/8/8/8/8/8 w - - 0 1",
		  "FEN: pieces: character 5 is '2', expected no more than 8 files in a rank" },
		{ "k7/9/8/8/8/8/8/8 w - - 0 1",
		  "FEN: pieces: character 4 is '9', expected no more than 8 files in a rank" },
		{ "k7/7/8/8/8/8/8/K7 w - - 0 1",
		  "FEN: pieces: character 5 is '/', expected a rank of 8 files" },
		{ "k7/8/8/8/8/8/K7 w - - 0 1",
		  "FEN: pieces: ends at character 16, expected '/' and another rank: there are 8" },
		{ "k7/8/8/8/8/8/8/K7/8 w - - 0 1",
		  "FEN: pieces: character 18 is '/', expected a space: 8 ranks are all" },
		{ "k7/8/8/8/8/8/8/K7", "FEN: side to move: missing after character 17" },
		{ "k7/8/8/8/8/8/8/K7 W - - 0 1",
		  "FEN: side to move: character 19 is 'W', expected w or b" },
		{ "k7/8/8/8/8/8/8/K7 white - - 0 1",
		  "FEN: side to move: character 20 is 'h', expected a space after it" },
		{ "k7/8/8/8/8/8/8/K7 w", "FEN: castling: missing after character 19" },
		{ "k7/8/8/8/8/8/8/K7 w x - 0 1",
		  "FEN: castling: character 21 is 'x', expected '-' or some of KQkq" },
		{ "4k3/8/8/8/8/8/8/4K2R w KK - 0 1",
		  "FEN: castling: character 25 is 'K', expected each of KQkq once" },
		{ "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1",
		  "FEN: castling: character 25 is 'Q', expected a king and a rook at home for "
		  "that" },
		{ "r4k1r/8/8/8/8/8/8/4K2R w Kk - 0 1",
		  "FEN: castling: character 27 is 'k', expected a king and a rook at home for "
		  "that" },
		{ "4k3/8/8/8/8/8/8/4K2R w Kx - 0 1",
		  "FEN: castling: character 25 is 'x', expected one of KQkq or a space" },
		{ "k7/8/8/8/8/8/8/K7 w -", "FEN: en passant: missing after character 21" },
		{ "k7/8/8/8/8/8/8/K7 w - x6 0 1",
		  "FEN: en passant: character 23 is 'x', expected '-' or a square" },
		{ "k7/8/8/8/8/8/8/K7 w - e 0 1",
		  "FEN: en passant: ends at character 24, expected rank 6: white is to move" },
		{ "k7/8/8/8/8/8/8/K7 w - e3 0 1",
		  "FEN: en passant: character 24 is '3', expected rank 6: white is to move" },
		{ "k7/8/8/8/8/8/8/K7 b - e6 0 1",
		  "FEN: en passant: character 24 is '6', expected rank 3: black is to move" },
		{ "k7/8/8/8/8/8/8/K7 w - e6 0 1",
		  "FEN: en passant: character 24 is '6', expected a square that a pawn has just "
		  "passed" },
		{ "k7/4p3/8/4p3/8/8/8/K7 w - e6 0 1",
		  "FEN: en passant: character 28 is '6', expected a square that a pawn has just "
		  "passed" },
		{ "k7/8/8/8/8/8/8/K7 w - - x 1",
		  "FEN: halfmove clock: character 25 is 'x', expected a number" },
		{ "k7/8/8/8/8/8/8/K7 w - - 10000 1",
		  "FEN: halfmove clock: character 29 is '0', expected a number of at most 9999" },
		{ "k7/8/8/8/8/8/8/K7 w - - 0", "FEN: move number: missing after character 25" },
		{ "k7/8/8/8/8/8/8/K7 w - - 0 0",
		  "FEN: move number: is 0, expected at least 1" },
		{ "k7/8/8/8/8/8/8/K7 w - - 0 1 x",
		  "FEN: move number: character 29 is 'x', expected the end" },
		{ "8/8/8/8/8/8/8/K7 w - - 0 1",
		  "FEN: pieces: black has 0 kings, expected one" },
		{ "k7/8/8/8/8/8/8/KK6 w - - 0 1",
		  "FEN: pieces: white has 2 kings, expected one" },
		{ "k6P/8/8/8/8/8/8/K7 w - - 0 1",
		  "FEN: pieces: white has a pawn on h8, expected ranks 2 to 7" },
		{ "k7/8/8/8/8/8/8/Kp6 w - - 0 1",
		  "FEN: pieces: black has a pawn on b1, expected ranks 2 to 7" },
		{ "k7/8/8/8/8/P7/PPPPPPPP/K7 w - - 0 1",
		  "FEN: pieces: white has 9 pawns, expected at most 8" },
		{ "kqq5/pppppppp/8/8/8/8/8/K7 b - - 0 1",
		  "FEN: pieces: black has 1 more pieces than at the start, expected at most 0, one "
		  "for each pawn that is gone" },
		{ "k6R/8/8/8/8/8/8/K7 w - - 0 1",
		  "FEN: side to move: black is in check, expected black to move then" },
		{ "8/8/8/8/8/8/8/Kk6 w - - 0 1",
		  "FEN: side to move: black is in check, expected black to move then" },
	};
	struct board b;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { "accepted" };

		fen_parse(cases[i].fen, &b, &e);
		assert_string_equal(e.text, cases[i].error);
	}
}

/* No byte of a text makes it read beyond its end or accept what it would not write. */
static void test_fen_of_anything(void **state)
{
	uint64_t seed = 11;
	char fen[FEN_MAX], out[FEN_MAX];
	struct board b;
	struct err e;

	for (unsigned n = 0; n < 200000; n++) {
		size_t len = strlen(strcpy(fen, fen_nr(rng_below(&seed, NR_FENS))));
		unsigned changes = 1 + (unsigned)rng_below(&seed, 3);

		while (changes--)
			fen[rng_below(&seed, len)] =
				"pPnNbBrRqQkK/12345678 -wbaeh0\x80"[rng_below(&seed, 31)];
		if (rng_below(&seed, 8) == 0)
			fen[rng_below(&seed, len)] = 0;
		if (!fen_parse(fen, &b, &e)) {
			check_integrity(&b);
			b = board_of(fen_write(&b, out));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sliders),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_known_totals),
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_make_and_unmake),
		cmocka_unit_test(test_lists_and_counts),
		cmocka_unit_test(test_any_word),
		cmocka_unit_test(test_text_of_moves),
		cmocka_unit_test(test_fen_round_trip),
		cmocka_unit_test(test_en_passant_is_legal_or_nothing),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_repetitions),
		cmocka_unit_test(test_fen_errors),
		cmocka_unit_test(test_fen_of_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
