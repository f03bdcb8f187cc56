// SPDX-License-Identifier: BSD-2-Clause
/* What line tables do outside the measured loops: allocate, clear, walk. */
#include "line.h"

static uint64_t floor_pow2(uint64_t x)
{
	return x ? 1ull << (63 - __builtin_clzll(x)) : 0;
}

uint64_t table_lines(enum kind kind, const struct table_size *size)
{
	uint64_t lines = size->bytes ? size->bytes / (line_words(kind) * sizeof(uint64_t))
				     : size->entries / line_slots(kind);

	return lines ? floor_pow2(lines) : 1;
}

int line_create(struct table *t, const struct table_params *p, struct err *e)
{
	uint64_t lines = table_lines(p->kind, &p->size);

	t->bytes = lines * line_words(p->kind) * sizeof(uint64_t);
	if (mem_map(&t->mem, t->bytes, p->pages, p->size_text, e))
		return -1;
	t->word = t->mem.base;
	t->lines = lines;
	t->index_bits = (unsigned)__builtin_ctzll(lines);
	t->shift = 64 - line_shift(p->kind) - t->index_bits;
	t->entries = lines * line_slots(p->kind);
	return 0;
}

int line_create_side(struct table *t, const struct table_params *p, uint64_t bytes,
		     struct err *e)
{
	if (mem_map(&t->side, bytes, p->pages, p->size_text, e)) {
		mem_unmap(&t->mem);
		return -1;
	}
	t->bytes += bytes;
	return 0;
}

void line_clear(struct table *t, unsigned part, unsigned parts)
{
	uint64_t from = t->lines * part / parts;
	uint64_t to = t->lines * (part + 1) / parts;
	uint64_t line_bytes = line_words(t->kind) * sizeof(uint64_t);

	/* No traffic while this runs: the threads meet before and after it. */
	memset((char *)t->word + from * line_bytes, 0, (to - from) * line_bytes);
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

/* Lines are written by stores of their keys only: bumps and refreshes stay inside. */
void line_clear_ops(struct table *t, const struct trace_op *op, size_t nr)
{
	for (const struct trace_op *end = op + nr; op < end; op++) {
		atomic_word *line = line_of(t, t->kind, op->key);

		if (op->op != 2 * t->kind + 1)
			continue;
		/* relaxed: others may be at the same line, with the same zeros */
		for (unsigned i = 0; i < line_words(t->kind); i++)
			WRITE_ONCE64(&line[i], 0);
	}
	WRITE_ONCE64(&t->generation, 0);
}

void line_walk(struct table *t, line_sig_fn *sig, table_walk_fn *fn, void *arg)
{
	unsigned nr = entry_words(t->kind);
	uint64_t word[MAX_ENTRY_WORDS];

	for (uint64_t line = 0; line < t->lines; line++) {
		for (unsigned s = 0; s < line_slots(t->kind); s++) {
			atomic_word *slot =
				t->word + line * line_words(t->kind) + s * slot_words(t->kind);

			for (unsigned i = 0; i < nr; i++)
				word[i] = READ_ONCE64(&slot[1 + i]);
			if (entry_empty(t->kind, word[0]))
				continue;
			fn(arg, &(struct slot_view){
					.line = line,
					.slot = s,
					.sig = sig(READ_ONCE64(&slot[0]), nr, word),
					.word = word,
					.nr_words = nr,
				});
		}
	}
}
