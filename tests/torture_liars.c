// SPDX-License-Identifier: BSD-2-Clause
/*
 * Is every liar caught by `tearline torture`, and by the right name? argv: a tearline; the table
 * that lies, as that tearline knows it (a shared object is held to more than its promises);
 * runs of each lie, seconds of each run, seconds of a run of each sound table, and names of
 * lies, unless all are meant.
 *
 * A run ends with the first failure that has a name the lie must show. How often that is
 * within the time is printed with Wilson's interval: the table of detection rates. Where a
 * lie takes a race, one CPU is not enough; and some are rare, which nobody waits for.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grid.h"
#include "liar.h"
#include "stats.h"
#include "topo.h"

static const char *tearline, *liar;

struct tried {
	const struct lie *lie;
	uint64_t runs, caught;
	double *seconds; /* until it was, of each that was */
};

/* Does a line say that torture failed, by one of these names ("a|b"; NULL: any)? */
static bool says(const char *line, const char *names)
{
	const char *failure = strstr(line, "FAILURE");

	if (!failure || !names)
		return failure;
	while (*names) {
		size_t len = strcspn(names, "|");

		for (const char *p = failure; (p = strchr(p, names[0])); p++)
			if (!strncmp(p, names, len))
				return true;
		names += len + (names[len] == '|');
	}
	return false;
}

static pid_t start(const struct lie *lie, uint64_t seed, double seconds, FILE **out)
{
	char *table = xasprintf("%s:lie=%s", liar, lie->name);
	char *time = xasprintf("%g", seconds), *seeds = xasprintf("%ju", (uintmax_t)seed);
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) || (pid = fork()) < 0) {
		perror("torture_liars");
		exit(1);
	}
	if (!pid) {
		dup2(fd[1], STDOUT_FILENO);
		dup2(fd[1], STDERR_FILENO);
		execl(tearline, tearline, "torture", "--table", table, "--seconds", time,
		      "--seed", seeds, "--csv", "-", NULL);
		_exit(127);
	}
	close(fd[1]);
	*out = fdopen(fd[0], "r");
	free(table);
	free(time);
	free(seeds);
	return pid;
}

/* Until it is caught, or the time is over. True if it was; 0 is what a sound one exits with. */
static bool caught(const struct lie *lie, uint64_t seed, double seconds, int *status)
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *out;
	pid_t pid = start(lie, seed, seconds, &out);

	while (getline(&line, &room, out) > 0) {
		if (found || !says(line, lie->shows))
			continue;
		found = true;
		kill(pid, SIGINT);
	}
	free(line);
	fclose(out);
	waitpid(pid, status, 0);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128;
	return found;
}

/* A table that does not lie: silent for so long. */
static int try_sound(const struct lie *lie, double seconds)
{
	int status;

	if (seconds <= 0)
		return 0;
	if (!caught(lie, 1, seconds, &status) && !status)
		return 0;
	printf("FAILED: %s (%s): exit code %d\n", lie->name, lie->planted, status);
	return 1;
}

static int try_lie(struct tried *t, uint64_t runs, double seconds)
{
	int failed = 0, status;

	t->seconds = xcalloc(runs, sizeof(*t->seconds));
	while (t->runs < runs) {
		uint64_t begin = now_ns();

		t->runs++;
		if (!caught(t->lie, t->runs, seconds, &status))
			continue;
		t->seconds[t->caught++] = (double)(now_ns() - begin) * 1e-9;
		failed |= status != 1;
	}
	if (failed)
		printf("FAILED: %s: was caught, but torture did not exit with 1\n",
		       t->lie->name);
	if (!t->caught && !t->lie->rare) {
		printf("FAILED: %s (%s) was not caught in any of %ju runs of %g s\n",
		       t->lie->name, t->lie->planted, (uintmax_t)runs, seconds);
		failed = 1;
	}
	return failed;
}

static void print_tried(const struct tried *t, size_t nr)
{
	struct grid g;

	grid_begin(&g, "<lie|<must show|caught in|95 %, in %|seconds, median|<planted");
	for (size_t i = 0; i < nr; i++, t++) {
		struct interval ci;

		grid_add(&g, xstrdup(t->lie->name));
		grid_add(&g, xstrdup(t->lie->shows));
		if (t->runs) {
			ci = stats_wilson(t->caught, t->runs);
			grid_add(&g, xasprintf("%ju of %ju", (uintmax_t)t->caught,
					       (uintmax_t)t->runs));
			grid_add(&g, xasprintf("[%.1f, %.1f]", 100 * ci.lo, 100 * ci.hi));
		} else {
			grid_add(&g, xstrdup("not applicable here (one CPU)"));
			grid_add(&g, NULL);
		}
		grid_add(&g, t->caught ? xasprintf("%.1f", stats_median(t->seconds, t->caught))
				       : NULL);
		grid_add(&g, xstrdup(t->lie->planted));
	}
	grid_end(&g, stdout);
}

static bool is_meant(const struct lie *lie, char **name, int nr)
{
	bool meant = !nr;

	for (int i = 0; i < nr; i++)
		meant |= !strcmp(name[i], lie->name);
	return meant;
}

int main(int argc, char **argv)
{
	struct tried *tried = xcalloc(nr_lies, sizeof(*tried)), *t = tried;
	double seconds, sound;
	struct topo *topo;
	uint64_t runs;
	int failed = 0;
	struct err e;

	if (argc < 6 || parse_u64(argv[3], 1, 100000, &runs) ||
	    parse_decimal(argv[4], &seconds) || parse_decimal(argv[5], &sound) ||
	    topo_open(&topo, &e)) {
		fprintf(stderr, "usage: torture_liars TEARLINE TABLE RUNS SECONDS SOUND "
				"[LIE...]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	tearline = argv[1];
	liar = argv[2];
	for (size_t i = 0; i < nr_lies + nr_honest; i++) {
		if (!is_meant(lies[i], argv + 6, argc - 6))
			continue;
		if (!lies[i]->shows) {
			failed |= try_sound(lies[i], sound);
			continue;
		}
		t->lie = lies[i];
		if (!lies[i]->race || topo_nr_allowed(topo) > 1)
			failed |= try_lie(t, runs, seconds);
		t++;
	}
	print_tried(tried, (size_t)(t - tried));
	while (t-- > tried)
		free(t->seconds);
	free(tried);
	topo_close(topo);
	return failed;
}
