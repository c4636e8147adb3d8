/*
 * Which thread had the CPU that we have just taken?  Pure.
 *
 * The kernel notes of each thread when its time on a CPU was last added up, by that CPU's own clock
 * (se.exec_start in /proc/PID/sched): of one that has left the CPU, that is when it left.  The
 * switch that gave the CPU to us took it from somebody, and both have the same time.  Who waits for
 * the CPU left it before, often in a system call, where the scheduler looks for somebody better;
 * and who has just been woken by the interrupt that woke us left it long before.  Neither is using
 * the CPU, and neither is to be sampled.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* Between two switches at the same place: an interrupt thread, or the one that moved us here, ran
 * for a moment. */
#define BETWEEN_NS 50000
/* Of the time since the last look, what one that has had a CPU all along may have been without:
 * our stop and our looks, and one part in so many, for the kernel and for the host. */
#define WITHOUT_NS 50000
enum { WITHOUT_PART = 32 };

/* One of `n` that have used CPU time since the last look; SIZE_MAX: none of them had the CPU.
 * `ours`: when we got it. */
size_t
oncpu_find(const uint64_t *left, size_t n, uint64_t ours)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		if (left[i] + BETWEEN_NS >= ours && (last == SIZE_MAX || left[i] > left[last]))
			last = i;
	return last;
}

/* This thread has had a CPU since the last look, and no other has had that CPU. */
bool
oncpu_all_along(const struct cpu_look *last, const struct cpu_look *now)
{
	const uint64_t elapsed = now->at - last->at, used = now->cpu - last->cpu;

	return used + WITHOUT_NS + elapsed / WITHOUT_PART >= elapsed;
}

/* One that runs, or waits for a CPU, on `cpu`, is it to be stopped?  `had`: it had our CPU, `here`;
 * `reach_out`: one on another CPU is at work there, and its samples can't be had otherwise. */
bool
oncpu_is_to_stop(bool had, int cpu, int here, bool reach_out)
{
	return cpu == here ? had : reach_out;
}
