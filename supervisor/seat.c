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
#include <sys/syscall.h>
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

static int seat = -1;

enum { OURS = 1, RUNNERS }; /* real-time priorities */

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

/* Returns whether we run at real-time priority from here on. */
bool
seat_init(void)
{
	realtime = priv_realtime(OURS) == 0;
	if (!realtime)
		ask_for_short_slices();
	return realtime;
}

/* Called by a thread that runs errands for us: it is to have the CPU whenever we wait for it. */
void
seat_share(void)
{
	if (realtime)
		priv_realtime(RUNNERS);
}

/* It comes to where we are.  Without real-time priority the scheduler sees to that by itself. */
void
seat_bring(pid_t tid)
{
	cpu_set_t set;

	if (!realtime || seat < 0 || (companion == tid && companion_seat == seat))
		return;
	CPU_ZERO(&set);
	CPU_SET(seat, &set);
	if (sched_setaffinity(tid, sizeof(set), &set) == 0) {
		companion = tid;
		companion_seat = seat;
	}
}

/* Move to a CPU and stay there.  One that we may not use leaves us where we are. */
bool
seat_move(int cpu)
{
	cpu_set_t set;

	if (cpu == seat)
		return true;
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return false;
	seat = cpu;
	return true;
}

int
seat_cpu(void)
{
	return seat >= 0 ? seat : sched_getcpu();
}
