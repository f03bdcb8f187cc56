/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv - the one list of columns, a writer that loses nothing, a reader by name
 *
 * RFC 4180: quotes where needed, CRLF nowhere (LF, as every tool here reads it),
 * '.' as decimal point whatever the locale. An empty field was not measured.
 * Columns are never reordered, only added at the end.
 */
#ifndef TEARLINE_CSV_H
#define TEARLINE_CSV_H

#include "util.h"

#define CSV_SCHEMA 2

/*
 * x(name, type, what it is): a value that its type does not know is refused with its
 * place (csv_type.c), whoever wrote it; the rest is for `report --schema` and
 * results/README.md. A field may always be empty.
 */
/* clang-format off */
#define CSV_COLUMNS(x) \
	x(schema, COUNT, "version of this list of columns: 2") \
	x(run_id, TEXT, "one invocation of tearline: start time and process number") \
	x(started_utc, TIME, "when the trial began, ISO 8601") \
	x(host, TEXT, "node name") \
	x(cpu_model, TEXT, "as the kernel names it") \
	x(cores, WHOLE, "physical cores allowed to this process") \
	x(kernel, TEXT, "kernel release") \
	x(compiler, TEXT, "compiler and version that built tearline") \
	x(flags, TEXT, "optimisation and sanitizer flags of the build") \
	x(version, TEXT, "tearline's own version, from git") \
	x(table, TEXT, "table, as `tearline tables` lists it") \
	x(options, OPTIONS, "every option of the table, resolved: " \
		  "name=value;name=value; of a shared object also plugin=file#xxh64 and what built it") \
	x(kind, CHOICE("tt, pawn, eval, kv, all"), "tt, pawn, eval, kv; `all` for the " \
		  "row that carries the times of several") \
	x(trace, TEXT, "trace or workload") \
	x(trace_hash, HASH, "xxh64 of the whole trace, or of the first made stream, hexadecimal") \
	x(hash_mib, SIZE, "size asked for, MiB; entries end in e") \
	x(table_bytes, WHOLE, "bytes really allocated for the table, locks and counters included") \
	x(entries, WHOLE, "entries the table can hold") \
	x(page_size, PAGES, "what the kernel gave: 4k, thp, 2m, 1g, thp+4k") \
	x(threads, COUNT, "replaying threads") \
	x(placement, PLACEMENT, "core, compact, spread or list:...") \
	x(cpus, CPUS, "OS indices of the CPUs in pinning order") \
	x(oversubscribed, FLAG, "1 if there were more threads than allowed CPUs") \
	x(deal, CHOICE("split, clone, salt"), "rule for more threads than streams: " \
		  "split, clone, salt; fewer are merged") \
	x(clears, CHOICE("barrier, live, drop"), "recorded clears and repetitions: " \
		  "barrier, live, drop") \
	x(mode, CHOICE("throughput, audit, latency"), "throughput, audit, latency") \
	x(pacing, CHOICE("asap, recorded"), "asap; or recorded: no operation earlier " \
		  "than its stamp says, and no figure of speed") \
	x(caller, CHOICE("batch, branch, chain"), "what the caller does with an " \
		  "answer: batch, branch, chain") \
	x(lookahead, WHOLE, "operations ahead whose line is prefetched; 0 = none") \
	x(seed, WHOLE, "seed of everything random in the run") \
	x(trial, COUNT, "1, 2, ... within a cell") \
	x(seconds, DECIMAL, "timed: wall time in which all threads ran, clears excluded") \
	x(overlap, DECIMAL, "share of the replay in which all threads ran, and which was timed") \
	x(ops, WHOLE, "operations done, timed or not: probes and stores") \
	x(probes, WHOLE, "probes") \
	x(stores, WHOLE, "stores, dropped ones included") \
	x(hits, WHOLE, "probes with at least one matching entry") \
	x(matches, WHOLE, "entries that matched; may exceed probes") \
	x(usable_hits, WHOLE, "tt: probes whose answer allows a cutoff") \
	x(exact_hits, WHOLE, "usable hits by an exact score") \
	x(lower_hits, WHOLE, "usable hits by a lower bound") \
	x(upper_hits, WHOLE, "usable hits by an upper bound") \
	x(exact_stores, WHOLE, "tt: stores of exact scores") \
	x(lower_stores, WHOLE, "tt: stores of lower bounds") \
	x(upper_stores, WHOLE, "tt: stores of upper bounds") \
	x(drops, WHOLE, "tt: stores that say nothing and were dropped") \
	x(bumps, WHOLE, "tt: entries copied to another slot to make room") \
	x(refreshes, WHOLE, "entries rewritten with the current generation by probes") \
	x(contended_probes, WHOLE, "audit: probes whose line another wrote meanwhile; " \
		  "also if too long to tell") \
	x(contended_stores, WHOLE, "audit: stores whose line another wrote meanwhile; " \
		  "also if too long to tell") \
	x(torn_reads, WHOLE, "audit: verified slots with words no single store of that key wrote") \
	x(wrong_key_hits, WHOLE, "audit: intact entries of another key with the same signature") \
	x(false_misses, WHOLE, "audit: misses of keys that were resident, proved") \
	x(possible_false_misses, WHOLE, "audit: misses that a re-probe turned into hits, not proved") \
	x(stale_hits, WHOLE, "audit: an older store returned although a newer had completed") \
	x(lost_stores, WHOLE, "audit: completed stores that are gone for no reason") \
	x(unusable_slots, WHOLE, "audit, at rest: slots that verify for no key this run stored") \
	x(duplicate_keys, WHOLE, "audit, at rest, kv: keys in two slots") \
	x(copies_per_key, DECIMAL, "audit, at rest, tt: slots per distinct key (more " \
		  "than 1 by design)") \
	x(mops, DECIMAL, "million operations a second: sum of each thread's rate while it ran, " \
		  "never more than was done in `seconds`; empty if the threads hardly ran at the same time") \
	x(ns_per_op, DECIMAL, "nanoseconds per operation and thread while it ran") \
	x(p50_ns, DECIMAL, "latency: median") \
	x(p90_ns, DECIMAL, "latency: 90th percentile") \
	x(p99_ns, DECIMAL, "latency: 99th percentile") \
	x(p999_ns, DECIMAL, "latency: 99.9th percentile") \
	x(p9999_ns, DECIMAL, "latency: 99.99th percentile") \
	x(max_ns, DECIMAL, "latency: largest") \
	x(cycles_per_op, DECIMAL, "hardware counter, where there is one") \
	x(instructions_per_op, DECIMAL, "hardware counter, where there is one") \
	x(cache_misses_per_op, DECIMAL, "hardware counter, where there is one") \
	x(warnings, TEXT, "what a reader should know before trusting the row; semicolon separated") \
	x(stream_ns, DECIMAL, "the harness's floor, same streams and threads: reading an operation") \
	x(null_ns, DECIMAL, "the harness's floor: reading and dispatching an operation, no table") \
	x(refresh, CHOICE("always, stale, cas, never"), "tt: the refresh option in " \
		  "force: always, stale, cas, never") \
	x(undetected_tear, SHARE, "audit: chance that one torn entry passes the check") \
	x(replay_share, SHARE, "replay, timed or only counted, in the trial's whole " \
		  "time with setup and clears") \
	x(streams, WHOLE, "recorded streams of the trace, one a recorded thread") \
	x(preemptions, WHOLE, "times a replaying thread lost its CPU while the clock ran") \
	x(witness, FLAG, "audit: 1 if operations took stamps, which the judge needs, 0 if not") \
	x(proved_share, SHARE, "audit, exact mode: share of the false misses that the judge proved") \
	x(wrong_answers, WHOLE, "audit: answers that the entries do not give which they were made of") \
	x(ghost_hits, WHOLE, "audit: entries returned that a clear or another key's store had overwritten") \
	x(dead_pair_misses, WHOLE, "audit: misses of keys that nobody but their own stores removed") \
	x(contradictions, WHOLE, "audit: looks at a line that nobody wrote between, of which one found the key")
/* clang-format on */

#define CSV_ENUM(name, type, help) COL_##name,
enum csv_column { CSV_COLUMNS(CSV_ENUM) NR_COLS };
#undef CSV_ENUM
extern const char *const csv_names[NR_COLS];
extern const char *const csv_help[NR_COLS];

/* What a column may hold. */
struct csv_type {
	const char *name; /* "whole", or all choices: "batch, branch, chain" */
	const char *want; /* "a whole number", as messages say it */
	bool (*fits)(const char *s, const char *choices);
	const char *choices; /* of a choice */
};
extern const struct csv_type csv_types[NR_COLS];
/* NULL if this may stand in the column, as an empty field always may; or what may. */
const char *csv_misfit(enum csv_column c, const char *s);

/* One row under construction: NULL = not measured. Zero it, set, write, free. */
struct csv_row {
	char *field[NR_COLS];
};
void csv_set(struct csv_row *r, enum csv_column c, const char *s); /* copies */
void csv_set_u64(struct csv_row *r, enum csv_column c, uint64_t v);
/* Shortest form that keeps `digits` significant digits, '.' always. */
/* What is not finite was not measured: the field stays empty. */
void csv_set_double(struct csv_row *r, enum csv_column c, double v, int digits);
/* Into a row that holds nothing yet. */
void csv_copy(struct csv_row *dst, const struct csv_row *src);
void csv_row_clear(struct csv_row *r);

/*
 * Writer: "-" is standard output. A new or empty file gets the header; to one that
 * is there rows are appended, if its header is exactly ours: a file of fewer columns
 * would become ragged. Anything else is an error that names the first column that
 * differs, and the file stays as it was; a last row cut short by a crash is an error
 * that names the line. The file is locked against a second writer.
 */
struct csv_writer;
int csv_open(const char *path, struct csv_writer **out, struct err *e);
/*
 * Put the rows of one trial down, in one write, and fdatasync: 0 or -1, and where the disk is
 * full the part that went down is cut off again. An error, too, if the file was removed,
 * replaced or changed meanwhile; csv_close() looks once more.
 */
int csv_write(struct csv_writer *w, const struct csv_row *row, size_t nr, struct err *e);
int csv_close(struct csv_writer *w, struct err *e);

/* Reader: any RFC 4180 file with a header; columns are found by name; "-" is stdin. */
struct csv_file {
	char *path;
	size_t nr_cols, nr_rows;
	char **name; /* nr_cols */
	char **cell; /* nr_rows * nr_cols, row-major; "" = not measured */
	size_t *line; /* nr_rows: where each row begins in the file */
	char *data; /* what the cells point into */
};
int csv_read(const char *path, struct csv_file **out, struct err *e);
void csv_file_free(struct csv_file *f);
/*
 * Open to append to a regular file that a crash may have cut short: half a row at its end is
 * removed, and said. *f: the rows that are there, NULL if the file was new or empty.
 */
int csv_resume(const char *path, struct csv_writer **out, struct csv_file **f, struct err *e);
/* Remove the rows from number `row` on, of the file that is being written; f is what it held. */
int csv_cut(struct csv_writer *w, const struct csv_file *f, size_t row, struct err *e);
/* Index of a column, or -1. */
int csv_find(const struct csv_file *f, const char *name);
/* A cell as a finite number, '.' whatever the locale; -1 if it is none (as "" is). */
int csv_number(const char *s, double *out);

#endif
