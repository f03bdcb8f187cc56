// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every liar is caught by the audit, on the workload that it names; sound tables are not.
 * argv: names of lies, unless all are meant.
 *
 * A lie is run again until it shows, by a name that it must have: how many runs that takes
 * is the machine's business, that it happens is ours. Whether torture comes upon it by
 * itself, and how soon, is for torture_liars.c.
 */
#include "fixture.h"
#include "liar.h"
#include "run.h"

/* Far more than was ever needed. */
#define MAX_RUNS 400
#define SECONDS 0.03
#define SOUND_SECONDS 0.03
/* Enough for what is wrong with large tables. */
#define ENTRIES "32768"
#define NR_ENTRIES 32768

static const struct topo *topo;

static void audit_run(const struct lie *lie, const char *workload, double seconds,
		      uint64_t seed, uint64_t fault[NR_FAULTS])
{
	struct table_size size = { .entries = NR_ENTRIES };
	char *spec = xasprintf("liar:lie=%s", lie->name);
	unsigned threads = lie->threads ? lie->threads : 2;
	struct table_spec table;
	struct placement placement;
	struct traffic *traffic;
	struct run_params p = { .table = &table,
				.topo = topo,
				.placement = &placement,
				.seconds = seconds,
				.caller = CALLER_BRANCH,
				.audit = true,
				.witness = seed % 4, /* without, threads meet more often */
				.seed = seed };
	struct run_result r;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		p.size[k] = size;
		p.size_text[k] = ENTRIES;
	}
	if (table_spec_parse(spec, &table, &e) ||
	    traffic_from_workload(workload, &size, threads, seed, &traffic, &e) ||
	    topo_place(topo, "core", threads, true, &placement, &e))
		fixture_die(&e);
	p.traffic = traffic;
	if (run_cell(&p, &r, &e))
		fixture_die(&e);
	run_faults(&r, fault);
	placement_free(&placement);
	traffic_free(traffic);
	table_spec_free(&table);
	free(spec);
}

/* Is a name among those of a list ("a|b")? */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += len)
		if ((p == list || p[-1] == '|') && (!p[len] || p[len] == '|'))
			return true;
	return false;
}

/* Of the faults seen, one that the lie must show; NULL: there is none. */
static const char *shown(const struct lie *lie, const uint64_t fault[NR_FAULTS])
{
	for (enum fault f = 0; f < NR_FAULTS; f++)
		if (fault[f] && is_listed(lie->shows, fault_names[f]))
			return fault_names[f];
	return NULL;
}

static int catch (const struct lie *lie)
{
	uint64_t fault[NR_FAULTS];
	const char *name = NULL;
	unsigned runs = 0;

	while (!name && runs < MAX_RUNS) {
		audit_run(lie, lie->workload, SECONDS, ++runs, fault);
		name = shown(lie, fault);
	}
	printf("%s: %s (%s): %s, %u runs\n", name ? "ok" : "FAILED", lie->name, lie->planted,
	       name ? name : "not caught", runs);
	return !name;
}

/* A table that does not lie, on whatever shows a lie. */
static int silent(const struct lie *sound, const char *workload)
{
	uint64_t fault[NR_FAULTS], any = 0;

	audit_run(sound, workload, SOUND_SECONDS, 1, fault);
	for (enum fault f = 0; f < NR_FAULTS; f++) {
		any |= fault[f];
		if (fault[f])
			printf("FAILED: %s (%s) on %s: %ju %s\n", sound->name, sound->planted,
			       workload, (uintmax_t)fault[f], fault_names[f]);
	}
	return any != 0;
}

static int try_sound(const struct lie *sound)
{
	int failed = 0;

	for (size_t i = 0; i < nr_lies; i++) {
		const char *workload = lies[i]->workload;
		bool before = !workload;

		for (size_t j = 0; j < i && !before; j++)
			before = lies[j]->workload && !strcmp(lies[j]->workload, workload);
		if (!before)
			failed |= silent(sound, workload);
	}
	return failed;
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
	struct topo *found;
	int failed = 0;
	struct err e;

	if (topo_open(&found, &e))
		fixture_die(&e);
	topo = found;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < nr_lies + nr_honest; i++) {
		const struct lie *lie = lies[i];

		if (!is_meant(lie, argv + 1, argc - 1))
			continue;
		if (!lie->shows)
			failed |= try_sound(lie);
		else if (lie->race && topo_nr_allowed(topo) == 1)
			printf("%s: not applicable here, one CPU\n", lie->name);
		else if (lie->workload)
			failed |= catch (lie);
	}
	topo_close(found);
	return failed;
}
