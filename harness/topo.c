// SPDX-License-Identifier: BSD-2-Clause
/*
 * topo - which CPUs hwloc found and we may use, and pinning that is read back
 *
 * The tree is flattened once into one record per allowed CPU that says to which
 * core, L3, NUMA node and package it belongs; a placement is then an ordering of
 * these records. A level the machine does not report (virtual machines often lack
 * cores or L3 caches) is a level at which all CPUs are alike, except that a CPU
 * without a core is its own core.
 */
#include "topo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANGES_SHOWN 160 /* of a list of CPUs in an error, to leave room for the cure */

static char *ranges(hwloc_const_bitmap_t set)
{
	char *s = NULL;

	if (hwloc_bitmap_list_asprintf(&s, set) < 0)
		s = NULL;
	return s ? s : xstrdup("?");
}

char *topo_short_ranges(hwloc_const_bitmap_t set)
{
	char *s = ranges(set);
	size_t end = RANGES_SHOWN;

	if (strlen(s) <= RANGES_SHOWN)
		return s;
	while (s[end] != ',' && end > 0)
		end--;
	memcpy(s + end, ",...", sizeof(",..."));
	return s;
}

cpu_set_t *topo_affinity(size_t *size, unsigned *nr_cpus)
{
	for (unsigned nr = 1024; nr <= CPUS_PROBED; nr *= 2) {
		cpu_set_t *set = CPU_ALLOC(nr);

		if (!set) {
			errno = ENOMEM;
			return NULL;
		}
		*size = CPU_ALLOC_SIZE(nr);
		*nr_cpus = nr;
		CPU_ZERO_S(*size, set);
		if (!sched_getaffinity(0, *size, set))
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

static int apply_affinity(struct topo *t, struct err *e)
{
	hwloc_bitmap_t mask;
	cpu_set_t *set;
	unsigned nr_cpus;
	size_t size;

	set = topo_affinity(&size, &nr_cpus);
	if (!set)
		return err_set(e, "cannot read the CPU affinity mask: %s", strerror(errno));
	mask = hwloc_bitmap_alloc();
	for (unsigned i = 0; i < nr_cpus; i++)
		if (CPU_ISSET_S(i, size, set))
			hwloc_bitmap_set(mask, i);
	hwloc_bitmap_and(t->allowed, t->allowed, mask);
	hwloc_bitmap_free(mask);
	CPU_FREE(set);
	return 0;
}

/* hwloc falls back to the real machine when it cannot use what these name. */
static const char *const foreign_sources[] = { "HWLOC_XMLFILE", "HWLOC_SYNTHETIC" };

static const char *source_variable(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_sources); i++) {
		const char *value = getenv(foreign_sources[i]);

		if (value && *value)
			return foreign_sources[i];
	}
	return NULL;
}

static int cannot_use(const char *variable, struct err *e)
{
	return err_set(
		e, "%s=%s: hwloc cannot use this; expected %s", variable, getenv(variable),
		strcmp(variable, "HWLOC_XMLFILE") ? "a description like 'pack:2 core:4 pu:2'"
						  : "a topology saved by lstopo");
}

static int find_source(struct topo *t, struct err *e)
{
	const char *variable = source_variable();

	t->this_system = hwloc_topology_is_thissystem(t->hw);
	if (!t->this_system) {
		t->source = variable ? xasprintf("%s=%s", variable, getenv(variable))
				     : xstrdup("hwloc's environment variables");
		return 0;
	}
	/* HWLOC_THISSYSTEM=1 vouches for the description */
	if (variable && !getenv("HWLOC_THISSYSTEM"))
		return cannot_use(variable, e);
	return 0;
}

static int unit_of(struct topo *t, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(t->hw, type, pu);

	return obj ? (int)obj->logical_index : NO_UNIT;
}

/* NUMA nodes hang beside the tree; the smallest around the CPU is its own. */
static int numa_of(struct topo *t, hwloc_obj_t pu)
{
	hwloc_obj_t node = NULL;
	int found = NO_UNIT, weight = 0;

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		int w = hwloc_bitmap_weight(node->cpuset);

		if (!hwloc_bitmap_isset(node->cpuset, pu->os_index))
			continue;
		if (found == NO_UNIT || w < weight) {
			found = (int)node->os_index;
			weight = w;
		}
	}
	return found;
}

#if HWLOC_API_VERSION >= 0x00020400
static void find_kind(struct topo *t, struct cpu *c, hwloc_obj_t pu)
{
	int nr = hwloc_cpukinds_get_nr(t->hw, 0);
	int efficiency = -1;

	c->kind = NO_UNIT;
	if (nr < 2)
		return;
	c->kind = hwloc_cpukinds_get_by_cpuset(t->hw, pu->cpuset, 0);
	if (c->kind < 0) {
		c->kind = NO_UNIT;
		c->slowness = (unsigned)nr;
		return;
	}
	/* ranked kinds are numbered from the slowest up; unranked ones say -1 */
	hwloc_cpukinds_get_info(t->hw, (unsigned)c->kind, NULL, &efficiency, NULL, NULL, 0);
	if (efficiency >= 0)
		c->slowness = (unsigned)(nr - 1 - c->kind);
}

/* "IntelAtom" where hwloc knows a name, else the number. */
static char *kind_name(const struct topo *t, int kind)
{
	struct hwloc_info_s *info = NULL;
	unsigned nr = 0;

	if (kind == NO_UNIT)
		return xstrdup("-");
	hwloc_cpukinds_get_info(t->hw, (unsigned)kind, NULL, NULL, &nr, &info, 0);
	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(info[i].name, "CoreType"))
			return xstrdup(info[i].value);
	return xasprintf("%d", kind);
}
#else
static void find_kind(struct topo *t, struct cpu *c, hwloc_obj_t pu)
{
	c->kind = NO_UNIT;
}

static char *kind_name(const struct topo *t, int kind)
{
	return xstrdup("-");
}
#endif

/*
 * Every PU is visited, the disallowed ones too, so that cores and siblings have
 * the numbers `lstopo --disallowed` shows. The siblings of a core follow each other.
 */
static void flatten(struct topo *t)
{
	hwloc_obj_t pu = NULL, core = NULL;
	unsigned nr_seen = 0, sibling = 0, turn = 0;

	t->cpu = xcalloc((size_t)hwloc_bitmap_weight(t->allowed), sizeof(*t->cpu));
	while ((pu = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t its = hwloc_get_ancestor_obj_by_type(t->hw, HWLOC_OBJ_CORE, pu);
		struct cpu *c = &t->cpu[t->nr];

		if (!its || its != core) {
			nr_seen++;
			sibling = turn = 0;
		}
		core = its;
		if (hwloc_bitmap_isset(t->allowed, pu->os_index)) {
			c->os = pu->os_index;
			c->logical = pu->logical_index;
			c->core = nr_seen - 1;
			c->sibling = sibling;
			c->turn = turn++;
			c->unit[LEVEL_PACKAGE] = unit_of(t, pu, HWLOC_OBJ_PACKAGE);
			c->unit[LEVEL_NUMA] = numa_of(t, pu);
			c->unit[LEVEL_L3] = unit_of(t, pu, HWLOC_OBJ_L3CACHE);
			find_kind(t, c, pu);
			t->nr_cores += c->turn == 0;
			t->nr++;
		}
		sibling++;
	}
}

/* 0 or -1; topo_close() drops what there is by then. */
static int load(struct topo *t, struct err *e)
{
	if (hwloc_topology_init(&t->hw))
		return err_set(e, "cannot start hwloc: %s", strerror(errno));
	hwloc_topology_set_flags(t->hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(t->hw))
		return source_variable() ? cannot_use(source_variable(), e)
					 : err_set(e, "hwloc cannot discover the topology: %s",
						   strerror(errno));
	if (find_source(t, e))
		return -1;
	t->allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(t->hw));
	/* in case the allowed set speaks of CPUs that are offline */
	hwloc_bitmap_and(t->allowed, t->allowed, hwloc_topology_get_topology_cpuset(t->hw));
	if (t->this_system && apply_affinity(t, e))
		return -1;
	if (hwloc_bitmap_iszero(t->allowed))
		return err_set(e, "no CPU is both known to hwloc and in the affinity mask");
	return 0;
}

static void __attribute__((noreturn)) try_file(void)
{
	const struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct topo *t = xcalloc(1, sizeof(*t));
	struct err e;

	dup2(null, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	if (!load(t, &e))
		flatten(t);
	_exit(0); /* what it refuses in words, it refuses us, too */
}

/*
 * A file that somebody wrote may lack what the library relies on, and it then dies of it. It
 * shall not take us along: a child goes first.
 */
static int check_file(struct err *e)
{
	const char *path = getenv("HWLOC_XMLFILE");
	uint64_t bytes;
	struct err why;
	int fd, status;
	pid_t pid;

	if (!path || !*path)
		return 0;
	fd = open_regular(path, &bytes, &why);
	if (fd < 0)
		return err_set(e, "HWLOC_XMLFILE=%s", why.text);
	close(fd);
	fflush(NULL);
	pid = fork();
	if (!pid)
		try_file();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return err_set(e, "HWLOC_XMLFILE=%s: cannot be tried out: %s", path,
			       strerror(errno));
	if (status)
		return err_set(e,
			       "HWLOC_XMLFILE=%s: hwloc crashes on this; expected a whole "
			       "description, as lstopo saves it",
			       path);
	return 0;
}

int topo_open(struct topo **out, struct err *e)
{
	struct topo *t;

	if (check_file(e))
		return -1;
	t = xcalloc(1, sizeof(*t));
	if (load(t, e)) {
		topo_close(t);
		return -1;
	}
	flatten(t);
	*out = t;
	return 0;
}

void topo_close(struct topo *t)
{
	if (!t)
		return;
	hwloc_bitmap_free(t->allowed);
	if (t->hw)
		hwloc_topology_destroy(t->hw);
	free(t->source);
	free(t->cpu);
	free(t);
}

bool topo_is_this_system(const struct topo *t)
{
	return t->this_system;
}

unsigned topo_nr_allowed(const struct topo *t)
{
	return t->nr;
}

unsigned topo_nr_cores(const struct topo *t)
{
	return t->nr_cores;
}

/* The mask of the calling thread must now hold this CPU, no other. */
static int check_binding(unsigned cpu, struct err *e)
{
	unsigned nr_cpus;
	cpu_set_t *set;
	size_t size;
	int nr, on;
	bool in;

	set = topo_affinity(&size, &nr_cpus);
	if (!set)
		return err_set(e, "cannot read the binding to CPU %u back: %s", cpu,
			       strerror(errno));
	nr = CPU_COUNT_S(size, set);
	in = cpu < nr_cpus && CPU_ISSET_S(cpu, size, set);
	CPU_FREE(set);
	if (!in || nr != 1)
		return err_set(e, "binding to CPU %u did not hold: the mask has %d CPUs, %s it",
			       cpu, nr, in ? "among them" : "without");
	on = sched_getcpu();
	if (on < 0 || (unsigned)on != cpu)
		return err_set(e, "binding to CPU %u did not hold: running on CPU %d", cpu, on);
	return 0;
}

static int set_affinity(unsigned cpu, struct err *e)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int error;

	if (!set)
		return err_set(e, "cannot bind to CPU %u: %s", cpu, strerror(ENOMEM));
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	error = pthread_setaffinity_np(pthread_self(), size, set);
	CPU_FREE(set);
	if (error)
		return err_set(e, "cannot bind to CPU %u: %s", cpu, strerror(error));
	return 0;
}

int topo_bind_self(const struct topo *t, unsigned cpu, struct err *e)
{
	char *allowed;

	if (!t->this_system)
		return err_set(
			e,
			"cannot bind to CPU %u: the topology is not this system's (%.200s), "
			"which allows planning only",
			cpu, t->source);
	if (!hwloc_bitmap_isset(t->allowed, cpu)) {
		allowed = topo_short_ranges(t->allowed);
		err_set(e, "cannot bind to CPU %u: not allowed (allowed: %s)", cpu, allowed);
		free(allowed);
		return -1;
	}
	if (set_affinity(cpu, e))
		return -1;
	return check_binding(cpu, e);
}

/* A type may stand at several depths, where hwloc's own count gives up. */
static unsigned count_objects(const struct topo *t, hwloc_obj_type_t type)
{
	unsigned nr = 0;

	if (type == HWLOC_OBJ_NUMANODE)
		return hwloc_get_nbobjs_by_depth(t->hw, HWLOC_TYPE_DEPTH_NUMANODE);
	for (int depth = 0; depth < hwloc_topology_get_depth(t->hw); depth++)
		if (hwloc_get_depth_type(t->hw, depth) == type)
			nr += hwloc_get_nbobjs_by_depth(t->hw, depth);
	return nr;
}

static void print_machine(const struct topo *t, FILE *f)
{
	char *allowed = ranges(t->allowed);

	if (t->this_system)
		fputs("machine: this system\n", f);
	else
		fprintf(f, "machine: planned from %s, not this system\n", t->source);
	fprintf(f, "found: packages %u, NUMA nodes %u, L3 caches %u, cores %u, CPUs %u\n",
		count_objects(t, HWLOC_OBJ_PACKAGE), count_objects(t, HWLOC_OBJ_NUMANODE),
		count_objects(t, HWLOC_OBJ_L3CACHE), count_objects(t, HWLOC_OBJ_CORE),
		count_objects(t, HWLOC_OBJ_PU));
	fprintf(f, "allowed: CPUs %u (%s), cores %u\n", t->nr, allowed, t->nr_cores);
	free(allowed);
}

static const struct cpu *find_cpu(const struct topo *t, unsigned os)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->cpu[i].os == os)
			return &t->cpu[i];
	return NULL;
}

static void print_unit(int unit, FILE *f)
{
	if (unit == NO_UNIT)
		fprintf(f, " %7s", "-");
	else
		fprintf(f, " %7d", unit);
}

static void print_thread(const struct topo *t, unsigned thread, const struct cpu *c,
			 bool shared, FILE *f)
{
	char *kind = kind_name(t, c->kind);

	fprintf(f, "%6u %6u %6u", thread, c->os, c->core);
	for (unsigned i = 0; i < NR_LEVELS; i++)
		print_unit(c->unit[i], f);
	fprintf(f, " %7u %s%s\n", c->sibling, kind, shared ? " oversubscribed" : "");
	free(kind);
}

void topo_print(const struct topo *t, const struct placement *p, FILE *f)
{
	unsigned *users = xcalloc(t->nr, sizeof(*users));
	const struct cpu **on = xcalloc(p->nr, sizeof(*on));

	print_machine(t, f);
	fprintf(f, "%6s %6s %6s %7s %7s %7s %7s %s\n", "thread", "CPU", "core", "package",
		"NUMA", "L3", "sibling", "kind");
	for (unsigned i = 0; i < p->nr; i++) {
		on[i] = find_cpu(t, p->cpu[i]);
		if (on[i])
			users[on[i] - t->cpu]++;
	}
	for (unsigned i = 0; i < p->nr; i++)
		if (on[i])
			print_thread(t, i, on[i], users[on[i] - t->cpu] > 1, f);
	free(on);
	free(users);
}
