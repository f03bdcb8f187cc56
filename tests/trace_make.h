/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_make - traces and damaged trace files for tests
 *
 * A file is held in memory, altered, and sealed again with correct checksums, so
 * that the checks behind the checksums are reached too.
 */
#ifndef TRACE_MAKE_H
#define TRACE_MAKE_H

#include "trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

/* Any valid operation, all fields filled; gaps mostly small multiples of 21. */
static inline struct trace_op make_op(uint64_t *rng)
{
	uint64_t r = rng_next(rng), gap = rng_below(rng, 300) * 21;
	struct trace_op op = {
		.key = rng_below(rng, 50) * 0x9e3779b97f4a7c15ull,
		.move = (uint32_t)rng_next(rng),
		.value = (int16_t)r,
		.depth = (uint8_t)(r >> 16),
		.next_depth = (uint8_t)(r >> 24),
		.op = (uint8_t)rng_below(rng, NR_OPS),
		.ply = (uint8_t)(r >> 32),
	};

	if (!rng_below(rng, 64))
		gap = rng_next(rng) >> (24 + rng_below(rng, 40));
	op.gap_lo = (uint32_t)gap;
	op.gap_hi = (uint8_t)(gap >> 32);
	if (op.op < OP_NEW_GENERATION)
		op.flags = (uint8_t)(r >> 40) & (TRACE_THREAT | TRACE_ENGINE_MASK);
	if (trace_op_is_store(op.op))
		op.flags |= (uint8_t)(rng_below(rng, 4) << TRACE_BOUND_SHIFT);
	if (trace_op_is_probe(op.op))
		op.flags |= (uint8_t)(rng_below(rng, 3) << TRACE_HIT_SHIFT);
	return op;
}

/* nr operations in each stream; the streams begin within each other. */
static inline struct trace *make_trace(uint64_t seed, size_t nr_streams, size_t nr)
{
	struct trace *t = trace_new(nr_streams);

	strcpy(t->source, "Generator 1");
	t->tsc_hz = 2100000000;
	t->mate = 32001;
	for (size_t i = 0; i < nr_streams; i++) {
		struct trace_stream *s = &t->stream[i];

		s->op = xcalloc(nr, sizeof(*s->op));
		s->nr = nr;
		s->thread = (uint32_t)(i * 2);
		s->start = 1000000000000u + rng_below(&seed, 10000);
		for (size_t k = 0; k < nr; k++)
			s->op[k] = make_op(&seed);
	}
	trace_finish(t);
	return t;
}

/* A file in memory and where its parts are. */
struct tlt_image {
	unsigned char *byte;
	size_t size;
	struct tlt_header *h;
	struct tlt_stream *stream;
	struct tlt_block *block;
};

static inline void image_locate(struct tlt_image *im)
{
	im->h = (struct tlt_header *)im->byte;
	im->stream = (struct tlt_stream *)(im->h + 1);
	im->block = (struct tlt_block *)(im->stream + im->h->nr_streams);
}

static inline struct tlt_image image_load(const char *path)
{
	struct tlt_image im = { 0 };
	struct stat st;
	FILE *f = fopen(path, "rb");

	if (!f || fstat(fileno(f), &st))
		abort();
	im.size = (size_t)st.st_size;
	im.byte = xcalloc(1, im.size);
	if (fread(im.byte, 1, im.size, f) != im.size)
		abort();
	fclose(f);
	image_locate(&im);
	return im;
}

static inline struct tlt_image image_copy(const struct tlt_image *from)
{
	struct tlt_image im = *from;

	im.byte = xcalloc(1, im.size);
	memcpy(im.byte, from->byte, im.size);
	image_locate(&im);
	return im;
}

static inline void image_save(const struct tlt_image *im, const char *path)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(im->byte, 1, im->size, f) != im->size || fclose(f))
		abort();
}

static inline size_t image_tables(const struct tlt_image *im)
{
	return im->h->nr_streams * sizeof(*im->stream) + im->h->nr_blocks * sizeof(*im->block);
}

static inline void image_seal_header(struct tlt_image *im)
{
	im->h->header_sum = XXH64(im->h, offsetof(struct tlt_header, header_sum), 0);
}

/* Correct checksums of tables and header, where the tables are within the file. */
static inline void image_seal(struct tlt_image *im)
{
	if (image_tables(im) <= im->size - sizeof(*im->h))
		im->h->tables_sum = XXH64(im->stream, image_tables(im), 0);
	image_seal_header(im);
}

static inline size_t image_body(const struct tlt_image *im)
{
	return sizeof(*im->h) + image_tables(im);
}

/* The one block of stream 0, replaced by what these columns compress to. */
static inline void image_replace(struct tlt_image *im, const void *columns, size_t bytes)
{
	size_t at = image_body(im), old = im->block[0].bytes, got;
	size_t rest = im->size - at - old;
	size_t bound = ZSTD_compressBound(bytes);
	unsigned char *byte = xcalloc(1, at + bound + rest);

	memcpy(byte, im->byte, at);
	got = ZSTD_compress(byte + at, bound, columns, bytes, 1);
	memcpy(byte + at + got, im->byte + at + old, rest);
	free(im->byte);
	im->byte = byte;
	im->size = at + got + rest;
	image_locate(im);
	im->h->file_size = im->size;
	im->block[0].bytes = (uint32_t)got;
	im->block[0].sum = XXH64(byte + at, got, tlt_block_seed(0, 0));
	image_seal(im);
}

#endif
