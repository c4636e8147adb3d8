/*
 * The end of an image, and a snapshot before it: its calls are read, and its file is written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long the end of a process is held up for its call stacks. */
#define ROWS_NS (NSEC / 4)

static bool said_no_calls;

/* Objects that were not compiled with -pg are sampled and count nothing: not even main's call. */
static void
say_if_no_calls(const struct proc *proc)
{
	const struct profile *p = proc->profile;

	if (said_no_calls || p->bare || p->counts.arcs.n != 0 || counts_ticks(&p->counts) == 0 ||
	    p->counts.minus.n != 0 || proc->end.arcs_lost || p->forked || p->attached ||
	    p->mode.toggles > 1 || proc->shares_memory || proc->image.elf.caller)
		return;
	said_no_calls = true;
	log_notice("%s: no calls were counted: its objects are compiled without -pg; compile"
	           " them with profsup-cc",
	           p->place->name);
}

/* Reads the process's calls.  False: they are still being read. */
bool
finish_read_arcs(struct proc *proc, enum chance chance)
{
	/* ENODATA: there are none. */
	if (arctable_read(proc) == 0 || errno == ENODATA)
		return true;
	if (errno == ETIMEDOUT && chance == MAY_WAIT)
		return false;
	proc->end.arcs_lost = true;
	if (errno == ETIMEDOUT)
		log_error(
		    "%d: %s: its calls could not be read in time: those since the last reading"
		    " are lost",
		    proc->pid, proc->profile->place->name);
	else
		log_error("%d: %s: its calls can't be read: %m: only earlier calls are included%s",
		          proc->pid, proc->profile->place->name, diagnose_read(errno));
	return true;
}

static void
say_file(struct profsup *ps, void *arg, const char *name, bool made)
{
	(void)ps, (void)arg;
	if (made)
		log_verbose("wrote %s", name);
}

/* A process's own file, or its file of a snapshot. */
static struct output
file_of(const struct proc *proc, unsigned snapshot)
{
	const struct profile *p = proc->profile;

	return (struct output){ .what = &p->counts,
		                .image = &proc->image.elf.id,
		                .place = p->place,
		                .pid = proc->pid,
		                .parent = proc->parent,
		                .started = p->started,
		                .snapshot = snapshot,
		                .done = say_file };
}

/* Returns what output_write() does. */
static unsigned
write_file(struct profsup *ps, const struct proc *proc, unsigned snapshot)
{
	const struct output o = file_of(proc, snapshot);

	log_verbose("%d: %s: %llu ticks, %zu arcs", proc->pid, proc->profile->place->name,
	            (unsigned long long)counts_ticks(&proc->profile->counts),
	            proc->profile->counts.arcs.n);
	return output_write(ps, &o);
}

/* Whether the file can be begun now, and need not wait for others. */
bool
finish_has_room(const struct profsup *ps, const struct proc *proc)
{
	const struct output o = file_of(proc, 0);

	return output_has_room(ps, &o);
}

/* Walks the stacks that waited and need not any more.  Returns whether all that is to be read of
 * the process's code has been, or never will be. */
bool
finish_has_stacks(const struct profsup *ps, struct proc *proc)
{
	return callers_settle(ps, proc, false) && !objects_is_made_awaited(proc);
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
	return !finish_has_stacks(ps, proc) && chance == MAY_WAIT && now < proc->end.rows_until;
}

/* Returns the ticks in shared libraries, which have no bins: the file of stacks has them. */
static uint64_t
ticks_in_libraries(const struct stacks *s)
{
	uint64_t ticks = 0;

	for (const struct stack_node *n = s->nodes; n != NULL; n = n->hh.next) {
		const char *path = objects_path(frame_object(n->pc));

		ticks += path != NULL && *path == '/' ? n->ticks : 0;
	}
	return ticks;
}

/* Adds up what the run has lost of this image's samples.  Prints. */
static void
count_lost_samples(struct profsup *ps, const struct proc *proc)
{
	const struct counts *c = &proc->profile->counts;
	const uint64_t libraries = ticks_in_libraries(&c->stacks);

	ps->stats.outside += c->outside;
	ps->stats.libraries += libraries < c->outside ? libraries : c->outside;
	ps->stats.cut_stacks += c->stacks.cut;
	ps->stats.homeless += c->stacks.homeless;
	ps->stats.guessed += c->stacks.guessed;
	if (c->stacks.homeless != 0)
		log_error("%d: %s: %llu ticks without their call stacks: there was no room for "
		          "them",
		          proc->pid, proc->profile->place->name,
		          (unsigned long long)c->stacks.homeless);
}

static void
count_lost_calls(struct profsup *ps, const struct proc *proc)
{
	const struct arcs *arcs = &proc->profile->counts.arcs;

	ps->stats.dropped += arcs->dropped;
	ps->stats.without_calls += proc->end.arcs_lost;
	if (arcs->dropped != 0)
		log_error("%d: %s: %llu calls dropped: there was no room for them", proc->pid,
		          proc->profile->place->name, (unsigned long long)arcs->dropped);
}

/* Writes the file of an image that has ended: it is the last chance of stacks that wait.  Prints.
 */
void
finish_write(struct profsup *ps, struct proc *proc)
{
	struct profile *p = proc->profile;

	callers_settle(ps, proc, true);
	arcs_subtract(&p->counts.arcs, &p->counts.minus);
	count_lost_calls(ps, proc);
	count_lost_samples(ps, proc);
	if (ps->opt.delay_ms == 0)
		say_if_no_calls(proc);
	report_add(ps, proc, true);
	proc->end.file = ps->opt.sum ? sums_write(ps, proc) : write_file(ps, proc, 0);
}

/* Writes a process's file when its last thread ends.  False: not yet, call again.  Prints. */
bool
finish_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	struct profile *p = proc->profile;

	if (p == NULL || proc->end.done)
		return chance != MAY_WAIT || !output_holds_up(proc->end.file);
	if (chance != NO_MEMORY && !p->fileless && !proc->end.arcs_read &&
	    !finish_read_arcs(proc, chance))
		return false;
	proc->end.arcs_read = true;
	if (is_held_for_stacks(ps, proc, chance))
		return false;
	wall_settle(ps, proc, false);
	if (chance == MAY_WAIT && !p->fileless && !finish_has_room(ps, proc))
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
	if ((p->counts.stacks.nodes != NULL || ps->opt.report) && !proc->image.asked)
		objects_ask_program(ps, proc);
	if (!late_keep(ps, proc))
		finish_write(ps, proc);
	return chance != MAY_WAIT || !output_holds_up(proc->end.file);
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
	hist_clear(&p->counts.hist);
	stacks_clear(&p->counts.stacks);
	waiting_clear(p);
	p->counts.outside = p->counts.seen = 0;
	p->counts.since = clock_now();
}

/* Writes the counts of now; with --intervals their report is made of all parts.  Prints. */
static void
write_snapshot(struct profsup *ps, struct proc *proc, unsigned number)
{
	if (ps->opt.sum) {
		sums_collect(ps, proc);
		return;
	}
	if (ps->opt.intervals) {
		if (profile_is_bare_and_empty(proc->profile))
			return;
		count_lost_samples(ps, proc);
		report_add(ps, proc, false);
	}
	write_file(ps, proc, number);
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
		write_snapshot(ps, proc, number);
	} else {
		log_error("%d: %s: no memory for its snapshot", proc->pid, p->place->name);
	}
	arcs_clear(&p->counts.arcs);
	p->counts.arcs = all;
	if (copied && ps->opt.intervals)
		forget(proc);
}

/* Makes the image count from zero.  Prints. */
void
finish_zero(struct proc *proc)
{
	finish_read_arcs(proc, LAST_CHANCE);
	forget(proc);
}
