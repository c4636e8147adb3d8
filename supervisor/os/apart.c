/*
 * A process of ours that lives as long as we do, and needs no memory that it does not have: it is
 * locked.  A thread would share our memory's lock, and after each fork of ours the first write to a
 * page copies it, that of the kernel at a return from a call, too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int alive; /* the other end of a pipe that we have open as long as we live */

/* Returns zeroed memory that this process and those that it makes from now on share; NULL with
 * errno. */
void *
apart_memory(size_t size)
{
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m != MAP_FAILED ? m : NULL;
}

/* Runs in a child: makes the process, an orphan as helpers are (helper.c), and ends. */
static void __attribute__((noreturn)) become_it(void *(*run)(void *), const int fds[2])
{
	const pid_t pid = fork();
	sigset_t all;

	if (pid != 0)
		_exit(pid < 0);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	fds_close_but((const int[]){ fds[0], fds[1], alive }, 3, 0);
	(void)!chdir("/"); /* what is mounted where we are may be unmounted when we have ended */
	mlockall(MCL_CURRENT); /* RLIMIT_MEMLOCK may forbid it */
	run(NULL);
	_exit(0);
}

/* Runs run() in such a process, with two descriptors, which are not ours any more.  Returns 0, or
 * -1. */
int
apart_start(void *(*run)(void *), const int fds[2])
{
	int ends[2], status = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	alive = ends[0];
	pid = fork();
	if (pid == 0)
		become_it(run, fds);
	close(alive);
	close(fds[0]);
	close(fds[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 ? 0 : -1;
}

/* Called by that process: waits so long.  False: the supervisor has ended. */
bool
apart_wait(const struct timespec *time)
{
	struct pollfd end = { .fd = alive };

	return ppoll(&end, 1, time, NULL) <= 0;
}
