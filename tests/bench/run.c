/*
 * run [VAR=VALUE ...] command [argument ...]: runs it, waits for it and for all that it left
 *behind, and says on stdout what that took:
 *
 *	run.status 0        exit status of the command, 128 + signal
 *	run.wall 1.234567   seconds until the command was done
 *	run.all 1.234999    seconds until nobody was left
 *	run.cpu 1.111111    CPU seconds of the command and all its descendants
 *	run.rss 5120        largest resident set among them, KiB
 *
 * A profiler's helper may outlive the command: as a subreaper we get it, and its CPU time.
 *
 * SPDX-License-Identifier: ISC
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double
seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	double start = now(), wall = 0;
	int status, done = 0;
	struct rusage ru;
	pid_t child, pid;

	if (argc < 2) {
		fprintf(stderr, "usage: run [VAR=VALUE ...] command [argument ...]\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child < 0) {
		perror("run: fork");
		return 1;
	}
	if (child == 0) {
		char **arg = argv + 1;

		while (*arg != NULL && strchr(*arg, '=') != NULL)
			putenv(*arg++);
		if (*arg != NULL)
			execvp(*arg, arg);
		perror(*arg != NULL ? *arg : "run: no command");
		_exit(127);
	}
	while ((pid = wait(&status)) >= 0 || errno == EINTR) {
		if (pid != child)
			continue;
		wall = now() - start;
		done = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	getrusage(RUSAGE_CHILDREN, &ru);
	printf("run.status %d\nrun.wall %.6f\nrun.all %.6f\nrun.cpu %.6f\nrun.rss %ld\n", done,
	       wall, now() - start, seconds(ru.ru_utime) + seconds(ru.ru_stime), ru.ru_maxrss);
	return 0;
}
