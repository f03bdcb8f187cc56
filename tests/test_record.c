// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_record - what an engine records with record.h is what import reads
 *
 * Two threads record at once; every field of every record must come back. Then the
 * ways a raw file can be compressed, cut and contradicted.
 */
#include "record.h"
#include "trace.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

#define NR_RECORDS 20000
#define ENGINE "Stockfish of a test, 32 long xyz"

static char dir[] = "/tmp/test_record.XXXXXX";
static char path[2][64], packed[64];

static int enter(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "%s/t%d.raw", dir, i);
	snprintf(packed, sizeof(packed), "%s/t0.raw.zst", dir);
	return 0;
}

static int leave(void **state)
{
	unlink(path[0]);
	unlink(path[1]);
	unlink(packed);
	return rmdir(dir);
}

/* What record i of a thread is: drawn again when it is compared. */
struct drawn {
	uint64_t key;
	uint32_t move;
	int value, beta, depth, next_depth, ply;
	unsigned op, bound, hit, flags;
};

static struct drawn draw(uint32_t thread, uint64_t i)
{
	uint64_t rng = thread * 1000003u + i;

	return (struct drawn){
		.key = rng_next(&rng),
		.move = (uint32_t)rng_next(&rng),
		.value = (int)rng_below(&rng, 80000) - 40000,
		.beta = (int)rng_below(&rng, 80000) - 40000,
		.depth = (int)rng_below(&rng, 300) - 20,
		.next_depth = (int)rng_below(&rng, 300) - 20,
		.ply = (int)rng_below(&rng, 400) - 20,
		.op = (unsigned)rng_below(&rng, thread ? 6 : 8),
		.bound = (unsigned)rng_below(&rng, 4),
		.hit = (unsigned)rng_below(&rng, 3),
		.flags = (unsigned)rng_below(&rng, 256),
	};
}

static void record_one(struct tlrec *r, const struct drawn *d)
{
	uint64_t t = tlrec_now();

	switch (d->op) {
	case TLREC_TT_PROBE:
		tlrec_tt_probe(r, t, d->key, d->depth, d->next_depth, d->value, d->beta, d->ply,
			       (enum tlrec_hit)d->hit, d->flags);
		break;
	case TLREC_TT_STORE:
		tlrec_tt_store(r, t, d->key, d->move, d->value, d->depth,
			       (enum tlrec_bound)d->bound, d->ply, d->flags);
		break;
	case TLREC_PAWN_PROBE:
		tlrec_pawn_probe(r, t, d->key, (enum tlrec_hit)d->hit);
		break;
	case TLREC_PAWN_STORE:
		tlrec_pawn_store(r, t, d->key, d->value);
		break;
	case TLREC_EVAL_PROBE:
		tlrec_eval_probe(r, t, d->key, d->value, d->beta, (enum tlrec_hit)d->hit,
				 d->flags);
		break;
	case TLREC_EVAL_STORE:
		tlrec_eval_store(r, t, d->key, d->value);
		break;
	case TLREC_NEW_GENERATION:
		tlrec_new_generation(r, t, d->key, d->move);
		break;
	case TLREC_CLEAR:
		tlrec_clear(r, t);
		break;
	}
}

static struct tlrec recorder[2];

static void *record_thread(void *arg)
{
	struct tlrec *r = arg;

	for (uint64_t i = 0; i < NR_RECORDS; i++) {
		struct drawn d = draw(r->thread, i);

		record_one(r, &d);
	}
	return NULL;
}

static int clamp(int v, int min, int max)
{
	return v < min ? min : v > max ? max : v;
}

/* The operation the record should have become, all but its gap. */
static struct trace_op expected(const struct drawn *d)
{
	bool probe = d->op < 6 && !(d->op & 1), store = d->op < 6 && d->op & 1;
	bool tt = d->op < 2, eval = d->op / 2 == 2;
	struct trace_op op = { .next_depth = 255, .ply = 255 };
	unsigned flags = tt || d->op == TLREC_EVAL_PROBE ? d->flags & 15 : 0;

	op.op = (uint8_t)(d->op < 6 ? d->op : d->op + 2);
	op.key = d->op == TLREC_CLEAR ? 0 : d->key;
	if (d->op < 6 && d->op != TLREC_PAWN_PROBE)
		op.value = (int16_t)clamp(d->value, INT16_MIN, INT16_MAX);
	if (probe && (tt || eval))
		op.beta = clamp(d->beta, INT16_MIN, INT16_MAX);
	if (d->op == TLREC_TT_STORE || d->op == TLREC_NEW_GENERATION)
		op.move = d->move;
	if (tt) {
		op.depth = (uint8_t)clamp(d->depth, 0, 254);
		op.ply = (uint8_t)(d->ply < 0 ? 255 : d->ply > 254 ? 254 : d->ply);
	}
	if (d->op == TLREC_TT_PROBE)
		op.next_depth =
			(uint8_t)(d->next_depth == 255 ? 255 : clamp(d->next_depth, 0, 254));
	op.flags = (uint8_t)((flags & 1) | (flags >> 1) << TRACE_ENGINE_SHIFT);
	if (probe)
		op.flags |= (uint8_t)(d->hit << TRACE_HIT_SHIFT);
	if (store)
		op.flags |= (uint8_t)((tt ? d->bound : BOUND_EXACT) << TRACE_BOUND_SHIFT);
	return op;
}

static void compare_stream(const struct trace_stream *s, const struct tlrec *r)
{
	uint64_t tick = s->start;

	assert_int_equal(s->thread, r->thread);
	assert_int_equal(s->nr, NR_RECORDS);
	for (size_t i = 0; i < s->nr; i++) {
		struct drawn d = draw(r->thread, i);
		struct trace_op want = expected(&d);

		tick += trace_op_gap(&s->op[i]);
		assert_int_equal(tick, r->record[i].stamp);
		want.gap_lo = s->op[i].gap_lo;
		want.gap_hi = s->op[i].gap_hi;
		if (memcmp(&want, &s->op[i], sizeof(want)))
			fail_msg("thread %u, record %zu (op %u) differs", s->thread, i, d.op);
	}
}

static struct trace *import(char *const *paths, size_t nr)
{
	struct trace *t;
	struct err e;

	if (trace_import(paths, nr, -1, &t, &e))
		fail_msg("%s", e.text);
	return t;
}

static void test_two_threads(void **state)
{
	char *const backwards[] = { path[1], path[0] };
	pthread_t thread[2];
	struct trace *t;

	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(tlrec_open(&recorder[i], i, NR_RECORDS), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, record_thread, &recorder[i]),
				 0);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 2; i++)
		assert_int_equal(tlrec_write(&recorder[i], path[i], ENGINE), 0);
	t = import(backwards, 2);
	assert_string_equal(t->source, ENGINE);
	assert_int_equal(t->mate, 31508);
	assert_int_equal(t->nr_streams, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(recorder[i].dropped, 0);
		compare_stream(&t->stream[i], &recorder[i]);
		tlrec_close(&recorder[i]);
	}
	trace_free(t);
}

static void test_full_buffer(void **state)
{
	struct tlrec r;
	struct trace *t;

	assert_int_equal(tlrec_open(&r, 0, 0), -1);
	assert_int_equal(tlrec_open(&r, 0, UINT64_MAX / 2), -1);
	assert_int_equal(tlrec_open(&r, 0, 3), 0);
	for (uint64_t i = 0; i < 10; i++)
		tlrec_pawn_probe(&r, tlrec_now(), i, TLREC_MISS);
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.dropped, 7);
	assert_int_equal(tlrec_write(&r, "/nowhere/x.raw", ENGINE), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(tlrec_write(&r, "/dev/full", ENGINE), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(tlrec_write(&r, packed, ENGINE), 0);
	tlrec_close(&r);
	t = import((char *[]){ packed }, 1);
	assert_int_equal(t->stream[0].nr, 3);
	assert_int_equal(t->stream[0].op[2].key, 2);
	trace_free(t);
}

static char *slurp(const char *from, size_t *size)
{
	FILE *f = fopen(from, "rb");
	struct stat st;
	char *p;

	assert_non_null(f);
	fstat(fileno(f), &st);
	*size = (size_t)st.st_size;
	p = xcalloc(1, *size);
	assert_int_equal(fread(p, 1, *size, f), *size);
	fclose(f);
	return p;
}

static void spill(const char *to, const char *p, size_t size)
{
	FILE *f = fopen(to, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, size, f), size);
	fclose(f);
}

/* Compressed in one frame or in two: the same trace; cut anywhere: an error. */
static void test_zstd(void **state)
{
	size_t size, bound, one, two;
	char *raw = slurp(path[0], &size), *z;
	struct trace *plain = import((char *[]){ path[0] }, 1), *t;
	struct err e;

	bound = ZSTD_compressBound(size);
	z = xcalloc(2, bound);
	one = ZSTD_compress(z, bound, raw, size, 3);
	spill(packed, z, one);
	t = import((char *[]){ packed }, 1);
	assert_int_equal(t->hash, plain->hash);
	trace_free(t);
	for (size_t i = 0; i < 200; i++) {
		spill(packed, z, 1 + (one - 1) * i / 200);
		assert_int_equal(trace_import((char *[]){ packed }, 1, -1, &t, &e), -1);
		assert_non_null(strstr(e.text, packed));
		assert_true(!i || strstr(e.text, "the zstd frame is cut short"));
	}
	two = ZSTD_compress(z, bound, raw, 1000, 3);
	two += ZSTD_compress(z + two, bound, raw + 1000, size - 1000, 3);
	spill(packed, z, two);
	t = import((char *[]){ packed }, 1);
	assert_int_equal(t->hash, plain->hash);
	trace_free(t);
	spill(packed, z, two + 1); /* a byte that begins no frame */
	assert_int_equal(trace_import((char *[]){ packed }, 1, -1, &t, &e), -1);
	trace_free(plain);
	free(raw);
	free(z);
}

/* Alter bytes of a copy of thread 0's file; import must say this. */
static void expect_refusal(const char *text, size_t at, const char *bytes, size_t nr,
			   long longer)
{
	struct trace *t = NULL;
	struct err e = { "" };
	size_t size;
	char *raw = slurp(path[0], &size);

	raw = xrealloc(raw, size + 100);
	memset(raw + size, 0, 100);
	memcpy(raw + at, bytes, nr);
	spill(packed, raw, (size_t)((long)size + longer));
	free(raw);
	if (!trace_import((char *[]){ packed }, 1, -1, &t, &e))
		fail_msg("accepted, expected '%s'", text);
	if (!strstr(e.text, text) || !strstr(e.text, packed))
		fail_msg("expected '%s' in: %s", text, e.text);
}

/* The number of the first record of thread 0 with this raw op. */
static size_t record_with(unsigned op)
{
	size_t i = 0;

	while (draw(0, i).op != op)
		i++;
	return i;
}

static void test_refusals(void **state)
{
	size_t probe = 64 + 32 * record_with(TLREC_TT_PROBE);
	size_t store = 64 + 32 * record_with(TLREC_TT_STORE);
	size_t event = 64 + 32 * record_with(TLREC_CLEAR);
	char text[64];

	expect_refusal("not a raw recording", 0, "X", 1, 0);
	expect_refusal("record size at offset 8: expected 32, found 33", 8, "!", 1, 0);
	expect_refusal("0 Hz", 24, "\0\0\0\0\0\0\0\0", 8, 0);
	expect_refusal("not printable", 32, "\n", 1, 0);
	expect_refusal("records expected", 16, "\377\377\377\377\377\377\377\377", 8, 0);
	expect_refusal("more bytes follow", 16, "\5\0\0\0\0\0\0\0", 8, 0);
	expect_refusal("more bytes follow", 0, "", 0, 32);
	expect_refusal("20000 records expected, the file ends after 20000 and 1", 0, "", 0, 1);
	expect_refusal("the file ends after 19999 and 31", 0, "", 0, -1);
	expect_refusal("the file ends after 19999 and 0", 0, "", 0, -32);
	expect_refusal("the file ends after 0 and 0", 0, "", 0, -32 * NR_RECORDS);
	expect_refusal("63 bytes, a header of 64 expected", 0, "", 0, -32 * NR_RECORDS - 1);
	expect_refusal("record 7 at offset 288: expected an operation", 64 + 7 * 32 + 24, "\10",
		       1, 0);
	expect_refusal("a bound from 0 to 3", store + 26, "\4", 1, 0);
	expect_refusal("a bound on what", probe + 26, "\1", 1, 0);
	expect_refusal("a hit from 0 to 2", probe + 27, "\3", 1, 0);
	expect_refusal("a hit on what", store + 27, "\1", 1, 0);
	expect_refusal("a hit on what", event + 27, "\1", 1, 0);
	expect_refusal("a beta on what", store + 22, "\1", 1, 0);
	expect_refusal("a move on a probe", probe + 16, "\1", 1, 0);
	snprintf(text, sizeof(text), "record 9 at offset %d: its time stamp", 64 + 9 * 32);
	expect_refusal(text, 64 + 9 * 32 + 8, "\0\0\0\0\0\0\0\0", 8, 0);
	expect_refusal("2^40 ticks", 64 + 9 * 32 + 15, "\177", 1, 0);
}

/* Files that do not belong together. */
static void test_strangers(void **state)
{
	struct trace *t;
	struct err e;
	size_t size;
	char *raw = slurp(path[1], &size);

	assert_int_equal(trace_import((char *[]){ path[0], path[0] }, 2, -1, &t, &e), -1);
	assert_non_null(strstr(e.text, "both of thread 0"));
	raw[32] = 'X';
	spill(packed, raw, size);
	assert_int_equal(trace_import((char *[]){ path[0], packed }, 2, -1, &t, &e), -1);
	assert_non_null(strstr(e.text, "one recording expected"));
	raw[32] = 'S';
	raw[29] ^= 1;
	spill(packed, raw, size);
	assert_int_equal(trace_import((char *[]){ path[0], packed }, 2, -1, &t, &e), -1);
	assert_non_null(strstr(e.text, "clock"));
	assert_int_equal(trace_import((char *[]){ dir }, 1, -1, &t, &e), -1);
	assert_int_equal(trace_import((char *[]){ "/nowhere" }, 1, -1, &t, &e), -1);
	free(raw);
}

static void test_mate(void **state)
{
	struct trace *t;
	struct err e;
	int32_t mate;

	assert_true(trace_mate_of("Crafty 25.6", &mate));
	assert_int_equal(mate, 32001);
	assert_true(trace_mate_of("Typhoon MP", &mate));
	assert_int_equal(mate, 32567);
	assert_false(trace_mate_of("Else", &mate));
	assert_int_equal(mate, 32567);
	assert_int_equal(trace_import((char *[]){ path[0] }, 1, 1234, &t, &e), 0);
	assert_int_equal(t->mate, 1234);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_threads), cmocka_unit_test(test_full_buffer),
		cmocka_unit_test(test_zstd),	    cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_strangers),   cmocka_unit_test(test_mate),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
