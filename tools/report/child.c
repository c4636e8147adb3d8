/*
 * Processes of ours that read what may be wrong, or on a file system that does not answer.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Milliseconds that a killed one has to go: the file system may keep it. */
enum { GOING_MS = 100 };

pid_t
child_start(void)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_BAD);
	}
	return pid;
}

void
child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	for (int i = 0; i < GOING_MS && waitpid(pid, NULL, WNOHANG) == 0; i++)
		poll(NULL, 0, 1);
}
