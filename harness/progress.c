// SPDX-License-Identifier: BSD-2-Clause
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_NS 2000000000ull
#define PLAIN_EVERY_NS 15000000000ull

void progress_begin(struct progress *p, size_t total)
{
	*p = (struct progress){ .begin = now_ns(),
				.total = total,
				.tty = isatty(STDERR_FILENO) };
	p->last = p->begin;
}

void progress_step(struct progress *p, const char *text)
{
	uint64_t now = now_ns(), left;

	if (now - p->begin < FIRST_NS || (!p->tty && now - p->last < PLAIN_EVERY_NS))
		goto out;
	left = p->done ? (now - p->begin) / p->done * (p->total - p->done) / 1000000000 : 0;
	fprintf(stderr, "%s[%zu/%zu] %ju:%02ju left, now %s%s", p->tty ? "\r\033[K" : "",
		p->done, p->total, (uintmax_t)(left / 60), (uintmax_t)(left % 60), text,
		p->tty ? "" : "\n");
	fflush(stderr);
	p->last = now;
	p->shown = true;
out:
	p->done++;
}

void progress_end(struct progress *p)
{
	if (p->shown && p->tty)
		fputs("\r\033[K", stderr);
}
