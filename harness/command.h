/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of subcommands; main.c dispatches, help and the manual loop over it. */
#ifndef TEARLINE_COMMAND_H
#define TEARLINE_COMMAND_H

#include "option.h"

/* COMMANDS(x): every subcommand, in the order in which help lists them. */
#define COMMANDS(x)                                                                         \
	x(topo) x(tables) x(trace) x(replay) x(sweep) x(report) x(plot) x(torture) x(perft) \
		x(search) x(uci) x(new_table)

#define COMMAND_DECLARE(id) extern const struct command cmd_##id;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
