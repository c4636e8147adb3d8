/*
 * faults: a bit of everything that a supervisor has to see to, in a tenth of a second.  Prints for
 * each process that is to leave a file a line "file PID FUNCTION CALLS", then "end", and exits
 * with status 7.
 */
// CFLAGS: -pthread
#include "../counted.h"

#include <sched.h>

COUNTED_FUNCTION(parent_work)
COUNTED_FUNCTION(child_work)
COUNTED_FUNCTION(exec_work)

__attribute__((noinline)) static void
repeat(void (*work)(void), int n)
{
	while (n-- > 0)
		work();
}

static void
tell(const char *function, int calls)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "file %d %s %d\n", (int)getpid(), function, calls);

	if (write(1, line, (size_t)n) != n)
		_exit(3);
}

/* Until the process has used so much.  The vDSO's code would be outside of the text. */
static void
use_cpu(long ms)
{
	struct timespec ts;

	do {
		for (int i = 0; i < 10000; i++)
			sink++;
		syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (ts.tv_sec == 0 && ts.tv_nsec < ms * 1000000);
}

static void *
thread(void *arg)
{
	repeat(child_work, 100);
	return arg;
}

/* Stops itself, then has threads. */
static int
child(void)
{
	pthread_t id[2];

	tell("child_work", 250);
	repeat(child_work, 50);
	raise(SIGSTOP);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&id[i], NULL, thread, NULL) != 0)
			return 4;
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	use_cpu(5);
	return 0;
}

static int
with_our_pointer(void *arg)
{
	(void)arg;
	repeat(parent_work, 30);
	return 0;
}

static void
reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status))
		kill(pid, SIGCONT);
}

int
main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid;

	if (argc > 1) {
		tell("exec_work", 77);
		repeat(exec_work, 77);
		_exit(0);
	}
	tell("parent_work", 1030);
	repeat(parent_work, 500);
	use_cpu(30);
	pid = fork();
	if (pid == 0)
		_exit(child());
	reap(pid);
	pid = vfork();
	if (pid == 0) {
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
		_exit(5);
	}
	reap(pid);
	pid = clone(with_our_pointer, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	reap(pid);
	repeat(parent_work, 500);
	use_cpu(60);
	puts("end");
	return 7;
}
