/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report - what the parts of `tearline report` share
 *
 * A person asks: which scheme, how fast, and does it ever lie? Rows become cells
 * (trials of one table under the same circumstances), cells of the same circumstances
 * become one text table. Nothing is ever summed over different circumstances.
 */
#ifndef TEARLINE_REPORT_H
#define TEARLINE_REPORT_H

#include <stdio.h>
#include "dimensions.h"
#include "records.h"
#include "stats.h"

struct report {
	struct records rows;
	const struct record **machine; /* one row of each machine and build */
	size_t nr_machines;
	const char *baseline; /* table that others are compared with */
	FILE *out;
};

/* Sorted rows; a slice borrows from the array of the slice it was taken from. */
struct slice {
	const struct record **row;
	size_t nr;
};

bool report_same_machine(const struct record *a, const struct record *b);

/* Rows of that mode by group and cell, or those of a machine by variant. Free .row. */
struct slice report_select_cells(const struct report *rp, const char *mode);
struct slice report_select_variants(const struct report *rp, const char *mode,
				    const struct record *machine);
/* Take rows off the front that agree: machine, trace and settings; or the columns. */
struct slice slice_take_group(struct slice *rest);
struct slice slice_take(struct slice *rest, const enum csv_column *columns);

/* The record's label, with the page size behind an '@' where that differs between rows. */
char *report_cell_label(const struct report *rp, const struct record *r);
/* One line that says what all rows of a group have in common. */
void report_print_group(const struct report *rp, const struct record *r);
/* "4", or "4*" where there were more threads than CPUs. Caller frees. */
char *report_threads(const struct record *r);

/* The measured values of a column, and how many (*nr may be 0). Caller frees. */
double *slice_values(const struct slice *s, enum csv_column c, size_t *nr);
/* The same of a figure of speed, without the trials that have none (report_is_timed()). */
double *slice_speeds(const struct slice *s, enum csv_column c, size_t *nr);
/* Did all threads run together for long enough that a figure of speed means something? */
bool report_is_timed(const struct record *r);
/* A floor (null, stream, touch) measures the harness and the memory: it is no table. */
bool report_is_floor(const struct record *r);
/*
 * Traffic in which every key probed is there all along, so that every miss is one too many
 * and needs no audit to be known: hot-update and its like.
 */
bool report_all_resident(const struct record *r);
/* Rows without the audit of what an audited cell is of. Free .row. */
struct slice report_select_unaudited(const struct report *rp, const struct record *audited);
/* sum(above) / sum(below) over the rows that have both; NAN if there are none. */
double slice_share(const struct slice *s, enum csv_column above, enum csv_column below);

/* One table under the same circumstances: its trials, and the speeds of those that have one. */
struct report_cell {
	struct slice rows;
	double *mops;
	size_t nr;
};

struct report_cells {
	struct report_cell *cell;
	size_t nr;
};

struct report_cells cells_make(struct slice group);
void cells_free(struct report_cells *cs);
/* Median of a's speeds over b's, with what can be said of so many trials; both have some. */
struct interval cell_ratio(const struct report_cell *a, const struct report_cell *b);

/* Figures as text; NULL for NAN. Caller frees. */
char *text_figure(double v);
/* "[lo, hi]" from resampling, "(lo..hi)" for the range of a few, NULL for one. */
char *text_interval(const struct interval *i, size_t nr);

void report_verdict(const struct report *rp);
/* What the audit saw of each table on that machine, a line each. */
void report_answers(const struct report *rp, const struct record *machine);
void report_head(const struct report *rp);
/* "machine 2: host, CPU, ..." */
void report_print_machine(const struct report *rp, size_t i);
void report_speed(const struct report *rp);
void report_latency(const struct report *rp);
void report_audit(const struct report *rp);
void report_notes(const struct report *rp);

#endif
