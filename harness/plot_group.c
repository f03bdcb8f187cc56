// SPDX-License-Identifier: BSD-2-Clause
/* plot_group - which rows belong into one picture, and what it is called. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static size_t append_columns(enum csv_column *to, size_t nr, const enum csv_column *from,
			     enum csv_column but)
{
	for (; *from != NR_COLS; from++)
		if (*from != but)
			to[nr++] = *from;
	to[nr] = NR_COLS;
	return nr;
}

static int compare_rows(const void *pa, const void *pb, void *order)
{
	const struct record *a = *(const struct record *const *)pa;
	const struct record *b = *(const struct record *const *)pb;

	for (const enum csv_column *c = order; *c != NR_COLS; c++) {
		int diff = strverscmp(a->field[*c], b->field[*c]);

		if (diff)
			return diff;
	}
	return (a > b) - (a < b);
}

static bool same_trace(const struct record *a, const struct record *b)
{
	return record_same(a, b, COL_trace) && record_same(a, b, COL_hash_mib) &&
	       record_same(a, b, COL_kind);
}

/* In sorted rows, what differs anywhere does between neighbours. */
static void find_varying(struct pictures *ps)
{
	for (size_t i = 1; i < ps->all.nr; i++) {
		const struct record *a = ps->all.row[i - 1], *b = ps->all.row[i];

		for (const enum csv_column *c = ps->group; *c != NR_COLS; c++) {
			if (record_same(a, b, *c))
				continue;
			ps->varies[*c] = true;
			ps->varies_within[*c] |= same_trace(a, b);
		}
	}
}

void pictures_begin(struct pictures *ps, const struct plot *p, const char *what,
		    bool (*wanted)(const struct record *r), enum csv_column x)
{
	enum csv_column order[2 * NR_COLS];
	const struct records *rows = &p->from.rows;
	size_t nr;

	*ps = (struct pictures){ .what = what };
	nr = append_columns(ps->group, 0, dim_trace, x);
	nr = append_columns(ps->group, nr, dim_setting, x);
	nr = append_columns(ps->group, nr, dim_machine, x);
	if (x != COL_threads)
		append_columns(ps->group, nr, (enum csv_column[]){ COL_threads, NR_COLS }, x);
	nr = append_columns(order, 0, ps->group, NR_COLS);
	nr = append_columns(order, nr, dim_curve, NR_COLS);
	if (x != NR_COLS)
		append_columns(order, nr, (enum csv_column[]){ x, NR_COLS }, NR_COLS);

	ps->all.row = xcalloc(rows->nr, sizeof(*ps->all.row));
	for (size_t i = 0; i < rows->nr; i++)
		if (wanted(&rows->rec[i]))
			ps->all.row[ps->all.nr++] = &rows->rec[i];
	qsort_r(ps->all.row, ps->all.nr, sizeof(*ps->all.row), compare_rows, order);
	find_varying(ps);
	ps->rest = ps->all;
}

struct slice pictures_next(struct pictures *ps)
{
	if (!ps->rest.nr)
		return ps->rest;
	return slice_take(&ps->rest, ps->group);
}

void pictures_end(struct pictures *ps)
{
	free(ps->all.row);
}

char *plot_size_text(const struct record *r)
{
	const char *size = r->field[COL_hash_mib];
	size_t len = strlen(size);

	if (len && size[len - 1] == 'e')
		return xasprintf("%.*s entries", (int)len - 1, size);
	return xasprintf("%s MiB", size);
}

static bool is_grouped(const struct pictures *ps, enum csv_column c)
{
	for (const enum csv_column *g = ps->group; *g != NR_COLS; g++)
		if (*g == c)
			return true;
	return false;
}

/* Is it more than what a title and a name always say? */
static bool is_extra(const struct record *r, enum csv_column c)
{
	static const enum csv_column always[] = { COL_trace, COL_kind, COL_hash_mib,
						  COL_threads };

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (always[i] == c)
			return false;
	return record_has(r, c);
}

/* A recorded trace has streams, which are dealt; a workload is made for its threads. */
static bool is_workload(const struct record *r)
{
	return !record_has(r, COL_deal);
}

char *plot_title(const struct pictures *ps, const struct record *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%s %s, kind %s", is_workload(r) ? "workload" : "trace", r->field[COL_trace],
		r->field[COL_kind]);
	if (is_grouped(ps, COL_hash_mib)) {
		char *size = plot_size_text(r);

		fprintf(f, ", %s", size);
		free(size);
	}
	if (is_grouped(ps, COL_threads))
		fprintf(f, ", %s thread%s", r->field[COL_threads],
			record_is(r, COL_threads, "1") ? "" : "s");
	for (const enum csv_column *c = ps->group; *c != NR_COLS; c++)
		if (is_extra(r, *c) &&
		    (*c == COL_trace_hash ? ps->varies_within : ps->varies)[*c])
			fprintf(f, ", %s %s", csv_names[*c], r->field[*c]);
	fclose(f);
	return text;
}

/* Longer ones are cut: 255 bytes are the most there is room for, with "-2.png.part". */
#define LONGEST_NAME 200

/*
 * What needs no quoting in any shell stays, the rest becomes an underscore; what was changed
 * or cut ends in a hash of what it was, so that it is still told from others.
 */
static char *safe_name(char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.";
	uint64_t hash = XXH64(name, strlen(name), 0);
	bool changed = strlen(name) > LONGEST_NAME;
	char *safe;

	for (char *p = name; *p; p++) {
		if (!strchr(plain, *p)) {
			*p = '_';
			changed = true;
		}
	}
	if (!changed)
		return name;
	safe = xasprintf("%.*s-%08jx", LONGEST_NAME, name, (uintmax_t)(hash & 0xffffffff));
	free(name);
	return safe;
}

char *plot_name(const struct pictures *ps, const struct record *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%s-%s-%s", ps->what, r->field[COL_trace], r->field[COL_kind]);
	if (is_grouped(ps, COL_hash_mib)) {
		size_t n = strlen(r->field[COL_hash_mib]);
		bool entries = n && r->field[COL_hash_mib][n - 1] == 'e';

		fprintf(f, "-%s%s", r->field[COL_hash_mib], entries ? "" : "MiB");
	}
	if (is_grouped(ps, COL_threads))
		fprintf(f, "-%st", r->field[COL_threads]);
	for (const enum csv_column *c = ps->group; *c != NR_COLS; c++)
		if (is_extra(r, *c) && ps->varies_within[*c])
			fprintf(f, "-%s-%s", csv_names[*c], r->field[*c]);
	fclose(f);
	return safe_name(text);
}

bool plot_has_speed(const struct record *r)
{
	return record_is(r, COL_mode, "throughput") && record_has(r, COL_mops) &&
	       report_is_timed(r);
}

char *plot_trials_text(const char *measure, size_t fewest, size_t most)
{
	const char *bars = fewest >= STATS_MIN_BOOTSTRAP ? "their 95 % interval"
			   : most < STATS_MIN_BOOTSTRAP
				   ? "the lowest to the highest"
				   : "their 95 % interval, of fewer than 5 the range";
	char *trials, *text;

	if (most == 1)
		return xasprintf("%s of one trial", measure);
	trials =
		fewest == most ? xasprintf("%zu", most) : xasprintf("%zu to %zu", fewest, most);
	text = xasprintf("%s: median of %s trials, bars: %s", measure, trials, bars);
	free(trials);
	return text;
}
