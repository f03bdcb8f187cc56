// SPDX-License-Identifier: BSD-2-Clause
/*
 * torture_contract - before a shared object is tortured: is it right on one thread?
 *
 * In a process of its own, which may crash, hang or be interrupted.
 */
#include "torture.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"
#include "crash.h"
#include "interrupt.h"

#define LOOK_MS 50
/* It is more than one operation that the watchdog waits for. */
#define PATIENCE 4

static void child(const char *spec, int to)
{
	struct err e;

	crash_note("table %s, in what it must do on one thread", spec);
	if (!contract_run(spec, &e))
		_exit(EXIT_DONE);
	if (write_all(to, e.text, strlen(e.text)))
		_exit(EXIT_USAGE);
	_exit(EXIT_FAULT);
}

/* What the child says, until it closes its end or is given up. False: it was. */
static bool hear(int from, double patience, struct err *said)
{
	uint64_t end = now_ns() + (uint64_t)(patience * 1e9);
	struct pollfd p = { .fd = from, .events = POLLIN };
	size_t len = 0;

	while (now_ns() < end && !interrupted()) {
		ssize_t got;

		if (poll(&p, 1, LOOK_MS) <= 0)
			continue;
		got = read(from, said->text + len, sizeof(said->text) - 1 - len);
		if (got <= 0)
			return true;
		len += (size_t)got;
	}
	return false;
}

int torture_contract(const struct torture_args *a, struct err *broken, struct err *e)
{
	double patience = PATIENCE * a->watchdog;
	int end[2], status;
	bool heard;
	pid_t pid;

	memset(broken, 0, sizeof(*broken));
	fflush(NULL);
	if (pipe(end))
		return err_set(e, "torture: cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(end[0]);
		child(a->table, end[1]);
	}
	close(end[1]);
	if (pid < 0) {
		close(end[0]);
		return err_set(e, "torture: cannot start a process: %s", strerror(errno));
	}
	heard = hear(end[0], patience, broken);
	close(end[0]);
	if (!heard)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!heard && !interrupted())
		err_set(broken, "not through after %g s", patience);
	else if (heard && WIFSIGNALED(status))
		err_set(broken, "died of signal %d", WTERMSIG(status));
	else if (heard && WEXITSTATUS(status) && !*broken->text)
		err_set(broken, "its process exits with %d", WEXITSTATUS(status));
	return 0;
}
