/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks - where every thread of a run that hangs is
 *
 * Each thread prints its own stack, from the handler of a real-time signal: nobody else
 * can walk it while it runs. One after another, so that the stacks do not mix.
 */
#ifndef TEARLINE_STACKS_H
#define TEARLINE_STACKS_H

struct run;

/* Before any thread can hang: the first backtrace() loads a library, which takes locks. */
void stacks_prepare(void);

/* On stderr: each thread's number, CPU, operations begun, and its stack. */
void stacks_print(const struct run *run);

#endif
