/*
 * --sum: one file for all processes of an executable that started as the same user and have their
 * files in the same directory.  It is written anew after each process's end, so that it is always
 * the sum so far.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sum {
	struct sum *next;
	struct image_id image;
	struct file_id dir;
	uid_t uid;
	gid_t gid;
	struct profile total;
	struct profile living;  /* while a snapshot is taken: of those that have not ended */
	const struct proc *one; /* of those; NULL: there are none */
	unsigned processes;
	char name[NAME_MAX + 1]; /* of its file; "": none yet */
};

/* A program that changes with each start must not fill our memory. */
enum { MOST_SUMS = 4096 };

static struct sum *sums;
static unsigned nsums;

static bool
is_its_sum(const struct sum *s, const struct proc *proc, const struct file_id *dir,
           const struct identity *id)
{
	return image_same(&s->image, &proc->elf.id) && s->dir.dev == dir->dev &&
	       s->dir.ino == dir->ino && s->uid == id->uid && s->gid == id->gid &&
	       merge_fits(&s->total, proc->profile);
}

/* NULL without memory, or without a directory to tell apart. */
static struct sum *
find_or_add(const struct profsup *ps, const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	const struct identity *id = &place->id; /* with -d, too: nobody spoils another user's sum */
	struct file_id dir;
	struct sum *s;

	if (mounts_identify(ps->outdir >= 0 ? ps->outdir : place->dirfd, &dir) < 0)
		return NULL;
	for (s = sums; s != NULL; s = s->next)
		if (is_its_sum(s, proc, &dir, id))
			return s;
	s = nsums < MOST_SUMS ? calloc(1, sizeof(*s)) : NULL;
	if (s == NULL)
		return NULL;
	nsums++;
	s->next = sums;
	s->image = proc->elf.id;
	s->dir = dir;
	s->uid = id->uid;
	s->gid = id->gid;
	merge_start(&s->total, proc->profile);
	sums = s;
	return s;
}

/* Prints what is lost. */
void
sums_write(struct profsup *ps, const struct proc *proc)
{
	const char *name = proc->profile->place->name;
	struct sum *s = find_or_add(ps, proc);
	struct buffer data = { 0 };

	if (s == NULL || merge_add(&s->total, proc->profile) < 0 ||
	    gmon_encode(&s->total, ps->opt.hz, &data) < 0) {
		log_error("%d: %s: no memory for its profile", proc->pid, name);
	} else {
		char path[NAME_MAX + 1];

		snprintf(path, sizeof(path), "%s", s->name);
		if (output_write(ps, proc, &data, 0, path, sizeof(path)) == 0) {
			snprintf(s->name, sizeof(s->name), "%s", path);
			log_verbose("%d: added to %s: %llu ticks, %zu arcs of %u processes",
			            proc->pid, path, (unsigned long long)s->total.hist.ticks,
			            s->total.arcs.n, ++s->processes);
		}
	}
	buffer_free(&data);
}

static void
empty(struct profile *sum)
{
	hist_clear(&sum->hist);
	arcs_clear(&sum->arcs);
}

/* Its counts of now belong to the snapshot.  Prints. */
void
sums_collect(struct profsup *ps, const struct proc *proc)
{
	struct sum *s = find_or_add(ps, proc);

	if (s != NULL && s->one == NULL)
		merge_start(&s->living, &s->total);
	if (s == NULL || merge_add(&s->living, proc->profile) < 0)
		log_error("%d: %s: no memory for its snapshot", proc->pid,
		          proc->profile->place->name);
	if (s != NULL)
		s->one = proc;
}

/* One file for each sum that somebody still adds to.  Prints. */
void
sums_snapshot(struct profsup *ps, unsigned number)
{
	for (struct sum *s = sums; s != NULL; s = s->next) {
		struct buffer data = { 0 };
		char path[NAME_MAX + 1] = "";

		if (s->one == NULL)
			continue;
		if (merge_add(&s->living, &s->total) < 0 ||
		    gmon_encode(&s->living, ps->opt.hz, &data) < 0)
			log_error("%s: no memory for its snapshot", s->one->profile->place->name);
		else if (output_write(ps, s->one, &data, number, path, sizeof(path)) == 0)
			log_verbose("wrote %s: %llu ticks, %zu arcs", path,
			            (unsigned long long)s->living.hist.ticks, s->living.arcs.n);
		buffer_free(&data);
		empty(&s->living);
		s->one = NULL;
	}
}

/* Those that have ended count no more. */
void
sums_zero(void)
{
	for (struct sum *s = sums; s != NULL; s = s->next)
		empty(&s->total);
}
