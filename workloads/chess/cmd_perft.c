// SPDX-License-Identifier: BSD-2-Clause
/* tearline perft - count chess moves through a shared table: a wrong answer is a wrong total */
#include <stdlib.h>

#include "cell.h"
#include "command.h"
#include "fen.h"
#include "interrupt.h"
#include "perft.h"

static struct perft_args {
	const char *fen, *table, *hash, *placement;
	uint64_t depth, threads;
	bool divide, oversubscribe;
} args;

static const struct option_def perft_options[] = {
	{ "fen", OPT_STR, &args.fen, "FEN", FEN_START, "position to count from", 0, 0 },
	{ "depth", OPT_U64, &args.depth, "D", NULL, "plies ahead", 1, PERFT_MAX_DEPTH },
	{ "threads", OPT_U64, &args.threads, "N", "1",
	  "threads, which share the table and take subtrees from one list", 1,
	  TOPO_MAX_THREADS },
	{ "table", OPT_STR, &args.table, "NAME[:opt=val,...]", NULL,
	  "table for the counts of subtrees, one that holds kv (see tearline tables), or "
	  "the shared object that has one; default: none",
	  0, 0 },
	{ "hash", OPT_STR, &args.hash, "SIZE", "16",
	  "size of the table: MiB ('16', '0.25', '16M', '1G'), entries ('4096e'), 'none'", 0, 0 },
	{ "divide", OPT_FLAG, &args.divide, NULL, NULL, "also print the count behind each move",
	  0, 0 },
	{ "placement", OPT_STR, &args.placement, "P", "core",
	  "core, compact, spread or list:0,2,5 (see tearline topo)", 0, 0 },
	{ "oversubscribe", OPT_FLAG, &args.oversubscribe, NULL, NULL,
	  "allow more threads than CPUs", 0, 0 },
	{ .name = NULL },
};

static const struct option_effect perft_effects[] = {
	{ "hash", "with --table" },
	{ .option = NULL },
};

/* The table of the options; *out is NULL where there is to be none. 0 or -1. */
static int make_table(const struct table_spec *spec, struct table **out, struct err *e)
{
	char *text = xasprintf("--hash %s", args.hash);
	struct table_params p = { .kind = KIND_KV,
				  .size_text = text,
				  .threads = (unsigned)args.threads };
	int ret = parse_size(args.hash, "hash", &p.size, e);

	if (!ret)
		ret = table_create(spec, &p, out, e);
	free(text);
	if (ret)
		return -1;
	if (!p.size.bytes && !p.size.entries) {
		table_destroy(*out);
		*out = NULL;
	}
	return 0;
}

static void print_setting(const struct perft *p, const struct table_spec *spec)
{
	char *cpus = placement_str(p->placement);
	char *options = p->table ? table_spec_options(spec) : NULL;

	if (p->table)
		printf("%s (%s), %ju entries, %ju bytes", spec->class->name, options,
		       (uintmax_t)p->table->entries, (uintmax_t)p->table->bytes);
	else
		printf("no table");
	printf(", %u threads on CPUs %s\n", p->placement->nr, cpus);
	free(options);
	free(cpus);
}

static void print_result(const struct perft *p)
{
	char text[MOVE_TEXT];

	for (unsigned i = 0; args.divide && i < p->nr; i++)
		printf("%s: %ju\n", move_text(p->move[i], text), (uintmax_t)p->count[i]);
	printf("perft %u: %ju nodes, %.3f s, %.1f M nodes/s", p->depth, (uintmax_t)p->nodes,
	       p->seconds, (double)p->nodes * 1e-6 / p->seconds);
	if (p->table)
		printf(", hits %ju of %ju probes (%.1f %%), %ju stores", (uintmax_t)p->n.hits,
		       (uintmax_t)p->n.probes,
		       p->n.probes ? 100.0 * (double)p->n.hits / (double)p->n.probes : 0,
		       (uintmax_t)p->n.stores);
	if (p->unstored)
		printf(", %ju counts of more than 63 bits not stored", (uintmax_t)p->unstored);
	printf("\nnodes %ju\n", (uintmax_t)p->nodes);
}

/* With the table there, or none. */
static int count(struct perft *p, const struct table_spec *spec, struct err *e)
{
	if (perft_run(p, e))
		return -1;
	if (interrupted())
		return 0;
	print_setting(p, spec);
	print_result(p);
	return 0;
}

static int perft(char **arg, int nr, struct err *e)
{
	struct perft p = { .depth = (unsigned)args.depth };
	struct table_spec spec = { .class = NULL };
	struct placement placement;
	struct topo *topo;
	int ret = -1;

	interrupt_catch();
	if (!p.depth)
		return err_set(e, "perft: --depth is missing");
	if (fen_parse(args.fen, &p.root, e) ||
	    (args.table && table_spec_parse(args.table, &spec, e)))
		return -1;
	if (topo_open(&topo, e))
		goto out_spec;
	if (topo_place(topo, args.placement, (unsigned)args.threads, args.oversubscribe,
		       &placement, e))
		goto out_topo;
	p.topo = topo;
	p.placement = &placement;
	if (args.table && make_table(&spec, &p.table, e))
		goto out_placement;
	ret = count(&p, &spec, e);
	table_destroy(p.table);
out_placement:
	placement_free(&placement);
out_topo:
	topo_close(topo);
out_spec:
	table_spec_free(&spec);
	return ret;
}

const struct command cmd_perft = {
	.name = "perft",
	.summary = "count chess moves through a shared table: a wrong answer is a wrong total",
	.usage = "--depth D [--fen FEN] [--table NAME[:opt=val,...] --hash SIZE] [options]",
	.example =
		"tearline perft --depth 6\n"
		"tearline perft --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R "
		"w KQkq - 0 1' --depth 5 --threads 2 --table xor --hash 64",
	.work = perft,
	.options = perft_options,
	.effects = perft_effects,
};
