/*
 * The parts of the supervisor that are about rights, which simulated programs don't have, and about
 * files and memory, which only some of them have (late.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include "trace/trace.h"

static int
may_not(void)
{
	errno = EPERM;
	return -1;
}

int
__wrap_priv_realtime(int priority)
{
	const struct sched_param param = { priority };

	return sched_setscheduler(
	    0, (priority > 0 ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK, &param);
}

bool
__wrap_priv_is_lent(void)
{
	return false;
}

int
__wrap_priv_keep_nice_in_thread(void)
{
	return machine.root ? 0 : may_not();
}

bool
__wrap_fds_have_spare(void)
{
	return true;
}

int
__wrap_priv_become(const struct identity *id)
{
	(void)id;
	return 0;
}

void
__wrap_priv_return(void)
{
}

bool __real_state_is_on(struct proc *proc);

bool
__wrap_state_is_on(struct proc *proc)
{
	return kind->late ? __real_state_is_on(proc) : proc->profile->mode.on;
}

int __real_arctable_read(struct proc *proc);

int
__wrap_arctable_read(struct proc *proc)
{
	return kind->late ? __real_arctable_read(proc) : 0;
}

void __real_bins_put(struct proc *proc, uint64_t index, uint16_t value);

void
__wrap_bins_put(struct proc *proc, uint64_t index, uint16_t value)
{
	if (kind->late)
		__real_bins_put(proc, index, value);
}

void __real_bins_tick(const struct profsup *ps, struct proc *proc, uint64_t time);

void
__wrap_bins_tick(const struct profsup *ps, struct proc *proc, uint64_t time)
{
	if (kind->late)
		__real_bins_tick(ps, proc, time);
}

/* It knows the worker thread by a variable of the thread, and all of ours are one. */
void
__wrap_turn_give_way(void)
{
}

void
__wrap_vmshare_stopped(struct tracee *t, bool gone)
{
	(void)t;
	(void)gone;
}

void
__wrap_vmshare_note_creator(struct tracee *creator, struct tracee *t)
{
	(void)creator;
	(void)t;
}

void
__wrap_foresee_step(const struct profsup *ps)
{
	(void)ps;
}

bool __real_finish_image(struct profsup *ps, struct proc *proc, enum chance chance);

/* A profile's file is what the process has in the end. */
bool
__wrap_finish_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	struct process *p = processes;
	const struct hist *h = proc->profile == NULL ? NULL : &proc->profile->counts.hist;

	if (kind->late)
		return __real_finish_image(ps, proc, chance);
	while (p != NULL && p->pid != proc->pid)
		p = p->next;
	if (p == NULL || h == NULL || proc->end.done)
		return true;
	ours_spend(machine.file);
	for (const struct hist_bin *b = h->bins; b != NULL; b = b->hh.next) {
		const uint64_t function = (h->offset + hist_span(h, b->index)) / FUNCTION_BYTES - 1;

		if (function < FUNCTIONS)
			p->booked[function] += b->ticks;
	}
	p->elsewhere += proc->profile->counts.outside;
	p->files++;
	proc->end.done = true;
	return true;
}

/* ptrace.c's calls that nobody makes of such programs. */
int
trace_seize(pid_t tid, bool kill_on_exit)
{
	(void)tid;
	(void)kill_on_exit;
	return may_not();
}

int
trace_listen(pid_t tid)
{
	return trace_resume(tid, false, 0);
}

int
trace_call(pid_t tid, struct trace_call *call)
{
	(void)tid;
	(void)call;
	return may_not();
}
