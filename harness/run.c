// SPDX-License-Identifier: BSD-2-Clause
#include "run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "quota.h"
#include "runner.h"
#include "stacks.h"

/* How often the time keeper looks. */
#define TICK_NS 10000000
/* After a signal an operation that was begun may end, and memory that is cleared, for so long. */
#define PATIENCE_NS 1500000000u

/* What changes as long as any thread gets anywhere. */
static uint64_t operations_begun(const struct run *run)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < run->threads; i++)
		sum += READ_ONCE64(&run->runner[i].m.w.begun);
	return sum;
}

struct watchdog {
	uint64_t begun, since; /* operations; when they were last seen to have changed */
	uint64_t looks; /* since then: a machine that stood still is not looked at */
};

/*
 * Slow is not hung: one operation by one thread will do, and threads that wait for it at
 * a meeting or at rest are fed by it. A clear at a meeting waits for nobody, so it is not
 * watched; a live one counts its lines.
 */
static void watch(struct run *run, struct watchdog *dog)
{
	const struct run_params *p = run->p;
	uint64_t begun = operations_begun(run), now = now_ns();

	/* relaxed: a clear that begins or ends just now is seen by the next look */
	if (begun != dog->begun || READ_ONCE32(&run->clearing)) {
		dog->begun = begun;
		dog->since = now;
		dog->looks = 0;
	} else if (++dog->looks * TICK_NS >= p->watchdog_ns &&
		   now - dog->since >= p->watchdog_ns) {
		stacks_print(run);
		p->hung(p->hung_arg);
	}
}

/* One signal ends a run, also one whose threads wait for each other for ever. */
static void end_by_signal(struct run *run, uint64_t *since)
{
	uint64_t now = now_ns();

	WRITE_ONCE32(&run->stop, STOP_NOW);
	if (!*since)
		*since = now;
	if (now - *since < PATIENCE_NS)
		return;
	fprintf(stderr,
		"interrupted: after %.1f s not all of %u threads had come to the end of an "
		"operation: left as they are\n",
		PATIENCE_NS * 1e-9, run->threads);
	fflush(NULL);
	_exit(EXIT_INTERRUPTED);
}

/* Until all threads are done: stop the run when it has measured for long enough. */
static void keep_time(struct run *run)
{
	uint64_t limit = (uint64_t)(run->p->seconds * 1e9), signal = 0;
	struct watchdog dog = { .since = now_ns() };
	struct timespec until;

	for (;;) {
		uint64_t start, measured;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TICK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (crew_ended(&run->crew, &until))
			return;
		fetch_add_relaxed(&run->ticks, 1);
		if (interrupted())
			end_by_signal(run, &signal);
		if (run->p->hung)
			watch(run, &dog);
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
		/* An interrupt's order stands. */
		if (measured >= limit && READ_ONCE32(&run->stop) == STOP_NO)
			WRITE_ONCE32(&run->stop, STOP_EPOCH);
		if (measured >= limit + limit / 2)
			WRITE_ONCE32(&run->stop, STOP_NOW);
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
		run->age[k] = loops->run[kind][p->caller];
		run->replay[k] = p->audit ? loops->audit[kind] : run->age[k];
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

/* Has every line room for all of its keys? Those of a line are neighbours. */
static bool lines_suffice(const struct table *t, const struct key_set *keys)
{
	uint64_t line = 0;
	unsigned in_line = 0;

	for (size_t i = 0; i < keys->nr; i++) {
		uint64_t next = line_number(t, keys->key[i]);

		in_line = i && next == line ? in_line + 1 : 1;
		line = next;
		if (in_line > t->slots)
			return false;
	}
	return true;
}

/* Does the table hold all the keys there are, whatever the order in which they come? */
static bool nothing_evicts(const struct table *t, const struct audit *a)
{
	if (!t || !t->entries)
		return false;
	if (t->class->lines)
		return lines_suffice(t, &a->keys[KIND_KV]);
	return a->keys[KIND_KV].nr <= t->never_evicts;
}

static int create_witness(struct run *run, enum kind k, struct err *e)
{
	const struct table *t = run->table[k];

	if (!t || t->class->floor || !run->p->witness)
		return 0;
	run->audit.witness[k] =
		witness_create(t->class->lines ? t->lines : WITNESS_COUNTERS, run->threads);
	return run->audit.witness[k] ? 0
				     : err_set(e, "--mode audit: no memory for the witness");
}

static int audit_begin(struct run *run, struct err *e)
{
	const struct run_params *p = run->p;

	run->audit.seed = audit_seed(p->seed);
	run->audit.own_serials = p->traffic->own_serials;
	run->audit.threads = run->threads;
	run->audit.sig_bits = table_spec_sig_bits(p->table);
	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (run->table[k])
			traffic_keys(p->traffic, k, &run->audit.keys[k]);
		if (create_witness(run, k, e))
			return -1;
	}
	if (p->traffic->updates_only && nothing_evicts(run->table[KIND_KV], &run->audit))
		run->audit.exact = exact_create(&run->audit.keys[KIND_KV]);
	return 0;
}

static void audit_end(struct run *run)
{
	exact_free(run->audit.exact);
	for (enum kind k = 0; k < NR_KINDS; k++) {
		free(run->audit.keys[k].key);
		witness_free(run->audit.witness[k]);
	}
	for (unsigned i = 0; i < run->threads; i++)
		free(run->runner[i].m.w.lost);
}

/* Of the windows: where not all threads have begun for so much of them, there is no speed. */
#define TOGETHER_LOW 0.5

/*
 * The speed of all is the sum of what each does while it runs, and never more than was done in
 * the time: threads that take turns at a CPU each run at its full speed.
 */
static void collect_speed(const struct run *run, uint64_t busy_ns, uint64_t busy_ops,
			  struct run_result *r)
{
	double window = (double)run->window_ns, most = (double)run->window_done * 1e3 / window;

	r->mops = r->ns_per_op = NAN;
	if (!busy_ops || !run->window_ns || (double)run->overlap_ns < TOGETHER_LOW * window)
		return;
	r->mops = 0;
	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *one = &run->runner[i];

		if (one->busy_ns)
			r->mops += (double)one->busy_ops * 1e3 / (double)one->busy_ns;
	}
	r->mops = fmin(r->mops, most);
	r->ns_per_op = (double)busy_ns / (double)busy_ops;
}

void run_collect_times(const struct run *run, struct run_result *r)
{
	uint64_t busy = 0, ops = 0, cpu = 0, wall = 0;

	for (unsigned i = 0; i < run->threads; i++) {
		const struct runner *one = &run->runner[i];

		r->ops += one->ops;
		for (enum kind k = 0; k < NR_KINDS; k++)
			r->ops -= one->m.w.n[k].skipped;
		busy += one->busy_ns;
		ops += one->busy_ops;
		r->preempted += one->preempted;
		r->shaken += READ_ONCE64(&one->shake.stops);
		r->aged += one->aged;
		r->late += one->pace.late;
		cpu += one->cpu_ns;
		wall += one->wall_ns;
	}
	collect_speed(run, busy, ops, r);
	r->seconds = (double)run->window_ns * 1e-9;
	r->cpu_share = wall ? (double)cpu / (double)wall : 1;
	r->replay_seconds = (double)run->whole_ns * 1e-9;
	r->overlap = run->whole_ns ? (double)run->overlap_ns / (double)run->whole_ns : 0;
}

static int collect_tables(struct run *run, struct run_result *r, struct err *e)
{
	struct worker **worker = xcalloc(run->threads, sizeof(*worker));

	for (unsigned i = 0; i < run->threads; i++)
		worker[i] = &run->runner[i].m.w;
	for (enum kind k = 0; k < NR_KINDS; k++) {
		struct table *t = run->table[k];
		struct run_table *out = &r->table[k];

		if (!t)
			continue;
		out->bytes = t->bytes;
		out->entries = t->entries;
		out->sig_bits = table_spec_sig_bits(run->p->table);
		out->sig_counts = table_sig_counts(t);
		out->n = run->crew.n[k];
		/* A table that is known to contradict itself is not believed either. */
		if (out->n.contradictions) {
			out->n.false_misses -= out->n.on_its_word;
			out->n.possible += out->n.on_its_word;
		}
		if (mem_pages_got(&t->mem, out->page_size, e)) {
			free(worker);
			return -1;
		}
		out->witness = run->audit.witness[k] != NULL;
		if (run->p->audit)
			audit_rest(&run->audit, t, worker, run->threads, &out->rest);
	}
	free(worker);
	if (run->audit.exact) {
		r->exact = true;
		r->proved = exact_proved(run->audit.exact);
		r->overclaimed = exact_overclaimed(run->audit.exact);
		r->false_misses = exact_false_misses(run->audit.exact);
		r->lost_stores = exact_lost_stores(run->audit.exact);
	}
	return 0;
}

static int open_crew(struct run *run, struct err *e)
{
	const struct run_params *p = run->p;

	run->crew = (struct crew){ .topo = p->topo,
				   .placement = p->placement,
				   .table = run->table,
				   .work = runner_work };
	if (crew_open(&run->crew, sizeof(*run->runner), e))
		return -1;
	run->runner = run->crew.member;
	for (unsigned i = 0; i < run->threads; i++) {
		struct runner *r = &run->runner[i];

		r->run = run;
		r->stream = &p->traffic->stream[i];
		r->chunk = 1;
		r->m.w.lookahead = p->lookahead;
		r->m.w.audit = p->audit ? &run->audit : NULL;
	}
	return 0;
}

int run_cell(const struct run_params *p, struct run_result *r, struct err *e)
{
	struct run run = { .p = p, .threads = p->traffic->threads };
	uint64_t begin = now_ns(), throttled;
	int ret = -1;

	assert(p->placement->nr == run.threads);
	memset(r, 0, sizeof(*r));
	run.unfinished = run.threads;
	if (open_crew(&run, e))
		return -1;
	if (create_tables(&run, e))
		goto out_tables;
	if (p->audit && audit_begin(&run, e))
		goto out_audit;
	if (p->hung)
		stacks_prepare();
	throttled = quota_throttled(QUOTA_SELF, QUOTA_MOUNT);
	if (crew_start(&run.crew, e))
		goto out_audit;
	keep_time(&run);
	if (crew_join(&run.crew, e))
		goto out_audit;
	r->throttled = quota_throttled(QUOTA_SELF, QUOTA_MOUNT) - throttled;
	run_collect_times(&run, r);
	ret = collect_tables(&run, r, e);
out_audit:
	audit_end(&run);
out_tables:
	destroy_tables(&run);
	crew_close(&run.crew);
	r->whole_seconds = (double)(now_ns() - begin) * 1e-9;
	return ret;
}

void run_faults(const struct run_result *r, uint64_t fault[NR_FAULTS])
{
	memset(fault, 0, NR_FAULTS * sizeof(*fault));
	for (enum kind k = 0; k < NR_KINDS; k++) {
		const struct run_table *t = &r->table[k];

		fault[FAULT_TORN] += t->n.torn;
		fault[FAULT_WRONG_KEY] += t->n.wrong_key;
		fault[FAULT_FALSE_MISS] += t->n.false_misses;
		fault[FAULT_STALE] += t->n.stale;
		fault[FAULT_LOST] += t->n.lost + t->rest.lost_stores;
		fault[FAULT_UNUSABLE] += t->rest.unusable_slots;
		fault[FAULT_DUPLICATE] += t->rest.duplicate_keys;
		fault[FAULT_WRONG_ANSWER] += t->n.wrong_answers;
		fault[FAULT_GHOST] += t->n.ghosts;
		fault[FAULT_DEAD_PAIR] += t->n.dead_pairs;
		fault[FAULT_CONTRADICTION] += t->n.contradictions;
	}
	if (r->exact)
		fault[FAULT_FALSE_MISS] = r->false_misses;
	/* Exact mode sees a key gone, the judge also an update of which the key survived. */
	if (r->exact && r->lost_stores > fault[FAULT_LOST])
		fault[FAULT_LOST] = r->lost_stores;
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
