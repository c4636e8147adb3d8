/*
 * hostile-signals SIGNAL TIMES: sends it so many times to whoever traces us, then forks a child
 * that calls work() 1000 times; prints "tracer PID" at
 * the start and "forked" when the child is gone.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"
#include "hostile.h"

COUNTED_FUNCTION(work)

int
main(int argc, char **argv)
{
	pid_t pid = tracer();

	if (argc < 3 || pid <= 1)
		return 2;
	printf("tracer %d\n", pid);
	fflush(stdout);
	for (int i = atoi(argv[2]); i > 0; i--)
		if (kill(pid, atoi(argv[1])) < 0)
			return 3;
	fork_and_call(work, 1000);
	printf("forked\n");
	return 0;
}
