// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_csv - a trace as RFC 4180 rows, for whatever reads tables
 *
 * What an operation does not have, or the engine did not know, is an empty field.
 * Nothing here depends on the locale: seconds are written digit by digit.
 */
#include "output.h"
#include "trace.h"

#include <inttypes.h>

static const char *const bound_names[] = { "none", "upper", "lower", "exact" };
static const char *const hit_names[] = { "miss", "hit", "usable" };

static void put_seconds(FILE *f, uint64_t ticks, uint64_t hz)
{
	uint64_t ns = (uint64_t)((unsigned __int128)(ticks % hz) * 1000000000u / hz);

	fprintf(f, "%" PRIu64 ".%09" PRIu64, ticks / hz, ns);
}

static void put_probe(FILE *f, const struct trace_op *o)
{
	unsigned hit = (o->flags & TRACE_HIT_MASK) >> TRACE_HIT_SHIFT;

	fprintf(f, ",,,,%d,%" PRId32 ",%s", o->value, o->beta, hit_names[hit]);
}

static void put_store(FILE *f, const struct trace_op *o)
{
	fprintf(f, ",%" PRIu32 ",%d,%s,,,", o->move, o->value, bound_names[trace_op_bound(o)]);
}

static void put_event(FILE *f, const struct trace_op *o)
{
	fprintf(f, ",%" PRIu32 ",%d,,,,", o->move, o->value);
}

static void put_op(FILE *f, const struct trace_op *o)
{
	fprintf(f, ",%s,0x%016" PRIx64, trace_op_names[o->op], o->key);
	if (trace_op_is_probe(o->op))
		put_probe(f, o);
	else if (trace_op_is_store(o->op))
		put_store(f, o);
	else
		put_event(f, o);
	fprintf(f, ",%u,", o->depth);
	if (o->next_depth != TRACE_DEPTH_UNKNOWN)
		fprintf(f, "%u", o->next_depth);
	fputc(',', f);
	if (o->ply != TRACE_PLY_UNKNOWN)
		fprintf(f, "%u", o->ply);
	fprintf(f, ",%u,%u\n", o->flags & TRACE_THREAT, o->flags >> TRACE_ENGINE_SHIFT);
}

static uint64_t first_tick(const struct trace *t)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < t->nr_streams; i++)
		if (t->stream[i].nr && t->stream[i].start < first)
			first = t->stream[i].start;
	return first;
}

#define ROWS_UNASKED 4096 /* between two looks whether a signal waits */

/* -1: interrupted. What cannot be written shows at the end. */
static int put_rows(struct output *o, const struct trace *t)
{
	FILE *f = o->f;
	uint64_t zero = first_tick(t);

	fputs("thread,tick,seconds,op,key,move,value,bound,alpha,beta,hit,depth,next_depth,ply,"
	      "threat,engine_flags\n",
	      f);
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		uint64_t tick = s->start;

		for (size_t k = 0; k < s->nr && !output_failed(o); k++) {
			tick += trace_op_gap(&s->op[k]);
			fprintf(f, "%" PRIu32 ",%" PRIu64 ",", s->thread, tick);
			put_seconds(f, tick - zero, t->tsc_hz);
			put_op(f, &s->op[k]);
			if (k % ROWS_UNASKED == 0 && output_interrupted())
				return -1;
		}
	}
	return 0;
}

int trace_export(const struct trace *t, const char *path, struct err *e)
{
	struct output o;

	if (output_begin(&o, path, true, e))
		return -1;
	if (!put_rows(&o, t))
		return output_end(&o, true, e);
	/* The signal that waits ends the process in output_end(), unless it is caught. */
	output_end(&o, false, e);
	return err_set(e, "%s: interrupted", path);
}
