// SPDX-License-Identifier: BSD-2-Clause
/*
 * xor-reread - broken on purpose: xor, but what a probe returns is not what it verified
 *
 * The copy that verified is dropped and the live words are read again; by then they may
 * be another entry's. An engine does this when a probe returns a pointer into the table.
 */
#include "xor.h"

#define TABLE xor_reread
#define LINE_EXCLUSION LINE_FREE

#define xor_reread_put xor_put
#define xor_reread_replace xor_replace
#define xor_reread_sig xor_sig

static __always_inline bool xor_reread_load(const atomic_word *line, unsigned s, uint64_t sig,
					    unsigned nr, uint64_t *word)
{
	if (!xor_load(line, s, sig, nr, word))
		return false;
	xor_read(line, s, nr, word);
	return true;
}

#include "line_table.h"

static int xor_reread_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &xor_reread_loops;
	return line_create(t, p, e);
}

static const struct control xor_reread_control = {
	.workload = "hot-evict:lines=1",
	.threads = 2,
	.shows = 1u << FAULT_TORN,
	.planted = "a probe returns the live words, not the copy it verified",
};

static struct table_class xor_reread_class = {
	.name = "xor-reread",
	.summary = "xor, but a probe that has verified reads the entry once more",
	.reference = "-",
	.probe_progress = "wait-free",
	.store_progress = "wait-free",
	.probe_writes = "nothing",
	.promises = PROMISE_NOTHING,
	LINE_CLASS,
	.broken = true,
	.control = &xor_reread_control,
	.options = { LINE_OPTIONS },
	.create = xor_reread_create,
};
TABLE_REGISTER(xor_reread);
