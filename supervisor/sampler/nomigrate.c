/*
 * A thread that goes on after a sample stays on its CPU.
 *
 * The scheduler puts a thread that wakes up on an idle CPU, if there is one, rather than on its
 * own, which is not idle: we run there.  That would move a lone busy thread at each sample, to a
 * CPU that must be woken first, which a virtual machine's host can take milliseconds for, and us
 * after it for the next sample.  But a CPU on which nothing runs except in the idle class counts
 * as idle, so for the moment of the resume we are of that class (Linux 5.4 and later; an earlier
 * one moves the thread).
 *
 * In that class everybody else comes first, and above all the thread itself.  So it is only done
 * for a thread that has its CPU to itself.  We take our priority back as soon as we run again; if
 * that is not soon, a keeper thread gives it back to us.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* How long we can be without a CPU, at the most: longer than our way to the resume. */
#define KEEPER_NS 50000
/* The same with one tracee, which gives us its CPU when it stops or sleeps, if we have not been
 * preempted lately.  It is long, so that the timer need not be set for each resume. */
#define LONE_NS (NSEC / 25)
/* Away for longer than this, we have been preempted: a thread that does so has the CPU until a
 * tick of the kernel; a hypervisor mostly takes it for less. */
#define TURN_NS (NSEC / 2000)
/* A preemption is no longer "lately" after so many resumes without one. */
enum { LATELY = 32 };
/* Room for the sanitizers. */
enum { STACK_BYTES = 256 << 10 };

static struct {
	pid_t us, tid; /* tid 0: there is no keeper, and threads may change CPUs */
	int timer;
	int cpu;             /* CPU where the keeper waits, -1 anywhere */
	_Atomic uint64_t at; /* when its timer goes off, ns; 0: never; 1: the keeper has set it */
	bool brief;          /* `at` is soon, and for one resume only */
	sem_t started;
} keeper = { .timer = -1, .cpu = -1 };

static atomic_bool low;
static bool staying;                /* from nomigrate_begin() to nomigrate_end() */
static uint64_t began;              /* ns */
static unsigned preempted = LATELY; /* so at a preemption, one less at each resume without */

/* By way of the normal class: from a real-time one the kernel (6.18) gives the weight of the idle
 * class, 3 instead of 1024, to the load that it has measured with the other.  Each time our load
 * would grow by that factor, up to 10^14, and without real-time priority our whole session would
 * have to wait for seconds for a CPU that somebody else wants.  On this way others may take the CPU
 * from us; then the keeper gives the priority back, and we stop here. */
static int
sink(void)
{
	const struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) < 0)
		return -1;
	return low ? sched_setscheduler(0, SCHED_IDLE | SCHED_RESET_ON_FORK, &none) : 0;
}

/* A supervisor that may not leave the idle class again must not enter it. */
static bool
may_come_back(void)
{
	int ret;

	low = true;
	ret = sink();
	low = false;
	return ret == 0 && priv_set_priority(0, PRIORITY_KEEPER) == 0;
}

/* Gives us our priority back, but not on the way into the idle class, which is short; unless we are
 * still there at the next look: then others have the CPU, and the thread that is to be resumed
 * waits.  A look later we may be in the idle class all the same, by what we were about to do. */
static void
give_back(void)
{
	const struct itimerspec soon = { .it_value = { 0, KEEPER_NS } };
	const bool is_idle = (sched_getscheduler(keeper.us) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE;
	const bool on_the_way = low && !is_idle;
	static bool seen;

	if (is_idle || (on_the_way && seen)) {
		low = false;
		priv_set_priority(keeper.us, PRIORITY_OURS);
	}
	if (on_the_way) {
		keeper.at = 1;
		timerfd_settime(keeper.timer, 0, &soon, NULL);
	}
	seen = on_the_way && !seen;
}

static void *
keep(void *arg)
{
	uint64_t times;

	if (priv_keep_nice_in_thread() == 0 && may_come_back()) {
		keeper.tid = gettid();
		own_cpu_keep();
	}
	sem_post(&keeper.started);
	while (keeper.tid != 0)
		if (read(keeper.timer, &times, sizeof(times)) > 0) {
			if (sched_getscheduler(0) != (SCHED_FIFO | SCHED_RESET_ON_FORK))
				priv_set_priority(0, PRIORITY_KEEPER); /* it was curbed */
			give_back();
		}
	return arg;
}

/* Called if we have real-time priority, and the right to it at any time. */
void
nomigrate_init(void)
{
	keeper.us = gettid();
	keeper.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	sem_init(&keeper.started, 0, 0);
	if (keeper.timer >= 0 && thread_start(STACK_BYTES, keep, NULL) == 0)
		while (sem_wait(&keeper.started) < 0)
			;
	if (keeper.tid == 0)
		log_verbose(
		    "no thread to give the priority back: a sampled thread may change CPUs");
}

static void
set_timer(uint64_t at)
{
	const struct itimerspec when = { .it_value = { (time_t)(at / NSEC), (long)(at % NSEC) } };

	if (at != keeper.at && timerfd_settime(keeper.timer, TFD_TIMER_ABSTIME, &when, NULL) == 0)
		keeper.at = at;
}

/* Brings the keeper to our CPU, where its timer goes off. */
static void
bring_keeper(void)
{
	const int here = own_cpu_now();

	if (keeper.cpu != here && own_cpu_put(keeper.tid, here))
		keeper.cpu = here;
}

/* A thread that stopped on our CPU is about to be resumed; lone: it is the only tracee. */
void
nomigrate_begin(bool lone)
{
	staying = keeper.tid != 0 && own_cpu_is_urgent();
	if (!staying)
		return;
	bring_keeper();
	began = clock_now();
	keeper.brief = !lone || preempted != 0;
	if (keeper.brief)
		set_timer(began + KEEPER_NS);
	else if (keeper.at < began + LONE_NS / 2)
		set_timer(began + LONE_NS);
	low = true;
	sink();
	if (!low)
		priv_realtime(PRIORITY_OURS); /* the keeper was there first */
}

/* The thread has been resumed. */
void
nomigrate_end(void)
{
	if (!staying)
		return;
	if (atomic_exchange(&low, false))
		priv_realtime(PRIORITY_OURS);
	if (clock_now() - began > (keeper.brief ? KEEPER_NS : TURN_NS))
		preempted = LATELY;
	else if (preempted > 0)
		preempted--;
	if (keeper.brief)
		set_timer(0);
}
