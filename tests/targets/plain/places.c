/*
 * places MS: works so long by the clock, without a system call, and says how often it found itself
 * on another CPU.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"

#include <sched.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void
work(void)
{
	for (int i = 0; i < 5000; i++)
		sink += (unsigned long)i;
}

int
main(int argc, char **argv)
{
	const uint64_t end = now_ms() + (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000);
	int changes = 0;

	for (int cpu = sched_getcpu(), last = cpu; now_ms() < end; work()) {
		cpu = sched_getcpu();
		changes += cpu != last;
		last = cpu;
	}
	printf("%d\n", changes);
	return 0;
}
