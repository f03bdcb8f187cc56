// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_cut - a part of a trace that is still one recording
 *
 * Streams belong together in time: taking so many operations off each would pair
 * the beginning of one with the end of another. So the window is cut in the merged
 * order, by tick, ties by stream number, the order replay uses when it merges.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* One stream on its way through the merge. */
struct cursor {
	const struct trace_stream *s;
	size_t at;
	uint64_t tick; /* of op[at] */
	struct trace_stream *to;
	uint64_t last; /* tick of the last operation kept */
	unsigned kinds;
};

static bool wanted(const struct cursor *c)
{
	unsigned op = c->s->op[c->at].op;

	return op >= OP_NEW_GENERATION || c->kinds >> (op >> 1) & 1;
}

/* Put the cursor on the next wanted operation at or after `at`. */
static void settle(struct cursor *c)
{
	while (c->at < c->s->nr && !wanted(c)) {
		c->at++;
		if (c->at < c->s->nr)
			c->tick += trace_op_gap(&c->s->op[c->at]);
	}
}

static void step(struct cursor *c)
{
	c->at++;
	if (c->at < c->s->nr)
		c->tick += trace_op_gap(&c->s->op[c->at]);
	settle(c);
}

static struct cursor *earliest(struct cursor *c, size_t nr)
{
	struct cursor *best = NULL;

	for (size_t i = 0; i < nr; i++)
		if (c[i].at < c[i].s->nr && (!best || c[i].tick < best->tick))
			best = &c[i];
	return best;
}

static int keep(struct cursor *c, struct err *e)
{
	struct trace_stream *to = c->to;
	uint64_t gap = to->nr ? c->tick - c->last : 0;

	if (gap >> 40)
		return err_set(
			e, "thread %u: operation %zu would be 2^40 ticks after the one before",
			to->thread, c->at);
	if (!to->nr)
		to->start = c->tick;
	to->op[to->nr] = c->s->op[c->at];
	to->op[to->nr].gap_lo = (uint32_t)gap;
	to->op[to->nr].gap_hi = (uint8_t)(gap >> 32);
	to->nr++;
	c->last = c->tick;
	return 0;
}

static bool thread_listed(const struct trace_window *w, uint32_t thread)
{
	for (size_t i = 0; w->threads && i < w->nr_threads; i++)
		if (w->threads[i] == thread)
			return true;
	return !w->threads;
}

static int check_threads(const struct trace *t, const struct trace_window *w, struct err *e)
{
	for (size_t i = 0; w->threads && i < w->nr_threads; i++) {
		bool found = false;

		for (size_t k = 0; k < t->nr_streams; k++)
			found |= t->stream[k].thread == w->threads[i];
		if (!found)
			return err_set(e, "no thread %u in this trace", w->threads[i]);
	}
	return 0;
}

static struct trace *like(const struct trace *t, const struct trace_window *w, struct cursor *c)
{
	struct trace *cut = trace_new(t->nr_streams);
	size_t nr = 0;

	memcpy(cut->source, t->source, sizeof(cut->source));
	memcpy(cut->name, t->name, sizeof(cut->name));
	cut->tsc_hz = t->tsc_hz;
	cut->mate = t->mate;
	for (size_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];
		struct trace_stream *to = &cut->stream[nr];

		if (!thread_listed(w, s->thread))
			continue;
		to->thread = s->thread;
		to->start = s->start;
		to->op = xcalloc(s->nr, sizeof(*to->op));
		c[nr] = (struct cursor){ .s = s, .to = to, .kinds = w->kinds ? w->kinds : ~0u };
		c[nr].tick = s->start + (s->nr ? trace_op_gap(&s->op[0]) : 0);
		settle(&c[nr++]);
	}
	cut->nr_streams = nr;
	return cut;
}

int trace_cut(const struct trace *t, const struct trace_window *w, struct trace **out,
	      struct err *e)
{
	struct cursor *c = xcalloc(t->nr_streams, sizeof(*c)), *next;
	struct trace *cut = like(t, w, c);
	uint64_t kept = 0, seen = 0;
	int ret = check_threads(t, w, e);

	while (!ret && kept < w->ops && (next = earliest(c, cut->nr_streams))) {
		if (seen++ >= w->from) {
			ret = keep(next, e);
			kept++;
		}
		step(next);
	}
	if (!ret && !kept)
		ret = err_set(
			e, "nothing is left: the window is behind the last of %ju operations",
			(uintmax_t)seen);
	if (ret) {
		trace_free(cut);
	} else {
		trace_finish(cut);
		*out = cut;
	}
	free(c);
	return ret;
}
