/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run cleanly: what was finished is on disk. */
#ifndef TEARLINE_INTERRUPT_H
#define TEARLINE_INTERRUPT_H

#include <stdbool.h>

/* From now on the first such signal is remembered; a second one kills as usual. */
void interrupt_catch(void);
bool interrupted(void);

/* Exit code of a command that caught one. */
#define EXIT_INTERRUPTED 130

#endif
