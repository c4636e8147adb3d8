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

/* Computes until a clock of CPU time says so.  It is asked seldom: that is where the scheduler
 * likes to take the CPU away, and what the time is then is not in the text. */
IN_PLACE void
compute_until(clockid_t clock, uint64_t until_ns)
{
	do
		for (volatile int i = 0; i < 100000; i++)
			continue;
	while (clock_ns(clock) < until_ns);
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
