/*
 * sandbox-nofile: may not open a descriptor from here on.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(void)
{
	const struct rlimit none = { 0, 0 };

	main_begins();
	must(setrlimit(RLIMIT_NOFILE, &none) == 0, "setrlimit");
	say_refused(open(".", O_RDONLY) < 0, "open");
	work();
	say("worked");
	return 0;
}
