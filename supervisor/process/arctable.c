/*
 * Reads the runtime's arc tables out of a target's memory.  The target may have written anything
 * there: what is read is bounded by what its text can account for, and a table that changes
 * meanwhile only spoils the target's own profile.
 *
 * The reading is a memory job: a small table is there at once, a large one when it is done.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <stdlib.h>

/* How many arcs are read at a time. */
enum { ARCS_CHUNK = 4096 };
/* Most places read in one job: a real program has a thousandth of that, but a program can map one
 * page over and over. */
enum { MOST_PLACES = 16 << 20 };
/* A copy of up to this many arcs of a running process is kept even if room is short. */
enum { KEPT_ARCS = 1 << 16 };

/* The arc area: its head, and what that tells of the rest. */
struct arc_area {
	struct memjob *job;
	uint64_t head[8];
	uint64_t pool_addr;
	uint64_t places;
	uint64_t shared;
	uint64_t budget; /* places that may still be read */
};

static int
find_arcs(struct memjob *job, struct arc_area *area)
{
	const struct arcs_where *w = &job->where;
	/* The runtime reserves no more for so much code. */
	const uint64_t most = (16UL << 20) + 4 * w->text;
	const uint64_t buflen = w->buflen < most ? w->buflen : most;
	const uint64_t addr = w->buf_addr + w->arcs_off;

	if (w->arcs_off > buflen || buflen - w->arcs_off < sizeof(struct profsup_arcs)) {
		errno = ENODATA;
		return -1;
	}
	area->job = job;
	area->pool_addr = addr + offsetof(struct profsup_arcs, pool);
	area->places = (buflen - w->arcs_off - offsetof(struct profsup_arcs, pool)) /
	               sizeof(struct profsup_arc);
	area->shared = area->places / 4;
	area->budget = MOST_PLACES;
	return memjob_read(job, addr, area->head, sizeof(area->head));
}

/* Adds the arcs that places [from, to) hold. */
static int
take_arcs(struct arc_area *area, uint64_t from, uint64_t to, struct arcset *set)
{
	struct profsup_arc chunk[ARCS_CHUNK];

	if (to - from > area->budget)
		to = from + area->budget;
	area->budget -= to - from;
	while (from < to) {
		size_t n = to - from < ARCS_CHUNK ? (size_t)(to - from) : ARCS_CHUNK;

		if (memjob_read(area->job, area->pool_addr + from * sizeof(chunk[0]), chunk,
		                n * sizeof(chunk[0])) < 0)
			return -1;
		for (size_t i = 0; i < n; i++) {
			uint64_t key = (uint64_t)chunk[i].from << 32 | chunk[i].self;

			if (chunk[i].self != 0 && chunk[i].count != 0 &&
			    arcset_add(set, key, chunk[i].count) < 0)
				return -1;
		}
		from += n;
	}
	return 0;
}

/* Adds the arcs of the shared table, and of the threads' tables behind it. */
static int
take_all(struct arc_area *area, struct arcset *set)
{
	const uint64_t used = area->head[offsetof(struct profsup_arcs, used) / 8];
	const uint64_t most = area->places - area->shared;

	set->dropped = area->head[offsetof(struct profsup_arcs, dropped) / 8];
	if (area->head[offsetof(struct profsup_arcs, shared_used) / 8] != 0 &&
	    take_arcs(area, 0, area->shared, set) < 0)
		return -1;
	return take_arcs(area, area->shared, area->shared + (used < most ? used : most), set);
}

/* Runs in the worker thread. */
static void
read_tables(struct memjob *job)
{
	struct arcset set = { 0 };
	struct arc_area area;

	arcs_clear(&job->arcs);
	job->error = 0;
	if (find_arcs(job, &area) < 0 || take_all(&area, &set) < 0) {
		job->error = errno;
		arcset_clear(&set);
		return;
	}
	arcset_take(&set, &job->arcs);
}

static int
read_anew(struct proc *proc, struct memjob **job)
{
	const struct profile *p = proc->profile;

	*job = mem_job(proc, read_tables, 0);
	if (*job == NULL)
		return -1;
	(*job)->wait = 0;
	(*job)->where = (struct arcs_where){ p->buf_addr, p->buflen, p->runtime.arcs_off,
		                             proc->image.elf.text_size };
	return memjob_run(*job, &proc->vm.reading);
}

/* Forgets the reading that is under way: it is no longer new enough. */
void
arctable_restart(struct proc *proc)
{
	memjob_forget(&proc->vm.reading);
	proc->vm.refreshing = proc->end.arcs_read = false;
}

/* Reads the arcs as they are now.  ETIMEDOUT: they are being read, and a later call takes them.  On
 * failure *to stays as it is. */
int
arctable_read_to(struct proc *proc, struct arcs *to)
{
	const bool begun = proc->vm.reading != NULL;
	struct memjob *job;
	const int ret = begun ? memjob_take(&proc->vm.reading, &job) : read_anew(proc, &job);

	if (begun && proc->vm.reading == NULL)
		proc->vm.refreshing = proc->end.arcs_read = false;
	if (ret < 0)
		return -1;
	arcs_clear(to);
	*to = job->arcs;
	job->arcs = (struct arcs){ 0 };
	return 0;
}

/* Drops a large copy if room is short, since it is of use only if the process ends without an exit
 * stop. */
void
arctable_give_room(struct arcs *a)
{
	uint64_t dropped = a->dropped;

	if (a->n <= KEPT_ARCS || !arcs_are_many())
		return;
	for (size_t i = 0; i < a->n; i++)
		dropped = arcs_add(dropped, a->arc[i].count);
	arcs_clear(a);
	a->dropped = dropped;
}

/* Reads the process's arcs.  A process that shares another's memory has none of its own. */
int
arctable_read(struct proc *proc)
{
	return proc->shares_memory || proc->profile->bare
	           ? 0
	           : arctable_read_to(proc, &proc->profile->counts.arcs);
}
