// SPDX-License-Identifier: BSD-2-Clause
/* plot_answers - how often each table gave a wrong answer of each sort. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/*
 * What is counted over which operations, and over those of them that met a writer. Solid
 * symbols are answers that no store explains.
 */
struct count {
	enum csv_column column, of, met;
	unsigned symbol; /* gnuplot's pointtype */
};

static const struct count counts[] = {
	{ COL_torn_reads, COL_probes, COL_contended_probes, 5 },
	{ COL_wrong_key_hits, COL_probes, COL_contended_probes, 7 },
	{ COL_wrong_answers, COL_probes, COL_contended_probes, 9 },
	{ COL_contradictions, COL_probes, COL_contended_probes, 11 },
	{ COL_false_misses, COL_probes, COL_contended_probes, 8 },
	{ COL_dead_pair_misses, COL_probes, COL_contended_probes, 4 },
	{ COL_possible_false_misses, COL_probes, COL_contended_probes, 10 },
	{ COL_stale_hits, COL_probes, COL_contended_probes, 12 },
	{ COL_ghost_hits, COL_probes, COL_contended_probes, 6 },
	{ COL_lost_stores, COL_stores, COL_contended_stores, 14 },
};

static struct rate rate_of_rows(const struct slice *rows, const struct count *c)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < rows->nr; i++)
		if (record_has(rows->row[i], c->column))
			sums_add(&s, record_u64(rows->row[i], c->column), rows->row[i], c->of,
				 c->met);
	return rate_of(&s);
}

static bool is_audit(const struct record *r)
{
	return record_is(r, COL_mode, "audit");
}

static char *in_words(enum csv_column c)
{
	char *text = xstrdup(csv_names[c]);

	for (char *p = text; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return text;
}

/* One table in a picture. */
struct entry {
	char *label;
	struct plot_style style;
	struct rate rate[ARRAY_SIZE(counts)];
};

struct entries {
	struct entry *entry;
	size_t nr, longest;
	/* the counts that any of them measured: each has its place beside the others */
	bool used[ARRAY_SIZE(counts)];
	size_t nr_used, place[ARRAY_SIZE(counts)];
};

static void entries_add(struct entries *es, const struct plot *p, struct slice rows)
{
	struct entry *en = &es->entry[es->nr++];
	size_t len;

	en->label = report_cell_label(&p->from, rows.row[0]);
	plot_style_of(p, rows.row[0], &en->style);
	for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
		en->rate[k] = rate_of_rows(&rows, &counts[k]);
		es->used[k] |= en->rate[k].measured;
	}
	len = strlen(en->label);
	es->longest = len > es->longest ? len : es->longest;
}

static struct entries make_entries(const struct plot *p, struct slice rows)
{
	struct entries es = { .entry = xcalloc(rows.nr, sizeof(*es.entry)) };

	while (rows.nr)
		entries_add(&es, p, slice_take(&rows, dim_curve));
	for (size_t k = 0; k < ARRAY_SIZE(counts); k++)
		if (es.used[k])
			es.place[k] = es.nr_used++;
	return es;
}

static void free_entries(struct entries *es)
{
	for (size_t i = 0; i < es->nr; i++)
		free(es->entry[i].label);
	free(es->entry);
}

#define COUNT_PX 13.0 /* room of a count on the axis, and of a table at least */
#define ENTRY_PX 80.0
#define LETTER_PX 9.2

/* Level where they fit, else slanted. */
static bool labels_fit(const struct entries *es, double axis_px)
{
	return LETTER_PX * (double)(es->longest + 1) <= axis_px / (double)es->nr;
}

static void put_table_axis(struct picture *pic, const struct entries *es)
{
	FILE *f = pic->gp;

	fprintf(f, "set xrange [0.5:%zu.5]\nset xtics scale 0 ()\nset xtics %s\n", es->nr,
		labels_fit(es, pic->axis_px) ? "norotate" : "rotate by -50 left");
	for (size_t i = 0; i < es->nr; i++)
		plot_put_tic(f, 'x', es->entry[i].label, (double)i + 1);
	for (size_t i = 1; i < es->nr; i++)
		fprintf(f,
			"set arrow from %zu.5, graph 0 to %zu.5, graph 1 nohead "
			"linecolor rgb '#dddddd'\n",
			i, i);
}

static double count_place(const struct entries *es, size_t entry, size_t k)
{
	double places = (double)es->nr_used;

	return (double)entry + 1 + ((double)es->place[k] - (places - 1) / 2) * 0.84 / places;
}

/* x, rate, ends of its bar, symbol, colour: of what was seen, or of what was not. */
static void put_rates(FILE *f, const struct entries *es, const struct decades *d, bool seen)
{
	fprintf(f, "$%s << END\n", seen ? "seen" : "unseen");
	for (size_t i = 0; i < es->nr; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			const struct rate *r = &es->entry[i].rate[k];

			if (!r->measured || (r->count > 0) != seen)
				continue;
			fprintf(f, "%.9g %.9g %.9g %.9g %u 0x%s\n", count_place(es, i, k),
				decades_place(d, r->at.mid),
				decades_place(d, r->bounded ? r->at.lo : r->at.mid),
				decades_place(d, r->bounded ? r->at.hi : r->at.mid),
				counts[k].symbol, es->entry[i].style.colour + 1);
		}
	}
	fputs("END\n", f);
}

static void put_plot(FILE *f, const struct entries *es)
{
	fputs("plot $unseen using 1:2:3:4:6 with yerrorbars linecolor rgb variable "
	      "pointtype -1 linewidth 0.8 dashtype (3,6) notitle, "
	      "$seen using 1:2:3:4:6 with yerrorbars linecolor rgb variable "
	      "pointtype -1 linewidth 1.5 notitle",
	      f);
	for (int seen = 0; seen < 2; seen++)
		fprintf(f,
			", $%s using 1:2:5:6 with points pointtype variable pointsize 1.4 "
			"linecolor rgb variable linewidth 1.5 notitle",
			seen ? "seen" : "unseen");
	for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
		char *text;

		if (!es->used[k])
			continue;
		text = in_words(counts[k].column);
		fprintf(f,
			", keyentry with points pointtype %u pointsize 1.4 "
			"linecolor rgb '#444444' title '%s'",
			counts[k].symbol, text);
		free(text);
	}
	fputc('\n', f);
}

static int draw_anomalies(struct plot *p, const struct pictures *ps, const struct slice *rows,
			  bool *drawn, struct err *e)
{
	struct entries es = make_entries(p, *rows);
	struct decades d = { 0 };
	struct picture_size size = { .nr_keys = es.nr_used,
				     .key_chars = strlen("possible false misses") };
	double entry_px = COUNT_PX * (double)(es.nr_used + 1);
	struct picture pic;
	int ret = 0;

	for (size_t i = 0; i < es.nr; i++)
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++)
			decades_add(&d, &es.entry[i].rate[k]);
	*drawn = d.any;
	if (!d.any)
		goto out_free;
	size.least_axis = (entry_px > ENTRY_PX ? entry_px : ENTRY_PX) * (double)es.nr;
	/* slanted labels go down, and to the right, under the key */
	size.bottom = 40 + 0.77 * LETTER_PX * (double)es.longest;
	if (0.65 * (double)es.longest > (double)size.key_chars + 6)
		size.key_chars = (size_t)(0.65 * (double)es.longest) - 6;
	picture_begin(
		&pic, p, ps, rows, &size,
		"audits; bars: 95 % interval. In the band none was seen; the dots end at what\n"
		"this still allows per million contended probes (lost: stores), if that is known");
	decades_end(&d, pic.axis_height, 60);
	decades_put(pic.gp, &d, "per million probes (lost stores: per million stores)");
	put_table_axis(&pic, &es);
	put_rates(pic.gp, &es, &d, false);
	put_rates(pic.gp, &es, &d, true);
	put_plot(pic.gp, &es);
	ret = picture_end(&pic, e);
out_free:
	free_entries(&es);
	return ret;
}

int plot_anomalies(struct plot *p, struct err *e)
{
	struct pictures ps;
	struct slice rows;
	int nr = 0, ret = 0;

	pictures_begin(&ps, p, "anomalies", is_audit, NR_COLS);
	while (!ret && (rows = pictures_next(&ps)).nr) {
		bool drawn;

		ret = draw_anomalies(p, &ps, &rows, &drawn, e);
		nr += drawn;
	}
	pictures_end(&ps);
	return ret ? -1 : nr;
}
