/*
 * sandbox-strict [violate]: seccomp's strict mode: read, write, exit and sigreturn are all there
 * is.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	main_begins();
	must(prctl(PR_GET_SECCOMP) == 0, "no seccomp yet");
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "strict mode");
	say("strict");
	work();
	say("worked");
	if (argc > 1) {
		syscall(SYS_getppid);
		say("survived");
	}
	syscall(SYS_exit, 5);
}
