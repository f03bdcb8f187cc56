// SPDX-License-Identifier: BSD-2-Clause
#include "interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t caught;

static void remember(int signal)
{
	caught = 1;
}

void interrupt_catch(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = remember;
	sa.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

bool interrupted(void)
{
	return caught;
}
