// SPDX-License-Identifier: BSD-2-Clause
/* `tearline torture` with tables beside it that hang and lie; for test_torture_cli.py. */
#include "command.h"

int main(int argc, char **argv)
{
	return command_run(&cmd_torture, argc, argv);
}
