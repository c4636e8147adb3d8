/*
 * What an image leaves: its file, and what the run has lost of its samples and calls.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

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

/* Writes a process's own file, or its file of a snapshot.  Returns what output_write() does. */
static unsigned
write_file(struct profsup *ps, const struct proc *proc, unsigned snapshot)
{
	const struct profile *p = proc->profile;

	log_verbose("%d: %s: %llu ticks, %zu arcs", proc->pid, p->place->name,
	            (unsigned long long)counts_ticks(&p->counts), p->counts.arcs.n);
	return output_write(ps, &(struct output){ .what = &p->counts,
	                                          .image = &proc->image.elf.id,
	                                          .place = p->place,
	                                          .pid = proc->pid,
	                                          .parent = proc->parent,
	                                          .started = p->started,
	                                          .snapshot = snapshot });
}

/* Walks the stacks that waited and need not any more.  Returns whether all that is to be read of
 * the process's code has been, or never will be. */
bool
result_has_stacks(const struct profsup *ps, struct proc *proc)
{
	return callers_settle(ps, proc, false) && !objects_is_made_awaited(proc);
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
count_dropped_calls(struct profsup *ps, const struct proc *proc)
{
	const struct arcs *arcs = &proc->profile->counts.arcs;

	ps->stats.dropped += arcs->dropped;
	if (arcs->dropped != 0)
		log_error("%d: %s: %llu calls dropped: there was no room for them", proc->pid,
		          proc->profile->place->name, (unsigned long long)arcs->dropped);
}

/* Writes the file of an image that has ended: it is the last chance of stacks that wait.  Prints.
 */
void
result_write(struct profsup *ps, struct proc *proc)
{
	struct profile *p = proc->profile;

	callers_settle(ps, proc, true);
	arcs_subtract(&p->counts.arcs, &p->counts.minus);
	ps->stats.without_calls += proc->end.arcs_lost;
	count_dropped_calls(ps, proc);
	count_lost_samples(ps, proc);
	if (ps->opt.delay_ms == 0)
		say_if_no_calls(proc);
	proc->end.file = ps->opt.sum ? sums_write(ps, proc) : write_file(ps, proc, 0);
}

/* Writes the counts of now.  Prints. */
void
result_snapshot(struct profsup *ps, struct proc *proc, unsigned number)
{
	if (ps->opt.sum) {
		sums_collect(ps, proc);
		return;
	}
	if (ps->opt.intervals) {
		if (profile_is_bare_and_empty(proc->profile))
			return;
		count_dropped_calls(ps, proc);
		count_lost_samples(ps, proc);
	}
	write_file(ps, proc, number);
}
