// SPDX-License-Identifier: BSD-2-Clause
/*
 * workload - the list of workloads and their options
 *
 * Recorded traffic spreads over a table, so that races are rare. A workload brings a fault
 * about: a few hot lines on which all threads do what one part of a scheme finds hardest.
 * Streams repeat without a meeting: what is wanted is a steady state.
 */
#include "workload.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

#define WORKLOAD_tt KIND_TT
#define WORKLOAD_pawn KIND_PAWN
#define WORKLOAD_eval KIND_EVAL
#define WORKLOAD_kv KIND_KV

#define HOT(lines_, store) .lines = lines_, .store_percent = store, .ops = 64 << 10

/*
 * x(name, kind, what it is, fields): everything there is to say of each.
 *
 * Exact mode wants stores that only update: as many keys as are preloaded, at most four a
 * line. Slots that change their key, which is when an unprotected table tears, take more.
 */
/* clang-format off */
#define WORKLOADS(x)                                                                           \
	x("uniform", kv, "8 keys a line, half of them preloaded",                              \
	  .keys = 8, .preloaded = 4, .ops = 256 << 10)                                         \
	x("hot-update", kv, "4 preloaded keys a line: nothing is ever evicted",                \
	  .keys = 4, .preloaded = 4, .updates_only = true, HOT(2, 50))                         \
	x("hot-evict", kv, "8 keys a line: slots change their key",                            \
	  .keys = 8, .preloaded = 4, HOT(2, 50))                                               \
	x("same-key", kv, "one preloaded key, which all store and probe",                      \
	  .keys = 1, .preloaded = 1, .updates_only = true, HOT(1, 50))                         \
	x("refresh", tt, "probes that refresh against stores, new generations now and then",   \
	  .keys = 3, HOT(2, 30), .generation_every = 256)                                      \
	x("bump", tt, "mostly stores, of 8 keys a line, that push each other aside",           \
	  .keys = 8, HOT(2, 80))                                                               \
	x("generation", tt, "a new generation every few operations",                           \
	  .keys = 4, HOT(2, 50), .generation_every = 8)                                        \
	x("slot", eval, "4 keys for the one slot of a line, entries of one word",              \
	  .keys = 4, HOT(2, 50))                                                               \
	x("wide", pawn, "4 keys for the one slot of a line, entries of 7 words",               \
	  .keys = 4, HOT(2, 50))                                                               \
	x("clears", tt, "the first thread clears the whole table now and then",                \
	  .keys = 4, HOT(2, 50), .generation_every = 512, .clear_every = 4096)                 \
	x("adversarial", kv, "probes of keys that a mix of two others' stores verifies for",   \
	  .keys = 2, .preloaded = 4, .built_keys = true, .max_lines = 16, HOT(1, 50))

#define WORKLOAD(name_, kind_, what, ...) \
	{ .name = name_, .kind = WORKLOAD_##kind_, __VA_ARGS__ },
static const struct workload workloads[] = { WORKLOADS(WORKLOAD) };

#define WORKLOAD_HELP(name, kind, what, ...) name " (" #kind "): " what "\n"
const char workload_help[] =
	"traffic made from the seed, instead of a trace:\n" WORKLOADS(WORKLOAD_HELP)
	"with options lines=N (0: all), store=PERCENT, ops=N (per thread, before they repeat), "
	"ends=1 (keys 0 and ~0 are among them), meet=1 (before they repeat, all threads meet and "
	"clear), as in uniform:store=50. Several of different kinds are mixed: "
	"bump+slot:ops=1000";
/* clang-format on */

const char *workload_name(size_t i)
{
	return i < ARRAY_SIZE(workloads) ? workloads[i].name : NULL;
}

static int set_number(struct workload *w, const char *s, size_t len, struct err *e)
{
	struct {
		const char *name;
		uint64_t *to, min, max;
	} opt[] = {
		{ "lines=", &w->lines, w->max_lines != 0,
		  w->max_lines ? w->max_lines : 1ull << 40 },
		{ "store=", &w->store_percent, 0, 100 },
		{ "ops=", &w->ops, 1, 1u << 28 },
		{ "ends=", &w->ends, 0, 1 },
		{ "meet=", &w->meet, 0, 1 },
	};
	struct nearest near;

	for (size_t i = 0; i < ARRAY_SIZE(opt); i++) {
		size_t n = strlen(opt[i].name);
		char value[32];

		if (len < n || strncmp(s, opt[i].name, n))
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)(len - n), s + n);
		if (len - n < sizeof(value) &&
		    !parse_u64(value, opt[i].min, opt[i].max, opt[i].to))
			return 0;
		return err_set(e,
			       "--workload %s: %sN: expected a whole number from %ju to %ju, "
			       "got '%s'",
			       w->name, opt[i].name, (uintmax_t)opt[i].min,
			       (uintmax_t)opt[i].max, value);
	}
	nearest_begin(&near, s, strcspn(s, "=,"));
	nearest_try_choices(&near, "lines|store|ops|ends|meet");
	return err_set(e,
		       "--workload %s: no option '%.*s'%s; there are lines, store, ops, ends, "
		       "meet",
		       w->name, (int)len, s, nearest_hint(&near));
}

static int no_such_workload(const char *name, int len, struct err *e)
{
	char list[256] = "";
	struct nearest n;

	nearest_begin(&n, name, (size_t)len);
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++) {
		size_t at = strlen(list);

		nearest_try(&n, workloads[i].name, strlen(workloads[i].name));
		snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "",
			 workloads[i].name);
	}
	if (*nearest_hint(&n))
		return err_set(e, "--workload %.*s: no such workload%s", len, name,
			       nearest_hint(&n));
	return err_set(e, "--workload %.*s: expected one of %s", len, name, list);
}

static const struct workload *find_workload(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++)
		if (strlen(workloads[i].name) == len && !strncmp(workloads[i].name, name, len))
			return &workloads[i];
	return NULL;
}

/* One more in the mix. Keys that are built settle the words of all stores of a run. */
static int add_workload(struct workload *w, int nr, const struct workload *more, struct err *e)
{
	for (int i = 0; i < nr; i++) {
		if (w[i].kind == more->kind)
			return err_set(e,
				       "--workload %s+%s: both are of kind %s: expected one of each "
				       "kind",
				       w[i].name, more->name, kind_names[more->kind]);
		if (w[i].built_keys || more->built_keys)
			return err_set(e, "--workload %s+%s: %s goes with no other", w[i].name,
				       more->name, more->built_keys ? more->name : w[i].name);
	}
	w[nr] = *more;
	return 0;
}

int workload_parse(const char *spec, struct workload w[NR_KINDS], struct err *e)
{
	size_t len;
	int nr = 0;

	for (;; spec += len + 1) {
		const struct workload *one;

		len = strcspn(spec, "+:");
		one = find_workload(spec, len);
		if (!one)
			return no_such_workload(spec, (int)len, e);
		if (add_workload(w, nr++, one, e))
			return -1;
		if (spec[len] != '+')
			break;
	}
	for (spec += len; *spec; spec += len) {
		spec++;
		len = strcspn(spec, ",");
		for (int i = 0; i < nr; i++)
			if (set_number(&w[i], spec, len, e))
				return -1;
	}
	return nr;
}

int workload_kinds(const char *spec, unsigned *kinds, struct err *e)
{
	struct workload w[NR_KINDS];
	int nr = workload_parse(spec, w, e);

	*kinds = 0;
	for (int i = 0; i < nr; i++)
		*kinds |= 1u << w[i].kind;
	return nr < 0 ? -1 : 0;
}

int workload_kind(const char *spec, enum kind *out, struct err *e)
{
	unsigned kinds;

	if (workload_kinds(spec, &kinds, e))
		return -1;
	*out = (enum kind)__builtin_ctz(kinds);
	return 0;
}
