/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge_rules - the rules of judge_miss() once more, as the specification words them
 *
 * A second reading of the same text, which must come to the same results; and any of the
 * rules can be left out, which shows what it is for.
 */
#ifndef TEARLINE_TESTS_JUDGE_RULES_H
#define TEARLINE_TESTS_JUDGE_RULES_H

#include "judge.h"

enum rule {
	RULE_NONE = 0,
	RULE_PROOF = 1 << 0,
	RULE_SERIAL = 1 << 1,
	RULE_UPDATES = 1 << 2,
	RULE_ONLY = 1 << 3,
	RULE_EARLY = 1 << 4,
	RULE_FOREIGN = 1 << 5,
	RULE_PLACE = 1 << 6,
	RULE_COPY = 1 << 7,
	RULE_EVENT = 1 << 8,
	RULE_BACK = 1 << 9,
	RULE_UNDER = 1 << 10,
	RULE_OPEN = 1 << 11,
	RULE_FROM = 1 << 12,
	RULE_FAR = 1 << 13,
	RULE_HELD = 1 << 14,
};

/* Do the rules, without some of them, prove that the miss is false? */
bool rules_prove(const struct history *h, const struct missed *m, unsigned without);

#endif
