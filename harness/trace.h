/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace - recorded table operations: the file and what it is in memory
 *
 * A trace holds one stream per recorded thread: every operation of that thread
 * on its tables, in program order, with time stamps of a clock that all streams
 * share.
 */
#ifndef TEARLINE_TRACE_H
#define TEARLINE_TRACE_H

#include "util.h"

enum kind { KIND_TT, KIND_PAWN, KIND_EVAL, KIND_KV, NR_KINDS };
extern const char *const kind_names[NR_KINDS]; /* "tt", "pawn", "eval", "kv" */

/* op = kind * 2 + is_store; the two events come after them. */
enum trace_opcode {
	OP_TT_PROBE,
	OP_TT_STORE,
	OP_PAWN_PROBE,
	OP_PAWN_STORE,
	OP_EVAL_PROBE,
	OP_EVAL_STORE,
	OP_KV_PROBE,
	OP_KV_STORE,
	OP_NEW_GENERATION, /* a new search began: one thread's event, holds for all */
	OP_CLEAR, /* the tables were cleared */
	NR_OPS,
};
extern const char *const trace_op_names[NR_OPS]; /* "tt_probe", ... for info and CSV */

enum trace_bound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT };

/* trace_op.flags */
#define TRACE_THREAT 0x01u
#define TRACE_BOUND_SHIFT 1 /* two bits: enum trace_bound; 0 on probes */
#define TRACE_BOUND_MASK 0x06u
#define TRACE_HIT_SHIFT 3 /* two bits: what the engine saw: 0 miss, 1 hit, 2 usable */
#define TRACE_HIT_MASK 0x18u
#define TRACE_ENGINE_SHIFT 5 /* three bits: bits 1..3 of the recorded flags */
#define TRACE_ENGINE_MASK 0xe0u

#define TRACE_PLY_UNKNOWN 0xffu
#define TRACE_DEPTH_UNKNOWN 0xffu /* for next_depth */

/*
 * One operation, 24 bytes, so that a replay reads as little as it can.
 * gap is the time since the stream's previous operation (since `start` for the
 * first), in ticks of trace.tsc_hz, 40 bits: gap_lo | gap_hi << 32.
 */
struct trace_op {
	uint64_t key;
	union {
		uint32_t move; /* stores, events; engine's encoding, 0 none */
		int32_t beta; /* probes */
	};
	int16_t value; /* stores: score; probes: alpha */
	uint8_t depth; /* engine's units */
	uint8_t next_depth; /* probes: null-move depth, or TRACE_DEPTH_UNKNOWN */
	uint8_t op; /* enum trace_opcode */
	uint8_t flags;
	uint8_t ply; /* from the root, clamped to 254, or TRACE_PLY_UNKNOWN */
	uint8_t gap_hi;
	uint32_t gap_lo;
};
_Static_assert(sizeof(struct trace_op) == 24, "a record is 24 bytes in memory");

struct trace_stream {
	struct trace_op *op;
	size_t nr;
	uint64_t start; /* ticks of the first operation, same clock for all streams */
	uint32_t thread; /* the recorded thread's index; 0 drives the search */
};

struct trace {
	char source[64]; /* engine and commit; printable ASCII */
	char name[64]; /* base name of the file without .tlt, for reports */
	uint64_t hash; /* xxh64 over all streams' operations: identifies the content */
	uint64_t tsc_hz;
	int32_t mate; /* scores from here on are mates */
	size_t nr_streams;
	struct trace_stream *stream;
	uint64_t count[NR_OPS]; /* over all streams */
};

static inline uint64_t trace_op_gap(const struct trace_op *op)
{
	return op->gap_lo | (uint64_t)op->gap_hi << 32;
}

static inline enum trace_bound trace_op_bound(const struct trace_op *op)
{
	return (enum trace_bound)((op->flags & TRACE_BOUND_MASK) >> TRACE_BOUND_SHIFT);
}

static inline bool trace_op_is_probe(unsigned op)
{
	return op < OP_NEW_GENERATION && !(op & 1);
}

static inline bool trace_op_is_store(unsigned op)
{
	return op < OP_NEW_GENERATION && (op & 1);
}

/* What is wrong with an operation, or NULL: what every trace in memory fulfils. */
const char *trace_op_fault(const struct trace_op *op);

/* Tick of the stream's last operation; `start` if it has none. */
uint64_t trace_stream_end(const struct trace_stream *s);

/*
 * How many of the keys' top bits are the same in all operations of a kind, if that is so many
 * that it cannot be chance; else 0. These bits choose a key's line, so that keys which were not
 * mixed (numbers counted up, addresses) all meet in a few.
 */
unsigned trace_still_bits(const struct trace *t, enum kind kind);
/* To be said of it: kind, bits, other bits. */
#define TRACE_STILL_BITS                                                                      \
	"%s: the top %u bits of all keys are the same: tables choose lines by these, and by " \
	"none of the lower %u; record a hash of the key, not the key"

/*
 * Read and check a whole trace file. Any cut, flip, swap of blocks or appended
 * byte is an error that names the file, the block and the offset. 0 or -1.
 */
int trace_read(const char *path, struct trace **out, struct err *e);

/* The same; *damaged tells a file whose content is at fault from one not readable. */
int trace_load(const char *path, struct trace **out, bool *damaged, struct err *e);

/*
 * Write to a temporary beside `path` and rename: never half a file, and no
 * temporary left behind. Refuses what trace_read() would refuse. 0 or -1.
 */
int trace_write(const struct trace *t, const char *path, struct err *e);

/* A tenth larger, and twenty times as fast: for what somebody waits for. */
int trace_write_fast(const struct trace *t, const char *path, struct err *e);

/* Could they write there, as far as can be told before? For those with much to do until then. */
int trace_may_write(const char *path, struct err *e);

/* Called now and then by trace_write() with operations done and to do; may be NULL. */
extern void (*trace_progress)(const char *path, uint64_t done, uint64_t total);

/*
 * For those who make a trace: zeroed streams to fill (op: malloc'd), then
 * trace_finish() derives count[] and hash from them.
 */
struct trace *trace_new(size_t nr_streams);
void trace_finish(struct trace *t);
void trace_free(struct trace *t);

/*
 * Read the raw files of one recording (layout: record.h), plain or zstd, one a
 * thread, in any order. mate < 0: the engine's own threshold, by its name. 0 or -1.
 */
int trace_import(char *const *paths, size_t nr, int32_t mate, struct trace **out,
		 struct err *e);

/* What one thread recorded, in as many buffers (record.h) as it filled. */
struct tlrec;
struct trace_records {
	uint32_t thread;
	struct tlrec *buffer;
	size_t nr;
};

/* The same of records that never were in a file. Buffers are closed as they are read. 0 or -1. */
int trace_from_records(const struct trace_records *threads, size_t nr, const char *source,
		       uint64_t tsc_hz, int32_t mate, struct trace **out, struct err *e);

/* An engine's mate threshold by its name; false: unknown, *mate is the usual one. */
bool trace_mate_of(const char *source, int32_t *mate);

/*
 * A part of a trace. The streams of `threads` (NULL: all) and the operations of
 * the kinds in the bit mask `kinds` (0: all; events always stay) are put in one
 * order by tick, ties by stream number; of that order the operations
 * [from, from + ops) stay, so that all streams begin and end together. Thread
 * numbers and times stay as they were; a stream may end up empty. 0 or -1.
 */
struct trace_window {
	uint64_t from, ops;
	const uint32_t *threads;
	size_t nr_threads;
	unsigned kinds;
};
int trace_cut(const struct trace *t, const struct trace_window *w, struct trace **out,
	      struct err *e);

/* One row per operation, stream by stream; "-" is standard output. 0 or -1. */
int trace_export(const struct trace *t, const char *path, struct err *e);

#endif
