/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion - what a shell proposes after `tearline`, made from the commands' own tables
 *
 * The scripts are written by `tearline --completion` when it is built, so that they know what it
 * knows: commands, options, choices, tables and workloads.
 */
#ifndef TEARLINE_COMPLETION_H
#define TEARLINE_COMPLETION_H

#include "option.h"

/* Print the script for bash or zsh; commands end with NULL. Returns the exit code. */
int completion(const struct command *const *commands, const char *shell);

#endif
