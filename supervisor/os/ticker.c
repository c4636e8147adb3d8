/*
 * The timers that ticks come by.
 *
 * To set a timer that becomes its CPU's next one is dear: on a virtual machine it is an exit to the
 * host.  So is each that goes off, since the kernel then sets the next.  Two of ours are set, for
 * the next tick and for the one after it: when the first goes off, the kernel finds the second, and
 * a third that is set behind it is no more than a system call.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <signal.h>
#include <time.h>

static struct ticker {
	timer_t id;
	uint64_t at; /* ns, 0: it was never set */
	int cpu;     /* that is interrupted */
} ticker[2];

static bool there;
static int last_cpu = -1;

/* Without them, as where no signal may be pending (RLIMIT_SIGPENDING), who waits has to end its
 * wait by itself. */
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

/* TICK_SIGNAL comes at `at`, which is not now, by a timer of the CPU that we are on, and perhaps at
 * `after`, 0: that is not known yet.  Returns whether it does. */
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
