/* SPDX-License-Identifier: BSD-2-Clause */
/* fixture - one table, one worker, one operation at a time: for tests and the contract */
#ifndef TEARLINE_FIXTURE_H
#define TEARLINE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

struct fixture {
	struct table_spec spec;
	struct table *t;
	struct table *by_kind[NR_KINDS];
	struct worker *w;
};

static inline __attribute__((noreturn)) void fixture_die(const struct err *e)
{
	fprintf(stderr, "%s\n", e->text);
	exit(1);
}

/* Why this machine or build is without the table, or with these options; NULL: it is not. */
static inline const char *fixture_lacks(const char *spec)
{
	const char *why = table_spec_absent(spec);
	struct table_spec parsed;
	struct err e;

	if (!why && !table_spec_parse(spec, &parsed, &e)) {
		why = table_spec_lacks(&parsed);
		table_spec_free(&parsed);
	}
	return why;
}

/* Skip the test for want of it. */
static inline void fixture_needs(const char *spec)
{
	const char *why = fixture_lacks(spec);

	if (!why)
		return;
	printf("skipped: %s: %s\n", spec, why);
	exit(77);
}

static inline void fixture_open(struct fixture *f, const char *spec, enum kind kind,
				uint64_t entries, int mate)
{
	struct table_params p = { .kind = kind,
				  .size = { .entries = entries },
				  .size_text = "size",
				  .threads = 1,
				  .mate = mate };
	struct err e;

	memset(f, 0, sizeof(*f));
	if (table_spec_parse(spec, &f->spec, &e) || table_create(&f->spec, &p, &f->t, &e))
		fixture_die(&e);
	f->by_kind[kind] = f->t;
	f->w = aligned_alloc(128, sizeof(*f->w));
	memset(f->w, 0, sizeof(*f->w));
	if (f->t->class->thread_enter && f->t->class->thread_enter(f->t, f->w, &e))
		fixture_die(&e);
	f->t->class->clear(f->t, 0, 1);
}

static inline void fixture_close(struct fixture *f)
{
	if (f->t->class->thread_leave)
		f->t->class->thread_leave(f->t, f->w);
	table_destroy(f->t);
	table_spec_free(&f->spec);
	free(f->w);
}

/* The first word of the first slot that verifies; 0: none does. */
static inline uint64_t fixture_word(struct fixture *f, uint64_t key)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
	unsigned match = f->t->loops->find(f->t, f->w, key, word);

	return match ? word[__builtin_ctz(match)][0] : 0;
}

static inline bool fixture_find(struct fixture *f, uint64_t key)
{
	return fixture_word(f, key);
}

/* One operation through the measured loop; returns the word of a probe's answer. */
static inline uint64_t fixture_op(struct fixture *f, const struct trace_op *op)
{
	f->w->sink = 0;
	f->t->loops->run[f->t->kind][CALLER_CHAIN](f->by_kind, f->w, op, 1);
	return f->w->sink;
}

/* A store that every kind keeps: exact, some depth. */
static inline struct trace_op store_op(enum kind kind, uint64_t key, uint32_t move)
{
	return (struct trace_op){ .key = key,
				  .op = (uint8_t)(2 * kind + 1),
				  .move = move,
				  .value = 12,
				  .depth = 3,
				  .next_depth = TRACE_DEPTH_UNKNOWN,
				  .flags = BOUND_EXACT << TRACE_BOUND_SHIFT,
				  .ply = TRACE_PLY_UNKNOWN };
}

static inline struct trace_op probe_op(enum kind kind, uint64_t key)
{
	return (struct trace_op){ .key = key,
				  .op = (uint8_t)(2 * kind),
				  .next_depth = TRACE_DEPTH_UNKNOWN,
				  .ply = TRACE_PLY_UNKNOWN };
}

#endif
