/*
 * Threads and processes that share memory in ways that the runtime's tables can't tell apart by
 * themselves.
 *
 * The runtime keeps a table for each thread pointer.  Two threads with one pointer (a raw clone
 * without CLONE_SETTLS), or one whose pointer is not a TLS block, would spoil each other's counts:
 * before such a thread runs its first instruction, the runtime is told to use one table with atomic
 * adds.  The child of a vfork has its creator's pointer too, but the creator waits meanwhile: both
 * count in the creator's table, and all of it is the creator's.
 *
 * A process that we have found running may have such threads already.  Until each has stopped once
 * and told its pointer, its threads use the one table.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether two processes have one memory.  `otherwise`: what holds where it is not told, as in a
 * container whose filter refuses the call. */
bool
vmshare_is_one(pid_t a, pid_t b, bool otherwise)
{
	const long differ = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);

	return differ < 0 ? otherwise : differ == 0;
}

static bool
is_profiled(const struct proc *proc)
{
	return proc->profile != NULL && !proc->profile->fileless && proc->image.state_addr != 0;
}

static int
set_shared(struct proc *proc, bool shared)
{
	return state_set(proc, offsetof(struct profsup_state, shared_tp), shared);
}

/* Threads are no longer asked for their pointers. */
void
vmshare_no_doubts(struct proc *proc)
{
	for (struct tracee *t = proc->first; proc->doubts != 0 && t != NULL; t = t->next)
		t->vm.doubted = false;
	proc->doubts = 0;
}

/* From here on all threads of this memory use one table.  False: the memory was late.  Prints. */
static bool
share_tables(struct proc *proc)
{
	vmshare_no_doubts(proc);
	if (set_shared(proc, true) == 0)
		log_verbose("%d: threads share a thread pointer: one table for all", proc->pid);
	else if (errno == ETIMEDOUT)
		return false;
	else if (errno != ESRCH && !proc->said_shared)
		log_error("%d: threads share a thread pointer, and its memory can't be written:"
		          " call counts may be low",
		          proc->pid);
	proc->said_shared = true;
	return true;
}

/* Notes the creator's pointer, while the creator is stopped in its fork event. */
void
vmshare_note_creator(struct tracee *creator, struct tracee *t)
{
	struct arch_regs regs;

	if (is_profiled(creator->proc) && trace_regs(creator->tid, &regs) == 0)
		t->vm.creator_tp = regs.thread_pointer;
}

/* Whether `tp` is a TLS block that the program's libc made, with the runtime's variables in it.
 * errno is ETIMEDOUT if the memory was late. */
static bool
is_tls_block(const struct tracee *t, uint64_t tp)
{
	uint64_t mark;

	errno = 0;
	return mem_read(t->proc, tp + t->proc->profile->runtime.tls_mark, &mark, sizeof(mark)) ==
	           0 &&
	       mark == PROFSUP_TLS_MARK;
}

/* Called at a thread's first stop, before it runs.  False: its memory was late, call again. */
bool
vmshare_first_stop(struct tracee *t)
{
	struct proc *proc = t->proc;
	struct arch_regs regs;

	if (!is_profiled(proc) || proc->vm.memory == NULL || t->vm.creator_tp == 0 ||
	    (t->tid == proc->pid && !proc->shares_memory) || trace_regs(t->tid, &regs) < 0)
		return true;
	if (regs.thread_pointer != t->vm.creator_tp && is_tls_block(t, regs.thread_pointer))
		return true;
	if (regs.thread_pointer != t->vm.creator_tp && errno == ETIMEDOUT)
		return false;
	return share_tables(proc);
}

/* Called for a process that we have attached to: if it has several threads, they are asked for
 * their pointers. */
int
vmshare_doubt(struct proc *proc)
{
	struct profsup_state state;

	if (proc->threads == 1)
		return 0;
	/* A process whose threads shared a table before goes on so. */
	if (mem_read(proc, proc->image.state_addr, &state, sizeof(state)) < 0)
		return -1;
	if (state.shared_tp)
		return 0;
	if (set_shared(proc, true) < 0)
		return -1;
	for (struct tracee *t = proc->first; t != NULL; t = t->next) {
		t->vm.doubted = true;
		proc->doubts++;
	}
	return 0;
}

/* Whether the thread has a TLS block, and no other thread the same.  errno is ETIMEDOUT if the
 * memory was late. */
static bool
has_own_pointer(struct tracee *t)
{
	struct arch_regs regs;

	if (trace_regs(t->tid, &regs) < 0 || !is_tls_block(t, regs.thread_pointer))
		return false;
	for (const struct tracee *other = t->proc->first; other != NULL; other = other->next)
		if (other->vm.known_tp == regs.thread_pointer)
			return false;
	t->vm.known_tp = regs.thread_pointer;
	return true;
}

/* Called at a stop of any kind, or at the end of a thread that made none.  After the last thread
 * that was asked all get tables of their own. */
void
vmshare_stopped(struct tracee *t, bool gone)
{
	struct proc *proc = t->proc;

	if (!t->vm.doubted)
		return;
	if (!gone && !has_own_pointer(t)) {
		if (errno == ETIMEDOUT)
			return; /* its next stop may tell */
		log_verbose("%d: threads share a thread pointer: one table for all", proc->pid);
		vmshare_no_doubts(proc);
		return;
	}
	t->vm.doubted = false;
	if (--proc->doubts == 0 && !gone)
		set_shared(proc, false);
}
