// SPDX-License-Identifier: BSD-2-Clause
#include "runner.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "interrupt.h"

/*
 * Operations between two looks at the stop flag, at most. Where a lock is handed over in order
 * and threads share a CPU, each operation takes as many time slices as there are threads. So
 * chunks begin with one operation, double as long as the time keeper does not tick meanwhile,
 * and are one again when it did: no thread asks for the time. As a thread can be alone before
 * the others get their turn, chunks stay short where threads share CPUs, and in an audit,
 * which isn't timed.
 */
#define CHUNK 1024u
#define SHORT_CHUNK 8u
/* A warm-up pass is this long at most: caches and page tables, not the whole trace. */
#define WARM_UP_OPS (256u << 10)
#define WARM_UP_TICKS 25u

static bool is_leader(const struct runner *r)
{
	return r->m.w.id == 0;
}

static bool stopped(const struct run *run)
{
	/* relaxed: a chunk more or less */
	return READ_ONCE32(&run->stop) != STOP_NO;
}

/* What an audit walks at rest is to be a whole epoch's table, if that ends in time. */
static bool must_stop(const struct run *run)
{
	bool whole = run->p->audit && run->p->traffic->clears == CLEARS_BARRIER;

	return READ_ONCE32(&run->stop) >= (whole ? STOP_NOW : STOP_EPOCH);
}

/* The size of the next chunk, by what the last one took. */
static size_t next_chunk(struct runner *r, bool audit)
{
	bool brief = audit || r->run->p->placement->oversubscribed;
	size_t most = brief ? SHORT_CHUNK : CHUNK;
	uint32_t ticks = READ_ONCE32(&r->run->ticks);
	uint32_t took = ticks - r->ticks;

	r->ticks = ticks;
	if (took > 1)
		r->chunk = 1;
	else if (!took)
		r->chunk *= 2;
	r->chunk = r->chunk > most ? most : r->chunk;
	return r->chunk;
}

/*
 * One call where one loop serves all. Where one of several kinds has no table, each run
 * of operations goes to the loop of its own class: only null's can do without a table.
 */
static void replay_by(struct runner *r, table_replay_fn *const *by_kind,
		      const struct trace_op *op, size_t nr)
{
	struct run *run = r->run;
	size_t i = 0;

	shake_inside(&r->shake, true);
	while (i < nr) {
		table_replay_fn *loop = by_kind[op[i].op >> 1];
		size_t to = run->one_loop ? nr : i + 1;

		while (to < nr && by_kind[op[to].op >> 1] == loop)
			to++;
		loop(run->table, &r->m.w, op + i, to - i);
		i = to;
	}
	shake_inside(&r->shake, false);
}

static void replay_ops(struct runner *r, const struct trace_op *op, size_t nr)
{
	/* For the watchdog: an audited loop counts each. */
	if (!r->run->p->audit)
		worker_begins(&r->m.w);
	replay_by(r, r->run->replay, op, nr);
}

/*
 * Speed is what all threads together do while all of them run. Streams are uneven: once
 * the first is through its part of the epoch, the others finish theirs unmeasured, so
 * that every operation is done, and counted, as often as it was recorded.
 */
static void close_window(struct runner *r, uint64_t now)
{
	r->window_open = false;
	r->window_done = r->ops - r->window_ops;
	if (!r->window_done) {
		r->window_end = UINT64_MAX; /* nothing to do: not one of those that ran */
		return;
	}
	r->window_end = now;
	r->busy_ns += now - r->start;
	r->busy_ops += r->window_done;
}

static bool all_run(const struct run *run)
{
	/* relaxed: a chunk more or less */
	return READ_ONCE32(&run->unfinished) == run->threads;
}

/* The time, once it has come, or 0: told to stop meanwhile. */
static uint64_t wait_until(struct runner *r, uint64_t due)
{
	const struct run *run = r->run;
	uint64_t now;

	for (now = now_ns(); now < r->pace.start + due; now = now_ns()) {
		if (must_stop(run))
			return 0;
		worker_begins(&r->m.w);
		if (run->p->placement->oversubscribed)
			sched_yield();
		else
			cpu_relax();
	}
	return now;
}

/* How many of the next `nr` operations are due, once the first is; 0: told to stop. */
static size_t wait_for_ops(struct runner *r, size_t at, size_t nr)
{
	const uint64_t *due = r->stream->due + at;
	uint64_t now = wait_until(r, due[0]);
	struct pace *p = &r->pace;
	size_t n = 0;

	if (!now)
		return 0;
	do
		p->late += now > p->start + due[n] + LATE_NS;
	while (++n < nr && p->start + due[n] <= now);
	return n;
}

/* Operations [at, to) in chunks, until told to stop. Returns where it got to. */
static size_t replay_range(struct runner *r, size_t at, size_t to)
{
	struct run *run = r->run;

	while (at < to && !must_stop(run)) {
		size_t chunk = next_chunk(r, run->p->audit);
		size_t nr = to - at < chunk ? to - at : chunk;

		if (r->pace.on) {
			nr = wait_for_ops(r, at, nr);
			if (!nr)
				break;
		}
		replay_ops(r, r->stream->op + at, nr);
		at += nr;
		r->ops += nr;
		if (r->window_open && !all_run(run))
			close_window(r, now_ns());
	}
	return at;
}

static void new_generation(struct run *run)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			table_new_generation(run->table[k]);
}

/* Everything, by this thread alone, while the others go on. */
static void clear_live(struct runner *r)
{
	struct run *run = r->run;

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			run->table[k]->loops->clear_live(run->table[k], &r->m.w);
}

/* Until all are to meet, the stream's end or the stop flag. */
static void replay_epoch(struct runner *r)
{
	const struct stream *s = r->stream;

	r->epoch = r->at;
	for (;;) {
		bool last = r->event == s->nr_events;
		size_t to = last ? s->nr : s->event[r->event].at;

		r->at = replay_range(r, r->at, to);
		if (r->at < to)
			return;
		if (r->pace.on && !last && !wait_until(r, s->event[r->event].due))
			return;
		r->through = last;
		if (last)
			return;
		switch (s->event[r->event++].type) {
		case EVENT_GENERATION:
			new_generation(r->run);
			break;
		case EVENT_CLEAR:
			clear_live(r);
			break;
		case EVENT_EPOCH:
			return;
		}
	}
}

static void rewind_stream(struct runner *r)
{
	r->at = 0;
	r->event = 0;
	r->through = false;
}

/*
 * Without meetings for clears a repetition needs none either: each thread goes round by
 * itself. Where clears are live, the first also clears between its own laps. With recorded
 * pacing a lap begins when the whole recording is over, for all threads.
 */
static void replay_laps(struct runner *r)
{
	const struct run_params *p = r->run->p;
	bool clears = is_leader(r) && p->traffic->clears == CLEARS_LIVE &&
		      p->traffic->recorded_streams;
	uint64_t laps = 0;

	do {
		if (laps && clears)
			clear_live(r);
		if (laps)
			r->pace.start += p->traffic->span_ns;
		rewind_stream(r);
		replay_epoch(r);
		laps++;
	} while (r->stream->nr && !stopped(r->run) && (p->seconds > 0 || laps < p->passes));
}

/* The operations of this thread in the epoch that ended. */
static void clear_epoch(struct runner *r)
{
	struct run *run = r->run;

	r->m.w.epoch++;
	fetch_add_relaxed(&run->clearing, 1);
	for (enum kind k = 0; k < NR_KINDS; k++) {
		struct table *t = run->table[k];

		if (t && run->clear_whole[k])
			t->class->clear(t, r->m.w.id, run->threads);
		else if (t)
			t->class->clear_ops(t, r->stream->op + r->epoch, r->at - r->epoch);
	}
	fetch_sub_relaxed(&run->clearing, 1);
}

/* Everything, the first touch too. */
static void clear_part(struct runner *r)
{
	struct run *run = r->run;

	fetch_add_relaxed(&run->clearing, 1);
	crew_clear(&r->m);
	fetch_sub_relaxed(&run->clearing, 1);
}

/*
 * This thread's share of the preload, through the same loop as everything. With more threads
 * than CPUs the leader does it all: one lock for all would be handed from thread to thread.
 */
static void preload_part(struct runner *r)
{
	const struct traffic *t = r->run->p->traffic;
	uint64_t per_line = t->preload_per_line,
		 lines = per_line ? t->preload_nr / per_line : 0;
	bool alone = r->run->p->placement->oversubscribed;
	uint64_t parts = alone ? 1 : r->run->threads;
	uint64_t i = lines * r->m.w.id / parts * per_line;
	uint64_t to = lines * (r->m.w.id + 1) / parts * per_line;
	struct trace_op op[64 + MAX_LOOKAHEAD] = { { 0 } };

	if (alone && !is_leader(r))
		return;
	while (i < to && !must_stop(r->run)) {
		size_t nr = 0;

		for (; i < to && nr < 64; i++, nr++)
			op[nr] = t->preload_op(t, i);
		replay_ops(r, op, nr);
	}
}

/* What all keep was cleared: put it back, uncounted. */
static void preload_again(struct runner *r)
{
	struct counts n[NR_KINDS];

	meet_all(&r->run->crew.meet);
	memcpy(n, r->m.w.n, sizeof(n));
	preload_part(r);
	memcpy(r->m.w.n, n, sizeof(n));
}

static void reset_counts(struct runner *r)
{
	memset(r->m.w.n, 0, sizeof(r->m.w.n));
	r->ops = 0;
}

static uint64_t cpu_time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t preemptions(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nivcsw;
}

/* How to clear what the epoch wrote: by its operations if they are fewer than lines. */
#define CLEAR_OP_COST 4 /* lines that memset clears in the time of one operation's */

static void choose_clear(struct run *run)
{
	uint64_t ops = 0;

	for (unsigned i = 0; i < run->threads; i++)
		ops += run->runner[i].at - run->runner[i].epoch;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			run->clear_whole[k] = !run->table[k]->class->clear_ops ||
					      run->p->traffic->preload_nr ||
					      CLEAR_OP_COST * ops > run->table[k]->lines;
}

/*
 * The window of all ends where the first thread's does. Who has a CPU to share may begin after
 * that: what it does then is in no window, though its own rate be as high as a whole CPU's.
 */
void runner_add_epoch(struct run *run)
{
	uint64_t first = UINT64_MAX, last_start = 0, window_end = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *r = &run->runner[i];

		if (r->window_end == UINT64_MAX)
			continue;
		first = r->start < first ? r->start : first;
		last_start = r->start > last_start ? r->start : last_start;
		window_end = r->window_end < window_end ? r->window_end : window_end;
		last = r->end > last ? r->end : last;
	}
	if (!last) /* nobody had anything to do */
		return;
	run->whole_ns += last - first;
	run->window_ns += window_end - first;
	if (window_end > last_start)
		run->overlap_ns += window_end - last_start;
	for (unsigned i = 0; i < run->threads; i++)
		if (run->runner[i].start < window_end)
			run->window_done += run->runner[i].window_done;
}

/* The leader, while all others wait: account the epoch, decide whether to go on. */
static void close_epoch(struct run *run)
{
	bool ended = true;

	for (unsigned i = 0; i < run->threads; i++)
		ended &= run->runner[i].through;
	WRITE_ONCE64(&run->epoch_start, 0);
	WRITE_ONCE64(&run->pace_start, 0);
	runner_add_epoch(run);
	/* [keep.R] release, pairs with [keep.A] */
	smp_store_release(&run->replayed_ns, run->whole_ns);
	choose_clear(run);
	WRITE_ONCE32(&run->unfinished, run->threads);
	run->pass += ended;
	run->done = stopped(run) || (run->p->seconds == 0 && run->pass >= run->p->passes);
	if (run->p->traffic->clears != CLEARS_BARRIER)
		run->done = true;
}

/*
 * From when on operations are due: for all threads from when the first of them began, so that
 * what lies between their operations is as recorded, and nothing is early.
 */
static void start_pace(struct runner *r)
{
	_Atomic uint64_t *start = &r->run->pace_start;

	r->pace.start = 0;
	/* relaxed: a time, and nothing that comes with it */
	if (atomic_compare_exchange_strong_explicit(start, &r->pace.start, r->start,
						    memory_order_relaxed, memory_order_relaxed))
		r->pace.start = r->start;
}

static void measured_epoch(struct runner *r)
{
	struct run *run = r->run;
	bool laps = run->p->traffic->clears != CLEARS_BARRIER;

	if (is_leader(r))
		atomic_store_explicit(&run->epoch_start, now_ns(), memory_order_relaxed);
	if (run->audit.exact)
		exact_enter(run->audit.exact);
	meet_all(&run->crew.meet);
	r->window_open = true;
	r->window_ops = r->ops;
	r->start = now_ns();
	if (r->pace.on)
		start_pace(r);
	shake_start(&r->shake);
	if (laps)
		replay_laps(r);
	else
		replay_epoch(r);
	r->end = now_ns();
	shake_stop(&r->shake);
	if (run->audit.exact)
		exact_leave(run->audit.exact);
	/* Who has nothing to do in an epoch does not end it for the others. */
	if (r->ops != r->window_ops)
		fetch_sub_relaxed(&run->unfinished, 1);
	if (r->window_open)
		close_window(r, r->end);
	meet_all(&run->crew.meet);
	if (is_leader(r))
		close_epoch(run);
	meet_all(&run->crew.meet);
}

static void measure(struct runner *r)
{
	struct run *run = r->run;
	uint64_t before = preemptions(), cpu = cpu_time_ns(), begin = now_ns();

	r->pace.on = run->p->traffic->pacing == PACING_RECORDED;
	for (;;) {
		measured_epoch(r);
		if (run->done)
			break;
		clear_epoch(r);
		if (run->p->traffic->preload_nr)
			preload_again(r);
		if (r->through)
			rewind_stream(r);
	}
	r->preempted = preemptions() - before;
	r->cpu_ns = cpu_time_ns() - cpu;
	r->wall_ns = now_ns() - begin;
}

static void warm_up(struct runner *r)
{
	size_t nr = r->stream->nr < WARM_UP_OPS ? r->stream->nr : WARM_UP_OPS;
	uint32_t begin = READ_ONCE32(&r->run->ticks);

	for (size_t at = 0, n; at < nr && !must_stop(r->run); at += n) {
		size_t chunk = next_chunk(r, false);

		if (r->ticks - begin > WARM_UP_TICKS)
			return;
		n = nr - at < chunk ? nr - at : chunk;
		replay_ops(r, r->stream->op + at, n);
	}
}

/*
 * The table gets old: its streams again and again, until all threads together have done so
 * many operations. What they left is not audited, so it is cleared.
 */
static void grow_old(struct runner *r)
{
	const struct run_params *p = r->run->p;
	uint64_t each = p->age / r->run->threads, end = now_ns() + (uint64_t)(p->age_seconds * 1e9);
	const struct stream *s = r->stream;
	size_t at = 0;

	while (s->nr && r->aged < each && now_ns() < end && !must_stop(r->run)) {
		size_t nr = next_chunk(r, false);

		nr = s->nr - at < nr ? s->nr - at : nr;
		worker_begins(&r->m.w);
		replay_by(r, r->run->age, s->op + at, nr);
		at = at + nr == s->nr ? 0 : at + nr;
		r->aged += nr;
	}
	meet_all(&r->run->crew.meet);
	clear_part(r);
	meet_all(&r->run->crew.meet);
}

/* After the first touch: did the kernel give the pages asked for? */
static void check_pages(struct run *run, struct runner *r)
{
	char got[16];

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k] && mem_pages_got(&run->table[k]->mem, got, &r->m.err))
			r->m.failed = true;
}

void runner_work(struct member *m)
{
	struct runner *r = (struct runner *)m;
	struct run *run = r->run;

	if (run->p->shake)
		m->failed |= shake_open(&r->shake, mix64(run->p->seed + m->w.id), &m->err) < 0;
	clear_part(r);
	meet_all(&run->crew.meet);
	if (is_leader(r))
		check_pages(run, r);
	if (!crew_agrees(m))
		goto out;
	if (run->p->audit && run->p->age)
		grow_old(r);
	preload_part(r);
	meet_all(&run->crew.meet);
	if (!run->p->audit) {
		warm_up(r);
		meet_all(&run->crew.meet);
		/* Preloaded traffic goes on from where it is: it is the same all the time. */
		if (!run->p->traffic->preload_nr)
			clear_part(r);
	}
	reset_counts(r);
	measure(r);
out:
	shake_close(&r->shake);
}
