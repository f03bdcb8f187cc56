// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_trace_file - what is written is read, and nothing else is
 *
 * The first argument, if any, is a recorded trace for the checks that want a file
 * with many blocks.
 */
#include "trace_make.h"

#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/test_trace_file.XXXXXX";
static char path[64];
static const char *recorded;

static int enter(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/t.tlt", dir);
	return 0;
}

static int leave(void **state)
{
	unlink(path);
	return rmdir(dir); /* fails if a test left anything behind */
}

static void write_trace(const struct trace *t)
{
	struct err e;

	if (trace_write(t, path, &e))
		fail_msg("%s", e.text);
}

/* The file must be refused as damaged, with this in the message. */
static void expect_damage(const char *text)
{
	struct trace *t = NULL;
	bool damaged = false;
	struct err e = { "" };

	if (!trace_load(path, &t, &damaged, &e))
		fail_msg("accepted, expected '%s'", text);
	assert_null(t);
	assert_true(damaged);
	if (strncmp(e.text, path, strlen(path)) || !strstr(e.text, text))
		fail_msg("expected '%s' in: %s", text, e.text);
}

static void assert_same(const struct trace *a, const struct trace *b)
{
	assert_string_equal(a->source, b->source);
	assert_int_equal(a->hash, b->hash);
	assert_int_equal(a->tsc_hz, b->tsc_hz);
	assert_int_equal(a->mate, b->mate);
	assert_int_equal(a->nr_streams, b->nr_streams);
	assert_memory_equal(a->count, b->count, sizeof(a->count));
	for (size_t i = 0; i < a->nr_streams; i++) {
		const struct trace_stream *x = &a->stream[i], *y = &b->stream[i];

		assert_int_equal(x->thread, y->thread);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->nr, y->nr);
		if (x->nr)
			assert_memory_equal(x->op, y->op, x->nr * sizeof(*x->op));
	}
}

static void round_trip(struct trace *t)
{
	struct trace *back;
	struct err e;

	write_trace(t);
	if (trace_read(path, &back, &e))
		fail_msg("%s", e.text);
	assert_same(t, back);
	assert_string_equal(back->name, "t");
	trace_free(back);
	trace_free(t);
}

static void test_round_trip(void **state)
{
	static const size_t sizes[] = {
		1, 2, 100, TLT_BLOCK_OPS - 1, TLT_BLOCK_OPS, TLT_BLOCK_OPS + 1
	};
	struct trace *t;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		round_trip(make_trace(i, 1 + i % 3, sizes[i]));
	round_trip(make_trace(7, 300, 3));
	t = make_trace(8, 2, 50);
	t->stream[1].nr = 0; /* a thread that did nothing */
	memset(t->source, 'x', sizeof(t->source) - 1);
	trace_finish(t);
	round_trip(t);
}

/* Values at the ends of every field. */
static void test_extremes(void **state)
{
	struct trace *t = make_trace(1, 1, 4);
	struct trace_op *op = t->stream[0].op;

	memset(op, 0, 4 * sizeof(*op));
	op[0] = (struct trace_op){ .op = OP_KV_PROBE,
				   .key = UINT64_MAX,
				   .beta = INT32_MIN,
				   .value = INT16_MAX,
				   .gap_lo = UINT32_MAX,
				   .gap_hi = 255 };
	op[1] = (struct trace_op){ .op = OP_TT_PROBE,
				   .beta = INT32_MAX,
				   .value = INT16_MIN,
				   .depth = 255,
				   .next_depth = 255,
				   .ply = 255 };
	op[2] = (struct trace_op){ .op = OP_TT_STORE,
				   .move = UINT32_MAX,
				   .value = INT16_MIN,
				   .flags = TRACE_BOUND_MASK };
	op[3] = (struct trace_op){ .op = OP_CLEAR, .move = 1 };
	t->mate = INT32_MAX;
	t->tsc_hz = UINT64_MAX;
	t->stream[0].thread = UINT32_MAX;
	t->stream[0].start = UINT64_MAX - (1ull << 40) + 1;
	trace_finish(t);
	round_trip(t);
}

/* The hash is of the operations: one field of one of them changes it. */
static void test_hash(void **state)
{
	struct trace *t = make_trace(3, 2, 100);
	uint64_t before = t->hash;

	t->stream[1].op[99].value ^= 1;
	trace_finish(t);
	assert_int_not_equal(t->hash, before);
	t->stream[1].op[99].value ^= 1;
	t->mate++;
	trace_finish(t);
	assert_int_equal(t->hash, before);
	trace_free(t);
}

static void test_write_refuses(void **state)
{
	struct trace *t = make_trace(1, 2, 10);
	struct trace_op good = t->stream[1].op[7];
	struct err e;

	t->stream[1].op[7].op = NR_OPS;
	assert_int_equal(trace_write(t, path, &e), -1);
	assert_non_null(strstr(e.text, "stream 1, operation 7"));
	t->stream[1].op[7] = (struct trace_op){ .op = OP_CLEAR, .flags = 1 };
	assert_int_equal(trace_write(t, path, &e), -1);
	t->stream[1].op[7] = (struct trace_op){ .op = OP_TT_PROBE, .flags = TRACE_HIT_MASK };
	assert_int_equal(trace_write(t, path, &e), -1);
	t->stream[1].op[7] = good;
	t->stream[1].start = UINT64_MAX - 5;
	assert_int_equal(trace_write(t, path, &e), -1);
	t->stream[1].start = 0;
	t->stream[1].thread = t->stream[0].thread;
	assert_int_equal(trace_write(t, path, &e), -1);
	t->stream[1].thread = 9;
	t->tsc_hz = 0;
	assert_int_equal(trace_write(t, path, &e), -1);
	t->tsc_hz = 1;
	assert_int_equal(trace_write(t, path, &e), 0);
	trace_free(t);
}

/* Cut at every offset, and appended to. */
static void test_every_cut(void **state)
{
	struct trace *t = make_trace(5, 2, 40);
	struct tlt_image im, cut;
	char text[64];

	write_trace(t);
	im = image_load(path);
	cut = im;
	for (cut.size = 0; cut.size < im.size; cut.size++) {
		image_save(&cut, path);
		snprintf(text, sizeof(text), "cut short at offset %zu", cut.size);
		expect_damage(text);
	}
	cut = (struct tlt_image){ .byte = xcalloc(1, im.size + 100) };
	memcpy(cut.byte, im.byte, im.size);
	for (cut.size = im.size + 1; cut.size <= im.size + 100; cut.size++) {
		image_save(&cut, path);
		snprintf(text, sizeof(text), "%zu bytes too many: the trace ends at offset %zu",
			 cut.size - im.size, im.size);
		expect_damage(text);
	}
	free(cut.byte);
	free(im.byte);
	trace_free(t);
}

static void test_every_bit(void **state)
{
	struct trace *t = make_trace(6, 2, 40);
	struct tlt_image im;
	int fd;

	write_trace(t);
	im = image_load(path);
	fd = open(path, O_RDWR);
	for (size_t bit = 0; bit < im.size * 8; bit++) {
		unsigned char byte = im.byte[bit / 8] ^ (unsigned char)(1u << bit % 8);

		assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
		expect_damage("");
		assert_int_equal(pwrite(fd, &im.byte[bit / 8], 1, (off_t)(bit / 8)), 1);
	}
	close(fd);
	free(im.byte);
	round_trip(t);
}

static void test_recorded_cuts(void **state)
{
	struct tlt_image im, cut;

	if (!recorded)
		skip();
	im = image_load(recorded);
	image_save(&im, path);
	cut = im;
	for (int i = 400; i > 0; i--) {
		char text[64];

		cut.size = im.size * (size_t)i / 401;
		assert_int_equal(truncate(path, (off_t)cut.size), 0);
		snprintf(text, sizeof(text), "cut short at offset %zu of %zu, in %s", cut.size,
			 im.size, cut.size < image_body(&im) ? "" : "stream");
		expect_damage(cut.size < sizeof(*im.h) ? "cut short" : text);
	}
	free(im.byte);
}

/* One flip in each block is named by that block. */
static void test_recorded_flips(void **state)
{
	struct tlt_image im;
	size_t at;
	uint32_t block = 0;

	if (!recorded)
		skip();
	im = image_load(recorded);
	at = image_body(&im);
	for (uint32_t i = 0; i < im.h->nr_streams; i++)
		for (uint32_t k = 0; k < im.stream[i].nr_blocks; k++) {
			char text[64];

			im.byte[at + im.block[block].bytes / 2] ^= 4;
			image_save(&im, path);
			snprintf(text, sizeof(text), "stream %u block %u at offset %zu", i, k,
				 at);
			expect_damage(text);
			im.byte[at + im.block[block].bytes / 2] ^= 4;
			at += im.block[block++].bytes;
		}
	free(im.byte);
}

/* Blocks 0 and 1 change places, table entries and all, under correct sums. */
static void swap_blocks(struct tlt_image *im)
{
	size_t at = image_body(im), a = im->block[0].bytes, b = im->block[1].bytes;
	unsigned char *first = xcalloc(1, a);
	struct tlt_block entry = im->block[0];

	memcpy(first, im->byte + at, a);
	memmove(im->byte + at, im->byte + at + a, b);
	memcpy(im->byte + at + b, first, a);
	free(first);
	im->block[0] = im->block[1];
	im->block[1] = entry;
	image_seal(im);
}

static void test_swapped_blocks(void **state)
{
	struct trace *t = make_trace(9, 2, 40); /* between streams */
	struct tlt_image im;

	write_trace(t);
	im = image_load(path);
	swap_blocks(&im);
	image_save(&im, path);
	expect_damage("stream 0 block 0 at offset 216");
	swap_blocks(&im);
	image_save(&im, path);
	free(im.byte);
	trace_free(t);

	t = make_trace(9, 1, 2 * TLT_BLOCK_OPS); /* within one */
	write_trace(t);
	im = image_load(path);
	swap_blocks(&im);
	image_save(&im, path);
	expect_damage("stream 0 block 0 at offset 192");
	free(im.byte);
	trace_free(t);
}

#define LIE(text, ...)                                   \
	do {                                             \
		struct tlt_image im = image_copy(&good); \
		__VA_ARGS__;                             \
		image_save(&im, path);                   \
		free(im.byte);                           \
		expect_damage(text);                     \
	} while (0)
#define LIE_HEADER(text, ...) LIE(text, __VA_ARGS__; image_seal_header(&im))
#define LIE_TABLE(text, ...) LIE(text, __VA_ARGS__; image_seal(&im))

/* Correct checksums over wrong figures. */
static void test_lies(void **state)
{
	struct trace *t = make_trace(10, 2, 40);
	struct tlt_image good;

	write_trace(t);
	good = image_load(path);
	LIE("not a tearline trace", im.h->magic[3] = 'X');
	LIE("byte order mark at offset 8", im.h->byte_order = 0x04030201);
	LIE("format version at offset 12", im.h->version = 2);
	LIE("header at offset 0: checksum", im.h->mate++);
	LIE("tables at offset 136: checksum", im.stream[0].start++);
	LIE_HEADER("its blocks end at", im.h->file_size++);
	LIE_HEADER("its blocks end at", im.h->file_size = UINT64_MAX);
	LIE_HEADER("do not fit", im.h->file_size = 0);
	LIE_HEADER("its blocks end at", im.h->file_size -= 2);
	LIE_HEADER("streams, found 0", im.h->nr_streams = 0);
	LIE_HEADER("streams, found 4097", im.h->nr_streams = 4097);
	LIE_HEADER("streams, found 4294967295", im.h->nr_streams = UINT32_MAX);
	LIE_HEADER("do not fit", im.h->nr_blocks = UINT32_MAX);
	LIE_HEADER("in the tables", im.h->nr_blocks = UINT32_MAX; im.h->file_size = UINT64_MAX);
	LIE_HEADER("clock frequency", im.h->tsc_hz = 0);
	LIE_HEADER("mate threshold", im.h->mate = -1);
	LIE_HEADER("clock step", im.h->gap_step = 0);
	LIE_HEADER("clock step", im.h->gap_step = 256);
	LIE_HEADER("printable", memset(im.h->source, 'a', 64));
	LIE_HEADER("printable", im.h->source[0] = '\n');
	LIE_HEADER("hash of the operations", im.h->hash ^= 1);
	LIE_TABLE("both of thread", im.stream[1].thread = im.stream[0].thread);
	LIE_TABLE("hash of the operations", im.stream[0].start += 1);
	LIE_TABLE("passes 2^64", im.stream[0].start = UINT64_MAX);
	LIE_TABLE("blocks expected", im.stream[1].nr_blocks = 2);
	LIE_TABLE("blocks expected", im.stream[1].nr_blocks = UINT32_MAX);
	LIE_TABLE("operations expected", im.stream[0].nr = UINT64_MAX);
	LIE_TABLE("operations expected", im.stream[0].nr_blocks = 2;
		  im.stream[1].nr_blocks = 0);
	LIE_TABLE("found 0", im.block[0].nr = 0; im.stream[0].nr = 0);
	LIE_TABLE("operations, found 65537", im.block[0].nr = im.stream[0].nr = 65537);
	LIE_TABLE("stream 0 block 0", im.block[0].nr = im.stream[0].nr = 41);
	LIE_TABLE("stream 0 block 0", im.block[0].nr = im.stream[0].nr = 39);
	LIE_TABLE("not a size", im.block[1].bytes = UINT32_MAX);
	LIE_TABLE("not a size", im.block[1].bytes = 0);
	LIE_TABLE("its blocks end at", im.block[1].bytes++);
	LIE_TABLE("stream 0 block 0", im.block[0].bytes++; im.block[1].bytes--);
	free(good.byte);
	trace_free(t);
}

/* Columns that decompress well and hold what no operation may be. */
static void test_bad_columns(void **state)
{
	struct trace *t = make_trace(11, 1, 40);
	struct trace_op *op = t->stream[0].op;
	unsigned char columns[40 * TLT_OP_BYTES] __attribute__((aligned(8)));
	unsigned char *ops = columns + 40 * 14, *flags = ops + 40, *gap = flags + 4 * 40;
	struct tlt_image good;
	size_t store = 0, probe = 0;

	for (uint32_t i = 0; i < 40; i++) { /* so that the step is surely 21 */
		op[i].gap_lo = i * 21;
		op[i].gap_hi = 0;
	}
	trace_finish(t);
	while (!trace_op_is_store(op[store].op))
		store++;
	while (!trace_op_is_probe(op[probe].op))
		probe++;
	write_trace(t);
	good = image_load(path);
#define BAD(text, ...)                               \
	tlt_pack(op, 40, good.h->gap_step, columns); \
	LIE(text, __VA_ARGS__; image_replace(&im, columns, sizeof(columns)))
	BAD("operation 5: an operation that does not exist", ops[5] = NR_OPS);
	BAD("an operation that does not exist", ops[39] = 255);
	BAD("an event with flags", ops[7] = OP_CLEAR; flags[7] = 1);
	BAD("a hit on what is not a probe", flags[store] |= 1u << TRACE_HIT_SHIFT);
	BAD("a bound on what is not a store", flags[probe] |= 1u << TRACE_BOUND_SHIFT);
	BAD("none of miss, hit, usable", flags[probe] |= TRACE_HIT_MASK);
	BAD("operation 3: a gap", gap[4 * 40 + 3] = 255);
	BAD("operation 9: a gap", gap[5 * 40 + 9] = 255);
	BAD("hash of the operations", columns[0] ^= 1);
#undef BAD
	/* The same, one operation short: a frame of another size than the table says. */
	tlt_pack(op, 40, good.h->gap_step, columns);
	LIE("operations expected", image_replace(&im, columns, sizeof(columns) - 1));
	free(good.byte);
	trace_free(t);
}

static size_t files_here(void)
{
	DIR *d = opendir(dir);
	size_t nr = 0;

	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 2;
}

/* A file size limit stands for a full disk: error, old file whole, nothing left. */
static void test_disk_full(void **state)
{
	struct trace *old = make_trace(12, 1, 10), *t = make_trace(13, 2, 1000), *back;
	struct rlimit before, small;
	struct err e;

	write_trace(old);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (rlim_t limit = 0; limit < 8192; limit += 1111) {
		small = (struct rlimit){ limit, before.rlim_max };
		setrlimit(RLIMIT_FSIZE, &small);
		assert_int_equal(trace_write(t, path, &e), -1);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_non_null(strstr(e.text, "cannot write"));
		assert_int_equal(files_here(), 1);
	}
	assert_int_equal(trace_read(path, &back, &e), 0);
	assert_same(old, back);
	trace_free(back);
	trace_free(old);
	trace_free(t);
}

static void test_not_files(void **state)
{
	struct trace *t = make_trace(14, 1, 10), *back;
	char other[96];
	struct err e;
	bool damaged;

	assert_int_equal(trace_write(t, "/dev/full", &e), -1);
	assert_non_null(strstr(e.text, "/dev/full"));
	assert_int_equal(access("/dev/full", F_OK), 0);
	assert_int_equal(trace_write(t, dir, &e), -1);
	assert_int_equal(trace_write(t, "/nowhere/at/all.tlt", &e), -1);
	assert_non_null(strstr(e.text, "No such file"));
	assert_int_equal(trace_load(dir, &back, &damaged, &e), -1);
	assert_false(damaged);
	assert_int_equal(trace_load("/nowhere", &back, &damaged, &e), -1);
	assert_false(damaged);
	snprintf(other, sizeof(other), "%s/pipe", dir);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_int_equal(trace_load(other, &back, &damaged, &e), -1);
	assert_false(damaged);
	unlink(other);
	trace_free(t);
}

/* Through a symbolic link the file behind it is replaced; the mode is the umask's. */
static void test_link_and_mode(void **state)
{
	struct trace *t = make_trace(15, 1, 10);
	char other[96];
	struct stat st;
	struct err e;
	mode_t mask = umask(027);

	unlink(path);
	write_trace(t);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	snprintf(other, sizeof(other), "%s/link", dir);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(trace_write(t, other, &e), 0);
	assert_int_equal(lstat(other, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(path);
	assert_int_equal(trace_write(t, other, &e), -1);
	assert_non_null(strstr(e.text, "link to nowhere"));
	unlink(other);
	trace_free(t);
}

/* A file of so many whole blocks of this many bytes each; none of them is really there. */
static void claim_blocks(uint32_t nr, uint32_t bytes)
{
	struct tlt_image im = { 0 };
	struct tlt_header h = { .byte_order = TLT_BYTE_ORDER,
				.version = TLT_VERSION,
				.tsc_hz = 1,
				.nr_streams = 1,
				.nr_blocks = nr,
				.gap_step = 1 };

	memcpy(h.magic, TLT_MAGIC, sizeof(h.magic));
	im.size = sizeof(h) + sizeof(*im.stream) + nr * sizeof(*im.block);
	im.byte = xcalloc(1, im.size);
	h.file_size = im.size + (uint64_t)nr * bytes;
	memcpy(im.byte, &h, sizeof(h));
	image_locate(&im);
	im.stream->nr_blocks = nr;
	im.stream->nr = (uint64_t)nr * TLT_BLOCK_OPS;
	for (uint32_t i = 0; i < nr; i++)
		im.block[i] = (struct tlt_block){ .nr = TLT_BLOCK_OPS, .bytes = bytes };
	image_seal(&im);
	image_save(&im, path);
	assert_int_equal(truncate(path, (off_t)h.file_size), 0);
	free(im.byte);
}

/* 2^36 operations in 16 + 64 MiB: it could be, and no memory could hold them. */
static void test_claims(void **state)
{
	struct trace *t;
	struct err e;

	claim_blocks(1u << 20, 64);
	assert_int_equal(trace_read(path, &t, &e), -1);
	assert_non_null(strstr(e.text, "says that it holds 68719476736 operations: needs "
				       "1572864 MiB and page tables, but only "));
	claim_blocks(1, 57);
	assert_int_equal(trace_read(path, &t, &e), -1);
	assert_non_null(strstr(e.text, "65536 operations cannot be in 57 bytes"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_hash),	       cmocka_unit_test(test_write_refuses),
		cmocka_unit_test(test_every_cut),      cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_recorded_cuts),  cmocka_unit_test(test_recorded_flips),
		cmocka_unit_test(test_swapped_blocks), cmocka_unit_test(test_lies),
		cmocka_unit_test(test_bad_columns),    cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_not_files),      cmocka_unit_test(test_link_and_mode),
		cmocka_unit_test(test_claims),
	};

	recorded = argc > 1 ? argv[1] : NULL;
	return cmocka_run_group_tests(tests, enter, leave);
}
