/*
 * The parts of the supervisor that are about files and memory (ld's --wrap), which count what is
 * begun and written; and a sampler that takes no samples.
 *
 * SPDX-License-Identifier: ISC
 */
#include "orders.h"

unsigned begun, finished, dropped;

void
begin_profile(struct proc *proc)
{
	proc->profile = profile_new();
	proc->profile->mode.on = true;
	begun++;
}

struct profile *__real_profile_fork(const struct profile *from);

struct profile *
__wrap_profile_fork(const struct profile *from)
{
	begun++;
	return __real_profile_fork(from);
}

int
__wrap_arctable_read(struct proc *proc)
{
	(void)proc;
	return 0;
}

bool
__wrap_finish_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	(void)ps;
	(void)chance;
	if (proc->profile == NULL || proc->end.done)
		return true;
	show("  the profile of %d is written", proc->pid);
	proc->end.done = true;
	finished++;
	return true;
}

void
__wrap_image_exec(struct profsup *ps, struct proc *proc, struct tracee *caller)
{
	(void)ps;
	(void)caller;
	dropped += proc->profile != NULL && !proc->end.done;
	profile_free(proc->profile);
	proc->profile = NULL;
	proc->end.done = false;
}

bool
__wrap_image_start(struct profsup *ps, struct proc *proc, enum chance chance)
{
	(void)ps;
	(void)chance;
	if (!proc->detach)
		begin_profile(proc);
	return true;
}

bool
__wrap_detach_state(struct proc *proc)
{
	(void)proc;
	return true;
}

bool
__wrap_window_child(const struct profsup *ps, const struct tracee *t)
{
	(void)ps;
	(void)t;
	return true;
}

/* Nobody has perf's events. */
void
perf_events_drop(struct perf_events *ev)
{
	(void)ev;
}
