/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge_step - the steps that a program of judge_model.h is taken apart into
 *
 * judge_compile.c makes them, judge_model.c takes them, judge_print.c tells of them.
 */
#ifndef TEARLINE_TESTS_JUDGE_STEP_H
#define TEARLINE_TESTS_JUDGE_STEP_H

#include "judge_model.h"

enum step_kind {
	STEP_START,
	STEP_END,
	/* Look at a slot: the first word, the second; both. */
	STEP_LOAD,
	STEP_CHECK,
	STEP_CHECK_PAIR,
	STEP_CHOOSE, /* kv: is the victim the one that the rule demands? */
	/* Copy the victim's words as they are. */
	STEP_COPY_DATA,
	STEP_COPY_SIG,
	STEP_COPY_PAIR,
	STEP_PASTE_DATA,
	STEP_PASTE_SIG,
	STEP_PASTE_PAIR,
	STEP_PUT_DATA,
	STEP_PUT_SIG,
	STEP_PUT_PAIR,
	/* Write a slot again that was found. */
	STEP_AGAIN_DATA,
	STEP_AGAIN_SIG,
	STEP_AGAIN_PAIR,
	STEP_CAS_DATA,
	STEP_CAS_SIG,
	STEP_CAS_PAIR,
	STEP_ZERO_DATA,
	STEP_ZERO_SIG,
	STEP_ZERO_PAIR,
	/* A whole operation; or a refresh that lets go of the line in between. */
	STEP_LINE_STORE,
	STEP_LINE_REFRESH,
	STEP_LINE_SCAN,
	STEP_LINE_AGAIN,
	STEP_LINE_CLEAR,
	STEP_LINE_READ,
	STEP_GAP,
};

/* The looker's two operations follow the others. */
#define PROBE_OF(p) ((p)->nr_ops)
#define AGAIN_OF(p) ((p)->nr_ops + 1)
#define LOOKER(p) ((p)->nr_threads)

#endif
