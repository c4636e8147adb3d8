/*
 * sandbox-closed: closes every descriptor that it may have.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(void)
{
	main_begins();
	say("closing");
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (write(STDOUT_FILENO, "x", 1) != -1 || errno != EBADF)
		_exit(98);
	work();
	return 8;
}
