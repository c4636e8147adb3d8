/*
 * Since when a thread sleeps: the first of each process, which most signals wake, and any other
 * whose waits are disturbed.
 *
 * The kernel does not tell when a wait began, and the signal that disturbs it has woken the thread
 * by the time that we hear of it.  So now and then we note how often such a thread has been given a
 * CPU, and how much it has used.  If two looks have found the same, it slept from the first one on,
 * and if it has had a CPU once since then, for no longer than it takes to be stopped, that was for
 * the signal.  What is uncertain counts as no sleep: no wait may end before its time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* Time between two looks; more processes are looked at more rarely. */
#define PAUSE_NS (NSEC / 50)
enum { MANY = 50 };
/* What the way from a sleep to a stop takes at the most. */
#define WAY_NS 100000

static void
look(struct tracee *t)
{
	const struct thread_time last = t->nap.seen;

	if (cpu_time_read(t, &t->nap.seen) < 0)
		return;
	t->nap.sure = t->nap.seen.slices == last.slices && t->nap.seen.cpu == last.cpu;
	if (!t->nap.sure)
		t->nap.at = clock_now(); /* the tick may have begun long before */
}

void
nap_look(const struct profsup *ps, struct proc *proc, uint64_t now)
{
	const uint64_t pause = PAUSE_NS * (1 + HASH_COUNT(ps->procs) / MANY);

	if (now < proc->nap_at)
		return;
	proc->nap_at = now + (pause < NSEC ? pause : NSEC);
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		if ((t->nap.watched || t->tid == proc->pid) && t->continuation == NULL)
			look(t);
}

/* Returns since when a thread that was just woken had slept, at the latest, ns. */
uint64_t
nap_began(struct tracee *t)
{
	struct thread_time time;

	if (t->nap.sure && cpu_time_read(t, &time) == 0 && time.slices == t->nap.seen.slices + 1 &&
	    time.cpu - t->nap.seen.cpu < WAY_NS)
		return t->nap.at;
	return clock_now();
}
