// SPDX-License-Identifier: BSD-2-Clause
/* tearline topo - which CPUs there are, and in which order threads get pinned. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "topo.h"

static struct {
	uint64_t threads;
	const char *placement;
	bool oversubscribe;
} opt;

static const struct option_def *options(void)
{
	static const struct option_def defs[] = {
		{ "threads", OPT_U64, &opt.threads, "N", NULL,
		  "threads to place; without it one for each CPU of the placement", 1,
		  TOPO_MAX_THREADS },
		{ "placement", OPT_STR, &opt.placement, "P", "core",
		  "core (one a core, then the SMT siblings), compact (fill a core, then its "
		  "neighbour), spread (in turn over packages, NUMA nodes, L3 caches, cores) or "
		  "list:0,2,5-7 (the kernel's CPU numbers)",
		  0, 0 },
		{ "oversubscribe", OPT_FLAG, &opt.oversubscribe, NULL, NULL,
		  "allow more threads than CPUs; the CPUs are then used in turn", 0, 0 },
		{ .name = NULL },
	};

	return defs;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct placement p;
	struct topo *t;
	struct err e;
	int status;

	if (option_parse(c, options(), argc, argv, &status) < 0)
		return status;
	if (topo_open(&t, &e))
		return err_report(&e);
	if (topo_place(t, opt.placement, (unsigned)opt.threads, opt.oversubscribe, &p, &e)) {
		status = err_report(&e);
		goto out_close;
	}
	topo_print(t, &p, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		err_set(&e, "topo: cannot write to standard output: %s", strerror(errno));
		status = err_report(&e);
	}
	placement_free(&p);
out_close:
	topo_close(t);
	return status;
}

const struct command cmd_topo = {
	.name = "topo",
	.summary = "show the CPUs found and allowed, and the order in which threads get pinned",
	.usage = "[--threads N] [--placement P] [--oversubscribe]",
	.example =
		"tearline topo --threads 8 --placement spread\n"
		"HWLOC_SYNTHETIC='pack:2 numa:2 l3:2 core:8 pu:2' tearline topo --threads 32",
	.run = run,
	.options = options,
};
