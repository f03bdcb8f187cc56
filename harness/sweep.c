// SPDX-License-Identifier: BSD-2-Clause
#include "sweep.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"
#include "workload.h"

/* Split a comma separated list; every item is the caller's. */
static char **split_list(const char *text, size_t *nr)
{
	char **item = NULL;
	size_t len;

	for (*nr = 0;; text += len + 1) {
		len = strcspn(text, ",");
		item = xrealloc(item, (*nr + 1) * sizeof(*item));
		item[(*nr)++] = xasprintf("%.*s", (int)len, text);
		if (!text[len])
			return item;
	}
}

/* Blanks around an item are no part of it, unless it is the name of a file. */
static char **trim_list(char **item, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		char *text = trim(item[i]);

		memmove(item[i], text, strlen(text) + 1);
	}
	return item;
}

static void free_list(char **item, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(item[i]);
	free(item);
}

/*
 * The list of tables is split at commas, and so are a table's options: what has a '='
 * and before it no table's ':' and no '/' of a path belongs to the table before.
 */
static char **join_options(char **item, size_t *nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < *nr; i++) {
		size_t head = strcspn(item[i], ":=/");

		if (item[i][head] == '=' && kept && strchr(item[kept - 1], ':')) {
			char *joined = xasprintf("%s,%s", item[kept - 1], item[i]);

			free(item[kept - 1]);
			free(item[i]);
			item[kept - 1] = joined;
		} else {
			item[kept++] = item[i];
		}
	}
	*nr = kept;
	return item;
}

/* A cell that is in the plan twice would be measured twice under one name. */
static void say_twice(const char *option, const char *item)
{
	fprintf(stderr, "left out: --%s %s, which is in the list already\n", option, item);
}

static bool same_table(const struct table_spec *a, const struct table_spec *b)
{
	char *x, *y;
	bool same;

	if (a->class != b->class)
		return false;
	x = table_spec_options(a);
	y = table_spec_options(b);
	same = !strcmp(x, y);
	free(x);
	free(y);
	return same;
}

static int add_table(struct sweep *s, const char *text, struct err *e)
{
	struct table_spec spec;

	if (table_spec_parse(text, &spec, e))
		return -1;
	for (size_t i = 0; i < s->nr_tables; i++) {
		if (!same_table(&s->table[i], &spec))
			continue;
		say_twice("tables", text);
		table_spec_free(&spec);
		return 0;
	}
	s->table = xrealloc(s->table, (s->nr_tables + 1) * sizeof(*s->table));
	s->table[s->nr_tables++] = spec;
	return 0;
}

/*
 * Every table that can be had here, floors too, since others are read by them. Objects are
 * in the list by themselves.
 */
static int add_all_tables(struct sweep *s, struct err *e)
{
	struct table_absence a;

	table_for_each(c)
		if (!c->broken && !plugin_origin(c) && add_table(s, c->name, e))
			return -1;
	for (size_t i = 0; table_absent(i, &a); i++)
		fprintf(stderr, "left out: %s, %s\n", a.name, a.why);
	return 0;
}

static int plan_tables(struct sweep *s, const char *text, struct err *e)
{
	size_t nr;
	char **item = split_list(text, &nr);
	int ret = 0;

	item = join_options(trim_list(item, nr), &nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = strcmp(item[i], "all") ? add_table(s, item[i], e) : add_all_tables(s, e);
	free_list(item, nr);
	return ret;
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

static void add_source(struct sweep *s, const char *path, const char *workload)
{
	s->source = xrealloc(s->source, (s->nr_sources + 1) * sizeof(*s->source));
	s->source[s->nr_sources++] = (struct source){
		.path = path ? xstrdup(path) : NULL,
		.workload = workload ? xstrdup(workload) : NULL,
	};
}

/* A name is opened whatever it is called; a pattern takes the traces it matches. */
static int add_traces(struct sweep *s, const char *pattern, struct err *e)
{
	size_t before = s->nr_sources;
	glob_t g;

	if (!strpbrk(pattern, "*?[")) {
		add_source(s, pattern, NULL);
		return 0;
	}
	if (!glob(pattern, 0, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			if (has_suffix(g.gl_pathv[i], ".tlt"))
				add_source(s, g.gl_pathv[i], NULL);
		globfree(&g);
	}
	if (s->nr_sources == before)
		return err_set(e, "--traces '%s': no .tlt file matches", pattern);
	return 0;
}

static void free_source(struct source *s)
{
	source_close(s);
	free((char *)s->path);
	free((char *)s->workload);
}

static bool same_workload(const struct workload *a, const struct workload *b)
{
	return !strcmp(a->name, b->name) && a->lines == b->lines && a->ops == b->ops &&
	       a->store_percent == b->store_percent && a->ends == b->ends && a->meet == b->meet;
}

/* Would nothing in their rows tell them apart, or only how a workload is spelled? */
static int same_source(const struct source *a, const struct source *b, bool *same, struct err *e)
{
	struct workload x[NR_KINDS], y[NR_KINDS];
	int nr_x, nr_y;

	*same = false;
	if (!a->workload != !b->workload)
		return 0;
	if (!a->workload) {
		*same = a->trace->hash == b->trace->hash &&
			!strcmp(a->trace->name, b->trace->name);
		return 0;
	}
	nr_x = workload_parse(a->workload, x, e);
	nr_y = nr_x < 0 ? -1 : workload_parse(b->workload, y, e);
	*same = nr_x == nr_y;
	for (int i = 0; i < nr_x && *same; i++)
		*same = same_workload(&x[i], &y[i]);
	return nr_y < 0 ? -1 : 0;
}

/* Open it, or drop it if one before it is the same. */
static int open_source(struct sweep *s, size_t *nr, struct err *e)
{
	struct source *new = &s->source[*nr];

	if (source_open(new, e))
		return -1;
	for (size_t i = 0; i < *nr; i++) {
		bool same;

		if (same_source(&s->source[i], new, &same, e))
			return -1;
		if (!same)
			continue;
		say_twice(new->path ? "traces" : "workload",
			  new->path ? new->path : new->workload);
		free_source(new);
		memmove(new, new + 1, (--s->nr_sources - *nr) * sizeof(*new));
		return 0;
	}
	++*nr;
	return 0;
}

static int plan_sources(struct sweep *s, const struct sweep_lists *l, struct err *e)
{
	size_t nr = 0;
	char **item;
	int ret = 0;

	if (l->traces) {
		item = split_list(l->traces, &nr);
		for (size_t i = 0; i < nr && !ret; i++)
			ret = add_traces(s, item[i], e);
		free_list(item, nr);
	}
	if (l->workloads && !ret) {
		item = split_list(l->workloads, &nr);
		item = join_options(trim_list(item, nr), &nr);
		for (size_t i = 0; i < nr; i++)
			add_source(s, NULL, item[i]);
		free_list(item, nr);
	}
	for (nr = 0; nr < s->nr_sources && !ret;)
		ret = open_source(s, &nr, e);
	return ret;
}

/* "1" and "1.0" are one size. */
static int plan_sizes(struct sweep *s, const char *text, struct err *e)
{
	size_t nr, kept = 0;
	char **item = split_list(text, &nr);
	struct table_size *size = xcalloc(nr, sizeof(*size));
	int ret = 0;

	trim_list(item, nr);
	for (size_t i = 0; i < nr; i++) {
		size_t j = 0;

		ret = ret ? ret : parse_size(item[i], "hash", &size[kept], e);
		while (j < kept && memcmp(&size[j], &size[kept], sizeof(*size)))
			j++;
		if (ret || j == kept) {
			item[kept++] = item[i];
			continue;
		}
		say_twice("hash", item[i]);
		free(item[i]);
	}
	s->hash = item;
	s->nr_hash = kept;
	free(size);
	return ret;
}

static bool has_number(const unsigned *list, size_t nr, unsigned v)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == v)
			return true;
	return false;
}

/* Each once: "1,all" is one count where there is one CPU. all: what 'all' is, or 0. */
static int plan_numbers(const char *option, const char *text, unsigned min, unsigned max,
			unsigned all, unsigned **out, size_t *nr_out, struct err *e)
{
	size_t nr;
	char **item = split_list(text, &nr);
	int ret = 0;

	trim_list(item, nr);
	*out = xcalloc(nr, sizeof(**out));
	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t v = all;

		if ((!all || strcmp(item[i], "all")) && parse_u64(item[i], min, max, &v))
			ret = err_set(e,
				      "--%s: expected a list of whole numbers from %u to %u%s, "
				      "got '%s'",
				      option, min, max, all ? ", or 'all'" : "", text);
		if (ret || !has_number(*out, *nr_out, (unsigned)v))
			(*out)[(*nr_out)++] = (unsigned)v;
		else
			say_twice(option, item[i]);
	}
	free_list(item, nr);
	return ret;
}

static void shuffle(struct sweep_cell *cell, size_t nr, uint64_t *state)
{
	for (size_t i = nr; i > 1; i--) {
		size_t j = rng_below(state, i);
		struct sweep_cell swap = cell[i - 1];

		cell[i - 1] = cell[j];
		cell[j] = swap;
	}
}

/* Kinds of the source that a table lacks, as bits. */
static int lacking(const struct sweep *s, size_t table, size_t source,
		   const struct cell_args *args, unsigned *kinds, struct err *e)
{
	struct cell c = { .args = args,
			  .table = &s->table[table],
			  .source = &s->source[source] };

	if (cell_kinds(&c, kinds, e))
		return -1;
	*kinds &= ~c.table->class->kinds;
	return 0;
}

static void say_left_out(const struct table_class *c, unsigned kinds)
{
	fprintf(stderr, "left out: %s, where entries are of kind", c->name);
	for (enum kind k = 0; k < NR_KINDS; k++)
		if (kinds & 1u << k)
			fprintf(stderr, " %s", kind_names[k]);
	fputc('\n', stderr);
}

/* Which table is in no cell of a source. */
static int plan_left_out(struct sweep *s, const struct cell_args *args, struct err *e)
{
	bool any = false;

	s->left_out = xcalloc(s->nr_sources * s->nr_tables, sizeof(*s->left_out));
	for (size_t t = 0; t < s->nr_tables; t++) {
		unsigned kinds, all = 0;

		for (size_t src = 0; src < s->nr_sources; src++) {
			if (lacking(s, t, src, args, &kinds, e))
				return -1;
			s->left_out[src * s->nr_tables + t] = kinds;
			all |= kinds;
			any |= !kinds;
		}
		if (all)
			say_left_out(s->table[t].class, all);
	}
	return any ? 0 : err_set(e, "--tables: none of them holds the kinds that are replayed (see "
				    "tearline tables)");
}

/* Of all sources. */
static int check_sizes(const struct sweep *s, const struct sweep_lists *l,
		       const struct cell_args *args, struct err *e)
{
	unsigned all = 0, kinds;

	for (size_t src = 0; src < s->nr_sources; src++) {
		struct cell c = { .args = args, .source = &s->source[src] };

		if (cell_kinds(&c, &kinds, e))
			return -1;
		all |= kinds;
	}
	return cell_check_sizes(args, &l->hash, all, e);
}

/* Every cell of one source, size, number of threads and lookahead. */
static struct sweep_cell *plan_group(struct sweep *s, struct sweep_cell *out,
				     const struct sweep_cell *group, size_t source)
{
	for (size_t t = 0; t < s->nr_tables; t++) {
		if (s->left_out[source * s->nr_tables + t])
			continue;
		*out = *group;
		out->cell.table = &s->table[t];
		out++;
	}
	return out;
}

/* Every cell of one round, in the order of the lists. */
static struct sweep_cell *plan_round(struct sweep *s, struct sweep_cell *out, uint64_t trial,
				     const struct cell_args *args, const struct topo *topo)
{
	struct sweep_cell group = { .cell = { .args = args, .topo = topo }, .trial = trial };

	for (size_t src = 0; src < s->nr_sources; src++) {
		group.cell.source = &s->source[src];
		for (size_t h = 0; h < s->nr_hash; h++) {
			group.cell.hash = s->hash[h];
			for (size_t n = 0; n < s->nr_threads; n++) {
				/* Only a workload is made for a size. */
				size_t size = s->source[src].workload ? h : 0;
				size_t setup = (src * s->nr_hash + size) * s->nr_threads + n;

				group.cell.threads = s->threads[n];
				group.setup = &s->setup[setup];
				for (size_t l = 0; l < s->nr_lookahead; l++) {
					group.cell.lookahead = s->lookahead[l];
					out = plan_group(s, out, &group, src);
				}
			}
		}
	}
	return out;
}

/* All that can go wrong with a cell goes wrong here, not in the middle of the night. */
static int check_cell(const struct sweep_cell *sc, struct err *e)
{
	if (cell_check(&sc->cell, e))
		return -1;
	if (!sc->setup->traffic && cell_setup(&sc->cell, sc->setup, e))
		return -1;
	return cell_try(&sc->cell, sc->setup, e);
}

int sweep_plan(struct sweep *s, const struct sweep_lists *l, const struct cell_args *args,
	       const struct topo *topo, struct err *e)
{
	uint64_t state = args->seed;
	size_t round, most;

	memset(s, 0, sizeof(*s));
	if (plan_tables(s, l->tables, e) || plan_sources(s, l, e) ||
	    plan_numbers("threads", l->threads, 1, TOPO_MAX_THREADS, topo_nr_allowed(topo),
			 &s->threads, &s->nr_threads, e) ||
	    plan_numbers("lookahead", l->lookahead, 0, MAX_LOOKAHEAD, 0, &s->lookahead,
			 &s->nr_lookahead, e) ||
	    plan_left_out(s, args, e) || plan_sizes(s, l->hash, e))
		return -1;
	s->setup = xcalloc(s->nr_sources * s->nr_hash * s->nr_threads, sizeof(*s->setup));
	most = s->nr_tables * s->nr_sources * s->nr_hash * s->nr_threads * s->nr_lookahead;
	s->cell = xcalloc(most * l->trials, sizeof(*s->cell));
	for (uint64_t trial = 1; trial <= l->trials; trial++) {
		struct sweep_cell *first = s->cell + s->nr_cells;

		round = (size_t)(plan_round(s, first, trial, args, topo) - first);
		for (size_t i = 0; trial == 1 && i < round; i++)
			if (check_cell(&first[i], e))
				return -1;
		shuffle(first, round, &state);
		s->nr_cells += round;
	}
	return check_sizes(s, l, args, e);
}

void sweep_free(struct sweep *s)
{
	for (size_t i = 0; s->setup && i < s->nr_sources * s->nr_hash * s->nr_threads; i++)
		cell_setup_free(&s->setup[i]);
	for (size_t i = 0; i < s->nr_sources; i++)
		free_source(&s->source[i]);
	for (size_t i = 0; i < s->nr_tables; i++)
		table_spec_free(&s->table[i]);
	free_list(s->hash, s->nr_hash);
	free(s->setup);
	free(s->source);
	free(s->table);
	free(s->left_out);
	free(s->threads);
	free(s->lookahead);
	free(s->cell);
}

/* What makes a row of a file and a cell of the plan the same: where and by what ... */
static const enum csv_column same_origin[] = { COL_schema,   COL_host,	COL_cpu_model,
					       COL_compiler, COL_flags, COL_version };
/* ... and what was measured. */
static const enum csv_column same_cell[] = {
	COL_table,   COL_options, COL_kind,	 COL_trace, COL_trace_hash, COL_hash_mib,
	COL_threads, COL_cpus,	  COL_placement, COL_deal,  COL_clears,	    COL_pacing,
	COL_mode,    COL_caller,  COL_lookahead, COL_seed,  COL_witness,    COL_trial,
};

static const char *field_of(const struct csv_file *f, size_t row, enum csv_column c)
{
	return f->cell[row * f->nr_cols + c];
}

static bool row_is(const struct csv_file *f, size_t row, const struct csv_row *want,
		   const enum csv_column *column, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *field = want->field[column[i]];

		if (strcmp(field_of(f, row, column[i]), field ? field : ""))
			return false;
	}
	return true;
}

/*
 * A cell is in the file if its last row is: the one that carries the times. A row of one
 * of several kinds looks the same but for them.
 */
static void mark_done(struct sweep_cell *sc, const struct csv_file *f, const struct csv_row *base)
{
	static const struct run_result nothing;
	struct csv_row rows[NR_KINDS + 1] = { 0 };
	unsigned nr = cell_rows(&sc->cell, sc->setup, &nothing, base, sc->trial, rows);
	const struct csv_row *last = &rows[nr - 1];

	for (size_t i = 0; i < f->nr_rows && !sc->done; i++)
		sc->done = *field_of(f, i, COL_seconds) &&
			   row_is(f, i, last, same_cell, ARRAY_SIZE(same_cell)) &&
			   row_is(f, i, last, same_origin, ARRAY_SIZE(same_origin));
	for (unsigned i = 0; i < nr; i++)
		csv_row_clear(&rows[i]);
}

/* Rows of one of several kinds, and after them none with the times of all. */
static size_t count_whole(const struct csv_file *f)
{
	size_t nr = f->nr_rows;

	while (nr && !*field_of(f, nr - 1, COL_seconds) && *field_of(f, nr - 1, COL_table_bytes))
		nr--;
	return nr;
}

size_t sweep_resume(struct sweep *s, const struct csv_file *f, const struct csv_row *base)
{
	size_t foreign = 0;

	for (size_t i = 0; i < f->nr_rows; i++)
		foreign += !row_is(f, i, base, same_origin, ARRAY_SIZE(same_origin));
	if (foreign)
		fprintf(stderr,
			"--resume: %zu of %zu rows are of another host, CPU, compiler or version, and "
			"not taken for done\n",
			foreign, f->nr_rows);
	for (size_t i = 0; i < s->nr_cells; i++)
		mark_done(&s->cell[i], f, base);
	return count_whole(f);
}
