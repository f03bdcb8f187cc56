/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress - how far a long command is, on standard error
 *
 * A line that rewrites itself where a person watches, a plain line now and then where
 * not; nothing before two seconds have passed.
 */
#ifndef TEARLINE_PROGRESS_H
#define TEARLINE_PROGRESS_H

#include "util.h"

struct progress {
	uint64_t begin, last; /* ns */
	size_t total, done;
	bool tty, shown;
};

void progress_begin(struct progress *p, size_t total);
/* One more is done; text says what is next. */
void progress_step(struct progress *p, const char *text);
/* Seconds of `total` are over in what is done now: for a run of one long piece. */
void progress_seconds(struct progress *p, double done, double total);
/* Leave the terminal clean. */
void progress_end(struct progress *p);

#endif
