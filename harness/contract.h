/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contract - what every table must do on one thread
 *
 * What was stored is found, a clear leaves nothing, keys 0 and ~0 are keys like any other, loops
 * and single operations agree; and a table that is made of lines does exactly what the plain
 * model (model.h) does. Tables of this tree are held to it by the tests, one in a shared object
 * also before it is tortured: what is wrong without a race needs none to be found.
 */
#ifndef TEARLINE_CONTRACT_H
#define TEARLINE_CONTRACT_H

#include "table.h"
#include "traffic.h"

struct contract {
	const char *spec;
	const struct table_class *class;
	enum kind kind; /* under way */
	struct err *e;
};

struct contract_check {
	const char *what;
	int (*run)(struct contract *c);
};
/* All but the model; the last has no name. */
extern const struct contract_check contract_checks[];

/* 0, or -1: what was expected. */
int contract_check(const struct contract_check *check, const char *spec, struct err *e);

/*
 * Operations of one kind on a line table with so many entries, and on the model: answers,
 * counts, and in the end every slot. 0, or -1: what differs, and where.
 */
int contract_identity(const char *spec, enum kind kind, uint64_t entries, const struct stream *s,
		    int mate, struct err *e);

/* All of it, with traffic of its own for the model. 0 or -1. */
int contract_run(const char *spec, struct err *e);

#endif
