/*
 * The sampler without stops: perf's software clock, where the kernel grants it.
 *
 * The kernel notes the samples and we read them now and then, and before a process or an image
 * ends.  Whether the profile was on when a sample was taken is only known for the time of the
 * reading (a program can't note the time of its moncontrol: strict seccomp takes even the
 * processor's clock away), so the samples of a program that uses moncontrol are read at every
 * tick.  Another program's first pause may be seen late by a whole interval, which depends on the
 * youngest process (see state.c).
 *
 * The kernel's period can't be jittered, so it is one that no program is likely to have: by 3 %
 * longer than a tick, as perf's users ask for 99 Hz.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>

/* How many ticks a process may have more than its samples stand for, without any that was lost. */
enum { LEFT = 2 };

static uint64_t stride;      /* CPU time from sample to sample, ns */
static unsigned serial;      /* number of the reading */
static uint64_t newest;      /* when the youngest process began, ns */
static uint64_t account_lag; /* lag of a running thread's account, ns */

/* The stride is a tick, and a part of one that is far from all simple fractions.  The rate is kept
 * to the kernel's limit, above which the kernel pauses sampling.  Prints. */
static void
set_stride(struct profsup *ps)
{
	const unsigned most = procfs_perf_max_rate();

	if (most != 0 && ps->opt.hz > most) {
		log_notice("-F %u: lowered to %u, the limit of kernel.perf_event_max_sample_rate",
		           ps->opt.hz, most);
		ps->opt.hz = most;
		ps->period = NSEC / most;
	}
	stride = NSEC / ps->opt.hz;
	stride += stride * 309017 / 10000000;
}

/* Returns the ticks that `samples` stand for; fractions are left to the next samples. */
static uint64_t
ticks_of(const struct profsup *ps, uint64_t samples)
{
	return samples * stride / ps->period;
}

/* If events can't be opened here, the supervisor tries again as the caller, and says why not. */
void
sampler_perf_prepare(struct profsup *ps)
{
	if (ps->opt.call_graph)
		perfring_want_stacks();
	if (perfring_open() < 0)
		return;
	set_stride(ps);
	if (perfring_open_tree(stride) < 0)
		perfring_close();
}

/* Reads the image's state, once for each reading of samples.  Returns whether the profile is on. */
static bool
is_on(struct profsup *ps, struct proc *proc)
{
	struct profile *p = proc->profile;

	if (p->mode.serial == serial)
		return p->mode.on || dialect_counts(proc);
	p->mode.serial = serial;
	state_is_on(proc);
	if (p->mode.toggles > 1 || dialect_counts(proc))
		pace_hurry(ps, ps->period);
	return p->mode.on || dialect_counts(proc);
}

/*
 * The kernel's clock for samples goes on while the machine itself gets no CPU (steal), which is
 * nobody's CPU time.  So a sample only counts if its process's CPU time covers it: that account
 * says how much, samples say where.
 */
static bool
is_paid(const struct proc *proc)
{
	struct profile *p = proc->profile;
	const uint64_t price = p->paid.cpu_before + p->paid.seen * stride;
	const uint64_t credit = account_lag * perfring_busy(proc->live);

	if (price <= p->paid.cpu + credit || procfs_process_cpu(proc->pid, &p->paid.cpu) < 0)
		return true;
	return price <= p->paid.cpu + credit;
}

static void
take(void *arg, const struct perf_sample *s)
{
	struct profsup *ps = arg;
	struct proc *proc = proc_find(ps, s->pid);
	const struct stack *found;
	struct stack stack;
	uint64_t seen;

	if (proc == NULL || !state_wants_samples(proc) || proc->first == NULL) {
		ps->stats.unattributed++;
		return;
	}
	if (s->time < proc->profile->paid.since)
		return;
	if (!is_paid(proc)) {
		ps->stats.stolen++;
		return;
	}
	seen = proc->profile->paid.seen++;
	if (!is_on(ps, proc))
		return;
	ps->stats.samples++;
	found = callers_find_in(ps, proc, s, &stack);
	if (found == NULL || !found->waits)
		recent_note(proc, s->regs.pc, found);
	cpu_time_credit(ps, proc, s->regs.pc, ticks_of(ps, seen + 1) - ticks_of(ps, seen), found);
}

static void
settle(struct profsup *ps)
{
	serial++;
	perfring_drain(take, ps, &ps->stats.perf);
}

/* How often samples are read at the most; more often only if they would find no room. */
static uint64_t
least(const struct profsup *ps)
{
	const uint64_t ns = ps->period > CALM_NS ? ps->period : CALM_NS;

	return ns < ps->tick.longest ? ns : ps->tick.longest;
}

static void
end_tick(struct profsup *ps)
{
	uint64_t ns = profile_calm_ns(ps, newest, clock_now());

	if (ns < least(ps))
		ns = least(ps);
	ps->tick.interval = ns < ps->tick.longest ? ns : ps->tick.longest;
}

static int
init(struct profsup *ps)
{
	if (ps->opt.call_graph)
		perfring_want_stacks();
	if (perfring_init(ps->opt.no_follow) < 0)
		return -1;
	set_stride(ps);
	if (perfring_room() != 0)
		ps->tick.longest = perfring_room() * ps->period;
	account_lag = procfs_account_lag();
	ps->tick.interval = least(ps);
	return 0;
}

/* Threads and children that a thread makes later inherit its events.  In a process that we have
 * attached to, each thread that was there needs its own. */
static void
start_thread(struct profsup *ps, struct tracee *t, bool new_thread)
{
	struct profile *p = t->proc->profile;

	if (p->paid.since == 0) {
		p->paid.lost = ps->stats.perf.lost;
		p->paid.since = clock_now();
		newest = p->paid.began;
		pace_soon(ps, least(ps));
		if (!new_thread)
			procfs_process_cpu(t->proc->pid, &p->paid.cpu_before);
	}
	if (new_thread)
		t->counted = p->events != NULL;
	if (new_thread || t->counted)
		return;
	t->counted = perf_events_open(&p->events, t->tid, stride) == 0;
	/* ESRCH: a thread that was there may have ended meanwhile. */
	if (!t->counted && errno != ESRCH)
		log_error("%d: perf_event_open: %m: this thread is not sampled", t->tid);
}

/* Gets what a process has used and its samples do not stand for; below 0: they stand for more.
 * False: it is not known. */
static bool
get_rest(struct profsup *ps, struct proc *proc, int64_t *rest)
{
	const struct profile *p = proc->profile;
	uint64_t cpu;

	/* One change of the mode is the start.  If a program was ever paused, it is not known
	 * when. */
	if (!is_on(ps, proc) || (!p->fileless && !p->mode.on) || p->mode.toggles > 1 ||
	    p->events == NULL || procfs_process_cpu(proc->pid, &cpu) < 0)
		return false;
	*rest = (int64_t)(cpu - p->paid.cpu_before - ticks_of(ps, p->paid.seen) * ps->period);
	return true;
}

/* Whole ticks whose samples found no room in a ring are known to no place: they are told, and not
 * booked.  Returns what is left of `rest`. */
static int64_t
drop_lost(struct profsup *ps, const struct proc *proc, int64_t rest)
{
	const int64_t period = (int64_t)ps->period, ticks = rest / period - LEFT;

	if (ticks <= 0 || ps->stats.perf.lost == proc->profile->paid.lost)
		return rest;
	ps->stats.unseen += (uint64_t)ticks;
	return rest - ticks * period;
}

/*
 * Books CPU time that no sample stands for: less than a tick, or the kernel has left samples out. A
 * part of a tick counts as a whole one with that probability, so that many short-lived processes
 * get their due, and what that comes to is made up for by the next process.
 */
static void
end_thread(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;
	uint64_t ticks;
	int64_t rest;

	if (proc->live > 1)
		return;
	settle(ps);
	if (!get_rest(ps, proc, &rest))
		return;
	owed_leave(&proc->owed, drop_lost(ps, proc, rest));
	ticks = owed_settle(&proc->owed, ps->period, (uint64_t)random() % ps->period);
	if (ticks != 0)
		cpu_time_credit_unfound(ps, t, proc->profile->last_pc, ticks);
}

const struct sampler sampler_perf = {
	.name = "perf",
	.init = init,
	.start_thread = start_thread,
	.begin_tick = settle,
	.end_tick = end_tick,
	.end_thread = end_thread,
	.settle = settle,
};
