/*
 * The exit stop of a thread, by whatever death: its memory is still there, and if it is the last
 * one of its process, or may be, the calls are read now.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <sys/syscall.h>

/* When a process ends, so many of its last threads' exit stops are a reason to read its arcs. */
enum { LAST_THREADS = 16 };

/* Not by a signal, another thread's exit_group or its exec, which may come before it could tell of
 * a child. */
bool
exits_by_itself(const struct arch_regs *regs)
{
	return regs->syscall == SYS_exit || regs->syscall == SYS_exit_group;
}

/*
 * A thread that executes a program ends all others and takes on the leader's number.  Killed before
 * the news of its exec it ends as the leader, who may have had an exit stop already, and nothing is
 * heard of its own number any more.  Returns whether `t`, which stops once more, is such a one.
 */
static bool
is_second_life(struct profsup *ps, struct tracee *t)
{
	bool is = false;

	for (struct tracee *other = t->proc->first, *next; other != NULL; other = next) {
		next = other->next;
		if (other == t || other->exiting || trace_has(other->tid))
			continue;
		tracee_drop(ps, other);
		is = true;
	}
	if (is) {
		t->exiting = false;
		t->proc->live++;
	}
	return is;
}

/* Not one that we have seen the exit stop of already. */
bool
exits_now(struct profsup *ps, struct tracee *t)
{
	return !t->exiting || (t->tid == t->proc->pid && is_second_life(ps, t));
}

/*
 * A thread that ends by itself while its process is ended has no exit stop, or one that it is taken
 * out of, and then it may be the last of which we are told, with the memory gone.  It counts no
 * more, so what the others' exit stops see is all.  If it takes long to read, it is read in one of
 * them only.
 */
static enum resume
read_before_last(struct tracee *t)
{
	struct proc *proc = t->proc;

	if (proc->profile == NULL || proc->end.done ||
	    (proc->end.begun && (proc->live > LAST_THREADS || proc->end.slow)))
		return RESUME;
	if (!proc->end.begun)
		arctable_restart(proc);
	proc->end.begun = true;
	if (arctable_read(proc) == 0 || errno != ETIMEDOUT || tracee_chance(t) != MAY_WAIT)
		return RESUME;
	proc->end.slow = true;
	return HOLD;
}

/* Goes on with that reading. */
static enum resume
go_on_reading(const struct tracee *t)
{
	struct proc *proc = t->proc;

	if (proc->vm.reading == NULL || arctable_read(proc) == 0 || errno != ETIMEDOUT)
		return RESUME;
	return tracee_chance(t) == MAY_WAIT ? HOLD : RESUME;
}

/* With the memory of the last thread, or of one that may be. */
enum resume
exits_go_on(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;

	if (proc->live > 0)
		return t->hold.on ? go_on_reading(t) : read_before_last(t);
	return finish_image(ps, proc, tracee_chance(t)) ? RESUME : HOLD;
}

/* `regs` are those of its stop. */
enum resume
exits_stop(struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	sampler_end_thread(ps, t);
	t->exiting = true;
	if (--t->proc->live == 0)
		arctable_restart(t->proc);
	else if (regs->syscall == SYS_exit)
		return RESUME;
	return exits_go_on(ps, t);
}
