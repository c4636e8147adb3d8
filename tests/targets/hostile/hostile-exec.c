/*
 * hostile-exec: has a child execute a program, and keeps another thread of that child, which it
 * traces, from its end: the exec is never done.  Prints "ready PID" of the child, and waits.
 */
// CFLAGS: -pthread
#include "hostile.h"

#include <sys/ptrace.h>

static int told[2], traced[2];

static void *
other(void *arg)
{
	const pid_t tid = gettid();

	write(told[1], &tid, sizeof(tid));
	for (;;)
		pause();
	return arg;
}

static void
execute(void)
{
	pthread_t thread;
	char c;

	if (pthread_create(&thread, NULL, other, NULL) != 0 || read(traced[0], &c, 1) != 1)
		_exit(1);
	execl("/bin/true", "true", NULL);
	_exit(1);
}

int
main(void)
{
	pid_t child, tid;
	int status;

	if (pipe(told) < 0 || pipe(traced) < 0 || (child = fork()) < 0)
		err(1, "fork");
	if (child == 0)
		execute();
	if (read(told[0], &tid, sizeof(tid)) != sizeof(tid) ||
	    ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXIT) < 0 || write(traced[1], "", 1) != 1 ||
	    waitpid(tid, &status, __WALL) != tid)
		err(1, "ptrace");
	printf("ready %d\n", child);
	fflush(stdout);
	for (;;)
		pause();
}
