// SPDX-License-Identifier: BSD-2-Clause
/*
 * deal - from recorded streams to one stream a thread
 *
 * Works on operations with absolute time stamps: select, distribute, then split into
 * bare operations and events. A recorded clear is an event of one stream that holds for
 * all: in the others it falls before the first operation that is not earlier. With live
 * clears it stays where it was recorded, and one thread has it, like a new generation.
 */
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPLIT_CHUNK 1024u
#define HUGE_PAGE (2u << 20)

/* From recorded ticks to times of a replay. */
struct recorded_clock {
	uint64_t first, last; /* ticks of the first operation and of whatever came last */
	uint64_t hz; /* 0: nobody asks for times */
};

/* An operation with its time, while it is being dealt. */
struct timed {
	struct trace_op op;
	uint64_t when;
};

struct timed_list {
	struct timed *at;
	size_t nr, room;
};

static void push(struct timed_list *l, const struct timed *t)
{
	if (l->nr == l->room) {
		l->room = l->room ? 2 * l->room : 4096;
		l->at = xrealloc(l->at, l->room * sizeof(*l->at));
	}
	l->at[l->nr++] = *t;
}

/*
 * A store without a bound is replayed as one that occupies a slot and moves a line like
 * the original and never cuts off in practice: with a move (a PV move put back) a lower
 * bound of almost -mate, without one (a static evaluation) an upper bound of almost mate.
 */
static void settle_bound(struct trace_op *op, int mate)
{
	enum trace_bound bound = op->move ? BOUND_LOWER : BOUND_UPPER;

	if (op->op != OP_TT_STORE || trace_op_bound(op) != BOUND_NONE)
		return;
	op->value = (int16_t)(op->move ? -(mate - 1) : mate - 1);
	op->flags = (uint8_t)((op->flags & ~TRACE_BOUND_MASK) | bound << TRACE_BOUND_SHIFT);
}

static bool is_event(const struct trace_op *op)
{
	return op->op == OP_NEW_GENERATION || op->op == OP_CLEAR;
}

/* The operations of one recorded stream that are replayed, with absolute times. */
static struct timed_list select_ops(const struct trace *trace, const struct trace_stream *s,
				    unsigned kinds)
{
	struct timed_list l = { 0 };
	uint64_t when = s->start;

	for (size_t i = 0; i < s->nr; i++) {
		struct timed t = { .op = s->op[i] };

		/* The first gap counts from `start`, which is that operation's time. */
		when += i ? trace_op_gap(&t.op) : 0;
		t.when = when;
		if (!is_event(&t.op) && !(kinds & 1u << (t.op.op >> 1)))
			continue;
		settle_bound(&t.op, trace->mate);
		push(&l, &t);
	}
	return l;
}

/* Merge streams from, from + step, ... by time; ties by stream number. */
static struct timed_list merge(const struct timed_list *in, size_t nr, size_t from, size_t step)
{
	size_t *next = xcalloc(nr, sizeof(*next));
	struct timed_list out = { 0 };

	for (;;) {
		size_t best = nr;

		for (size_t s = from; s < nr; s += step)
			if (next[s] < in[s].nr &&
			    (best == nr ||
			     in[s].at[next[s]].when < in[best].at[next[best]].when))
				best = s;
		if (best == nr)
			break;
		push(&out, &in[best].at[next[best]++]);
	}
	free(next);
	return out;
}

/* Chunk c of the operations goes to sharer c % n; events stay with their chunk. */
static struct timed_list split(const struct timed_list *in, unsigned sharer, unsigned sharers)
{
	struct timed_list out = { 0 };

	for (size_t i = 0; i < in->nr; i++)
		if (i / SPLIT_CHUNK % sharers == sharer)
			push(&out, &in->at[i]);
	return out;
}

/* Is this the very record of that clear? */
static bool is_clear(const struct timed *t, const struct timed *clear)
{
	return t->op.op == OP_CLEAR && t->when == clear->when;
}

/*
 * Is this clear recorded in the stream? Clears are asked for in their order, and *at goes
 * along: where the stream is not before the last one asked for.
 */
static bool holds_clear(const struct timed_list *l, size_t *at, const struct timed *clear)
{
	while (*at < l->nr &&
	       (l->at[*at].when < clear->when ||
		(l->at[*at].when == clear->when && l->at[*at].op.op != OP_CLEAR)))
		++*at;
	return *at < l->nr && is_clear(&l->at[*at], clear);
}

/* The clears that this stream did not record itself. */
static struct timed_list foreign_clears(const struct timed_list *clears,
					const struct timed_list *in)
{
	struct timed_list out = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < clears->nr; i++)
		if (!holds_clear(in, &at, &clears->at[i]))
			push(&out, &clears->at[i]);
	return out;
}

/* Past those of the clears, from number `at` on, that are at or before a time. */
static size_t pass_clears(const struct timed_list *clears, size_t at, uint64_t when)
{
	while (at < clears->nr && clears->at[at].when <= when)
		at++;
	return at;
}

/*
 * The whole stream, rotated by sharer/sharers within each stretch between two events or
 * clears, its own or another stream's, so that these keep their place. Events are the
 * first sharer's only, but for clears for which all meet. The salt leaves the upper 32
 * bits alone, which hold the line index.
 */
static struct timed_list clone(const struct timed_list *in, unsigned sharer, unsigned sharers,
			       uint64_t salt, const struct timed_list *clears)
{
	struct timed_list foreign = foreign_clears(clears, in), out = { 0 };
	size_t from = 0, to, next = 0;

	for (; from < in->nr; from = to) {
		uint64_t end;

		next = pass_clears(&foreign, next, in->at[from].when);
		end = next < foreign.nr ? foreign.at[next].when : UINT64_MAX;
		if (is_event(&in->at[from].op)) {
			to = from + 1;
			if (!sharer || (in->at[from].op.op == OP_CLEAR && clears->nr))
				push(&out, &in->at[from]);
			continue;
		}
		for (to = from + 1;
		     to < in->nr && !is_event(&in->at[to].op) && in->at[to].when < end; to++)
			;
		for (size_t i = 0; i < to - from; i++) {
			size_t turn = (to - from) * sharer / sharers;
			struct timed t = in->at[from + (i + turn) % (to - from)];

			t.op.key ^= salt & 0xffffffffu;
			/* Times keep their order, which places the clears. */
			t.when = in->at[from + i].when;
			push(&out, &t);
		}
	}
	free(foreign.at);
	return out;
}

/* What thread `id` of `threads` gets. */
static struct timed_list deal_one(const struct timed_list *in, size_t nr, unsigned id,
				  unsigned threads, enum deal deal, uint64_t seed,
				  const struct timed_list *clears)
{
	unsigned own = id % nr;
	unsigned sharer = id / (unsigned)nr;
	unsigned sharers = (threads - own + (unsigned)nr - 1) / (unsigned)nr;

	if (threads <= nr)
		return merge(in, nr, id, threads);
	if (deal == DEAL_SPLIT)
		return split(&in[own], sharer, sharers);
	return clone(&in[own], sharer, sharers,
		     deal == DEAL_SALT && id ? mix64(seed + id) | 1 : 0, clears);
}

/* The clears with operations before and after them, ascending, one of several in a row. */
static struct timed_list find_clears(const struct timed_list *in, size_t nr)
{
	struct timed_list all = merge(in, nr, 0, 1), clears = { 0 };
	bool traffic = false;

	for (size_t i = 0; i < all.nr; i++) {
		if (all.at[i].op.op == OP_CLEAR) {
			if (traffic)
				push(&clears, &all.at[i]);
			traffic = false;
		} else if (!is_event(&all.at[i].op)) {
			traffic = true;
		}
	}
	if (clears.nr && !traffic)
		clears.nr--;
	free(all.at);
	return clears;
}

void stream_alloc(struct stream *s, size_t nr)
{
	size_t bytes = (nr + MAX_LOOKAHEAD) * sizeof(*s->op);

	bytes = (bytes + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	memset(s, 0, sizeof(*s));
	s->op = aligned_alloc(HUGE_PAGE, bytes);
	if (!s->op)
		s->op = xcalloc(nr + MAX_LOOKAHEAD, sizeof(*s->op));
	else
		madvise(s->op, bytes, MADV_HUGEPAGE); /* a hint: reading must not miss */
	s->nr = nr;
}

void stream_seal(struct stream *s)
{
	static const struct trace_op nothing;

	for (size_t i = 0; i < MAX_LOOKAHEAD; i++)
		s->op[s->nr + i] = s->nr ? s->op[i % s->nr] : nothing;
}

void stream_event(struct stream *s, size_t at, enum event_type type, uint64_t due)
{
	/* room for the next power of two of them */
	if (!(s->nr_events & (s->nr_events - 1)))
		s->event = xrealloc(s->event, (2 * s->nr_events + 1) * sizeof(*s->event));
	s->event[s->nr_events++] = (struct event){ .at = at, .type = type, .due = due };
}

/* Of all streams. */
static struct recorded_clock find_clock(const struct timed_list *in, size_t nr, uint64_t hz)
{
	struct recorded_clock c = { .first = UINT64_MAX, .hz = hz };

	for (size_t s = 0; s < nr; s++) {
		size_t i = 0;

		while (i < in[s].nr && is_event(&in[s].at[i].op))
			i++;
		if (i < in[s].nr && in[s].at[i].when < c.first)
			c.first = in[s].at[i].when;
		if (in[s].nr && in[s].at[in[s].nr - 1].when > c.last)
			c.last = in[s].at[in[s].nr - 1].when;
	}
	return c;
}

/* Rounded up: never early. What precedes its epoch is due when that begins. */
static uint64_t ticks_to_ns(const struct recorded_clock *c, uint64_t from, uint64_t to)
{
	unsigned __int128 ticks = to > from ? to - from : 0;

	return (uint64_t)((ticks * 1000000000u + c->hz - 1) / c->hz);
}

/* A thread's stream, while it is filled. */
struct filling {
	struct stream *s;
	const struct timed_list *from;
	const struct timed_list *clears; /* for which all meet */
	const struct recorded_clock *clock;
	size_t nr, met; /* operations and clears so far */
	size_t asked; /* see holds_clear() */
	bool own; /* the next clear is recorded here */
};

/* In the epoch that has begun. */
static uint64_t due_ns(const struct filling *f, uint64_t when)
{
	uint64_t begin = f->met ? f->clears->at[f->met - 1].when : f->clock->first;

	return f->clock->hz ? ticks_to_ns(f->clock, begin, when) : 0;
}

static void add_event(struct filling *f, enum event_type type, uint64_t when)
{
	stream_event(f->s, f->nr, type, due_ns(f, when));
}

static void add_op(struct filling *f, const struct timed *t)
{
	if (f->s->due)
		f->s->due[f->nr] = due_ns(f, t->when);
	f->s->op[f->nr++] = t->op;
}

static void look_ahead(struct filling *f)
{
	f->own = f->met < f->clears->nr &&
		 holds_clear(f->from, &f->asked, &f->clears->at[f->met]);
}

static void add_meeting(struct filling *f)
{
	add_event(f, EVENT_EPOCH, f->clears->at[f->met].when);
	f->met++;
	look_ahead(f);
}

/* A clear falls where it was recorded, in other streams before the first operation that is
 * not earlier. */
static bool meets_at(const struct filling *f, const struct timed *t)
{
	const struct timed *clear;

	if (f->met == f->clears->nr)
		return false;
	clear = &f->clears->at[f->met];
	return f->own ? is_clear(t, clear) : t->when >= clear->when;
}

static void alloc(struct filling *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->from->nr; i++)
		nr += !is_event(&f->from->at[i].op);
	stream_alloc(f->s, nr);
	if (f->clock->hz)
		f->s->due = xcalloc(nr, sizeof(*f->s->due));
}

/* Bare operations and events. */
static void fill(struct stream *s, const struct timed_list *from, enum clears how,
		 const struct timed_list *clears, const struct recorded_clock *clock)
{
	struct filling f = { .s = s, .from = from, .clears = clears, .clock = clock };

	alloc(&f);
	look_ahead(&f);
	for (size_t i = 0; i < from->nr; i++) {
		const struct timed *t = &from->at[i];

		while (meets_at(&f, t))
			add_meeting(&f);
		if (t->op.op == OP_NEW_GENERATION)
			add_event(&f, EVENT_GENERATION, t->when);
		else if (t->op.op != OP_CLEAR)
			add_op(&f, t);
		else if (how == CLEARS_LIVE)
			add_event(&f, EVENT_CLEAR, t->when);
	}
	while (f.met < clears->nr)
		add_meeting(&f);
	stream_seal(s);
}

static int check_kinds(const struct trace *trace, unsigned *kinds, struct err *e)
{
	char have[64] = "";

	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (trace->count[2 * k] + trace->count[2 * k + 1])
			snprintf(have + strlen(have), sizeof(have) - strlen(have), "%s%s",
				 *have ? ", " : "", kind_names[k]);
		else if (*kinds & 1u << k)
			*kinds &= ~(1u << k);
	}
	if (*kinds)
		return 0;
	return err_set(e, "--kinds: trace %s holds no operation of these kinds; it has %s",
		       trace->name, *have ? have : "none");
}

static void deal_streams(struct traffic *t, const struct timed_list *in, uint64_t seed,
			 const struct recorded_clock *clock)
{
	struct timed_list cuts = { 0 };
	size_t nr = t->recorded_streams;

	if (t->clears == CLEARS_BARRIER)
		cuts = find_clears(in, nr);
	for (unsigned i = 0; i < t->threads; i++) {
		struct timed_list mine = deal_one(in, nr, i, t->threads, t->deal, seed, &cuts);

		fill(&t->stream[i], &mine, t->clears, &cuts, clock);
		free(mine.at);
	}
	free(cuts.at);
}

static struct traffic *traffic_new(const struct trace *trace, const struct dealing *d,
				   unsigned kinds)
{
	struct traffic *t = xcalloc(1, sizeof(*t));

	snprintf(t->name, sizeof(t->name), "%s", trace->name);
	t->hash = trace->hash;
	t->mate = trace->mate;
	t->kinds = kinds;
	t->threads = d->threads;
	t->clears = d->clears;
	t->deal = d->deal;
	t->pacing = d->pacing;
	t->recorded_streams = trace->nr_streams;
	for (enum kind k = 0; k < NR_KINDS; k++)
		t->still_bits[k] = trace_still_bits(trace, k);
	t->stream = xcalloc(t->threads, sizeof(*t->stream));
	return t;
}

/*
 * What dealing takes at its worst: each operation with its time, in a list that doubles, the
 * same merged to find the clears; then what all threads get of it.
 */
static int check_memory(const struct trace *trace, const struct dealing *d, struct err *e)
{
	uint64_t nr = 0, sharers;
	char *what;
	int ret;

	for (size_t s = 0; s < trace->nr_streams; s++)
		nr += trace->stream[s].nr;
	sharers = d->deal == DEAL_SPLIT || d->threads <= trace->nr_streams
			  ? 1
			  : (d->threads + trace->nr_streams - 1) / trace->nr_streams;
	what = xasprintf("--trace %s: %ju operations for %u threads", trace->name,
			 (uintmax_t)nr, d->threads);
	ret = mem_check(4 * nr * sizeof(struct timed) +
				nr * sharers * (sizeof(struct trace_op) + sizeof(uint64_t)),
			what, e);
	free(what);
	return ret;
}

int traffic_from_trace(const struct trace *trace, const struct dealing *d, struct traffic **out,
		       struct err *e)
{
	bool paced = d->pacing == PACING_RECORDED;
	unsigned kinds = d->kinds;
	struct recorded_clock clock;
	struct timed_list *in;
	struct traffic *t;
	int ret = 0;

	if (check_kinds(trace, &kinds, e) || check_memory(trace, d, e))
		return -1;
	t = traffic_new(trace, d, kinds);
	in = xcalloc(trace->nr_streams, sizeof(*in));
	for (size_t s = 0; s < trace->nr_streams; s++)
		in[s] = select_ops(trace, &trace->stream[s], kinds);
	clock = find_clock(in, trace->nr_streams, paced ? trace->tsc_hz : 0);
	if (clock.hz)
		t->span_ns = ticks_to_ns(&clock, clock.first, clock.last);
	if (paced && !t->span_ns) {
		ret = err_set(e,
			      "--pacing recorded: trace %s has no times: no clock, or all with "
			      "the same stamp",
			      trace->name);
		traffic_free(t);
	} else {
		deal_streams(t, in, d->seed, &clock);
		*out = t;
	}
	for (size_t s = 0; s < trace->nr_streams; s++)
		free(in[s].at);
	free(in);
	return ret;
}

void traffic_free(struct traffic *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->threads; i++) {
		free(t->stream[i].op);
		free(t->stream[i].due);
		free(t->stream[i].event);
	}
	free(t->stream);
	free(t);
}

void traffic_count(const struct traffic *t, uint64_t count[NR_OPS])
{
	memset(count, 0, NR_OPS * sizeof(*count));
	for (unsigned i = 0; i < t->threads; i++)
		for (size_t j = 0; j < t->stream[i].nr; j++)
			count[t->stream[i].op[j].op]++;
}

void traffic_keys(const struct traffic *t, enum kind kind, struct key_set *out)
{
	uint64_t count[NR_OPS];
	uint64_t preloaded = t->kinds & 1u << kind ? t->preload_nr : 0;
	uint64_t *key;
	size_t nr = 0;

	traffic_count(t, count);
	key = xcalloc(count[2 * kind + 1] + preloaded, sizeof(*key));
	for (unsigned i = 0; i < t->threads; i++)
		for (size_t j = 0; j < t->stream[i].nr; j++)
			if (t->stream[i].op[j].op == 2 * kind + 1)
				key[nr++] = t->stream[i].op[j].key;
	for (uint64_t i = 0; i < preloaded; i++) {
		struct trace_op op = t->preload_op(t, i);

		if (op.op == 2 * kind + 1)
			key[nr++] = op.key;
	}
	key_set_make(out, key, nr);
}
