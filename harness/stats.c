// SPDX-License-Identifier: BSD-2-Clause
/* stats - medians, spreads and bootstrap intervals of a handful of trials. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the 2.5 % ends to stand still in the third digit. */
#define NR_RESAMPLES 4000

double stats_min(const double *v, size_t n)
{
	double min = v[0];

	for (size_t i = 1; i < n; i++)
		min = fmin(min, v[i]);
	return min;
}

double stats_max(const double *v, size_t n)
{
	double max = v[0];

	for (size_t i = 1; i < n; i++)
		max = fmax(max, v[i]);
	return max;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile_sorted(const double *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return v[n - 1];
	return v[below] + (at - (double)below) * (v[below + 1] - v[below]);
}

/* Sorts `v`. */
static double quantile_of(double *v, size_t n, double q)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return quantile_sorted(v, n, q);
}

double stats_quantile(const double *v, size_t n, double q)
{
	double *copy = xcalloc(n, sizeof(*copy));
	double got;

	memcpy(copy, v, n * sizeof(*copy));
	got = quantile_of(copy, n, q);
	free(copy);
	return got;
}

double stats_median(const double *v, size_t n)
{
	return stats_quantile(v, n, 0.5);
}

double stats_mad(const double *v, size_t n)
{
	double median = stats_median(v, n);
	double *dist = xcalloc(n, sizeof(*dist));
	double mad;

	for (size_t i = 0; i < n; i++)
		dist[i] = fabs(v[i] - median);
	mad = quantile_of(dist, n, 0.5);
	free(dist);
	return mad;
}

/* The k-th smallest of a sample in which sorted[i] occurs count[i] times. */
static double pick(const double *sorted, const uint32_t *count, size_t k)
{
	size_t i = 0;

	for (size_t seen = count[0]; seen <= k; seen += count[i])
		i++;
	return sorted[i];
}

/*
 * Median of n values drawn with replacement. How often each was drawn says where the
 * middle is, without sorting the sample; `count` holds n.
 */
static double resampled_median(const double *sorted, size_t n, uint32_t *count, uint64_t *rng)
{
	memset(count, 0, n * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		count[rng_below(rng, n)]++;
	return (pick(sorted, count, (n - 1) / 2) + pick(sorted, count, n / 2)) / 2;
}

static double *sorted_copy(const double *v, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	memcpy(copy, v, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

/* The middle 95 % of `v`, which gets sorted. */
static struct interval percentile_interval(double mid, double *v, size_t n)
{
	struct interval ci = { .mid = mid };

	ci.lo = quantile_of(v, n, 0.025);
	ci.hi = quantile_sorted(v, n, 0.975);
	return ci;
}

struct interval stats_median_interval(const double *v, size_t n, uint64_t seed)
{
	double *sorted = sorted_copy(v, n);
	uint32_t *count = xcalloc(n, sizeof(*count));
	double *boot = xcalloc(NR_RESAMPLES, sizeof(*boot));
	struct interval ci;

	for (size_t i = 0; i < NR_RESAMPLES; i++)
		boot[i] = resampled_median(sorted, n, count, &seed);
	ci = percentile_interval(quantile_sorted(sorted, n, 0.5), boot, NR_RESAMPLES);
	free(boot);
	free(count);
	free(sorted);
	return ci;
}

struct interval stats_ratio_interval(const double *a, size_t na, const double *b, size_t nb,
				     uint64_t seed)
{
	double *above = sorted_copy(a, na), *below = sorted_copy(b, nb);
	uint32_t *count = xcalloc(na > nb ? na : nb, sizeof(*count));
	double *boot = xcalloc(NR_RESAMPLES, sizeof(*boot));
	struct interval ci;

	for (size_t i = 0; i < NR_RESAMPLES; i++) {
		boot[i] = resampled_median(above, na, count, &seed);
		boot[i] /= resampled_median(below, nb, count, &seed);
	}
	ci = percentile_interval(stats_median(a, na) / stats_median(b, nb), boot, NR_RESAMPLES);
	free(boot);
	free(count);
	free(below);
	free(above);
	return ci;
}

struct interval stats_median_range(const double *v, size_t n)
{
	return (struct interval){ stats_median(v, n), stats_min(v, n), stats_max(v, n) };
}

struct interval stats_ratio_range(const double *a, size_t na, const double *b, size_t nb)
{
	return (struct interval){ .mid = stats_median(a, na) / stats_median(b, nb),
				  .lo = stats_min(a, na) / stats_max(b, nb),
				  .hi = stats_max(a, na) / stats_min(b, nb) };
}

struct interval stats_median_spread(const double *v, size_t n, uint64_t seed)
{
	return n < STATS_MIN_BOOTSTRAP ? stats_median_range(v, n)
				       : stats_median_interval(v, n, seed);
}

struct interval stats_ratio_spread(const double *a, size_t na, const double *b, size_t nb,
				   uint64_t seed)
{
	return (na < nb ? na : nb) < STATS_MIN_BOOTSTRAP
		       ? stats_ratio_range(a, na, b, nb)
		       : stats_ratio_interval(a, na, b, nb, seed);
}

struct interval stats_wilson(uint64_t k, uint64_t n)
{
	const double z = 1.959963984540054; /* 97.5 % of a normal distribution is below */
	double nr = (double)n, p = (double)k / nr, zz = z * z / nr;
	double mid = (p + zz / 2) / (1 + zz);
	double half = z / (1 + zz) * sqrt(p * (1 - p) / nr + zz / (4 * nr));

	/* Exact where rounding would leave a hair of a share that was never seen. */
	return (struct interval){ .mid = p,
				  .lo = k ? mid - half : 0,
				  .hi = k < n ? mid + half : 1 };
}

double stats_excluded(uint64_t n)
{
	/* (1 - share)^n = 0.05 */
	return -expm1(log(0.05) / (double)n);
}
