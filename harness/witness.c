// SPDX-License-Identifier: BSD-2-Clause
#include "witness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "atomic.h"

/* Records of each log that are read at first, and how many times more when they do not do. */
#define FIRST_DEPTH 32u
#define DEEPER 16u
/* Readings of the logs until what is just being written is there. */
#define PATIENCE 24

/* The counter: the stamp last taken below, operations under way above. */
#define STAMP_BITS 48
#define STAMP_MASK ((1ull << STAMP_BITS) - 1)
#define ONE_OPEN (1ull << STAMP_BITS)

/* What stands beside a line. */
struct witness_counter {
	atomic_word stamps;
	atomic_word last[4]; /* by slot: key and serial of the store that ended last; a hint */
} __attribute__((aligned(64)));

/*
 * A record is its thread's alone to write. `id` counts the log's records from 1; 0 while the
 * record changes hands from an old operation to a new one.
 *   [wit.P] storing id    -> [wit.R] loading it: the fields are those of this operation
 *   [wit.F] storing a field of the next operation -> [wit.G] loading it: the second look at
 *                            id sees that it has changed
 *   [wit.E] storing end   -> [wit.D] loading it: what came of the operation is there
 */
struct witness_record {
	atomic_word id, start, end, key, line, serial, what;
} __attribute__((aligned(64)));

struct witness_log {
	atomic_word nr __attribute__((aligned(128))); /* records begun */
	struct witness_record record[WITNESS_LOG_DEPTH];
};

struct witness {
	struct witness_counter *counter;
	uint64_t nr; /* a power of two */
	struct witness_log *log;
	unsigned threads;
};

/* A record as copied. */
struct seen {
	struct witness_op op;
	uint64_t line;
	uint32_t epoch;
};

/* Zeroed, and had only where it is touched. */
static void *map_zeroed(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct witness *witness_create(uint64_t lines, unsigned threads)
{
	struct witness *w = xcalloc(1, sizeof(*w));

	w->nr = lines < WITNESS_COUNTERS ? lines : WITNESS_COUNTERS;
	w->threads = threads;
	w->counter = map_zeroed(w->nr * sizeof(*w->counter));
	w->log = map_zeroed(threads * sizeof(*w->log));
	if (w->counter && w->log)
		return w;
	witness_free(w);
	return NULL;
}

void witness_free(struct witness *w)
{
	if (!w)
		return;
	if (w->counter)
		munmap(w->counter, w->nr * sizeof(*w->counter));
	if (w->log)
		munmap(w->log, w->threads * sizeof(*w->log));
	free(w);
}

static struct witness_counter *counter_of(const struct witness *w, uint64_t line)
{
	return &w->counter[line & (w->nr - 1)];
}

/* Everything small in one word. */
static uint64_t pack_what(const struct witness_op *op)
{
	return op->type | (uint64_t)op->held << 8 | (uint64_t)op->refreshed << 16 |
	       (uint64_t)(uint8_t)op->victim << 24 | (uint64_t)(uint8_t)op->bump_to << 32;
}

static void unpack_what(uint64_t what, struct witness_op *op)
{
	op->type = (uint8_t)what;
	op->held = (uint8_t)(what >> 8);
	op->refreshed = (uint8_t)(what >> 16);
	op->victim = (int8_t)(what >> 24);
	op->bump_to = (int8_t)(what >> 32);
}

void witness_begin(struct witness *w, unsigned id, uint64_t line, uint32_t epoch,
		   struct witness_op *op, struct witness_mark *m)
{
	struct witness_log *log = &w->log[id];
	uint64_t nr = READ_ONCE64(&log->nr);
	struct witness_record *r = &log->record[nr % WITNESS_LOG_DEPTH];
	uint64_t before;

	/* relaxed: [wit.F] orders it */
	WRITE_ONCE64(&r->id, 0);
	/* [wit.S] sequentially consistent: all stamps of all counters are in one order, and
	 * what the operation reads and writes is between its two */
	before = fetch_add_seq_cst(&counter_of(w, line)->stamps, ONE_OPEN + 1);
	op->start = (before & STAMP_MASK) + 1;
	/* [wit.F] each of these; pairs with [wit.G] */
	smp_store_release(&r->start, op->start);
	smp_store_release(&r->end, STAMP_OPEN);
	smp_store_release(&r->key, op->key);
	smp_store_release(&r->line, line);
	smp_store_release(&r->serial, (uint64_t)epoch << 32);
	smp_store_release(&r->what, pack_what(op));
	smp_store_release(&r->id, nr + 1); /* [wit.P] pairs with [wit.R] */
	smp_store_release(&log->nr, nr + 1); /* [wit.N] pairs with [wit.M] */
	*m = (struct witness_mark){ .w = w,
				    .record = r,
				    .line = line,
				    .start = op->start,
				    .epoch = epoch,
				    .quiet = before < ONE_OPEN };
}

static uint64_t hint_of(uint64_t key, uint32_t serial)
{
	return mix64(key) << 32 | serial;
}

bool witness_end(const struct witness_mark *m, struct witness_op *op)
{
	struct witness_counter *c = counter_of(m->w, m->line);
	struct witness_record *r = m->record;
	uint64_t before;

	/* relaxed, all of these: hints; [wit.E] orders the record */
	if (op->bump_to >= 0)
		WRITE_ONCE64(&c->last[op->bump_to], 0);
	if (op->victim >= 0)
		WRITE_ONCE64(&c->last[op->victim], hint_of(op->key, op->serial));
	WRITE_ONCE64(&r->serial, (uint64_t)m->epoch << 32 | op->serial);
	WRITE_ONCE64(&r->what, pack_what(op));
	/* [wit.S] the second of the two */
	before = fetch_add_seq_cst(&c->stamps, 1 - ONE_OPEN);
	op->end = (before & STAMP_MASK) + 1;
	smp_store_release(&r->end, op->end); /* [wit.E] pairs with [wit.D] */
	return m->quiet && op->end == op->start + 1;
}

bool witness_suspects(const struct witness_mark *m, uint64_t key, uint32_t serial,
		      uint32_t serial_mask, int slot)
{
	struct witness_counter *c = counter_of(m->w, m->line);

	for (int s = 0; s < 4; s++) {
		uint64_t last = READ_ONCE64(&c->last[s]), same = hint_of(key, serial);

		if (last && (slot < 0 || s == slot) && last >> 32 == same >> 32 &&
		    (last ^ same) & serial_mask)
			return true;
	}
	return false;
}

static bool copy_record(const struct witness_record *r, uint64_t id, struct seen *out)
{
	uint64_t serial, what;

	if (smp_load_acquire(&r->id) != id) /* [wit.R] pairs with [wit.P] */
		return false;
	out->op.end = smp_load_acquire(&r->end); /* [wit.D] pairs with [wit.E] */
	/* [wit.G] each of these; pairs with [wit.F] */
	out->op.start = smp_load_acquire(&r->start);
	out->op.key = smp_load_acquire(&r->key);
	out->line = smp_load_acquire(&r->line);
	serial = smp_load_acquire(&r->serial);
	what = smp_load_acquire(&r->what);
	if (READ_ONCE64(&r->id) != id)
		return false;
	out->epoch = (uint32_t)(serial >> 32);
	out->op.serial = (uint32_t)serial;
	unpack_what(what, &out->op);
	return true;
}

/* The logs read for one counter. */
struct reading {
	const struct witness_mark *m;
	uint64_t low, until; /* stamps of interest */
	uint64_t newest, open; /* of the counter, before the logs were read */
	struct witness_op *op; /* of the line */
	unsigned nr;
	bool overflow;
	uint64_t under_way; /* of those open, found */
	bool taken[2 * WITNESS_REACH + 1]; /* by stamp - low: found in a log */
	bool waiting; /* an operation of the line that counts is under way */
};

static void take_stamp(struct reading *rd, uint64_t stamp)
{
	if (stamp >= rd->low && stamp <= rd->until)
		rd->taken[stamp - rd->low] = true;
}

static void take_record(struct reading *rd, const struct seen *s)
{
	bool open = s->op.end == STAMP_OPEN;

	if (s->op.start <= rd->newest && (open || s->op.end > rd->newest))
		rd->under_way++;
	take_stamp(rd, s->op.start);
	if (!open)
		take_stamp(rd, s->op.end);
	if (s->line != rd->m->line || s->op.start > rd->until || s->op.end < rd->low)
		return;
	rd->waiting |= open;
	rd->overflow = rd->nr == WITNESS_MAX_OPS;
	if (!rd->overflow)
		rd->op[rd->nr++] = s->op;
}

static void read_log(struct reading *rd, const struct witness_log *log, uint64_t depth)
{
	struct witness_counter *c = counter_of(rd->m->w, rd->m->line);
	uint64_t id = smp_load_acquire(&log->nr); /* [wit.M] pairs with [wit.N] */
	struct seen s;

	for (; id && depth && !rd->overflow; id--, depth--) {
		if (!copy_record(&log->record[(id - 1) % WITNESS_LOG_DEPTH], id, &s))
			continue;
		if (s.epoch != rd->m->epoch)
			break;
		if (counter_of(rd->m->w, s.line) == c)
			take_record(rd, &s);
	}
}

/* Each stamp from here to `until` was found, and whatever was under way. */
static uint64_t reach_of(const struct reading *rd)
{
	uint64_t from = rd->until + 1;

	if (rd->overflow || rd->under_way != rd->open)
		return UINT64_MAX;
	while (from > rd->low && rd->taken[from - 1 - rd->low])
		from--;
	return from;
}

static uint64_t read_logs(struct reading *rd, uint64_t depth)
{
	const struct witness *w = rd->m->w;
	uint64_t counter = READ_ONCE64(&counter_of(w, rd->m->line)->stamps);

	rd->newest = counter & STAMP_MASK;
	rd->open = counter >> STAMP_BITS;
	rd->nr = 0;
	rd->under_way = 0;
	rd->overflow = rd->waiting = false;
	memset(rd->taken, 0, sizeof(rd->taken));
	for (unsigned i = 0; i < w->threads; i++)
		read_log(rd, &w->log[i], depth);
	return reach_of(rd);
}

/* Where the extension of [since, ...] over what straddles its beginning ends. */
static uint64_t extended(const struct reading *rd, uint64_t since)
{
	bool again;

	do {
		again = false;
		for (unsigned i = 0; i < rd->nr; i++) {
			if (rd->op[i].start >= since || rd->op[i].end <= since)
				continue;
			since = rd->op[i].start;
			again = true;
		}
	} while (again);
	return since;
}

void witness_history(const struct witness_mark *m, uint64_t since, uint64_t until,
		     uint64_t skip, struct witness_op *op, struct history *out)
{
	struct reading rd = { .m = m, .until = until, .op = op };
	uint64_t depth = FIRST_DEPTH;

	*out = (struct history){ .op = op, .from = UINT64_MAX };
	/* Interrupted in between, most likely: that much is not read up on. */
	if (until - since > WITNESS_REACH)
		return;
	rd.low = since > WITNESS_REACH ? since - WITNESS_REACH : 1;
	for (unsigned i = 0; i < PATIENCE; i++) {
		out->from = read_logs(&rd, depth);
		if (!rd.waiting && out->from <= extended(&rd, since))
			break;
		if (i % 8 == 7 && depth < WITNESS_LOG_DEPTH)
			depth *= DEEPER;
		cpu_relax();
	}
	for (unsigned i = 0; i < rd.nr; i++)
		if (op[i].start != skip)
			op[out->nr++] = op[i];
}

/* At rest: every store in the logs, the last of each line first. */
struct rested {
	uint64_t line;
	struct witness_op op;
};

static int by_line_last_first(const void *a, const void *b)
{
	const struct rested *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->op.end > y->op.end ? -1 : x->op.end < y->op.end;
}

static size_t collect_stores(const struct witness *w, uint32_t epoch, struct rested *out)
{
	size_t nr = 0;
	struct seen s;

	for (unsigned i = 0; i < w->threads; i++) {
		uint64_t id = READ_ONCE64(&w->log[i].nr);

		for (unsigned d = 0; id && d < WITNESS_LOG_DEPTH; id--, d++)
			if (copy_record(&w->log[i].record[(id - 1) % WITNESS_LOG_DEPTH], id,
					&s) &&
			    s.epoch == epoch && s.op.type == WITNESS_STORE && s.op.victim >= 0)
				out[nr++] = (struct rested){ s.line, s.op };
	}
	qsort(out, nr, sizeof(*out), by_line_last_first);
	return nr;
}

void witness_last_stores(struct witness *w, uint32_t epoch, witness_last_fn *fn, void *arg)
{
	struct rested *store = xcalloc((size_t)w->threads * WITNESS_LOG_DEPTH, sizeof(*store));
	size_t nr = collect_stores(w, epoch, store);
	struct witness_op op[WITNESS_MAX_OPS];
	struct history h;

	for (size_t i = 0; i < nr; i++) {
		struct witness_mark m = { .w = w, .line = store[i].line, .epoch = epoch };
		uint64_t rest = READ_ONCE64(&counter_of(w, m.line)->stamps) & STAMP_MASK;

		if (i && store[i].line == store[i - 1].line)
			continue;
		witness_history(&m, store[i].op.start, rest, 0, op, &h);
		if (judge_must_hold(&h, store[i].op.start, rest + 1, rest + 2))
			fn(arg, m.line, &store[i].op);
	}
	free(store);
}
