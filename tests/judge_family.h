/* SPDX-License-Identifier: BSD-2-Clause */
/* judge_family - programs of the judge's model, numbered, so that one can take all or some */
#ifndef TEARLINE_TESTS_JUDGE_FAMILY_H
#define TEARLINE_TESTS_JUDGE_FAMILY_H

#include "judge_model.h"

struct family {
	const char *threads; /* operations of each: "21" */
	enum scheme scheme;
	enum looker looker;
	unsigned nr_slots;
	bool torn; /* starts with pairs of words of different entries, too */
	bool kv;
	bool blind; /* refreshes may rewrite what they read */
};

/* The program of this number; returns how many there are. */
uint64_t family_draw(const struct family *f, uint64_t number, struct program *p);

/* Without K there is nothing to judge. */
bool program_has_k(const struct program *p);

#endif
