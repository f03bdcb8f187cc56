// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_csv - a trace as RFC 4180 rows, for whatever reads tables
 *
 * What an operation does not have, or the engine did not know, is an empty field.
 * Nothing here depends on the locale: seconds are written digit by digit.
 */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void put_rows(FILE *f, const struct trace *t)
{
	uint64_t zero = first_tick(t);

	fputs("thread,tick,seconds,op,key,move,value,bound,alpha,beta,hit,depth,next_depth,ply,"
	      "threat,engine_flags\n",
	      f);
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		uint64_t tick = s->start;

		for (size_t k = 0; k < s->nr && !ferror(f); k++) {
			tick += trace_op_gap(&s->op[k]);
			fprintf(f, "%" PRIu32 ",%" PRIu64 ",", s->thread, tick);
			put_seconds(f, tick - zero, t->tsc_hz);
			put_op(f, &s->op[k]);
		}
	}
}

/* Half a table is worse than none; but a device is not ours to remove. */
static void remove_partial(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

int trace_export(const struct trace *t, const char *path, struct err *e)
{
	bool out = !strcmp(path, "-");
	FILE *f = out ? stdout : fopen(path, "we");
	int bad, why;

	if (!f)
		return err_set(e, "%s: cannot write: %s", path, strerror(errno));
	errno = 0;
	put_rows(f, t);
	bad = fflush(f) | ferror(f);
	why = errno;
	if (!out)
		bad |= fclose(f);
	if (!bad)
		return 0;
	if (!out)
		remove_partial(path);
	return err_set(e, "%s: cannot write: %s", out ? "standard output" : path,
		       strerror(why ? why : EIO));
}
