/*
 * places MS: works so long by the clock, without a system call, and says how often it found itself
 * on another CPU.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void
work(void)
{
	for (int i = 0; i < 5000; i++)
		sink += (unsigned long)i;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int
main(int argc, char **argv)
{
	const double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1000);
	int changes = 0;

	for (int cpu = sched_getcpu(), last = cpu; now() < end; work()) {
		cpu = sched_getcpu();
		changes += cpu != last;
		last = cpu;
	}
	printf("%d\n", changes);
	return 0;
}
