/*
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include <time.h>

/* Returns the CPU time that we have used, ns. */
uint64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec;
}
