// SPDX-License-Identifier: BSD-2-Clause
/*
 * Can the judge be fooled? Small programs on one line (judge_model.h), every interleaving
 * of their accesses and stamps, and the judge's word against the truth.
 *
 *   - No miss may be called false if K was away at some instant of the probe. It is enough
 *     to let the probe be that instant: a scan that happens all at once while no slot
 *     verifies misses, and the rules look at nothing that the probe read.
 *   - Every rule is needed: without any one of them the same programs hold a history that
 *     fools the judge. These are the controls of this test.
 *   - The judge does find false misses, and none where a whole operation is one step.
 *   - Where it is one step, no store is called lost, no hit stale or a ghost, and no key
 *     must be found that is not; where a refresh rewrites blindly what it read, or two stores
 *     of a key meet, some are. A judge that forgets about others' stores, or about copies,
 *     errs.
 *
 * The programs are all there are of a family, or a sample if those are too many.
 * Usage: test_judge_brute [how many times as many] [seed]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge_family.h"
#include "judge_rules.h"
#include "util.h"

#define MAX_DEPTH 128

/* A judge that does without a rule. */
struct control {
	enum rule without;
	const char *says;
	bool fooled;
};

static struct control controls[] = {
	{ RULE_PROOF, "a hit of the re-probe is proof enough", false },
	{ RULE_SERIAL, "(A) stores may overlap", false },
	{ RULE_UPDATES, "(A) stores of K need not have found it", false },
	{ RULE_ONLY, "(A) an event is proof, whatever else Q holds", false },
	{ RULE_EARLY, "an event may end after the re-probe", false },
	{ RULE_FOREIGN, "(B) other keys may write the slot", false },
	{ RULE_PLACE, "(B) a store may have found K in another slot", false },
	{ RULE_COPY, "(B) a store that found K there may copy onto the slot", false },
	{ RULE_EVENT, "(B) an event in another slot is proof", false },
	{ RULE_BACK, "Q begins with the probe", false },
	{ RULE_FAR, "Q reaches back once", false },
	{ RULE_UNDER, "a hit counts, whatever passed under it", false },
	{ RULE_OPEN, "what is under way may be taken as done", false },
	{ RULE_FROM, "what is missing from the history did not happen", false },
	{ RULE_HELD, "a refresh of what passes for K is one of K", false },
};

/* States that were seen, open addressing. */
struct set {
	union model_state *slot, *spare;
	size_t nr, mask, allocated, spared;
};

static size_t set_hash(const union model_state *s)
{
	uint64_t h = s->word[0];

	for (unsigned i = 1; i < 4; i++)
		h = (h ^ h >> 29) * 0x9e3779b97f4a7c15ull + s->word[i];
	return mix64(h);
}

static bool set_add(struct set *set, const union model_state *s);

static void set_reset(struct set *set, size_t size)
{
	if (size > set->allocated) {
		free(set->slot);
		set->slot = xcalloc(size, sizeof(*set->slot));
		set->allocated = size;
	} else {
		memset(set->slot, 0, size * sizeof(*set->slot));
	}
	set->mask = size - 1;
	set->nr = 0;
}

/* Into the spare memory, which stays as large as it ever was. */
static void set_grow(struct set *set)
{
	struct set more = { .slot = set->spare, .allocated = set->spared };

	set_reset(&more, 4 * (set->mask + 1));
	for (size_t i = 0; i <= set->mask; i++)
		if (set->slot[i].used)
			set_add(&more, &set->slot[i]);
	more.spare = set->slot;
	more.spared = set->allocated;
	*set = more;
}

/* False if it was there. */
static bool set_add(struct set *set, const union model_state *s)
{
	size_t i = set_hash(s) & set->mask;

	for (; set->slot[i].used; i = (i + 1) & set->mask)
		if (!memcmp(&set->slot[i], s, sizeof(*s)))
			return false;
	set->slot[i] = *s;
	if (++set->nr > set->mask / 2)
		set_grow(set);
	return true;
}

struct tally {
	uint64_t programs, of, states, ends;
	/* Of LOOK_PROBE: misses while K was resident, or not; how they were called. */
	uint64_t misses[2][3];
	/* Of LOOK_READ. */
	uint64_t must_hold, lost, must_find, gone, hits, stale, ghosts;
	/* histories with what matters left out */
	uint64_t naive_lost, naive_gone, naive_stale, naive_ghosts;
};

static void tally_add(struct tally *sum, const struct tally *n)
{
	const uint64_t *from = (const uint64_t *)n;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*n) / sizeof(*from); i++)
		to[i] += from[i];
}

struct search {
	struct compiled c;
	struct program p;
	struct set seen;
	uint8_t path[MAX_DEPTH];
	struct tally n;
	bool sound; /* the scheme neither loses anything nor returns what is old */
	unsigned counterexamples;
	uint64_t rng;
};

static void report(struct search *x, unsigned depth, const char *what)
{
	printf("\n%s\n", what);
	model_print(&x->c, x->path, depth);
	fflush(stdout);
}

static void judged_wrong(struct search *x, unsigned depth, const char *what)
{
	if (x->counterexamples++ < 3)
		report(x, depth, what);
}

/* What the judge and the weaker ones say of one history. */
static enum verdict hear(struct search *x, const struct history *h, const struct missed *m,
			 bool absent, unsigned depth)
{
	enum verdict v = judge_miss(h, m);

	if ((v == MISS_FALSE) != rules_prove(h, m, RULE_NONE))
		judged_wrong(x, depth, "The judge and the specification's rules differ.");
	if (!absent)
		return v;
	if (v == MISS_FALSE)
		judged_wrong(x, depth, "Called false, but K was away.");
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (!controls[i].fooled && rules_prove(h, m, controls[i].without)) {
			controls[i].fooled = true;
			report(x, depth, controls[i].says);
		}
	return v;
}

/* What is known goes back to any stamp: what ended before is left out. */
static void hear_in_part(struct search *x, const struct history *h, const struct missed *m,
			 bool absent, unsigned depth)
{
	struct witness_op op[MODEL_OPS];
	struct history part = { .op = op };

	for (unsigned e = 0; e < h->nr; e++) {
		part.from = h->op[e].end + 1;
		part.nr = 0;
		for (unsigned i = 0; i < h->nr; i++)
			if (h->op[i].end >= part.from)
				op[part.nr++] = h->op[i];
		hear(x, &part, m, absent, depth);
	}
}

static void end_of_miss(struct search *x, const union model_state *s, bool all_ended,
			unsigned depth)
{
	struct witness_op op[MODEL_OPS];
	struct history h = { .op = op, .nr = model_witness(&x->c, s, op) };
	struct missed m = model_missed(&x->c, s);
	enum verdict v = hear(x, &h, &m, s->absent, depth);

	if (!all_ended)
		return;
	hear_in_part(x, &h, &m, s->absent, depth);
	x->n.misses[s->absent][v]++;
}

/* No copies; only those of a key, or the one that began at `keep`: what a judge that forgets
 * about the others would see. */
static struct history blind(const struct history *h, struct witness_op *op, uint64_t keep,
			    uint64_t key)
{
	struct history less = { .op = op, .from = h->from };

	for (unsigned i = 0; i < h->nr; i++) {
		if ((keep && h->op[i].start != keep) || (key && h->op[i].key != key))
			continue;
		op[less.nr] = h->op[i];
		op[less.nr++].bump_to = -1;
	}
	return less;
}

static bool gone(const struct compiled *c, const union model_state *s, const struct missed *m,
		 const struct history *h, const struct witness_op *store)
{
	return store->type == WITNESS_STORE && store->key == KEY_K &&
	       !(s->seen >> (store->serial - 8) & 1) &&
	       judge_must_hold(h, store->start, m->again_start, m->again_end);
}

/* A claim that no correct table gives cause for. */
static void claim(struct search *x, bool claimed, uint64_t *count, unsigned depth,
		  const char *what)
{
	*count += claimed;
	if (claimed && x->sound)
		judged_wrong(x, depth, what);
}

static void judge_stores(struct search *x, const union model_state *s, const struct history *h,
			 const struct missed *m, unsigned depth)
{
	struct witness_op less[MODEL_OPS];
	struct history own = blind(h, less, 0, KEY_K);
	bool found = m->again_slot >= 0;

	x->n.must_find += judge_must_find(h, KEY_K, m->again_start, m->again_end) != NULL;
	claim(x, !found && judge_must_find(h, KEY_K, m->again_start, m->again_end),
	      &x->n.gone, depth, "Called gone, but nothing went wrong.");
	x->n.naive_gone +=
		!found && judge_must_find(&own, KEY_K, m->again_start, m->again_end);
	for (unsigned i = 0; i < h->nr; i++) {
		struct history alone = blind(h, less, h->op[i].start, 0);

		x->n.must_hold +=
			judge_must_hold(h, h->op[i].start, m->again_start, m->again_end);
		claim(x, gone(&x->c, s, m, h, &h->op[i]), &x->n.lost, depth,
		      "Called lost, but nothing went wrong.");
		x->n.naive_lost += gone(&x->c, s, m, &alone, &h->op[i]);
	}
}

static void judge_hit(struct search *x, const struct history *h, const struct returned *r,
		      unsigned depth)
{
	struct witness_op less[MODEL_OPS];
	struct history copyless = blind(h, less, 0, 0);

	claim(x, judge_stale(h, r), &x->n.stale, depth, "Called stale, but nothing went wrong.");
	claim(x, judge_ghost(h, r), &x->n.ghosts, depth,
	      "Called a ghost, but nothing went wrong.");
	x->n.naive_stale += judge_stale(&copyless, r);
	x->n.naive_ghosts += judge_ghost(&copyless, r);
}

/* The whole history, and what is left of it if it reaches back to the end of each operation
 * only. */
static void end_of_read(struct search *x, const union model_state *s, unsigned depth)
{
	struct witness_op op[MODEL_OPS], later[MODEL_OPS];
	struct history h = { .op = op, .nr = model_witness(&x->c, s, op) };
	struct missed m = model_missed(&x->c, s);
	struct returned r = { .key = KEY_K,
			      .start = m.again_start,
			      .end = m.again_end,
			      .serial = s->hit >> 2 & 15,
			      .slot = m.again_slot,
			      .slotted = !x->p.kv,
			      .placed = true };

	for (unsigned part = 0; part <= h.nr; part++) {
		struct history known = { .op = later };

		known.from = part ? op[part - 1].end + 1 : 0;
		for (unsigned i = 0; i < h.nr; i++)
			if (op[i].end >= known.from)
				later[known.nr++] = op[i];
		judge_stores(x, s, &known, &m, depth);
		if (m.again_slot < 0)
			continue;
		x->n.hits++;
		/* Serials that can be told apart, and some that can't. */
		r.serial_mask = ~0u;
		judge_hit(x, &known, &r, depth);
		r.serial_mask = 1;
		judge_hit(x, &known, &r, depth);
	}
}

/*
 * Has the thread nothing left to do? What begins after the re-probe is not of Q, so the
 * larger programs may as well end there.
 */
static bool at_rest(const struct compiled *c, const union model_state *s, unsigned thread)
{
	return model_done(c, s, thread) ||
	       (c->p->nr_ops > 2 && model_done(c, s, c->p->nr_threads) &&
		model_at_start(c, s, thread));
}

static bool all_at_rest(const struct compiled *c, const union model_state *s)
{
	for (unsigned t = 0; t <= c->p->nr_threads; t++)
		if (!at_rest(c, s, t))
			return false;
	return true;
}

static void explore(struct search *x, const union model_state *s, unsigned depth)
{
	unsigned looker = x->p.nr_threads;
	union model_state next;

	for (unsigned t = 0; t <= looker; t++) {
		bool rest;

		if (at_rest(&x->c, s, t))
			continue;
		next = *s;
		if (!model_step(&x->c, &next, t) || !set_add(&x->seen, &next))
			continue;
		x->path[depth] = (uint8_t)t;
		rest = all_at_rest(&x->c, &next);
		if (x->p.looker == LOOK_READ && rest)
			end_of_read(x, &next, depth + 1);
		if (x->p.looker != LOOK_READ &&
		    (rest || (t == looker && model_done(&x->c, &next, t))))
			end_of_miss(x, &next, rest, depth + 1);
		x->n.ends += rest;
		if (!rest)
			explore(x, &next, depth + 1);
	}
}

static void run_program(struct search *x)
{
	union model_state s;

	x->p.coarse = x->p.nr_ops > 2;
	model_compile(&x->c, &x->p);
	model_begin(&x->c, &s);
	set_reset(&x->seen, 1u << 10);
	explore(x, &s, 0);
	x->n.programs++;
	x->n.states += x->seen.nr;
}

/* All programs of a family, or so many of them. */
static void run_family(struct search *x, const struct family *f, uint64_t most)
{
	uint64_t size = family_draw(f, 0, &x->p);
	uint64_t nr = most < size ? most : size;

	x->n.of += size;
	for (uint64_t i = 0; i < nr; i++) {
		family_draw(f, nr == size ? i : rng_below(&x->rng, size), &x->p);
		if (program_has_k(&x->p))
			run_program(x);
	}
}

/* Operations of each thread; programs of a family, for about as much time each. */
struct shape {
	const char *threads;
	double most;
};

static const struct shape shapes[] = { { "1", 20000 }, { "2", 8000 }, { "11", 1000 },
				       { "21", 1000 }, { "111", 25 }, { "22", 25 } };
/* Where it is not about whether the judge errs, but whether it says anything. */
static const struct shape few[] = { { "1", 1000 }, { "2", 800 }, { "11", 150 }, { "21", 100 } };

/* For two and for three slots, and starting also from torn words where there may be any. */
static struct tally run_shape(struct search *x, struct family f, const struct shape *shape,
			      double factor)
{
	bool words = scheme_has_words(f.scheme);
	double most = shape->most * factor * (f.scheme == SCHEME_LINE ? 4 : 1);

	x->n = (struct tally){ 0 };
	f.threads = shape->threads;
	for (f.nr_slots = 2; f.nr_slots <= MODEL_SLOTS; f.nr_slots++)
		for (unsigned torn = 0; torn <= (words && f.looker == LOOK_GAP); torn++) {
			f.torn = torn && !f.kv;
			run_family(x, &f, (uint64_t)most + 1);
		}
	return x->n;
}

static struct tally run_few(struct search *x, struct family f, double factor)
{
	struct tally sum = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(few); i++) {
		struct tally n = run_shape(x, f, &few[i], factor);

		tally_add(&sum, &n);
	}
	return sum;
}

static const char *family_name(const struct family *f)
{
	static char name[16];

	snprintf(name, sizeof(name), "%-6s %s", model_scheme_name[f->scheme],
		 f->kv ? "kv" : "tt");
	return name;
}

static void attack(struct search *x, double factor)
{
	struct tally sum = { 0 };

	printf("Threads, operations: scheme, programs run, of, states, histories judged\n");
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (unsigned j = 0; j < 2 * NR_SCHEMES; j++) {
			struct family f = {
				.scheme = j / 2, .looker = LOOK_GAP, .kv = j % 2, .blind = true
			};
			struct tally n;

			if (!scheme_fits(f.scheme, f.kv))
				continue;
			n = run_shape(x, f, &shapes[i], factor);

			printf("%-3s %-9s %7" PRIu64 " %14" PRIu64 " %10" PRIu64 " %9" PRIu64
			       "\n",
			       shapes[i].threads, family_name(&f), n.programs, n.of, n.states,
			       n.ends);
			fflush(stdout);
			tally_add(&sum, &n);
		}
	printf("%" PRIu64 " programs, %" PRIu64 " states, %" PRIu64 " histories\n",
	       sum.programs, sum.states, sum.ends);
}

static int every_rule_is_needed(void)
{
	int status = 0;

	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (!controls[i].fooled) {
			printf("Not fooled: %s\n", controls[i].says);
			status = 1;
		}
	return status;
}

static int must(bool holds, const char *what, const char *where)
{
	if (!holds)
		printf("%s: expected %s\n", where, what);
	return !holds;
}

static int find_false_misses(struct search *x, double factor)
{
	int status = 0;

	printf("\nMisses of a resident K called false, possible, honest; of an absent one\n");
	for (unsigned j = 0; j < 2 * NR_SCHEMES; j++) {
		struct family f = { .scheme = j / 2, .looker = LOOK_PROBE, .kv = j % 2 };
		const char *name = family_name(&f);
		uint64_t *there, *away;
		struct tally n;

		if (!scheme_fits(f.scheme, f.kv))
			continue;
		n = run_few(x, f, factor);
		there = n.misses[0];
		away = n.misses[1];
		printf("%-9s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
		       " %9" PRIu64 "\n",
		       name, there[MISS_FALSE], there[MISS_POSSIBLE], there[MISS_HONEST],
		       away[MISS_FALSE], away[MISS_POSSIBLE], away[MISS_HONEST]);
		if (f.scheme == SCHEME_LINE)
			status |= must(!there[MISS_FALSE] && !there[MISS_POSSIBLE] &&
					       !there[MISS_HONEST],
				       "no miss of a resident K", name);
		else if (f.scheme <= SCHEME_ALIAS || !f.kv)
			status |= must(there[MISS_FALSE], "false misses to be found", name);
	}
	return status;
}

/* What one scheme loses and brings back; added to the sum. */
static void find_lost(struct search *x, struct family f, double factor, struct tally *sum)
{
	struct tally n;

	x->sound = f.scheme == SCHEME_LINE && !f.blind;
	f.looker = LOOK_READ;
	n = run_few(x, f, factor);
	printf("%-9s %-5s  must hold %" PRIu64 ": lost %" PRIu64 " (naive %" PRIu64
	       "); must find %" PRIu64 ": gone %" PRIu64 " (%" PRIu64 "); hits %" PRIu64
	       ": stale %" PRIu64 " (%" PRIu64 "), ghosts %" PRIu64 " (%" PRIu64 ")\n",
	       family_name(&f), f.blind ? "blind" : "", n.must_hold, n.lost, n.naive_lost,
	       n.must_find, n.gone, n.naive_gone, n.hits, n.stale, n.naive_stale, n.ghosts,
	       n.naive_ghosts);
	tally_add(sum, &n);
	x->sound = false;
}

static int find_lost_and_old(struct search *x, double factor)
{
	struct tally words = { 0 }, blind = { 0 }, whole = { 0 };
	int status = 0;

	printf("\nStores and keys that must be there, and are not; hits that are old. In "
	       "brackets: to a judge that leaves something out\n");
	for (unsigned j = 0; j < 2 * NR_SCHEMES; j++) {
		struct family f = { .scheme = j / 2, .kv = j % 2 };

		if (!scheme_fits(f.scheme, f.kv))
			continue;
		find_lost(x, f, factor, f.scheme == SCHEME_LINE ? &whole : &words);
		f.blind = true;
		if (!f.kv) /* whose probes write nothing */
			find_lost(x, f, factor, &blind);
	}
	status |= must(words.must_hold && words.hits, "stores and hits to judge", "words");
	status |= must(words.gone, "keys that their own stores destroyed", "words");
	status |= must(blind.lost, "lost stores", "blind refreshes");
	status |= must(blind.stale, "stale hits", "blind refreshes");
	status |= must(blind.ghosts, "ghosts", "blind refreshes");
	status |= must(whole.must_hold && whole.must_find && whole.hits,
		       "stores and hits to judge", "line");
	status |= must(whole.naive_lost && whole.naive_gone && whole.naive_stale &&
			       whole.naive_ghosts,
		       "a naive judge to err", "line");
	return status;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? strtod(argv[1], NULL) : 1;
	static struct search x;
	int status = 0;

	x.rng = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	attack(&x, factor);
	status |= every_rule_is_needed();
	status |= find_false_misses(&x, factor);
	status |= find_lost_and_old(&x, factor);
	if (x.counterexamples)
		printf("%u counterexamples\n", x.counterexamples);
	return status || x.counterexamples ? EXIT_FAULT : EXIT_DONE;
}
