// SPDX-License-Identifier: BSD-2-Clause
#include "stacks.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

#define MAX_FRAMES 32
/* A thread answers as soon as it gets its CPU, which many may share. */
#define ANSWER_S 5

static sem_t printed; /* by the thread whose turn it is; a late one prints, no more */
static _Atomic uint32_t turn;

/* Calls only what a signal may: backtrace() doesn't allocate once its library is there. */
static void print_own(int signal, siginfo_t *info, void *context)
{
	void *frame[MAX_FRAMES];
	int saved = errno;

	backtrace_symbols_fd(frame, backtrace(frame, MAX_FRAMES), STDERR_FILENO);
	if (info->si_value.sival_int == (int)READ_ONCE32(&turn))
		sem_post(&printed);
	errno = saved;
}

void stacks_prepare(void)
{
	void *frame[1];

	backtrace(frame, 1);
}

static void await_answer(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ANSWER_S;
	while (sem_clockwait(&printed, CLOCK_MONOTONIC, &until)) {
		if (errno == EINTR)
			continue;
		fprintf(stderr, "no answer\n");
		return;
	}
}

void stacks_print(const struct run *run)
{
	struct sigaction sa;

	sem_init(&printed, 0, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = print_own;
	sa.sa_flags = (int)(SA_RESTART | SA_SIGINFO);
	sigaction(SIGRTMIN, &sa, NULL);
	for (unsigned i = 0; i < run->threads; i++) {
		const struct member *m = &run->runner[i].m;

		fprintf(stderr, "thread %u on CPU %u, %ju operations begun:\n", i,
			run->p->placement->cpu[i], (uintmax_t)READ_ONCE64(&m->w.begun));
		fflush(stderr);
		WRITE_ONCE32(&turn, i);
		pthread_sigqueue(m->thread, SIGRTMIN, (union sigval){ .sival_int = (int)i });
		await_answer();
	}
}
