// SPDX-License-Identifier: BSD-2-Clause
/*
 * seqlock - the plain layout; readers retry, writers exclude each other
 *
 * counter=  side   one for each line, in an array beside the lines
 *           line   in the line: tt and kv have 3 slots then, and the counter in the place of
 *                  the fourth; lines of eval and pawn are full, theirs stays beside
 *           table  one for the whole table: what an engine that counts its stores once has
 * impl=     ck     ck_sequence and a spinlock, as in seqlock.h
 *           c11    C11 atomics and fences, as in seqlock_c11.h
 *
 * A probe compiles to unsync's between two loads of the counter: one with a test of its low
 * bit before the first word, one with a compare behind the last. No fence and no lock prefix
 * on x86-64, with ck as with c11. With the counter in the line both loads are of a line that
 * is needed anyway, at a fixed place in it, and there is a slot less to look at; beside the
 * lines there is one more address to compute and one more line of cache to have, which is
 * prefetched too.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS. Readers are not wait-free: a writer
 * preempted in its section holds up every reader of the counter.
 */
#include "seqlock.h"
#include "seqlock_c11.h"

#define SEQLOCK_CK(name) seqlock_ck_##name
#define SEQLOCK_C11(name) seqlock_c11_##name

#define TABLE seqlock_beside_ck
#define SEQLOCK SEQLOCK_CK
#define SEQLOCK_IN_LINE 0
#include "seqlock_variant.h"

#define TABLE seqlock_beside_c11
#define SEQLOCK SEQLOCK_C11
#define SEQLOCK_IN_LINE 0
#include "seqlock_variant.h"

#define TABLE seqlock_line_ck
#define SEQLOCK SEQLOCK_CK
#define SEQLOCK_IN_LINE 1
#include "seqlock_variant.h"

#define TABLE seqlock_line_c11
#define SEQLOCK SEQLOCK_C11
#define SEQLOCK_IN_LINE 1
#include "seqlock_variant.h"

int seqlock_create_beside(struct table *t, const struct table_params *p, uint64_t counters,
			  struct err *e)
{
	if (line_create(t, p, e))
		return -1;
	/* A zeroed counter is even, and free. */
	if (line_create_side(t, p, (counters ? counters : t->lines) * SEQLOCK_BYTES, e))
		return -1;
	t->guard = t->side.base;
	t->guard_mask = counters ? counters - 1 : UINT64_MAX;
	t->guard_shift = (unsigned)__builtin_ctz(SEQLOCK_BYTES);
	return 0;
}

enum { SEQLOCK_COUNTER, SEQLOCK_IMPL };

static int seqlock_create(struct table *t, const struct table_params *p, struct err *e)
{
	const char *counter = p->option[SEQLOCK_COUNTER];
	bool c11 = !strcmp(p->option[SEQLOCK_IMPL], "c11");
	bool in_line = !strcmp(counter, "line");

	if (in_line)
		t->loops = c11 ? &seqlock_line_c11_loops : &seqlock_line_ck_loops;
	else
		t->loops = c11 ? &seqlock_beside_c11_loops : &seqlock_beside_ck_loops;
	if (in_line && kind_has_slots(p->kind))
		return line_create(t, p, e);
	return seqlock_create_beside(t, p, !strcmp(counter, "table"), e);
}

static struct table_class seqlock_class = {
	.name = "seqlock",
	.summary = "readers retry if a sequence counter moved; writers lock it",
	.reference = "Linux seqlock.h; Boehm 2012; ck_sequence",
	.probe_progress = "blocking (retries while a writer is inside)",
	.store_progress = "blocking",
	.probe_writes = "nothing",
	.promises = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS,
	LINE_CLASS_AS(LINE_KINDS, 64, "18 bytes, eval 24, pawn 72; counter=line: 21.3"),
	.options = { [SEQLOCK_COUNTER] = { "counter", "side|line|table", "side",
					   "one a line beside the lines, one in each line "
					   "(tt, kv: instead of the fourth slot; eval and pawn "
					   "have no room for it), or one for all" },
		     [SEQLOCK_IMPL] = { "impl", "ck|c11", "ck",
					"ck_sequence and a spinlock, or C11 fences" },
		     LINE_OPTIONS },
	.create = seqlock_create,
};
TABLE_REGISTER(seqlock);
