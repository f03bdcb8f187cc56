// SPDX-License-Identifier: BSD-2-Clause
#include "cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash.h"
#include "env.h"
#include "nearest.h"
#include "plugin.h"
#include "policy.h"
#include "torture_slice.h"

#define MIB (1024.0 * 1024.0)
/* Beyond any machine, and far from overflow in the arithmetic after it. */
#define MAX_MIB 4294967296.0
#define MAX_ENTRIES (1ull << 48)

/* "16", "0.25", and with a unit "64K", "16M", "1G", "16MiB": in MiB. 0 or -1. */
static int parse_mib(const char *text, double *mib)
{
	static const char units[] = "KkMmGg";
	static const double mib_of[] = { 1 / 1024.0, 1, 1024 };
	size_t len = strlen(text);
	double factor = 1;
	const char *unit;
	char number[32];

	if (len > 3 && !strcmp(text + len - 2, "iB") && strchr(units, text[len - 3]))
		len -= 2;
	unit = len ? strchr(units, text[len - 1]) : NULL;
	if (unit && *unit) {
		factor = mib_of[(unit - units) / 2];
		len--;
	}
	if (len >= sizeof(number))
		return -1;
	memcpy(number, text, len);
	number[len] = '\0';
	if (parse_decimal(number, mib))
		return -1;
	*mib *= factor;
	return *mib <= MAX_MIB ? 0 : -1;
}

int parse_size(const char *text, const char *option, struct table_size *out, struct err *e)
{
	size_t len = strlen(text);
	double mib;

	*out = (struct table_size){ 0 };
	if (!strcmp(text, "none"))
		return 0;
	if (len > 1 && len < 32 && text[len - 1] == 'e') {
		char number[32];

		snprintf(number, sizeof(number), "%.*s", (int)(len - 1), text);
		if (!parse_u64(number, 0, MAX_ENTRIES, &out->entries))
			return 0;
	} else if (!parse_mib(text, &mib)) {
		out->bytes = (uint64_t)(mib * MIB);
		if (mib > 0 && !out->bytes)
			out->bytes = 1; /* less than a line is rounded to one, not to none */
		return 0;
	}
	return err_set(
		e,
		"--%s: expected a size in MiB ('16', '0.25'), with a unit ('64K', '16M', "
		"'16MiB', '1G'), in entries ('4096e'), or 'none', got '%s'",
		option, text);
}

/* bytes / 2^20 with `digits` behind the point, rounded up: what is read as that many again. */
static void print_mib(uint64_t bytes, unsigned digits, char text[64])
{
	unsigned __int128 scaled = bytes, unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	scaled = (scaled * unit + ((1u << 20) - 1)) >> 20;
	if (digits)
		snprintf(text, 64, "%ju.%0*ju", (uintmax_t)(scaled / unit), (int)digits,
			 (uintmax_t)(scaled % unit));
	else
		snprintf(text, 64, "%ju", (uintmax_t)scaled);
}

char *size_text(const struct table_size *size)
{
	char text[64] = "0";
	uint64_t again = 0;
	double mib;

	if (size->entries)
		return xasprintf("%jue", (uintmax_t)size->entries);
	for (unsigned digits = 0; again != size->bytes && digits <= 19; digits++) {
		print_mib(size->bytes, digits, text);
		if (parse_decimal(text, &mib))
			break;
		again = (uint64_t)(mib * MIB);
	}
	return xstrdup(text);
}

int source_open(struct source *s, struct err *e)
{
	return s->path ? trace_read(s->path, &s->trace, e) : 0;
}

void source_close(struct source *s)
{
	trace_free(s->trace);
	s->trace = NULL;
}

static int bad_kind(const char *text, const char *kind, size_t len, struct err *e)
{
	struct nearest n;

	nearest_begin(&n, kind, len);
	for (enum kind k = 0; k < NR_KINDS; k++)
		nearest_try(&n, kind_names[k], strlen(kind_names[k]));
	return err_set(e, "--kinds: expected a list of tt, pawn, eval, kv, got '%s'%s", text,
		       nearest_hint(&n));
}

static int parse_kinds(const char *text, unsigned *kinds, struct err *e)
{
	char *copy = xstrdup(text), *rest = copy, *item;
	int ret = 0;

	*kinds = 0;
	while (!ret && (item = strsep(&rest, ","))) {
		enum kind k = 0;

		item = trim(item);
		while (k < NR_KINDS && strcmp(kind_names[k], item))
			k++;
		if (k == NR_KINDS)
			ret = bad_kind(text, item, strlen(item), e);
		else
			*kinds |= 1u << k;
	}
	free(copy);
	return ret;
}

int cell_kinds(const struct cell *c, unsigned *kinds, struct err *e)
{
	const char *text = c->args->kinds, *workload = c->source->workload;
	unsigned own = 1u << KIND_TT;
	char has[32] = "";

	if (workload && workload_kinds(workload, &own, e))
		return -1;
	*kinds = own;
	if (text && parse_kinds(text, kinds, e))
		return -1;
	if (!workload || *kinds == own)
		return 0;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (own & 1u << k)
			snprintf(has + strlen(has), sizeof(has) - strlen(has), "%s%s",
				 *has ? "," : "", kind_names[k]);
	return err_set(e, "--kinds: workload %s makes operations of kind %s only, got '%s'",
		       workload, has, text);
}

/* ... all of them held by the table. */
static int held_kinds(const struct cell *c, unsigned *kinds, struct err *e)
{
	if (cell_kinds(c, kinds, e))
		return -1;
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (*kinds & 1u << k && !(c->table->class->kinds & 1u << k))
			return err_set(e,
				       "--table %s: holds no entries of kind %s (see tearline "
				       "tables)",
				       c->table->class->name, kind_names[k]);
	return 0;
}

static int cell_sizes(const struct cell *c, struct table_size size[NR_KINDS], struct err *e)
{
	if (parse_size(c->hash, "hash", &size[KIND_TT], e) ||
	    parse_size(c->args->pawn_hash, "pawn-hash", &size[KIND_PAWN], e) ||
	    parse_size(c->args->eval_hash, "eval-hash", &size[KIND_EVAL], e))
		return -1;
	size[KIND_KV] = size[KIND_TT];
	return 0;
}

int cell_check_sizes(const struct cell_args *a, const void *hash, unsigned kinds, struct err *e)
{
	const struct {
		const void *dest;
		unsigned kinds;
		const char *when;
	} size[] = {
		{ hash, 1u << KIND_TT | 1u << KIND_KV,
		  "on operations of kind tt or kv (--kinds)" },
		{ &a->pawn_hash, 1u << KIND_PAWN, "on operations of kind pawn (--kinds)" },
		{ &a->eval_hash, 1u << KIND_EVAL, "on operations of kind eval (--kinds)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		if (option_check_effect(size[i].dest, kinds & size[i].kinds, size[i].when, e))
			return -1;
	return 0;
}

int cell_check(const struct cell *c, struct err *e)
{
	struct table_size size[NR_KINDS];
	struct placement p;
	unsigned kinds;

	if (c->args->pacing == PACING_RECORDED && c->source->workload)
		return err_set(
			e,
			"--pacing recorded: expected a --trace: nobody recorded workload "
			"%s",
			c->source->workload);
	if (c->args->seconds <= 0 && !c->args->passes)
		return err_set(e, "--seconds: expected more than 0, or --passes of at least 1");
	if (held_kinds(c, &kinds, e) || cell_sizes(c, size, e))
		return -1;
	if (topo_place(c->topo, c->args->placement, c->threads, c->args->oversubscribe, &p, e))
		return -1;
	placement_free(&p);
	return 0;
}

static int make_traffic(const struct cell *c, unsigned kinds, const struct table_size *size,
			struct traffic **out, struct err *e)
{
	const struct cell_args *a = c->args;
	struct dealing d = { .kinds = kinds,
			     .threads = c->threads,
			     .deal = (enum deal)a->deal,
			     .clears = (enum clears)a->clears,
			     .pacing = (enum pacing)a->pacing,
			     .seed = a->seed };

	if (c->source->workload)
		return traffic_from_workload_sizes(c->source->workload, size, c->threads, a->seed,
						   out, e);
	return traffic_from_trace(c->source->trace, &d, out, e);
}

int cell_setup(const struct cell *c, struct cell_setup *s, struct err *e)
{
	const struct cell_args *a = c->args;
	struct table_size size[NR_KINDS];
	unsigned kinds;

	memset(s, 0, sizeof(*s));
	if (held_kinds(c, &kinds, e) || cell_sizes(c, size, e))
		return -1;
	if (topo_place(c->topo, a->placement, c->threads, a->oversubscribe, &s->placement, e))
		return -1;
	if (make_traffic(c, kinds, size, &s->traffic, e)) {
		placement_free(&s->placement);
		return -1;
	}
	return 0;
}

void cell_setup_free(struct cell_setup *s)
{
	traffic_free(s->traffic);
	placement_free(&s->placement);
	memset(s, 0, sizeof(*s));
}

/*
 * A table that no thread has come through for so long, slow as a machine may be, never ends.
 * Audits count each operation, others so many at once.
 */
#define HUNG_AUDIT_S 30u
#define HUNG_S 180u

static unsigned patience(const struct cell_args *a)
{
	return a->mode == MODE_AUDIT ? HUNG_AUDIT_S : HUNG_S;
}

static void hung(void *arg)
{
	const struct cell *c = arg;

	fprintf(stderr, "FAILURE: hung: %s: no operation began for %u s\n", crash_noted(),
		patience(c->args));
	fflush(NULL);
	/* The threads cannot be joined, nor what they use be given back. */
	_exit(EXIT_FAULT);
}

/* What runs, should it crash or hang. */
static void note_cell(const struct cell *c, const struct cell_setup *s)
{
	const struct cell_args *a = c->args;
	char *options = table_spec_options(c->table);

	crash_note("table %s (%s) on %s, hash %s, %u threads, placement %s, %s, seed %ju%s%s",
		   c->table->class->name, options, s->traffic->name, c->hash, c->threads,
		   a->placement, a->mode == MODE_AUDIT ? "audit" : "throughput",
		   (uintmax_t)a->seed, c->repeat ? "; repeat with: " : "",
		   c->repeat ? c->repeat : "");
	free(options);
}

static int cell_params(const struct cell *c, const struct cell_setup *s, struct run_params *p,
		       struct err *e)
{
	const struct cell_args *a = c->args;

	*p = (struct run_params){
		.table = c->table,
		.traffic = s->traffic,
		.topo = c->topo,
		.placement = &s->placement,
		.pages = (enum mem_pages)a->pages,
		.seconds = a->passes ? 0 : a->seconds,
		.passes = a->passes,
		.caller = (enum caller)a->caller,
		.lookahead = c->lookahead,
		.audit = a->mode == MODE_AUDIT,
		.witness = a->witness == WITNESS_YES,
		.seed = a->seed,
		.shake = a->shake,
		.age = a->age,
		.age_seconds = a->age_seconds,
		.tick = c->tick,
		.tick_arg = c->tick_arg,
		.watchdog_ns = c->hung ? c->watchdog_ns : patience(a) * 1000000000ull,
		.hung = c->hung ? c->hung : hung,
		.hung_arg = c->hung ? c->hung_arg : (void *)c,
	};

	if (cell_sizes(c, p->size, e))
		return -1;
	p->size_text[KIND_TT] = xasprintf("--hash %s", c->hash);
	p->size_text[KIND_PAWN] = xasprintf("--pawn-hash %s", a->pawn_hash);
	p->size_text[KIND_EVAL] = xasprintf("--eval-hash %s", a->eval_hash);
	p->size_text[KIND_KV] = xstrdup(p->size_text[KIND_TT]);
	return 0;
}

static void params_free(struct run_params *p)
{
	for (enum kind k = 0; k < NR_KINDS; k++)
		free((char *)p->size_text[k]);
}

int cell_try(const struct cell *c, const struct cell_setup *s, struct err *e)
{
	struct run_params p;
	int ret;

	if (cell_params(c, s, &p, e))
		return -1;
	note_cell(c, s);
	ret = run_check(&p, e);
	crash_forget();
	params_free(&p);
	return ret;
}

int cell_run(const struct cell *c, struct cell_setup *s, struct run_result *r, struct err *e)
{
	struct run_params p;
	int ret = -1;

	if (cell_params(c, s, &p, e))
		return -1;
	note_cell(c, s);
	/* Where there is no figure of speed, none needs a floor. */
	if (!s->floor_known && !p.audit && s->traffic->pacing == PACING_ASAP) {
		if (run_floor(&p, "stream", &s->stream_ns, e) ||
		    run_floor(&p, "null", &s->null_ns, e))
			goto out;
		s->floor_known = true;
	}
	ret = run_cell(&p, r, e);
out:
	crash_forget();
	params_free(&p);
	return ret;
}

void cell_base(const struct topo *topo, struct csv_row *base)
{
	char *warnings = env_warnings();

	env_fill(base);
	csv_set_u64(base, COL_cores, topo_nr_cores(topo));
	csv_set(base, COL_warnings, warnings ? warnings : "");
	free(warnings);
}

/* What holds for every row of the trial. */
static void common_fields(const struct cell *c, const struct cell_setup *s, uint64_t trial,
			  struct csv_row *row)
{
	static const char *const callers[] = { "batch", "branch", "chain" };
	static const char *const deals[] = { "split", "clone", "salt" };
	static const char *const clears[] = { "barrier", "live", "drop" };
	static const char *const pacings[] = { "asap", "recorded" };
	const struct cell_args *a = c->args;
	char *options = table_spec_options(c->table);
	char *cpus = placement_str(&s->placement);
	char hash[17];

	snprintf(hash, sizeof(hash), "%016jx", (uintmax_t)s->traffic->hash);
	csv_set(row, COL_table, c->table->class->name);
	csv_set(row, COL_options, options);
	csv_set(row, COL_trace, s->traffic->name);
	csv_set(row, COL_trace_hash, hash);
	csv_set_u64(row, COL_threads, c->threads);
	csv_set(row, COL_placement, a->placement);
	csv_set(row, COL_cpus, cpus);
	csv_set_u64(row, COL_oversubscribed, s->placement.oversubscribed);
	if (s->traffic->recorded_streams) {
		csv_set(row, COL_deal, deals[s->traffic->deal]);
		csv_set_u64(row, COL_streams, s->traffic->recorded_streams);
	}
	csv_set(row, COL_clears, clears[s->traffic->clears]);
	csv_set(row, COL_mode, a->mode == MODE_AUDIT ? "audit" : "throughput");
	csv_set(row, COL_pacing, pacings[s->traffic->pacing]);
	csv_set(row, COL_caller, callers[a->caller]);
	csv_set_u64(row, COL_lookahead, c->lookahead);
	if (a->mode == MODE_AUDIT)
		csv_set_u64(row, COL_witness, a->witness == WITNESS_YES);
	csv_set_u64(row, COL_seed, a->seed);
	csv_set_u64(row, COL_trial, trial);
	if (s->floor_known) {
		csv_set_double(row, COL_stream_ns, s->stream_ns, 4);
		csv_set_double(row, COL_null_ns, s->null_ns, 4);
	}
	free(options);
	free(cpus);
}

static void time_fields(const struct cell *c, const struct run_result *r, struct csv_row *row)
{
	csv_set_double(row, COL_seconds, r->seconds, 6);
	csv_set_double(row, COL_overlap, r->overlap, 4);
	csv_set_u64(row, COL_ops, r->ops);
	csv_set_u64(row, COL_preemptions, r->preempted);
	/* No figure of speed ever from an audit, nor of threads that mostly wait. */
	if (c->args->mode == MODE_AUDIT || c->args->pacing == PACING_RECORDED)
		return;
	csv_set_double(row, COL_mops, r->mops, 6);
	csv_set_double(row, COL_ns_per_op, r->ns_per_op, 6);
}

void cell_warn(struct csv_row *row, const char *text)
{
	const char *had = row->field[COL_warnings];
	char *list = xasprintf("%s%s%s", had ? had : "", had && *had ? ";" : "", text);

	csv_set(row, COL_warnings, list);
	free(list);
}

/* Below this, somebody else had a good part of the CPUs. Waiting threads spin, so that a
 * quiet machine gives nearly all; in an audit they may sleep. */
#define CPU_SHARE_LOW 0.97
/* Beyond this, a good part of the traffic was denser than recorded, after it had stood still. */
#define LATE_SHARE_HIGH 0.05
/* Below this, how threads begin and stop is a good part of what was timed. */
#define SECONDS_LOW 1e-3

/* Of a trial whose speed is what is asked for. */
static void warn_of_speed(const struct cell_setup *s, const struct run_result *r,
			  struct csv_row *row)
{
	if (isnan(r->mops))
		cell_warn(row, "no figure of speed: the threads hardly ran at the same time");
	else if (r->seconds < SECONDS_LOW)
		cell_warn(row, "timed for less than a millisecond");
	if (r->throttled)
		cell_warn(row, "a CPU quota stopped the threads now and then");
	else if (r->cpu_share < CPU_SHARE_LOW && !s->placement.oversubscribed)
		cell_warn(row, "other programs took CPU time");
}

/* A shared object has flags of its own: those of the row are tearline's. */
static void warn_of_object(const struct table_class *c, struct csv_row *row)
{
	const char *origin = plugin_origin(c);

	if (origin && strstr(origin, " -O0"))
		cell_warn(row, "the table's object was built without optimisation");
	if (origin && strstr(origin, " sanitized"))
		cell_warn(row, "the table's object was built with a sanitizer");
}

static void warn_of_run(const struct cell *c, const struct cell_setup *s,
			const struct run_result *r, struct csv_row *row)
{
	if (s->placement.oversubscribed)
		cell_warn(row, "more threads than CPUs");
	if (c->args->mode == MODE_THROUGHPUT && c->args->pacing == PACING_ASAP)
		warn_of_speed(s, r, row);
	warn_of_object(c->table->class, row);
	if ((double)r->late > LATE_SHARE_HIGH * (double)r->ops)
		cell_warn(row, "the recorded pace was not kept");
}

/* A whole key is compared: what chose the line does no harm. */
static void warn_of_signature(const struct run_table *t, struct csv_row *row)
{
	char *text;

	if (!t->entries || t->sig_bits >= 64 || t->sig_counts == t->sig_bits)
		return;
	text = xasprintf("%u of %u bits of the signature tell keys of a line apart, the rest "
			 "choose the line",
			 t->sig_counts, t->sig_bits);
	cell_warn(row, text);
	free(text);
}

static const char *hash_text(const struct cell *c, enum kind k)
{
	return k == KIND_PAWN	? c->args->pawn_hash
	       : k == KIND_EVAL ? c->args->eval_hash
				: c->hash;
}

/* One size has one name in the rows, whatever the user called it. */
static void set_size(struct csv_row *row, const char *text)
{
	struct table_size size;
	struct err e;
	char *name;

	if (parse_size(text, "hash", &size, &e))
		return;
	name = size_text(&size);
	csv_set(row, COL_hash_mib, name);
	free(name);
}

/* typed: stores were told apart; a floor, or no table at all, doesn't look at them. */
static void count_fields(enum kind k, const struct counts *n, bool typed, struct csv_row *row)
{
	csv_set_u64(row, COL_probes, n->probes);
	csv_set_u64(row, COL_stores, n->stores);
	csv_set_u64(row, COL_hits, n->hits);
	csv_set_u64(row, COL_matches, n->matches);
	if (k != KIND_TT)
		return;
	csv_set_u64(row, COL_usable_hits,
		    n->usable[TT_EXACT] + n->usable[TT_LOWER] + n->usable[TT_UPPER]);
	csv_set_u64(row, COL_exact_hits, n->usable[TT_EXACT]);
	csv_set_u64(row, COL_lower_hits, n->usable[TT_LOWER]);
	csv_set_u64(row, COL_upper_hits, n->usable[TT_UPPER]);
	csv_set_u64(row, COL_drops, n->drops);
	csv_set_u64(row, COL_bumps, n->bumps);
	csv_set_u64(row, COL_refreshes, n->refreshes);
	if (!typed)
		return;
	csv_set_u64(row, COL_exact_stores, n->stored[TT_EXACT]);
	csv_set_u64(row, COL_lower_stores, n->stored[TT_LOWER]);
	csv_set_u64(row, COL_upper_stores, n->stored[TT_UPPER]);
}

static void audit_fields(const struct run_result *r, enum kind k, struct csv_row *row)
{
	const struct run_table *t = &r->table[k];

	csv_set_u64(row, COL_torn_reads, t->n.torn);
	csv_set_u64(row, COL_wrong_key_hits, t->n.wrong_key);
	csv_set_u64(row, COL_unusable_slots, t->rest.unusable_slots);
	csv_set_double(row, COL_undetected_tear, audit_undetected(k), 3);
	if (t->witness) {
		csv_set_u64(row, COL_contended_probes, t->n.contended_probes);
		csv_set_u64(row, COL_contended_stores, t->n.contended_stores);
		csv_set_u64(row, COL_false_misses, t->n.false_misses);
		csv_set_u64(row, COL_possible_false_misses, t->n.possible);
		csv_set_u64(row, COL_stale_hits, t->n.stale);
		csv_set_u64(row, COL_lost_stores, t->n.lost + t->rest.lost_stores);
		csv_set_u64(row, COL_dead_pair_misses, t->n.dead_pairs);
	}
	csv_set_u64(row, COL_wrong_answers, t->n.wrong_answers);
	csv_set_u64(row, COL_ghost_hits, t->n.ghosts);
	if (t->witness || r->exact)
		csv_set_u64(row, COL_contradictions, t->n.contradictions);
	if (k == KIND_KV)
		csv_set_u64(row, COL_duplicate_keys, t->rest.duplicate_keys);
	if (k == KIND_TT && t->rest.distinct)
		csv_set_double(row, COL_copies_per_key,
			       (double)t->rest.slots / (double)t->rest.distinct, 5);
	if (k == KIND_KV && r->exact) {
		csv_set_u64(row, COL_false_misses, r->false_misses);
		if (!t->witness || r->lost_stores > t->n.lost + t->rest.lost_stores)
			csv_set_u64(row, COL_lost_stores, r->lost_stores);
		if (t->witness && r->false_misses)
			csv_set_double(row, COL_proved_share,
				       (double)r->proved / (double)r->false_misses, 4);
	}
}

static void kind_fields(const struct cell *c, const struct cell_setup *s,
			const struct run_result *r, enum kind k, struct csv_row *row)
{
	const struct run_table *t = &r->table[k];
	const char *refresh = table_spec_option(c->table, "refresh");

	csv_set(row, COL_kind, kind_names[k]);
	set_size(row, hash_text(c, k));
	csv_set_u64(row, COL_table_bytes, t->bytes);
	csv_set_u64(row, COL_entries, t->entries);
	csv_set(row, COL_page_size, t->page_size);
	warn_of_signature(t, row);
	if (s->traffic->still_bits[k])
		cell_warn(row, "the top bits of all keys are the same: they meet in few lines "
			       "(see trace info)");
	if (refresh && k == KIND_TT)
		csv_set(row, COL_refresh, refresh);
	/* stream does not look at what an operation is. */
	if (strcmp(c->table->class->name, "stream"))
		count_fields(k, &t->n, !c->table->class->floor && t->entries, row);
	if (c->args->mode == MODE_AUDIT && !c->table->class->floor)
		audit_fields(r, k, row);
}

unsigned cell_rows(const struct cell *c, const struct cell_setup *s, const struct run_result *r,
		   const struct csv_row *base, uint64_t trial, struct csv_row *out)
{
	unsigned kinds = s->traffic->kinds;
	bool several = kinds & (kinds - 1);
	struct csv_row common = { 0 };
	unsigned nr = 0;

	csv_copy(&common, base);
	common_fields(c, s, trial, &common);
	csv_set_double(&common, COL_replay_share,
		       r->whole_seconds > 0 ? r->replay_seconds / r->whole_seconds : 0, 3);
	warn_of_run(c, s, r, &common);
	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (!(kinds & 1u << k))
			continue;
		csv_copy(&out[nr], &common);
		kind_fields(c, s, r, k, &out[nr]);
		if (!several)
			time_fields(c, r, &out[nr]);
		nr++;
	}
	if (several) {
		csv_copy(&out[nr], &common);
		csv_set(&out[nr], COL_kind, "all");
		set_size(&out[nr], c->hash);
		time_fields(c, r, &out[nr]);
		nr++;
	}
	csv_row_clear(&common);
	return nr;
}

char *cell_broken_promise(const struct cell *c, const struct cell_setup *s,
			  const struct run_result *r, struct csv_row *row, unsigned nr)
{
	unsigned sig_bits = table_spec_sig_bits(c->table), broken;
	uint64_t fault[NR_FAULTS];
	char *names, *text;

	if (c->args->mode != MODE_AUDIT || c->table->class->floor)
		return NULL;
	run_faults(r, fault);
	broken = faults_seen(fault) &
		 torture_held(c->table->class, sig_bits, s->traffic->built_keys).never;
	if (!broken)
		return NULL;
	/* Without figures, so that a report says it once. */
	names = faults_text(fault, broken, false);
	text = xasprintf("FAILURE: %s", names);
	for (unsigned i = 0; i < nr; i++)
		cell_warn(&row[i], text);
	free(names);
	free(text);
	return faults_text(fault, broken, true);
}

void cell_row_hung(const struct cell *c, const struct cell_setup *s, const struct csv_row *base,
		   uint64_t trial, struct csv_row *out)
{
	unsigned kinds = s->traffic->kinds;
	enum kind k = (enum kind)__builtin_ctz(kinds);

	csv_copy(out, base);
	common_fields(c, s, trial, out);
	csv_set(out, COL_kind, kinds & (kinds - 1) ? "all" : kind_names[k]);
	set_size(out, hash_text(c, k));
}
