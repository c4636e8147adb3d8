/*
 * What time it is.  Inlined everywhere, so that no function of a target is added.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "program.h"

IN_PLACE uint64_t
clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Of this thread. */
IN_PLACE uint64_t
cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

IN_PLACE uint64_t
now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

IN_PLACE uint64_t
now_us(void)
{
	return now_ns() / 1000;
}

IN_PLACE uint64_t
now_ms(void)
{
	return now_ns() / 1000000;
}

#endif
