/*
 * together threads|processes N MS: N threads or processes that begin together and use MS ms of CPU
 * time each.  Says how much all have used together, in us.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"

#include <sys/resource.h>

enum { MOST = 1000 };

static uint64_t each; /* ns */

static void
compute(clockid_t clock)
{
	volatile unsigned long n = 0;

	for (const uint64_t until = clock_ns(clock) + each; clock_ns(clock) < until;)
		for (int i = 0; i < 10000; i++)
			n = n + 1;
}

static void *
one(void *arg)
{
	compute(CLOCK_THREAD_CPUTIME_ID);
	return arg;
}

static void
threads(int n)
{
	static pthread_t thread[MOST];

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, one, NULL) != 0)
			errx(2, "pthread_create");
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void
processes(int n)
{
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			compute(CLOCK_PROCESS_CPUTIME_ID);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static long
used(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000L + ru.ru_utime.tv_usec +
	       ru.ru_stime.tv_usec;
}

int
main(int argc, char **argv)
{
	const int n = argc < 4 ? 0 : atoi(argv[2]);

	if (n < 1 || n > MOST)
		errx(2, "usage: together threads|processes N MS");
	each = (uint64_t)(atof(argv[3]) * 1e6);
	if (strcmp(argv[1], "threads") == 0)
		threads(n);
	else
		processes(n);
	printf("%ld\n", used(RUSAGE_SELF) + used(RUSAGE_CHILDREN));
	return 0;
}
