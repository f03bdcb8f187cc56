// SPDX-License-Identifier: BSD-2-Clause
#include "uci_queue.h"

#include <stdlib.h>

void uci_queue_init(struct uci_queue *q)
{
	memset(q, 0, sizeof(*q));
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	q->last = &q->first;
}

void uci_queue_destroy(struct uci_queue *q)
{
	while (q->first) {
		struct uci_line *line = q->first;

		q->first = line->next;
		free(line);
	}
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
}

/* Of the search that runs, or that is the next to begin; the lock is held. */
static bool is_held(const struct uci_queue *q)
{
	return q->hold == HOLD_TO_STOP || (q->hold == HOLD_TO_HIT && q->hit <= q->answered);
}

/* After the end nobody will tell it to. */
static bool is_stopped(const struct uci_queue *q)
{
	return q->stopped > q->answered || (q->end && is_held(q));
}

static void unlock_changed(struct uci_queue *q)
{
	if (q->searching && !is_held(q))
		engine_ponderhit(q->searching);
	if (q->searching && is_stopped(q))
		engine_stop(q->searching);
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

void uci_queue_put(struct uci_queue *q, const char *text, bool search)
{
	struct uci_line *line = xcalloc(1, sizeof(*line) + strlen(text) + 1);

	strcpy(line->text, text);
	line->search = search;
	pthread_mutex_lock(&q->lock);
	*q->last = line;
	q->last = &line->next;
	q->asked += search;
	unlock_changed(q);
}

void uci_queue_stop(struct uci_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->stopped = q->asked;
	unlock_changed(q);
}

void uci_queue_hit(struct uci_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->hit = q->asked;
	unlock_changed(q);
}

void uci_queue_end(struct uci_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->end = true;
	unlock_changed(q);
}

bool uci_queue_busy(struct uci_queue *q)
{
	bool busy;

	pthread_mutex_lock(&q->lock);
	busy = q->asked > q->answered;
	pthread_mutex_unlock(&q->lock);
	return busy;
}

struct uci_line *uci_queue_take(struct uci_queue *q)
{
	struct uci_line *line = NULL;

	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->end)
		pthread_cond_wait(&q->changed, &q->lock);
	if (q->first) {
		line = q->first;
		q->first = line->next;
		if (!q->first)
			q->last = &q->first;
	}
	pthread_mutex_unlock(&q->lock);
	return line;
}

void uci_queue_begin(struct uci_queue *q, struct engine *e, enum uci_hold hold)
{
	pthread_mutex_lock(&q->lock);
	engine_ready(e);
	if (hold == HOLD_TO_HIT)
		engine_ponder(e);
	q->searching = e;
	q->hold = hold;
	unlock_changed(q);
}

void uci_queue_finish(struct uci_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->searching = NULL;
	while (is_held(q) && !is_stopped(q))
		pthread_cond_wait(&q->changed, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

void uci_queue_answered(struct uci_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->answered++;
	pthread_mutex_unlock(&q->lock);
}
