/*
 * hostile-flood THREADS: a process of so many threads that make system calls as fast as they can,
 * each of which we look at, since it calls profil; an older process forks 30 children meanwhile,
 * each of which calls work() 10 times.  Prints "longest N": milliseconds for one of them, from
 * fork to wait.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../counted.h"
#include "hostile.h"

#include <profil.h>

static int tell;

COUNTED_FUNCTION(work)

static void *
call_for_ever(void *none)
{
	(void)none;
	for (;;)
		syscall(SYS_getppid);
	return NULL;
}

static void __attribute__((noreturn)) flood(int threads)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	profil(NULL, 0, 0, 0, 65537, -1);
	while (threads-- > 1)
		pthread_create(&thread, NULL, call_for_ever, NULL);
	write(tell, "", 1);
	call_for_ever(NULL);
	_exit(0);
}

int
main(int argc, char **argv)
{
	uint64_t longest = 0;
	int started[2];
	char byte;
	pid_t flooder;

	pipe(started);
	tell = started[1];
	flooder = fork();
	if (flooder == 0)
		flood(argc > 1 ? atoi(argv[1]) : 1);
	read(started[0], &byte, 1);
	for (int i = 0; i < 30; i++) {
		const uint64_t start = now_ms();

		fork_and_call(work, 10);
		if (now_ms() - start > longest)
			longest = now_ms() - start;
	}
	kill(flooder, SIGKILL);
	wait(NULL);
	printf("longest %lu\n", longest);
	return 0;
}
