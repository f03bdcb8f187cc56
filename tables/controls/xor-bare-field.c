// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor-bare-field - broken on purpose: xor, but a refresh writes the generation bits alone
 *
 * The signature still folds the old generation in, so the entry verifies for nobody from
 * then on: it takes no race, only a new generation and a hit. An engine does this when it
 * updates an age field in place.
 *
 * refresh=cas compares before it writes, and leaves the signature out just so.
 */
#include "xor.h"

#define TABLE xor_bare_field
#define LINE_EXCLUSION LINE_FREE
#define LINE_REFRESH

#define xor_bare_field_load xor_load
#define xor_bare_field_put xor_put
#define xor_bare_field_replace plain_replace
#define xor_bare_field_sig xor_sig

static __always_inline void xor_bare_field_rewrite(atomic_word *line, unsigned s, uint64_t sig,
						   uint64_t old, uint64_t new)
{
	atomic_word *slot = SLOT(line, s, 1);

	WRITE_ONCE64(&slot[1], tt_refreshed(READ_ONCE64(&slot[1]), tt_generation(new)));
}

#include "line_table.h"

static int xor_bare_field_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor_bare_field_loops;
	return line_create(t, p, e);
}

static const struct control xor_bare_field_control = {
	/* Few stores: alone, a store is seen lost if it was the last of its line. */
	.workload = "generation:lines=64,store=10",
	.threads = 1,
	.shows = 1u << FAULT_UNUSABLE | 1u << FAULT_LOST,
	.planted = "a refresh writes the generation bits alone",
	.witness = true,
};

static struct table_class xor_bare_field_class = {
	.name = "xor-bare-field",
	.summary = "xor, but a refresh writes the generation and leaves the signature",
	.reference = "-",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NO_TEAR | PROMISE_HONEST_KEYS,
	LINE_CLASS,
	.broken = true,
	.control = &xor_bare_field_control,
	.options = { LINE_OPTIONS },
	.create = xor_bare_field_create,
};
TABLE_REGISTER(xor_bare_field);
