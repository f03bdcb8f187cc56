/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plot - what the parts of `tearline plot` share
 *
 * Rows are grouped, and medians, intervals, rates and places on the axes are computed, here.
 * gnuplot gets numbers, and texts in which nothing can be a command or a format; it reads
 * them from memory and answers there, so that no name that a user gave is ever opened by it
 * and a picture is on the disk whole or not at all.
 */
#ifndef TEARLINE_PLOT_H
#define TEARLINE_PLOT_H

#include "dimensions.h"
#include "report.h"

enum plot_format { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_GNUPLOT };
#define PLOT_FORMATS "png|svg|pdf|gp"

struct plot {
	struct report from; /* its rows, and what their tables are called */
	const char *dir;
	unsigned format; /* enum plot_format */
	char **name; /* of the files that were made */
	size_t nr_names;
};

/* What a curve or point looks like; see plot_style.c. */
struct plot_style {
	char colour[8]; /* "#rrggbb" */
	unsigned symbol; /* gnuplot's pointtype */
	const char *dash; /* gnuplot's dashtype */
	double width, point_size;
	bool floor; /* measures the harness */
};
void plot_style_of(const struct plot *p, const struct record *r, struct plot_style *s);

/* Rows for pictures of one sort, a picture's together, and in it a curve's, by x. */
struct pictures {
	const char *what; /* "scaling" */
	struct slice all, rest;
	enum csv_column group[NR_COLS + 1]; /* what a picture never mixes, ended by NR_COLS */
	/* between these rows; and even between some of one trace */
	bool varies[NR_COLS], varies_within[NR_COLS];
};
/* `x` is the column that goes along the axis, or NR_COLS: a picture for each thread count. */
void pictures_begin(struct pictures *ps, const struct plot *p, const char *what,
		    bool (*wanted)(const struct record *r), enum csv_column x);
/* The rows of the next picture; none: that was the last. */
struct slice pictures_next(struct pictures *ps);
void pictures_end(struct pictures *ps);

/* Is it a speed that means something: one of threads that ran together? */
bool plot_has_speed(const struct record *r);

/* "1 MiB", "4096 entries". Caller frees, as of all texts here. */
char *plot_size_text(const struct record *r);
char *plot_title(const struct pictures *ps, const struct record *r);
/* "speed: median of 5 trials, bars: their 95 % interval" */
char *plot_trials_text(const char *measure, size_t fewest, size_t most);
/* "scaling-sf11-tt-16MiB": letters, digits, dots, dashes and underscores only. */
char *plot_name(const struct pictures *ps, const struct record *r);

/* A picture under way: a program for gnuplot. */
struct picture {
	struct plot *plot;
	FILE *gp;
	char *text;
	size_t len;
	char *name;
	double width, height; /* pixels, of the whole */
	double axis_px, axis_height; /* of the x axis, and of the y axis */
};
struct picture_size {
	size_t nr_keys, key_chars; /* entries beside the axes, and the longest of them */
	double least_axis; /* pixels; 0: as usual */
	double bottom; /* pixels under the axis for its labels; 0: as usual */
};
void picture_begin(struct picture *pic, struct plot *p, const struct pictures *ps,
		   const struct slice *rows, const struct picture_size *size,
		   const char *subtitle);
/* Run it, put the file down, print its name; 0 or -1. */
int picture_end(struct picture *pic, struct err *e);

/* A text as gnuplot reads it back: quoted, and what is no plain text replaced. */
void plot_put_text(FILE *f, const char *text);
/* A text beside a tic of the axis 'x' or 'y', where a per cent sign would be a format. */
void plot_put_tic(FILE *f, char axis, const char *text, double at);

/* A count over its occasions, as a rate. */
struct rate {
	bool measured;
	bool bounded; /* there is something to say of its error */
	uint64_t count;
	struct interval at; /* per million */
};
/* What is added up: `of` operations, `met` of them with another thread's store. */
struct sums {
	uint64_t count, of, met;
	bool measured, met_measured;
};
void sums_add(struct sums *s, uint64_t count, const struct record *r, enum csv_column of,
	      enum csv_column met);
struct rate rate_of(const struct sums *s);

/* An axis by powers of ten, from 10^low to 10^high per million, and a band for zero. */
struct decades {
	double low, high, band;
	bool any; /* a rate was measured at all */
};
void decades_add(struct decades *d, const struct rate *r);
/* When all are added, and the axis is so many pixels long, the band among them. */
void decades_end(struct decades *d, double axis_px, double band_px);
/* Where a rate stands on the axis; zero in the middle of the band. */
double decades_place(const struct decades *d, double rate);
void decades_put(FILE *f, const struct decades *d, const char *label);

int plot_scaling(struct plot *p, struct err *e);
int plot_hits(struct plot *p, struct err *e);
int plot_anomalies(struct plot *p, struct err *e);
int plot_choice(struct plot *p, struct err *e);

#endif
