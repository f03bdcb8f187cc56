/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model - the semantics of the tables once more, plainly, for one thread
 *
 * Written from the description and not from tables/policy.h: entries are structs with
 * named fields, nothing is packed, nothing is fast. It takes the layout class as
 * parameters; every line-based table must do exactly what this does.
 */
#ifndef TEARLINE_MODEL_H
#define TEARLINE_MODEL_H

#include "policy.h"
#include "table.h"

struct model_entry {
	bool taken;
	uint64_t sig;
	uint32_t move;
	int value;
	unsigned depth, bound, generation;
	bool threat;
	uint64_t kv; /* kind kv: the 63-bit value */
};

/* The layout class. */
struct model_layout {
	enum kind kind;
	uint64_t lines;
	unsigned slots; /* a line, of tt and kv */
	unsigned sig_bits;
	enum refresh refresh;
	int mate;
	bool mate_ply; /* distances are kept, where the ply is known */
	bool mulhi; /* as many lines as there are; else a power of two */
};

struct model {
	struct model_layout is;
	unsigned generation;
	struct model_entry *entry; /* is.lines * is.slots */
	struct counts n;
};

/* What a probe delivers, and a number that sums it up as the loops do. */
struct model_answer {
	bool hit;
	uint64_t word;
};

struct model *model_create(const struct model_layout *layout);
void model_free(struct model *m);
struct model_entry *model_line(struct model *m, uint64_t key);

/* One recorded operation, with its bound settled. */
struct model_answer model_replay(struct model *m, const struct trace_op *op);

/* The first data word an entry has in a table. */
uint64_t model_word(const struct model *m, const struct model_entry *x);

#endif
