// SPDX-License-Identifier: BSD-2-Clause
#include "torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "interrupt.h"
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

/* A few lines, which all threads fight for, and a thousand. */
static const char *const sizes[] = { "16e", "4096e" };
/* and all threads on one CPU, where one is preempted within an operation of its own */
static const char *const placements[] = { "core", "compact", "spread" };
#define NR_PLACEMENTS (ARRAY_SIZE(placements) + 1)
/* ... with the witness, whose stamps make threads meet less, or without; N or 2N threads */
#define NR_VARIANTS (2 * NR_PLACEMENTS * 2 * ARRAY_SIZE(sizes))
/* Has no divisor in common with the variants: a workload meets each in as many turns. */
#define VARIANT_STEP 5

/* Columns that are summed, and the operations their rates are taken over. */
static const struct {
	enum csv_column count, over;
} summed[] = {
	{ COL_probes, NR_COLS },
	{ COL_stores, NR_COLS },
	{ COL_contended_probes, COL_probes },
	{ COL_contended_stores, COL_stores },
	{ COL_torn_reads, COL_probes },
	{ COL_wrong_key_hits, COL_probes },
	{ COL_false_misses, COL_probes },
	{ COL_possible_false_misses, COL_probes },
	{ COL_stale_hits, COL_probes },
	{ COL_lost_stores, COL_stores },
	{ COL_unusable_slots, NR_COLS },
	{ COL_duplicate_keys, NR_COLS },
	{ COL_wrong_answers, COL_probes },
	{ COL_ghost_hits, COL_probes },
	{ COL_dead_pair_misses, COL_probes },
	{ COL_contradictions, NR_COLS },
};
#define SUMMED_HEADER                                                                      \
	"<workload|slices|probes|stores|contended probes|contended stores|torn|wrong key|" \
	"false miss|possible|stale|lost|unusable|dup keys|wrong answer|ghost|dead pair|contradict"

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
	struct sum sum[ARRAY_SIZE(summed)];
	char *failure; /* of the first slice that failed, and how to repeat it */
};

struct torture {
	const struct torture_args *args;
	struct bench bench;
	struct table_spec table;
	struct seen *seen; /* one a workload that the table can hold */
	size_t nr_seen;
	unsigned threads;
	char *one_cpu; /* a placement */
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

/* Left to itself, uniform traffic stores nothing. */
static char *torture_workload(const char *name)
{
	return xasprintf("%s:%sops=" SLICE_OPS, name,
			 strcmp(name, "uniform") ? "" : "store=50,");
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
		t->seen = xrealloc(t->seen, (t->nr_seen + 1) * sizeof(*t->seen));
		t->seen[t->nr_seen++] = (struct seen){ .workload = torture_workload(name) };
	}
	if (!t->nr_seen)
		return err_set(e, "--table %s: there is no workload of a kind that it holds",
			       t->args->table);
	return 0;
}

static uint64_t nr_combinations(const struct torture *t)
{
	return t->nr_seen * NR_VARIANTS;
}

static int plan(struct torture *t, struct err *e)
{
	const struct torture_args *a = t->args;
	unsigned cpus = topo_nr_allowed(t->bench.topo);
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
	t->threads = a->threads ? (unsigned)a->threads : cpus > 2 ? cpus : 2;
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
			 "--slice %ju",
			 a->table, a->seconds, t->threads, (uintmax_t)a->seed, (uintmax_t)nr);
}

/*
 * The slice that is run as the nth. All workloads in turn, each time with its next variant,
 * so that after so many slices as there are combinations the same comes again: which is what
 * is wanted where one slice is to be repeated.
 */
static struct seen *choose(struct torture *t, uint64_t nth, struct torture_slice *s)
{
	uint64_t first = t->args->slice;
	uint64_t nr = first ? first + (nth - 1) * nr_combinations(t) : nth;
	uint64_t workload = (nr - 1) % t->nr_seen, turn = (nr - 1) / t->nr_seen;
	uint64_t variant = (workload + turn * VARIANT_STEP) % NR_VARIANTS;
	uint64_t place = variant / 2 % NR_PLACEMENTS, rest = variant / 2 / NR_PLACEMENTS;

	*s = (struct torture_slice){
		.table = &t->table,
		.workload = t->seen[workload].workload,
		.hash = sizes[rest / 2],
		.placement = place < ARRAY_SIZE(placements) ? placements[place] : t->one_cpu,
		.threads = t->threads << rest % 2,
		.witness = variant % 2 == 0,
		.nr = nr,
		.seconds = t->slice_seconds,
	};
	s->seed = mix64(t->args->seed + mix64(s->nr));
	s->repeat = repeat_text(t, s->nr);
	return &t->seen[workload];
}

static void add_row(struct seen *w, const struct csv_row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++) {
		const char *count = row->field[summed[i].count];
		const char *over =
			summed[i].over == NR_COLS ? NULL : row->field[summed[i].over];
		uint64_t n;

		if (!count || parse_u64(count, 0, UINT64_MAX, &n))
			continue;
		w->sum[i].measured = true;
		w->sum[i].count += n;
		if (over && !parse_u64(over, 0, UINT64_MAX, &n))
			w->sum[i].over += n;
	}
}

static void add_slice(struct seen *w, const struct torture_slice *s)
{
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

	add_slice(w, s);
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

/* "12345 (81.2)", "0", or NULL if no slice measured it. */
static char *sum_text(const struct sum *s)
{
	char *rate, *text;

	if (!s->measured)
		return NULL;
	if (!s->count || !s->over)
		return xasprintf("%ju", (uintmax_t)s->count);
	rate = text_figure(1e6 * (double)s->count / (double)s->over);
	text = xasprintf("%ju (%s)", (uintmax_t)s->count, rate);
	free(rate);
	return text;
}

static void print_seen(const struct torture *t)
{
	uint64_t all = nr_combinations(t);
	char *options = table_spec_options(&t->table);
	struct grid g;

	fprintf(t->bench.out,
		"%s (%s): %ju slices of %.2g s, seed %ju, %u and %u threads on %u CPU%s; ",
		t->table.class->name, options, (uintmax_t)t->slices, t->slice_seconds,
		(uintmax_t)t->args->seed, t->threads, 2 * t->threads,
		topo_nr_allowed(t->bench.topo), topo_nr_allowed(t->bench.topo) == 1 ? "" : "s");
	if (t->args->slice)
		fprintf(t->bench.out, "one combination, from slice %ju on\n",
			(uintmax_t)t->args->slice);
	else
		fprintf(t->bench.out,
			"%ju of %ju combinations of workload, placement, threads and size\n",
			(uintmax_t)(t->slices < all ? t->slices : all), (uintmax_t)all);
	grid_begin(&g, SUMMED_HEADER);
	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct seen *w = &t->seen[i];

		if (!w->slices)
			continue;
		grid_add(&g, xstrdup(w->workload));
		grid_add(&g, xasprintf("%ju", (uintmax_t)w->slices));
		for (size_t j = 0; j < ARRAY_SIZE(summed); j++)
			grid_add(&g, sum_text(&w->sum[j]));
	}
	grid_end(&g, t->bench.out);
	fputs("  (in brackets: per million probes, or stores; -: not measured)\n",
	      t->bench.out);
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
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		for (size_t j = 0; j < t->nr_seen; j++)
			if (summed[i].count == fault_column[f] && t->seen[j].sum[i].measured)
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
	uint64_t ops, fault[NR_FAULTS];
	char *faults;

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
	fprintf(t->bench.out, " in %ju slices, %ju ops; seen: %s\n", (uintmax_t)t->slices,
		(uintmax_t)ops, *faults ? faults : "nothing wrong");
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

int torture_table(const struct torture_args *a, struct err *e)
{
	struct torture t = { .args = a };
	int status = -1;

	if (table_spec_parse(a->table, &t.table, e))
		return -1;
	if (bench_open(&t.bench, a, e))
		goto out_spec;
	if (!plan(&t, e) && !run_slices(&t, e)) {
		print_seen(&t);
		print_expected(&t);
		print_unmeasured(&t);
		status = print_verdict(&t);
	}
	drop_seen(&t);
	if (bench_close(&t.bench, status < 0, e))
		status = -1;
out_spec:
	table_spec_free(&t.table);
	return status;
}
