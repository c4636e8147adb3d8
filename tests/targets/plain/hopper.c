/*
 * hopper MS: works on one CPU for three parts of its time and on another one for one part, and goes
 * from one to the other every few hundred microseconds.  A sampler that looks for it where it was
 * has few samples, or one function's only.
 *
 * Prints the share of the first CPU's function in percent, by its own clock.
 */
#define _GNU_SOURCE
#include "../clock.h"

#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void
go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		err(1, "CPU %d", cpu);
}

__attribute__((noinline)) static void
work_here(unsigned long turns)
{
	for (volatile unsigned long i = 0; i < turns; i++)
		continue;
}

__attribute__((noinline)) static void
work_there(unsigned long turns)
{
	for (volatile unsigned long i = turns; i > 0;
	     i--) /* else gcc takes it for the same function */
		continue;
}

static int
cpu_of(const cpu_set_t *set, int nth)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && nth-- == 0)
			return cpu;
	errx(1, "there are too few CPUs");
}

int
main(int argc, char **argv)
{
	const double most = argc > 1 ? atof(argv[1]) * 1e6 : 1e9;
	double here = 0, there = 0, before;
	unsigned long turns = 100000, part;
	cpu_set_t set;
	int first, second;

	sched_getaffinity(0, sizeof(set), &set);
	first = cpu_of(&set, 0);
	second = cpu_of(&set, 1);
	before = cpu_ns();
	work_here(turns);
	part = (unsigned long)((double)turns * 100000 / (cpu_ns() - before));
	while (here + there < most) {
		go_to(first);
		before = cpu_ns();
		work_here(3 * part);
		here += cpu_ns() - before;
		go_to(second);
		before = cpu_ns();
		work_there(part);
		there += cpu_ns() - before;
	}
	printf("%.1f\n", 100 * here / (here + there));
	return 0;
}
