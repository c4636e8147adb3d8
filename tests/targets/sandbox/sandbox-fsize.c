/*
 * sandbox-fsize: may not write a byte to any file from here on.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "sandbox.h"

int
main(void)
{
	const struct rlimit none = { 0, 0 };
	int fd;

	main_begins();
	fd = open(".", O_TMPFILE | O_RDWR, 0600);
	must(fd >= 0, "O_TMPFILE");
	must(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
	signal(SIGXFSZ, SIG_IGN);
	/* stdout may be a file itself, so what is found is in the exit status */
	if (write(fd, "x", 1) != -1 || errno != EFBIG)
		_exit(98);
	work();
	return 6;
}
