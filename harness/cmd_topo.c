// SPDX-License-Identifier: BSD-2-Clause
/* tearline topo - which CPUs there are, and in which order threads get pinned. */
#include <stdio.h>

#include "command.h"
#include "topo.h"

static struct {
	uint64_t threads;
	const char *placement;
	bool oversubscribe;
} opt;

static const struct option_def options[] = {
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

static const struct option_effect effects[] = {
	{ "oversubscribe", "with --threads or --placement list" },
	{ .option = NULL },
};

static int show(char **arg, int nr, struct err *e)
{
	struct placement p;
	struct topo *t;
	int ret;

	if (topo_open(&t, e))
		return -1;
	ret = topo_place(t, opt.placement, (unsigned)opt.threads, opt.oversubscribe, &p, e);
	if (!ret) {
		topo_print(t, &p, stdout);
		placement_free(&p);
	}
	topo_close(t);
	return ret;
}

const struct command cmd_topo = {
	.name = "topo",
	.summary = "show the CPUs found and allowed, and the order in which threads get pinned",
	.usage = "[--threads N] [--placement P] [--oversubscribe]",
	.example =
		"tearline topo --threads 8 --placement spread\n"
		"HWLOC_SYNTHETIC='pack:2 numa:2 l3:2 core:8 pu:2' tearline topo --threads 32",
	.work = show,
	.options = options,
	.effects = effects,
};
