/*
 * The end of an image, and a snapshot before it: its calls are read, and its file is written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>

/* How long the end of a process is held up for its call stacks. */
#define ROWS_NS (NSEC / 4)
/* How long all processes' calls are waited for when the supervisor has to end. */
#define READ_NS (NSEC / 2)

/* Reads the calls of a process that ends, or goes on.  False: they are still being read. */
bool
finish_read_arcs(struct proc *proc, enum chance chance, bool goes_on)
{
	/* ENODATA: there are none.  ESRCH: it has just ended or executed, which we are told next.
	 */
	if (arctable_read(proc) == 0 || errno == ENODATA || (goes_on && errno == ESRCH)) {
		proc->end.arcs_lost = false; /* a snapshot's may have been */
		return true;
	}
	if (errno == ETIMEDOUT && chance == MAY_WAIT)
		return false;
	proc->end.arcs_lost = !goes_on || errno != ETIMEDOUT;
	if (errno == ETIMEDOUT)
		log_error("%d: %s: its calls could not be read in time: those since the last"
		          " reading %s",
		          proc->pid, proc->profile->place->name,
		          goes_on ? "count as later ones" : "are lost");
	else
		log_error("%d: %s: its calls can't be read: %m: only earlier calls are included%s",
		          proc->pid, proc->profile->place->name, diagnose_read(errno));
	return true;
}

/* Whether call stacks hold the process up.  Only the first process of a run that executes some code
 * may have to wait for what is being read of it. */
static bool
is_held_for_stacks(const struct profsup *ps, struct proc *proc, enum chance chance)
{
	const uint64_t now = clock_now();

	if (proc->end.rows_until == 0) {
		proc->end.rows_until = now + ROWS_NS;
		waiting_drop_empty(proc->profile, 0);
		objects_ask_made(proc);
	}
	return !result_has_stacks(ps, proc) && chance == MAY_WAIT && now < proc->end.rows_until;
}

/* Writes a process's file when its last thread ends.  False: not yet, call again.  Prints. */
bool
finish_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	struct profile *p = proc->profile;

	if (p == NULL || proc->end.done)
		return chance == NO_MEMORY || !output_holds_up(proc->end.file);
	if (chance != NO_MEMORY && !p->fileless && !proc->end.arcs_read &&
	    !finish_read_arcs(proc, chance, false))
		return false;
	proc->end.arcs_read = true;
	if (is_held_for_stacks(ps, proc, chance))
		return false;
	wall_settle(ps, proc, false);
	if (chance == MAY_WAIT && !p->fileless && !output_has_room(ps, p->place))
		return false;
	proc->end.done = true;
	top_end(p);
	if (p->fileless || profile_is_bare_and_empty(p))
		return true;
	if (chance == NO_MEMORY && !proc->end.begun)
		log_notice(
		    "%d: %s: killed without an exit stop: its calls are those last read, up to"
		    " half a second before",
		    proc->pid, p->place->name);
	if (p->off)
		log_notice("%d: a bin could not be written: its profile ends there", proc->pid);
	/* Its stacks may all be another process's of the same program. */
	if (p->counts.stacks.nodes != NULL && !proc->image.asked)
		objects_ask_program(ps, proc);
	if (!late_keep(ps, proc))
		result_write(ps, proc);
	return chance == NO_MEMORY || !output_holds_up(proc->end.file);
}

static bool
is_to_be_saved(const struct proc *proc)
{
	return proc->profile != NULL && !proc->end.done && !proc->profile->fileless;
}

/* Reads all calls for finish_save().  Prints. */
void
finish_save_calls(struct profsup *ps)
{
	const uint64_t until = clock_now() + READ_NS;

	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		const uint64_t now = clock_now();

		if (!is_to_be_saved(proc))
			continue;
		memjob_patience(now < until ? until - now : 0);
		arctable_restart(proc);
		finish_read_arcs(proc, LAST_CHANCE, false);
	}
}

/* Writes the files of all images as if they had ended, in a copy of the supervisor, which has no
 * tracees.  Prints. */
void
finish_save(struct profsup *ps)
{
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (is_to_be_saved(proc) && !profile_is_bare_and_empty(proc->profile))
			result_write(ps, proc);
	late_step(ps, true);
}

/* What has been counted counts no more.  The tables are the program's, and go on counting, so what
 * they held when they were last read is subtracted from now on.  Prints. */
static void
forget(struct proc *proc)
{
	struct profile *p = proc->profile;

	arcs_clear(&p->counts.minus);
	if (arcs_copy(&p->counts.minus, &p->counts.arcs) < 0)
		log_error("%d: %s: no memory: only its time is set to zero, not its calls",
		          proc->pid, p->place->name);
	for (const struct hist_bin *bin = p->counts.hist.bins; bin != NULL && !p->off;
	     bin = bin->hh.next)
		bins_put(proc, bin->index, 0);
	bins_flush(proc);
	p->viewed -= counts_ticks(&p->counts); /* below 0: what no view had yet is in the next */
	hist_clear(&p->counts.hist);
	stacks_clear(&p->counts.stacks);
	waiting_clear(p);
	p->counts.outside = 0;
	p->counts.since = clock_now();
}

/* Writes a snapshot of a process that runs on, with the arcs that were read a moment ago.
 * Prints. */
void
finish_snapshot(struct profsup *ps, struct proc *proc, unsigned number)
{
	struct profile *p = proc->profile;
	struct arcs all = p->counts.arcs;
	bool copied;

	callers_settle(ps, proc, true);
	wall_settle(ps, proc, true);
	copied = arcs_copy(&p->counts.arcs, &all) == 0;
	if (copied) {
		arcs_subtract(&p->counts.arcs, &p->counts.minus);
		result_snapshot(ps, proc, number);
	} else {
		log_error("%d: %s: no memory for its snapshot", proc->pid, p->place->name);
	}
	arcs_clear(&p->counts.arcs);
	p->counts.arcs = all;
	if (copied && ps->opt.intervals)
		forget(proc);
}

/* Makes the image count from zero.  All wait until then for the calls to be read, as they do at the
 * end: a large table takes some time.  Prints. */
void
finish_zero(struct proc *proc, uint64_t until)
{
	const uint64_t now = clock_now();

	arctable_restart(proc);
	memjob_patience(now < until ? until - now : 0);
	finish_read_arcs(proc, LAST_CHANCE, true);
	memjob_patience(0);
	forget(proc);
}
