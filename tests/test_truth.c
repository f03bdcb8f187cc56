// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the judge says of misses on real runs, held against what was really in the line.
 *
 * The table is xor's, without and with a lock around each operation, but its words are
 * accessed one at a time and in an order that is known (truth_line.h). Then of every miss
 * it is known whether the key was resident all along. Precision must be 100 %: no miss may be
 * called false that was none. Recall, how many of the false ones are proved, is printed.
 * argv: seconds of each run, unless 0.1.
 */
#include <stdio.h>

#include "fixture.h"
#include "run.h"
#include "truth_line.h"

#define ENTRIES 64
/* Until there was something to be judged; far more than was ever needed. */
#define MAX_RUNS 400

struct truth {
	bool locked; /* each operation excludes the others */
	struct truth_line *line;
	atomic_word *lock; /* of each line */
};

/* What a thread is doing. */
static _Thread_local struct {
	struct truth *truth;
	struct truth_line *line;
	uint64_t key;
	uint64_t start; /* of a read section */
	bool resident; /* through all of it */
	bool found; /* by the first scan of a write section */
	unsigned scanned; /* slots, so far */
	bool writing, updating;
} me;

static struct {
	atomic_word misses, untrue, proved, wrong;
} score;

static double seconds = 0.1;
static _Thread_local uint64_t rng;

/* Between two accesses others may come in, on one CPU too; most of all between two writes. */
static void dawdle(void)
{
	uint64_t n = rng_below(&rng, 64);

	if (!n)
		sched_yield();
	for (; n && n < 16; n--)
		cpu_relax();
}

static void begin(struct table *t, uint64_t index)
{
	struct truth *x = t->priv;

	me.truth = x;
	me.line = &x->line[index];
	/* [lock.A] acquire, pairs with [lock.R] */
	while (x->locked && !cmpxchg64_acquire(&x->lock[index], 0, 1))
		sched_yield();
}

static void end(uint64_t index)
{
	if (me.truth->locked)
		smp_store_release(&me.truth->lock[index], 0); /* [lock.R] pairs with [lock.A] */
}

static uint64_t read_word(unsigned s, unsigned i)
{
	struct truth_line *l = me.line;
	uint64_t word;

	truth_enter(l);
	word = READ_ONCE64(SLOT(l->word, s, entry_words(l->kind)) + i);
	truth_leave(l);
	return word;
}

/* of: whose word it is; NULL: nobody's. last: of what a store writes. */
static void write_word(unsigned s, unsigned i, uint64_t word, const uint64_t *of, bool last)
{
	struct truth_line *l = me.line;
	struct truth_key *own;

	truth_enter(l);
	if (of)
		truth_key(l, *of);
	if (me.found && !me.updating) {
		truth_key(l, me.key)->updates++;
		me.updating = true;
	}
	WRITE_ONCE64(SLOT(l->word, s, entry_words(l->kind)) + i, word);
	l->owner[s][i].any = of;
	if (of)
		l->owner[s][i].key = *of;
	if (last && me.updating) {
		own = truth_key(l, me.key);
		own->updates--;
		me.updating = me.found = false;
	}
	truth_step(l);
	truth_leave(l);
	if (!last)
		dawdle();
}

#define TABLE truth
#define LINE_EXCLUSION LINE_FREE
#define LINE_SECTIONS
#define LINE_REFRESH
#define LINE_LAYOUT

#include "template.h"

static unsigned T(begin_read)(const enum kind kind, struct table *t, struct worker *w,
			      atomic_word *line, uint64_t index)
{
	begin(t, index);
	me.writing = false;
	truth_enter(me.line);
	me.start = me.line->time;
	truth_leave(me.line);
	return 0;
}

static bool T(end_read)(const enum kind kind, struct table *t, struct worker *w,
			atomic_word *line, uint64_t index, unsigned cookie)
{
	truth_enter(me.line);
	me.resident = truth_resident(me.line, me.key, me.start);
	truth_leave(me.line);
	end(index);
	return true;
}

static void T(begin_write)(const enum kind kind, struct table *t, struct worker *w,
			   atomic_word *line, uint64_t index)
{
	begin(t, index);
	me.writing = true;
	me.found = me.updating = false;
	me.scanned = 0;
}

static void T(end_write)(const enum kind kind, struct table *t, struct worker *w,
			 atomic_word *line, uint64_t index)
{
	end(index);
}

static bool T(load)(const atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
		    uint64_t *word)
{
	uint64_t raw = read_word(s, 0);
	bool match;

	dawdle();
	for (unsigned i = 0; i < nr; i++)
		word[i] = read_word(s, 1 + i);
	match = xor_sig(raw, nr, word) == sig;
	me.key = sig;
	/* the witness is told what the first scan found, and no other */
	if (me.writing && me.scanned++ < (kind_has_slots(me.line->kind) ? MAX_SLOTS : 1))
		me.found |= match && !entry_empty(me.line->kind, word[0]);
	return match;
}

static void T(put)(atomic_word *line, unsigned s, uint64_t sig, unsigned nr,
		   const uint64_t *word)
{
	for (unsigned i = 0; i < nr; i++)
		write_word(s, 1 + i, word[i], &sig, false);
	write_word(s, 0, sig ^ xor_fold(nr, word), &sig, true);
}

static void T(rewrite)(atomic_word *line, unsigned s, uint64_t sig, uint64_t old, uint64_t new)
{
	uint64_t now;

	if (!me.truth->locked || (T(load)(line, s, sig, 1, &now) && now == old))
		T(put)(line, s, sig, 1, &new);
}

static bool T(replace)(atomic_word *line, unsigned s, uint64_t sig, uint64_t old, uint64_t new)
{
	T(rewrite)(line, s, sig, old, new);
	return true;
}

/* Words as they are, and whose they are. */
static void T(bump)(atomic_word *line, unsigned from, unsigned to)
{
	struct truth_line *l = me.line;
	uint64_t word[2], key[2];
	bool any[2];

	for (unsigned i = 2; i--;) {
		truth_enter(l);
		word[i] = READ_ONCE64(SLOT(line, from, 1) + i);
		any[i] = l->owner[from][i].any;
		key[i] = l->owner[from][i].key;
		truth_leave(l);
	}
	for (unsigned i = 2; i--;)
		write_word(to, i, word[i], any[i] ? &key[i] : NULL, false);
}

static void T(wipe)(enum kind kind, atomic_word *line)
{
	for (unsigned s = 0; s < (kind_has_slots(kind) ? MAX_SLOTS : 1); s++)
		for (unsigned i = 1 + entry_words(kind); i--;)
			write_word(s, i, 0, NULL, false);
}

static uint64_t T(at_rest)(enum kind kind, const atomic_word *line, unsigned s, uint64_t *word)
{
	uint64_t sig = xor_read(line, s, entry_words(kind), word);

	return xor_sig(sig, entry_words(kind), word);
}

/* A miss, as it was and as it is judged. Looking again makes another section. */
static void missed(struct worker *w, struct table *t, const struct audited *a, struct counts *n)
{
	uint64_t proved = n->false_misses;
	bool untrue = me.resident;

	audit_missed(w, t, a, n);
	proved = n->false_misses - proved;
	fetch_add_relaxed(&score.misses, 1);
	fetch_add_relaxed(&score.untrue, untrue);
	fetch_add_relaxed(&score.proved, untrue && proved);
	fetch_add_relaxed(&score.wrong, !untrue && proved);
}

#define audit_missed missed
#include "line_table.h"
#undef audit_missed

static int truth_create(struct table *t, const struct table_params *p, struct err *e)
{
	struct truth *x = xcalloc(1, sizeof(*x));

	t->loops = &truth_loops;
	t->priv = x;
	if (line_create(t, p, e))
		return -1;
	x->locked = !strcmp(p->option[0], "line");
	x->lock = xcalloc(t->lines, sizeof(*x->lock));
	x->line = aligned_alloc(128, t->lines * sizeof(*x->line));
	memset(x->line, 0, t->lines * sizeof(*x->line));
	for (uint64_t i = 0; i < t->lines; i++) {
		x->line[i].kind = t->kind;
		x->line[i].word = t->word + i * (line_bytes(t->kind) / sizeof(*t->word));
	}
	return 0;
}

static void truth_destroy(struct table *t)
{
	struct truth *x = t->priv;

	free(x->line);
	free(x->lock);
	free(x);
}

static void truth_clear(struct table *t, unsigned part, unsigned parts)
{
	struct truth *x = t->priv;

	line_clear(t, part, parts);
	for (uint64_t i = t->lines * part / parts; i < t->lines * (part + 1) / parts; i++) {
		x->line[i].nr_keys = 0;
		memset(x->line[i].owner, 0, sizeof(x->line[i].owner));
	}
}

static struct table_class truth_class = {
	.name = "truth",
	.summary = "xor, of which it is known what was in it",
	.reference = "none",
	.probe_progress = "blocking",
	.store_progress = "blocking",
	.promises = PROMISE_NO_TEAR | PROMISE_HONEST_KEYS,
	.broken = true,
	.kinds = LINE_KINDS,
	.lines = true,
	.sig_bits = 64,
	.clear = truth_clear,
	.options = { { "lock", "none|line", "none", "around each operation" }, LINE_OPTIONS },
	.create = truth_create,
	.destroy = truth_destroy,
};
TABLE_REGISTER(truth);

static void run_once(const char *spec, const char *workload, uint64_t seed,
		     const struct topo *topo)
{
	struct table_size size = { .entries = ENTRIES };
	struct table_spec table;
	struct placement placement;
	struct traffic *traffic;
	struct run_params p = { .table = &table,
				.topo = topo,
				.placement = &placement,
				.seconds = seconds,
				.caller = CALLER_BRANCH,
				.audit = true,
				.witness = true,
				.seed = seed };
	struct run_result r;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		p.size[k] = size;
		p.size_text[k] = "size";
	}
	if (traffic_from_workload(workload, &size, 2, seed, &traffic, &e) ||
	    table_spec_parse(spec, &table, &e) ||
	    topo_place(topo, "core", 2, true, &placement, &e))
		fixture_die(&e);
	p.traffic = traffic;
	if (run_cell(&p, &r, &e))
		fixture_die(&e);
	placement_free(&placement);
	table_spec_free(&table);
	traffic_free(traffic);
}

static int report(const char *spec, const char *workload, bool enough)
{
	uint64_t misses = READ_ONCE64(&score.misses), untrue = READ_ONCE64(&score.untrue);
	uint64_t proved = READ_ONCE64(&score.proved), wrong = READ_ONCE64(&score.wrong);
	bool ok = !wrong && enough;

	printf("%s: %s, %s: %ju misses, %ju of them false; proved %ju", ok ? "ok" : "FAILED",
	       spec, workload, (uintmax_t)misses, (uintmax_t)untrue, (uintmax_t)proved);
	if (untrue)
		printf(" (recall %.1f %%)", 100 * (double)proved / (double)untrue);
	printf(", and %ju that were true\n", (uintmax_t)wrong);
	return !ok;
}

/* xor must have false misses that are proved, with a lock there are none. */
static int judged(const char *spec, const char *workload, bool must_miss,
		  const struct topo *topo)
{
	unsigned runs = 0;

	memset(&score, 0, sizeof(score));
	do {
		run_once(spec, workload, 700 + runs++, topo);
	} while (must_miss && !READ_ONCE64(&score.proved) && runs < MAX_RUNS);
	if (strstr(spec, "lock=line") && READ_ONCE64(&score.untrue)) {
		printf("FAILED: a lock, and yet keys were missed that were there\n");
		return 1;
	}
	return report(spec, workload, !must_miss || READ_ONCE64(&score.proved));
}

int main(int argc, char **argv)
{
	bool two;
	struct topo *topo;
	int failed = 0;
	struct err e;

	if (argc > 1 && parse_decimal(argv[1], &seconds)) {
		fprintf(stderr, "usage: test_truth [SECONDS]\n");
		return 2;
	}
	if (topo_open(&topo, &e))
		fixture_die(&e);
	two = topo_nr_allowed(topo) > 1;
	for (size_t i = 0; workload_name(i); i++) {
		const char *name = workload_name(i);

		failed |= judged("truth:lock=none", name, two && !strcmp(name, "hot-update"),
				 topo);
		failed |= judged("truth:lock=line", name, false, topo);
	}
	topo_close(topo);
	return failed;
}
