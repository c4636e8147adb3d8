/*
 * Asks for the time all the time, which the vDSO knows.
 *
 * SPDX-License-Identifier: ISC
 */
#include <time.h>

static volatile long sink;

__attribute__((noinline)) void
asking(void)
{
	struct timespec t;

	for (int i = 0; i < 10000000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += t.tv_nsec;
	}
}

int
main(void)
{
	asking();
	sink++;
	return 0;
}
