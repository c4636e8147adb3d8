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
 * The thread owes the time of those beyond that, and the next sample elsewhere stands for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* What the kernel tells of is in units of so much. */
#define UNIT_NS (NSEC / 100)

/* A sample at the end of a call.  `system`: CPU time in the kernel until now, ns.  Pure. */
bool
calls_have_room(struct calls *c, uint64_t system)
{
	if (!c->begun)
		c->system_before = system;
	c->begun = true;
	return c->booked < system - c->system_before + UNIT_NS;
}

/* Is this stop of a round a sample of where the tick found the thread?  What it books at the end of
 * a call is to be added to t->cpu.calls.booked. */
bool
calls_were_there(struct tracee *t, const struct arch_regs *regs)
{
	struct thread_stat st;

	if (regs->syscall < 0 || (own_cpu_is_urgent() && t->cpu.number == own_cpu_now()))
		return true;
	return cpu_time_stat(t, &st) < 0 || calls_have_room(&t->cpu.calls, st.system);
}
