/*
 * The exit stop of a thread, by whatever death: the memory is still there, and if the thread is, or
 * may be, its process's last one, the calls are read now.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <sys/syscall.h>

/* A process's arcs are read at the exit stops of its last threads, so many of them. */
enum { LAST_THREADS = 16 };

/*
 * A thread that execs ends all others and takes over the leader's id.  If it is killed before its
 * exec event, it ends under that id, for which there may have been an exit stop already, and
 * nothing is heard of its own id any more.  Returns whether `t`, which stops once more, is such a
 * thread.
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

/*
 * A thread that ends by itself while its process is ended has no exit stop, or is taken out of it.
 * Its end may then be the last that we are told of, when the memory is gone.  But it counts no more
 * calls, so the other threads' exit stops see them all.  If the calls take long to read, they are
 * read in one of these stops only.
 */
static enum resume
read_before_last(struct tracee *t)
{
	struct proc *proc = t->proc;

	if (t->hold.on && proc->vm.reading == NULL)
		return RESUME;
	if (!t->hold.on && (proc->profile == NULL || proc->end.done ||
	                    (proc->end.begun && (proc->live > LAST_THREADS || proc->end.slow))))
		return RESUME;
	if (!proc->end.begun)
		arctable_restart(proc);
	proc->end.begun = true;
	if (arctable_read(proc) == 0 || errno != ETIMEDOUT || tracee_chance(t) != MAY_WAIT)
		return RESUME;
	proc->end.slow = true;
	return HOLD;
}

/* Reads the calls in the exit stop of the last thread, or of one that may be the last. */
enum resume
exits_go_on(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;

	if (proc->live > 0)
		return read_before_last(t);
	return finish_image(ps, proc, tracee_chance(t)) ? RESUME : HOLD;
}

/* The thread is about to end.  A signal, or another thread's exit_group or exec, may come before
 * the event for a child that it has made. */
enum resume
exits_stop(struct profsup *ps, struct tracee *t)
{
	struct arch_regs regs = { .syscall = -1 };

	if (t->exiting && (t->tid != t->proc->pid || !is_second_life(ps, t)))
		return RESUME; /* we have seen this thread's exit stop already */
	trace_regs(t->tid, &regs);
	if (regs.syscall != SYS_exit && regs.syscall != SYS_exit_group)
		births_of_killed(ps, t);
	sampler_end_thread(ps, t);
	t->exiting = true;
	if (--t->proc->live == 0)
		arctable_restart(t->proc);
	else if (regs.syscall == SYS_exit)
		return RESUME;
	return exits_go_on(ps, t);
}
