/*
 * The tables of threads and processes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "tap.h"

static unsigned
listed(const struct proc *proc)
{
	unsigned n = 0;

	for (const struct tracee *t = proc->first; t != NULL; t = t->next)
		n++;
	return n;
}

static void
one_process(void)
{
	struct profsup ps = { 0 };
	struct proc *proc = proc_add(&ps, 100);
	struct tracee *a = tracee_add(&ps, 100, proc), *b = tracee_add(&ps, 101, proc),
		      *c = tracee_add(&ps, 102, proc);

	ok(proc_find(&ps, 100) == proc && proc_find(&ps, 101) == NULL,
	   "a process is found by its pid and by no other");
	ok(tracee_find(&ps, 100) == a && tracee_find(&ps, 101) == b && tracee_find(&ps, 102) == c,
	   "threads are found by their ids");
	ok(tracee_find(&ps, 103) == NULL, "a thread that was not added is not found");
	ok(proc->threads == 3 && proc->live == 3 && listed(proc) == 3, "the process has three");

	tracee_drop(&ps, b);
	ok(tracee_find(&ps, 101) == NULL && tracee_find(&ps, 100) == a &&
	       tracee_find(&ps, 102) == c,
	   "the one in the middle goes and the others stay where they are");
	ok(proc->threads == 2 && proc->live == 2 && listed(proc) == 2, "two are left");

	c->exiting = true;
	proc->live--;
	tracee_drop(&ps, c);
	ok(proc->threads == 1 && proc->live == 1 && listed(proc) == 1,
	   "one that had its exit stop is not taken off the living again");

	tracee_drop(&ps, a);
	ok(ps.tracees == NULL && ps.procs == NULL, "the process goes with its last thread");
	ok(proc_find(&ps, 100) == NULL && tracee_find(&ps, 100) == NULL,
	   "and nothing is found in empty tables");
}

static void
unclaimed(void)
{
	struct profsup ps = { 0 };
	struct tracee *early = tracee_add(&ps, 7, NULL);
	struct proc *proc = proc_add(&ps, 6);
	struct tracee *leader = tracee_add(&ps, 6, proc);

	ok(early->proc == NULL && tracee_find(&ps, 7) == early,
	   "a thread may be known before its process is");
	tracee_adopt(early, proc);
	ok(early->proc == proc && proc->threads == 2 && proc->live == 2 && listed(proc) == 2,
	   "adopted, it is one of the process's");
	tracee_drop(&ps, leader);
	ok(proc_find(&ps, 6) == proc, "a process outlives its first thread");
	tracee_drop(&ps, early);
	ok(ps.procs == NULL, "but not its last");

	early = tracee_add(&ps, 8, NULL);
	tracee_drop(&ps, early);
	ok(ps.tracees == NULL, "one without a process can go as well");
}

/* Profiles of a fork share their place and nothing else. */
static void
profiles(void)
{
	struct profsup ps = { 0 };
	struct proc *parent = proc_add(&ps, 1), *child = proc_add(&ps, 2);
	struct tracee *p = tracee_add(&ps, 1, parent), *c = tracee_add(&ps, 2, child);

	parent->profile = profile_new();
	parent->profile->buf_addr = 0x1000;
	parent->profile->counts.hist = (struct hist){ .nbins = 10, .offset = 4, .scale = 65536 };
	parent->profile->counts.outside = 9;
	hist_add(&parent->profile->counts.hist, 1, 5);
	child->profile = profile_fork(parent->profile);
	ok(child->profile->place == parent->profile->place && child->profile->place->refs == 2,
	   "a fork's profile has the same place");
	ok(child->profile->buf_addr == 0x1000 && child->profile->counts.hist.nbins == 10 &&
	       child->profile->counts.hist.offset == 4 &&
	       child->profile->counts.hist.scale == 65536,
	   "and the same buffer and geometry");
	ok(child->profile->counts.hist.ticks == 0 && child->profile->counts.hist.bins == NULL &&
	       child->profile->counts.outside == 0 && child->profile->counts.arcs.n == 0,
	   "but has counted nothing");
	tracee_drop(&ps, p);
	is_int(child->profile->place->refs, 1, "the place outlives the parent");
	hist_add(&child->profile->counts.hist, 2, 1);
	tracee_drop(&ps, c);
	ok(ps.procs == NULL, "and goes with the child");
	profile_free(NULL);
}

static void
crowd(void)
{
	enum { PROCS = 1000, THREADS = 10 };
	struct profsup ps = { 0 };
	struct tracee *some = NULL;
	int missing = 0;

	for (int i = 1; i <= PROCS; i++) {
		struct proc *proc = proc_add(&ps, i * 100);

		for (int j = 0; j < THREADS; j++) {
			struct tracee *t = tracee_add(&ps, i * 100 + j, proc);

			if (i == 5 && j == 5)
				some = t;
		}
	}
	ok(tracee_find(&ps, 505) == some, "entries do not move when the table grows");
	for (int i = 1; i <= PROCS; i++)
		for (int j = 0; j < THREADS; j++)
			missing += tracee_find(&ps, i * 100 + j) == NULL;
	is_int(missing, 0, "10,000 threads are all found");
	for (int i = PROCS; i >= 1; i--)
		for (int j = 0; j < THREADS; j++)
			tracee_drop(&ps, tracee_find(&ps, i * 100 + j));
	ok(ps.tracees == NULL && ps.procs == NULL, "and all dropped");
}

int
main(void)
{
	one_process();
	unclaimed();
	profiles();
	crowd();
	return done_testing();
}
