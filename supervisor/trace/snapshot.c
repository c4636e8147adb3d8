/*
 * Snapshots: the files of all processes as things stand now, while these run on.
 *
 * No tracee is stopped for a snapshot, but none is served while we write a file.  So we write the
 * files one by one, and the loop goes round between two.  With --sum all are written at once, since
 * a process must not be in a sum both as one that runs and as one that has ended meanwhile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

static unsigned number; /* number of the last snapshot */
static uint64_t until;  /* how long arcs may be late, ns */

#define PATIENCE_NS (3 * NSEC)

static bool
has_file(const struct proc *proc)
{
	return proc->profile != NULL && !proc->end.done && !proc->profile->fileless;
}

/* Of one that ends the calls are being read for its own file: nobody begins that anew. */
static bool
is_due(const struct proc *proc)
{
	return proc->snapshot.due && has_file(proc) && tracee_live(proc) != NULL;
}

/* Whether it is in no sum now: it ends, and is not in the total yet. */
static bool
is_between(const struct proc *proc)
{
	return proc->snapshot.due && has_file(proc) && tracee_live(proc) == NULL;
}

/* Begins a snapshot of all processes that have a profile now. */
void
snapshot_begin(struct profsup *ps)
{
	number++;
	sampler_settle(ps);
	until = clock_now() + PATIENCE_NS;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		proc->snapshot.due = true;
		proc->snapshot.read = false;
		if (is_due(proc))
			arctable_restart(proc);
	}
	log_verbose("snapshot %u", number);
}

/* Reads a process's arcs; if they are late for too long, those last read are used.  False: not
 * yet. */
static bool
is_read(struct proc *proc)
{
	if (!proc->snapshot.read)
		proc->snapshot.read =
		    finish_read_arcs(proc, clock_now() < until ? MAY_WAIT : LAST_CHANCE, true);
	return proc->snapshot.read;
}

/* Writes all files at once, when all calls have been read. */
static enum snapshot_end
take_sums(struct profsup *ps)
{
	bool late = false;

	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		late |=
		    (is_due(proc) && !is_read(proc)) || (is_between(proc) && clock_now() < until);
	if (late)
		return SNAPSHOT_LATE;
	late_step(ps, true);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (is_due(proc))
			finish_snapshot(ps, proc, number);
	sums_snapshot(ps, number);
	return SNAPSHOT_DONE;
}

/* Writes the next process's file; with --sum, all files. */
enum snapshot_end
snapshot_step(struct profsup *ps)
{
	enum snapshot_end end = SNAPSHOT_DONE;

	if (ps->opt.sum)
		return take_sums(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		if (!is_due(proc))
			continue;
		if (is_read(proc) &&
		    (output_has_room(ps, proc->profile->place) || clock_now() >= until)) {
			finish_snapshot(ps, proc, number);
			proc->snapshot.due = false;
			return SNAPSHOT_MORE;
		}
		end = SNAPSHOT_LATE;
	}
	return end;
}
