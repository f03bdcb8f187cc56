// SPDX-License-Identifier: BSD-2-Clause
/* What line tables do outside the measured loops: allocate, clear, walk. */
#include "line.h"

static uint64_t floor_pow2(uint64_t x)
{
	return x ? 1ull << (63 - __builtin_clzll(x)) : 0;
}

/* Lines of so many bytes and slots that the size has room for, at least one. */
static uint64_t lines_for(const struct table_size *size, unsigned bytes, unsigned slots)
{
	uint64_t lines = size->bytes ? size->bytes / bytes : size->entries / slots;

	return lines ? lines : 1;
}

uint64_t table_lines(enum kind kind, const struct table_size *size)
{
	return floor_pow2(lines_for(size, line_bytes(kind), kind_has_slots(kind) ? 4 : 1));
}

static unsigned bytes_of(const struct table *t)
{
	return t->loops->shape->bytes[t->kind];
}

int line_create(struct table *t, const struct table_params *p, struct err *e)
{
	unsigned chosen_by = (unsigned)__builtin_popcountll(t->fraction_mask);
	unsigned bytes = t->loops->shape->bytes[p->kind];
	uint64_t lines;

	t->slots = t->loops->shape->slots[p->kind];
	lines = lines_for(&p->size, bytes, t->slots);
	if (!t->mulhi)
		lines = floor_pow2(lines);
	else if (chosen_by < 64 && lines > 1ull << chosen_by)
		lines = 1ull << chosen_by; /* no key would reach the others */
	t->bytes = lines * bytes;
	if (mem_map(&t->mem, t->bytes, p->pages, p->size_text, e))
		return -1;
	t->word = t->mem.base;
	t->lines = lines;
	t->entries = lines * t->slots;
	/* See line_offset(): to the bits within a line, or to the bit below the index. */
	t->shift = 64 - (unsigned)__builtin_ctzll(lines) -
		   (bytes & (bytes - 1) ? 1 : (unsigned)__builtin_ctz(bytes));
	return 0;
}

uint64_t line_number(const struct table *t, uint64_t key)
{
	return line_offset(t, bytes_of(t), key) / bytes_of(t);
}

unsigned table_sig_counts(const struct table *t)
{
	unsigned bits = (unsigned)__builtin_popcountll(t->sig_mask), index = 0;

	if (!t->class->lines)
		return bits;
	while (index < 63 && 1ull << index < t->lines)
		index++;
	/* index=mulhi leaves a signature's bits out of the fraction, if they are few */
	if (t->mulhi && !(t->fraction_mask & t->sig_mask))
		return bits;
	return bits + index > 64 ? 64 - index : bits;
}

/* The first key of a line. */
static uint64_t first_key(const struct table *t, uint64_t line)
{
	unsigned __int128 at = (unsigned __int128)line << 64;
	uint64_t first = (uint64_t)((at + t->lines - 1) / t->lines);

	/* Bits that choose no line come to nothing: the next key with none of them. */
	if (t->mulhi && first & ~t->fraction_mask)
		first = (first | ~t->fraction_mask) + 1;
	return first;
}

void line_keys(const struct table *t, uint64_t line, uint64_t *first, uint64_t *last)
{
	*first = first_key(t, line);
	*last = line + 1 < t->lines ? first_key(t, line + 1) - 1 : UINT64_MAX;
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

	/* No traffic while this runs: the threads meet before and after it. */
	memset((char *)t->word + from * bytes_of(t), 0, (to - from) * bytes_of(t));
	if (part == 0)
		WRITE_ONCE64(&t->generation, 0);
}

/* Lines are written by stores of their keys only: bumps and refreshes stay inside. */
void line_clear_ops(struct table *t, const struct trace_op *op, size_t nr)
{
	/* Others may be at the same line, with the same zeros. */
	for (const struct trace_op *end = op + nr; op < end; op++)
		if (op->op == 2 * t->kind + 1)
			t->loops->shape->wipe(t->kind, line_of(t, bytes_of(t), op->key));
	WRITE_ONCE64(&t->generation, 0);
}

void line_walk(struct table *t, table_walk_fn *fn, void *arg)
{
	unsigned nr = entry_words(t->kind);
	uint64_t word[MAX_ENTRY_WORDS];

	for (uint64_t i = 0; i < t->lines; i++) {
		const atomic_word *line = (void *)((char *)t->word + i * bytes_of(t));

		for (unsigned s = 0; s < t->slots; s++) {
			uint64_t sig = t->loops->shape->at_rest(t->kind, line, s, word);

			if (entry_empty(t->kind, word[0]))
				continue;
			fn(arg, &(struct slot_view){
					.line = i,
					.slot = s,
					.sig = sig,
					.word = word,
					.nr_words = nr,
				});
		}
	}
}
