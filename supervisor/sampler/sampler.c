/*
 * What both samplers have in common: each tick looks after the profiled processes, and one of
 * sampler_ptrace.c and sampler_perf.c says where their CPU time went.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include "os/arch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* A tick that is later than both of these finds a thread that has run all the time where it has got
 * to by now, and nobody knows where it has been meanwhile. */
#define GAP_NS (NSEC / 50)
enum { GAP_PERIODS = 5 };
/* How old arcs may be when a process is killed without an exit stop. */
#define ARCS_NS (NSEC / 2)
/* Reading a process's arcs takes no more than 1 / ARCS_SHARE of our time. */
enum { ARCS_SHARE = 50 };

/* Called in main, before there is any other process: does what our file's rights are needed for. */
void
sampler_prepare(struct profsup *ps)
{
	if (ps->opt.sampler != SAMPLER_PTRACE && priv_was_lent_perfmon())
		sampler_perf_prepare(ps);
}

/* Prints why a sampler that was asked for is not to be had, and returns -1. */
int
sampler_init(struct profsup *ps)
{
	const enum sampler_choice choice = ps->opt.sampler;
	uint64_t secret;

	ps->period = NSEC / ps->opt.hz;
	ps->tick.longest = UINT64_MAX;
	ps->cpus = 1;
	ps->sampler = choice == SAMPLER_PTRACE ? &sampler_ptrace : &sampler_perf;
	if (ps->sampler->init(ps) < 0) {
		if (choice == SAMPLER_PERF) {
			log_error("--sampler=perf: perf_event_open: %m%s", diagnose_perf(errno));
			return -1;
		}
		if (arch_stops_cut_calls)
			log_notice("sampler: ptrace, whose stops make system calls fail with EINTR "
			           "on this machine, since perf_event_open: %m%s",
			           diagnose_perf(errno));
		perfring_close();
		ps->sampler = &sampler_ptrace;
		ps->sampler->init(ps);
	}
	cpu_time_init();
	log_verbose("sampler: %s at %u Hz", ps->sampler->name, ps->opt.hz);
	srandom((unsigned)clock_now());
	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) == sizeof(secret))
		secret_set(secret);
	pace_set(ps, UINT64_MAX);
	return 0;
}

/* Starts a thread of a profiled process: a new one, or one found when its process became
 * profiled. */
void
sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread)
{
	if (t->proc->profile == NULL)
		return;
	t->last_pc = 0; /* it may be another image's */
	pace_wake(ps);  /* so that it is known when the next tick comes */
	ps->sampler->start_thread(ps, t, new_thread);
	wall_start(ps, t);
}

/* Starts all threads of a process that runs already.  CPU time used until now is not owed. */
void
sampler_start_process(struct profsup *ps, struct proc *proc)
{
	proc->profile->paid.since = proc->profile->paid.seen = 0;
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		sampler_start_thread(ps, t, false);
}

const char *
sampler_name(const struct profsup *ps)
{
	return ps->sampler->name;
}

void
sampler_stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	if (ps->sampler->stopped != NULL && state_wants_samples(t->proc))
		ps->sampler->stopped(ps, t, regs);
}

/* Called when a thread leaves a system call in which it was not stopped for samples. */
void
sampler_spared(struct profsup *ps, struct tracee *t)
{
	if (ps->sampler->spared != NULL && state_wants_samples(t->proc))
		ps->sampler->spared(ps, t);
}

/* How late a tick is that leaves a gap. */
static uint64_t
least_gap(const struct profsup *ps)
{
	return GAP_NS > GAP_PERIODS * ps->period ? GAP_NS : GAP_PERIODS * ps->period;
}

/* Notes a late tick, for which the supervisor had no CPU, or other work.  If no sample was due, all
 * may have slept: then it is a gap only for those that did not. */
static void
note_gap(struct profsup *ps, uint64_t now)
{
	const uint64_t late = now - ps->tick.at, unseen = ps->stats.unseen, gap = least_gap(ps);

	/* A profile that has begun since this tick was due has set another one. */
	if (ps->sampler->forgive == NULL || now < ps->tick.at || now < ps->tick.last)
		return;
	if (late >= gap)
		for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
			if (state_wants_samples(proc))
				ps->sampler->forgive(ps, proc, gap);
	if (ps->tick.for_sample || ps->stats.unseen != unseen) {
		ps->stats.watched += now - ps->tick.last;
		ps->stats.gaps += late >= gap ? late : 0;
	}
}

/* All processes of -p are attached to.  There were no ticks meanwhile, through nobody's fault. */
void
sampler_attached(struct profsup *ps)
{
	const uint64_t now = clock_now(), gap = least_gap(ps);

	if (ps->sampler->forgive == NULL || now < ps->tick.at + gap)
		return;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (state_wants_samples(proc))
			ps->sampler->forgive(ps, proc, gap);
	ps->tick.at = ps->tick.last = now;
}

/* Called when a thread is in its exit stop. */
void
sampler_end_thread(struct profsup *ps, struct tracee *t)
{
	const uint64_t now = clock_now();

	if (!state_wants_samples(t->proc))
		return;
	/* What the thread has used in a gap is not to be booked here. */
	if (now >= ps->tick.at + least_gap(ps)) {
		note_gap(ps, now);
		ps->tick.at = ps->tick.last = now;
	}
	ps->sampler->end_thread(ps, t);
	wall_end(ps, t);
}

/* Takes all samples so far, so that an image that is about to be forgotten gets its own. */
void
sampler_settle(struct profsup *ps)
{
	if (ps->sampler->settle != NULL)
		ps->sampler->settle(ps);
}

static void
refresh_arcs(struct proc *proc, uint64_t now)
{
	struct profile *p = proc->profile;
	uint64_t cpu, took;

	if (p->fileless || (proc->vm.reading != NULL ? !proc->vm.refreshing : now < p->reading.due))
		return;
	if (proc->vm.reading == NULL) {
		/* While a process dumps core, its threads end one by one, and SIGKILL may come
		 * next. */
		p->reading.due = now + (proc->end.begun ? 0 : ARCS_NS);
		if (procfs_process_cpu(proc->pid, &cpu) < 0 || cpu == p->reading.cpu)
			return;
		p->reading.cpu = cpu;
		p->reading.began = now;
	}
	if (arctable_read(proc) < 0 && errno == ETIMEDOUT) {
		proc->vm.refreshing = true;
		return;
	}
	arctable_give_room(&p->counts.arcs);
	took = clock_now() - p->reading.began;
	if (now + took * ARCS_SHARE > p->reading.due)
		p->reading.due = now + took * ARCS_SHARE;
}

static void
tick_process(struct profsup *ps, struct proc *proc, uint64_t now)
{
	if (tracee_live(proc) == NULL || !state_wants_samples(proc))
		return;
	if (now >= proc->idle.look_at) {
		refresh_arcs(proc, now);
		if (ps->sampler->tick_process != NULL)
			ps->sampler->tick_process(ps, proc, now);
	}
	bins_tick(ps, proc, now);
	callers_settle(ps, proc, false);
}

void
sampler_tick(struct profsup *ps, uint64_t now)
{
	uint64_t look = UINT64_MAX;

	note_gap(ps, now);
	ps->tick.last = now;
	if (ps->sampler->begin_tick != NULL)
		ps->sampler->begin_tick(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		nap_look(ps, proc, now);
		if (!state_wants_samples(proc) && proc->mailbox.addr == 0)
			continue;
		tick_process(ps, proc, now);
		/* A program that waits for the answer to its call computes meanwhile. */
		if (proc->mailbox.addr != 0)
			look = 0;
		else if (look > proc->idle.look_at)
			look = proc->idle.look_at;
	}
	ps->sampler->end_tick(ps);
	pace_set(ps, look);
}
