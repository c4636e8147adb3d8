/*
 * sandbox-threads: four threads, each under a filter of its own that lets one call through which
 * is refused to the others and kills for all that a thread doesn't need.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

enum { THREADS = 4 };

static const int own[THREADS] = { SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid };
static int can[THREADS][THREADS];

static void *
thread(void *arg)
{
	const long me = (long)arg;
	const int allowed[] = { SYS_exit,           SYS_madvise, SYS_futex,
		                SYS_rt_sigprocmask, SYS_munmap,  own[me] };

	filter(allowed, 6, own, THREADS);
	for (int i = 0; i < THREADS; i++)
		can[me][i] = syscall(own[i]) >= 0;
	work();
	return NULL;
}

int
main(void)
{
	pthread_t t[THREADS];

	main_begins();
	for (long i = 0; i < THREADS; i++)
		must(pthread_create(&t[i], NULL, thread, (void *)i) == 0, "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++) {
		char line[64];

		snprintf(line, sizeof(line), "thread %d can: %d %d %d %d", i, can[i][0], can[i][1],
		         can[i][2], can[i][3]);
		say(line);
	}
	return 0;
}
