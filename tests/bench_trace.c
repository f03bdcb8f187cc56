// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench_trace - how fast a trace file is read and checked
 *
 * Prints records a second, best and median of several readings; judges nothing.
 */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 15

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int bench(const char *path)
{
	double rate[ROUNDS];
	uint64_t nr = 0;
	struct err e;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();
		struct trace *t;

		if (trace_read(path, &t, &e))
			return err_report(&e);
		rate[i] = (double)(now_ns() - start);
		nr = 0;
		for (unsigned op = 0; op < NR_OPS; op++)
			nr += t->count[op];
		rate[i] = (double)nr * 1e3 / rate[i];
		trace_free(t);
	}
	qsort(rate, ROUNDS, sizeof(*rate), by_value);
	printf("%s: %" PRIu64 " records, %.1f million/s best, %.1f median of %d\n", path, nr,
	       rate[ROUNDS - 1], rate[ROUNDS / 2], ROUNDS);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (bench(argv[i]))
			return EXIT_USAGE;
	return 0;
}
