/*
 * Was a thread in a system call at the tick, or did its stop find it in the next one?
 *
 * A thread that runs on another CPU, or that keeps ours because we have no real-time priority, goes
 * on for some microseconds after the tick.  If it makes a system call meanwhile, the kernel sees
 * the request to stop at the end of that call, so calls have too many samples: a quarter of all, if
 * the way to the other CPU takes 10 us and the program makes a call every 40 us.
 *
 * The kernel tells how much of its CPU time a thread has spent in the kernel, by samples of its own
 * that have no such delay.  Samples at the ends of calls may stand for so much time and no more.
 * What goes beyond that stays owed, and the next sample elsewhere stands for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* The unit in which the kernel tells the time. */
#define UNIT_NS (NSEC / 100)

/* Returns for how much more time samples at the ends of calls may stand, ns.  `system`: CPU time in
 * the kernel until now.  Pure. */
uint64_t
calls_room(struct calls *c, uint64_t system)
{
	uint64_t all;

	if (!c->begun)
		c->system_before = system;
	c->begun = true;
	all = system - c->system_before + UNIT_NS;
	return all > c->booked ? all - c->booked : 0;
}

/* Returns how many of the ticks that a thread owes may be booked where this stop of a round finds
 * it. */
uint64_t
calls_most_ticks(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	struct thread_stat st;

	if (regs->syscall < 0 || (own_cpu_is_urgent() && t->stop.had_our_cpu) ||
	    cpu_time_stat(t, &st) < 0)
		return UINT64_MAX;
	return (calls_room(&t->cpu.calls, st.system) + ps->period - 1) / ps->period;
}
