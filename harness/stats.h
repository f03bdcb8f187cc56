/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats - what a handful of trials says, without assuming how they are distributed
 *
 * Medians and percentile bootstrap intervals (Efron 1979). The resampling is seeded
 * by the caller: the same figures give the same interval, today and tomorrow. With
 * fewer than STATS_MIN_BOOTSTRAP values a resampled median is hardly more than one
 * of the values, so that callers show the range instead.
 */
#ifndef TEARLINE_STATS_H
#define TEARLINE_STATS_H

#include "util.h"

#define STATS_MIN_BOOTSTRAP 5
/* Any seed does; the same one makes the same report and picture of the same file. */
#define BOOTSTRAP_SEED 0x7ea41e

struct interval {
	double mid, lo, hi;
};

/* All need n > 0 and leave `v` as it was. */
double stats_min(const double *v, size_t n);
double stats_max(const double *v, size_t n);
/* Linear between order statistics (Hyndman and Fan's type 7); q within [0, 1]. */
double stats_quantile(const double *v, size_t n, double q);
double stats_median(const double *v, size_t n);
/* Median distance from the median, unscaled. */
double stats_mad(const double *v, size_t n);

/* Median with its 95 % percentile interval. */
struct interval stats_median_interval(const double *v, size_t n, uint64_t seed);
/* median(a) / median(b) with its 95 % percentile interval, both resampled; b > 0. */
struct interval stats_ratio_interval(const double *a, size_t na, const double *b, size_t nb,
				     uint64_t seed);

/* The same with the whole range in place of an interval. */
struct interval stats_median_range(const double *v, size_t n);
struct interval stats_ratio_range(const double *a, size_t na, const double *b, size_t nb);

/* What can be said of so many trials: the interval, or below STATS_MIN_BOOTSTRAP the range. */
struct interval stats_median_spread(const double *v, size_t n, uint64_t seed);
struct interval stats_ratio_spread(const double *a, size_t na, const double *b, size_t nb,
				   uint64_t seed);

/* Share k / n of n > 0 trials, with Wilson's 95 % score interval (1927): honest at the ends. */
struct interval stats_wilson(uint64_t k, uint64_t n);

/*
 * None seen in n > 0 trials: a share above this would have shown with 95 % probability.
 * Exact; 3 / n for many ("rule of three").
 */
double stats_excluded(uint64_t n);

#endif
