/*
 * --sum: one file for all processes of an executable that started as the same user and have their
 * files in the same directory.  It is written anew after each process's end, so that it is always
 * the sum so far.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "share.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sum {
	struct sum *next;
	struct image_id image;
	struct file_id dir;
	struct counts total;
	struct counts living;   /* during a snapshot: counts of living processes */
	const struct proc *one; /* one of the living processes; NULL: there are none */
	unsigned processes;
	struct output output;    /* its file, which is the first process's */
	bool writing, again;     /* the file is being written; it has to be written again */
	char name[NAME_MAX + 1]; /* the file's name, also if writing failed; "": none yet */
};

/* A program that changes with each start must not fill our memory, nor take all room from other
 * users' programs. */
enum { MOST_SUMS = 4096 };

static struct sum *sums;
static unsigned nsums;

static bool
is_its_sum(const struct sum *s, const struct proc *proc, const struct file_id *dir,
           const struct identity *id)
{
	return image_same_claim(&s->image, &proc->image.elf.id) && s->dir.dev == dir->dev &&
	       s->dir.ino == dir->ino && s->output.place->id.uid == id->uid &&
	       s->output.place->id.gid == id->gid && merge_fits(&s->total, &proc->profile->counts);
}

static bool
has_room(uid_t uid)
{
	size_t own = 0;

	for (const struct sum *s = sums; s != NULL; s = s->next)
		own += s->output.place->id.uid == uid;
	return share_left(own, nsums, MOST_SUMS) > 0;
}

static unsigned write_sum(struct profsup *ps, struct sum *s);

static void
take_name(struct profsup *ps, void *arg, const char *name, bool made)
{
	struct sum *s = arg;

	s->writing = false;
	if (name != NULL) {
		snprintf(s->name, sizeof(s->name), "%s", name);
		s->output.called = s->name;
	}
	s->output.replaces |= made;
	if (s->again)
		write_sum(ps, s);
}

/* Writes one file after the other, so that the last one has all. */
static unsigned
write_sum(struct profsup *ps, struct sum *s)
{
	s->again = s->writing;
	if (s->writing)
		return 0;
	s->writing = true;
	return output_write(ps, &s->output);
}

/* NULL without memory, or if the directory can't be identified. */
static struct sum *
find_or_add(const struct profsup *ps, const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	const struct identity *id = &place->id; /* with -d, too: nobody spoils another user's sum */
	struct file_id dir;
	struct sum *s;

	if (mounts_version(ps->outdir >= 0 ? ps->outdir : place->dirfd, &dir, NULL) < 0)
		return NULL;
	for (s = sums; s != NULL; s = s->next)
		if (is_its_sum(s, proc, &dir, id))
			return s;
	s = has_room(id->uid) ? calloc(1, sizeof(*s)) : NULL;
	if (s == NULL)
		return NULL;
	nsums++;
	s->next = sums;
	s->image = proc->image.elf.id;
	s->dir = dir;
	s->output = (struct output){ .what = &s->total,
		                     .image = &s->image,
		                     .place = place_share(proc->profile->place),
		                     .pid = proc->pid,
		                     .parent = proc->parent,
		                     .started = proc->profile->started,
		                     .done = take_name,
		                     .arg = s };
	merge_start(&s->total, &proc->profile->counts);
	sums = s;
	return s;
}

/* Counts what a sum had no room for.  Prints. */
static void
count_losses(struct profsup *ps, const struct sum *s, pid_t pid, uint64_t calls, uint64_t stacks)
{
	if (calls != 0)
		log_error("%d: %s: no room for %llu calls in the sum: they are lost", pid,
		          s->output.place->name, (unsigned long long)calls);
	if (stacks != 0)
		log_error("%d: %s: no room for the call stacks of %llu ticks in the sum", pid,
		          s->output.place->name, (unsigned long long)stacks);
	ps->stats.dropped += calls;
	ps->stats.homeless += stacks;
}

/* Adds a process that has ended to its sum, and writes that.  Returns what output_write() does.
 * Prints what is lost. */
unsigned
sums_write(struct profsup *ps, const struct proc *proc)
{
	const struct counts *c = &proc->profile->counts;
	struct sum *s = find_or_add(ps, proc);
	const uint64_t dropped = s == NULL ? 0 : s->total.arcs.dropped;
	const uint64_t homeless = s == NULL ? 0 : s->total.stacks.homeless;

	if (s == NULL || merge_add(&s->total, c) < 0) {
		log_error("%d: %s: no memory for its profile", proc->pid,
		          proc->profile->place->name);
		return 0;
	}
	count_losses(ps, s, proc->pid, s->total.arcs.dropped - dropped,
	             s->total.stacks.homeless - homeless - c->stacks.homeless);
	log_verbose("%d: added to the sum of %s: %llu ticks, %zu arcs of %u processes", proc->pid,
	            s->output.place->name, (unsigned long long)counts_ticks(&s->total),
	            s->total.arcs.n, ++s->processes);
	return write_sum(ps, s);
}

/* Adds a process's counts of now to the snapshot.  Prints. */
void
sums_collect(struct profsup *ps, const struct proc *proc)
{
	struct sum *s = find_or_add(ps, proc);

	if (s != NULL && s->one == NULL)
		merge_start(&s->living, &s->total);
	if (s == NULL || merge_add(&s->living, &proc->profile->counts) < 0)
		log_error("%d: %s: no memory for its snapshot", proc->pid,
		          proc->profile->place->name);
	if (s != NULL)
		s->one = proc;
}

/* Writes one file for each sum that has living processes.  Prints. */
void
sums_snapshot(struct profsup *ps, unsigned number)
{
	for (struct sum *s = sums; s != NULL; s = s->next) {
		const struct proc *one = s->one;

		if (one == NULL)
			continue;
		if (merge_add(&s->living, &s->total) < 0)
			log_error("%s: no memory for its snapshot", s->output.place->name);
		else
			output_write(ps, &(struct output){ .what = &s->living,
			                                   .image = &s->image,
			                                   .place = one->profile->place,
			                                   .pid = one->pid,
			                                   .parent = one->parent,
			                                   .started = one->profile->started,
			                                   .snapshot = number });
		counts_clear(&s->living);
		s->one = NULL;
	}
}

/* Forgets what processes that have ended have counted. */
void
sums_zero(void)
{
	for (struct sum *s = sums; s != NULL; s = s->next)
		counts_clear(&s->total);
}
