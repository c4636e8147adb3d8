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
#include <sys/stat.h>

struct sum {
	struct sum *next;
	struct image_id image;
	dev_t dev; /* of the directory */
	ino_t ino;
	uid_t uid;
	gid_t gid;
	struct profile total;
	unsigned processes;
	char name[NAME_MAX + 1]; /* of its file; "": none yet */
};

/* A program that changes with each start must not fill our memory. */
enum { MOST_SUMS = 4096 };

static struct sum *sums;
static unsigned nsums;

static bool
is_its_sum(const struct sum *s, const struct proc *proc, const struct stat *dir,
           const struct identity *id)
{
	return image_same(&s->image, &proc->elf.id) && s->dev == dir->st_dev &&
	       s->ino == dir->st_ino && s->uid == id->uid && s->gid == id->gid &&
	       merge_fits(&s->total, proc->profile);
}

/* NULL without memory, or without a directory to tell apart. */
static struct sum *
find_or_add(const struct profsup *ps, const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	const struct identity *id = &place->id; /* with -d, too: nobody spoils another user's sum */
	struct stat dir;
	struct sum *s;

	if (fstat(ps->outdir >= 0 ? ps->outdir : place->dirfd, &dir) < 0)
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
	s->dev = dir.st_dev;
	s->ino = dir.st_ino;
	s->uid = id->uid;
	s->gid = id->gid;
	merge_start(&s->total, proc->profile);
	sums = s;
	return s;
}

/* Prints what is lost.  `path` gets the file's name. */
void
sums_write(struct profsup *ps, const struct proc *proc, char *path, size_t size)
{
	const char *name = proc->profile->place->name;
	struct sum *s = find_or_add(ps, proc);
	struct buffer data = { 0 };

	if (s == NULL || merge_add(&s->total, proc->profile) < 0 ||
	    gmon_encode(&s->total, ps->opt.hz, &data) < 0) {
		log_error("%d: %s: no memory for its profile", proc->pid, name);
	} else {
		snprintf(path, size, "%s", s->name);
		if (output_write(ps, proc, &data, path, size) == 0) {
			snprintf(s->name, sizeof(s->name), "%s", path);
			log_verbose("%d: added to %s: %llu ticks, %zu arcs of %u processes",
			            proc->pid, path, (unsigned long long)s->total.hist.ticks,
			            s->total.arcs.n, ++s->processes);
		}
	}
	buffer_free(&data);
}
