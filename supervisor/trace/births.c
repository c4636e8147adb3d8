/*
 * New threads and processes.  Each is traced from its birth, and its first stop and its creator's
 * event come in either order: one whose stop comes first stays stopped until its creator's event.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long a new thread waits for its creator's event, since the creator may wait for a CPU among
 * many; and after how long we ask all tracees for news. */
#define UNCLAIMED_NS (2 * NSEC)
#define ASK_NS       (NSEC / 10)
/* Most children of a killed thread that are taken. */
enum { MAX_ORPHANS = 1024 };

/* The first stop of a new thread, before it runs, when its process is known. */
enum resume
births_first_stop(const struct profsup *ps, struct tracee *t)
{
	t->birth.past = true;
	if (vmshare_first_stop(t) && (t->tid != t->proc->pid || window_child(ps, t)) &&
	    attach_child(ps, t))
		return RESUME;
	if (tracee_chance(t) == MAY_WAIT)
		return HOLD;
	t->proc->image.untold = t->proc->image.state_addr != 0;
	return RESUME;
}

static bool
is_thread_of(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) == 0 || errno == EPERM;
}

/* Drops a tracee whose id another thread has by now: an untraced thread's exec has ended the leader
 * without a word to us. */
static void
drop_ghost(struct profsup *ps, struct tracee *t)
{
	if (t->proc->threads == 1)
		finish_image(ps, t->proc, NO_MEMORY);
	tracee_drop(ps, t);
}

static bool
makes_process(long nr)
{
#ifdef SYS_fork
	if (nr == SYS_fork || nr == SYS_vfork)
		return true;
#endif
	return nr == SYS_clone || nr == SYS_clone3;
}

/* Whether a trap is the first stop of a new process that has such an id, and its creator's event is
 * still to come: the call that made it has returned 0, and the memory that we know is gone.  Then
 * `t` is dropped. */
bool
births_replaces(struct profsup *ps, struct tracee *t)
{
	struct arch_regs regs;
	uint8_t byte;

	if (!t->birth.past || t->listening || t->tid != t->proc->pid ||
	    t->proc->vm.memory == NULL || trace_regs(t->tid, &regs) < 0 || regs.result != 0 ||
	    !makes_process(regs.syscall) || mem_read(t->proc, regs.pc, &byte, sizeof(byte)) == 0 ||
	    errno != ESRCH)
		return false;
	drop_ghost(ps, t);
	return true;
}

static void
count_profiled(struct profsup *ps, const struct proc *proc)
{
	ps->stats.profiled++;
	ps->stats.bare += proc->profile->bare;
}

/* Adds a process that a thread made, by a vfork or otherwise.  NULL if there is no memory for it.
 */
static struct proc *
inherit(struct profsup *ps, const struct tracee *creator, pid_t pid, bool vfork)
{
	const struct proc *parent = creator->proc;
	struct proc *proc = proc_add(ps, pid);

	if (proc == NULL)
		return NULL;
	proc->parent = parent->pid;
	proc->elevated = parent->elevated;
	proc->watch = parent->watch;
	proc->image.elf = parent->image.elf;
	proc->image.state_addr = parent->image.state_addr;
	proc->mailbox.addr = parent->mailbox.addr;
	proc->shares_memory = vmshare_is_one(creator->tid, pid, vfork && !creator->exiting);
	/* A parent that is to be let go was given up by an attach. */
	proc->detach = parent->detach || detach_is_for_new(ps);
	proc->vm.error = parent->vm.error;
	if (parent->vm.memory != NULL)
		mem_open(proc, pid);
	mapped_fork(proc, parent);
	if (parent->profile != NULL && !parent->end.done) {
		proc->profile = profile_fork(parent->profile);
		proc->end.done = proc->detach; /* what it counts must not be its parent's */
		if (proc->profile == NULL)
			log_error("%d: no memory for its profile", pid);
		else if (!proc->detach)
			count_profiled(ps, proc);
	}
	return proc;
}

/* Takes a new thread, `t` if it has stopped already.  Returns it if it waits to be resumed. */
static struct tracee *
take_child(struct profsup *ps, struct tracee *creator, pid_t tid, struct tracee *t, bool vfork)
{
	struct proc *proc = creator->proc;
	const bool is_thread = is_thread_of(proc->pid, tid);

	/* It was killed before it could do anything.  An entry for it would stay for good. */
	if (t == NULL && !trace_has(tid)) {
		log_verbose("%d: gone before its creator's event came", tid);
		return NULL;
	}
	if (!is_thread)
		proc = inherit(ps, creator, tid, vfork);
	if (proc == NULL || (t == NULL && (t = tracee_add(ps, tid, NULL)) == NULL)) {
		log_error("%d: no memory to follow this process: it runs unprofiled", tid);
		return NULL;
	}
	tracee_adopt(t, proc);
	if (vfork && !is_thread)
		creator->vm.in_vfork = proc->shares_memory;
	else
		vmshare_note_creator(creator, t);
	sampler_start_thread(ps, t, true);
	log_verbose("%d: new %s %d", creator->proc->pid, is_thread ? "thread" : "process", tid);
	if (!t->birth.past)
		return NULL;
	ps->unclaimed--;
	if (births_first_stop(ps, t) == RESUME)
		return t;
	tracee_hold(ps, t, EVT_TRAP);
	return NULL;
}

/* Takes who was made by a call that returns.  Returns it if it waits to be resumed. */
struct tracee *
births_of(struct profsup *ps, struct tracee *creator, bool vfork)
{
	struct tracee *t;
	unsigned long tid;

	if (trace_message(creator->tid, &tid) < 0)
		return NULL;
	t = tracee_find(ps, (pid_t)tid);
	if (t != NULL && t->birth.found_alone)
		return NULL; /* it waited too long for its creator's event */
	if (t != NULL && t->proc != NULL) {
		drop_ghost(ps, t);
		t = NULL;
	}
	return take_child(ps, creator, (pid_t)tid, t, vfork);
}

/* Whether a thread was ended with its process before it ran.  Its creator's event will not come. */
static bool
is_stillborn(const struct event *ev)
{
	return ev->kind == EVT_EXIT && procfs_tgid(ev->tid, NULL) != ev->tid;
}

/* A new thread whose creator's event is still to come stays stopped until then. */
void
births_unclaimed(struct profsup *ps, const struct event *ev)
{
	struct tracee *t;

	if (ev->kind == EVT_EXITED)
		return;
	if (is_stillborn(ev)) {
		trace_resume(ev->tid, false, 0);
		return;
	}
	/* It has taken over the id of a thread that was let go at its end. */
	if (ev->kind == EVT_EXEC) {
		trace_detach(ev->tid, 0);
		return;
	}
	t = tracee_add(ps, ev->tid, NULL);
	if (t == NULL) {
		log_error("%d: no memory to follow this process: it runs unprofiled", ev->tid);
		trace_resume(ev->tid, false, 0);
		return;
	}
	t->birth.past = true;
	t->group_stopped = ev->kind == EVT_GROUP_STOP;
	t->birth.unclaimed_since = clock_now();
	ps->unclaimed++;
}

/* Takes children that the creator was killed too early to report: they are still its children, and
 * have not run yet.  A child that has its memory is taken for a vfork's. */
void
births_of_killed(struct profsup *ps, struct tracee *creator)
{
	pid_t child[MAX_ORPHANS];
	size_t n = procfs_children(creator->proc->pid, creator->tid, child, MAX_ORPHANS);

	for (size_t i = 0; i < n; i++) {
		struct tracee *t = tracee_find(ps, child[i]);

		if ((t != NULL && t->proc != NULL) || procfs_tracer(child[i]) != getpid())
			continue;
		t = take_child(ps, creator, child[i], t, true);
		if (t != NULL)
			resume(ps, t, 0);
	}
}

/* Lets a new thread go of which we can't find out more: it must not stay stopped. */
static void
drop_alone(struct profsup *ps, struct tracee *t)
{
	if (trace_detach(t->tid, 0) < 0)
		return; /* there is news of it */
	log_error("%d: no descriptor or memory to follow this process: it runs unprofiled", t->tid);
	ps->unclaimed--;
	tracee_drop(ps, t);
}

/* Resumes new threads whose creator was killed before its event.  By now they have another parent,
 * so there is no profile that they could share: they run on without one.  Returns whether all
 * tracees should be asked for news, since a creator may only be late. */
bool
births_alone(struct profsup *ps)
{
	struct tracee *t, *next;
	uint64_t now;
	bool any = false;

	if (ps->unclaimed == 0)
		return false;
	now = clock_now();
	HASH_ITER (hh, ps->tracees, t, next) {
		struct proc *proc;
		pid_t pid, parent = 0;

		if (t->proc != NULL || now - t->birth.unclaimed_since < ASK_NS)
			continue;
		if (now - t->birth.unclaimed_since < UNCLAIMED_NS) {
			any = true;
			continue;
		}
		pid = procfs_tgid(t->tid, &parent);
		proc = proc_find(ps, pid);
		if (pid > 0 && proc == NULL && (proc = proc_add(ps, pid)) != NULL) {
			proc->parent = parent;
			proc->detach = detach_is_for_new(ps);
		}
		if (proc == NULL) {
			drop_alone(ps, t);
			continue;
		}
		tracee_adopt(t, proc);
		t->birth.found_alone = true;
		ps->unclaimed--;
		resume(ps, t, 0);
	}
	return any;
}
