// SPDX-License-Identifier: BSD-2-Clause
/*
 * plot_curves - a figure against threads or against size, one curve a table
 *
 * Each point is the median over the trials of one cell, with what can be said of so many: an
 * interval, or the range of a few (stats.h). Where curves share an x their points stand a few
 * pixels beside each other, so that every bar is seen; the tic is in the middle of them.
 */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct point {
	double x;
	struct interval y;
};

struct curve {
	const struct record *record;
	struct plot_style style;
	char *label;
	struct point *point;
	size_t nr;
};

struct sort {
	const char *what;
	bool (*wanted)(const struct record *r);
	enum csv_column x;
	double (*x_of)(const struct record *r);
	double (*y_of)(const struct record *r);
	const char *x_label, *y_label, *measure;
	bool from_zero;
	double most; /* of y; INFINITY: none */
	size_t least_points; /* that differ in x */
};

struct curves {
	struct curve *curve;
	size_t nr;
	double *x; /* the different ones, ascending */
	size_t nr_x;
	size_t fewest, most; /* trials of a point */
	bool log;
	double step; /* between curves, in the axis's unit */
	double bottom, top;
};

static void add_x(struct curves *cs, double x)
{
	size_t at = 0;

	while (at < cs->nr_x && cs->x[at] < x)
		at++;
	if (at < cs->nr_x && cs->x[at] == x)
		return;
	memmove(cs->x + at + 1, cs->x + at, (cs->nr_x - at) * sizeof(*cs->x));
	cs->x[at] = x;
	cs->nr_x++;
}

static void add_point(struct curves *cs, struct curve *c, const struct sort *sort,
		      const struct slice *cell)
{
	struct point *p = &c->point[c->nr];
	double *v = xcalloc(cell->nr, sizeof(*v));
	size_t nr = 0;

	for (size_t i = 0; i < cell->nr; i++) {
		v[nr] = sort->y_of(cell->row[i]);
		nr += !isnan(v[nr]);
	}
	if (nr) {
		p->x = sort->x_of(cell->row[0]);
		p->y = stats_median_spread(v, nr, BOOTSTRAP_SEED);
		add_x(cs, p->x);
		cs->fewest = cs->most && cs->fewest < nr ? cs->fewest : nr;
		cs->most = cs->most > nr ? cs->most : nr;
		c->nr++;
	}
	free(v);
}

static void add_curve(struct curves *cs, const struct plot *p, const struct sort *sort,
		      struct slice rows)
{
	const enum csv_column x[] = { sort->x, NR_COLS };
	struct curve *c = &cs->curve[cs->nr];

	c->record = rows.row[0];
	c->point = xcalloc(rows.nr, sizeof(*c->point));
	while (rows.nr) {
		struct slice cell = slice_take(&rows, x);

		add_point(cs, c, sort, &cell);
	}
	if (!c->nr) {
		free(c->point);
		return;
	}
	plot_style_of(p, c->record, &c->style);
	c->label = report_cell_label(&p->from, c->record);
	cs->nr++;
}

/* Tables first, then what measures the harness. */
static struct curves make_curves(const struct plot *p, const struct sort *sort,
				 const struct slice *rows)
{
	struct curves cs = { .curve = xcalloc(rows->nr, sizeof(*cs.curve)),
			     .x = xcalloc(rows->nr, sizeof(*cs.x)) };

	for (int floors = 0; floors < 2; floors++) {
		struct slice rest = *rows;

		while (rest.nr) {
			struct slice s = slice_take(&rest, dim_curve);

			if (report_is_floor(s.row[0]) == floors)
				add_curve(&cs, p, sort, s);
		}
	}
	return cs;
}

static void free_curves(struct curves *cs)
{
	for (size_t i = 0; i < cs->nr; i++) {
		free(cs->curve[i].label);
		free(cs->curve[i].point);
	}
	free(cs->curve);
	free(cs->x);
}

/* Where x stands on the axis: many threads and all sizes are spread by doubling. */
static double place(const struct curves *cs, double x)
{
	return cs->log ? log2(x) : x;
}

static double least_gap(const struct curves *cs)
{
	double gap = INFINITY;

	for (size_t i = 1; i < cs->nr_x; i++)
		gap = fmin(gap, place(cs, cs->x[i]) - place(cs, cs->x[i - 1]));
	return isinf(gap) ? 1 : gap;
}

/* Half the room between the nearest two, at most 9 pixels a curve. */
static double curve_step(const struct curves *cs, double range, double axis_px)
{
	return fmin(9 * range / axis_px, least_gap(cs) / 2 / (double)cs->nr);
}

static double curve_place(const struct curves *cs, size_t curve, double x)
{
	return place(cs, x) + cs->step * ((double)curve - (double)(cs->nr - 1) / 2);
}

static char *x_text(const struct curves *cs, size_t i)
{
	return xasprintf("%.6g", cs->x[i]);
}

/* All that were measured have a tic, and a number where it doesn't touch the one before. */
static void put_x_axis(struct picture *pic, struct curves *cs, const char *label)
{
	double first = place(cs, cs->x[0]), last = place(cs, cs->x[cs->nr_x - 1]);
	double pad = fmax((last - first) * 0.08, cs->nr_x > 1 ? least_gap(cs) * 0.4 : 1);
	double range = last - first + 2 * pad, free_from = -INFINITY;

	cs->step = curve_step(cs, range, pic->axis_px);
	fprintf(pic->gp, "set xlabel '%s'\nset xrange [%.9g:%.9g]\nset xtics ()\n", label,
		first - pad, last + pad);
	for (size_t i = 0; i < cs->nr_x; i++) {
		char *text = x_text(cs, i);
		double half = 5.0 * (double)(strlen(text) + 1) * range / pic->axis_px;
		double at = place(cs, cs->x[i]);
		bool fits = at - half >= free_from;

		plot_put_tic(pic->gp, 'x', fits ? text : "", at);
		if (fits)
			free_from = at + half;
		free(text);
	}
}

/* Floors are far above tables: they do not make the range if there is anything else. */
static void find_range(struct curves *cs, const struct sort *sort)
{
	double low = INFINITY, high = -INFINITY, pad;

	for (int floors = 0; floors < 2 && isinf(low); floors++) {
		for (size_t i = 0; i < cs->nr; i++) {
			const struct curve *c = &cs->curve[i];

			for (size_t k = 0; k < c->nr && c->style.floor == floors; k++) {
				low = fmin(low, c->point[k].y.lo);
				high = fmax(high, c->point[k].y.hi);
			}
		}
	}
	pad = fmax((high - low) * 0.08, high * 1e-3);
	if (!(pad > 0))
		pad = 1;
	cs->bottom = sort->from_zero ? 0 : fmax(low - pad, 0);
	cs->top = sort->from_zero ? high * 1.08 : fmin(high + pad, sort->most);
	if (!(cs->top > cs->bottom))
		cs->top = cs->bottom + 1;
}

/* "null", or "null (to 363, off the top)". Caller frees. */
static char *key_text(const struct curves *cs, const struct curve *c)
{
	double high = 0;

	for (size_t i = 0; i < c->nr; i++)
		high = fmax(high, c->point[i].y.mid);
	if (high <= cs->top)
		return xstrdup(c->label);
	return xasprintf("%s (to %.4g, off the top)", c->label, high);
}

static void put_data(FILE *f, const struct curves *cs)
{
	for (size_t i = 0; i < cs->nr; i++) {
		const struct curve *c = &cs->curve[i];

		fprintf(f, "$curve%zu << END\n", i);
		for (size_t k = 0; k < c->nr; k++)
			fprintf(f, "%.9g %.9g %.9g %.9g\n", curve_place(cs, i, c->point[k].x),
				c->point[k].y.mid, c->point[k].y.lo, c->point[k].y.hi);
		fputs("END\n", f);
	}
}

static void put_curves(FILE *f, const struct curves *cs)
{
	const char *sep = "plot";

	put_data(f, cs);
	for (size_t i = 0; i < cs->nr; i++) {
		const struct curve *c = &cs->curve[i];
		char *key = key_text(cs, c);

		fprintf(f,
			"%s $curve%zu using 1:2:3:4 with yerrorbars linecolor rgb '%s' "
			"pointtype %u pointsize %.2f linewidth 1 notitle, ",
			sep, i, c->style.colour, c->style.symbol, c->style.point_size);
		fprintf(f,
			"$curve%zu using 1:2 with linespoints linecolor rgb '%s' "
			"pointtype %u pointsize %.2f linewidth %.2f dashtype %s title ",
			i, c->style.colour, c->style.symbol, c->style.point_size,
			c->style.width, c->style.dash);
		plot_put_text(f, key);
		sep = ",";
		free(key);
	}
	fputc('\n', f);
}

static int draw(struct plot *p, const struct pictures *ps, const struct sort *sort,
		const struct slice *rows, bool *drawn, struct err *e)
{
	struct curves cs = make_curves(p, sort, rows);
	struct picture_size size = { .nr_keys = cs.nr };
	struct picture pic;
	char *subtitle;
	int ret = 0;

	*drawn = cs.nr && cs.nr_x >= sort->least_points;
	if (!*drawn)
		goto out_free;
	cs.log = sort->x == COL_hash_mib || cs.x[cs.nr_x - 1] > 8;
	find_range(&cs, sort);
	for (size_t i = 0; i < cs.nr; i++) {
		char *key = key_text(&cs, &cs.curve[i]);
		size_t len = strlen(key);

		size.key_chars = len > size.key_chars ? len : size.key_chars;
		free(key);
	}
	subtitle = plot_trials_text(sort->measure, cs.fewest, cs.most);
	picture_begin(&pic, p, ps, rows, &size, subtitle);
	put_x_axis(&pic, &cs, sort->x_label);
	fprintf(pic.gp, "set ylabel '%s'\nset yrange [%.9g:%.9g]\n", sort->y_label, cs.bottom,
		cs.top);
	put_curves(pic.gp, &cs);
	ret = picture_end(&pic, e);
	free(subtitle);
out_free:
	free_curves(&cs);
	return ret;
}

/* Number of pictures, or -1. */
static int draw_all(struct plot *p, const struct sort *sort, struct err *e)
{
	struct pictures ps;
	struct slice rows;
	int nr = 0, ret = 0;

	pictures_begin(&ps, p, sort->what, sort->wanted, sort->x);
	while (!ret && (rows = pictures_next(&ps)).nr) {
		bool drawn;

		ret = draw(p, &ps, sort, &rows, &drawn, e);
		nr += drawn;
	}
	pictures_end(&ps);
	return ret ? -1 : nr;
}

static double threads_of(const struct record *r)
{
	return record_double(r, COL_threads);
}

static double mops_of(const struct record *r)
{
	return record_double(r, COL_mops);
}

int plot_scaling(struct plot *p, struct err *e)
{
	static const struct sort sort = {
		.what = "scaling",
		.wanted = plot_has_speed,
		.x = COL_threads,
		.x_of = threads_of,
		.y_of = mops_of,
		.x_label = "threads",
		.y_label = "million operations a second, all threads together",
		.measure = "speed",
		.from_zero = true,
		.most = INFINITY,
		.least_points = 1,
	};

	return draw_all(p, &sort, e);
}

/* Entries and MiB do not go on one axis. */
static bool in_entries(const struct record *r)
{
	const char *size = r->field[COL_hash_mib];

	return *size && size[strlen(size) - 1] == 'e';
}

static double size_of(const struct record *r)
{
	char *number = xasprintf("%.*s", (int)strcspn(r->field[COL_hash_mib], "e"),
				 r->field[COL_hash_mib]);
	double size;

	if (csv_number(number, &size))
		size = NAN;
	free(number);
	return size;
}

static double hit_share(const struct record *r)
{
	return 100 * record_double(r, COL_hits) / record_double(r, COL_probes);
}

/* Without probes there is no share, and without a table no place on the axis. */
static bool has_share(const struct record *r)
{
	return record_is(r, COL_mode, "throughput") && record_has(r, COL_hits) &&
	       record_u64(r, COL_probes) && size_of(r) > 0 && !report_is_floor(r);
}

static bool has_share_in_mib(const struct record *r)
{
	return has_share(r) && !in_entries(r);
}

static bool has_share_in_entries(const struct record *r)
{
	return has_share(r) && in_entries(r);
}

int plot_hits(struct plot *p, struct err *e)
{
	struct sort sort = {
		.what = "hits",
		.wanted = has_share_in_mib,
		.x = COL_hash_mib,
		.x_of = size_of,
		.y_of = hit_share,
		.x_label = "size of the table, MiB",
		.y_label = "probes that hit, %",
		.measure = "share of probes that hit",
		.most = 100,
		.least_points = 2,
	};
	int mib = draw_all(p, &sort, e), entries;

	if (mib < 0)
		return -1;
	sort.what = "hits-entries";
	sort.wanted = has_share_in_entries;
	sort.x_label = "size of the table, entries";
	entries = draw_all(p, &sort, e);
	return entries < 0 ? -1 : mib + entries;
}
