/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell - from options to one measured trial and its rows
 *
 * What replay does once and sweep many times: find the traffic, place the threads, run,
 * and turn the result into CSV rows. A cell is a table on a source of traffic at a size
 * and a number of threads; everything else is the same for a whole invocation.
 */
#ifndef TEARLINE_CELL_H
#define TEARLINE_CELL_H

#include "csv.h"
#include "option.h"
#include "run.h"

enum mode { MODE_THROUGHPUT, MODE_AUDIT };
#define MODE_CHOICES "throughput|audit"
#define LOOKAHEAD_HELP "prefetch the line of the Nth operation ahead (0: none)"
enum { WITNESS_YES, WITNESS_NO };
#define WITNESS_CHOICES "yes|no"

/* The options that replay and sweep share. */
struct cell_args {
	const char *kinds, *pawn_hash, *eval_hash, *placement;
	bool oversubscribe, shake;
	unsigned pages, caller, deal, clears, pacing, mode, witness;
	uint64_t passes, seed;
	uint64_t age; /* see run.h */
	double seconds, age_seconds;
};

/* clang-format off */
#define CELL_OPTIONS(a)                                                                          \
	{ "kinds", OPT_STR, &(a)->kinds, "LIST", NULL,                                           \
	  "of tt, pawn, eval, kv: which operations are replayed, each on its own table "         \
	  "(default tt; a workload's own)", 0, 0 },                                              \
	{ "pawn-hash", OPT_STR, &(a)->pawn_hash, "SIZE", "1", "size of the pawn table", 0, 0 },  \
	{ "eval-hash", OPT_STR, &(a)->eval_hash, "SIZE", "16", "size of the eval table", 0, 0 }, \
	{ "mode", OPT_CHOICE, &(a)->mode, MODE_CHOICES, "throughput",                            \
	  "measure speed, or count wrong answers (never both: the audit changes timing)", 0, 0 },\
	{ "witness", OPT_CHOICE, &(a)->witness, WITNESS_CHOICES, "yes",                          \
	  "audit: put the operations on a line in order, to prove misses and losses; without, "  \
	  "threads meet more often, and only what is returned or left is checked", 0, 0 },       \
	{ "seconds", OPT_DECIMAL, &(a)->seconds, "S", "1",                                       \
	  "time to replay; streams repeat until then", 0, 1000000 },                              \
	{ "passes", OPT_U64, &(a)->passes, "N", "0",                                             \
	  "replay the streams N times instead of for a time (0: go by --seconds)", 0, 1u << 30 },\
	{ "caller", OPT_CHOICE, &(a)->caller, CALLER_CHOICES, "branch",                          \
	  "what the measured code does with an answer: sum it, branch on it, wait for it to "    \
	  "form the next key", 0, 0 },                                                           \
	{ "deal", OPT_CHOICE, &(a)->deal, DEAL_CHOICES, "split",                                 \
	  "more threads than recorded streams: chunks of a stream in turn, the same stream "     \
	  "rotated, or that with keys of its own. Fewer: streams are merged by time", 0, 0 },    \
	{ "clears", OPT_CHOICE, &(a)->clears, CLEARS_CHOICES, "barrier",                         \
	  "recorded clears and repetitions: all threads meet and clear off the clock, or the "   \
	  "thread that recorded it clears amid traffic, or none clears", 0, 0 },                 \
	{ "pacing", OPT_CHOICE, &(a)->pacing, PACING_CHOICES, "asap",                            \
	  "one operation after another, or none earlier than the trace says that it was done: "  \
	  "gaps and what other threads do meanwhile are as recorded; no figure of speed", 0, 0 },\
	{ "placement", OPT_STR, &(a)->placement, "P", "core",                                    \
	  "core, compact, spread or list:0,2,5 (see tearline topo)", 0, 0 },                     \
	{ "oversubscribe", OPT_FLAG, &(a)->oversubscribe, NULL, NULL,                            \
	  "allow more threads than CPUs; the rows say so", 0, 0 },                               \
	{ "pages", OPT_CHOICE, &(a)->pages, MEM_PAGES_CHOICES, "auto",                           \
	  "page size of the tables; the rows say what the kernel gave", 0, 0 },                  \
	{ "seed", OPT_U64, &(a)->seed, "N", "1", "of everything random", 0, 0 }
/* clang-format on */

/* What of it needs what; `traces` is the option that names recorded ones. */
#define CELL_EFFECTS(traces)                                                                     \
	{ "witness", "with --mode audit" }, { "caller", "with --mode throughput" },              \
		{ "seconds", "without --passes" }, { "deal", "with " traces },                   \
		{ "clears", "with " traces }, { "pacing", "with " traces }

/* Where traffic comes from: a trace file, or the spec of a workload. */
struct source {
	const char *path; /* or NULL */
	struct trace *trace;
	const char *workload; /* or NULL */
};

int source_open(struct source *s, struct err *e); /* reads the trace, if it is one */
void source_close(struct source *s);

/*
 * Sizes as --hash takes them: "16" or "0.25" MiB, "64K", "16M", "16MiB", "1G", "4096e"
 * entries, "0" or "none" for no table. option names the option in the error. 0 or -1.
 */
int parse_size(const char *text, const char *option, struct table_size *out, struct err *e);

/* The one name of a size, as rows have it: "16", "0.25", "4096e", "0". Caller frees. */
char *size_text(const struct table_size *size);

struct cell {
	const struct cell_args *args;
	const struct topo *topo;
	struct table_spec *table;
	struct source *source;
	const char *hash;
	unsigned threads, lookahead;
	void (*tick)(void *arg, double replayed); /* see run.h; may be NULL */
	void *tick_arg;
	const char *repeat; /* the command that runs it again, should it crash; may be NULL */
	/* see run.h; without `hung` a run that hangs for half a minute is said, and exits */
	uint64_t watchdog_ns;
	void (*hung)(void *arg);
	void *hung_arg;
};

/* Traffic and placement of a cell, ready to run; shared by cells that differ in table. */
struct cell_setup {
	struct traffic *traffic;
	struct placement placement;
	bool floor_known;
	double stream_ns, null_ns;
};

/* The kinds of the operations that are replayed, as bits. 0 or -1. */
int cell_kinds(const struct cell *c, unsigned *kinds, struct err *e);

/* 0 or -1 where the options cannot be met; before anything is measured or written. */
int cell_setup(const struct cell *c, struct cell_setup *s, struct err *e);
void cell_setup_free(struct cell_setup *s);

/* Can this cell run? Cheap; so that a sweep fails before its first cell. */
int cell_check(const struct cell *c, struct err *e);

/*
 * Refuse sizes of tables that no operation is for: kinds are those of all that is replayed, hash
 * points to where --hash is stored. 0 or -1.
 */
int cell_check_sizes(const struct cell_args *a, const void *hash, unsigned kinds,
		     struct err *e);

/* The fields that are the same for a whole invocation: machine, build, warnings. */
void cell_base(const struct topo *topo, struct csv_row *base);

/* Can its tables be had? Options, sizes and page sizes that only a table can judge. */
int cell_try(const struct cell *c, const struct cell_setup *s, struct err *e);

/* One trial. */
int cell_run(const struct cell *c, struct cell_setup *s, struct run_result *r, struct err *e);

/*
 * The rows of a trial: one a kind, and `all` with the times where there are several.
 * base holds what is the same for the whole invocation. Returns how many, at most
 * NR_KINDS + 1; the caller clears them.
 */
unsigned cell_rows(const struct cell *c, const struct cell_setup *s, const struct run_result *r,
		   const struct csv_row *base, uint64_t trial, struct csv_row *out);

/* Add to a row's warnings. Texts have no figures of the run, so that a report says each once. */
void cell_warn(struct csv_row *row, const char *text);

/*
 * What an audit counted that the table promised not to do, as "3 torn_reads"; it goes into the
 * rows' warnings, too. The caller frees it; NULL: nothing, or no audit.
 */
char *cell_broken_promise(const struct cell *c, const struct cell_setup *s,
			  const struct run_result *r, struct csv_row *row, unsigned nr);

/* The row of a trial that never came to its end: what was to run, and no figure. */
void cell_row_hung(const struct cell *c, const struct cell_setup *s, const struct csv_row *base,
		   uint64_t trial, struct csv_row *out);

#endif
