/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sweep - the plan of many cells: which there are, and in what order they run
 *
 * Tables x sources x sizes x thread counts x lookaheads, every cell once a round, a round
 * per trial.
 * The order within a round is drawn from the seed, so that drift of the machine hits all
 * alike, and trials of a cell are spread over the whole time.
 */
#ifndef TEARLINE_SWEEP_H
#define TEARLINE_SWEEP_H

#include "cell.h"

struct sweep_lists {
	/* as the options have them */
	const char *tables, *traces, *workloads, *threads, *hash, *lookahead;
	uint64_t trials;
};

struct sweep_cell {
	struct cell cell;
	struct cell_setup *setup; /* shared with the other tables' cells */
	uint64_t trial;
	bool done; /* already in the file that is resumed */
};

struct sweep {
	struct table_spec *table;
	size_t nr_tables;
	struct source *source;
	size_t nr_sources;
	unsigned *left_out; /* by source and table: the kinds it lacks, as bits */
	unsigned *threads;
	size_t nr_threads;
	unsigned *lookahead;
	size_t nr_lookahead;
	char **hash;
	size_t nr_hash;
	struct cell_setup *setup; /* by source, size and threads */
	struct sweep_cell *cell; /* in the order in which they run */
	size_t nr_cells;
};

/*
 * Read the lists, open the traces, check every cell and shuffle. Patterns among the
 * traces take the .tlt files they match. Says on stderr what is left out: tables that are not
 * here or lack a kind, and what is listed twice. 0 or -1.
 */
int sweep_plan(struct sweep *s, const struct sweep_lists *lists, const struct cell_args *args,
	       const struct topo *topo, struct err *e);
void sweep_free(struct sweep *s);

/*
 * Mark the cells that are already among a file's rows, with all that makes them the same cell:
 * measured on this machine by this build, too. base: see cell_rows(). Returns how many rows of
 * the file are whole: those after them are of a trial whose last rows never came.
 */
size_t sweep_resume(struct sweep *s, const struct csv_file *f, const struct csv_row *base);

#endif
