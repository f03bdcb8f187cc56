// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_trace - random damage to trace files, half of it under correct checksums
 *
 *	fuzz_trace ROUNDS [SEED]
 *
 * The reader must neither crash (run it under sanitizers) nor accept operations
 * that trace_op_fault() objects to. Damage without new checksums must be found.
 */
#include "trace_make.h"

#include <unistd.h>

static char path[] = "/tmp/fuzz_trace.XXXXXX";

static int fail(uint64_t seed, const char *what)
{
	fprintf(stderr, "fuzz_trace: seed %ju: %s (kept: %s)\n", (uintmax_t)seed, what, path);
	return 1;
}

/* A few bytes anywhere, an interesting figure, or a piece moved. */
static void damage(unsigned char *p, size_t size, uint64_t *rng)
{
	static const uint32_t figures[] = { 0,		1,     0x7fffffff, 0x80000000,
					    0xffffffff, 65536, 65537 };
	uint64_t times = 1 + rng_below(rng, 4);

	while (times--) {
		size_t at = rng_below(rng, size), from = rng_below(rng, size), len;

		switch (rng_below(rng, 4)) {
		case 0:
			p[at] ^= (unsigned char)(1u << rng_below(rng, 8));
			break;
		case 1:
			p[at] = (unsigned char)rng_next(rng);
			break;
		case 2:
			len = size - at < 4 ? size - at : 4;
			memcpy(p + at, &figures[rng_below(rng, ARRAY_SIZE(figures))], len);
			break;
		default:
			len = size - (at > from ? at : from);
			memmove(p + at, p + from, rng_below(rng, len < 32 ? len : 32));
		}
	}
}

/* Columns of block 0, damaged and compressed again; the rest of the file moves. */
static void damage_columns(struct tlt_image *im, uint64_t *rng)
{
	size_t bytes = (size_t)im->block[0].nr * TLT_OP_BYTES;
	unsigned char *columns = xcalloc(1, bytes);

	if (ZSTD_decompress(columns, bytes, im->byte + image_body(im), im->block[0].bytes) !=
	    bytes)
		abort();
	damage(columns, bytes, rng);
	image_replace(im, columns, bytes);
	free(columns);
}

/* Damage, then make good what sums can be made good. */
static void damage_sealed(struct tlt_image *im, uint64_t *rng)
{
	uint64_t where = rng_below(rng, 4);
	size_t body = image_body(im);

	if (where == 0) {
		damage_columns(im, rng);
		return;
	}
	if (where == 1) /* header, but for the magic, order and version */
		damage(im->byte + 16, sizeof(*im->h) - 16, rng);
	else if (where == 2)
		damage((unsigned char *)im->stream, body - sizeof(*im->h), rng);
	else
		damage(im->byte + body, im->size - body, rng);
	if (where == 3) {
		im->block[0].sum =
			XXH64(im->byte + body, im->block[0].bytes, tlt_block_seed(0, 0));
		if (rng_below(rng, 2))
			im->h->hash = rng_next(rng);
	}
	image_locate(im);
	if (where == 1)
		image_seal_header(im);
	else
		image_seal(im);
}

static int check(const struct tlt_image *good, uint64_t seed)
{
	struct tlt_image im = image_copy(good);
	uint64_t rng = seed;
	bool sealed = rng_below(&rng, 2), same;
	struct trace *t;
	struct err e;
	int ret = 0;

	if (sealed)
		damage_sealed(&im, &rng);
	else
		damage(im.byte, im.size, &rng);
	same = im.size == good->size && !memcmp(im.byte, good->byte, im.size);
	image_save(&im, path);
	if (!trace_read(path, &t, &e)) {
		for (size_t i = 0; i < t->nr_streams && !ret; i++)
			for (size_t k = 0; k < t->stream[i].nr && !ret; k++)
				if (trace_op_fault(&t->stream[i].op[k]))
					ret = fail(seed, "accepted a bad operation");
		if (!sealed && !same)
			ret = fail(seed, "accepted a damaged file");
		trace_free(t);
	} else if (same) {
		ret = fail(seed, "refused a good file");
	} else if (strncmp(e.text, path, strlen(path))) {
		ret = fail(seed, "an error that does not name the file");
	}
	free(im.byte);
	return ret;
}

int main(int argc, char **argv)
{
	uint64_t rounds, seed = 1;
	struct tlt_image good;
	struct trace *t;
	struct err e;
	int ret = 0, fd;

	if (argc < 2 || parse_u64(argv[1], 1, UINT64_MAX, &rounds) ||
	    (argc > 2 && parse_u64(argv[2], 0, UINT64_MAX, &seed))) {
		fputs("usage: fuzz_trace ROUNDS [SEED]\n", stderr);
		return 2;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return 2;
	close(fd);
	t = make_trace(seed, 3, 60);
	if (trace_write(t, path, &e))
		return err_report(&e);
	good = image_load(path);
	for (uint64_t i = 0; i < rounds && !ret; i++)
		ret = check(&good, seed + i * 1000003);
	free(good.byte);
	trace_free(t);
	if (!ret)
		unlink(path);
	return ret;
}
