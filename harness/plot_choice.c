// SPDX-License-Identifier: BSD-2-Clause
/*
 * plot_choice - speed against wrong answers, one point a table: which one is to be chosen?
 *
 * Speed comes from rows of mode throughput and wrong answers from audits, as an audit slows a
 * table down. Both are of the same machine and build, the same trace, threads and settings.
 * Audits are often of a smaller table, which is hotter: if speed was not measured at their
 * size it is taken from the nearest one, and the axes say so.
 */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Answers that are proved wrong, first those that no store explains. */
static const enum csv_column wrong[] = { COL_torn_reads,       COL_wrong_key_hits,
					 COL_wrong_answers,    COL_false_misses,
					 COL_dead_pair_misses, COL_stale_hits,
					 COL_ghost_hits };
#define NR_LIES 3

struct choice {
	char *label;
	struct plot_style style;
	struct rate wrong;
	bool lied;
	struct interval mops;
};

struct choices {
	struct choice *choice;
	size_t nr;
	bool counted[ARRAY_SIZE(wrong)]; /* by all audits of the picture */
	const struct record *speed; /* one of those that speed is of */
	size_t fewest, most; /* trials of a speed */
};

static bool is_audit(const struct record *r)
{
	return record_is(r, COL_mode, "audit") && record_u64(r, COL_probes);
}

static bool same_but(const struct record *a, const struct record *b,
		     const enum csv_column *columns, const enum csv_column *but)
{
	for (; *columns != NR_COLS; columns++) {
		const enum csv_column *c = but;

		while (*c != NR_COLS && *c != *columns)
			c++;
		if (*c == NR_COLS && !record_same(a, b, *columns))
			return false;
	}
	return true;
}

/* Is it a speed under the audit's circumstances, but for the size? */
static bool is_beside(const struct record *speed, const struct record *audit)
{
	/* only audits have a witness, and only those that keep a recorded pace have no speed */
	static const enum csv_column but[] = { COL_hash_mib, COL_witness, COL_pacing, NR_COLS };

	return record_same(speed, audit, COL_threads) &&
	       same_but(speed, audit, dim_trace, but) &&
	       same_but(speed, audit, dim_setting, but) &&
	       same_but(speed, audit, dim_machine, but) && plot_has_speed(speed);
}

/* How far apart two sizes are; those in entries and those in MiB are never near. */
static double distance(const struct record *a, const struct record *b)
{
	double x = record_double(a, COL_hash_mib), y = record_double(b, COL_hash_mib);

	if (record_same(a, b, COL_hash_mib))
		return 0;
	return x > 0 && y > 0 ? 1 + fabs(log2(x / y)) : INFINITY;
}

/* A speed of the size nearest to the audit's, the smaller of two; NULL: there is none. */
static const struct record *nearest_speed(const struct records *rows,
					  const struct record *audit)
{
	const struct record *best = NULL;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct record *r = &rows->rec[i];

		if (!is_beside(r, audit) || isinf(distance(r, audit)))
			continue;
		if (!best || distance(r, audit) < distance(best, audit) ||
		    (distance(r, audit) == distance(best, audit) &&
		     record_double(r, COL_hash_mib) < record_double(best, COL_hash_mib)))
			best = r;
	}
	return best;
}

static bool is_speed_of(const struct record *r, const struct record *audit,
			const struct record *speed, const enum csv_column *same)
{
	const enum csv_column none[] = { NR_COLS };

	return same_but(r, audit, same, none) && record_same(r, speed, COL_hash_mib) &&
	       is_beside(r, audit);
}

/*
 * Speeds of the audit's table at that size; *nr of them, 0 if they are of several sizes of
 * pages, none of which is the audit's. Caller frees.
 */
static double *speeds_of(const struct records *rows, const struct record *audit,
			 const struct record *speed, size_t *nr)
{
	double *v = xcalloc(rows->nr, sizeof(*v));
	const struct record *first = NULL;
	bool same_pages = false, mixed = false;

	*nr = 0;
	for (size_t i = 0; i < rows->nr; i++)
		same_pages |= is_speed_of(&rows->rec[i], audit, speed, dim_curve);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct record *r = &rows->rec[i];

		if (!is_speed_of(r, audit, speed, same_pages ? dim_curve : dim_variant))
			continue;
		first = first ? first : r;
		mixed |= !record_same(first, r, COL_page_size);
		v[(*nr)++] = record_double(r, COL_mops);
	}
	/* at the audit's own size other pages are another table, at another size they may be
	 * what there was */
	if (mixed || (!same_pages && record_same(audit, speed, COL_hash_mib)))
		*nr = 0;
	return v;
}

static void find_counted(struct choices *cs, const struct slice *rows)
{
	for (size_t k = 0; k < ARRAY_SIZE(wrong); k++) {
		cs->counted[k] = true;
		for (size_t i = 0; i < rows->nr; i++)
			cs->counted[k] &= record_has(rows->row[i], wrong[k]);
	}
}

static struct rate wrong_of(const struct choices *cs, const struct slice *rows, bool *lied)
{
	struct sums s = { 0 };

	*lied = false;
	for (size_t i = 0; i < rows->nr; i++) {
		uint64_t count = 0;

		for (size_t k = 0; k < ARRAY_SIZE(wrong); k++) {
			uint64_t n = cs->counted[k] ? record_u64(rows->row[i], wrong[k]) : 0;

			count += n;
			*lied |= k < NR_LIES && n;
		}
		sums_add(&s, count, rows->row[i], COL_probes, COL_contended_probes);
	}
	return rate_of(&s);
}

static void add_choice(struct choices *cs, const struct plot *p, const struct slice *rows)
{
	struct choice *c = &cs->choice[cs->nr];
	const struct record *r = rows->row[0];
	size_t nr;
	double *mops = speeds_of(&p->from.rows, r, cs->speed, &nr);

	if (nr) {
		char *name = report_cell_label(&p->from, r);

		c->mops = stats_median_spread(mops, nr, BOOTSTRAP_SEED);
		c->wrong = wrong_of(cs, rows, &c->lied);
		c->label = xasprintf("%s%s", name, c->lied ? " (lied)" : "");
		plot_style_of(p, r, &c->style);
		cs->fewest = cs->nr && cs->fewest < nr ? cs->fewest : nr;
		cs->most = cs->most > nr ? cs->most : nr;
		cs->nr++;
		free(name);
	}
	free(mops);
}

static struct choices make_choices(const struct plot *p, struct slice rows)
{
	struct choices cs = { .choice = xcalloc(rows.nr, sizeof(*cs.choice)),
			      .speed = nearest_speed(&p->from.rows, rows.row[0]) };

	find_counted(&cs, &rows);
	while (rows.nr && cs.speed) {
		struct slice s = slice_take(&rows, dim_curve);

		add_choice(&cs, p, &s);
	}
	return cs;
}

static void free_choices(struct choices *cs)
{
	for (size_t i = 0; i < cs->nr; i++)
		free(cs->choice[i].label);
	free(cs->choice);
}

/* "torn reads + false misses, per million probes"; NULL: nothing was counted. */
static char *wrong_text(const struct choices *cs)
{
	char *text = NULL;

	for (size_t k = 0; k < ARRAY_SIZE(wrong); k++) {
		char *longer;

		if (!cs->counted[k])
			continue;
		longer = text ? xasprintf("%s + %s", text, csv_names[wrong[k]])
			      : xstrdup(csv_names[wrong[k]]);
		free(text);
		text = longer;
	}
	for (char *c = text; c && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return text;
}

static char *subtitle_of(const struct choices *cs, const struct record *audit,
			 const char *counted)
{
	char *at = plot_size_text(audit), *speed_at = plot_size_text(cs->speed);
	bool same = record_same(audit, cs->speed, COL_hash_mib);
	char *sizes = same ? xstrdup("")
			   : xasprintf("\nspeed with %s, answers with %s", speed_at, at);
	char *speed = plot_trials_text("speed", cs->fewest, cs->most);
	char *text =
		xasprintf("%s\nwrong: %s, and 95 %% interval\n"
			  "in the band none was seen; the bar ends at what this still allows\n"
			  "per million contended probes, if that is known%s",
			  speed, counted, sizes);

	free(speed);
	free(sizes);
	free(speed_at);
	free(at);
	return text;
}

static size_t count_zeros(const struct choices *cs)
{
	size_t nr = 0;

	for (size_t i = 0; i < cs->nr; i++)
		nr += !cs->choice[i].wrong.count;
	return nr;
}

/* Tables without wrong answers stand one below the other, so that none hides another. */
static double height_of(const struct choices *cs, const struct decades *d, size_t i,
			size_t *zeros)
{
	if (cs->choice[i].wrong.count)
		return decades_place(d, cs->choice[i].wrong.at.mid);
	++*zeros;
	return d->low - d->band * (double)*zeros / (double)(count_zeros(cs) + 1);
}

/* The name beside its point, on the side where there is room. */
static void put_name(FILE *f, const struct choice *c, double y, double fastest)
{
	bool left = c->mops.mid > 0.6 * fastest;

	fputs("set label ", f);
	plot_put_text(f, c->label);
	fprintf(f, " at %.9g,%.9g %s offset character %s,0.5 font ',10' textcolor rgb '%s'\n",
		c->mops.mid, y, left ? "right" : "left", left ? "-0.8" : "0.8",
		c->style.colour);
}

static void put_points(FILE *f, const struct choices *cs, const struct decades *d,
		       double fastest)
{
	const char *sep = "plot";
	size_t zeros = 0;

	for (size_t i = 0; i < cs->nr; i++) {
		const struct choice *c = &cs->choice[i];
		double y = height_of(cs, d, i, &zeros);
		bool zero = !c->wrong.count;
		double lo = zero ? y : decades_place(d, c->wrong.at.lo);
		double hi = zero && !c->wrong.bounded ? y : decades_place(d, c->wrong.at.hi);

		fprintf(f, "$point%zu << END\n%.9g %.9g %.9g %.9g %.9g %.9g\nEND\n", i,
			c->mops.mid, y, c->mops.lo, c->mops.hi, lo, hi);
		put_name(f, c, y, fastest);
	}
	for (size_t i = 0; i < cs->nr; i++) {
		const struct choice *c = &cs->choice[i];

		fprintf(f,
			"%s $point%zu using 1:2:3:4:5:6 with xyerrorbars linecolor rgb '%s' "
			"pointtype %u pointsize %.2f linewidth %.2f dashtype %s title ",
			sep, i, c->style.colour, c->style.symbol, c->style.point_size * 1.2,
			c->style.width * 0.75, c->style.dash);
		plot_put_text(f, c->label);
		sep = ",";
	}
	fputc('\n', f);
}

static int draw(struct plot *p, const struct pictures *ps, const struct slice *rows,
		bool *drawn, struct err *e)
{
	struct choices cs = make_choices(p, *rows);
	struct decades d = { 0 };
	struct picture_size size = { .nr_keys = cs.nr };
	char *counted = wrong_text(&cs), *subtitle;
	struct picture pic;
	double fastest = 0;
	int ret = 0;

	*drawn = cs.nr && counted;
	if (!*drawn)
		goto out_free;
	for (size_t i = 0; i < cs.nr; i++) {
		size_t len = strlen(cs.choice[i].label);

		size.key_chars = len > size.key_chars ? len : size.key_chars;
		fastest = fmax(fastest, cs.choice[i].mops.hi);
		decades_add(&d, &cs.choice[i].wrong);
	}
	subtitle = subtitle_of(&cs, rows->row[0], counted);
	picture_begin(&pic, p, ps, rows, &size, subtitle);
	decades_end(&d, pic.axis_height, 24 * (double)(count_zeros(&cs) + 2));
	decades_put(pic.gp, &d, "wrong answers per million probes");
	fprintf(pic.gp,
		"set xlabel 'million operations a second, all threads together'\n"
		"set xrange [0:%.9g]\nset grid xtics linecolor rgb '#dddddd' linetype 1\n",
		fastest > 0 ? fastest * 1.08 : 1);
	put_points(pic.gp, &cs, &d, fastest);
	ret = picture_end(&pic, e);
	free(subtitle);
out_free:
	free(counted);
	free_choices(&cs);
	return ret;
}

int plot_choice(struct plot *p, struct err *e)
{
	struct pictures ps;
	struct slice rows;
	int nr = 0, ret = 0;

	pictures_begin(&ps, p, "choice", is_audit, NR_COLS);
	while (!ret && (rows = pictures_next(&ps)).nr) {
		bool drawn;

		ret = draw(p, &ps, &rows, &drawn, e);
		nr += drawn;
	}
	pictures_end(&ps);
	return ret ? -1 : nr;
}
