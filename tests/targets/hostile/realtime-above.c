/*
 * realtime-above: on the last CPU that it may use, a thread of real-time priority 50 computes all
 * the time, beside one of priority 60 that makes 60 threads, one after the other.  Then "made 60".
 *
 * realtime-above PRIORITY MS: computes for so much CPU time, with that priority, 0 for none.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../clock.h"

#include <sched.h>

enum { THREADS = 60, SPINS = 50, MAKES = 60 };

static volatile int over;
static volatile unsigned long n;

static void
take_priority(int priority)
{
	const struct sched_param param = { priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		err(3, "SCHED_FIFO");
}

static void *
spin(void *arg)
{
	take_priority(SPINS);
	while (!over)
		n = n + 1;
	return arg;
}

static void *
nothing(void *arg)
{
	return arg;
}

static void
stay_on_last_cpu(void)
{
	cpu_set_t cpus, one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = CPU_SETSIZE; cpu-- > 0;)
		if (CPU_ISSET(cpu, &cpus) && CPU_COUNT(&one) == 0)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void
make_threads(void)
{
	pthread_t spinner, thread;
	int made = 0;

	stay_on_last_cpu();
	take_priority(MAKES);
	pthread_create(&spinner, NULL, spin, NULL);
	for (; made < THREADS; made++) {
		if (pthread_create(&thread, NULL, nothing, NULL) != 0)
			break;
		pthread_join(thread, NULL);
		usleep(20000);
	}
	over = 1;
	pthread_join(spinner, NULL);
	printf("made %d\n", made);
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		make_threads();
		return 0;
	}
	if (atoi(argv[1]) > 0)
		take_priority(atoi(argv[1]));
	compute_until(CLOCK_PROCESS_CPUTIME_ID, 1000000UL * atol(argv[2]));
	printf("done\n");
	return 0;
}
