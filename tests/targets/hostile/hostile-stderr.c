/*
 * hostile-stderr: fills stderr, a pipe, and leaves the directory to be removed; when a line comes
 * on stdin, forks children whose files can't be written.  Prints "forked" when they are gone.
 *
 * SPDX-License-Identifier: ISC
 */
#include "hostile.h"

int
main(void)
{
	static char junk[4096];
	char line[16];
	int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK);

	for (size_t n = sizeof(junk); n > 0; n /= 2)
		while (write(fd, junk, n) > 0)
			continue;
	ready();
	if (fgets(line, sizeof(line), stdin) == NULL)
		return 1;
	for (int i = 0; i < 5; i++) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	printf("forked\n");
	return 0;
}
