/*
 * service [JAIL ID]: works until SIGTERM, first locks itself in if it is told where.  Says "ready"
 * when it has used 0.2 s of CPU time, and at the end how often it was told to end and how often it
 * has worked.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../program.h"

#include <grp.h>

static volatile sig_atomic_t terms;
static volatile long sum;

static void
on_term(int sig)
{
	(void)sig;
	terms++;
}

static void __attribute__((noinline)) work(void)
{
	/* For long: whoever asks for the time is in the vDSO, which has no bins. */
	for (int i = 0; i < 200000; i++)
		sum += i;
}

int
main(int argc, char **argv)
{
	gid_t id = argc > 2 ? (gid_t)atoi(argv[2]) : 0;
	long calls = 0;

	signal(SIGTERM, on_term);
	if (argc > 2 && (chroot(argv[1]) < 0 || chdir("/") < 0 || setgroups(1, &id) < 0 ||
	                 setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0)) {
		perror("jail");
		return 1;
	}
	while (clock() < CLOCKS_PER_SEC / 5) {
		work();
		calls++;
	}
	puts("ready");
	fflush(stdout);
	while (terms == 0)
		usleep(1000);
	/* One that comes late is to be seen, too. */
	usleep(200000);
	printf("SIGTERM %d, work %ld\n", (int)terms, calls);
	return 0;
}
