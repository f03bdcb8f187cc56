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

/* A list of columns, ended by NR_COLS. */
extern const enum csv_column report_machine_columns[]; /* host, CPU, kernel, build */
extern const enum csv_column report_setting_columns[]; /* placement, caller, ... */
extern const enum csv_column report_cell_columns[]; /* table, options, ..., threads */
extern const enum csv_column report_variant_columns[]; /* table, options */

/* Rows of that mode by group and cell, or by variant. Free .row. */
struct slice report_select_cells(const struct report *rp, const char *mode);
struct slice report_select_variants(const struct report *rp, const char *mode);
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
/* sum(above) / sum(below) over the rows that have both; NAN if there are none. */
double slice_share(const struct slice *s, enum csv_column above, enum csv_column below);

/* Figures as text; NULL for NAN. Caller frees. */
char *text_figure(double v);
/* "[lo, hi]" from resampling, "(lo..hi)" for the range of a few, NULL for one. */
char *text_interval(const struct interval *i, size_t nr);

void report_head(const struct report *rp);
void report_speed(const struct report *rp);
void report_latency(const struct report *rp);
void report_audit(const struct report *rp);
void report_notes(const struct report *rp);

#endif
