/*
 * Threads and processes that share memory in ways that the runtime's tables can't tell apart by
 * themselves.
 *
 * The runtime keeps a table for each thread pointer.  Two threads with one pointer (a raw clone
 * without CLONE_SETTLS), or one whose pointer is not a TLS block, would spoil each other's counts:
 * before such a thread runs its first instruction, the runtime is told to use one table with atomic
 * adds.  The child of a vfork has its creator's pointer too, but the creator waits: what is counted
 * meanwhile is the child's.
 *
 * A process that we have found running may have such threads already.  Until each has stopped once
 * and told its pointer, its threads use the one table.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
vmshare_is_one(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0;
}

static bool
is_profiled(const struct proc *proc)
{
	return proc->profile != NULL && !proc->profile->fileless && proc->state_addr != 0;
}

/* A moncontrol(0) in another thread at this moment must not be undone. */
static int
set_shared(struct proc *proc, pid_t tid)
{
	const uint64_t at = proc->state_addr;
	const uint8_t shared_tp = 1, on = PROFSUP_MODE_SHARED, off = PROFSUP_MODE_OFF;
	struct profsup_state state;

	if (mem_write(proc, tid, at + offsetof(struct profsup_state, shared_tp), &shared_tp, 1) <
	        0 ||
	    mem_read(proc, tid, at, &state, sizeof(state)) < 0)
		return -1;
	if (state.mode != PROFSUP_MODE_ON)
		return 0;
	if (mem_write(proc, tid, at, &on, 1) < 0 ||
	    mem_read(proc, tid, at, &state, sizeof(state)) < 0)
		return -1;
	return state.paused == 0 ? 0 : mem_write(proc, tid, at, &off, 1);
}

/* Nobody is asked any more. */
void
vmshare_no_doubts(struct proc *proc)
{
	for (struct tracee *t = proc->first; proc->doubts != 0 && t != NULL; t = t->next)
		t->doubted = false;
	proc->doubts = 0;
}

/* From here on, in this memory, ON means SHARED.  Prints. */
static void
share_tables(struct proc *proc, pid_t tid)
{
	vmshare_no_doubts(proc);
	if (set_shared(proc, tid) == 0)
		log_verbose("%d: threads share a thread pointer: one table for all", proc->pid);
	else if (errno != ESRCH)
		log_error("%d: threads share a thread pointer, and the runtime can't be told:"
		          " call counts may be low",
		          proc->pid);
}

/* The creator's pointer, while it is stopped in its fork event. */
void
vmshare_note_creator(struct tracee *creator, struct tracee *t)
{
	struct arch_regs regs;

	if (is_profiled(creator->proc) && trace_regs(creator->tid, &regs) == 0)
		t->creator_tp = regs.thread_pointer;
}

/* Made by the program's libc for the program, with the runtime's own variables in it. */
static bool
is_tls_block(const struct tracee *t, uint64_t tp)
{
	uint64_t mark;

	return mem_read(t->proc, t->tid, tp + t->proc->profile->tls_mark, &mark, sizeof(mark)) ==
	           0 &&
	       mark == PROFSUP_TLS_MARK;
}

static void
thaw(struct proc *proc, struct frozen *f)
{
	struct frozen **at = &proc->frozen;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	arcs_clear(&f->arcs);
	free(f);
}

/* `f` is all that the process has in those tables until the creator goes on, which may have died
 * meanwhile.  -1: no such process is left. */
static int
freeze(struct profsup *ps, const struct tracee *child, struct frozen *f)
{
	struct tracee *creator = tracee_find(ps, child->vforked_by);
	struct proc *proc = proc_find(ps, child->proc->parent);
	const struct tracee *live = proc == NULL ? NULL : tracee_live(proc);

	if (live == NULL || proc->profile == NULL || proc->finished ||
	    !vmshare_is_one(live->tid, child->tid))
		return -1;
	f->next = proc->frozen;
	proc->frozen = f;
	if (creator != NULL && creator->proc == proc && creator->in_vfork)
		creator->frozen = f;
	return 0;
}

/* What the tables of its thread pointer, which is its creator's, hold when the child of a vfork
 * starts is not the child's. */
static void
start_vfork(struct profsup *ps, const struct tracee *t)
{
	struct proc *proc = t->proc;
	struct arch_regs regs;
	struct frozen *f;

	if (!proc->shares_memory || trace_regs(t->tid, &regs) < 0)
		return;
	proc->profile->vfork_tp = regs.thread_pointer;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return;
	f->tp = regs.thread_pointer;
	if (arctable_read_thread(proc, t->tid, f->tp, &f->arcs) < 0 ||
	    arcs_copy(&proc->profile->minus, &f->arcs) < 0 || freeze(ps, t, f) < 0) {
		arcs_clear(&f->arcs);
		free(f);
	}
}

/* And what they have more of when it is gone is not the creator's. */
void
vmshare_vfork_done(struct tracee *creator)
{
	struct proc *proc = creator->proc;
	struct frozen *f = creator->frozen;
	struct arcs now;

	if (f == NULL)
		return;
	if (proc->profile != NULL && arctable_read_thread(proc, creator->tid, f->tp, &now) == 0) {
		arcs_subtract(&now, &f->arcs);
		arcs_append(&proc->profile->minus, &now);
		arcs_clear(&now);
	}
	thaw(proc, f);
	creator->frozen = NULL;
}

/* A thread's first stop, before it runs. */
void
vmshare_first_stop(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;
	struct arch_regs regs;

	if (!is_profiled(proc))
		return;
	if (t->vforked_by != 0) {
		start_vfork(ps, t);
		return;
	}
	if (t->creator_tp == 0 || proc->profile->vfork_tp != 0 ||
	    (t->tid == proc->pid && !proc->shares_memory) || trace_regs(t->tid, &regs) < 0)
		return;
	if (regs.thread_pointer == t->creator_tp || !is_tls_block(t, regs.thread_pointer))
		share_tables(proc, t->tid);
}

/* With the image, or the process. */
void
vmshare_forget(struct proc *proc)
{
	while (proc->frozen != NULL)
		thaw(proc, proc->frozen);
}

/* A process that we have found running: unless it has one thread only, they are asked.  `tid` has
 * the memory. */
int
vmshare_doubt(struct proc *proc, pid_t tid)
{
	struct profsup_state state;

	if (proc->threads == 1)
		return 0;
	/* One that shared before goes on so. */
	if (mem_read(proc, tid, proc->state_addr, &state, sizeof(state)) < 0)
		return -1;
	if (state.shared_tp)
		return 0;
	if (set_shared(proc, tid) < 0)
		return -1;
	for (struct tracee *t = proc->first; t != NULL; t = t->next) {
		t->doubted = true;
		proc->doubts++;
	}
	return 0;
}

/* In its own TLS block, and nobody else in it. */
static bool
has_own_pointer(struct tracee *t)
{
	struct arch_regs regs;

	if (trace_regs(t->tid, &regs) < 0 || !is_tls_block(t, regs.thread_pointer))
		return false;
	for (const struct tracee *other = t->proc->first; other != NULL; other = other->next)
		if (other->known_tp == regs.thread_pointer)
			return false;
	t->known_tp = regs.thread_pointer;
	return true;
}

/* A stop of any kind, or the end of one that made none.  With the last of those that were asked the
 * threads get tables of their own. */
void
vmshare_stopped(const struct profsup *ps, struct tracee *t, bool gone)
{
	const uint8_t no = 0;
	struct proc *proc = t->proc;

	if (!t->doubted)
		return;
	t->doubted = false;
	if (!gone && !has_own_pointer(t)) {
		log_verbose("%d: threads share a thread pointer: one table for all", proc->pid);
		vmshare_no_doubts(proc);
		return;
	}
	if (--proc->doubts != 0 || gone)
		return;
	if (mem_write(proc, t->tid, proc->state_addr + offsetof(struct profsup_state, shared_tp),
	              &no, 1) == 0)
		gate_tell(ps, proc, t->tid);
}
