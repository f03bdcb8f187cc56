// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every liar lies, and the honest ones do not: one thread, no audit.
 *
 * A lie that takes no race makes a difference: the same operations on the honest table
 * beside it have other answers. One that takes a race makes none; but where another thread
 * may come in (window() of liars/liar.h), this one does an operation of that thread's, and
 * then something is wrong that never is on an honest table.
 */
#include "fixture.h"
#include "liar.h"

#define MATE (TT_INFINITY - 200)
#define KEYS 8 /* of a line */
#define ROUNDS 4000
/* Few, unless a lie takes many. */
#define FEW 64
#define MANY 32768

struct side {
	struct fixture f[2]; /* two kinds at once: see kinds_confused */
};

static const struct lie *lie;
static struct worker *other; /* the thread that comes in */

static void open_side(struct side *x, const char *name, enum kind kind, uint64_t entries)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "liar:lie=%s", name);
	fixture_open(&x->f[0], spec, kind, entries, MATE);
	fixture_open(&x->f[1], spec, kind == KIND_TT ? KIND_KV : KIND_TT, 4, MATE);
	x->f[0].w->id = lie->threads > 2 ? lie->threads - 1 : 0;
}

static void close_side(struct side *x)
{
	fixture_close(&x->f[0]);
	fixture_close(&x->f[1]);
}

/* A few hot lines at both ends of the table, and the keys at both ends of all. */
static uint64_t some_key(uint64_t *rng)
{
	uint64_t rest = mix64(1 + rng_below(rng, KEYS)) >> 16;

	switch (rng_below(rng, 32)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	default:
		/* of a few, so that some agree in ten bits */
		return rng_below(rng, 2) << 63 | (rest & ~0x3ffull) | rng_below(rng, 2);
	}
}

static struct trace_op some_op(enum kind kind, uint64_t *rng)
{
	uint64_t key = some_key(rng);
	struct trace_op op = rng_below(rng, 2) ? store_op(kind, key, (uint32_t)rng_next(rng))
					       : probe_op(kind, key);

	op.depth = (uint8_t)rng_below(rng, 24);
	op.next_depth = op.depth / 2;
	op.value = (int16_t)((int)rng_below(rng, 600) - 300);
	op.beta = op.value + 1;
	if (kind == KIND_TT && op.op & 1)
		op.flags = (uint8_t)((BOUND_UPPER + rng_below(rng, 3)) << TRACE_BOUND_SHIFT);
	return op;
}

/* What a table is asked, as one number. */
static uint64_t ask(struct fixture *f, const struct trace_op *op)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS], sum = 0;
	struct table_answer a;
	unsigned match;

	if (op->op & 1) {
		table_ops(f->t)->store(f->t, f->w, op, NULL);
	} else {
		table_ops(f->t)->probe(f->t, f->w, op, &a);
		sum = mix64(a.hit + 2 * a.threat + 4 * a.avoid_null + 8 * a.bound +
			    64 * a.depth + ((uint64_t)(uint16_t)a.value << 16) +
			    ((uint64_t)a.move << 32));
		for (unsigned i = 0; i < MAX_ENTRY_WORDS; i++)
			sum = mix64(sum + a.word[i]);
	}
	match = f->t->loops->find(f->t, f->w, op->key, word);
	for (; match; match &= match - 1)
		for (unsigned i = 0; i < entry_words(f->t->kind); i++)
			sum = mix64(sum + word[__builtin_ctz(match)][i] % TT_GENERATION_BITS);
	return sum;
}

static void count_slot(void *arg, const struct slot_view *v)
{
	++*(uint64_t *)arg;
}

/* Make both empty, in either way. Those that it is still found in. */
static uint64_t cleared(struct fixture *f, bool live)
{
	uint64_t held = 0;

	if (live)
		f->t->loops->clear_live(f->t, f->w);
	else
		f->t->class->clear(f->t, 0, 1);
	f->t->loops->walk(f->t, count_slot, &held);
	return held;
}

/* As if it had been used for long. */
static void age(struct fixture *f)
{
	WRITE_ONCE64(&((struct liar *)f->t->priv)->sections, 1ull << 25);
}

/* How often the liar's answers are not those of the honest table; once will do. */
static uint64_t differences(enum kind kind, uint64_t entries)
{
	struct side honest, liar;
	uint64_t rng = 7 + kind, nr = 0;

	open_side(&honest, "honest", kind, entries);
	open_side(&liar, lie->name, kind, entries);
	for (unsigned i = 0; i < ROUNDS && !nr; i++) {
		struct trace_op op = some_op(kind, &rng);
		struct trace_op beside = store_op(liar.f[1].t->kind, 5, i);
		bool generation = !rng_below(&rng, 64), clears = !rng_below(&rng, 1024);

		if (i == ROUNDS / 2)
			age(&liar.f[0]);
		if (!rng_below(&rng, 64)) {
			ask(&honest.f[1], &beside);
			ask(&liar.f[1], &beside);
		}
		nr += ask(&honest.f[0], &op) != ask(&liar.f[0], &op);
		if (generation) {
			table_new_generation(honest.f[0].t);
			table_new_generation(liar.f[0].t);
		}
		if (clears) {
			cleared(&honest.f[0], i & 1);
			nr += cleared(&liar.f[0], i & 1);
		}
	}
	close_side(&honest);
	close_side(&liar);
	return nr;
}

/*
 * Races. Every store has a number, its move; the rest of its words follows from that, and it
 * is known which key each number belongs to.
 */
#define RACE_ENTRIES 8
#define RACE_KEYS 6 /* a line */

static struct {
	struct fixture f;
	uint64_t rng;
	uint32_t stored; /* numbers so far */
	uint64_t key[2 * ROUNDS + 2]; /* by number */
	uint64_t wrong;
	/* the outer operation, and what was there of its key */
	struct trace_op out;
	uint32_t there;
	bool clears;
	unsigned windows;
	/* the other thread's, in a window of that */
	bool inside, looks_only;
	struct trace_op in;
} race;

static struct trace_op numbered(enum kind kind, bool store, uint64_t key)
{
	struct trace_op op = store ? store_op(kind, key, ++race.stored) : probe_op(kind, key);

	if (store) {
		op.depth = (uint8_t)(mix64(op.move) % 24);
		op.value = (int16_t)((int16_t)(mix64(op.move) >> 48) / 2);
		race.key[op.move] = key;
	}
	return op;
}

/* The number of the one store of the key that wrote these words; 0: none did. */
static uint32_t number_of(enum kind kind, uint64_t key, const uint64_t *word)
{
	uint32_t nr = (uint32_t)word[0];
	uint64_t rest = mix64(nr), whole;

	if (!nr || nr > race.stored || race.key[nr] != key)
		return 0;
	whole = tt_pack(nr, (uint8_t)(rest % 24), TT_EXACT,
			(int16_t)((int16_t)(rest >> 48) / 2));
	if (kind == KIND_KV)
		whole = KV_OCCUPIED | (rest % 24) << 32 | nr;
	if ((word[0] ^ whole) & ~(kind == KIND_TT ? TT_GENERATION_BITS : 0))
		return 0;
	for (unsigned i = 1; i < entry_words(kind); i++)
		if (word[i] != word[0] + i)
			return 0;
	return nr;
}

/* The newest store of the key that is found; 0: none. Words that nobody stored are wrong. */
static uint32_t newest(struct worker *w, uint64_t key)
{
	struct table *t = race.f.t;
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];
	unsigned match = t->loops->find(t, w, key, word);
	uint32_t best = 0;

	for (; match; match &= match - 1) {
		uint32_t nr = number_of(t->kind, key, word[__builtin_ctz(match)]);

		race.wrong += !nr;
		best = nr > best ? nr : best;
	}
	return best;
}

static void operate(struct worker *w, const struct trace_op *op)
{
	struct table_answer a;

	if (op->op & 1)
		table_ops(race.f.t)->store(race.f.t, w, op, NULL);
	else
		table_ops(race.f.t)->probe(race.f.t, w, op, &a);
}

static uint64_t race_key(void)
{
	return rng_below(&race.rng, 2) << 63 | mix64(1 + rng_below(&race.rng, RACE_KEYS)) >> 16;
}

/* So many stores as change nothing in a count of few bits. */
static unsigned wraps(void)
{
	return lie->count_mask < UINT32_MAX ? (lie->count_mask + 1) / 2 + !lie->count_mask : 1;
}

static void come_in(void)
{
	bool of_the_same = rng_below(&race.rng, 2), found;

	race.windows += !race.inside;
	if (race.inside || race.in.key || rng_below(&race.rng, 4))
		return;
	race.inside = true;
	race.in = numbered(race.f.t->kind,
			   !race.looks_only && !race.clears && rng_below(&race.rng, 2),
			   of_the_same && race.out.key ? race.out.key : race_key());
	found = newest(other, race.in.key);
	/* the first line is empty by now; a store of a key that is there keeps it there */
	race.wrong += race.clears && race.windows > 1 && !(race.in.key >> 63) && found;
	race.wrong += !race.clears && race.out.op & 1 && race.in.key == race.out.key &&
		      race.there && !found;
	for (unsigned n = race.in.op & 1 ? wraps() : 1; n; n--)
		operate(other, &race.in);
	race.inside = false;
}

static void race_once(void)
{
	enum kind kind = race.f.t->kind;

	race.out = numbered(kind, rng_below(&race.rng, 2), race_key());
	race.clears = !rng_below(&race.rng, 16);
	race.in.key = 0;
	race.windows = 0;
	race.inside = true;
	race.there = newest(race.f.w, race.out.key);
	race.inside = false;
	if (race.clears)
		race.f.t->loops->clear_live(race.f.t, race.f.w);
	else if (!(race.out.op & 1) && rng_below(&race.rng, 2))
		newest(race.f.w, race.out.key);
	else
		operate(race.f.w, &race.out);
	race.inside = true;
	if (!race.in.key || race.clears)
		return;
	/* What the other has stored is there, unless it could be stored over. */
	if (race.in.op & 1 && !(race.out.op & 1))
		race.wrong += newest(race.f.w, race.in.key) < race.in.move;
	if (race.in.op & 1 && race.out.op & 1 && race.in.key == race.out.key)
		race.wrong += !newest(race.f.w, race.in.key);
}

/* Once something was wrong, that will do. */
static uint64_t races(enum kind kind)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "liar:lie=%s", lie->name);
	memset(&race, 0, sizeof(race));
	race.rng = 11 + kind;
	fixture_open(&race.f, spec, kind, RACE_ENTRIES, MATE);
	/* a writer that is met holds the lock */
	race.looks_only = !strcmp(lie->name, "busy_miss");
	in_window = come_in;
	for (unsigned i = 0; i < ROUNDS && !race.wrong; i++) {
		race_once();
		if (!rng_below(&race.rng, 64))
			table_new_generation(race.f.t);
	}
	in_window = NULL;
	fixture_close(&race.f);
	return race.wrong;
}

static int check(void)
{
	uint64_t differ = 0, wrong = 0;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		differ += differences(k, FEW);
		if (lie->race ? !wrong : !lie->shows)
			wrong += races(k);
	}
	for (enum kind k = 0; k < NR_KINDS && lie->shows && !lie->race && !differ; k++)
		differ += differences(k, MANY);
	if (!lie->shows ? !differ && !wrong : lie->race ? !differ && wrong : differ)
		return 0;
	printf("FAILED: %s (%s): %ju answers differ alone, %ju are wrong in a race\n",
	       lie->name, lie->planted, (uintmax_t)differ, (uintmax_t)wrong);
	return 1;
}

int main(int argc, char **argv)
{
	int failed = 0;

	other = aligned_alloc(128, sizeof(*other));
	memset(other, 0, sizeof(*other));
	other->id = 1;
	for (size_t i = 0; i < nr_lies + nr_honest; i++) {
		lie = lies[i];
		if (argc < 2 || !strcmp(argv[1], lie->name))
			failed += check();
	}
	free(other);
	printf("%zu lies, %zu honest\n", nr_lies, nr_honest);
	return failed != 0;
}
