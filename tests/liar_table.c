// SPDX-License-Identifier: BSD-2-Clause
/*
 * liar - a table that promises everything and returns every entry with bits flipped
 *
 * It takes no race: with one thread, or one CPU, it is as wrong. In no build of tearline:
 * only in the program that tests the torture.
 */
#include "line.h"

#define TABLE liar
#define LINE_EXCLUSION LINE_FREE

#include "template.h"

/* Bits of the authenticator (stamp.h): of one in a tt, eval or pawn word, of one in kv. */
#define LIE (1ull << 31 | 1ull << 38)

static __always_inline bool T(load)(const atomic_word *line, unsigned s, uint64_t sig,
				    unsigned nr, uint64_t *word)
{
	bool match = plain_load(line, s, sig, nr, word);

	if (match)
		word[0] ^= LIE;
	return match;
}

#define liar_put plain_put
#define liar_replace plain_replace
#define liar_sig plain_sig

#include "line_table.h"

static int liar_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &liar_loops;
	return line_create(t, p, e);
}

/* Needs no race and never shows what it must: the control that is not caught. */
static const struct control liar_control = {
	.workload = "hot-update:lines=1",
	.threads = 1,
	.shows = 1u << FAULT_TORN | 1u << FAULT_DUPLICATE,
	.planted = "bits flipped, but no duplicates",
};

static struct table_class liar_class = {
	.name = "liar",
	.summary = "promises everything and returns what nobody stored",
	.reference = "none",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	.broken = true,
	LINE_CLASS,
	.options = { LINE_OPTIONS },
	.control = &liar_control,
	.create = liar_create,
};
TABLE_REGISTER(liar);
