/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output - a file that appears whole or not at all
 *
 * It is written under another name in its directory, synced and renamed. From the first byte
 * to the last the signals that end the process wait, so that none leaves the temporary; who
 * writes for long asks now and then whether one does, and gives up.
 */
#ifndef TEARLINE_OUTPUT_H
#define TEARLINE_OUTPUT_H

#include <signal.h>
#include <sys/types.h>
#include "util.h"

struct output {
	FILE *f; /* to write to */
	const char *path; /* as given, for messages */
	int error; /* errno of the first write that failed */
	char *target, *temporary; /* temporary NULL: a device, or standard output */
	mode_t mask; /* umask */
	sigset_t signals;
	struct sigaction size_limit;
};

/*
 * Could a file be written there, as far as can be told before? For those with much to do
 * until then. `path` may be a device only where `devices` says so. 0 or -1.
 */
int output_check(const char *path, bool devices, struct err *e);

/* "-" is standard output. 0 or -1. */
int output_begin(struct output *o, const char *path, bool devices, struct err *e);

/* A signal waits: give up, and end. */
bool output_interrupted(void);

/* Did a write fail? Asked soon after, while errno still says why. */
bool output_failed(struct output *o);

/*
 * Put it in its place if all could be written and `whole` says that there is no more to come;
 * else leave what was there. 0 or -1. A signal that waits takes effect here.
 */
int output_end(struct output *o, bool whole, struct err *e);

#endif
