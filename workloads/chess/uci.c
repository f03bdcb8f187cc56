// SPDX-License-Identifier: BSD-2-Clause
#include "uci.h"

#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

#include "build_config.h"
#include "info.h"
#include "nearest.h"
#include "uci_queue.h"

#define MAX_HASH_MIB 1048576
/* Between words. */
#define BLANKS " \t\r\n"

struct uci {
	struct uci_queue queue;
	struct engine_params params;
	char *hash, *table; /* as set by an option; NULL: as at the start */
	struct engine *engine; /* NULL: not even the old tables could be had again */
	struct game game;
	bool refused; /* the last position was: there is none to search */
};

/* One line to the other side, whole, whichever thread says it. */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list args;

	flockfile(stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

/* The next word of a line, or NULL. */
static char *next_word(char **at)
{
	return strtok_r(NULL, BLANKS, at);
}

static void do_uci(const struct uci *u)
{
	uint64_t mib = 0;

	parse_u64(u->params.hash, 0, MAX_HASH_MIB, &mib);
	say("id name tearline " PROJECT_VERSION);
	say("id author the tearline authors");
	say("option name Hash type spin default %ju min 0 max %d", (uintmax_t)mib,
	    MAX_HASH_MIB);
	say("option name Threads type spin default %ju min 1 max %u",
	    (uintmax_t)u->params.threads,
	    u->engine ? engine_max_threads(u->engine) : TOPO_MAX_THREADS);
	say("option name Table type string default %s", u->params.table);
	say("uciok");
}

/* Another engine, of these parameters; or the old ones, if that cannot be had: -1. */
static int change_engine(struct uci *u, const struct engine_params *p)
{
	struct err e, again;

	/* first: there may be no room for both */
	engine_destroy(u->engine);
	u->engine = NULL;
	if (!engine_create(p, &u->engine, &e)) {
		u->params = *p;
		return 0;
	}
	say("info string %s", e.text);
	if (engine_create(&u->params, &u->engine, &again))
		say("info string %s", again.text);
	return -1;
}

/* With `value` for one of the parameters p; *own is where the text stays while it counts. */
static void change_text(struct uci *u, struct engine_params *p, const char **param,
			const char *value, char **own)
{
	char *text = xstrdup(value);

	*param = text;
	if (change_engine(u, p)) {
		free(text);
		return;
	}
	free(*own);
	*own = text;
}

static void set_hash(struct uci *u, const char *value)
{
	struct engine_params p = u->params;
	uint64_t mib;

	if (parse_u64(value, 0, MAX_HASH_MIB, &mib)) {
		say("info string setoption Hash: expected MiB from 0 to %d, got '%s'",
		    MAX_HASH_MIB, value);
		return;
	}
	change_text(u, &p, &p.hash, value, &u->hash);
}

static void set_table(struct uci *u, const char *value)
{
	struct engine_params p = u->params;

	change_text(u, &p, &p.table, value, &u->table);
}

static void set_threads(struct uci *u, const char *value)
{
	struct engine_params p = u->params;

	if (parse_u64(value, 1, TOPO_MAX_THREADS, &p.threads)) {
		say("info string setoption Threads: expected a number from 1 to %u, got '%s'",
		    TOPO_MAX_THREADS, value);
		return;
	}
	change_engine(u, &p);
}

static void say_no_option(const char *name)
{
	struct nearest n;

	nearest_begin(&n, name, strlen(name));
	nearest_try_choices(&n, "Hash|Threads|Table");
	say("info string setoption: no option '%s'%s; there are Hash, Threads, Table", name,
	    nearest_hint(&n));
}

/* "name Hash value 16" */
static void do_setoption(struct uci *u, char **at)
{
	const char *word = next_word(at), *name = next_word(at);
	const char *value_word = next_word(at), *value = next_word(at);

	if (!word || strcmp(word, "name") || !value_word || strcmp(value_word, "value") ||
	    !value)
		say("info string setoption: expected 'name NAME value VALUE'");
	else if (!strcasecmp(name, "Hash"))
		set_hash(u, value);
	else if (!strcasecmp(name, "Threads"))
		set_threads(u, value);
	else if (!strcasecmp(name, "Table"))
		set_table(u, value);
	else
		say_no_option(name);
}

static int play_moves(struct game *g, char **at, struct err *e)
{
	const char *word;

	for (unsigned nr = 1; (word = next_word(at)); nr++) {
		uint16_t move = move_from_text(&g->board, word);

		if (move == NO_MOVE)
			return err_set(e, "position: move %u, '%s', is not legal there", nr,
				       word);
		game_play(g, move);
	}
	return 0;
}

/* Up to "moves" or the end: a FEN. Returns the word it ended at, or NULL. */
static const char *join_fen(char fen[FEN_MAX], char **at)
{
	const char *word;

	fen[0] = 0;
	while ((word = next_word(at)) && strcmp(word, "moves")) {
		strncat(fen, *fen ? " " : "", FEN_MAX - strlen(fen) - 1);
		strncat(fen, word, FEN_MAX - strlen(fen) - 1);
	}
	return word;
}

static int read_position(struct game *g, char **at, struct err *e)
{
	const char *word = next_word(at);
	char fen[FEN_MAX] = FEN_START;

	if (word && !strcmp(word, "startpos"))
		word = next_word(at);
	else if (word && !strcmp(word, "fen"))
		word = join_fen(fen, at);
	else
		return err_set(e, "position: expected startpos or fen");
	if (game_set(g, fen, e))
		return -1;
	if (word && strcmp(word, "moves"))
		return err_set(e, "position: expected moves, got '%s'", word);
	return word ? play_moves(g, at, e) : 0;
}

static void do_position(struct uci *u, char **at)
{
	struct game g;
	struct err e;

	u->refused = read_position(&g, at, &e);
	if (u->refused)
		say("info string %s", e.text);
	else
		u->game = g;
}

static void print_info(void *arg, const struct searcher *s)
{
	uint64_t ns = now_ns() - s->search->timing.start, nodes = search_nodes(s->search);
	bool mate = is_mate(s->score);
	char text[LINE_TEXT];

	say("info depth %u score %s %d nodes %ju nps %ju time %ju%s%s", s->depth,
	    mate ? "mate" : "cp", mate ? mate_in(s->score) : s->score, (uintmax_t)nodes,
	    (uintmax_t)per_second(nodes, ns), (uintmax_t)(ns / 1000000), s->pv.nr ? " pv " : "",
	    line_text(&s->pv, text));
}

/* Where a limit named `word` belongs, or NULL. Of the clocks only one's own counts. */
static uint64_t *limit_of(const char *word, struct limits *l, uint64_t *depth, uint64_t *mate,
			  enum side us, uint64_t *other)
{
	const struct {
		const char *name;
		uint64_t *value;
	} known[] = {
		{ "depth", depth },
		{ "mate", mate },
		{ "nodes", &l->nodes },
		{ "movetime", &l->movetime_ms },
		{ "movestogo", &l->moves_to_go },
		{ "wtime", us == WHITE ? &l->clock_ms : other },
		{ "btime", us == BLACK ? &l->clock_ms : other },
		{ "winc", us == WHITE ? &l->increment_ms : other },
		{ "binc", us == BLACK ? &l->increment_ms : other },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, word))
			return known[i].value;
	return NULL;
}

/* A clock's, or for this move. */
static bool is_time(const char *word)
{
	return strstr(word, "time");
}

static int read_limit(const char *word, uint64_t *value, char **at, struct err *e)
{
	const char *number = next_word(at);
	/* a clock may have run out: no time is the least there can be, not no limit */
	bool over = number && *number == '-' && is_time(word);

	if (!number || parse_u64(number + over, 0, UINT64_MAX, value))
		return err_set(e, "go: %s: expected a number, got '%s'", word,
			       number ? number : "");
	if (over || (!*value && is_time(word)))
		*value = 1;
	return 0;
}

/* Beside the limits. */
static bool is_go_word(const char *word)
{
	return !strcmp(word, "searchmoves") || !strcmp(word, "infinite") ||
	       !strcmp(word, "ponder");
}

/* One of `searchmoves`. */
static int add_move(struct limits *l, const struct board *b, const char *word, struct err *e)
{
	uint16_t move = move_from_text(b, word);

	if (move == NO_MOVE)
		return err_set(e, "go: searchmoves: '%s' is not legal there", word);
	if (l->nr_moves < MAX_MOVES)
		l->move[l->nr_moves++] = move;
	return 0;
}

/* What was asked for. 0 or -1. */
static int read_go(const struct uci *u, struct limits *l, enum uci_hold *hold, char **at,
		   struct err *e)
{
	const struct board *b = &u->game.board;
	uint64_t depth = 0, mate = 0, other;
	bool moves = false; /* what is no word of the protocol is one */
	const char *word;

	*l = (struct limits){ .depth = 0 };
	*hold = HOLD_NO;
	while ((word = next_word(at))) {
		uint64_t *value = limit_of(word, l, &depth, &mate, (enum side)b->side, &other);

		if (value ? read_limit(word, value, at, e)
			  : moves && !is_go_word(word) && add_move(l, b, word, e))
			return -1;
		if (value || is_go_word(word))
			moves = !strcmp(word, "searchmoves");
		if (!strcmp(word, "infinite"))
			*hold = HOLD_TO_STOP;
		else if (!strcmp(word, "ponder") && !*hold)
			*hold = HOLD_TO_HIT;
	}
	if (mate > MAX_DEPTH / 2)
		mate = MAX_DEPTH / 2;
	/* a mate in N moves is seen within 2N plies */
	if (mate && (!depth || depth > 2 * mate))
		depth = 2 * mate;
	l->depth = depth > MAX_DEPTH ? MAX_DEPTH : (unsigned)depth;
	if (!*hold && !l->depth && !l->nodes && !l->movetime_ms && !l->clock_ms)
		*hold = HOLD_TO_STOP;
	if (*hold == HOLD_TO_STOP)
		l->movetime_ms = l->clock_ms = 0;
	return 0;
}

static const char *best_text(const struct uci *u, uint16_t best, char text[MOVE_TEXT])
{
	return best == NO_MOVE && !movegen_count(&u->game.board) ? "(none)"
								 : move_text(best, text);
}

static int search(struct uci *u, char **at, struct err *e)
{
	struct engine_result r;
	char text[MOVE_TEXT];
	enum uci_hold hold;
	struct limits l;
	int ret;

	if (u->refused)
		return err_set(e, "go: the last position was refused: there is none");
	if (!u->engine)
		return err_set(e, "go: there is no table");
	if (read_go(u, &l, &hold, at, e))
		return -1;
	uci_queue_begin(&u->queue, u->engine, hold);
	ret = engine_search(u->engine, &u->game, &l, print_info, NULL, &r, e);
	uci_queue_finish(&u->queue);
	if (!ret)
		say("bestmove %s", best_text(u, r.best, text));
	return ret;
}

/* Whoever asked waits for an answer, whatever was wrong. */
static void do_go(struct uci *u, char **at)
{
	struct err e;

	if (search(u, at, &e)) {
		say("info string %s", e.text);
		say("bestmove 0000");
	}
	uci_queue_answered(&u->queue);
}

static void do_newgame(struct uci *u)
{
	struct err e;

	game_set(&u->game, FEN_START, &e);
	u->refused = false;
	if (u->engine && engine_clear(u->engine, &e))
		say("info string %s", e.text);
}

static void obey(struct uci *u, char *line)
{
	char *at, *word = strtok_r(line, BLANKS, &at);

	if (!strcmp(word, "uci"))
		do_uci(u);
	else if (!strcmp(word, "isready"))
		say("readyok");
	else if (!strcmp(word, "setoption"))
		do_setoption(u, &at);
	else if (!strcmp(word, "ucinewgame"))
		do_newgame(u);
	else if (!strcmp(word, "position"))
		do_position(u, &at);
	else if (!strcmp(word, "go"))
		do_go(u, &at);
}

/* The thread that obeys. */
static void *obey_all(void *arg)
{
	struct uci *u = arg;
	struct uci_line *line;

	while ((line = uci_queue_take(&u->queue))) {
		obey(u, line->text);
		free(line);
	}
	return NULL;
}

/* False: that was the last line. */
static bool read_line(struct uci *u, const char *line)
{
	char word[16];
	size_t at = strspn(line, BLANKS), length = strcspn(line + at, BLANKS);

	if (!length)
		return true;
	snprintf(word, sizeof(word), "%.*s", (int)length, line + at);
	if (!strcmp(word, "stop") || !strcmp(word, "quit"))
		uci_queue_stop(&u->queue);
	else if (!strcmp(word, "ponderhit"))
		uci_queue_hit(&u->queue);
	else if (!strcmp(word, "isready") && uci_queue_busy(&u->queue))
		say("readyok");
	else
		uci_queue_put(&u->queue, line, !strcmp(word, "go"));
	return strcmp(word, "quit");
}

static void read_all(struct uci *u, FILE *in)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) >= 0 && read_line(u, line))
		;
	uci_queue_end(&u->queue);
	free(line);
}

int uci_run(FILE *in, const struct engine_params *p, struct err *e)
{
	struct uci u = { .params = *p };
	pthread_t thread;
	int error;

	if (game_set(&u.game, FEN_START, e) || engine_create(p, &u.engine, e))
		return -1;
	uci_queue_init(&u.queue);
	error = pthread_create(&thread, NULL, obey_all, &u);
	if (error) {
		err_set(e, "uci: cannot start a thread: %s", strerror(error));
	} else {
		read_all(&u, in);
		pthread_join(thread, NULL);
	}
	uci_queue_destroy(&u.queue);
	engine_destroy(u.engine);
	free(u.hash);
	free(u.table);
	return error ? -1 : 0;
}
