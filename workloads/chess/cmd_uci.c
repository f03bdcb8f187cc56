// SPDX-License-Identifier: BSD-2-Clause
/* tearline uci - the search of `tearline search` for a chess GUI or a match runner */
#include "command.h"
#include "uci.h"

static struct engine_params args;

static const struct option_def uci_options[] = {
	ENGINE_OPTIONS(&args),
	{ .name = NULL },
};

static const struct option_effect uci_effects[] = {
	ENGINE_EFFECTS,
	{ .option = NULL },
};

static int uci(char **arg, int nr, struct err *e)
{
	return uci_run(stdin, &args, e);
}

const struct command cmd_uci = {
	.name = "uci",
	.summary = "the same search for a chess GUI or a match runner (UCI)",
	.usage = "[options]",
	.example = "tearline uci --table seqlock\n"
		   "printf 'uci\\nsetoption name Hash value 16\\nposition startpos\\n"
		   "go depth 12\\n' | tearline uci --table seqlock",
	.work = uci,
	.options = uci_options,
	.effects = uci_effects,
};
