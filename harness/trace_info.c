// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_info - a trace on one screen: where it is from, what is in it, how much of
 * it the engine found again
 */
#include "trace_info.h"
#include "trace_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Per kind, over all streams. */
struct kind_stats {
	uint64_t probes, stores, hits, usable, unique;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t unique_keys(const struct trace *t, unsigned kind)
{
	size_t nr = 0, unique = 0;
	uint64_t *key = xcalloc(t->count[kind * 2] + t->count[kind * 2 + 1], sizeof(*key));

	for (size_t i = 0; i < t->nr_streams; i++)
		for (size_t k = 0; k < t->stream[i].nr; k++)
			if (t->stream[i].op[k].op >> 1 == kind)
				key[nr++] = t->stream[i].op[k].key;
	qsort(key, nr, sizeof(*key), by_value);
	for (size_t i = 0; i < nr; i++)
		unique += !i || key[i] != key[i - 1];
	free(key);
	return unique;
}

static struct kind_stats kind_stats(const struct trace *t, unsigned kind)
{
	struct kind_stats k = {
		.probes = t->count[kind * 2],
		.stores = t->count[kind * 2 + 1],
		.unique = unique_keys(t, kind),
	};

	for (size_t i = 0; i < t->nr_streams; i++)
		for (size_t n = 0; n < t->stream[i].nr; n++) {
			const struct trace_op *o = &t->stream[i].op[n];
			unsigned hit = (o->flags & TRACE_HIT_MASK) >> TRACE_HIT_SHIFT;

			if (o->op != kind * 2)
				continue;
			k.hits += hit != 0;
			k.usable += hit == 2;
		}
	return k;
}

static double ticks_to_seconds(const struct trace *t, uint64_t ticks)
{
	return (double)ticks / (double)t->tsc_hz;
}

static double duration(const struct trace *t)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];

		if (!s->nr)
			continue;
		if (s->start < first)
			first = s->start;
		if (trace_stream_end(s) > last)
			last = trace_stream_end(s);
	}
	return last > first ? ticks_to_seconds(t, last - first) : 0;
}

static uint64_t nr_ops(const struct trace *t)
{
	uint64_t nr = 0;

	for (unsigned op = 0; op < NR_OPS; op++)
		nr += t->count[op];
	return nr;
}

/* A share of nothing is not 0. */
static void print_percent(FILE *f, uint64_t part, uint64_t whole)
{
	if (whole)
		fprintf(f, " %7.1f%%", 100.0 * (double)part / (double)whole);
	else
		fprintf(f, " %8s", "-");
}

static void print_kinds(FILE *f, const struct trace *t)
{
	fprintf(f, "\n  %-6s%10s%10s%12s%9s%9s\n", "kind", "probes", "stores", "unique keys",
		"hits", "usable");
	for (unsigned kind = 0; kind < NR_KINDS; kind++) {
		struct kind_stats k;

		if (!t->count[kind * 2] && !t->count[kind * 2 + 1])
			continue;
		k = kind_stats(t, kind);
		fprintf(f, "  %-6s%10" PRIu64 "%10" PRIu64 "%12" PRIu64, kind_names[kind],
			k.probes, k.stores, k.unique);
		print_percent(f, k.hits, k.probes);
		print_percent(f, k.usable, k.probes);
		fputc('\n', f);
	}
	fputs("  (hits as the engine saw them in its own table, of all probes)\n", f);
	for (enum kind k = 0; k < NR_KINDS; k++) {
		unsigned bits = trace_still_bits(t, k);

		if (bits)
			fprintf(f, "  " TRACE_STILL_BITS "\n", kind_names[k], bits, 64 - bits);
	}
}

static void print_streams(FILE *f, const struct trace *t)
{
	fprintf(f, "\n  %-7s%10s%10s", "thread", "records", "seconds");
	for (unsigned op = 0; op < NR_OPS; op++)
		if (t->count[op])
			fprintf(f, " %*s", op == OP_NEW_GENERATION ? 14 : 10,
				trace_op_names[op]);
	fputc('\n', f);
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		uint64_t count[NR_OPS] = { 0 };

		for (size_t k = 0; k < s->nr; k++)
			count[s->op[k].op]++;
		fprintf(f, "  %-7u%10zu%10.3f", s->thread, s->nr,
			ticks_to_seconds(t, trace_stream_end(s) - s->start));
		for (unsigned op = 0; op < NR_OPS; op++)
			if (t->count[op])
				fprintf(f, " %*" PRIu64, op == OP_NEW_GENERATION ? 14 : 10,
					count[op]);
		fputc('\n', f);
	}
}

void trace_info(FILE *f, const struct trace *t, const char *path, uint64_t file_bytes)
{
	uint64_t nr = nr_ops(t);

	fprintf(f, "%s\n", path);
	fprintf(f, "  source    %s\n", *t->source ? t->source : "(not stated)");
	fprintf(f, "  format    %d\n", TLT_VERSION);
	fprintf(f, "  hash      %016" PRIx64 "\n", t->hash);
	fprintf(f, "  size      %" PRIu64 " bytes", file_bytes);
	if (nr)
		fprintf(f, ", %.2f a record", (double)file_bytes / (double)nr);
	fprintf(f, "\n  records   %" PRIu64 " in %zu stream%s\n", nr, t->nr_streams,
		t->nr_streams == 1 ? "" : "s");
	fprintf(f, "  duration  %.3f s, clock %" PRIu64 " Hz\n", duration(t), t->tsc_hz);
	fprintf(f, "  mate      scores of %" PRId32 " and more\n", t->mate);
	print_kinds(f, t);
	print_streams(f, t);
}
