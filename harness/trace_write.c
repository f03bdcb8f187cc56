// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_write - write a .tlt file, whole or not at all (layout: trace_format.h)
 *
 * Everything is compressed in memory first; the file then goes down in one short
 * stretch (output.h).
 */
#include "output.h"
#include "trace_format.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

void (*trace_progress)(const char *path, uint64_t done, uint64_t total);

/* The file to be, in two pieces: header and tables, and the blocks. */
struct image {
	struct tlt_header *h;
	struct tlt_stream *stream;
	struct tlt_block *block;
	size_t head_bytes;
	char *body;
	size_t body_bytes, body_room;
	uint64_t done, total; /* operations */
};

static uint32_t blocks_of(const struct trace_stream *s)
{
	return (uint32_t)((s->nr + TLT_BLOCK_OPS - 1) / TLT_BLOCK_OPS);
}

static int check_stream(const struct trace *t, size_t i, const char *path, struct err *e)
{
	const struct trace_stream *s = &t->stream[i];
	uint64_t tick = s->start;

	for (size_t k = 0; k < i; k++)
		if (t->stream[k].thread == s->thread)
			return err_set(e, "%s: streams %zu and %zu are both of thread %u", path,
				       k, i, s->thread);
	for (size_t k = 0; k < s->nr; k++) {
		const char *fault = trace_op_fault(&s->op[k]);

		if (!fault && __builtin_add_overflow(tick, trace_op_gap(&s->op[k]), &tick))
			fault = "a time past 2^64 ticks";
		if (fault)
			return err_set(e, "%s: stream %zu, operation %zu: %s", path, i, k,
				       fault);
	}
	return 0;
}

/* What trace_read() would refuse is not written. */
static int check_trace(const struct trace *t, const char *path, struct err *e)
{
	uint64_t blocks = 0;

	if (!t->nr_streams || t->nr_streams > TLT_MAX_STREAMS)
		return err_set(e, "%s: a trace has 1 to %u streams, not %zu", path,
			       TLT_MAX_STREAMS, t->nr_streams);
	if (!t->tsc_hz || t->mate < 0)
		return err_set(e, "%s: a trace needs a clock frequency and a mate threshold",
			       path);
	for (size_t i = 0; i < strnlen(t->source, sizeof(t->source)); i++)
		if (t->source[i] < ' ' || t->source[i] > '~')
			return err_set(e, "%s: the source's name is not printable ASCII", path);
	for (size_t i = 0; i < t->nr_streams; i++) {
		if (check_stream(t, i, path, e))
			return -1;
		blocks += (t->stream[i].nr + TLT_BLOCK_OPS - 1) / TLT_BLOCK_OPS;
	}
	if (blocks > UINT32_MAX)
		return err_set(e, "%s: too many operations for one file", path);
	return 0;
}

static void image_init(struct image *im, const struct trace *t)
{
	uint32_t blocks = 0;

	*im = (struct image){ 0 };
	for (size_t i = 0; i < t->nr_streams; i++) {
		blocks += blocks_of(&t->stream[i]);
		im->total += t->stream[i].nr;
	}
	im->head_bytes = sizeof(*im->h) + t->nr_streams * sizeof(*im->stream) +
			 blocks * sizeof(*im->block);
	im->h = xcalloc(1, im->head_bytes);
	im->stream = (struct tlt_stream *)(im->h + 1);
	im->block = (struct tlt_block *)(im->stream + t->nr_streams);
	im->h->nr_blocks = blocks;
}

static void image_free(struct image *im)
{
	free(im->h);
	free(im->body);
}

struct encoder {
	ZSTD_CCtx *zstd;
	void *columns;
	XXH64_state_t *hash;
};

static int encoder_init(struct encoder *c, int level, const char *path, struct err *e)
{
	c->zstd = ZSTD_createCCtx();
	c->columns = aligned_alloc(CACHE_LINE, TLT_BLOCK_BYTES);
	c->hash = XXH64_createState();
	if (!c->zstd || !c->columns || !c->hash)
		return err_set(e, "%s: no memory to compress", path);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, level);
	XXH64_reset(c->hash, 0);
	return 0;
}

static void encoder_free(struct encoder *c)
{
	ZSTD_freeCCtx(c->zstd);
	free(c->columns);
	XXH64_freeState(c->hash);
}

static int encode_block(struct image *im, struct encoder *c, const struct trace_op *op,
			uint32_t nr, struct tlt_block *b, uint64_t seed, struct err *e)
{
	size_t bound = ZSTD_compressBound(TLT_BLOCK_BYTES), got;

	if (im->body_room - im->body_bytes < bound) {
		im->body_room = im->body_room * 2 + bound;
		im->body = xrealloc(im->body, im->body_room);
	}
	tlt_pack(op, nr, im->h->gap_step, c->columns);
	got = ZSTD_compress2(c->zstd, im->body + im->body_bytes, bound, c->columns,
			     (size_t)nr * TLT_OP_BYTES);
	if (ZSTD_isError(got))
		return err_set(e, "zstd cannot compress: %s", ZSTD_getErrorName(got));
	b->nr = nr;
	b->bytes = (uint32_t)got;
	b->sum = XXH64(im->body + im->body_bytes, got, seed);
	im->body_bytes += got;
	im->done += nr;
	return 0;
}

static int encode(struct image *im, struct encoder *c, const struct trace *t, const char *path,
		  struct err *e)
{
	struct tlt_block *b = im->block;

	im->h->gap_step = tlt_gap_step(t);
	for (uint32_t i = 0; i < t->nr_streams; i++) {
		const struct trace_stream *s = &t->stream[i];

		im->stream[i].thread = s->thread;
		im->stream[i].nr_blocks = blocks_of(s);
		im->stream[i].nr = s->nr;
		im->stream[i].start = s->start;
		tlt_hash_stream(c->hash, s);
		for (uint32_t k = 0; k < blocks_of(s); k++, b++) {
			const struct trace_op *op = s->op + (size_t)k * TLT_BLOCK_OPS;
			size_t left = s->nr - (size_t)k * TLT_BLOCK_OPS;
			uint32_t nr = left < TLT_BLOCK_OPS ? (uint32_t)left : TLT_BLOCK_OPS;

			if (encode_block(im, c, op, nr, b, tlt_block_seed(i, k), e))
				return -1;
			XXH64_update(c->hash, op, nr * sizeof(*op));
			if (trace_progress)
				trace_progress(path, im->done, im->total);
		}
	}
	return 0;
}

static void fill_header(struct image *im, const struct trace *t, uint64_t hash)
{
	struct tlt_header *h = im->h;

	memcpy(h->magic, TLT_MAGIC, sizeof(h->magic));
	h->byte_order = TLT_BYTE_ORDER;
	h->version = TLT_VERSION;
	h->file_size = im->head_bytes + im->body_bytes;
	h->tsc_hz = t->tsc_hz;
	h->hash = hash;
	h->mate = t->mate;
	h->nr_streams = (uint32_t)t->nr_streams;
	memcpy(h->source, t->source, strnlen(t->source, sizeof(t->source) - 1));
	h->tables_sum = XXH64(im->stream, im->head_bytes - sizeof(*h), 0);
	h->header_sum = XXH64(h, offsetof(struct tlt_header, header_sum), 0);
}

/* Everything is in memory by now: one short stretch. */
static int put_file(const struct image *im, const char *path, struct err *e)
{
	struct output o;

	if (output_begin(&o, path, false, e))
		return -1;
	fwrite(im->h, 1, im->head_bytes, o.f);
	if (!output_failed(&o))
		fwrite(im->body, 1, im->body_bytes, o.f);
	output_failed(&o);
	return output_end(&o, true, e);
}

int trace_may_write(const char *path, struct err *e)
{
	return output_check(path, false, e);
}

static int write_packed(const struct trace *t, const char *path, int level, struct err *e)
{
	struct encoder c = { 0 };
	struct image im = { 0 };
	int ret = -1;

	if (output_check(path, false, e) || check_trace(t, path, e))
		return -1;
	image_init(&im, t);
	if (encoder_init(&c, level, path, e) || encode(&im, &c, t, path, e))
		goto out;
	fill_header(&im, t, XXH64_digest(c.hash));
	ret = put_file(&im, path, e);
out:
	encoder_free(&c);
	image_free(&im);
	return ret;
}

int trace_write(const struct trace *t, const char *path, struct err *e)
{
	return write_packed(t, path, TLT_LEVEL, e);
}

int trace_write_fast(const struct trace *t, const char *path, struct err *e)
{
	return write_packed(t, path, TLT_LEVEL_FAST, e);
}
