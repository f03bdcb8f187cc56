/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - tables, and the pinned threads that search with them
 *
 * Threads are started for each search and for each clear: that is tens of microseconds, and no
 * thread is ever left waiting with a table entered.
 */
#ifndef TEARLINE_CHESS_ENGINE_H
#define TEARLINE_CHESS_ENGINE_H

#include "option.h"
#include "search.h"
#include "topo.h"

/* As the options give them. */
struct engine_params {
	const char *table, *hash, *pawn_hash, *eval_hash, *placement;
	unsigned pawn, eval; /* enum sharing */
	unsigned pages; /* enum mem_pages */
	uint64_t threads;
	bool oversubscribe;
};

/* With xor and one thread, and sizes as an engine has them in a short game. */
#define ENGINE_TABLE "xor"
#define ENGINE_HASH "16"
#define ENGINE_PAWN_HASH "1"
#define ENGINE_EVAL_HASH "4"
#define ENGINE_PLACEMENT "core"
/* What the options say where none is given. */
extern const struct engine_params engine_usual;

/* clang-format off */
#define ENGINE_OPTIONS(p)                                                                      \
	{ "table", OPT_STR, &(p)->table, "NAME[:opt=val,...]", ENGINE_TABLE,                   \
	  "table that threads share (see tearline tables)", 0, 0 },                            \
	{ "hash", OPT_STR, &(p)->hash, "SIZE", ENGINE_HASH,                                    \
	  "size of the transposition table: MiB ('16', '0.25', '16M', '1G'), entries "         \
	  "('4096e'), 'none'",                                                                 \
	  0, 0 },                                                                              \
	{ "threads", OPT_U64, &(p)->threads, "N", "1",                                         \
	  "searching threads, all on one transposition table", 1, TOPO_MAX_THREADS },          \
	{ "pawn", OPT_CHOICE, &(p)->pawn, SHARING_CHOICES, "private",                          \
	  "pawn table: one a thread, which needs no protection and is an unsync one, or one "  \
	  "of --table for all", 0, 0 },                                                        \
	{ "pawn-hash", OPT_STR, &(p)->pawn_hash, "SIZE", ENGINE_PAWN_HASH,                     \
	  "size of a pawn table", 0, 0 },                                                      \
	{ "eval", OPT_CHOICE, &(p)->eval, SHARING_CHOICES, "private",                          \
	  "evaluation table, likewise", 0, 0 },                                                \
	{ "eval-hash", OPT_STR, &(p)->eval_hash, "SIZE", ENGINE_EVAL_HASH,                     \
	  "size of an evaluation table", 0, 0 },                                               \
	{ "placement", OPT_STR, &(p)->placement, "P", ENGINE_PLACEMENT,                        \
	  "core, compact, spread or list:0,2,5 (see tearline topo)", 0, 0 },                   \
	{ "oversubscribe", OPT_FLAG, &(p)->oversubscribe, NULL, NULL,                          \
	  "allow more threads than CPUs", 0, 0 },                                              \
	{ "pages", OPT_CHOICE, &(p)->pages, MEM_PAGES_CHOICES, "auto",                         \
	  "page size of the tables", 0, 0 }
/* clang-format on */

#define ENGINE_EFFECTS                                                  \
	{ "pawn-hash", "with --pawn private or --pawn shared" }, \
		{ "eval-hash", "with --eval private or --eval shared" }

/* What came of a search; the counts are of all threads. */
struct engine_result {
	uint16_t best; /* NO_MOVE: there is none */
	int score;
	unsigned depth;
	uint64_t nodes, ns;
	uint64_t rejected; /* hash moves that were not legal */
	struct counts count[NR_KINDS];
};

struct engine;

/* 0 or -1. The tables are empty. */
int engine_create(const struct engine_params *p, struct engine **out, struct err *e);
void engine_destroy(struct engine *e);

/* Forget everything: another game. 0 or -1. */
int engine_clear(struct engine *e, struct err *err);

/*
 * Search from there; returns when it is at its end. report: see struct search. 0 or -1.
 * engine_stop() before it began counts, too: engine_ready() makes it forgotten.
 */
int engine_search(struct engine *e, const struct game *g, const struct limits *l,
		  void (*report)(void *arg, const struct searcher *s), void *arg,
		  struct engine_result *r, struct err *err);
void engine_ready(struct engine *e);
/* From any thread. */
void engine_stop(struct engine *e);
/*
 * After engine_ready(): limits of time are not looked at until engine_ponderhit(), which comes
 * from any thread, and count from then.
 */
void engine_ponder(struct engine *e);
void engine_ponderhit(struct engine *e);

/*
 * From now on, before the first search: what the threads do to their tables, which are empty.
 * The recording is of as many threads and outlives the engine.
 */
void engine_record(struct engine *e, struct recording *r);

/* The table of a kind that all threads share, or NULL. */
struct table *engine_table(const struct engine *e, enum kind k);
/* Bytes of all tables of the kind, whoever has them. */
uint64_t engine_bytes(const struct engine *e, enum kind k);
/* As many as there are CPUs for, or as can be where those may be shared. */
unsigned engine_max_threads(const struct engine *e);

#endif
