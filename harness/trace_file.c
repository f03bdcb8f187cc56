// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace_file - read a .tlt file and believe nothing in it (layout: trace_format.h)
 *
 * The order is: the header under its own checksum, its limits against the size the
 * file really has, the tables under theirs, and only then memory for the streams.
 * Each block is checked before zstd sees it, each operation after. What is found
 * wrong is named by block and offset, so that a cut transfer can be told from a
 * bad disk.
 */
#include "mem.h"
#include "trace_format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

struct reader {
	const char *path;
	int fd;
	uint64_t size;
	struct tlt_header h;
	struct tlt_stream *stream;
	struct tlt_block *block;
	bool damaged;
	struct err *e;
};

/* The content is at fault, not the reading of it: "FILE: <what>". Returns -1. */
static int __attribute__((format(printf, 2, 3))) damage(struct reader *r, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	r->damaged = true;
	return err_set(r->e, "%.240s: %s", r->path, what);
}

static int read_at(struct reader *r, void *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n =
			pread(r->fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(r->e, "%s: cannot read at offset %ju: %s", r->path,
				       (uintmax_t)(offset + done), strerror(errno));
		if (!n)
			return damage(r, "became shorter while it was read, at offset %ju",
				      (uintmax_t)(offset + done));
		done += (size_t)n;
	}
	return 0;
}

/* Memory in proportion to what the tables (checked by now) announce: may be much. */
static void *allocate(struct reader *r, uint64_t nr, size_t size)
{
	uint64_t bytes;
	void *p = NULL;

	if (!__builtin_mul_overflow(nr, size, &bytes) && bytes <= SIZE_MAX)
		p = malloc(bytes ? bytes : 1);
	if (!p)
		err_set(r->e, "%s: no memory for %ju items of %zu bytes", r->path,
			(uintmax_t)nr, size);
	return p;
}

static bool is_printable(const char *s, size_t size)
{
	size_t len = strnlen(s, size);

	for (size_t i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return len < size;
}

static int foreign(struct reader *r)
{
	const char *with = compressed_with(&r->h, sizeof(r->h));

	if (with)
		return damage(
			r,
			"compressed with %s: expected a tearline trace, which is unpacked "
			"(raw recordings go through 'tearline trace import')",
			with);
	return damage(r, "not a tearline trace: magic number expected at offset 0 (raw "
			 "recordings go through 'tearline trace import')");
}

static int check_identity(struct reader *r)
{
	const struct tlt_header *h = &r->h;
	uint64_t sum = XXH64(h, offsetof(struct tlt_header, header_sum), 0);

	if (memcmp(h->magic, TLT_MAGIC, sizeof(h->magic)))
		return foreign(r);
	if (h->byte_order != TLT_BYTE_ORDER)
		return damage(r, "byte order mark at offset 8: expected 0x%08x, found 0x%08x",
			      TLT_BYTE_ORDER, h->byte_order);
	if (h->version != TLT_VERSION)
		return damage(r, "format version at offset 12: expected %u, found %u",
			      TLT_VERSION, h->version);
	if (h->header_sum != sum)
		return damage(r,
			      "header at offset 0: checksum expected %016jx, computed %016jx",
			      (uintmax_t)h->header_sum, (uintmax_t)sum);
	return 0;
}

static uint64_t tables_bytes(const struct tlt_header *h)
{
	return (uint64_t)h->nr_streams * sizeof(struct tlt_stream) +
	       (uint64_t)h->nr_blocks * sizeof(struct tlt_block);
}

static int check_limits(struct reader *r)
{
	const struct tlt_header *h = &r->h;

	if (!h->nr_streams || h->nr_streams > TLT_MAX_STREAMS)
		return damage(r, "header: expected 1 to %u streams, found %u", TLT_MAX_STREAMS,
			      h->nr_streams);
	if (!h->tsc_hz || h->mate < 0)
		return damage(r,
			      "header: expected a clock frequency and a mate threshold, "
			      "found %ju Hz and %d",
			      (uintmax_t)h->tsc_hz, h->mate);
	if (!h->gap_step || h->gap_step > TLT_MAX_GAP_STEP)
		return damage(r, "header: expected a clock step of 1 to %u, found %u",
			      TLT_MAX_GAP_STEP, h->gap_step);
	if (!is_printable(h->source, sizeof(h->source)))
		return damage(r, "header: source at offset 56 is not printable ASCII");
	if (h->file_size < sizeof(*h) || tables_bytes(h) > h->file_size - sizeof(*h))
		return damage(r, "header: tables of %ju bytes do not fit into a file of %ju",
			      (uintmax_t)tables_bytes(h), (uintmax_t)h->file_size);
	if (tables_bytes(h) > r->size - sizeof(*h))
		return damage(r, "cut short at offset %ju of %ju, in the tables",
			      (uintmax_t)r->size, (uintmax_t)h->file_size);
	return 0;
}

static int read_header(struct reader *r)
{
	if (r->size < sizeof(r->h)) {
		/* Half a header is still enough to tell a cut from a foreign file. */
		if (read_at(r, &r->h, r->size, 0))
			return -1;
		if (memcmp(r->h.magic, TLT_MAGIC, r->size < 8 ? r->size : 8))
			return foreign(r);
		return damage(r, "cut short at offset %ju: a header of %zu bytes expected",
			      (uintmax_t)r->size, sizeof(r->h));
	}
	if (read_at(r, &r->h, sizeof(r->h), 0) || check_identity(r))
		return -1;
	return check_limits(r);
}

static int read_tables(struct reader *r)
{
	size_t stream_bytes = r->h.nr_streams * sizeof(*r->stream);
	size_t bytes = tables_bytes(&r->h);
	uint64_t sum;

	r->stream = allocate(r, bytes, 1);
	if (!r->stream)
		return -1;
	r->block = (struct tlt_block *)((char *)r->stream + stream_bytes);
	if (read_at(r, r->stream, bytes, sizeof(r->h)))
		return -1;
	sum = XXH64(r->stream, bytes, 0);
	if (sum != r->h.tables_sum)
		return damage(r,
			      "tables at offset %zu: checksum expected %016jx, computed %016jx",
			      sizeof(r->h), (uintmax_t)r->h.tables_sum, (uintmax_t)sum);
	return 0;
}

static int check_stream_table(struct reader *r)
{
	uint64_t blocks = 0, block = 0;

	for (uint32_t i = 0; i < r->h.nr_streams; i++) {
		for (uint32_t k = 0; k < i; k++)
			if (r->stream[k].thread == r->stream[i].thread)
				return damage(r, "streams %u and %u are both of thread %u", k,
					      i, r->stream[i].thread);
		blocks += r->stream[i].nr_blocks;
	}
	if (blocks != r->h.nr_blocks)
		return damage(r, "header: %u blocks expected, the streams have %ju",
			      r->h.nr_blocks, (uintmax_t)blocks);
	for (uint32_t i = 0; i < r->h.nr_streams; i++) {
		uint64_t nr = 0;

		for (uint32_t k = 0; k < r->stream[i].nr_blocks; k++)
			nr += r->block[block++].nr;
		if (nr != r->stream[i].nr)
			return damage(r,
				      "stream %u: %ju operations expected, its blocks have %ju",
				      i, (uintmax_t)r->stream[i].nr, (uintmax_t)nr);
	}
	return 0;
}

/*
 * The least that so many operations can be packed into: a frame of zstd has 6 bytes of
 * header, and 4 for each 128 KiB that are all the same.
 */
static uint32_t least_bytes(uint32_t nr)
{
	return 6 + 4 * ((nr * TLT_OP_BYTES + ZSTD_BLOCKSIZE_MAX - 1) / ZSTD_BLOCKSIZE_MAX);
}

static int check_block_table(struct reader *r)
{
	uint64_t end = sizeof(r->h) + tables_bytes(&r->h);

	for (uint32_t i = 0; i < r->h.nr_blocks; i++) {
		const struct tlt_block *b = &r->block[i];

		if (!b->nr || b->nr > TLT_BLOCK_OPS)
			return damage(r,
				      "table of blocks, entry %u: expected 1 to %u operations, "
				      "found %u",
				      i, TLT_BLOCK_OPS, b->nr);
		if (!b->bytes || b->bytes > ZSTD_compressBound(TLT_BLOCK_BYTES))
			return damage(r,
				      "table of blocks, entry %u: %u bytes is not a size a "
				      "block can have",
				      i, b->bytes);
		if (b->bytes < least_bytes(b->nr))
			return damage(
				r,
				"table of blocks, entry %u: %u operations cannot be in %u "
				"bytes",
				i, b->nr, b->bytes);
		end += b->bytes;
	}
	if (end != r->h.file_size)
		return damage(r, "header: a file of %ju bytes, but its blocks end at %ju",
			      (uintmax_t)r->h.file_size, (uintmax_t)end);
	return 0;
}

/* The block in which the file ends too early. */
static int name_cut(struct reader *r)
{
	uint64_t end = sizeof(r->h) + tables_bytes(&r->h);
	uint32_t block = 0;

	for (uint32_t i = 0; i < r->h.nr_streams; i++)
		for (uint32_t k = 0; k < r->stream[i].nr_blocks; k++) {
			end += r->block[block++].bytes;
			if (r->size < end)
				return damage(r,
					      "cut short at offset %ju of %ju, in stream %u "
					      "block %u",
					      (uintmax_t)r->size, (uintmax_t)r->h.file_size, i,
					      k);
		}
	return damage(r, "cut short at offset %ju of %ju", (uintmax_t)r->size,
		      (uintmax_t)r->h.file_size);
}

static int check_size(struct reader *r)
{
	if (r->size < r->h.file_size)
		return name_cut(r);
	if (r->size > r->h.file_size)
		return damage(r, "%ju bytes too many: the trace ends at offset %ju",
			      (uintmax_t)(r->size - r->h.file_size), (uintmax_t)r->h.file_size);
	return 0;
}

/* What little says, much may follow from: is there so much memory? */
static int check_claim(struct reader *r)
{
	uint64_t nr = 0;
	char *what;
	int ret;

	for (uint32_t i = 0; i < r->h.nr_streams; i++)
		nr += r->stream[i].nr;
	what = xasprintf("%s: says that it holds %ju operations", r->path, (uintmax_t)nr);
	ret = mem_check(nr * sizeof(struct trace_op), what, r->e);
	free(what);
	return ret;
}

struct decoder {
	ZSTD_DCtx *zstd;
	XXH64_state_t *hash;
	void *frame, *columns;
	uint64_t offset;
	uint32_t block;
};

static int decoder_init(struct reader *r, struct decoder *d)
{
	*d = (struct decoder){ .offset = sizeof(r->h) + tables_bytes(&r->h) };
	d->zstd = ZSTD_createDCtx();
	d->hash = XXH64_createState();
	d->frame = malloc(ZSTD_compressBound(TLT_BLOCK_BYTES));
	d->columns = aligned_alloc(CACHE_LINE, TLT_BLOCK_BYTES);
	if (!d->zstd || !d->hash || !d->frame || !d->columns)
		return err_set(r->e, "%s: no memory for a block", r->path);
	XXH64_reset(d->hash, 0);
	return 0;
}

static void decoder_free(struct decoder *d)
{
	ZSTD_freeDCtx(d->zstd);
	XXH64_freeState(d->hash);
	free(d->frame);
	free(d->columns);
}

static int decode_block(struct reader *r, struct decoder *d, uint32_t stream, uint32_t block,
			struct trace_op *op)
{
	const struct tlt_block *b = &r->block[d->block];
	uintmax_t at = d->offset;
	unsigned long long claimed;
	uint64_t sum;
	size_t got, bad;

	if (read_at(r, d->frame, b->bytes, d->offset))
		return -1;
	sum = XXH64(d->frame, b->bytes, tlt_block_seed(stream, block));
	if (sum != b->sum)
		return damage(r,
			      "stream %u block %u at offset %ju, %u bytes: checksum expected "
			      "%016jx, computed %016jx",
			      stream, block, at, b->bytes, (uintmax_t)b->sum, (uintmax_t)sum);
	claimed = ZSTD_getFrameContentSize(d->frame, b->bytes);
	if (claimed < ZSTD_CONTENTSIZE_ERROR && claimed != (size_t)b->nr * TLT_OP_BYTES)
		return damage(r,
			      "stream %u block %u at offset %ju: %u operations expected, its "
			      "frame says %llu bytes of them",
			      stream, block, at, b->nr, claimed);
	got = ZSTD_decompressDCtx(d->zstd, d->columns, (size_t)b->nr * TLT_OP_BYTES, d->frame,
				  b->bytes);
	if (ZSTD_isError(got))
		return damage(r, "stream %u block %u at offset %ju: zstd: %s", stream, block,
			      at, ZSTD_getErrorName(got));
	if (got != (size_t)b->nr * TLT_OP_BYTES)
		return damage(r,
			      "stream %u block %u at offset %ju: %u operations expected, "
			      "found %zu bytes of them",
			      stream, block, at, b->nr, got);
	bad = tlt_unpack(d->columns, b->nr, r->h.gap_step, op);
	if (bad < b->nr) {
		const char *fault = trace_op_fault(&op[bad]);

		return damage(r, "stream %u block %u at offset %ju, operation %zu: %s", stream,
			      block, at, bad, fault ? fault : "a gap of more than 40 bits");
	}
	XXH64_update(d->hash, op, b->nr * sizeof(*op));
	d->offset += b->bytes;
	d->block++;
	return 0;
}

static int decode_stream(struct reader *r, struct decoder *d, uint32_t i, struct trace *t)
{
	const struct tlt_stream *from = &r->stream[i];
	struct trace_stream *s = &t->stream[i];
	uint64_t tick = from->start;
	size_t done = 0;

	s->op = allocate(r, from->nr, sizeof(*s->op));
	if (!s->op)
		return -1;
	s->nr = from->nr;
	s->start = from->start;
	s->thread = from->thread;
	tlt_hash_stream(d->hash, s);
	for (uint32_t k = 0; k < from->nr_blocks; k++) {
		uint32_t nr = r->block[d->block].nr;

		if (decode_block(r, d, i, k, s->op + done))
			return -1;
		for (size_t end = done + nr; done < end; done++) {
			t->count[s->op[done].op]++;
			if (__builtin_add_overflow(tick, trace_op_gap(&s->op[done]), &tick))
				return damage(r,
					      "stream %u block %u: its time passes 2^64 ticks",
					      i, k);
		}
	}
	return 0;
}

static int decode_all(struct reader *r, struct trace *t)
{
	struct decoder d;
	uint64_t hash;
	int ret = decoder_init(r, &d);

	for (uint32_t i = 0; !ret && i < t->nr_streams; i++)
		ret = decode_stream(r, &d, i, t);
	if (!ret) {
		hash = XXH64_digest(d.hash);
		if (hash != r->h.hash)
			ret = damage(r,
				     "hash of the operations: expected %016jx, computed %016jx",
				     (uintmax_t)r->h.hash, (uintmax_t)hash);
		t->hash = hash;
	}
	decoder_free(&d);
	return ret;
}

static void set_name(struct trace *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = utf8_whole(base, strnlen(base, sizeof(t->name) - 1));

	snprintf(t->name, sizeof(t->name), "%.*s", (int)len, base);
	len = strlen(t->name);
	if (len > 4 && !strcmp(t->name + len - 4, ".tlt"))
		t->name[len - 4] = '\0';
}

int trace_load(const char *path, struct trace **out, bool *damaged, struct err *e)
{
	struct reader r = { .path = path, .fd = -1, .e = e };
	struct trace *t = NULL;
	int ret = -1;

	r.fd = open_regular(path, &r.size, e);
	if (r.fd < 0 || read_header(&r) || read_tables(&r) || check_stream_table(&r) ||
	    check_block_table(&r) || check_size(&r) || check_claim(&r))
		goto out;
	t = trace_new(r.h.nr_streams);
	memcpy(t->source, r.h.source, sizeof(t->source));
	set_name(t, path);
	t->tsc_hz = r.h.tsc_hz;
	t->mate = r.h.mate;
	if (decode_all(&r, t))
		goto out;
	*out = t;
	t = NULL;
	ret = 0;
out:
	trace_free(t);
	free(r.stream);
	if (r.fd >= 0)
		close(r.fd);
	if (damaged)
		*damaged = r.damaged;
	return ret;
}

int trace_read(const char *path, struct trace **out, struct err *e)
{
	return trace_load(path, out, NULL, e);
}
