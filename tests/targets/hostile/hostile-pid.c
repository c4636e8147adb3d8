/*
 * hostile-pid HOW: a process, and when it is gone another one with its number (clone3 with set_tid,
 * which is root's).  Prints that number, or "no" and why not.
 *	replace		the first calls victims() 1000 times, the second attackers() once
 *	ghost		a thread of the first one, that nobody traces, execs; the second calls
 *			victims() 1000 times
 *	ghost-late	the same; in between it prints "ready" and its own number, waits for a line
 *			of its input, and sends signals to other processes, which are seen before
 *			its own news
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"
#include "hostile.h"

#include <sched.h>

static char stack[65536];

COUNTED_FUNCTION(victims)
COUNTED_FUNCTION(attackers)

enum { OTHERS = 30 };
static pid_t others[OTHERS];

static void
on_signal(int sig)
{
	(void)sig;
}

static void
fork_others(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < OTHERS; i++) {
		others[i] = fork();
		while (others[i] == 0)
			pause();
	}
}

static void
send_to_others(int sig)
{
	for (int i = 0; i < OTHERS; i++)
		if (others[i] > 0)
			kill(others[i], sig);
}

static int
exec_true(void *arg)
{
	char *argv[] = { "true", NULL };

	(void)arg;
	execv("/bin/true", argv);
	_exit(1);
}

int
main(int argc, char **argv)
{
	int ghost = argc > 1 && strncmp(argv[1], "ghost", 5) == 0;
	int late = argc > 1 && strcmp(argv[1], "ghost-late") == 0;
	pid_t first, second;

	if (late)
		fork_others();
	first = fork_as(0);
	if (first == 0) {
		for (int i = 0; i < 1000 && !ghost; i++)
			victims();
		if (ghost)
			clone(exec_true, stack + sizeof(stack),
			      CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_UNTRACED, NULL);
		while (ghost)
			pause();
		_exit(0);
	}
	wait(NULL);
	if (late) {
		printf("ready %d\n", getpid());
		fflush(stdout);
		getchar();
		send_to_others(SIGUSR1);
	}
	second = fork_as(first);
	if (second == 0) {
		for (int i = 0; i < 1000 && ghost; i++)
			victims();
		if (!ghost)
			attackers();
		_exit(0);
	}
	if (second < 0)
		printf("no %s\n", strerror(errno));
	else
		printf("%d\n", second);
	if (late)
		send_to_others(SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
