// SPDX-License-Identifier: BSD-2-Clause
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_NS 2000000000ull
#define TTY_EVERY_NS 200000000ull
#define PLAIN_EVERY_NS 15000000000ull

void progress_begin(struct progress *p, size_t total)
{
	*p = (struct progress){ .begin = now_ns(),
				.total = total,
				.tty = isatty(STDERR_FILENO) };
	p->last = p->begin;
}

static bool due(const struct progress *p, uint64_t now)
{
	return now - p->begin >= FIRST_NS &&
	       now - p->last >= (p->tty ? TTY_EVERY_NS : PLAIN_EVERY_NS);
}

static void show(struct progress *p, uint64_t now, uint64_t left, const char *what)
{
	fprintf(stderr, "%s%s, %ju:%02ju left%s", p->tty ? "\r\033[K" : "", what,
		(uintmax_t)(left / 60), (uintmax_t)(left % 60), p->tty ? "" : "\n");
	fflush(stderr);
	p->last = now;
	p->shown = true;
}

void progress_step(struct progress *p, const char *text)
{
	uint64_t now = now_ns();
	char *what;

	if (due(p, now) && p->done) {
		what = xasprintf("[%zu/%zu] %s", p->done, p->total, text);
		show(p, now, (now - p->begin) / p->done * (p->total - p->done) / 1000000000,
		     what);
		free(what);
	}
	p->done++;
}

void progress_seconds(struct progress *p, double done, double total)
{
	uint64_t now = now_ns();
	char *what;

	if (!due(p, now))
		return;
	what = xasprintf("%.0f of %.0f s", done, total);
	show(p, now, total > done ? (uint64_t)(total - done + 0.5) : 0, what);
	free(what);
}

void progress_end(struct progress *p)
{
	if (p->shown && p->tty)
		fputs("\r\033[K", stderr);
}
