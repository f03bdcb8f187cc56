// SPDX-License-Identifier: BSD-2-Clause
/*
 * plot_rate - rates of wrong answers, and the axis they stand on
 *
 * Rates are per million operations, with a 95 % interval, on an axis by powers of ten. Zero
 * is not on such an axis: it has a band of its own below. A zero says as much as there was
 * occasion to see something else, and nearly all of these faults take two threads that meet:
 * so its bar ends at the rate, per million operations that met another thread's store, which
 * so many of them still allow.
 */
#include "plot.h"

#include <math.h>
#include <stdlib.h>

void sums_add(struct sums *s, uint64_t count, const struct record *r, enum csv_column of,
	      enum csv_column met)
{
	if (!record_u64(r, of))
		return;
	s->met_measured = record_has(r, met) && (s->met_measured || !s->measured);
	s->measured = true;
	s->count += count;
	s->of += record_u64(r, of);
	s->met += record_u64(r, met);
}

static struct interval share_of(uint64_t k, uint64_t n)
{
	/* several words of one probe may be wrong */
	struct interval i = stats_wilson(k < n ? k : n, n);

	i.mid = (double)k / (double)n;
	i.hi = fmax(i.hi, i.mid);
	return i;
}

struct rate rate_of(const struct sums *s)
{
	struct rate r = { .measured = s->measured, .count = s->count };

	if (!s->measured)
		return r;
	r.at = share_of(s->count, s->of);
	r.bounded = s->count || s->met_measured;
	if (!s->count)
		r.at.hi = s->met ? stats_excluded(s->met) : 1;
	r.at.mid *= 1e6;
	r.at.lo *= 1e6;
	r.at.hi *= 1e6;
	return r;
}

void decades_add(struct decades *d, const struct rate *r)
{
	double least = r->count ? r->at.lo : r->at.hi;
	double most = r->bounded ? r->at.hi : r->at.mid;

	if (!r->measured)
		return;
	if (!d->any)
		*d = (struct decades){ .low = INFINITY, .high = -INFINITY, .any = true };
	if (least > 0)
		d->low = fmin(d->low, floor(log10(least)));
	if (most > 0)
		d->high = fmax(d->high, ceil(log10(most * 1.1)));
}

void decades_end(struct decades *d, double axis_px, double band_px)
{
	if (isinf(d->low))
		d->low = -1;
	d->high = fmax(fmax(d->high, d->low + 1), d->low + 1);
	band_px = fmin(band_px, axis_px / 2);
	d->band = (d->high - d->low) * band_px / (axis_px - band_px);
}

double decades_place(const struct decades *d, double rate)
{
	return rate > 0 ? fmax(log10(rate), d->low - d->band / 2) : d->low - d->band / 2;
}

void decades_put(FILE *f, const struct decades *d, const char *label)
{
	/* for the symbol and the name of what stands at the top */
	double room = 0.04 * (d->high - d->low + d->band);

	fprintf(f,
		"set ylabel '%s'\nset yrange [%.9g:%.9g]\nset ytics ()\n"
		"set object 1 rectangle from graph 0, first %.9g to graph 1, first %.9g "
		"fillcolor rgb '#f0f0f0' fillstyle solid noborder behind\n",
		label, d->low - d->band, d->high + room, d->low - d->band, d->low);
	plot_put_tic(f, 'y', "0", d->low - d->band / 2);
	for (double u = d->low; u <= d->high; u++) {
		char *text = xasprintf("%g", pow(10, u));

		plot_put_tic(f, 'y', text, u);
		free(text);
	}
}
