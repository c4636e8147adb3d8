/*
 * share SECONDS: an ordinary program that would use the CPU all the time.  Prints how much of it it
 * had, and for how long it was without it at the longest: "had PERCENT longest MICROSECONDS".  The
 * first 0.4 s don't count for the latter: where sessions are groups (autogroup), the scheduler
 * needs so long to weigh a new one, and gaps of 0.1 s come and go, natively as well.
 *
 * share SECONDS loop: a busy loop for so long.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"

enum { SETTLE_US = 400000 };

int
main(int argc, char **argv)
{
	const uint64_t start = now_us();
	const uint64_t end = start + (argc > 1 ? (uint64_t)(atof(argv[1]) * 1e6) : 0);
	uint64_t now = start, last = start, longest = 0;

	while (now < end) {
		now = now_us();
		if (now - start > SETTLE_US && now - last > longest)
			longest = now - last;
		last = now;
	}
	if (argc == 2)
		printf("had %.1f longest %lu\n",
		       0.1 * (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / (double)(now - start),
		       longest);
	return 0;
}
