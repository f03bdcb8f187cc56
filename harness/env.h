/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env - what a row says about where it comes from
 *
 * The first call of any of these takes the time, the load of the machine and its
 * CPU governor: call env_fill() before the first trial, or the load seen is ours.
 */
#ifndef TEARLINE_ENV_H
#define TEARLINE_ENV_H

#include "csv.h"

/*
 * schema, run_id, host, cpu_model, kernel, compiler, flags, version: the same for
 * every row of a run. `cores` is the topology's to say.
 */
void env_fill(struct csv_row *r);

/* started_utc: now. Once a trial, as it begins. */
void env_stamp_start(struct csv_row *r);

/* What speaks against the figures, semicolon separated; NULL if nothing. Caller frees. */
char *env_warnings(void);

/* What env_warnings() judges, apart from it so that each warning can be tested. */
struct env_state {
	const char
		*governor; /* first allowed CPU's that is not 'performance'; NULL: none known */
	double load; /* one-minute load average; negative: unknown */
	unsigned cpus; /* allowed to this process */
	const char *sanitizer; /* meson's b_sanitize */
	bool optimised;
};
char *env_judge(const struct env_state *s);

#endif
