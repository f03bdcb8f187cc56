// SPDX-License-Identifier: BSD-2-Clause
#include "crash.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#define STACK_BYTES (64u << 10)

static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE };
static struct sigaction before[ARRAY_SIZE(signals)];
static char noted[1024];

static void say(const char *text)
{
	size_t len = strlen(text);

	/* Whether it is written or not, the process dies. */
	if (write(STDERR_FILENO, text, len) < 0)
		return;
}

static const char *name_of(int signal)
{
	switch (signal) {
	case SIGSEGV:
		return "SIGSEGV";
	case SIGBUS:
		return "SIGBUS";
	case SIGABRT:
		return "SIGABRT";
	case SIGILL:
		return "SIGILL";
	}
	return "SIGFPE";
}

/* Calls only what a signal may. */
static void crashed(int signal, siginfo_t *info, void *context)
{
	size_t i = 0;

	while (signals[i] != signal)
		i++;
	sigaction(signal, &before[i], NULL);
	say("tearline: crash: ");
	say(name_of(signal));
	say(" in ");
	say(noted);
	say("\n");
	/* A fault comes again by itself; what was sent does not. */
	if (info->si_code <= 0)
		raise(signal);
}

static void catch_all(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = crashed;
	sa.sa_flags = (int)(SA_ONSTACK | SA_SIGINFO);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, &before[i]);
}

void crash_forget(void)
{
	if (!*noted)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	*noted = '\0';
}

void crash_note(const char *fmt, ...)
{
	va_list ap;

	crash_forget();
	va_start(ap, fmt);
	vsnprintf(noted, sizeof(noted), fmt, ap);
	va_end(ap);
	catch_all();
}

const char *crash_noted(void)
{
	return noted;
}

void *crash_stack(void)
{
	stack_t had, own = { .ss_size = STACK_BYTES };

	/* A sanitizer may have given one already. */
	if (sigaltstack(NULL, &had) || !(had.ss_flags & SS_DISABLE))
		return NULL;
	own.ss_sp = malloc(STACK_BYTES);
	if (own.ss_sp && !sigaltstack(&own, NULL))
		return own.ss_sp;
	free(own.ss_sp);
	return NULL;
}

void crash_stack_free(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	if (!stack)
		return;
	sigaltstack(&none, NULL);
	free(stack);
}
