// SPDX-License-Identifier: BSD-2-Clause
/*
 * topo_place - who runs where: a placement is an ordering of the allowed CPUs
 *
 * core and spread give every core one thread before any gets a second, and prefer fast
 * cores; compact follows the tree; a list is taken as it stands.
 */
#include "nearest.h"
#include "topo_internal.h"

#include <stdlib.h>
#include <string.h>

static int compare(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

static int by_logical(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	return compare(x->logical, y->logical);
}

/* First siblings before second ones, fast cores before slow ones. */
static int by_pass(const struct cpu *x, const struct cpu *y)
{
	int r = compare(x->turn, y->turn);

	return r ? r : compare(x->slowness, y->slowness);
}

static int by_core(const void *a, const void *b)
{
	int r = by_pass(a, b);

	return r ? r : by_logical(a, b);
}

/* Same pass, and within the same units of the `nr` outermost levels? */
static int by_group(const struct cpu *x, const struct cpu *y, unsigned nr)
{
	int r = by_pass(x, y);

	for (unsigned i = 0; !r && i < nr; i++)
		r = (x->unit[i] > y->unit[i]) - (x->unit[i] < y->unit[i]);
	return r;
}

static int by_turns(const void *a, const void *b, void *nr_outer)
{
	const struct cpu *x = a, *y = b;
	unsigned nr = *(const unsigned *)nr_outer;
	int r = by_group(x, y, nr);

	if (!r)
		r = compare(x->rank, y->rank);
	/* equal ranks: one from each unit of the level within, in their order */
	return r ? r : by_logical(x, y);
}

/*
 * Round robin over nested levels, from the inside out: rank the cores of an L3;
 * then each NUMA node takes from its L3s in turn, which gives ranks within the
 * node; then packages from nodes; then the machine from packages.
 */
static void order_spread(struct cpu *cpu, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		cpu[i].rank = cpu[i].logical;
	for (unsigned outer = NR_LEVELS + 1; outer-- > 0;) {
		qsort_r(cpu, nr, sizeof(*cpu), by_turns, &outer);
		for (unsigned i = 0, rank = 0; i < nr; i++) {
			rank = i && !by_group(&cpu[i - 1], &cpu[i], outer) ? rank + 1 : 0;
			cpu[i].rank = rank;
		}
	}
}

/* A growing list of OS indices. */
struct cpu_list {
	unsigned *cpu;
	unsigned nr;
	size_t room;
};

static void list_add(struct cpu_list *l, unsigned cpu)
{
	if (l->nr == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->cpu = xrealloc(l->cpu, l->room * sizeof(*l->cpu));
	}
	l->cpu[l->nr++] = cpu;
}

static int check_allowed(const struct topo *t, const char *how, uint64_t cpu, struct err *e)
{
	char *allowed;

	if (cpu < CPUS_PROBED && hwloc_bitmap_isset(t->allowed, (unsigned)cpu))
		return 0;
	allowed = topo_short_ranges(t->allowed);
	err_set(e, "--placement %.100s: CPU %ju is not allowed (allowed: %s)", how,
		(uintmax_t)cpu, allowed);
	free(allowed);
	return -1;
}

/* One number or range of a list, `s` up to a comma or the end. */
static int parse_range(const char *s, size_t len, uint64_t *first, uint64_t *last)
{
	char copy[64], *text, *dash;

	if (len >= sizeof(copy))
		return -1;
	memcpy(copy, s, len);
	copy[len] = '\0';
	text = trim(copy);
	dash = strchr(text, '-');
	if (dash)
		*dash = '\0';
	if (parse_u64(text, 0, UINT32_MAX, first))
		return -1;
	if (!dash) {
		*last = *first;
		return 0;
	}
	return parse_u64(dash + 1, *first, UINT32_MAX, last);
}

/* The text behind "list:"; every CPU of it is checked before it is added. */
static int parse_list(const struct topo *t, const char *how, const char *s, struct cpu_list *l,
		      struct err *e)
{
	uint64_t first, last;

	for (;;) {
		size_t len = strcspn(s, ",");

		if (parse_range(s, len, &first, &last))
			return err_set(e,
				       "--placement %.100s: expected OS indices as in "
				       "list:0,2,5-7, got '%.*s'",
				       how, len > 40 ? 40 : (int)len, s);
		for (uint64_t cpu = first; cpu <= last; cpu++) {
			if (check_allowed(t, how, cpu, e))
				return -1;
			list_add(l, (unsigned)cpu);
		}
		if (!s[len])
			return 0;
		s += len + 1;
	}
}

/* The CPU that comes first among those that stand twice in the list, or -1. */
static int64_t find_twice(const unsigned *cpu, unsigned nr)
{
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	int64_t found = -1;

	for (unsigned i = 0; i < nr && found < 0; i++) {
		if (hwloc_bitmap_isset(seen, cpu[i]))
			found = cpu[i];
		hwloc_bitmap_set(seen, cpu[i]);
	}
	hwloc_bitmap_free(seen);
	return found;
}

static int order_list(const struct topo *t, const char *how, unsigned threads,
		      bool oversubscribe, struct cpu_list *l, struct err *e)
{
	int64_t twice;

	if (parse_list(t, how, how + strlen("list:"), l, e))
		return -1;
	if (oversubscribe)
		return 0;
	twice = find_twice(l->cpu, l->nr);
	if (twice >= 0)
		return err_set(e,
			       "--placement %.100s: CPU %jd stands twice; name each once or "
			       "use --oversubscribe",
			       how, (intmax_t)twice);
	if (threads > l->nr)
		return err_set(e,
			       "--placement %.100s: holds %u CPU%s for --threads %u; name more "
			       "or use --oversubscribe",
			       how, l->nr, l->nr == 1 ? "" : "s", threads);
	return 0;
}

static int too_many_threads(const struct topo *t, unsigned threads, struct err *e)
{
	char *allowed = topo_short_ranges(t->allowed);

	err_set(e,
		"--threads %u: only %u CPU%s allowed (%s); use fewer threads or --oversubscribe",
		threads, t->nr, t->nr == 1 ? " is" : "s are", allowed);
	free(allowed);
	return -1;
}

static int order_named(const struct topo *t, const char *how, unsigned threads,
		       bool oversubscribe, struct cpu_list *l, struct err *e)
{
	struct cpu *order;

	if (threads > t->nr && !oversubscribe)
		return too_many_threads(t, threads, e);
	order = xcalloc(t->nr, sizeof(*order));
	memcpy(order, t->cpu, t->nr * sizeof(*order));
	if (!strcmp(how, "core"))
		qsort(order, t->nr, sizeof(*order), by_core);
	else if (!strcmp(how, "spread"))
		order_spread(order, t->nr);
	/* compact: they are in this order already */
	for (unsigned i = 0; i < t->nr; i++)
		list_add(l, order[i].os);
	free(order);
	return 0;
}

int topo_place(const struct topo *t, const char *how, unsigned threads, bool oversubscribe,
	       struct placement *out, struct err *e)
{
	bool named = !strcmp(how, "core") || !strcmp(how, "compact") || !strcmp(how, "spread");
	struct cpu_list l = { NULL, 0, 0 };
	struct nearest n;
	int r;

	if (!named && strncmp(how, "list:", strlen("list:"))) {
		nearest_begin(&n, how, strcspn(how, ":"));
		nearest_try_choices(&n, "core|compact|spread|list:");
		return err_set(
			e,
			"--placement %.100s: expected core, compact, spread or a list of "
			"OS indices as in list:0,2,5-7%s",
			how, nearest_hint(&n));
	}
	if (threads > TOPO_MAX_THREADS)
		return err_set(e, "--threads %u: expected at most %u", threads,
			       TOPO_MAX_THREADS);
	r = named ? order_named(t, how, threads, oversubscribe, &l, e)
		  : order_list(t, how, threads, oversubscribe, &l, e);
	if (r)
		goto out_list;
	out->nr = threads ? threads : l.nr;
	out->cpu = xcalloc(out->nr, sizeof(*out->cpu));
	for (unsigned i = 0; i < out->nr; i++)
		out->cpu[i] = l.cpu[i % l.nr];
	out->oversubscribed = find_twice(out->cpu, out->nr) >= 0;
out_list:
	free(l.cpu);
	return r;
}

void placement_free(struct placement *p)
{
	free(p->cpu);
	memset(p, 0, sizeof(*p));
}

char *placement_str(const struct placement *p)
{
	char *s = xcalloc(p->nr + 1u, sizeof("4294967295,") - 1);
	char *end = s;

	for (unsigned i = 0; i < p->nr; i++)
		end += sprintf(end, i ? ",%u" : "%u", p->cpu[i]);
	return s;
}
