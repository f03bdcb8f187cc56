/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crash - a table that crashes is named
 *
 * A shared object's code runs in this process, and where it crashes nobody knows which of many
 * cells or slices it was. What runs is put down beforehand. The handler says it in one line, on
 * a stack of its own, as a thread may be out of its; then whoever had the signal before gets
 * it: the process dies of it, or a sanitizer speaks.
 */
#ifndef TEARLINE_CRASH_H
#define TEARLINE_CRASH_H

/* What runs from now on; only while no thread runs it. */
void crash_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* It, as it is put down. */
const char *crash_noted(void);
/* Nothing runs any more. */
void crash_forget(void);

/* By each thread that runs it: a stack for the handler. */
void *crash_stack(void);
void crash_stack_free(void *stack);

#endif
