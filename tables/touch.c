// SPDX-License-Identifier: BSD-2-Clause
/*
 * touch - loads one word of the line and nothing else: the memory limit
 *
 * Probes and stores alike: what no table that looks at its line can undercut. The word
 * loaded depends on the key, as a search of the line would; it never matches anything.
 */
#include "floor.h"
#include "line.h"
#include "template.h"

#define TABLE touch

static __always_inline void touch_prefetch(const enum kind kind, const struct table *t,
					   uint64_t key)
{
	__builtin_prefetch((const void *)line_of(t, line_bytes(kind), key), 0, 3);
}

static __always_inline uint64_t touch_word(const enum kind kind, const struct table *t,
					   uint64_t key)
{
	return READ_ONCE64(line_of(t, line_bytes(kind), key));
}

static __always_inline struct answer touch_probe(const enum kind kind, struct table *t,
						 struct worker *w, const struct trace_op *op,
						 uint64_t key, struct counts *n,
						 const bool audit, struct table_answer *whole)
{
	return (struct answer){ .hit = false, .word = touch_word(kind, t, key) };
}

static __always_inline void touch_store(const enum kind kind, struct table *t, struct worker *w,
					const struct trace_op *op, const uint64_t *own,
					uint64_t key, struct counts *n, const bool audit)
{
	uint64_t word = touch_word(kind, t, key);

	keep(word);
}

/* As many lines as other tables get; what is in them is nobody's business. */
static const struct line_shape touch_shape = {
	.slots = { [KIND_TT] = 4, [KIND_PAWN] = 1, [KIND_EVAL] = 1, [KIND_KV] = 4 },
	.bytes = { [KIND_TT] = line_bytes(KIND_TT),
		   [KIND_PAWN] = line_bytes(KIND_PAWN),
		   [KIND_EVAL] = line_bytes(KIND_EVAL),
		   [KIND_KV] = line_bytes(KIND_KV) },
};

#define REPLAY_SHAPE &touch_shape
#define touch_find floor_find
#define touch_walk floor_walk
#define touch_clear_live floor_clear_live
#include "replay.h"

static int touch_create(struct table *t, const struct table_params *p, struct err *e)
{
	t->loops = &touch_loops;
	return line_create(t, p, e);
}

static struct table_class touch_class = {
	.name = "touch",
	.summary = "loads one word of the line: the memory limit",
	.reference = "-",
	FLOOR_CLASS,
	.options = { INDEX_OPTION },
	.create = touch_create,
	.clear = line_clear,
};
TABLE_REGISTER(touch);
