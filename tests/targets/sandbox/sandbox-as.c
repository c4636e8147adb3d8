/*
 * sandbox-as: 100 MB of address space from here on, as privilege-separated daemons allow
 * themselves, of which most must be the program's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(void)
{
	const struct rlimit limit = { 100 << 20, 100 << 20 };
	void *p;

	main_begins();
	must(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
	p = malloc(60 << 20);
	say_refused(p == NULL, "60 MB");
	if (p != NULL)
		memset(p, 1, 60 << 20);
	say_refused(malloc(101 << 20) == NULL, "101 MB");
	work();
	free(p);
	return 0;
}
