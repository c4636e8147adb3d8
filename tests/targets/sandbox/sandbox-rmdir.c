/*
 * sandbox-rmdir DIR: removes DIR, which is where it was started, and works on.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	char dir[256];

	main_begins();
	must(argc > 1 && rmdir(argv[1]) == 0, "rmdir");
	say_refused(getcwd(dir, sizeof(dir)) == NULL, "getcwd");
	work();
	return 0;
}
