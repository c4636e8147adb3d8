/*
 * stops HZ command [argument ...]: runs it on one CPU and stops it HZ times a second, to read where
 * it is and forget it: what no tracer that samples can do without, and nothing else.
 *
 * SPDX-License-Identifier: ISC
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* It stays on the CPU that it is stopped by, which a real one may not ask of it. */
static void
stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Returns whether it has ended. */
static int
stop(pid_t pid, int *status)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_INTERRUPT, pid, 0L, 0L);
	if (waitpid(pid, status, __WALL) != pid || !WIFSTOPPED(*status))
		return 1;
#ifdef __x86_64__
	ptrace(PTRACE_GETREGS, pid, 0L, &regs);
#else
	struct iovec all = { &regs, sizeof(regs) };

	ptrace(PTRACE_GETREGSET, pid, 1L, &all);
#endif
	ptrace(PTRACE_CONT, pid, 0L, (long)(*status >> 16 ? 0 : WSTOPSIG(*status)));
	return 0;
}

int
main(int argc, char **argv)
{
	const struct sched_param first = { 1 };
	const double hz = argc > 1 ? strtod(argv[1], NULL) : 0;
	struct timespec at;
	int status = 0, go[2];
	pid_t pid;
	char c;

	if (argc < 3 || hz < 1.1 || pipe(go) < 0) {
		fprintf(stderr, "usage: stops HZ command [argument ...]\n");
		return 2;
	}
	stay_here();
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) == 0)
			execv(argv[2], argv + 2);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, pid, 0L, 0L) < 0) {
		perror("stops: ptrace");
		return 1;
	}
	sched_setscheduler(0, SCHED_FIFO, &first);
	close(go[1]);
	clock_gettime(CLOCK_MONOTONIC, &at);
	do {
		at.tv_nsec += (long)(1e9 / hz);
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	} while (!stop(pid, &status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
