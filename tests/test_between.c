// SPDX-License-Identifier: BSD-2-Clause
/*
 * One operation amid another: a thread is stopped before one of its accesses (between.h),
 * another does a whole operation, and the first goes on; for every access there is. What went
 * wrong in any of these, as faults of the names below, is what the table is expected to show:
 * no more and, where nothing protects an entry, no less.
 *
 * Who comes upon what the stopped one holds goes on as soon as that moves; and nobody begins
 * while it holds a lock that the test knows of, unless the table's readers pass locks.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "between.h"
#include "cpu.h"
#include "line.h"
#include "table.h"

/* What can be wrong in the end. */
#define TORN 0x1u /* a probe's answer was stored under another key, or not at once */
#define MISS 0x2u /* a probe missed a key that stood there all along */
#define LOST 0x4u /* a key that was stored last is not there */
#define BACK 0x8u /* there is what was stored before */
#define TWICE 0x10u /* a key stands in two slots */
#define UNSEEN 0x20u /* what came in between was written over by who had not seen it */
#define NR_WRONG 6
static const char wrong_names[][8] = { "torn", "miss", "lost", "back", "twice", "unseen" };

/* What is known of a table's kind: which of that it shows. */
enum sort {
	ATOMIC, /* every operation is one, to others */
	SWAPS, /* entries, of those it has seen only */
	POINTERS, /* likewise, but for what it pushes aside */
	WHOLE, /* entries, bare */
	WORDS, /* data after signature, bare */
	FOLDED, /* signature with the data in it, after the data */
	FOLDED_FIRST, /* likewise, before the data */
	NR_SORTS
};

/* What is stored says under which key: number 12 is the second version of key 1. */
#define KEY_OF(id) ((id) / 10)
#define MAX_KEYS 10

struct step {
	enum { NOTHING, STORE, PROBE, CLEAR, FLOOD } what;
	unsigned id; /* of a store; of a probe, any of the key */
	unsigned like; /* tt: what is stored is this one's, but for the key */
	uint8_t depth; /* tt: 0 is 3 */
	bool mate;
};

#define STORED(n)                      \
	{                              \
		.what = STORE, .id = n \
	}
#define PROBED(n)                      \
	{                              \
		.what = PROBE, .id = n \
	}
#define MATE_STORED(n)                               \
	{                                            \
		.what = STORE, .id = n, .mate = true \
	}
#define PREPARE(...) .before = { __VA_ARGS__ }

static const struct scenario {
	const char *name;
	enum kind kind;
	struct step before[3];
	bool next_generation; /* before the two */
	struct step stopped, amid;
	unsigned after[2]; /* of their keys these or later versions must be there */
	bool stays; /* the key that is probed is there all along */
	bool only_amid; /* if the other is through before it, and not when it comes later */
	bool four_slots; /* with fewer the line is full */
	unsigned shows[NR_SORTS];
} scenarios[] = {
	/* tt, and what a hit is: a write */
	{ "refresh, same key stored", KIND_TT, PREPARE(STORED(11)), .next_generation = true,
	  .stopped = PROBED(11), .amid = STORED(12), .after = { 12 }, .stays = true,
	  .shows = { [WORDS] = BACK | UNSEEN,
		     [WHOLE] = BACK | UNSEEN,
		     [FOLDED] = MISS | LOST | BACK | UNSEEN,
		     [FOLDED_FIRST] = MISS | LOST | BACK | UNSEEN } },
	{ "refresh, pushed out", KIND_TT, PREPARE(STORED(11)), .next_generation = true,
	  .stopped = PROBED(11), .amid = STORED(21), .after = { 21 }, .stays = true,
	  .shows = { [WORDS] = TORN | LOST | UNSEEN,
		     [WHOLE] = LOST | UNSEEN,
		     [FOLDED] = LOST | UNSEEN,
		     [FOLDED_FIRST] = LOST | UNSEEN } },
	{ "new key probed", KIND_TT, PREPARE(STORED(11)), .stopped = PROBED(21),
	  .amid = STORED(21), .after = { 21 } },
	{ "refresh, equal words stored", KIND_TT, PREPARE(STORED(11)), .stopped = PROBED(11),
	  .amid = { .what = STORE, .id = 21, .like = 11 }, .after = { 21 },
	  .shows = { [WORDS] = LOST | UNSEEN,
		     [WHOLE] = LOST | UNSEEN,
		     [FOLDED] = LOST | UNSEEN,
		     [FOLDED_FIRST] = LOST | UNSEEN } },
	{ "refresh after a push", KIND_TT,
	  PREPARE({ .what = STORE, .id = 11, .depth = 9 }, STORED(21), STORED(31)),
	  .next_generation = true, .stopped = PROBED(31), .amid = PROBED(21),
	  .after = { 21, 31 }, .stays = true, .four_slots = true },
	/* tt, stores: one pushes another aside */
	{ "push, push", KIND_TT, PREPARE(STORED(11)), .stopped = STORED(21), .amid = STORED(31),
	  .after = { 21, 31 },
	  .shows = { [WORDS] = TORN | LOST | UNSEEN,
		     [WHOLE] = LOST | UNSEEN,
		     [FOLDED] = LOST | UNSEEN,
		     [FOLDED_FIRST] = LOST | UNSEEN,
		     [POINTERS] = UNSEEN } },
	{ "push, the old probed", KIND_TT, PREPARE(STORED(11)), .stopped = STORED(21),
	  .amid = PROBED(11), .after = { 21 }, .stays = true,
	  .shows = { [POINTERS] = UNSEEN } },
	{ "push, the new probed", KIND_TT, PREPARE(STORED(11)), .stopped = STORED(21),
	  .amid = PROBED(21), .after = { 21 }, .shows = { [WORDS] = TORN } },
	{ "push over, the lost probed", KIND_TT, PREPARE(STORED(11), STORED(21)),
	  .stopped = STORED(31), .amid = PROBED(11), .after = { 31 },
	  .shows = { [WORDS] = TORN } },
	{ "push over, the pushed probed", KIND_TT, PREPARE(STORED(11), STORED(21)),
	  .stopped = STORED(31), .amid = PROBED(21), .after = { 31 }, .stays = true,
	  .shows = { [POINTERS] = UNSEEN } },
	{ "push to where one is stored", KIND_TT,
	  PREPARE({ .what = STORE, .id = 11, .depth = 9 }, MATE_STORED(21)),
	  .stopped = MATE_STORED(31), .amid = STORED(41), .after = { 31 }, .four_slots = true },
	{ "same new key", KIND_TT, .stopped = STORED(11), .amid = STORED(12), .after = { 11 },
	  .shows = { [WORDS] = TWICE | UNSEEN,
		     [WHOLE] = TWICE | UNSEEN,
		     [FOLDED] = LOST | TWICE | UNSEEN,
		     [FOLDED_FIRST] = LOST | TWICE | UNSEEN,
		     [SWAPS] = TWICE,
		     [POINTERS] = TWICE } },
	{ "same old key", KIND_TT, PREPARE(STORED(11)), .stopped = STORED(12),
	  .amid = STORED(13), .after = { 12 },
	  .shows = { [WORDS] = UNSEEN,
		     [WHOLE] = UNSEEN,
		     [FOLDED] = LOST | TWICE | UNSEEN,
		     [FOLDED_FIRST] = LOST | TWICE | UNSEEN } },
	/* words that are overwritten */
	{ "kv, two new", KIND_KV, .stopped = STORED(11), .amid = STORED(21),
	  .after = { 11, 21 },
	  .shows = { [WORDS] = TORN | LOST | UNSEEN,
		     [WHOLE] = LOST | UNSEEN,
		     [FOLDED] = LOST | UNSEEN,
		     [FOLDED_FIRST] = LOST | UNSEEN } },
	{ "kv, same new", KIND_KV, .stopped = STORED(11), .amid = STORED(12), .after = { 11 },
	  .shows = { [WORDS] = TWICE | UNSEEN,
		     [WHOLE] = UNSEEN,
		     [FOLDED] = TWICE | UNSEEN,
		     [FOLDED_FIRST] = LOST | TWICE | UNSEEN } },
	{ "kv, probe", KIND_KV, PREPARE(STORED(11)), .stopped = PROBED(11), .amid = STORED(12),
	  .after = { 12 }, .stays = true, .shows = { [FOLDED] = MISS, [FOLDED_FIRST] = MISS } },
	{ "kv, probed", KIND_KV, PREPARE(STORED(11)), .stopped = STORED(12), .amid = PROBED(11),
	  .after = { 12 }, .stays = true, .shows = { [FOLDED] = MISS, [FOLDED_FIRST] = MISS } },
	{ "kv, key 0 probed amid a clear", KIND_KV, PREPARE(STORED(51)),
	  .stopped = { .what = CLEAR }, .amid = PROBED(1) },
	{ "pawn, probe", KIND_PAWN, PREPARE(STORED(11)), .stopped = PROBED(11),
	  .amid = STORED(12), .after = { 12 }, .stays = true,
	  .shows = { [WORDS] = TORN, [FOLDED] = MISS } },
	{ "pawn, probed", KIND_PAWN, PREPARE(STORED(11)), .stopped = STORED(12),
	  .amid = PROBED(11), .after = { 12 }, .stays = true,
	  .shows = { [WORDS] = TORN, [FOLDED] = MISS } },
	/* what is found is pushed out, and its memory used again if it may be */
	{ "kv, probe amid many", KIND_KV, PREPARE(STORED(11)), .stopped = PROBED(11),
	  .amid = { .what = FLOOD }, .shows = { [WORDS] = TORN } },
	{ "kv, store amid many", KIND_KV, PREPARE(STORED(11)), .stopped = STORED(12),
	  .amid = { .what = FLOOD }, .after = { 12 }, .only_amid = true,
	  .shows = { [WORDS] = LOST | UNSEEN,
		     [WHOLE] = UNSEEN,
		     [FOLDED] = LOST | UNSEEN,
		     [FOLDED_FIRST] = LOST | UNSEEN } },
	{ "pawn, probe amid many", KIND_PAWN, PREPARE(STORED(11)), .stopped = PROBED(11),
	  .amid = { .what = FLOOD }, .shows = { [WORDS] = TORN } },
};

static struct table_class *classes[32];
static unsigned nr_classes;

void between_register(struct table_class *c)
{
	classes[nr_classes++] = c;
}

/* One of the two. */
struct side {
	struct table *t;
	struct worker *w;
	struct step step;
	bool stopped; /* it is the one that is */
	struct table_answer answer;
};

static struct {
	struct side side[2];
	sem_t go[2];
	unsigned at, stop_at; /* accesses of the stopped one */
	int locked;
	bool counts, passes; /* the other's probes pass locks */
	enum { READY, UNDER_WAY, DONE } amid;
	unsigned wrong;
	/* what the stopped one last saw */
	struct {
		const volatile void *word;
		uint64_t value;
	} saw[64];
	unsigned nr_saw;
} now;

static __thread struct side *me;

/* The stopped one stops. */
static void let_other(void)
{
	now.amid = UNDER_WAY;
	sem_post(&now.go[1]);
	sem_wait(&now.go[0]);
}

void between_access(void)
{
	if (!me || !me->stopped || !now.counts)
		return;
	now.at++;
	if (now.at <= now.stop_at || now.amid == DONE)
		return;
	if (!now.locked || (now.passes && now.side[1].step.what == PROBE))
		let_other();
}

void between_wait(void)
{
	if (me && me->stopped && now.counts && now.amid == UNDER_WAY) {
		let_other();
	} else if (me && !me->stopped) {
		sem_post(&now.go[0]);
		sem_wait(&now.go[1]);
	}
}

void between_lock(int by)
{
	if (me && me->stopped)
		now.locked += by;
}

static bool is_entry(const volatile void *word)
{
	const struct table *t = now.side[0].t;

	return t && (const char *)word >= (char *)t->mem.base &&
	       (const char *)word < (char *)t->mem.base + t->mem.bytes;
}

static uint64_t *seen_of(const volatile void *word)
{
	for (unsigned i = 0; i < now.nr_saw; i++)
		if (now.saw[i].word == word)
			return &now.saw[i].value;
	return NULL;
}

void between_read(const volatile void *word, uint64_t value)
{
	uint64_t *seen = seen_of(word);

	if (!me || !me->stopped || !now.counts || !is_entry(word))
		return;
	if (seen) {
		*seen = value;
	} else if (now.nr_saw < ARRAY_SIZE(now.saw)) {
		now.saw[now.nr_saw].word = word;
		now.saw[now.nr_saw++].value = value;
	}
}

void between_write(const volatile void *word, uint64_t over)
{
	const uint64_t *seen = seen_of(word);

	if (!me || !me->stopped || !now.counts || !is_entry(word))
		return;
	if (seen && *seen != over)
		now.wrong |= UNSEEN;
	between_read(word, over); /* once is enough; and what it writes is its own */
}

/* Key 0 is one. Others have all bits, and all are in the one line, or region. */
static uint64_t key_of(unsigned id)
{
	return KEY_OF(id) ? mix64(KEY_OF(id)) : 0;
}

static void store(struct side *s, const struct step *step)
{
	struct trace_op op = { .key = key_of(step->id),
			       .op = (uint8_t)(2 * s->t->kind + 1),
			       .move = step->like ? step->like : step->id,
			       .value = step->mate ? TT_INFINITY - 5 : 12,
			       .depth = step->depth ? step->depth : 3,
			       .next_depth = TRACE_DEPTH_UNKNOWN,
			       .flags = (step->mate ? BOUND_LOWER : BOUND_EXACT)
					<< TRACE_BOUND_SHIFT,
			       .ply = TRACE_PLY_UNKNOWN };
	uint64_t word[MAX_ENTRY_WORDS];

	for (unsigned i = 0; i < MAX_ENTRY_WORDS; i++)
		word[i] = step->id + 1000 * i;
	table_ops(s->t)->store(s->t, s->w, &op, word);
}

static void probe(struct side *s, unsigned id)
{
	struct trace_op op = { .key = key_of(id),
			       .op = (uint8_t)(2 * s->t->kind),
			       .value = -TT_INFINITY,
			       .beta = TT_INFINITY,
			       .next_depth = TRACE_DEPTH_UNKNOWN,
			       .ply = TRACE_PLY_UNKNOWN };

	table_ops(s->t)->probe(s->t, s->w, &op, &s->answer);
}

/* More keys than a small table and its spare entries hold. */
#define FLOOD_KEYS 2000u

static void take(struct side *s, const struct step *step)
{
	struct step one = { .what = STORE };

	switch (step->what) {
	case STORE:
		store(s, step);
		break;
	case PROBE:
		probe(s, step->id);
		break;
	case CLEAR:
		s->t->loops->clear_live(s->t, s->w);
		break;
	case FLOOD:
		for (unsigned i = 0; i < FLOOD_KEYS; i++) {
			one.id = 10 * (MAX_KEYS + i) + 1;
			store(s, &one);
		}
		break;
	case NOTHING:
		break;
	}
}

static void enter(struct side *s)
{
	struct err e;

	if (s->t->class->thread_enter && s->t->class->thread_enter(s->t, s->w, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	me = s;
}

static void leave(struct side *s)
{
	me = NULL;
	if (s->t->class->thread_leave)
		s->t->class->thread_leave(s->t, s->w);
}

static void *be_amid(void *arg)
{
	struct side *s = arg;

	enter(s);
	sem_post(&now.go[0]);
	sem_wait(&now.go[1]);
	s->t->loops->online(s->t, s->w);
	take(s, &s->step);
	s->t->loops->offline(s->t, s->w);
	leave(s);
	now.amid = DONE;
	sem_post(&now.go[0]);
	return NULL;
}

static bool words_belong(enum kind kind, const uint64_t *word, unsigned *id)
{
	if (kind == KIND_TT) {
		*id = tt_move(word[0]);
		return true;
	}
	*id = (unsigned)(word[0] & ~table_bits(kind));
	for (unsigned i = 1; i < entry_words(kind); i++)
		if (word[i] != *id + 1000 * i)
			return false;
	return true;
}

static void check_answer(const struct scenario *c, const struct side *s)
{
	uint64_t word[MAX_ENTRY_WORDS];
	unsigned id;

	if (s->step.what != PROBE)
		return;
	if (!s->answer.hit) {
		now.wrong |= c->stays ? MISS : 0;
		return;
	}
	memcpy(word, s->answer.word, sizeof(word));
	if (c->kind == KIND_TT)
		word[0] = s->answer.move;
	if (!words_belong(c->kind, word, &id) || KEY_OF(id) != KEY_OF(s->step.id))
		now.wrong |= TORN;
}

/* At rest, what must be there. */
static void check_after(const struct scenario *c, struct side *s)
{
	uint64_t word[MAX_SLOTS][MAX_ENTRY_WORDS];

	for (unsigned i = 0; i < ARRAY_SIZE(c->after) && c->after[i]; i++) {
		unsigned match = s->t->loops->find(s->t, s->w, key_of(c->after[i]), word);
		unsigned id = 0;

		if (match & (match - 1))
			now.wrong |= TWICE;
		if (!match)
			now.wrong |= LOST;
		else if (!words_belong(c->kind, word[__builtin_ctz(match)], &id) ||
			 (KEY_OF(id) != KEY_OF(c->after[i]) && id != c->amid.like))
			now.wrong |= TORN;
		else if (id < c->after[i] && id != c->amid.like)
			now.wrong |= BACK;
	}
}

static struct worker *new_worker(unsigned id)
{
	struct worker *w = aligned_alloc(128, sizeof(*w));

	memset(w, 0, sizeof(*w));
	w->id = id;
	return w;
}

static void run_both(const struct scenario *c)
{
	struct side *s = &now.side[0];
	pthread_t thread;
	bool in_time;

	enter(s);
	pthread_create(&thread, NULL, be_amid, &now.side[1]);
	sem_wait(&now.go[0]);
	s->t->loops->online(s->t, s->w);
	for (size_t i = 0; i < ARRAY_SIZE(c->before); i++)
		take(s, &c->before[i]);
	if (c->next_generation)
		table_new_generation(s->t);
	now.counts = true;
	take(s, &s->step);
	now.counts = false;
	in_time = now.amid == DONE;
	s->t->loops->offline(s->t, s->w);
	while (now.amid != DONE)
		let_other();
	pthread_join(thread, NULL);
	check_answer(c, &now.side[0]);
	check_answer(c, &now.side[1]);
	s->t->loops->online(s->t, s->w);
	if (in_time || !c->only_amid)
		check_after(c, s);
	s->t->loops->offline(s->t, s->w);
	leave(s);
}

/* With the other before access number `stop_at`; returns how many there were. */
static unsigned run_one(struct table *t, const struct scenario *c, bool passes,
			unsigned stop_at)
{
	now.at = 0;
	now.stop_at = stop_at;
	now.locked = 0;
	now.passes = passes;
	now.amid = READY;
	now.nr_saw = 0;
	now.side[0] = (struct side){
		.t = t, .w = new_worker(0), .step = c->stopped, .stopped = true
	};
	now.side[1] = (struct side){ .t = t, .w = new_worker(1), .step = c->amid };
	t->class->clear(t, 0, 1);
	run_both(c);
	free(now.side[0].w);
	free(now.side[1].w);
	return now.at;
}

/* One line, or as little as there can be. */
static struct table *create(const struct table_spec *spec, enum kind kind)
{
	struct table_params p = { .kind = kind,
				  .size = { .entries = kind_has_slots(kind) ? 4 : 1 },
				  .size_text = "size",
				  .pages = PAGES_4K,
				  .threads = 2,
				  .mate = TT_MATE_DEFAULT };
	struct table *t;
	struct err e;

	if (!table_create(spec, &p, &t, &e))
		return t;
	fprintf(stderr, "%s\n", e.text);
	exit(1);
}

static void list_wrong(char text[128], unsigned wrong)
{
	strcpy(text, wrong ? "" : " nothing");
	for (unsigned i = 0; i < NR_WRONG; i++)
		if (wrong >> i & 1)
			sprintf(text + strlen(text), " %s", wrong_names[i]);
}

/* In all places of a scenario. */
static unsigned wrong_of(const struct table_spec *spec, const struct scenario *c, bool passes)
{
	struct table *t = create(spec, c->kind);
	unsigned nr, stop_at = 0;

	now.wrong = 0;
	do
		nr = run_one(t, c, passes, stop_at);
	while (stop_at++ < nr);
	table_destroy(t);
	return now.wrong;
}

static const struct {
	const char *spec;
	enum sort sort;
	bool passes; /* its probes take no lock, and pass those of stores */
	bool refreshes; /* is only tried for that */
} tables[] = {
	{ .spec = "unsync:probe=scalar", .sort = WORDS },
	{ .spec = "cluster10", .sort = WORDS },
	{ .spec = "xor", .sort = FOLDED },
	{ .spec = "xor32", .sort = FOLDED_FIRST },
	{ .spec = "atomic16:probe=scalar", .sort = WHOLE },
	{ .spec = "cas16", .sort = SWAPS },
	{ .spec = "urcu", .sort = POINTERS },
	{ .spec = "urcu:flavor=qsbr", .sort = POINTERS },
	/* who compares brings nothing back */
	{ .spec = "unsync:probe=scalar,refresh=cas", .sort = ATOMIC, .refreshes = true },
	{ .spec = "cluster10:refresh=cas", .sort = ATOMIC, .refreshes = true },
	{ .spec = "xor:refresh=cas", .sort = ATOMIC, .refreshes = true },
	{ .spec = "xor32:refresh=cas", .sort = ATOMIC, .refreshes = true },
	{ .spec = "atomic16:probe=scalar,refresh=cas", .sort = ATOMIC, .refreshes = true },
	{ .spec = "urcu-line", .sort = ATOMIC },
	{ .spec = "urcu-line:flavor=qsbr", .sort = ATOMIC },
	{ .spec = "lfht", .sort = ATOMIC },
	{ .spec = "lfht:flavor=qsbr", .sort = ATOMIC },
	{ .spec = "ck_ht", .sort = ATOMIC },
	{ .spec = "ck_ht:refresh=never", .sort = ATOMIC, .passes = true },
	{ .spec = "ck_hs", .sort = ATOMIC },
	{ .spec = "ck_rhs", .sort = ATOMIC },
	{ .spec = "lockbit", .sort = ATOMIC },
	{ .spec = "seqlock", .sort = ATOMIC },
	{ .spec = "seqlock:counter=line", .sort = ATOMIC },
	{ .spec = "seqlock:impl=c11", .sort = ATOMIC },
	{ .spec = "seqlock:impl=c11,counter=line", .sort = ATOMIC },
	{ .spec = "spinlock", .sort = ATOMIC },
	{ .spec = "rwlock", .sort = ATOMIC },
	{ .spec = "pthread", .sort = ATOMIC },
	{ .spec = "pthread:lock=rwlock", .sort = ATOMIC },
};

/* Ours instead of the one that is registered: options are the same. */
static bool take_ours(struct table_spec *spec)
{
	for (unsigned i = 0; i < nr_classes; i++) {
		if (strcmp(classes[i]->name, spec->class->name))
			continue;
		spec->class = classes[i];
		return true;
	}
	return false;
}

static bool applies(const struct table_spec *spec, const struct scenario *c, size_t table)
{
	bool line_of_3 = !strcmp(spec->class->name, "cluster10") ||
			 strstr(tables[table].spec, "counter=line");

	return spec->class->kinds & 1u << c->kind && !(c->four_slots && line_of_3) &&
	       (!tables[table].refreshes || c->next_generation);
}

static int test_table(size_t table)
{
	const char *text = tables[table].spec;
	char shown[128], expected[128];
	struct table_spec spec;
	int failed = 0;
	struct err e;

	if (table_spec_absent(text)) {
		printf("%s: not here\n", text);
		return 0;
	}
	if (table_spec_parse(text, &spec, &e) || !take_ours(&spec)) {
		fprintf(stderr, "%s cannot be interrupted\n", text);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		const struct scenario *c = &scenarios[i];
		unsigned want = c->shows[tables[table].sort], wrong;

		if (!applies(&spec, c, table))
			continue;
		wrong = wrong_of(&spec, c, tables[table].passes);
		if (tables[table].refreshes)
			wrong &= LOST | BACK | UNSEEN;
		if (wrong == want)
			continue;
		list_wrong(shown, wrong);
		list_wrong(expected, want);
		printf("%s: %s: showed%s, expected%s\n", text, c->name, shown, expected);
		failed = 1;
	}
	table_spec_free(&spec);
	return failed;
}

/*
 * ck_ht copies a shard into another map, and the old one is then the next shard's: a reader
 * that was in it looks again, whatever it has found. Who met a store and no copy does not.
 */
static int copied_is_read_again(void)
{
	const struct scenario c = { "", KIND_KV, PREPARE(STORED(11)), .stopped = PROBED(11) };
	struct scenario stored = c, copied = c;
	struct table_spec spec;
	unsigned alone, after_store, after_copy;
	struct table *t;
	struct err e;

	if (table_spec_absent("ck_ht"))
		return 0;
	if (table_spec_parse("ck_ht", &spec, &e) || !take_ours(&spec))
		return 1;
	stored.amid = (struct step)STORED(12);
	copied.amid.what = FLOOD;
	t = create(&spec, KIND_KV);
	alone = run_one(t, &c, false, 100);
	after_store = run_one(t, &stored, false, 1);
	after_copy = run_one(t, &copied, false, 1);
	table_destroy(t);
	table_spec_free(&spec);
	printf("ck_ht: %u accesses of a probe, %u amid a store, %u amid a copy\n", alone,
	       after_store, after_copy);
	return alone < 2 || after_store != alone || after_copy <= alone;
}

int main(void)
{
	int failed = 0;

	sem_init(&now.go[0], 0, 0);
	sem_init(&now.go[1], 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		failed |= test_table(i);
	failed |= copied_is_read_again();
	return failed;
}
