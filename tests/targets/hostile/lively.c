/*
 * lively MILLISECONDS: for so long makes threads, forks, vforks, executes itself and interrupts
 * itself, and ends with 7, having printed "done", if all of them came and ended as they should.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../counted.h"

enum { THREADS = 3, CALLS = 20000, CHILDS_STATUS = 5 };

COUNTED_FUNCTION(work)

static void *
work_on(void *none)
{
	for (int i = 0; i < CALLS; i++)
		work();
	return none;
}

static void
interrupted(int sig)
{
	(void)sig;
}

static int
ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == CHILDS_STATUS;
}

static int
round_of(int executes)
{
	pthread_t thread[THREADS];
	pid_t forked, vforked;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work_on, NULL) != 0)
			return 0;
	forked = fork();
	if (forked == 0) {
		if (executes)
			execl("/proc/self/exe", "lively", (char *)NULL);
		work_on(NULL);
		_exit(CHILDS_STATUS);
	}
	vforked = vfork();
	if (vforked == 0)
		_exit(CHILDS_STATUS);
	kill(getpid(), SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return ended_well(forked) && ended_well(vforked);
}

int
main(int argc, char **argv)
{
	const uint64_t end = now_ms() + (argc > 1 ? strtoul(argv[1], NULL, 10) : 0);

	if (argc < 2) {
		work_on(NULL);
		return CHILDS_STATUS;
	}
	signal(SIGUSR1, interrupted);
	for (int i = 0; i == 0 || now_ms() < end; i++)
		if (!round_of(i % 2))
			return 9;
	puts("done");
	return 7;
}
