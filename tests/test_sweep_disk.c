// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_sweep_disk - a trial's rows go down in one write, and are on disk before the next begins
 *
 * `tearline sweep` itself, with the functions below in place of write, fdatasync and of what
 * measures (the linker's --wrap): a kill or a power cut at any of these points would leave
 * whole trials. The argument is a trace of tt, pawn and eval.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "run.h"

#define ROWS "4" /* of a trial: a kind each, and all */
#define TRIALS 3

int __wrap_run_cell(const struct run_params *p, struct run_result *r, struct err *e);
int __wrap_run_floor(const struct run_params *p, const char *table, double *ns, struct err *e);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);
ssize_t __real_write(int fd, const void *from, size_t bytes);
int __wrap_fdatasync(int fd);

static char path[] = "/tmp/test_sweep_disk.XXXXXX";
static unsigned cells, writes;
static off_t synced;

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "test_sweep_disk: %s, at trial %u\n", what, cells);
	exit(EXIT_FAULT);
}

static off_t size_on_disk(void)
{
	struct stat st;

	check(!stat(path, &st), "the file is gone");
	return st.st_size;
}

static unsigned count_lines(const char *text, size_t len)
{
	unsigned nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += text[i] == '\n';
	return nr;
}

ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
	const char *text = from;
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		check(bytes && text[bytes - 1] == '\n', "a write ends within a row");
		check(count_lines(text, bytes) == (writes ? (unsigned)atoi(ROWS) : 1),
		      "a write that is not the header, nor a trial's rows");
		writes++;
	}
	return __real_write(fd, from, bytes);
}

int __wrap_fdatasync(int fd)
{
	synced = size_on_disk();
	return 0;
}

int __wrap_run_cell(const struct run_params *p, struct run_result *r, struct err *e)
{
	check(writes == 1 + cells, "rows of trials before are not written");
	check(synced == size_on_disk(), "rows of trials before are not on disk");
	cells++;
	memset(r, 0, sizeof(*r));
	r->seconds = 1;
	return 0;
}

int __wrap_run_floor(const struct run_params *p, const char *table, double *ns, struct err *e)
{
	*ns = 1;
	return 0;
}

int main(int argc, char **argv)
{
	char *args[] = { "sweep",     "--tables", "xor", "--traces", argc > 1 ? argv[1] : "",
			 "--kinds",   "tt,pawn,eval", "--threads", "1", "--trials", "3",
			 "--hash",    "1",	  "--out", path, NULL };
	int fd = mkstemp(path), status;

	check(fd >= 0, "no temporary file");
	close(fd);
	status = command_run(&cmd_sweep, (int)ARRAY_SIZE(args) - 1, args);
	check(status == EXIT_DONE && cells == TRIALS && writes == 1 + TRIALS,
	      "expected three trials");
	check(synced == size_on_disk(), "the last trial's rows are not on disk");
	unlink(path);
	return EXIT_DONE;
}
