/*
 * The sampler that works everywhere: it stops a thread that runs, takes its pc, and lets it go on.
 *
 * The ticks come by the wall clock, jittered; round.c says which thread is stopped, and cpu_time.c
 * how much a stop counts.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <time.h>

/* How long an idle process goes without a look: the more processes there are, the longer. */
static uint64_t
look_ns(const struct profsup *ps)
{
	const uint64_t ns = NSEC / 20 * (1 + HASH_COUNT(ps->procs) / 100);

	return ns < NSEC ? ns : NSEC;
}

static int
init(struct profsup *ps)
{
	const bool realtime = own_cpu_init();
	struct timespec tick = { 0 };

	starved_init();
	if (realtime && !priv_is_lent())
		nomigrate_init();
	ps->tick.interval = ps->period;
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	if (ps->period < (uint64_t)tick.tv_nsec)
		log_verbose("a thread on another CPU is seen to run at the kernel's ticks, every"
		            " %ld ms: its samples count for as many of ours",
		            tick.tv_nsec / 1000000);
	return 0;
}

/* Measures what a sample has cost: since it was asked for, or since the tick, which took the
 * thread's CPU, it has run, has waited for others than us, or has been without a CPU because of us.
 * Of a thread that ran then on another CPU the account was old: it says more than there was time
 * for.  A thread that no round has chosen is seen when it stops, and no earlier. */
static void
measure_stop(const struct profsup *ps, struct tracee *t, const struct thread_time *then)
{
	const uint64_t now = clock_now(), ours = ps->round.looked_ns;
	const uint64_t waited = t->cpu.then.waited - then->waited;
	const uint64_t most = t->stop.by_round ? now - t->stop.asked_at : 0;
	const uint64_t used = t->cpu.then.cpu - then->cpu;
	const uint64_t run = (used < most ? used : 0) + (waited > ours ? waited - ours : 0);

	t->stop.seen = now;
	t->stop.ns = most > run ? most - run : 0;
}

static void
stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	const struct thread_time then = t->cpu.then;
	uint64_t most = UINT64_MAX, ticks;
	const struct stack *found;
	struct stack stack;

	if (t->stop.by_round) {
		ps->round.waiting -= ps->round.waiting > 0;
		most = calls_most_ticks(ps, t, regs);
	}
	ticks = cpu_time_collect(ps, t, 0, most);
	ps->stats.misplaced += most != UINT64_MAX && t->cpu.owed.debt >= (int64_t)ps->period;
	measure_stop(ps, t, &then);
	if (most == 0)
		return;
	ps->stats.samples += t->stop.by_round;
	if (regs->syscall >= 0)
		t->cpu.calls.booked += ticks * ps->period;
	t->last_pc = regs->pc;
	if (t->tid != t->proc->pid)
		t->proc->profile->threads_pc[t->proc->profile->threads_samples++ % THREADS_PCS] =
		    regs->pc;
	/* A stack is to be known of a sample without a tick, too: what a thread owes at its end is
	 * booked where its last sample was. */
	found = callers_find(ps, t, regs, &stack);
	if (found == NULL ? !ps->opt.call_graph : !found->waits)
		recent_note(t->proc, regs->pc, found);
	if (ticks != 0) {
		ps->stats.late += ticks - 1;
		cpu_time_credit(ps, t->proc, regs->pc, ticks, found);
	} else if (found != NULL) {
		callers_credit(ps, t->proc, regs->pc, 0, found);
	}
}

/* CPU time since the last sample was used in the call that the thread is in. */
static void
spared(struct profsup *ps, struct tracee *t)
{
	const uint64_t ticks = cpu_time_collect(ps, t, 0, UINT64_MAX);
	struct arch_regs regs;
	struct stack stack;

	if (ticks != 0 && state_is_on(t->proc) && trace_regs(t->tid, &regs) == 0)
		cpu_time_credit(ps, t->proc, regs.pc, ticks, callers_find(ps, t, &regs, &stack));
}

/* Books what a thread has used since its last sample, at the place of that sample. */
static void
end_thread(struct profsup *ps, struct tracee *t)
{
	const uint64_t ticks = cpu_time_end(ps, t);
	const struct profile *p = t->proc->profile;
	unsigned n;

	/* Most threads owe no tick then, so it does not matter whether the profile is on. */
	if (ticks == 0 || !state_is_on(t->proc))
		return;
	n = p->threads_samples < THREADS_PCS ? p->threads_samples : THREADS_PCS;
	/* Of many threads none may have had a sample: one place for all of them would be wrong. */
	if (t->last_pc == 0 && t->tid != t->proc->pid && n != 0)
		t->last_pc = p->threads_pc[(unsigned)random() % n];
	if (t->last_pc == 0)
		t->last_pc = p->last_pc;
	cpu_time_credit_unfound(ps, t, t->last_pc, ticks);
}

/* Drops what threads owe for a gap beyond `most` ns: nobody knows where they used that time.  In a
 * crowd, or where a control group may use only so much CPU time, many ticks are late, and threads
 * have run but for a moment since. */
static void
forgive(struct profsup *ps, struct proc *proc, uint64_t most)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		ps->stats.unseen += cpu_time_collect(ps, t, most / ps->period, UINT64_MAX);
}

/*
 * A process's own clock is a cheap way to tell whether any of its threads has run.  For threads on
 * other CPUs it is no fresher than the kernel's tick, so a process that ran a moment ago is looked
 * at in any case.
 */
static void
tick_process(struct profsup *ps, struct proc *proc, uint64_t now)
{
	uint64_t cpu;

	if (ps->round.in_vain)
		return;
	if (!proc->idle.was_running && procfs_process_cpu(proc->pid, &cpu) < 0)
		return;
	if (!proc->idle.was_running && cpu == proc->idle.cpu) {
		proc->idle.ns = 2 * proc->idle.ns + ps->period;
		if (proc->idle.ns > look_ns(ps))
			proc->idle.ns = look_ns(ps);
		proc->idle.look_at = now + proc->idle.ns - ps->period / 2;
		return;
	}
	proc->idle.ns = 0;
	if (!proc->idle.was_running)
		proc->idle.cpu = cpu;
	if (state_is_still_on(ps, proc, now) || state_is_on(proc)) {
		proc->idle.was_running = round_add(ps, proc);
		return;
	}
	proc->idle.was_running = false;
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		cpu_time_forgive(t); /* after moncontrol(0) time passes, but nothing is owed */
}

const struct sampler sampler_ptrace = {
	.name = "ptrace",
	.init = init,
	.start_thread = cpu_time_start,
	.begin_tick = round_begin,
	.tick_process = tick_process,
	.end_tick = round_end,
	.stopped = stopped,
	.forgive = forgive,
	.spared = spared,
	.end_thread = end_thread,
};
