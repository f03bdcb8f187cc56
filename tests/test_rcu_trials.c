// SPDX-License-Identifier: BSD-2-Clause
/*
 * 1,000 short trials in one process, of all tables on liburcu and all its flavors: none
 * hangs, each leaves as many threads as there were, and AddressSanitizer, where it is built
 * in, finds no leak at the end. argv: tables' specs.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>

#include "fixture.h"
#include "run.h"

#define TRIALS 1000u
#define WORKLOAD "uniform:ops=1024,store=50"
#define ENTRIES 512
/* A millisecond and more each: a thread that is still there then was left. */
#define LOOKS 20000u

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_FOUND
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_FOUND
#endif

static unsigned threads_now(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned threads = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %u", &threads);
	if (f)
		fclose(f);
	return threads;
}

static void *no_work(void *arg)
{
	*(pid_t *)arg = gettid();
	return NULL;
}

/*
 * Threads of an idle program: ThreadSanitizer has one of its own as soon as there were two. A
 * thread that was joined may be counted for a while: the kernel wakes who joins it first.
 */
static unsigned threads_at_rest(void)
{
	char path[64];
	pthread_t t;
	pid_t id = 0;

	if (!pthread_create(&t, NULL, no_work, &id))
		pthread_join(t, NULL);
	snprintf(path, sizeof(path), "/proc/self/task/%d", (int)id);
	while (id && !access(path, F_OK))
		usleep(100);
	return threads_now();
}

/* Are there as many as before? Who was joined may take its time, who was left stays. */
static bool back_to(unsigned before)
{
	for (unsigned looks = 0; threads_now() != before; looks++) {
		if (looks == LOOKS)
			return false;
		usleep(1000);
	}
	return true;
}

/* Two threads, one pass. */
static void trial(const char *spec, const struct traffic *traffic, const struct topo *topo)
{
	struct table_spec table;
	struct placement placement;
	struct run_params p = { .table = &table,
				.traffic = traffic,
				.topo = topo,
				.placement = &placement,
				.passes = 1,
				.caller = CALLER_BRANCH };
	struct run_result r;
	struct err e;

	p.size[KIND_KV].entries = ENTRIES;
	p.size_text[KIND_KV] = "size";
	if (table_spec_parse(spec, &table, &e) ||
	    topo_place(topo, "core", 2, true, &placement, &e) || run_cell(&p, &r, &e))
		fixture_die(&e);
	placement_free(&placement);
	table_spec_free(&table);
}

static int trials(char *const *spec, int nr, const struct topo *topo)
{
	struct table_size size = { .entries = ENTRIES };
	unsigned before = threads_at_rest();
	struct traffic *traffic;
	struct err e;

	if (traffic_from_workload(WORKLOAD, &size, 2, 1, &traffic, &e))
		fixture_die(&e);
	for (unsigned i = 0; i < TRIALS; i++) {
		trial(spec[i % (unsigned)nr], traffic, topo);
		if (back_to(before))
			continue;
		printf("FAILED: %s, trial %u: %u threads, %u before\n", spec[i % (unsigned)nr],
		       i, threads_now(), before);
		return 1;
	}
	traffic_free(traffic);
	printf("ok: %u trials of %d tables, %u threads left\n", TRIALS, nr, threads_now());
	return 0;
}

/* A child forgets a table it made. Is that found? And the thread it left? */
static int forgetful(const char *spec)
{
	struct fixture f;
	unsigned before;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		before = threads_at_rest();
		fixture_open(&f, spec, KIND_KV, ENTRIES, 32000);
		status = threads_now() == before + 1 ? 0 : 3;
		memset(&f, 0, sizeof(f));
		exit(status);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
		printf("FAILED: %s: a thread that was left is not seen\n", spec);
		return 1;
	}
#ifdef LEAKS_ARE_FOUND
	if (!status) {
		printf("FAILED: %s: a table that was forgotten is not found\n", spec);
		return 1;
	}
	printf("ok: %s: a table that was forgotten is found\n", spec);
#else
	printf("not applicable: this build finds no leaks\n");
#endif
	return 0;
}

int main(int argc, char **argv)
{
	struct topo *topo;
	struct err e;
	int failed;

	if (argc < 2)
		return 1;
	fixture_needs(argv[1]);
	failed = forgetful(argv[1]);
	if (topo_open(&topo, &e))
		fixture_die(&e);
	failed += trials(argv + 1, argc - 1, topo);
	topo_close(topo);
	return failed;
}
