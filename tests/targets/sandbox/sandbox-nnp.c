/*
 * sandbox-nnp: gives up gaining privileges.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(void)
{
	main_begins();
	must(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 || getuid() != 0, "not set before");
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
	say(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "no_new_privs" : "not set");
	work();
	return 0;
}
