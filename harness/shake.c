// SPDX-License-Identifier: BSD-2-Clause
#include "shake.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SHAKE_SIGNAL (SIGRTMIN + 1)
/* From the end of a stop to the next, and how long one is, at most. */
#define GAP_MIN_NS 50000u
#define GAP_NS 500000u
#define STOP_NS 200000u

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void arm(struct shake *s, uint64_t ns)
{
	const struct itimerspec at = { .it_value.tv_nsec = (long)ns };

	timer_settime(s->timer, 0, &at, NULL);
}

/* Calls only what a signal may. */
static void stop_here(int signal, siginfo_t *info, void *context)
{
	struct shake *s = info->si_value.sival_ptr;
	struct timespec ts = { 0 };
	int saved = errno;

	if (info->si_code != SI_TIMER || !READ_ONCE32(&s->on))
		return;
	if (READ_ONCE32(&s->inside))
		WRITE_ONCE64(&s->stops, READ_ONCE64(&s->stops) + 1);
	ts.tv_nsec = (long)rng_below(&s->random, STOP_NS);
	nanosleep(&ts, NULL);
	arm(s, GAP_MIN_NS + rng_below(&s->random, GAP_NS));
	errno = saved;
}

int shake_open(struct shake *s, uint64_t seed, struct err *e)
{
	struct sigevent ev;
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = stop_here;
	sa.sa_flags = (int)(SA_RESTART | SA_SIGINFO);
	sigaction(SHAKE_SIGNAL, &sa, NULL);
	memset(&ev, 0, sizeof(ev));
	ev.sigev_notify = SIGEV_THREAD_ID;
	ev.sigev_signo = SHAKE_SIGNAL;
	ev.sigev_value.sival_ptr = s;
	ev.sigev_notify_thread_id = gettid();
	if (timer_create(CLOCK_MONOTONIC, &ev, &s->timer))
		return err_set(e, "--shake: no timer for a thread: %s", strerror(errno));
	s->random = seed;
	s->open = true;
	return 0;
}

void shake_close(struct shake *s)
{
	if (s->open)
		timer_delete(s->timer);
	s->open = false;
}

void shake_start(struct shake *s)
{
	if (!s->open)
		return;
	WRITE_ONCE32(&s->on, 1);
	arm(s, GAP_MIN_NS + rng_below(&s->random, GAP_NS));
}

void shake_stop(struct shake *s)
{
	if (!s->open)
		return;
	WRITE_ONCE32(&s->on, 0);
	arm(s, 0);
}
