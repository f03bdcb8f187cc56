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
#define CHUNK 4096u
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
	size_t at; /* next operation of the stream */
	size_t event; /* next event */
	uint64_t start, end; /* of the epoch */
	uint64_t busy_ns, ops, preempted;
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
	uint64_t pass;
	uint64_t overlap_ns, wall_ns;
	_Atomic uint64_t epoch_start; /* 0 while the clock stands; for the time keeper */
	_Atomic uint64_t measured_ns;
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
	}
	return at;
}

/*
 * A run for a time is to be one of all threads all the time: who is through before the
 * others starts its stretch of operations again until the last is through. Events are
 * not repeated. Runs by passes do everything once and wait.
 */
static void fill_time(struct runner *r, size_t from, size_t to)
{
	struct run *run = r->run;

	if (run->p->seconds == 0)
		return;
	/* relaxed: a chunk more or less */
	atomic_fetch_sub_explicit(&run->unfinished, 1, memory_order_relaxed);
	for (size_t at = from; from < to && READ_ONCE32(&run->unfinished) && !stopped(run);) {
		size_t nr = to - at < CHUNK ? to - at : CHUNK;

		replay_ops(r, r->stream->op + at, nr);
		r->ops += nr;
		at = at + nr == to ? from : at + nr;
	}
}

static void new_generation(struct run *run)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			table_new_generation(run->table[k]);
}

/* Until the next clear, the stream's end or the stop flag; counts operations. */
static void replay_epoch(struct runner *r)
{
	const struct stream *s = r->stream;
	size_t begin = r->at;

	for (;;) {
		bool last = r->event == s->nr_events;
		size_t to = last ? s->nr : s->event[r->event].at;
		size_t from = r->at;

		r->at = replay_range(r, from, to);
		r->ops += r->at - from;
		if (r->at < to)
			return;
		if (last || s->event[r->event++].type == EVENT_EPOCH)
			break;
		new_generation(r->run);
	}
	if (r->run->p->traffic->clears == CLEARS_BARRIER)
		fill_time(r, begin, r->at);
}

static bool stream_ended(const struct runner *r)
{
	return r->at == r->stream->nr && r->event == r->stream->nr_events;
}

static void rewind_stream(struct runner *r)
{
	r->at = 0;
	r->event = 0;
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
	uint64_t i = t->preload_nr * r->w.id / r->run->threads;
	uint64_t to = t->preload_nr * (r->w.id + 1) / r->run->threads;
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

static uint64_t preemptions(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nivcsw;
}

/* The leader, while all others wait: account the epoch, decide whether to go on. */
static void close_epoch(struct run *run)
{
	uint64_t first = UINT64_MAX, last_start = 0, first_end = UINT64_MAX, last = 0;
	bool ended = true;

	atomic_store_explicit(&run->epoch_start, 0, memory_order_relaxed);
	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *r = &run->runner[i];

		first = r->start < first ? r->start : first;
		last_start = r->start > last_start ? r->start : last_start;
		first_end = r->end < first_end ? r->end : first_end;
		last = r->end > last ? r->end : last;
		ended &= stream_ended(r);
	}
	run->wall_ns += last - first;
	if (first_end > last_start)
		run->overlap_ns += first_end - last_start;
	atomic_store_explicit(&run->measured_ns, run->wall_ns, memory_order_relaxed);
	WRITE_ONCE32(&run->unfinished, run->threads);
	run->pass += ended;
	run->done = stopped(run) || (run->p->seconds == 0 && run->pass >= run->p->passes);
	if (run->p->traffic->clears == CLEARS_DROP)
		run->done = true;
}

static void measured_epoch(struct runner *r)
{
	struct run *run = r->run;

	meet_all(&run->meet);
	r->start = now_ns();
	if (is_leader(r))
		atomic_store_explicit(&run->epoch_start, r->start, memory_order_relaxed);
	if (run->p->traffic->clears == CLEARS_DROP)
		replay_laps(r);
	else
		replay_epoch(r);
	r->end = now_ns();
	r->busy_ns += r->end - r->start;
	meet_all(&run->meet);
	if (is_leader(r))
		close_epoch(run);
	meet_all(&run->meet);
}

static void measure(struct runner *r)
{
	struct run *run = r->run;
	uint64_t before = preemptions();

	for (;;) {
		measured_epoch(r);
		if (run->done)
			break;
		if (stream_ended(r))
			rewind_stream(r);
		clear_part(r);
	}
	r->preempted = preemptions() - before;
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

static void leave_tables(struct runner *r)
{
	struct run *run = r->run;

	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k] && run->table[k]->class->thread_leave)
			run->table[k]->class->thread_leave(run->table[k], &r->w);
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
		goto out_leave;
	preload_part(r);
	meet_all(&run->meet);
	if (!run->p->audit) {
		warm_up(r);
		meet_all(&run->meet);
		if (run->p->traffic->clears == CLEARS_BARRIER)
			clear_part(r);
	}
	reset_counts(r);
	measure(r);
	if (run->audit.exact)
		exact_leave(run->audit.exact);
out_leave:
	meet_all(&run->meet);
	leave_tables(r);
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

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (!sem_timedwait(&run->finished, &until))
			return;
		if (interrupted())
			atomic_store_explicit(&run->stop, true, memory_order_relaxed);
		if (!limit)
			continue;
		start = atomic_load_explicit(&run->epoch_start, memory_order_relaxed);
		measured = atomic_load_explicit(&run->measured_ns, memory_order_relaxed);
		if (measured + (start ? now_ns() - start : 0) >= limit)
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

static void audit_begin(struct run *run)
{
	const struct run_params *p = run->p;

	run->audit.seed = mix64(p->seed ^ 0x7465617261756474ull);
	run->audit.sig_bits = p->table->class->sig_bits;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (run->table[k])
			traffic_keys(p->traffic, k, &run->audit.keys[k]);
	if (p->traffic->updates_only && run->table[KIND_KV] && run->table[KIND_KV]->entries)
		run->audit.exact = exact_create(&run->audit.keys[KIND_KV], run->threads);
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
	uint64_t busy = 0;

	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *one = &run->runner[i];

		r->ops += one->ops;
		busy += one->ops ? one->busy_ns : 0;
		r->preempted += one->preempted;
		if (one->busy_ns)
			r->mops += (double)one->ops * 1e3 / (double)one->busy_ns;
	}
	r->seconds = (double)run->wall_ns * 1e-9;
	r->overlap = run->wall_ns ? (double)run->overlap_ns / (double)run->wall_ns : 0;
	r->ns_per_op = r->ops ? (double)busy / (double)r->ops : 0;
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
	floor.seconds = FLOOR_SECONDS;
	ret = run_cell(&floor, &r, e);
	*ns = r.ns_per_op;
	table_spec_free(&spec);
	return ret;
}
