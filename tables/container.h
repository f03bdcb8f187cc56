/* SPDX-License-Identifier: BSD-2-Clause */
/* container - what schemes of one entry per key and their template (container_table.h) share */
#ifndef TEARLINE_CONTAINER_H
#define TEARLINE_CONTAINER_H

#include "line.h"

/* What a scheme found of a key. */
struct found {
	uint64_t word[MAX_ENTRY_WORDS];
	void *at; /* the scheme's own: where it stands */
	bool held; /* is there an entry? */
};

/* A walk at rest that is under way. */
struct shown {
	table_walk_fn *fn;
	void *arg;
	struct slot_view view;
};

static inline void container_show(struct shown *s, uint64_t key, const uint64_t *word)
{
	s->view.sig = key;
	s->view.word = word;
	s->fn(s->arg, &s->view);
	s->view.slot++;
}

#endif
