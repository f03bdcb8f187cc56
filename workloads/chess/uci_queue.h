/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uci_queue - what passes between the thread that reads commands and the one that obeys them
 *
 * Commands are obeyed one after another, a search being one of them. So an option that is set
 * while a search runs waits until that has ended, and nothing changes under it. What cannot
 * wait is `stop`, `ponderhit`, `quit`, the end of the input, and to say that one is there
 * (`isready`).
 *
 * A stop or a hit is for all searches asked for before it, whether they have begun or not; `quit`
 * stops them all and is the end of the input. What was asked for before it is still answered.
 */
#ifndef TEARLINE_CHESS_UCI_QUEUE_H
#define TEARLINE_CHESS_UCI_QUEUE_H

#include <pthread.h>

#include "engine.h"

/* When a search may be answered: at its end, or then not before it is told to. */
enum uci_hold { HOLD_NO, HOLD_TO_STOP, HOLD_TO_HIT };

struct uci_line {
	struct uci_line *next;
	bool search; /* it asks for one */
	char text[];
};

struct uci_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct uci_line *first, **last;
	bool end; /* no more lines will come */
	uint64_t asked, answered; /* searches */
	uint64_t stopped, hit; /* those up to this one are to stop, or no longer ponder */
	struct engine *searching; /* or NULL */
	enum uci_hold hold; /* of the search that runs */
};

void uci_queue_init(struct uci_queue *q);
void uci_queue_destroy(struct uci_queue *q);

/* By the thread that reads. */
void uci_queue_put(struct uci_queue *q, const char *text, bool search);
void uci_queue_stop(struct uci_queue *q);
void uci_queue_hit(struct uci_queue *q);
/* No more lines. */
void uci_queue_end(struct uci_queue *q);
/* Has a search been asked for that is not answered? */
bool uci_queue_busy(struct uci_queue *q);

/* By the thread that obeys. The next line, to be freed, or NULL at the end. */
struct uci_line *uci_queue_take(struct uci_queue *q);
/* Around a search; the second waits until it may be answered. */
void uci_queue_begin(struct uci_queue *q, struct engine *e, enum uci_hold hold);
void uci_queue_finish(struct uci_queue *q);
/* Its answer is printed. */
void uci_queue_answered(struct uci_queue *q);

#endif
