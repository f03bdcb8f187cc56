// SPDX-License-Identifier: BSD-2-Clause
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * Not a sig_atomic_t, which only the thread with the handler may read. Relaxed: it carries
 * nothing but itself. A lock-free atomic is what a handler may write.
 */
static _Atomic bool caught;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "for the signal handler");

static void remember(int signal)
{
	atomic_store_explicit(&caught, true, memory_order_relaxed);
}

void interrupt_catch(void)
{
	struct sigaction sa, before;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = remember;
	sa.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* who started us with nohup wants it to be nothing */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

bool interrupted(void)
{
	return atomic_load_explicit(&caught, memory_order_relaxed);
}
