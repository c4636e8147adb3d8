/*
 * Which thread had the CPU that we have just taken?  Pure.
 *
 * The kernel notes when each thread's time on a CPU was last added up, by that CPU's own clock
 * (se.exec_start in /proc/PID/sched): for a thread that has left the CPU, that is when it left.
 * The switch that gave the CPU to us took it from another thread, and both have the same time.  A
 * thread that waits for the CPU left it before, often in a system call, where the scheduler likes
 * to switch; a thread that the same interrupt has woken as us left it long before.  Neither of
 * these is using the CPU, so neither is to be sampled.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* Most time between two switches that count as one: an interrupt thread, or the kernel's thread
 * that moved us here, may have run for a moment. */
#define BETWEEN_NS 50000
/* How long a thread that has had a CPU all along may have been without it since the last look: for
 * our stop and looks, and for a part of the time for the kernel and the host. */
#define WITHOUT_NS 50000
enum { WITHOUT_PART = 32 };

/* Returns which of `n` threads that have used CPU time since the last look had our CPU; SIZE_MAX:
 * none.  `ours`: when we got it. */
size_t
oncpu_find(const uint64_t *left, size_t n, uint64_t ours)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		if (left[i] + BETWEEN_NS >= ours && (last == SIZE_MAX || left[i] > left[last]))
			last = i;
	return last;
}

/* Whether a thread has had a CPU since the last look, and no other thread has had that CPU. */
bool
oncpu_all_along(const struct cpu_look *last, const struct cpu_look *now)
{
	const uint64_t elapsed = now->at - last->at, used = now->cpu - last->cpu;

	return used + WITHOUT_NS + elapsed / WITHOUT_PART >= elapsed;
}

/* Is a thread that runs, or waits for a CPU, on `cpu` to be stopped?  `had`: it had our CPU,
 * `here`; `reach_out`: a thread on another CPU works there, and can't be sampled otherwise. */
bool
oncpu_is_to_stop(bool had, int cpu, int here, bool reach_out)
{
	return cpu == here ? had : reach_out;
}
