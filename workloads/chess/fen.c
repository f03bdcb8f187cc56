// SPDX-License-Identifier: BSD-2-Clause
#include "fen.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char letters[] = "PNBRQKpnbrqk";
static const char *const side_names[] = { "white", "black" };

/* Where the reading is: one field after another. */
struct reader {
	const char *text, *at;
	const char *field; /* its name */
	struct err *e;
};

/* The character at hand is not what must be there. */
static int unexpected(const struct reader *r, const char *expected)
{
	size_t place = (size_t)(r->at - r->text) + 1;

	if (!*r->at || *r->at == ' ')
		return err_set(r->e, "FEN: %s: ends at character %zu, expected %s", r->field,
			       place, expected);
	if (!isprint((unsigned char)*r->at))
		return err_set(r->e, "FEN: %s: character %zu is byte 0x%02x, expected %s",
			       r->field, place, (unsigned char)*r->at, expected);
	return err_set(r->e, "FEN: %s: character %zu is '%c', expected %s", r->field, place,
		       *r->at, expected);
}

static int next_field(struct reader *r, const char *name)
{
	if (*r->at != ' ')
		return *r->at ? unexpected(r, "a space after it")
			      : err_set(r->e, "FEN: %s: missing after character %zu", name,
					(size_t)(r->at - r->text));
	r->field = name;
	while (*r->at == ' ')
		r->at++;
	return 0;
}

static void put(struct board *b, enum side s, enum piece p, unsigned sq)
{
	b->by_side[s] |= SET(sq);
	b->by_piece[p] |= SET(sq);
	b->on[sq] = (uint8_t)p;
}

/* One rank, from file a on. */
static int parse_rank(struct reader *r, struct board *b, unsigned rank)
{
	unsigned file = 0;

	for (; *r->at && *r->at != '/' && *r->at != ' '; r->at++) {
		const char *letter = strchr(letters, *r->at);

		if (letter && file < 8) {
			unsigned i = (unsigned)(letter - letters);

			put(b, (enum side)(i / NR_PIECES), (enum piece)(i % NR_PIECES),
			    8 * rank + file++);
		} else if (*r->at >= '1' && *r->at <= '8' && file + (*r->at - '0') <= 8) {
			file += (unsigned)(*r->at - '0');
		} else if (letter || isdigit((unsigned char)*r->at)) {
			return unexpected(r, file < 8 ? "no more than 8 files in a rank"
						      : "'/' after 8 files");
		} else {
			return unexpected(r, "one of PNBRQKpnbrqk, 1 to 8 or '/'");
		}
	}
	return file == 8 ? 0 : unexpected(r, "a rank of 8 files");
}

static int parse_pieces(struct reader *r, struct board *b)
{
	for (unsigned rank = 8; rank--;) {
		if (parse_rank(r, b, rank))
			return -1;
		if (!rank)
			break;
		if (*r->at != '/')
			return unexpected(r, "'/' and another rank: there are 8");
		r->at++;
	}
	return *r->at == '/' ? unexpected(r, "a space: 8 ranks are all") : 0;
}

static int parse_side(struct reader *r, struct board *b)
{
	if (*r->at != 'w' && *r->at != 'b')
		return unexpected(r, "w or b");
	b->side = *r->at++ == 'w' ? WHITE : BLACK;
	return 0;
}

/* Are king and rook where they castle from? right: a bit of CASTLE_ALL. */
static bool castling_stands(const struct board *b, unsigned right)
{
	enum side s = right & 3 ? WHITE : BLACK;
	unsigned rook = right & (CASTLE_KING | CASTLE_KING << 2) ? SQ_H1 : SQ_A1;

	return board_pieces(b, s, KING) & SET(own_view(s, SQ_E1)) &&
	       board_pieces(b, s, ROOK) & SET(own_view(s, rook));
}

static int parse_castling(struct reader *r, struct board *b)
{
	static const char rights[] = "KQkq";

	if (*r->at == '-') {
		r->at++;
		return 0;
	}
	if (!*r->at || !strchr(rights, *r->at))
		return unexpected(r, "'-' or some of KQkq");
	for (const char *right; *r->at && (right = strchr(rights, *r->at)); r->at++) {
		unsigned bit = 1u << (right - rights);

		if (b->now.castling & bit)
			return unexpected(r, "each of KQkq once");
		if (!castling_stands(b, bit))
			return unexpected(r, "a king and a rook at home for that");
		b->now.castling |= (uint8_t)bit;
	}
	return *r->at && *r->at != ' ' ? unexpected(r, "one of KQkq or a space") : 0;
}

/* Has a pawn just passed sq? */
static bool ep_stands(const struct board *b, unsigned sq)
{
	enum side us = (enum side)b->side, them = other_side(us);
	uint64_t start = forward(us, SET(sq));

	return board_pieces(b, them, PAWN) & SET(ep_victim(sq)) &&
	       !(board_occupied(b) & (SET(sq) | start));
}

static int parse_ep(struct reader *r, struct board *b)
{
	const char rank = b->side == WHITE ? '6' : '3';
	unsigned sq;

	if (*r->at == '-') {
		r->at++;
		return 0;
	}
	if (*r->at < 'a' || *r->at > 'h')
		return unexpected(r, "'-' or a square");
	sq = (unsigned)(*r->at++ - 'a');
	if (*r->at != rank)
		return unexpected(r, b->side == WHITE ? "rank 6: white is to move"
						      : "rank 3: black is to move");
	sq += 8u * (unsigned)(rank - '1');
	if (!ep_stands(b, sq))
		return unexpected(r, "a square that a pawn has just passed");
	r->at++;
	/* no key yet: all of it is made at the end */
	b->now.ep = (uint8_t)sq;
	return 0;
}

static int parse_counter(struct reader *r, unsigned min, uint16_t *out)
{
	unsigned value = 0;

	if (!isdigit((unsigned char)*r->at))
		return unexpected(r, "a number");
	for (; isdigit((unsigned char)*r->at); r->at++) {
		value = 10 * value + (unsigned)(*r->at - '0');
		if (value > 9999)
			return unexpected(r, "a number of at most 9999");
	}
	if (value < min)
		return err_set(r->e, "FEN: %s: is %u, expected at least %u", r->field, value,
			       min);
	*out = (uint16_t)value;
	return 0;
}

static int parse_counters(struct reader *r, struct board *b)
{
	while (*r->at == ' ' && r->at[strspn(r->at, " ")] == 0)
		r->at++;
	if (!*r->at)
		return 0;
	return next_field(r, "halfmove clock") || parse_counter(r, 0, &b->now.halfmove) ||
			       next_field(r, "move number") || parse_counter(r, 1, &b->fullmove)
		       ? -1
		       : 0;
}

static int check_pawns(const struct board *b, enum side s, struct err *e)
{
	uint64_t pawns = board_pieces(b, s, PAWN), stray = pawns & (RANK_1 | RANK_8);

	if (stray)
		return err_set(e, "FEN: pieces: %s has a pawn on %c%u, expected ranks 2 to 7",
			       side_names[s], 'a' + file_of(first_of(stray)),
			       1 + rank_of(first_of(stray)));
	if (count_of(pawns) > 8)
		return err_set(e, "FEN: pieces: %s has %u pawns, expected at most 8",
			       side_names[s], count_of(pawns));
	return 0;
}

/* Pieces of one side: what a game can have. */
static int check_army(const struct board *b, enum side s, struct err *e)
{
	static const unsigned at_start[NR_PIECES] = { 8, 2, 2, 2, 1, 1 };
	unsigned kings = count_of(board_pieces(b, s, KING)), promoted = 0, gone;

	if (kings != 1)
		return err_set(e, "FEN: pieces: %s has %u kings, expected one", side_names[s],
			       kings);
	if (check_pawns(b, s, e))
		return -1;
	gone = 8 - count_of(board_pieces(b, s, PAWN));
	for (unsigned p = KNIGHT; p <= QUEEN; p++) {
		unsigned has = count_of(board_pieces(b, s, (enum piece)p));

		promoted += has > at_start[p] ? has - at_start[p] : 0;
	}
	if (promoted > gone)
		return err_set(e,
			       "FEN: pieces: %s has %u more pieces than at the start, expected "
			       "at most %u, one for each pawn that is gone",
			       side_names[s], promoted, gone);
	return 0;
}

static int check_position(const struct board *b, struct err *e)
{
	enum side us = (enum side)b->side, them = other_side(us);
	uint64_t attackers;

	if (check_army(b, WHITE, e) || check_army(b, BLACK, e))
		return -1;
	attackers = board_attackers(b, board_king(b, them), board_occupied(b));
	if (attackers & b->by_side[us])
		return err_set(e, "FEN: side to move: %s is in check, expected %s to move then",
			       side_names[them], side_names[them]);
	return 0;
}

static int parse_fields(struct reader *r, struct board *b)
{
	r->field = "pieces";
	if (parse_pieces(r, b) || next_field(r, "side to move") || parse_side(r, b) ||
	    check_position(b, r->e) || next_field(r, "castling") || parse_castling(r, b) ||
	    next_field(r, "en passant") || parse_ep(r, b) || parse_counters(r, b))
		return -1;
	r->at += strspn(r->at, " ");
	return *r->at ? unexpected(r, "the end") : 0;
}

int fen_parse(const char *text, struct board *b, struct err *e)
{
	struct reader r = { .text = text, .at = text, .e = e };

	memset(b, 0, sizeof(*b));
	memset(b->on, NO_PIECE, sizeof(b->on));
	b->now.ep = NO_SQUARE;
	b->fullmove = 1;
	if (parse_fields(&r, b))
		return -1;
	if (b->now.ep != NO_SQUARE && !board_ep_legal(b, (enum side)b->side, b->now.ep))
		b->now.ep = NO_SQUARE;
	b->now.key = board_key(b);
	b->now.pawn_key = board_pawn_key(b);
	return 0;
}

static char *write_pieces(const struct board *b, char *to)
{
	for (unsigned rank = 8; rank--;) {
		unsigned empty = 0;

		for (unsigned sq = 8 * rank; sq < 8 * rank + 8; sq++) {
			if (b->on[sq] == NO_PIECE) {
				empty++;
				continue;
			}
			if (empty)
				*to++ = (char)('0' + empty);
			empty = 0;
			*to++ = letters[b->on[sq] +
					(b->by_side[BLACK] & SET(sq) ? NR_PIECES : 0)];
		}
		if (empty)
			*to++ = (char)('0' + empty);
		*to++ = rank ? '/' : ' ';
	}
	return to;
}

static char *write_castling(const struct board *b, char *to)
{
	for (unsigned i = 0; i < 4; i++)
		if (b->now.castling & 1u << i)
			*to++ = "KQkq"[i];
	if (!b->now.castling)
		*to++ = '-';
	return to;
}

char *fen_write(const struct board *b, char text[FEN_MAX])
{
	char *to = write_pieces(b, text);

	*to++ = b->side == WHITE ? 'w' : 'b';
	*to++ = ' ';
	to = write_castling(b, to);
	*to++ = ' ';
	if (b->now.ep == NO_SQUARE) {
		*to++ = '-';
	} else {
		*to++ = (char)('a' + file_of(b->now.ep));
		*to++ = (char)('1' + rank_of(b->now.ep));
	}
	snprintf(to, (size_t)(text + FEN_MAX - to), " %u %u", b->now.halfmove, b->fullmove);
	return text;
}
