// SPDX-License-Identifier: BSD-2-Clause
#include "run.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "interrupt.h"
#include "meet.h"

/* Operations between two looks at the stop flag. */
#define CHUNK 1024u
/* A warm-up pass is this long at most: caches and page tables, not the whole trace. */
#define WARM_UP_OPS (256u << 10)
#define TICK_NS 10000000

struct run;

struct runner {
	struct worker w; /* first: on its own lines */
	struct run *run;
	const struct stream *stream;
	pthread_t thread;
	struct err err;
	bool failed;
	size_t epoch, at; /* where the epoch began in the stream; next operation */
	bool through; /* the stream was played to its end */
	size_t event; /* next event */
	uint64_t start, end; /* of the epoch */
	/* The window: from the start until one thread is through its part of the epoch. */
	bool window_open;
	uint64_t window_end, window_ops; /* time; operations before it */
	uint64_t busy_ns, busy_ops; /* in windows */
	uint64_t ops, preempted; /* in all */
	uint64_t cpu_ns, wall_ns; /* had of the CPU while measuring, and could have had */
};

struct run {
	const struct run_params *p;
	struct table *table[NR_KINDS];
	table_replay_fn *replay[NR_KINDS]; /* the loop that serves a kind's operations */
	bool one_loop; /* all are the same */
	struct runner *runner;
	unsigned threads;
	struct meet meet;
	pthread_mutex_t starting; /* held until all threads are there, or will not be */
	struct audit audit;
	sem_t finished;
	_Atomic bool stop; /* chunks end */
	_Atomic uint32_t unfinished; /* threads not yet through their part of the epoch */
	/* written by the leader between two meetings, read by all after the second */
	bool abandon, done;
	bool clear_whole[NR_KINDS]; /* the table, and not what the epoch wrote */
	uint64_t pass;
	uint64_t whole_ns, window_ns, overlap_ns; /* over all epochs */
	_Atomic uint64_t epoch_start; /* 0 while the clock stands; for the time keeper */
	_Atomic uint64_t replayed_ns; /* in the epochs before */
};

static bool is_leader(const struct runner *r)
{
	return r->w.id == 0;
}

static bool stopped(const struct run *run)
{
	/* relaxed: a chunk more or less */
	return atomic_load_explicit(&run->stop, memory_order_relaxed);
}

/*
 * One call where one loop serves all. Where one of several kinds has no table, each run
 * of operations goes to the loop of its own class: only null's can do without a table.
 */
static void replay_ops(struct runner *r, const struct trace_op *op, size_t nr)
{
	struct run *run = r->run;
	size_t i = 0;

	while (i < nr) {
		table_replay_fn *loop = run->replay[op[i].op >> 1];
		size_t to = run->one_loop ? nr : i + 1;

		while (to < nr && run->replay[op[to].op >> 1] == loop)
			to++;
		loop(run->table, &r->w, op + i, to - i);
		i = to;
	}
}

/*
 * Speed is what all threads together do while all of them run. Streams are uneven: once
 * the first is through its part of the epoch, the others finish theirs unmeasured, so
 * that every operation is done, and counted, as often as it was recorded.
 */
static void close_window(struct runner *r)
{
	if (!r->window_open)
		return;
	r->window_open = false;
	r->window_end = now_ns();
	if (r->ops == r->window_ops) {
		r->window_end = UINT64_MAX; /* nothing to do: not one of those that ran */
		return;
	}
	r->busy_ns += r->window_end - r->start;
	r->busy_ops += r->ops - r->window_ops;
}

static bool all_run(const struct run *run)
{
	/* relaxed: a chunk more or less */
	return READ_ONCE32(&run->unfinished) == run->threads;
}

/* Operations [at, to) in chunks, until told to stop. Returns where it got to. */
static size_t replay_range(struct runner *r, size_t at, size_t to)
{
	struct run *run = r->run;
	/* What an audit walks at rest is to be a whole epoch's table. */
	bool whole = run->p->audit && run->p->traffic->clears == CLEARS_BARRIER;

	while (at < to && (whole || !stopped(run))) {
		size_t nr = to - at < CHUNK ? to - at : CHUNK;

		replay_ops(r, r->stream->op + at, nr);
		at += nr;
		r->ops += nr;
		if (!all_run(run))
			close_window(r);
	}
	return at;
}

static void new_generation(struct run *run)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			table_new_generation(run->table[k]);
}

/* Until the next clear, the stream's end or the stop flag. */
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
		r->through = last;
		if (last || s->event[r->event++].type == EVENT_EPOCH)
			return;
		new_generation(r->run);
	}
}

static void rewind_stream(struct runner *r)
{
	r->at = 0;
	r->event = 0;
	r->through = false;
}

/* Without clears a repetition needs no meeting: each thread goes round by itself. */
static void replay_laps(struct runner *r)
{
	const struct run_params *p = r->run->p;
	uint64_t laps = 0;

	do {
		rewind_stream(r);
		replay_epoch(r);
		laps++;
	} while (r->stream->nr && !stopped(r->run) && (p->seconds > 0 || laps < p->passes));
}

/* The operations of this thread in the epoch that ended. */
static void clear_epoch(struct runner *r)
{
	struct run *run = r->run;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		struct table *t = run->table[k];

		if (t && run->clear_whole[k])
			t->class->clear(t, r->w.id, run->threads);
		else if (t)
			t->class->clear_ops(t, r->stream->op + r->epoch, r->at - r->epoch);
	}
}

/* Everything, the first touch too. */
static void clear_part(struct runner *r)
{
	struct run *run = r->run;

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			run->table[k]->class->clear(run->table[k], r->w.id, run->threads);
}

/* This thread's share of the preloaded keys, through the same loop as everything. */
static void preload_part(struct runner *r)
{
	const struct traffic *t = r->run->p->traffic;
	uint64_t per_line = t->preload_per_line,
		 lines = per_line ? t->preload_nr / per_line : 0;
	uint64_t i = lines * r->w.id / r->run->threads * per_line;
	uint64_t to = lines * (r->w.id + 1) / r->run->threads * per_line;
	struct trace_op op[64 + MAX_LOOKAHEAD] = { { 0 } };

	while (i < to) {
		size_t nr = 0;

		for (; i < to && nr < 64; i++, nr++)
			op[nr] = (struct trace_op){ .key = t->preload_key(t, i),
						    .op = OP_KV_STORE,
						    .move = (uint32_t)i };
		replay_ops(r, op, nr);
	}
}

static void reset_counts(struct runner *r)
{
	memset(r->w.n, 0, sizeof(r->w.n));
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
					      CLEAR_OP_COST * ops > run->table[k]->lines;
}

/* The leader, while all others wait: account the epoch, decide whether to go on. */
static void close_epoch(struct run *run)
{
	uint64_t first = UINT64_MAX, last_start = 0, window_end = UINT64_MAX, last = 0;
	bool ended = true;

	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *r = &run->runner[i];

		ended &= r->through;
		if (r->window_end == UINT64_MAX)
			continue;
		first = r->start < first ? r->start : first;
		last_start = r->start > last_start ? r->start : last_start;
		window_end = r->window_end < window_end ? r->window_end : window_end;
		last = r->end > last ? r->end : last;
	}
	WRITE_ONCE64(&run->epoch_start, 0);
	if (!last) /* nobody had anything to do */
		goto out;
	run->whole_ns += last - first;
	run->window_ns += window_end - first;
	if (window_end > last_start)
		run->overlap_ns += window_end - last_start;
out:
	/* [keep.R] release, pairs with [keep.A] */
	smp_store_release(&run->replayed_ns, run->whole_ns);
	choose_clear(run);
	WRITE_ONCE32(&run->unfinished, run->threads);
	run->pass += ended;
	run->done = stopped(run) || (run->p->seconds == 0 && run->pass >= run->p->passes);
	if (run->p->traffic->clears == CLEARS_DROP)
		run->done = true;
}

static void measured_epoch(struct runner *r)
{
	struct run *run = r->run;
	bool drop = run->p->traffic->clears == CLEARS_DROP;

	if (is_leader(r))
		atomic_store_explicit(&run->epoch_start, now_ns(), memory_order_relaxed);
	if (run->audit.exact)
		exact_enter(run->audit.exact);
	meet_all(&run->meet);
	r->window_open = true;
	r->window_ops = r->ops;
	r->start = now_ns();
	if (drop)
		replay_laps(r);
	else
		replay_epoch(r);
	r->end = now_ns();
	if (run->audit.exact)
		exact_leave(run->audit.exact);
	/* Who has nothing to do in an epoch does not end it for the others. */
	if (r->ops != r->window_ops)
		atomic_fetch_sub_explicit(&run->unfinished, 1, memory_order_relaxed);
	close_window(r);
	meet_all(&run->meet);
	if (is_leader(r))
		close_epoch(run);
	meet_all(&run->meet);
}

static void measure(struct runner *r)
{
	struct run *run = r->run;
	uint64_t before = preemptions(), cpu = cpu_time_ns(), begin = now_ns();

	for (;;) {
		measured_epoch(r);
		if (run->done)
			break;
		clear_epoch(r);
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

	replay_range(r, 0, nr);
}

/* Pin and enter; on failure the run is abandoned by all. */
static int prepare(struct runner *r)
{
	struct run *run = r->run;
	const struct run_params *p = run->p;

	if (topo_bind_self(p->topo, p->placement->cpu[r->w.id], &r->err))
		return -1;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k] && run->table[k]->class->thread_enter &&
		    run->table[k]->class->thread_enter(run->table[k], &r->w, &r->err))
			return -1;
	return 0;
}

/* After the first touch: did the kernel give the pages asked for? */
static void check_pages(struct run *run, struct runner *r)
{
	char got[16];

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k] && mem_pages_got(&run->table[k]->mem, got, &r->err))
			r->failed = true;
}

static void *runner_main(void *arg)
{
	struct runner *r = arg;
	struct run *run = r->run;

	pthread_mutex_lock(&run->starting);
	pthread_mutex_unlock(&run->starting);
	if (run->abandon)
		return NULL;
	r->failed = prepare(r);
	meet_all(&run->meet);
	if (is_leader(r))
		for (unsigned i = 0; i < run->threads; i++)
			run->abandon |= run->runner[i].failed;
	meet_all(&run->meet);
	if (run->abandon)
		goto out;
	clear_part(r);
	meet_all(&run->meet);
	if (is_leader(r)) {
		check_pages(run, r);
		run->abandon = r->failed;
	}
	meet_all(&run->meet);
	if (run->abandon)
		goto out;
	preload_part(r);
	meet_all(&run->meet);
	if (!run->p->audit) {
		warm_up(r);
		meet_all(&run->meet);
		/* Preloaded traffic goes on from where it is: it is the same all the time. */
		if (!run->p->traffic->preload_nr)
			clear_part(r);
	}
	reset_counts(r);
	measure(r);
out:
	if (is_leader(r))
		sem_post(&run->finished);
	return NULL;
}

/* Until the leader is done: stop the run when it has measured for long enough. */
static void keep_time(struct run *run)
{
	uint64_t limit = (uint64_t)(run->p->seconds * 1e9);
	struct timespec until;

	for (;;) {
		uint64_t start, measured;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TICK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (!sem_clockwait(&run->finished, CLOCK_MONOTONIC, &until))
			return;
		if (interrupted())
			atomic_store_explicit(&run->stop, true, memory_order_relaxed);
		if (!limit)
			continue;
		/*
		 * [keep.A] acquire, pairs with [keep.R]: with an epoch's time comes the end of
		 * its clock, so that an epoch that ends just now is not counted twice.
		 */
		measured = smp_load_acquire(&run->replayed_ns);
		start = READ_ONCE64(&run->epoch_start);
		measured += start ? now_ns() - start : 0;
		if (run->p->tick)
			run->p->tick(run->p->tick_arg, (double)measured * 1e-9);
		if (measured >= limit)
			atomic_store_explicit(&run->stop, true, memory_order_relaxed);
	}
}

static void choose_loops(struct run *run)
{
	const struct run_params *p = run->p;
	bool several = p->traffic->kinds & (p->traffic->kinds - 1);
	table_replay_fn *first = NULL;

	run->one_loop = true;
	for (enum kind k = 0; k < NR_KINDS; k++) {
		const struct table_loops *loops = run->table[k] ? run->table[k]->loops : NULL;
		unsigned kind = several ? LOOP_MIXED : k;

		if (!loops)
			continue;
		run->replay[k] = p->audit ? loops->audit[kind] : loops->run[kind][p->caller];
		first = first ? first : run->replay[k];
		run->one_loop &= run->replay[k] == first;
	}
}

static int create_tables(struct run *run, struct err *e)
{
	const struct run_params *p = run->p;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		struct table_params tp = { .kind = k,
					   .size = p->size[k],
					   .size_text = p->size_text[k],
					   .pages = p->pages,
					   .threads = run->threads,
					   .mate = p->traffic->mate };

		if (!(p->traffic->kinds & 1u << k))
			continue;
		if (table_create(p->table, &tp, &run->table[k], e))
			return -1;
	}
	choose_loops(run);
	return 0;
}

static void destroy_tables(struct run *run)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		table_destroy(run->table[k]);
}

/* The workload is made for lines; other tables hold its keys if they are few enough. */
static bool nothing_evicts(const struct table *t, const struct audit *a)
{
	return t && t->entries && (t->class->lines || a->keys[KIND_KV].nr <= t->never_evicts);
}

static void audit_begin(struct run *run)
{
	const struct run_params *p = run->p;

	run->audit.seed = mix64(p->seed ^ 0x7465617261756474ull);
	run->audit.sig_bits = p->table->class->sig_bits;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			traffic_keys(p->traffic, k, &run->audit.keys[k]);
	if (p->traffic->updates_only && nothing_evicts(run->table[KIND_KV], &run->audit))
		run->audit.exact = exact_create(&run->audit.keys[KIND_KV]);
}

static void audit_end(struct run *run)
{
	exact_free(run->audit.exact);
	for (enum kind k = 0; k < NR_KINDS; k++)
		free(run->audit.keys[k].key);
}

static int start_threads(struct run *run, struct err *e)
{
	unsigned started = 0;
	int error = 0;

	pthread_mutex_lock(&run->starting);
	for (; started < run->threads; started++) {
		struct runner *r = &run->runner[started];

		r->run = run;
		r->w.id = started;
		r->w.lookahead = run->p->lookahead;
		r->w.audit = run->p->audit ? &run->audit : NULL;
		r->stream = &run->p->traffic->stream[started];
		error = pthread_create(&r->thread, NULL, runner_main, r);
		if (error)
			break;
	}
	run->abandon = error;
	pthread_mutex_unlock(&run->starting);
	if (!error)
		return 0;
	for (unsigned i = 0; i < started; i++)
		pthread_join(run->runner[i].thread, NULL);
	return err_set(e, "--threads %u: cannot start thread %u: %s", run->threads, started,
		       strerror(error));
}

static void join_threads(struct run *run)
{
	for (unsigned i = 0; i < run->threads; i++)
		pthread_join(run->runner[i].thread, NULL);
}

static void collect_times(const struct run *run, struct run_result *r)
{
	uint64_t busy = 0, ops = 0, cpu = 0, wall = 0;

	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *one = &run->runner[i];

		r->ops += one->ops;
		for (enum kind k = 0; k < NR_KINDS; k++)
			r->ops -= one->w.n[k].skipped;
		busy += one->busy_ns;
		ops += one->busy_ops;
		r->preempted += one->preempted;
		cpu += one->cpu_ns;
		wall += one->wall_ns;
		if (one->busy_ns)
			r->mops += (double)one->busy_ops * 1e3 / (double)one->busy_ns;
	}
	r->seconds = (double)run->window_ns * 1e-9;
	r->cpu_share = wall ? (double)cpu / (double)wall : 1;
	r->replay_seconds = (double)run->whole_ns * 1e-9;
	r->overlap = run->whole_ns ? (double)run->overlap_ns / (double)run->whole_ns : 0;
	r->ns_per_op = ops ? (double)busy / (double)ops : 0;
}

static int collect_tables(struct run *run, struct run_result *r, struct err *e)
{
	for (enum kind k = 0; k < NR_KINDS; k++) {
		struct table *t = run->table[k];
		struct run_table *out = &r->table[k];

		if (!t)
			continue;
		out->bytes = t->bytes;
		out->entries = t->entries;
		for (unsigned i = 0; i < run->threads; i++)
			counts_add(&out->n, &run->runner[i].w.n[k]);
		if (mem_pages_got(&t->mem, out->page_size, e))
			return -1;
		if (run->p->audit)
			audit_rest(&run->audit, t, &out->rest);
	}
	if (run->audit.exact) {
		r->exact = true;
		r->false_misses = exact_false_misses(run->audit.exact);
		r->lost_stores = exact_lost_stores(run->audit.exact);
	}
	return 0;
}

static int first_failure(const struct run *run, struct err *e)
{
	for (unsigned i = 0; i < run->threads; i++) {
		if (run->runner[i].failed) {
			*e = run->runner[i].err;
			return -1;
		}
	}
	return 0;
}

int run_cell(const struct run_params *p, struct run_result *r, struct err *e)
{
	struct run run = { .p = p,
			   .threads = p->traffic->threads,
			   .starting = PTHREAD_MUTEX_INITIALIZER };
	uint64_t begin = now_ns();
	int ret = -1;

	memset(r, 0, sizeof(*r));
	run.meet.parties = run.threads;
	run.unfinished = run.threads;
	run.runner = aligned_alloc(128, run.threads * sizeof(*run.runner));
	if (!run.runner)
		return err_set(e, "--threads %u: out of memory", run.threads);
	memset(run.runner, 0, run.threads * sizeof(*run.runner));
	sem_init(&run.finished, 0, 0);
	if (create_tables(&run, e))
		goto out_tables;
	if (p->audit)
		audit_begin(&run);
	if (start_threads(&run, e))
		goto out_audit;
	keep_time(&run);
	join_threads(&run);
	if (first_failure(&run, e))
		goto out_audit;
	collect_times(&run, r);
	ret = collect_tables(&run, r, e);
out_audit:
	audit_end(&run);
out_tables:
	destroy_tables(&run);
	sem_destroy(&run.finished);
	free(run.runner);
	r->whole_seconds = (double)(now_ns() - begin) * 1e-9;
	return ret;
}

int run_check(const struct run_params *p, struct err *e)
{
	struct run run = { .p = p, .threads = p->traffic->threads };
	int ret = create_tables(&run, e);

	destroy_tables(&run);
	return ret;
}

/* Long enough to be steady, short enough to be taken with every cell. */
#define FLOOR_SECONDS 0.05

int run_floor(const struct run_params *p, const char *table, double *ns, struct err *e)
{
	struct run_params floor = *p;
	struct table_spec spec;
	struct run_result r;
	int ret;

	if (table_spec_parse(table, &spec, e))
		return -1;
	floor.table = &spec;
	floor.audit = false;
	floor.tick = NULL;
	floor.seconds = FLOOR_SECONDS;
	ret = run_cell(&floor, &r, e);
	*ns = r.ns_per_op;
	table_spec_free(&spec);
	return ret;
}
