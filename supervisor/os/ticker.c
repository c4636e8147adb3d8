/*
 * The timers that make the ticks.
 *
 * To set a timer that becomes its CPU's next one is expensive: on a virtual machine it is an exit
 * to the host.  So is each timer that goes off, since the kernel then sets the next one.  We keep
 * two set, for the next tick and for the one after it: when the first goes off, the kernel has the
 * second, and to set a third behind that one is no more than a system call.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <signal.h>
#include <time.h>

static struct ticker {
	timer_t id;
	uint64_t at; /* when it goes off, ns; 0: never set */
	int cpu;     /* CPU that it interrupts */
} ticker[2];

static bool there;
static int last_cpu = -1;

/* If there are no timers (RLIMIT_SIGPENDING may be 0), the loop ends its waits by a time-out. */
void
ticker_init(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK_SIGNAL };

	there = timer_create(CLOCK_MONOTONIC, &event, &ticker[0].id) == 0 &&
	        timer_create(CLOCK_MONOTONIC, &event, &ticker[1].id) == 0;
	if (!there)
		log_verbose("timer_create: %m: ticks cost more");
}

static bool
set(struct ticker *t, uint64_t now, uint64_t at, int cpu)
{
	const uint64_t ns = at - now;
	const struct itimerspec when = { .it_value = { (time_t)(ns / NSEC), (long)(ns % NSEC) } };

	if (timer_settime(t->id, 0, &when, NULL) < 0)
		return false;
	t->at = at;
	t->cpu = cpu;
	return true;
}

/* Makes TICK_SIGNAL come at `at`, which is not now, by a timer of our CPU, and perhaps at `after`,
 * 0 if that is not known yet.  Returns whether it will come at `at`. */
bool
ticker_set(uint64_t now, uint64_t at, uint64_t after)
{
	const int here = own_cpu_now();
	struct ticker *next = &ticker[ticker[1].at == at];
	struct ticker *other = &ticker[next == ticker];
	const bool stayed = here == last_cpu;

	last_cpu = here;
	if (!there || ((next->at != at || next->cpu != here) && !set(next, now, at, here)))
		return false;
	/* A supervisor that moves at each tick would set the second timer twice. */
	if (stayed && after != 0 && other->at != after)
		set(other, now, after, here);
	return true;
}
