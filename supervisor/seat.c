/*
 * Where the supervisor sits: its own CPU and its own urgency, nobody else's.
 *
 * A stop is short and hits what it was meant for only if the supervisor runs on the CPU of the
 * thread that it samples, and at once when its timer fires: then the thread is preempted, can't go
 * to sleep meanwhile, and reaches its stop in a few microseconds.  Across CPUs the same stop takes
 * ten times as long and comes late.  At real-time priority the preemption is certain; without the
 * right to it, asking for short slices makes it likely (Linux 6.12 and later).
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_SLICE_NS = 100000 };

/* The kernel's struct sched_attr; its header and the C library's can't be had together. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns */
};

/* What we may use at a priority that was lent to us. */
enum { MOST_PERCENT = 25 };
#define WATCH_NS (NSEC / 2)

static int seat = -1;
static bool watched;
static uint64_t since, cpu_then; /* ns */

static bool realtime;
static pid_t companion;    /* the thread that runs our errands, */
static int companion_seat; /* and where it sits */

static void
ask_for_short_slices(void)
{
	struct sched_attributes attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return;
	attr.runtime = SHORT_SLICE_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0); /* an older kernel ignores the slice */
}

static uint64_t
own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
}

/* Returns whether we run at real-time priority from here on. */
bool
seat_init(void)
{
	realtime = priv_realtime(PRIORITY_OURS) == 0;
	if (realtime) {
		watched = priv_is_lent();
		since = sampler_now();
		cpu_then = own_cpu_ns();
	} else {
		ask_for_short_slices();
	}
	return realtime;
}

/* Called by a thread that runs errands for us: it is to have the CPU whenever we wait for it. */
void
seat_share(void)
{
	if (realtime && priv_realtime(PRIORITY_RUNNERS) == 0)
		companion = gettid();
	companion_seat = -1;
}

/* A thread of ours, 0 for ourselves, to a CPU and nowhere else.  False: it may not be used. */
bool
seat_put(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) == 0;
}

/* It comes to where we are.  Without real-time priority the scheduler sees to that by itself. */
void
seat_bring(pid_t tid)
{
	const int here = seat_cpu();

	if (realtime && companion == tid && companion_seat != here && seat_put(tid, here))
		companion_seat = here;
}

/* It has no more urgency than we, and any CPU is its own. */
static void
release_companion(void)
{
	const struct sched_param none = { 0 };
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	if (companion != 0 && sched_setscheduler(companion, SCHED_OTHER, &none) == 0)
		sched_setaffinity(companion, sizeof(all), &all);
}

/*
 * Our work is made by the target, which with our file's right to the priority could keep others
 * from their CPU.  Who uses more than a part of one for a while has it no longer.
 */
void
seat_check(uint64_t now)
{
	const uint64_t wall = now - since;
	uint64_t cpu;

	if (!watched || wall < WATCH_NS)
		return;
	cpu = own_cpu_ns();
	if (cpu - cpu_then > wall / 100 * MOST_PERCENT && priv_realtime(0) == 0) {
		watched = realtime = false;
		release_companion();
		ask_for_short_slices();
		log_verbose("too much to do for real-time priority: given up");
	}
	since = now;
	cpu_then = cpu;
}

/* Move to a CPU and stay there.  One that we may not use leaves us where we are. */
bool
seat_move(int cpu)
{
	if (cpu == seat)
		return true;
	if (cpu < 0 || cpu >= CPU_SETSIZE || !seat_put(0, cpu))
		return false;
	seat = cpu;
	return true;
}

int
seat_cpu(void)
{
	return seat >= 0 ? seat : sched_getcpu();
}
