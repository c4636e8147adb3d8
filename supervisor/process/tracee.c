/*
 * The tables of threads and processes.  Entries are allocated one by one and never move.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <stdlib.h>
#include <unistd.h>

/* How long a stop is held for a file or memory that is late; and the stop of a thread that ends,
 * which is the last chance to read its process's calls, and may have to wait for others'. */
#define HOLD_NS (3 * NSEC)
#define LAST_NS (15 * NSEC)

/* Returns a thread that has its process's memory; NULL: none is left. */
struct tracee *
tracee_live(const struct proc *proc)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		if (!t->exiting)
			return t;
	return NULL;
}

/* Whether there is only one tracee. */
bool
tracee_is_lone(const struct profsup *ps)
{
	return HASH_COUNT(ps->tracees) == 1;
}

struct tracee *
tracee_find(const struct profsup *ps, pid_t tid)
{
	struct tracee *t;

	HASH_FIND(hh, ps->tracees, &tid, sizeof(tid), t);
	return t;
}

/* `proc` may be NULL for now: see tracee_adopt. */
struct tracee *
tracee_add(struct profsup *ps, pid_t tid, struct proc *proc)
{
	struct tracee *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->tid = tid;
	t->cpu.stat_fd = t->cpu.sched_fd = t->cpu.left_fd = -1;
	HASH_ADD(hh, ps->tracees, tid, sizeof(t->tid), t);
	if (t->hh.tbl == NULL) {
		free(t);
		return NULL;
	}
	if (proc != NULL)
		tracee_adopt(t, proc);
	return t;
}

void
tracee_adopt(struct tracee *t, struct proc *proc)
{
	t->proc = proc;
	proc->threaded |= proc->first != NULL;
	t->next = proc->first;
	proc->first = t;
	proc->threads++;
	proc->live++;
}

/* Leaves the thread in its stop.  The loop sees to it again until what the stop asks for is done,
 * and serves the other threads meanwhile. */
void
tracee_hold(struct profsup *ps, struct tracee *t, enum event_kind at)
{
	if (t->hold.on)
		return;
	t->hold.on = true;
	t->hold.at = at;
	t->hold.since = clock_now();
	t->hold.next = ps->held;
	ps->held = t;
}

/* What may be done for a stop that is held: after a while, only what can be done at once. */
enum chance
tracee_chance(const struct tracee *t)
{
	const bool is_last = t->hold.at == EVT_EXIT || t->hold.at == EVT_SIGNAL;

	if (!t->hold.on || clock_now() - t->hold.since <= (is_last ? LAST_NS : HOLD_NS))
		return MAY_WAIT;
	return LAST_CHANCE;
}

void
tracee_release(struct profsup *ps, struct tracee *t)
{
	struct tracee **at = &ps->held;

	if (!t->hold.on)
		return;
	while (*at != t)
		at = &(*at)->hold.next;
	*at = t->hold.next;
	t->hold.on = false;
}

/* Frees a process that is in no table any more. */
void
proc_free(struct proc *proc)
{
	mapped_forget(proc);
	profile_free(proc->profile);
	free(proc);
}

/* What is late is kept, with its code. */
void
proc_drop(struct profsup *ps, struct proc *proc)
{
	HASH_DEL(ps->procs, proc);
	ps->owed.all -= proc->owed.all; /* of threads whose ends nobody has seen */
	mem_close(proc);
	exe_forget(proc);
	if (!proc->end.late) {
		proc_free(proc);
		return;
	}
	proc->next_late = ps->late;
	ps->late = proc;
}

void
tracee_end_continuation(struct tracee *t)
{
	free(t->continuation);
	t->continuation = NULL;
}

/* What --wall knows of a thread, which is not looked at any more. */
void
tracee_forget_waits(struct profsup *ps, struct tracee *t)
{
	ps->wall.busy -= t->wall.begun && !t->wall.calm;
	free(t->wall.seen);
	t->wall = (struct wall){ .begun = false };
}

/* Drops a thread, and its process with the last one. */
void
tracee_drop(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;

	tracee_release(ps, t);
	tracee_end_continuation(t);
	if (proc != NULL) {
		struct tracee **at = &proc->first;

		while (*at != t)
			at = &(*at)->next;
		*at = t->next;
		if (!t->exiting)
			proc->live--;
		if (--proc->threads == 0)
			proc_drop(ps, proc);
	}
	fds_close(t->cpu.stat_fd);
	fds_close(t->cpu.sched_fd);
	fds_close(t->cpu.left_fd);
	tracee_forget_waits(ps, t);
	HASH_DEL(ps->tracees, t);
	free(t);
}

struct proc *
proc_find(const struct profsup *ps, pid_t pid)
{
	struct proc *proc;

	HASH_FIND(hh, ps->procs, &pid, sizeof(pid), proc);
	return proc;
}

struct proc *
proc_add(struct profsup *ps, pid_t pid)
{
	struct proc *proc = calloc(1, sizeof(*proc));

	if (proc == NULL)
		return NULL;
	proc->pid = pid;
	proc->owed.of = &ps->owed;
	HASH_ADD(hh, ps->procs, pid, sizeof(proc->pid), proc);
	if (proc->hh.tbl == NULL) {
		free(proc);
		return NULL;
	}
	return proc;
}
