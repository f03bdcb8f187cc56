// SPDX-License-Identifier: BSD-2-Clause
/*
 * A subtree's count is stored under the position's key with its depth mixed in, from two plies
 * on: below, counting is as fast as asking. The subtrees that threads take are some plies
 * below the root, wherever there are enough of them.
 */
#include "perft.h"

#include <stdlib.h>

#include "crew.h"
#include "interrupt.h"

/* Subtrees for each thread, so that none waits long for the last. */
#define SUBTREES_EACH 32u
#define ENOUGH_SUBTREES 4096u /* for any number of threads */
/* Probes between two pauses, each with a store at most. */
#define PAUSE_EVERY 1024u
/* From this depth on a subtree takes so long that it ends where there is to be no total. */
#define STOP_DEPTH 4

struct subtree {
	struct board b;
	unsigned first; /* which move of the root leads there */
};

/* What all threads work on. */
struct job {
	struct perft *p;
	struct subtree *subtree;
	size_t nr;
	unsigned depth; /* of each */
	uint64_t (*count)[MAX_MOVES]; /* by thread and move of the root */
	_Atomic uint32_t overflowed;
	atomic_word next; /* subtree to be taken */
	atomic_word unstored;
};

/* One thread's. */
struct counter {
	struct table *table;
	const struct table_ops *ops; /* NULL: no table */
	struct worker *w;
	unsigned until_pause;
	uint64_t unstored;
	bool overflowed;
};

static uint64_t key_of(const struct board *b, unsigned depth)
{
	return b->now.key ^ mix64(depth);
}

static bool known(struct counter *c, const struct board *b, unsigned depth, uint64_t *count)
{
	const struct trace_op op = { .key = key_of(b, depth) };
	struct table_answer a;

	c->ops->probe(c->table, c->w, &op, &a);
	if (!--c->until_pause) {
		c->until_pause = PAUSE_EVERY;
		table_pause(c->table, c->w);
	}
	*count = a.word[0];
	return a.hit;
}

static void remember(struct counter *c, const struct board *b, unsigned depth, uint64_t count)
{
	const struct trace_op op = { .key = key_of(b, depth) };

	if (count & table_bits(KIND_KV)) {
		c->unstored++;
		return;
	}
	c->ops->store(c->table, c->w, &op, &count);
}

static void add(struct counter *c, uint64_t *sum, uint64_t count)
{
	c->overflowed |= __builtin_add_overflow(*sum, count, sum);
}

static uint64_t count_subtree(struct counter *c, struct board *b, unsigned depth);

static uint64_t count_moves(struct counter *c, struct board *b, unsigned depth)
{
	uint16_t list[MAX_MOVES];
	unsigned nr = movegen_all(b, list);
	uint64_t sum = 0;
	struct undo u;

	for (unsigned i = 0; i < nr; i++) {
		board_make(b, list[i], &u);
		add(c, &sum, count_subtree(c, b, depth - 1));
		board_unmake(b, list[i], &u);
	}
	return sum;
}

static uint64_t count_subtree(struct counter *c, struct board *b, unsigned depth)
{
	uint64_t count;

	if (depth <= 1)
		return depth ? movegen_count(b) : 1;
	if (depth >= STOP_DEPTH && (interrupted() || c->overflowed))
		return 0;
	if (!c->ops)
		return count_moves(c, b, depth);
	if (known(c, b, depth, &count))
		return count;
	count = count_moves(c, b, depth);
	remember(c, b, depth, count);
	return count;
}

uint64_t perft_plain(struct board *b, unsigned depth)
{
	struct counter alone = { .ops = NULL };

	return count_subtree(&alone, b, depth);
}

static void take_subtrees(struct job *job, struct worker *w)
{
	struct counter c = { .table = job->p->table,
			     .ops = job->p->table ? table_ops(job->p->table) : NULL,
			     .w = w,
			     .until_pause = PAUSE_EVERY };
	uint64_t i;

	/* relaxed: the list was there before the threads were */
	while (!interrupted() && !READ_ONCE32(&job->overflowed) &&
	       (i = fetch_add_relaxed(&job->next, 1)) < job->nr) {
		struct subtree *s = &job->subtree[i];

		add(&c, &job->count[w->id][s->first], count_subtree(&c, &s->b, job->depth));
		if (c.overflowed)
			WRITE_ONCE32(&job->overflowed, 1);
	}
	fetch_add_relaxed(&job->unstored, c.unstored);
}

static void count_all(struct member *m)
{
	struct job *job = m->crew->arg;
	uint64_t begin;

	crew_clear(m);
	meet_all(&m->crew->meet);
	begin = now_ns();
	crew_online(m);
	take_subtrees(job, &m->w);
	crew_offline(m);
	meet_all(&m->crew->meet);
	if (m->w.id == 0)
		job->p->seconds = (double)(now_ns() - begin) * 1e-9;
}

/* What one move on leads to. Appends to out, of room for MAX_MOVES more; returns how many. */
static size_t expand(const struct subtree *from, struct subtree *out)
{
	uint16_t list[MAX_MOVES];
	unsigned nr = movegen_all(&from->b, list);
	struct undo u;

	for (unsigned i = 0; i < nr; i++) {
		out[i] = *from;
		board_make(&out[i].b, list[i], &u);
	}
	return nr;
}

/* All subtrees a ply further down. */
static void split_again(struct job *job)
{
	struct subtree *out = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < job->nr; i++) {
		out = xrealloc(out, (nr + MAX_MOVES) * sizeof(*out));
		nr += expand(&job->subtree[i], out + nr);
	}
	free(job->subtree);
	job->subtree = out;
	job->nr = nr;
	job->depth--;
}

static void split(struct job *job)
{
	struct perft *p = job->p;
	size_t want = (size_t)p->placement->nr * SUBTREES_EACH;
	struct subtree root = { .b = p->root };

	want = want < ENOUGH_SUBTREES ? want : ENOUGH_SUBTREES;
	p->nr = movegen_all(&p->root, p->move);
	job->subtree = xcalloc(MAX_MOVES, sizeof(*job->subtree));
	job->nr = expand(&root, job->subtree);
	for (unsigned i = 0; i < job->nr; i++)
		job->subtree[i].first = i;
	job->depth = p->depth - 1;
	while (job->nr && job->nr < want && job->depth > 2)
		split_again(job);
}

/* Sums by move and in all. */
static int sum_up(struct job *job, struct err *e)
{
	struct perft *p = job->p;
	struct counter sums = { .overflowed = READ_ONCE32(&job->overflowed) };

	p->nodes = 0;
	for (unsigned i = 0; i < p->nr; i++) {
		p->count[i] = 0;
		for (unsigned t = 0; t < p->placement->nr; t++)
			add(&sums, &p->count[i], job->count[t][i]);
		add(&sums, &p->nodes, p->count[i]);
	}
	p->unstored = READ_ONCE64(&job->unstored);
	return sums.overflowed
		       ? err_set(e, "--depth %u: the total has more than 64 bits", p->depth)
		       : 0;
}

int perft_run(struct perft *p, struct err *e)
{
	struct table *table[NR_KINDS] = { [KIND_KV] = p->table };
	struct job job = { .p = p };
	struct crew crew = { .topo = p->topo,
			     .placement = p->placement,
			     .table = table,
			     .work = count_all,
			     .arg = &job };
	int ret;

	split(&job);
	job.count = xcalloc(p->placement->nr, sizeof(*job.count));
	ret = crew_run(&crew, e);
	p->n = crew.n[KIND_KV];
	if (!ret)
		ret = sum_up(&job, e);
	free(job.count);
	free(job.subtree);
	return ret;
}
