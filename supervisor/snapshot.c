/*
 * Snapshots: the files of all processes as things stand now, while these run on.
 *
 * Nobody is stopped for one, but while we write a file nobody is served either.  So it is one
 * process at a time, and the loop goes round between two.  With --sum it is all at once, since a
 * process must not be in a sum both as one that runs and as one that has ended meanwhile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

static unsigned number; /* of the last one */

static bool
has_file(const struct proc *proc)
{
	return proc->profile != NULL && !proc->finished && !proc->profile->fileless;
}

/* A new one, of all that have a profile now. */
void
snapshot_begin(struct profsup *ps)
{
	number++;
	sampler_settle(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		proc->snapshot_due = has_file(proc);
	log_verbose("snapshot %u", number);
}

/* The next process; all with --sum.  Returns whether there was one. */
bool
snapshot_step(struct profsup *ps)
{
	bool any = false;

	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		const struct tracee *live = proc->snapshot_due ? tracee_live(proc) : NULL;

		proc->snapshot_due = false;
		if (live == NULL || !has_file(proc))
			continue;
		image_snapshot(ps, proc, live->tid, number);
		any = true;
		if (!ps->opt.sum)
			return true;
	}
	if (any)
		sums_snapshot(ps, number);
	return any;
}
