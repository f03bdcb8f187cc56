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

/* As many as go on a cache line beside the counter. */
#define WITNESS_HINTS 4
/* An operation whose second stamp is just being taken. */
#define STAMP_ENDING (STAMP_OPEN - 1)

/* The counter: the stamp last taken below, operations under way above. */
#define STAMP_BITS 48
#define STAMP_MASK ((1ull << STAMP_BITS) - 1)
#define ONE_OPEN (1ull << STAMP_BITS)

/* What stands beside a line. */
struct witness_counter {
	atomic_word stamps;
	/* by slot, modulo: what ended last there (hint_of()), 0 unknown */
	atomic_word last[WITNESS_HINTS];
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

/*
 * Key, line and serial of a store, as far as they go into a word: which of the lines that
 * share the counter and of the epochs, or which of two keys, is not quite sure. A clear is
 * the store of no key.
 */
#define HINT_KNOWN (1ull << 63)
#define HINT_LINE (0xffull << 32)
#define HINT_KEY (~0ull << 40 & ~HINT_KNOWN)

static uint64_t hint_of(const struct witness_mark *m, uint64_t key_hash, uint32_t serial)
{
	return HINT_KNOWN | (key_hash & HINT_KEY) |
	       ((m->line / m->w->nr + m->epoch) << 32 & HINT_LINE) | serial;
}

/* What ended last on a slot, 0: it is not known, or of another line. */
static uint64_t hint_at(const struct witness_mark *m, unsigned slot)
{
	/* relaxed: a hint */
	uint64_t hint = READ_ONCE64(&counter_of(m->w, m->line)->last[slot]);

	return hint && !((hint ^ hint_of(m, 0, 0)) & HINT_LINE) ? hint : 0;
}

static void leave_hints(struct witness_counter *c, const struct witness_mark *m,
			const struct witness_op *op)
{
	/* relaxed, all of these: hints */
	for (unsigned s = 0; op->type == WITNESS_CLEAR && s < WITNESS_HINTS; s++)
		WRITE_ONCE64(&c->last[s], hint_of(m, 0, 0));
	if (op->bump_to >= 0)
		WRITE_ONCE64(&c->last[op->bump_to % WITNESS_HINTS], 0);
	if (op->victim >= 0)
		WRITE_ONCE64(&c->last[op->victim % WITNESS_HINTS],
			     hint_of(m, mix64(op->key), op->serial));
}

bool witness_end(struct witness_mark *m, struct witness_op *op)
{
	struct witness_counter *c = counter_of(m->w, m->line);
	struct witness_record *r = m->record;
	uint64_t before;

	leave_hints(c, m, op);
	/* relaxed, both: [wit.E] orders the record */
	WRITE_ONCE64(&r->serial, (uint64_t)m->epoch << 32 | op->serial);
	WRITE_ONCE64(&r->what, pack_what(op));
	/* [wit.T] before the stamp, which orders it: whoever knows of a later stamp and sees
	 * the operation open knows that it was */
	smp_store_release(&r->end, STAMP_ENDING);
	/* [wit.S] the second of the two */
	before = fetch_add_seq_cst(&c->stamps, 1 - ONE_OPEN);
	op->end = m->end = (before & STAMP_MASK) + 1;
	m->others = (before >> STAMP_BITS) - 1;
	smp_store_release(&r->end, op->end); /* [wit.E] pairs with [wit.D] */
	return m->quiet && op->end == op->start + 1;
}

bool witness_suspects(const struct witness_mark *m, const struct returned *r)
{
	uint64_t same = hint_of(m, mix64(r->key), r->serial);

	for (int s = 0; s < WITNESS_HINTS; s++) {
		uint64_t last = hint_at(m, (unsigned)s);
		bool here = s == r->slot % WITNESS_HINTS;

		if (!last)
			continue;
		if ((last ^ same) & HINT_KEY) { /* another key's, or a clear */
			if (here && (r->placed || !(last & HINT_KEY)))
				return true;
		} else if ((last ^ same) & r->serial_mask && (here || !r->slotted)) {
			return true;
		}
	}
	return false;
}

bool witness_expects(const struct witness_mark *m, uint64_t key)
{
	for (unsigned s = 0; s < WITNESS_HINTS; s++) {
		uint64_t last = hint_at(m, s);

		if (last && !((last ^ mix64(key)) & HINT_KEY))
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
	uint64_t low; /* stamps from here to m->end are of interest */
	struct witness_op *op; /* of the line */
	unsigned nr;
	uint64_t others; /* under way at m->end, found */
	bool unknown; /* too many operations, or one whose end is just being taken */
	bool waiting; /* an operation of the line is under way */
	bool taken[2 * WITNESS_REACH + 1]; /* by stamp - low: found in a log */
};

static void take_stamp(struct reading *rd, uint64_t stamp)
{
	if (stamp >= rd->low && stamp <= rd->m->end)
		rd->taken[stamp - rd->low] = true;
}

static void take_record(struct reading *rd, const struct seen *s)
{
	const struct witness_mark *m = rd->m;

	if (s->op.start > m->end)
		return;
	take_stamp(rd, s->op.start);
	take_stamp(rd, s->op.end); /* an open one is beyond */
	rd->others += s->op.end > m->end;
	rd->unknown |= s->op.end == STAMP_ENDING;
	if (s->line != m->line || s->op.end < rd->low || s->op.start == m->start)
		return;
	rd->waiting |= s->op.end == STAMP_OPEN;
	rd->unknown |= rd->nr == WITNESS_MAX_OPS;
	if (rd->nr == WITNESS_MAX_OPS)
		return;
	rd->op[rd->nr] = s->op;
	if (s->op.end == STAMP_ENDING)
		rd->op[rd->nr].end = STAMP_OPEN;
	rd->nr++;
}

static void read_log(struct reading *rd, const struct witness_log *log, uint64_t depth)
{
	struct witness_counter *c = counter_of(rd->m->w, rd->m->line);
	uint64_t id = smp_load_acquire(&log->nr); /* [wit.M] pairs with [wit.N] */
	struct seen s;

	for (; id && depth; id--, depth--) {
		if (!copy_record(&log->record[(id - 1) % WITNESS_LOG_DEPTH], id, &s))
			continue;
		if (s.epoch != rd->m->epoch)
			break;
		if (counter_of(rd->m->w, s.line) == c)
			take_record(rd, &s);
	}
}

static void begin_reading(struct reading *rd)
{
	rd->nr = 0;
	rd->others = 0;
	rd->unknown = rd->waiting = false;
	memset(rd->taken, 0, sizeof(rd->taken));
}

/* Each stamp from here on was found, and whatever was under way at the end. */
static uint64_t reach_of(const struct reading *rd)
{
	uint64_t from = rd->m->end + 1;

	if (rd->unknown || rd->others != rd->m->others)
		return UINT64_MAX;
	while (from > rd->low && rd->taken[from - 1 - rd->low])
		from--;
	return from;
}

static uint64_t read_logs(struct reading *rd, uint64_t depth)
{
	const struct witness *w = rd->m->w;

	begin_reading(rd);
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

bool witness_forget(const struct witness_mark *m, uint64_t key)
{
	bool forgot = false;

	for (unsigned s = 0; s < WITNESS_HINTS; s++) {
		uint64_t last = hint_at(m, s);

		if (last && !((last ^ mix64(key)) & HINT_KEY))
			forgot |= cmpxchg64_relaxed(&counter_of(m->w, m->line)->last[s], last,
						    0);
	}
	return forgot;
}

void witness_history(const struct witness_mark *m, uint64_t since, bool far,
		     struct witness_op *op, struct history *out)
{
	struct reading rd = { .m = m, .op = op };
	uint64_t depth = FIRST_DEPTH;

	*out = (struct history){ .op = op, .from = UINT64_MAX };
	/* Interrupted in between, most likely: that much is not read up on. */
	if (m->end - since > WITNESS_REACH)
		return;
	rd.low = since > WITNESS_REACH ? since - WITNESS_REACH : 1;
	for (unsigned i = 0; i < PATIENCE; i++) {
		bool reaches, whole = depth >= WITNESS_LOG_DEPTH;

		out->from = read_logs(&rd, depth);
		reaches = out->from <= extended(&rd, since);
		if (reaches && !rd.waiting && (!far || whole || out->from <= rd.low))
			break;
		/* What is not there by now is further down, or gone. */
		if ((reaches ? far : i % 8 == 7) && !whole)
			depth *= DEEPER;
		cpu_relax();
	}
	out->nr = rd.nr;
}

bool witness_undisturbed(const struct witness_mark *m)
{
	return READ_ONCE64(&counter_of(m->w, m->line)->stamps) == m->end;
}

/* A record at rest, for sorting: by counter, then by line, the last first. */
struct rested {
	uint64_t counter;
	struct seen seen;
};

static int by_line_last_first(const void *a, const void *b)
{
	const struct rested *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	if (x->seen.line != y->seen.line)
		return x->seen.line < y->seen.line ? -1 : 1;
	return x->seen.op.end > y->seen.op.end ? -1 : x->seen.op.end < y->seen.op.end;
}

static size_t collect_records(const struct witness *w, uint32_t epoch, struct rested *out)
{
	size_t nr = 0;

	for (unsigned i = 0; i < w->threads; i++) {
		uint64_t id = READ_ONCE64(&w->log[i].nr);

		for (unsigned d = 0; id && d < WITNESS_LOG_DEPTH; id--, d++) {
			struct rested *r = &out[nr];

			if (!copy_record(&w->log[i].record[(id - 1) % WITNESS_LOG_DEPTH], id,
					 &r->seen) ||
			    r->seen.epoch != epoch)
				break;
			r->counter = r->seen.line & (w->nr - 1);
			nr++;
		}
	}
	qsort(out, nr, sizeof(*out), by_line_last_first);
	return nr;
}

/* The last store among a line's records: the first that wrote. */
static const struct witness_op *last_store(const struct rested *r, const struct rested *end)
{
	uint64_t line = r->seen.line;

	for (; r < end && r->seen.line == line; r++)
		if (r->seen.op.type == WITNESS_STORE && r->seen.op.victim >= 0)
			return &r->seen.op;
	return NULL;
}

/* The records [r, end) are a counter's; judge the line that begins at `line`. */
static void judge_line(struct witness *w, const struct rested *r, const struct rested *end,
		       const struct rested *line, witness_last_fn *fn, void *arg)
{
	const struct witness_op *store = last_store(line, end);
	struct witness_mark m = { .w = w,
				  .line = line->seen.line,
				  .end = READ_ONCE64(&w->counter[line->counter].stamps) };
	struct witness_op op[WITNESS_MAX_OPS];
	struct reading rd = { .m = &m, .op = op };
	struct history h = { .op = op };

	if (!store || m.end - store->start > 2 * WITNESS_REACH)
		return;
	rd.low = m.end > 2 * WITNESS_REACH ? m.end - 2 * WITNESS_REACH : 1;
	begin_reading(&rd);
	for (; r < end; r++)
		take_record(&rd, &r->seen);
	h.nr = rd.nr;
	h.from = reach_of(&rd);
	if (judge_must_hold(&h, store->start, m.end + 1, m.end + 2))
		fn(arg, m.line, store);
}

static void judge_counter(struct witness *w, const struct rested *r, const struct rested *end,
			  witness_last_fn *fn, void *arg)
{
	for (const struct rested *line = r; line < end; line++)
		if (line == r || line->seen.line != line[-1].seen.line)
			judge_line(w, r, end, line, fn, arg);
}

void witness_last_stores(struct witness *w, uint32_t epoch, witness_last_fn *fn, void *arg)
{
	struct rested *all = xcalloc((size_t)w->threads * WITNESS_LOG_DEPTH, sizeof(*all));
	struct rested *end = all + collect_records(w, epoch, all), *next;

	for (struct rested *r = all; r < end; r = next) {
		for (next = r; next < end && next->counter == r->counter;)
			next++;
		judge_counter(w, r, next, fn, arg);
	}
	free(all);
}
