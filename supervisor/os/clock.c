/*
 * The kernel's clocks, in nanoseconds.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <time.h>

uint64_t
clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
}

uint64_t
clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
