// SPDX-License-Identifier: BSD-2-Clause
/*
 * `tearline torture` and `tearline replay` with tables beside them that hang, lie and crash; for
 * test_torture_cli.py.
 */
#include <string.h>

#include "command.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "replay"))
		return command_run(&cmd_replay, argc - 1, argv + 1);
	return command_run(&cmd_torture, argc, argv);
}
