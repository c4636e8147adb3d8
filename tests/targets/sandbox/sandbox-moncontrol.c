/*
 * sandbox-moncontrol: turns profiling off and on again in strict mode, where a system call to do
 * it would be its death.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

/* Not in a build without the runtime. */
extern void moncontrol(int) __attribute__((weak));

__attribute__((noinline)) void
unseen(void)
{
	SPIN(longer * (HOT_SPINS + 2 * COOL_SPINS));
}

static void
profile(int on)
{
	if (moncontrol != NULL)
		moncontrol(on);
}

int
main(void)
{
	main_begins();
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "strict mode");
	work();
	work(); /* 10 ms of unseen() are to be a small part on a fast machine, too */
	profile(0);
	for (int i = 0; i < 4 * HOT_CALLS; i++)
		unseen();
	profile(1);
	work();
	work();
	say("worked");
	syscall(SYS_exit, 0);
}
