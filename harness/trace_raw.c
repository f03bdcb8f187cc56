// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_raw - raw recordings (layout: record.h), plain, zstd or in memory, into a trace
 *
 * A raw file comes from an engine under test, one a thread. It is read as a stream,
 * so that a compressed one never lies on the disk unpacked, and memory grows with
 * what was read, not with what a header announces.
 */
#include "mem.h"
#include "record.h"
#include "trace_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define RAW_MAGIC "RAWTRC01"
#define RAW_HEADER 64
#define RAW_RECORD 32
#define RAW_CHUNK 65536 /* bytes read at a time, a multiple of RAW_RECORD */

/* One raw file being read; plain if zstd is NULL. */
struct raw {
	const char *path;
	int fd;
	uint64_t bytes; /* of the file */
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	char in_buf[RAW_CHUNK];
	unsigned char chunk[RAW_CHUNK];
	bool in_frame; /* a frame has begun and not ended */
	uint32_t thread;
	uint64_t nr, tsc_hz;
	char engine[33];
	struct err *e;
};

static int raw_fill(struct raw *r)
{
	ssize_t n;

	do
		n = read(r->fd, r->in_buf, sizeof(r->in_buf));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(r->e, "%s: cannot read: %s", r->path, strerror(errno));
	r->in = (ZSTD_inBuffer){ r->in_buf, (size_t)n, 0 };
	return 0;
}

static int raw_decompress(struct raw *r, ZSTD_outBuffer *out)
{
	while (out->pos < out->size) {
		size_t before = out->pos, hint;

		if (r->in.pos == r->in.size && raw_fill(r))
			return -1;
		/* At the end of the file zstd may still hold output from before. */
		if (!r->in.size && !r->in_frame)
			break;
		hint = ZSTD_decompressStream(r->zstd, out, &r->in);
		if (ZSTD_isError(hint))
			return err_set(r->e, "%s: zstd: %s", r->path, ZSTD_getErrorName(hint));
		r->in_frame = hint != 0;
		if (!r->in.size && r->in_frame && out->pos == before)
			return err_set(r->e, "%s: the zstd frame is cut short", r->path);
	}
	return 0;
}

/* Read up to `bytes`; *got is less only at the end of the file. */
static int raw_read(struct raw *r, void *to, size_t bytes, size_t *got)
{
	ZSTD_outBuffer out = { to, bytes, 0 };

	if (r->zstd) {
		if (raw_decompress(r, &out))
			return -1;
		*got = out.pos;
		return 0;
	}
	while (out.pos < bytes) {
		size_t n = r->in.size - r->in.pos;

		if (!n) {
			if (raw_fill(r))
				return -1;
			if (!r->in.size)
				break;
			continue;
		}
		if (n > bytes - out.pos)
			n = bytes - out.pos;
		memcpy((char *)to + out.pos, r->in_buf + r->in.pos, n);
		out.pos += n;
		r->in.pos += n;
	}
	*got = out.pos;
	return 0;
}

/* Something else than zstd, which is what recordings are kept in. */
static int foreign(struct raw *r, const void *head, size_t bytes)
{
	const char *with = compressed_with(head, bytes);

	if (with)
		return err_set(r->e,
			       "%s: compressed with %s: expected a raw recording, plain or "
			       "compressed with zstd",
			       r->path, with);
	return err_set(r->e, "%s: not a raw recording: " RAW_MAGIC " expected at offset 0",
		       r->path);
}

static int raw_open(struct raw *r)
{
	const char *with;

	r->fd = open_regular(r->path, &r->bytes, r->e);
	if (r->fd < 0 || raw_fill(r))
		return -1;
	with = compressed_with(r->in_buf, r->in.size);
	if (!with || strcmp(with, "zstd"))
		return 0;
	r->zstd = ZSTD_createDStream();
	if (!r->zstd)
		return err_set(r->e, "%s: no memory to decompress", r->path);
	return 0;
}

static void raw_close(struct raw *r)
{
	ZSTD_freeDStream(r->zstd);
	if (r->fd >= 0)
		close(r->fd);
}

static uint64_t get_le(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

static struct tlrec_record get_record(const unsigned char *p)
{
	return (struct tlrec_record){
		.key = get_le(p, 8),
		.stamp = get_le(p + 8, 8),
		.move = (uint32_t)get_le(p + 16, 4),
		.value = (int16_t)get_le(p + 20, 2),
		.beta = (int16_t)get_le(p + 22, 2),
		.op = p[24],
		.depth = p[25],
		.bound = p[26],
		.hit = p[27],
		.ply = (uint16_t)get_le(p + 28, 2),
		.next_depth = p[30],
		.flags = p[31],
	};
}

/* What zstd makes of 4 bytes at most: a block in which all are the same. */
#define ZSTD_MOST (ZSTD_BLOCKSIZE_MAX / 4)

/*
 * Can the file hold as many records as it says, and the memory? A plain one shows it by its
 * size; a compressed one may be shorter by far, but not by any factor.
 */
static int check_claim(struct raw *r)
{
	uint64_t most = r->zstd ? r->bytes * ZSTD_MOST : r->bytes;
	char *what;
	int ret;

	if (r->nr > (most - (most < RAW_HEADER ? most : RAW_HEADER)) / RAW_RECORD) {
		if (r->zstd)
			return err_set(r->e,
				       "%s: says that it holds %ju records, which %ju bytes of "
				       "zstd cannot",
				       r->path, (uintmax_t)r->nr, (uintmax_t)r->bytes);
		return err_set(
			r->e, "%s: %ju records expected, the file ends after %ju and %ju bytes",
			r->path, (uintmax_t)r->nr,
			(uintmax_t)((most - RAW_HEADER) / RAW_RECORD),
			(uintmax_t)((most - RAW_HEADER) % RAW_RECORD));
	}
	what = xasprintf("%s: says that it holds %ju records", r->path, (uintmax_t)r->nr);
	ret = mem_check(r->nr * sizeof(struct trace_op), what, r->e);
	free(what);
	return ret;
}

static int raw_header(struct raw *r)
{
	unsigned char h[RAW_HEADER];
	size_t got;

	if (raw_read(r, h, sizeof(h), &got))
		return -1;
	if (got >= 8 && memcmp(h, RAW_MAGIC, 8))
		return foreign(r, h, got);
	if (got < sizeof(h))
		return err_set(r->e, "%s: %zu bytes, a header of %d expected", r->path, got,
			       RAW_HEADER);
	if (get_le(h + 8, 4) != RAW_RECORD)
		return err_set(r->e, "%s: record size at offset 8: expected %d, found %ju",
			       r->path, RAW_RECORD, (uintmax_t)get_le(h + 8, 4));
	r->thread = (uint32_t)get_le(h + 12, 4);
	r->nr = get_le(h + 16, 8);
	r->tsc_hz = get_le(h + 24, 8);
	memcpy(r->engine, h + 32, 32);
	if (!r->tsc_hz)
		return err_set(r->e, "%s: clock frequency at offset 24: 0 Hz", r->path);
	for (const char *p = r->engine; *p; p++)
		if (*p < ' ' || *p > '~')
			return err_set(r->e, "%s: engine at offset 32 is not printable ASCII",
				       r->path);
	return check_claim(r);
}

static const char *record_fault(const struct tlrec_record *x)
{
	bool event = x->op >= TLREC_NEW_GENERATION, store = !event && x->op & 1;

	if (x->op > TLREC_CLEAR)
		return "expected an operation from 0 to 7";
	if (x->bound > BOUND_EXACT || (x->bound && !store))
		return store ? "expected a bound from 0 to 3"
			     : "a bound on what is not a store";
	if (x->hit > 2 || (x->hit && (store || event)))
		return store || event ? "a hit on what is not a probe"
				      : "expected a hit from 0 to 2";
	if (x->beta && (store || event))
		return "a beta on what is not a probe";
	if (x->move && !store && !event)
		return "a move on a probe";
	return NULL;
}

static void convert(const struct tlrec_record *x, uint64_t gap, struct trace_op *o)
{
	bool event = x->op >= TLREC_NEW_GENERATION, store = !event && x->op & 1;

	o->key = x->key;
	if (store || event)
		o->move = x->move;
	else
		o->beta = x->beta;
	o->value = x->value;
	o->depth = x->depth;
	o->next_depth = x->next_depth;
	o->op = event ? (uint8_t)(x->op - TLREC_NEW_GENERATION + OP_NEW_GENERATION) : x->op;
	/* Bits 4 to 7 have no meaning in this layout: a reader masks what it does not know. */
	o->flags = event ? 0
			 : (uint8_t)((x->flags & TRACE_THREAT) | x->bound << TRACE_BOUND_SHIFT |
				     x->hit << TRACE_HIT_SHIFT |
				     (x->flags >> 1 & 7) << TRACE_ENGINE_SHIFT);
	if (x->ply == TLREC_NO_PLY)
		o->ply = TRACE_PLY_UNKNOWN;
	else
		o->ply = x->ply < TRACE_PLY_UNKNOWN ? (uint8_t)x->ply : TRACE_PLY_UNKNOWN - 1;
	o->gap_lo = (uint32_t)gap;
	o->gap_hi = (uint8_t)(gap >> 32);
}

/* There is room. NULL, or what is wrong with the record. */
static const char *append(struct trace_stream *s, const struct tlrec_record *x, uint64_t *tick)
{
	const char *fault = record_fault(x);

	if (!s->nr)
		s->start = *tick = x->stamp;
	if (!fault && x->stamp < *tick)
		fault = "its time stamp is before the previous record's";
	if (!fault && (x->stamp - *tick) >> 40)
		fault = "more than 2^40 ticks after the previous record";
	if (fault)
		return fault;
	convert(x, x->stamp - *tick, &s->op[s->nr++]);
	*tick = x->stamp;
	return NULL;
}

static int add_record(struct raw *r, struct trace_stream *s, const unsigned char *p,
		      uint64_t *tick)
{
	struct tlrec_record x = get_record(p);
	const char *fault = append(s, &x, tick);

	if (fault)
		return err_set(r->e, "%s: record %zu at offset %ju: %s", r->path, s->nr,
			       (uintmax_t)RAW_HEADER + s->nr * RAW_RECORD, fault);
	return 0;
}

static int reserve(struct raw *r, struct trace_stream *s, size_t *room, size_t more)
{
	struct trace_op *op;

	/* No more than the header said, for which there is memory: what follows is refused. */
	if (*room - s->nr >= more || *room == r->nr)
		return 0;
	*room = *room * 2 + more < r->nr ? *room * 2 + more : r->nr;
	op = realloc(s->op, *room * sizeof(*op));
	if (!op)
		return err_set(r->e, "%s: no memory for %zu records", r->path, *room);
	s->op = op;
	return 0;
}

static int raw_records(struct raw *r, struct trace_stream *s)
{
	size_t got, room = 0, rest;
	uint64_t tick = 0;

	do {
		if (raw_read(r, r->chunk, sizeof(r->chunk), &got) ||
		    reserve(r, s, &room, got / RAW_RECORD))
			return -1;
		for (size_t i = 0; i + RAW_RECORD <= got && s->nr <= r->nr; i += RAW_RECORD)
			if (s->nr == r->nr || add_record(r, s, r->chunk + i, &tick))
				goto out;
	} while (got == sizeof(r->chunk));
	rest = got % RAW_RECORD;
	if (s->nr != r->nr || rest)
		return err_set(
			r->e, "%s: %ju records expected, the file ends after %zu and %zu bytes",
			r->path, (uintmax_t)r->nr, s->nr, rest);
	return 0;
out:
	if (s->nr == r->nr)
		return err_set(
			r->e, "%s: %ju records expected, more bytes follow at offset %ju",
			r->path, (uintmax_t)r->nr, (uintmax_t)RAW_HEADER + r->nr * RAW_RECORD);
	return -1;
}

/* What one file must have in common with those before it. */
static int join(struct raw *r, struct trace *t, char *const *paths, size_t i)
{
	struct trace_stream *s = &t->stream[i];

	s->thread = r->thread;
	if (!i) {
		memcpy(t->source, r->engine, sizeof(r->engine));
		t->tsc_hz = r->tsc_hz;
		return 0;
	}
	if (strcmp(t->source, r->engine))
		return err_set(r->e,
			       "%s: engine '%s', but %.240s has '%s': one recording expected",
			       r->path, r->engine, paths[0], t->source);
	/* Each thread may have estimated it; more than that is another clock. */
	if ((r->tsc_hz > t->tsc_hz ? r->tsc_hz - t->tsc_hz : t->tsc_hz - r->tsc_hz) >
	    t->tsc_hz / 100)
		return err_set(
			r->e, "%s: clock of %ju Hz, but %.240s has %ju: one recording expected",
			r->path, (uintmax_t)r->tsc_hz, paths[0], (uintmax_t)t->tsc_hz);
	for (size_t k = 0; k < i; k++)
		if (t->stream[k].thread == s->thread)
			return err_set(r->e, "%.240s and %.240s are both of thread %u",
				       paths[k], paths[i], s->thread);
	return 0;
}

static int import_one(struct trace *t, char *const *paths, size_t i, struct err *e)
{
	struct raw *r = xcalloc(1, sizeof(*r));
	int ret = -1;

	r->path = paths[i];
	r->fd = -1;
	r->e = e;
	if (!raw_open(r) && !raw_header(r) && !join(r, t, paths, i) &&
	    !raw_records(r, &t->stream[i]))
		ret = 0;
	raw_close(r);
	free(r);
	return ret;
}

static int by_thread(const void *a, const void *b)
{
	const struct trace_stream *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

bool trace_mate_of(const char *source, int32_t *mate)
{
	static const struct {
		const char *engine;
		int32_t mate;
	} known[] = { { "Crafty", 32001 }, { "Stockfish", 31508 }, { "Typhoon", 32567 } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(source, known[i].engine, strlen(known[i].engine))) {
			*mate = known[i].mate;
			return true;
		}
	*mate = INT16_MAX - 200;
	return false;
}

int trace_import(char *const *paths, size_t nr, int32_t mate, struct trace **out, struct err *e)
{
	struct trace *t;

	if (!nr || nr > TLT_MAX_STREAMS)
		return err_set(e, "expected 1 to %u raw files, got %zu", TLT_MAX_STREAMS, nr);
	t = trace_new(nr);
	for (size_t i = 0; i < nr; i++)
		if (import_one(t, paths, i, e)) {
			trace_free(t);
			return -1;
		}
	qsort(t->stream, nr, sizeof(*t->stream), by_thread);
	t->mate = mate;
	if (mate < 0)
		trace_mate_of(t->source, &t->mate);
	trace_finish(t);
	*out = t;
	return 0;
}

static int collect(const struct trace_records *one, struct trace_stream *s, struct err *e)
{
	uint64_t tick = 0;
	size_t nr = 0;

	for (size_t i = 0; i < one->nr; i++)
		nr += one->buffer[i].nr;
	s->thread = one->thread;
	s->op = malloc(nr ? nr * sizeof(*s->op) : 1);
	if (!s->op)
		return err_set(e, "no memory for %zu records of thread %u", nr, one->thread);
	for (size_t i = 0; i < one->nr; i++) {
		for (uint64_t k = 0; k < one->buffer[i].nr; k++) {
			const char *fault = append(s, &one->buffer[i].record[k], &tick);

			if (fault)
				return err_set(e, "record %zu of thread %u: %s", s->nr,
					       one->thread, fault);
		}
		tlrec_close(&one->buffer[i]);
	}
	return 0;
}

int trace_from_records(const struct trace_records *threads, size_t nr, const char *source,
		       uint64_t tsc_hz, int32_t mate, struct trace **out, struct err *e)
{
	struct trace *t = trace_new(nr);

	for (size_t i = 0; i < nr; i++)
		if (collect(&threads[i], &t->stream[i], e)) {
			trace_free(t);
			return -1;
		}
	snprintf(t->source, sizeof(t->source), "%s", source);
	t->tsc_hz = tsc_hz;
	t->mate = mate;
	trace_finish(t);
	*out = t;
	return 0;
}
