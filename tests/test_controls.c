// SPDX-License-Identifier: BSD-2-Clause
/*
 * A control must be caught: on the workload and with the threads that it names, the audit
 * sees every fault that it says it shows. A zero elsewhere means something only because of
 * that. argv: a table's name.
 *
 * It is run again until all are seen: how many runs that takes is the machine's business,
 * that it happens is ours. On too few CPUs for its race it is not applicable, and what is
 * tested is the other half: alone, where there is no race, the same table shows nothing.
 */
#include "fixture.h"
#include "run.h"

/* Far more than was ever needed with two CPUs. */
#define MAX_RUNS 400
#define PASSES 8
/* Enough lines for some keys to agree in 16 bits. */
#define ENTRIES (1u << 18)

static void audit_run(const struct table_spec *table, unsigned threads, uint64_t seed,
		      const struct topo *topo, uint64_t fault[NR_FAULTS])
{
	struct table_size size = { .entries = ENTRIES };
	struct placement placement;
	struct traffic *traffic;
	struct run_params p = { .table = table,
				.topo = topo,
				.placement = &placement,
				.passes = PASSES,
				.caller = CALLER_BRANCH,
				.audit = true,
				.witness = table->class->control->witness,
				.seed = seed };
	struct run_result r;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		p.size[k] = size;
		p.size_text[k] = "size";
	}
	if (traffic_from_workload(table->class->control->workload, &size, threads, seed,
				  &traffic, &e))
		fixture_die(&e);
	p.traffic = traffic;
	if (topo_place(topo, "core", threads, true, &placement, &e) || run_cell(&p, &r, &e))
		fixture_die(&e);
	run_faults(&r, fault);
	placement_free(&placement);
	traffic_free(traffic);
}

/* Prints what was seen of the faults; returns them as bits. */
static unsigned report(const char *what, unsigned runs, const uint64_t sum[NR_FAULTS])
{
	unsigned seen = 0;

	printf("%s, %u runs:", what, runs);
	for (unsigned f = 0; f < NR_FAULTS; f++) {
		if (!sum[f])
			continue;
		printf(" %ju %s", (uintmax_t)sum[f], fault_names[f]);
		seen |= 1u << f;
	}
	printf("%s\n", seen ? "" : " nothing");
	return seen;
}

static bool all_seen(const uint64_t sum[NR_FAULTS], unsigned shows)
{
	for (unsigned f = 0; f < NR_FAULTS; f++)
		if (shows & 1u << f && !sum[f])
			return false;
	return true;
}

static int caught(const struct table_spec *table, const struct topo *topo)
{
	const struct control *c = table->class->control;
	uint64_t sum[NR_FAULTS] = { 0 }, fault[NR_FAULTS];
	unsigned runs = 0, seen;

	while (runs < MAX_RUNS && !all_seen(sum, c->shows)) {
		audit_run(table, c->threads, 100 + runs++, topo, fault);
		for (unsigned f = 0; f < NR_FAULTS; f++)
			sum[f] += fault[f];
	}
	seen = report(c->threads > 1 ? "several threads" : "one thread", runs, sum);
	if (c->shows & ~seen) {
		printf("FAILED: not caught\n");
		return 1;
	}
	if (table->class->promises & PROMISE_NO_TEAR && seen & 1u << FAULT_TORN) {
		printf("FAILED: tears, and that is not what was planted\n");
		return 1;
	}
	return 0;
}

/* Without a race a control that takes one does nothing wrong. */
static int alone(const struct table_spec *table, const struct topo *topo)
{
	uint64_t sum[NR_FAULTS] = { 0 }, fault[NR_FAULTS];
	unsigned runs = 0;

	while (runs < 4) {
		audit_run(table, 1, 1 + runs++, topo, fault);
		for (unsigned f = 0; f < NR_FAULTS; f++)
			sum[f] += fault[f];
	}
	if (!report("alone", runs, sum))
		return 0;
	printf("FAILED: faults without a race\n");
	return 1;
}

int main(int argc, char **argv)
{
	const struct control *control;
	struct table_spec table;
	struct topo *topo;
	struct err e;
	int failed = 0;

	if (argc != 2 || table_spec_parse(argv[1], &table, &e) || topo_open(&topo, &e))
		fixture_die(&e);
	control = table.class->control;
	if (!control || !control->shows) {
		printf("FAILED: %s does not say what it shows\n", argv[1]);
		return 1;
	}
	if (control->threads > 1)
		failed = alone(&table, topo);
	if (topo_nr_allowed(topo) >= control->threads) {
		failed |= caught(&table, topo);
	} else if (!failed) {
		printf("not applicable here: takes %u CPUs\n", control->threads);
		failed = 77;
	}
	topo_close(topo);
	table_spec_free(&table);
	return failed;
}
