// SPDX-License-Identifier: BSD-2-Clause
/* tearline uci - the search of `tearline search` for a chess GUI or a match runner */
#include "command.h"
#include "uci.h"

static struct engine_params args;

static const struct option_def *uci_options(void)
{
	static const struct option_def defs[] = {
		ENGINE_OPTIONS(&args),
		{ .name = NULL },
	};

	return defs;
}

static int run_uci(const struct command *c, int argc, char **argv)
{
	struct err e;
	int status;

	if (option_parse(c, uci_options(), argc, argv, &status) < 0)
		return status;
	return uci_run(stdin, &args, &e) ? err_report(&e) : EXIT_DONE;
}

const struct command cmd_uci = {
	.name = "uci",
	.summary = "the same search for a chess GUI or a match runner (UCI)",
	.usage = "[options]",
	.example = "tearline uci --table seqlock\n"
		   "printf 'uci\\nsetoption name Hash value 16\\nposition startpos\\n"
		   "go depth 12\\n' | tearline uci --table seqlock",
	.run = run_uci,
	.options = uci_options,
};
