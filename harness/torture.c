// SPDX-License-Identifier: BSD-2-Clause
#include "torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "interrupt.h"
#include "plugin.h"
#include "progress.h"
#include "report.h"
#include "torture_slice.h"

/* Operations of a thread before they repeat: what differs is who meets whom. */
#define SLICE_OPS "16384"
/* Long enough to warm up to each other, short enough to try many things. */
#define SLICE_MIN 0.2
#define SLICE_MAX 1.0
/* Making the traffic, the walk at rest: not in a slice's seconds, but in the user's. */
#define SLICE_SHARE 0.8

/* A few lines, which all threads fight for, a thousand, and more than a cache holds. */
static const char *const sizes[] = { "16e", "4096e", "262144e" };
#define AGED_SIZE "2097152e"
/* and all threads on one CPU, where one is preempted within an operation of its own */
static const char *const placements[] = { "core", "compact", "spread" };
#define NR_PLACEMENTS (ARRAY_SIZE(placements) + 1)
/* Of threads: N, 2N, and these, whatever the machine: a table may be wrong with five. */
static const unsigned crowds[] = { 8, 16 };
#define MAX_COUNTS (2 + ARRAY_SIZE(crowds))
#define SHAKE_EVERY 4
/* One slice in so many is on a table that has served AGE_OPS, or for a share of --seconds. */
#define AGED_EVERY 41
#define AGED_FIRST 7
#define AGE_OPS (1ull << 25)
#define AGE_SHARE 0.05
/* One workload of each kind, as far as the table holds them: operated at the same time. */
static const char *const mixes[][NR_KINDS] = {
	{ "refresh", "wide", "slot", "hot-evict" },
	{ "clears", "wide", "slot", "hot-update" },
};

/* Columns that are summed beside the faults, which follow them. */
static const enum csv_column counted[] = { COL_probes, COL_stores, COL_contended_probes,
					   COL_contended_stores, COL_possible_false_misses };
#define NR_SUMS (ARRAY_SIZE(counted) + NR_FAULTS)

static enum csv_column summed(size_t i)
{
	return i < ARRAY_SIZE(counted) ? counted[i] : fault_column[i - ARRAY_SIZE(counted)];
}

/* A count, and the operations of the slices that counted it. */
struct sum {
	bool measured;
	uint64_t count, over;
};

/* What is known of one workload. */
struct seen {
	char *workload;
	bool built_keys;
	uint64_t slices, failed;
	uint64_t fault[NR_FAULTS];
	struct sum sum[NR_SUMS];
	char *failure; /* of the first slice that failed, and how to repeat it */
};

struct torture {
	const struct torture_args *args;
	struct bench bench;
	struct table_spec table;
	struct seen *seen; /* one a workload that the table can hold */
	size_t nr_seen;
	unsigned threads[MAX_COUNTS], nr_threads; /* numbers of them, all different */
	char *one_cpu; /* a placement */
	uint64_t shaken, stops; /* slices; times a thread was stopped within operations */
	uint64_t aged, age; /* slices; operations before them */
	double slice_seconds;
	uint64_t slices;
	uint64_t begin; /* ns */
	struct progress progress;
};

struct held torture_held(const struct table_class *c, unsigned sig_bits, bool built_keys)
{
	struct held h = { 0 };

	if (c->promises & PROMISE_NO_TEAR)
		h.never |= 1u << FAULT_TORN | 1u << FAULT_WRONG_ANSWER;
	/* A narrow signature takes one key for another by design. */
	if (c->promises & PROMISE_NO_TEAR && sig_bits >= 64)
		h.never |= 1u << FAULT_WRONG_KEY;
	if (built_keys && c->promises & PROMISE_HONEST_KEYS) {
		h.expected = h.never;
		h.never = 0;
	}
	if (c->promises & PROMISE_NO_FALSE_MISS)
		h.never |= 1u << FAULT_FALSE_MISS | 1u << FAULT_STALE | 1u << FAULT_LOST |
			   1u << FAULT_UNUSABLE | 1u << FAULT_DUPLICATE | 1u << FAULT_GHOST |
			   1u << FAULT_DEAD_PAIR;
	/* Not even a table that promises little says yes and no to the same question. */
	if (c->promises & ~PROMISE_HONEST_KEYS)
		h.never |= 1u << FAULT_CONTRADICTION;
	return h;
}

static struct held held_by(const struct torture *t, bool built_keys)
{
	return torture_held(t->table.class, table_spec_sig_bits(&t->table), built_keys);
}

static void add_workload(struct torture *t, char *name)
{
	t->seen = xrealloc(t->seen, (t->nr_seen + 1) * sizeof(*t->seen));
	t->seen[t->nr_seen++] = (struct seen){ .workload = name };
}

/* With what makes it the workload of a slice. Left to itself, uniform traffic stores nothing. */
static char *workload_spec(const char *name, const struct variant *v)
{
	return xasprintf("%s:%sops=" SLICE_OPS "%s%s", name,
			 strcmp(name, "uniform") ? "" : "store=50,", v->ends ? ",ends=1" : "",
			 v->meet ? ",meet=1" : "");
}

static void add_mixes(struct torture *t)
{
	unsigned kinds = t->table.class->kinds;

	if (!(kinds & (kinds - 1)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(mixes); i++) {
		char *text = xstrdup("");

		for (enum kind k = 0; k < NR_KINDS; k++) {
			char *more;

			if (!(kinds & 1u << k))
				continue;
			more = xasprintf("%s%s%s", text, *text ? "+" : "", mixes[i][k]);
			free(text);
			text = more;
		}
		add_workload(t, text);
	}
}

static int find_workloads(struct torture *t, struct err *e)
{
	const char *name;

	for (size_t i = 0; (name = workload_name(i)); i++) {
		enum kind kind;

		if (workload_kind(name, &kind, e))
			return -1;
		if (!(t->table.class->kinds & 1u << kind))
			continue;
		add_workload(t, xstrdup(name));
	}
	add_mixes(t);
	if (!t->nr_seen)
		return err_set(e, "--table %s: there is no workload of a kind that it holds",
			       t->args->table);
	return 0;
}

uint64_t torture_nr_variants(unsigned nr_threads)
{
	return 2 * NR_PLACEMENTS * nr_threads * ARRAY_SIZE(sizes) * 2 * 2 * SHAKE_EVERY;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * From one turn to the next a golden section of all variants further on, rounded to what has no
 * divisor in common with their number. So every value of each list comes within a dozen turns,
 * in ever new company, and each variant once in as many turns as there are.
 */
static uint64_t variant_step(uint64_t nr)
{
	uint64_t step = nr * 618 / 1000;

	while (divisor(nr, step) > 1)
		step++;
	return step;
}

static unsigned take(uint64_t *v, unsigned of)
{
	unsigned digit = (unsigned)(*v % of);

	*v /= of;
	return digit;
}

struct variant torture_variant(uint64_t workload, uint64_t nr_workloads, uint64_t turn,
			       unsigned nr_threads)
{
	uint64_t nr = torture_nr_variants(nr_threads);
	uint64_t v = (workload * (nr / nr_workloads + 1) + turn % nr * variant_step(nr)) % nr;
	struct variant out;

	out.witness = take(&v, 2);
	out.place = take(&v, NR_PLACEMENTS);
	out.threads = take(&v, nr_threads);
	out.size = take(&v, ARRAY_SIZE(sizes));
	out.ends = take(&v, 2);
	out.meet = take(&v, 2);
	out.shake = take(&v, SHAKE_EVERY);
	return out;
}

static uint64_t nr_combinations(const struct torture *t)
{
	return t->nr_seen * torture_nr_variants(t->nr_threads);
}

static void add_count(struct torture *t, unsigned threads)
{
	for (unsigned i = 0; i < t->nr_threads; i++)
		if (t->threads[i] == threads)
			return;
	t->threads[t->nr_threads++] = threads;
}

static int plan(struct torture *t, struct err *e)
{
	const struct torture_args *a = t->args;
	unsigned cpus = topo_nr_allowed(t->bench.topo);
	unsigned threads = a->threads ? (unsigned)a->threads : cpus > 2 ? cpus : 2;
	double all;
	struct placement p;

	if (t->table.class->floor)
		return err_set(e,
			       "--table %s: a floor stores nothing: expected a table that can "
			       "be wrong (see tearline tables)",
			       a->table);
	if (find_workloads(t, e) || topo_place(t->bench.topo, "core", 1, true, &p, e))
		return -1;
	t->one_cpu = xasprintf("list:%u", p.cpu[0]);
	placement_free(&p);
	add_count(t, threads);
	add_count(t, 2 * threads);
	for (size_t i = 0; i < ARRAY_SIZE(crowds); i++)
		add_count(t, crowds[i]);
	all = a->slice ? 1 : (double)nr_combinations(t);
	t->slice_seconds = a->seconds / all * SLICE_SHARE;
	if (t->slice_seconds < SLICE_MIN)
		t->slice_seconds = SLICE_MIN;
	if (t->slice_seconds > SLICE_MAX)
		t->slice_seconds = SLICE_MAX;
	return 0;
}

/* The command whose first slice is slice `nr` of this one. */
static char *repeat_text(const struct torture *t, uint64_t nr)
{
	const struct torture_args *a = t->args;

	return xasprintf("tearline torture --table %s --seconds %g --threads %u --seed %ju "
			 "--slice %ju%s",
			 a->table, a->seconds, t->threads[0], (uintmax_t)a->seed, (uintmax_t)nr,
			 a->shake ? " --shake" : "");
}

/*
 * The slice that is run as the nth. All workloads in turn, each time with its next variant, so
 * that after so many slices as there are combinations, times the turn of the old tables, the
 * same comes again: which is what is wanted where one slice is to be repeated.
 */
static struct seen *choose(struct torture *t, uint64_t nth, struct torture_slice *s)
{
	uint64_t first = t->args->slice;
	uint64_t nr = first ? first + (nth - 1) * nr_combinations(t) * AGED_EVERY : nth;
	uint64_t workload = (nr - 1) % t->nr_seen, turn = (nr - 1) / t->nr_seen;
	struct variant v = torture_variant(workload, t->nr_seen, turn, t->nr_threads);
	bool aged = nr % AGED_EVERY == AGED_FIRST;

	*s = (struct torture_slice){
		.table = &t->table,
		.workload = workload_spec(t->seen[workload].workload, &v),
		.hash = aged ? AGED_SIZE : sizes[v.size],
		.placement = v.place < ARRAY_SIZE(placements) ? placements[v.place] : t->one_cpu,
		.threads = t->threads[v.threads],
		.witness = v.witness == 0,
		.shake = t->args->shake || v.shake == SHAKE_EVERY - 1,
		.age = aged ? AGE_OPS : 0,
		.age_seconds = AGE_SHARE * t->args->seconds,
		.nr = nr,
		.seconds = t->slice_seconds,
	};
	s->seed = mix64(t->args->seed + mix64(s->nr));
	s->repeat = repeat_text(t, s->nr);
	return &t->seen[workload];
}

static uint64_t field(const struct csv_row *row, enum csv_column c)
{
	uint64_t n;

	return row->field[c] && !parse_u64(row->field[c], 0, UINT64_MAX, &n) ? n : 0;
}

static void add_row(struct seen *w, const struct csv_row *row)
{
	for (size_t i = 0; i < NR_SUMS; i++) {
		if (!row->field[summed(i)])
			continue;
		w->sum[i].measured = true;
		w->sum[i].count += field(row, summed(i));
		w->sum[i].over += field(row, COL_probes) + field(row, COL_stores);
	}
}

static void add_slice(struct torture *t, struct seen *w, const struct torture_slice *s)
{
	t->shaken += s->shake;
	t->stops += s->stops;
	t->aged += s->age > 0;
	t->age += s->aged;
	w->slices++;
	w->built_keys = s->built_keys;
	for (enum fault f = 0; f < NR_FAULTS; f++)
		w->fault[f] += s->fault[f];
	for (unsigned i = 0; i < s->nr_rows; i++)
		add_row(w, &s->row[i]);
}

static int hold_to_promise(struct torture *t, struct seen *w, struct torture_slice *s,
			   struct err *e)
{
	struct held held = held_by(t, s->built_keys);
	unsigned broken = held.never & faults_seen(s->fault);
	char *text, *where;
	int ret;

	add_slice(t, w, s);
	if (!broken)
		return slice_write(&t->bench, s, NULL, e);
	w->failed++;
	if (!w->failure) {
		text = faults_text(s->fault, broken, true);
		where = slice_text(s);
		w->failure = xasprintf("%s on %s; repeat with: %s", text, where, s->repeat);
		free(text);
		free(where);
	}
	/* Without figures, so that a report says it once. */
	where = faults_text(s->fault, broken, false);
	text = xasprintf("FAILURE: %s", where);
	ret = slice_write(&t->bench, s, text, e);
	free(text);
	free(where);
	return ret;
}

static void total(const struct torture *t, uint64_t *ops, uint64_t fault[NR_FAULTS])
{
	*ops = 0;
	memset(fault, 0, NR_FAULTS * sizeof(*fault));
	for (size_t i = 0; i < t->nr_seen; i++) {
		*ops += t->seen[i].sum[0].count + t->seen[i].sum[1].count;
		for (enum fault f = 0; f < NR_FAULTS; f++)
			fault[f] += t->seen[i].fault[f];
	}
}

static void show_progress(struct torture *t, const struct torture_slice *next)
{
	uint64_t ops, fault[NR_FAULTS];
	char *faults, *where = slice_text(next), *text;

	total(t, &ops, fault);
	faults = faults_text(fault, faults_seen(fault), true);
	text = xasprintf("%s; so far %ju ops, %s", where, (uintmax_t)ops,
			 *faults ? faults : "nothing wrong");
	progress_step(&t->progress, text);
	free(text);
	free(where);
	free(faults);
}

static int run_slices(struct torture *t, struct err *e)
{
	double left = t->args->seconds;
	struct seen *w;
	struct torture_slice s;
	int ret = 0;

	t->begin = now_ns();
	progress_begin(&t->progress, (size_t)(left / t->slice_seconds) + 1);
	while (!ret && left > 0 && !interrupted()) {
		w = choose(t, ++t->slices, &s);
		show_progress(t, &s);
		ret = slice_run(&t->bench, &s, e);
		if (!ret)
			ret = hold_to_promise(t, w, &s, e);
		slice_drop(&s);
		left = t->args->seconds - (double)(now_ns() - t->begin) * 1e-9;
	}
	progress_end(&t->progress);
	return ret;
}

/*
 * "12345 (81.2)", "0", or NULL if no slice measured it. Where some did not, "3 of 144": the
 * operations of those that did.
 */
static char *sum_text(const struct seen *w, size_t i)
{
	const struct sum *s = &w->sum[i];
	char *rate, *text;

	if (!s->measured)
		return NULL;
	if (s->over < w->sum[0].over)
		return xasprintf("%ju of %ju", (uintmax_t)s->count, (uintmax_t)s->over);
	if (!s->count || i < 2)
		return xasprintf("%ju", (uintmax_t)s->count);
	rate = text_figure(1e6 * (double)s->count / (double)s->over);
	text = xasprintf("%ju (%s)", (uintmax_t)s->count, rate);
	free(rate);
	return text;
}

/* "<workload|slices|probes|...", the columns' names in words. */
static char *sums_header(void)
{
	char *text = xstrdup("<workload|slices");

	for (size_t i = 0; i < NR_SUMS; i++) {
		char *more = xasprintf("%s|%s", text, csv_names[summed(i)]);

		free(text);
		text = more;
	}
	for (char *p = text; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return text;
}

/* "2, 4, 8 and 16" */
static char *counts_text(const struct torture *t)
{
	char *text = xasprintf("%u", t->threads[0]);

	for (unsigned i = 1; i < t->nr_threads; i++) {
		char *more = xasprintf("%s%s%u", text, i + 1 < t->nr_threads ? ", " : " and ",
				       t->threads[i]);

		free(text);
		text = more;
	}
	return text;
}

static void print_seen(const struct torture *t)
{
	uint64_t all = nr_combinations(t);
	char *options = table_spec_options(&t->table), *threads = counts_text(t);
	char *header = sums_header();
	struct grid g;

	fprintf(t->bench.out,
		"%s (%s): %ju slices of %.2g s, seed %ju, %s threads on %u CPU%s; ",
		t->table.class->name, options, (uintmax_t)t->slices, t->slice_seconds,
		(uintmax_t)t->args->seed, threads, topo_nr_allowed(t->bench.topo),
		topo_nr_allowed(t->bench.topo) == 1 ? "" : "s");
	if (t->args->slice)
		fprintf(t->bench.out, "one combination, from slice %ju on\n",
			(uintmax_t)t->args->slice);
	else
		fprintf(t->bench.out,
			"%ju of %ju combinations of workload, witness, placement, threads, size, "
			"ends, meetings and shaking\n",
			(uintmax_t)(t->slices < all ? t->slices : all), (uintmax_t)all);
	grid_begin(&g, header);
	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct seen *w = &t->seen[i];

		if (!w->slices)
			continue;
		grid_add(&g, xstrdup(w->workload));
		grid_add(&g, xasprintf("%ju", (uintmax_t)w->slices));
		for (size_t j = 0; j < NR_SUMS; j++)
			grid_add(&g, sum_text(w, j));
	}
	grid_end(&g, t->bench.out);
	fputs("  (in brackets: per million probes and stores; of: only so many probes and stores "
	      "were looked at for it; -: none)\n",
	      t->bench.out);
	fprintf(t->bench.out,
		"shaken: %ju slices, threads stopped %ju times within operations; aged: %ju slices, "
		"on tables that had served %ju ops in all\n",
		(uintmax_t)t->shaken, (uintmax_t)t->stops, (uintmax_t)t->aged, (uintmax_t)t->age);
	free(header);
	free(threads);
	free(options);
}

/* Keys built against a table that promised nothing for them: broken or not, it is said. */
static void print_expected(const struct torture *t)
{
	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct seen *w = &t->seen[i];
		unsigned expected = held_by(t, w->built_keys).expected;
		unsigned broken = expected & faults_seen(w->fault);
		char *text;

		if (!expected || !w->slices)
			continue;
		text = faults_text(w->fault, broken, true);
		fprintf(t->bench.out, "%s %s on %s, whose keys are built for that%s%s\n",
			t->table.class->name, broken ? "broke as expected" : "did not break",
			w->workload, broken ? ": " : "", text);
		free(text);
	}
}

/* Was it counted, in any slice? */
static bool was_measured(const struct torture *t, enum fault f)
{
	for (size_t j = 0; j < t->nr_seen; j++)
		if (t->seen[j].sum[ARRAY_SIZE(counted) + f].measured)
			return true;
	return false;
}

/* Promised, and never looked at: silence is no answer then. */
static void print_unmeasured(const struct torture *t)
{
	unsigned never = held_by(t, false).never;

	for (enum fault f = 0; f < NR_FAULTS; f++)
		if (never & 1u << f && !was_measured(t, f))
			fprintf(t->bench.out,
				"promised, but not measured in these slices: %s\n",
				csv_names[fault_column[f]]);
}

static void print_success(const struct torture *t)
{
	const struct table_class *c = t->table.class;
	uint64_t ops, fault[NR_FAULTS], judged = 0;
	char *faults;

	for (size_t i = 0; i < t->nr_seen; i++)
		judged += t->seen[i].sum[ARRAY_SIZE(counted) + FAULT_FALSE_MISS].over;
	total(t, &ops, fault);
	faults = faults_text(fault, faults_seen(fault), true);
	fprintf(t->bench.out, "%s: %s", interrupted() ? "INTERRUPTED" : "SUCCESS", c->name);
	if (!(c->promises & ~(PROMISE_HONEST_KEYS | PROMISE_NOTHING)))
		fprintf(t->bench.out, " promises nothing");
	else
		fprintf(t->bench.out, " kept its promise (no torn read%s%s)",
			c->promises & PROMISE_HONEST_KEYS ? ", unless keys are built for it"
							  : "",
			c->promises & PROMISE_NO_FALSE_MISS && was_measured(t, FAULT_FALSE_MISS)
				? ", no false miss"
				: "");
	fprintf(t->bench.out,
		" in %ju slices, %ju ops; seen: %s; misses were judged in %ju of these ops\n",
		(uintmax_t)t->slices, (uintmax_t)ops, *faults ? faults : "nothing wrong",
		(uintmax_t)judged);
	free(faults);
}

static int print_verdict(const struct torture *t)
{
	bool failed = false;

	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct seen *w = &t->seen[i];

		failed |= w->failed;
		if (w->failed)
			fprintf(t->bench.out, "FAILURE: %s, in %ju of %ju slices: %s\n",
				t->table.class->name, (uintmax_t)w->failed,
				(uintmax_t)w->slices, w->failure);
	}
	if (failed)
		return EXIT_FAULT;
	print_success(t);
	return EXIT_DONE;
}

static void drop_seen(struct torture *t)
{
	for (size_t i = 0; i < t->nr_seen; i++) {
		free(t->seen[i].workload);
		free(t->seen[i].failure);
	}
	free(t->seen);
	free(t->one_cpu);
}

/* Tables of this tree are held to it by its tests. 0, 1: it is broken, or -1. */
static int check_contract(const struct torture *t, struct err *e)
{
	const struct table_class *c = t->table.class;
	struct err broken;

	if (!plugin_origin(c))
		return 0;
	if (torture_contract(t->args, &broken, e))
		return -1;
	if (!*broken.text)
		return 0;
	fprintf(t->bench.out,
		"FAILURE: %s, on one thread: %s; repeat with: tearline torture --table %s\n", c->name,
		broken.text, t->args->table);
	return 1;
}

static int run_and_judge(struct torture *t, struct err *e)
{
	int broken = plan(t, e) ? -1 : check_contract(t, e);

	if (broken)
		return broken < 0 ? -1 : EXIT_FAULT;
	if (run_slices(t, e))
		return -1;
	print_seen(t);
	print_expected(t);
	print_unmeasured(t);
	return print_verdict(t);
}

int torture_table(const struct torture_args *a, struct err *e)
{
	struct torture t = { .args = a };
	int status;

	if (table_spec_parse(a->table, &t.table, e))
		return -1;
	status = -1;
	if (bench_open(&t.bench, a, e))
		goto out_spec;
	status = run_and_judge(&t, e);
	drop_seen(&t);
	if (bench_close(&t.bench, status < 0, e))
		status = -1;
out_spec:
	table_spec_free(&t.table);
	return status;
}
