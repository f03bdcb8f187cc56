/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * template - what the templates line_table.h and replay.h share
 *
 * T(name) is <TABLE>_name; TABLE may be redefined between two inclusions of a template.
 */
#ifndef TEARLINE_TEMPLATE_H
#define TEARLINE_TEMPLATE_H

#include "audit.h"
#include "table.h"

#define T__(a, b) a##_##b
#define T_(a, b) T__(a, b)
#define T(name) T_(TABLE, name)

/* The local copy a caller gets: word is 0 on a miss. */
struct answer {
	bool hit;
	uint64_t word;
};

/* Audit: is it what the entries say that audit_hit() has been told of? Those are then forgotten. */
bool answer_follows(const struct table *t, struct worker *w, const struct trace_op *op,
		    struct answer a);

/* Opaque to the optimiser: it may not compute without what was in v. */
#define keep(v) __asm__ volatile("" : "+r"(v))

/*
 * What the measured code does with an answer: sum it without looking, branch on it as
 * a search does, or wait for it to form the next key. The empty asm in the arms keeps
 * the branch a branch.
 */
static __always_inline void take_answer(const enum caller caller, struct answer a,
					uint64_t *acc)
{
	switch (caller) {
	case CALLER_BATCH:
		*acc += a.word;
		break;
	case CALLER_BRANCH:
		if (a.hit) {
			*acc += a.word;
			keep(*acc);
		} else {
			*acc ^= 1;
			keep(*acc);
		}
		break;
	case CALLER_CHAIN:
		*acc = a.word;
		keep(*acc);
		break;
	case NR_CALLERS:
		break;
	}
}

#endif
