// SPDX-License-Identifier: BSD-2-Clause
/*
 * Many threads on one CPU: a lock that is handed over in order waits for a thread that
 * does not run, whoever spins. It may be slow, and must still come to an end and be sound.
 * So a run lasts a time and not a number of passes. argv: threads, tables' specs.
 *
 * The watchdog that tells slow from hung must see a table that hangs.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "run.h"

#define SECONDS 0.25
/* Beside other programs a thread's turn can be long in coming. */
#define PATIENCE_NS 60000000000ull
#define HUNG 3

/* The first CPU that is allowed, for all. */
static void place(const struct topo *topo, unsigned threads, struct placement *out)
{
	struct placement one;
	char list[32];
	struct err e;

	if (topo_place(topo, "core", 1, false, &one, &e))
		fixture_die(&e);
	snprintf(list, sizeof(list), "list:%u", one.cpu[0]);
	placement_free(&one);
	if (topo_place(topo, list, threads, true, out, &e))
		fixture_die(&e);
}

static void hung(void *arg)
{
	_exit(HUNG);
}

static void audit_run(const char *spec, const struct topo *topo, unsigned threads,
		      uint64_t patience_ns, struct run_result *r)
{
	struct table_size size = { .entries = 64 };
	struct table_spec table;
	struct placement placement;
	struct traffic *traffic;
	struct run_params p = { .table = &table,
				.topo = topo,
				.placement = &placement,
				.seconds = SECONDS,
				.caller = CALLER_BRANCH,
				.audit = true,
				.witness = true,
				.watchdog_ns = patience_ns,
				.hung = hung,
				.size[KIND_KV] = size,
				.size_text[KIND_KV] = "size" };
	struct err e;

	place(topo, threads, &placement);
	if (table_spec_parse(spec, &table, &e) ||
	    traffic_from_workload("hot-evict:lines=1", &size, threads, 1, &traffic, &e))
		fixture_die(&e);
	p.traffic = traffic;
	if (run_cell(&p, r, &e))
		fixture_die(&e);
	traffic_free(traffic);
	placement_free(&placement);
	table_spec_free(&table);
}

static int stays_sound(const char *spec, const struct topo *topo, unsigned threads)
{
	uint64_t fault[NR_FAULTS], faults = 0;
	struct run_result r;
	bool ok;

	audit_run(spec, topo, threads, PATIENCE_NS, &r);
	run_faults(&r, fault);
	for (enum fault i = 0; i < NR_FAULTS; i++)
		faults += fault[i];
	ok = r.ops && !faults;
	printf("%s: %s: %ju ops, %ju faults\n", ok ? "ok" : "FAILED", spec, (uintmax_t)r.ops,
	       (uintmax_t)faults);
	return !ok;
}

/* In a process of its own, which the watchdog ends. */
static int hang_is_seen(const struct topo *topo)
{
	struct run_result r;
	int status;
	pid_t pid;
	bool ok;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		audit_run("hang", topo, 2, 1000000000, &r);
		_exit(0);
	}
	ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	     WEXITSTATUS(status) == HUNG;
	printf("%s: a lock that is not dropped is seen to hang\n", ok ? "ok" : "FAILED");
	return !ok;
}

int main(int argc, char **argv)
{
	struct topo *topo;
	uint64_t threads;
	int failed = 0;
	struct err e;

	if (argc < 3 || parse_u64(argv[1], 2, 1000, &threads))
		return 1;
	if (topo_open(&topo, &e))
		fixture_die(&e);
	for (int i = 2; i < argc; i++)
		if (!table_spec_absent(argv[i]))
			failed += stays_sound(argv[i], topo, (unsigned)threads);
	failed += hang_is_seen(topo);
	topo_close(topo);
	return failed;
}
