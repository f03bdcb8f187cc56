// SPDX-License-Identifier: BSD-2-Clause
#include "sweep.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int plan_tables(struct sweep *s, const char *text, struct err *e)
{
	size_t nr;
	char **item = split_list(text, &nr);
	int ret = 0;

	item = join_options(item, &nr);
	s->table = xcalloc(nr, sizeof(*s->table));
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = table_spec_parse(item[i], &s->table[i], e);
		s->nr_tables += !ret;
	}
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
		item = join_options(split_list(l->workloads, &nr), &nr);
		for (size_t i = 0; i < nr; i++)
			add_source(s, NULL, item[i]);
		free_list(item, nr);
	}
	for (size_t i = 0; i < s->nr_sources && !ret; i++)
		ret = source_open(&s->source[i], e);
	return ret;
}

static bool has_threads(const struct sweep *s, unsigned nr)
{
	for (size_t i = 0; i < s->nr_threads; i++)
		if (s->threads[i] == nr)
			return true;
	return false;
}

/* "1,all" is one count where there is one CPU. */
static int plan_threads(struct sweep *s, const char *text, const struct topo *topo,
			struct err *e)
{
	size_t nr;
	char **item = split_list(text, &nr);
	int ret = 0;

	s->threads = xcalloc(nr, sizeof(*s->threads));
	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t v = topo_nr_allowed(topo);

		if (strcmp(item[i], "all") && parse_u64(item[i], 1, TOPO_MAX_THREADS, &v))
			ret = err_set(
				e,
				"--threads: expected a list of whole numbers from 1 to %u, "
				"or 'all', got '%s'",
				TOPO_MAX_THREADS, text);
		if (!has_threads(s, (unsigned)v))
			s->threads[s->nr_threads++] = (unsigned)v;
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

/* Every cell of one round, in the order of the lists. */
static void plan_round(struct sweep *s, struct sweep_cell *out, uint64_t trial,
		       const struct cell_args *args, const struct topo *topo)
{
	for (size_t src = 0; src < s->nr_sources; src++) {
		for (size_t h = 0; h < s->nr_hash; h++) {
			for (size_t n = 0; n < s->nr_threads; n++) {
				/* Only a workload is made for a size. */
				size_t size = s->source[src].workload ? h : 0;
				size_t setup = (src * s->nr_hash + size) * s->nr_threads + n;

				for (size_t t = 0; t < s->nr_tables; t++)
					*out++ = (struct sweep_cell){
						.cell = { .args = args,
							  .topo = topo,
							  .table = &s->table[t],
							  .source = &s->source[src],
							  .hash = s->hash[h],
							  .threads = s->threads[n] },
						.setup = &s->setup[setup],
						.trial = trial,
					};
			}
		}
	}
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
	size_t round;

	memset(s, 0, sizeof(*s));
	if (plan_tables(s, l->tables, e) || plan_sources(s, l, e) ||
	    plan_threads(s, l->threads, topo, e))
		return -1;
	s->hash = split_list(l->hash, &s->nr_hash);
	s->setup = xcalloc(s->nr_sources * s->nr_hash * s->nr_threads, sizeof(*s->setup));
	round = s->nr_tables * s->nr_sources * s->nr_hash * s->nr_threads;
	s->nr_cells = round * l->trials;
	s->cell = xcalloc(s->nr_cells, sizeof(*s->cell));
	for (uint64_t trial = 1; trial <= l->trials; trial++) {
		struct sweep_cell *first = s->cell + (trial - 1) * round;

		plan_round(s, first, trial, args, topo);
		for (size_t i = 0; trial == 1 && i < round; i++)
			if (check_cell(&first[i], e))
				return -1;
		shuffle(first, round, &state);
	}
	return 0;
}

void sweep_free(struct sweep *s)
{
	for (size_t i = 0; s->setup && i < s->nr_sources * s->nr_hash * s->nr_threads; i++)
		cell_setup_free(&s->setup[i]);
	for (size_t i = 0; i < s->nr_sources; i++) {
		source_close(&s->source[i]);
		free((char *)s->source[i].path);
		free((char *)s->source[i].workload);
	}
	for (size_t i = 0; i < s->nr_tables; i++)
		table_spec_free(&s->table[i]);
	free_list(s->hash, s->nr_hash);
	free(s->setup);
	free(s->source);
	free(s->table);
	free(s->threads);
	free(s->cell);
}

/* What makes a row of a file and a cell of the plan the same. */
static const char *const same_cell[] = { "table",      "options",  "kind",    "trace",
					 "trace_hash", "hash_mib", "threads", "placement",
					 "deal",       "clears",   "mode",    "caller",
					 "lookahead",  "seed",	   "witness", "trial" };

static bool row_is_cell(const struct csv_file *f, size_t row, const int *col,
			const struct csv_row *want)
{
	for (size_t i = 0; i < ARRAY_SIZE(same_cell); i++) {
		enum csv_column c = 0;

		while (strcmp(csv_names[c], same_cell[i]))
			c++;
		if (strcmp(f->cell[row * f->nr_cols + (size_t)col[i]],
			   want->field[c] ? want->field[c] : ""))
			return false;
	}
	return true;
}

/*
 * A cell is in the file if its last row is: the one that carries the times. A row of one
 * of several kinds looks the same but for them.
 */
static void mark_done(struct sweep_cell *sc, const struct csv_file *f, const int *col,
		      int seconds)
{
	static const struct run_result nothing;
	struct csv_row rows[NR_KINDS + 1] = { 0 }, base = { 0 };
	unsigned nr;

	nr = cell_rows(&sc->cell, sc->setup, &nothing, &base, sc->trial, rows);
	for (size_t i = 0; i < f->nr_rows && !sc->done; i++)
		sc->done = *f->cell[i * f->nr_cols + (size_t)seconds] &&
			   row_is_cell(f, i, col, &rows[nr - 1]);
	for (unsigned i = 0; i < nr; i++)
		csv_row_clear(&rows[i]);
}

int sweep_resume(struct sweep *s, const char *path, struct err *e)
{
	int col[ARRAY_SIZE(same_cell)], seconds;
	struct csv_file *f;
	int ret = 0;

	if (access(path, F_OK))
		return 0;
	if (csv_read(path, &f, e))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(same_cell) && !ret; i++) {
		col[i] = csv_find(f, same_cell[i]);
		if (col[i] < 0)
			ret = err_set(e, "--resume: %s: expected a column '%s'", path,
				      same_cell[i]);
	}
	seconds = csv_find(f, "seconds");
	if (!ret && seconds < 0)
		ret = err_set(e, "--resume: %s: expected a column 'seconds'", path);
	for (size_t i = 0; i < s->nr_cells && !ret; i++)
		mark_done(&s->cell[i], f, col, seconds);
	csv_file_free(f);
	return ret;
}
