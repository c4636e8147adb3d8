/*
 * sandbox-seccomp [violate]: knows write and exit_group, and dies of anything else.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	static const int allowed[] = { SYS_write, SYS_exit_group };

	main_begins();
	filter(allowed, 2, NULL, 0);
	say("locked in");
	work();
	say("worked");
	if (argc > 1) {
		syscall(SYS_getppid);
		say("survived");
	}
	exit(3);
}
