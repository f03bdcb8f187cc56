// SPDX-License-Identifier: BSD-2-Clause
#include "info.h"

char *line_text(const struct line *l, char text[LINE_TEXT])
{
	char *at = text;

	*at = 0;
	for (unsigned i = 0; i < l->nr; i++) {
		if (i)
			*at++ = ' ';
		move_text(l->move[i], at);
		at += strlen(at);
	}
	return text;
}

int mate_in(int score)
{
	if (score >= SCORE_MATE)
		return (SCORE_INFINITY - score + 1) / 2;
	if (score <= -SCORE_MATE)
		return -(SCORE_INFINITY + score + 1) / 2;
	return 0;
}

uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * 1e9 / (double)ns) : 0;
}

double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

uint64_t usable_hits(const struct counts *n)
{
	return n->usable[TT_EXACT] + n->usable[TT_LOWER] + n->usable[TT_UPPER];
}
