/*
 * ended SECONDS: children that use 20 ms of CPU time, one after the other, and beside them one that
 * the program waits for by vfork, for so long.  Prints "MS ms", the longest end of one of the
 * first.
 *
 * SPDX-License-Identifier: ISC
 */
// LINK: plain
#include "../clock.h"

static void
end_children(uint64_t until)
{
	uint64_t longest = 0;

	while (now_ms() < until) {
		const uint64_t began = now_ms();
		const pid_t pid = fork();

		if (pid == 0) {
			while (clock() < CLOCKS_PER_SEC / 50)
				;
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if (now_ms() - began > longest)
			longest = now_ms() - began;
	}
	printf("%d ms\n", (int)longest);
	fflush(stdout);
	_exit(0);
}

int
main(int argc, char **argv)
{
	const struct timespec time = { argc > 1 ? atoi(argv[1]) : 1, 0 };

	if (fork() == 0)
		end_children(now_ms() + (uint64_t)time.tv_sec * 1000);
	if (vfork() == 0) {
		nanosleep(&time, NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
