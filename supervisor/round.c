/*
 * A round of stops: the threads that a tick wants to sample, one CPU's after the other's.
 *
 * Only threads that run are stopped, and the supervisor moves to a thread's CPU to do it: see
 * seat.c.  Which threads run is asked of /proc, of those that ran lately at every tick, of the
 * others in turn and no more than so many a second, so that a thousand sleepers cost next to
 * nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <stdlib.h>

/* How long the threads of one CPU may take to stop before we turn to the next one's. */
#define PATIENCE_NS 100000
/* Looks a second at threads that did not run when last looked at. */
enum { LOOKS = 6400 };
/* With so many threads, one that has to share its CPU is stopped for each tick that it has used,
 * wherever it waits by then: to ask all of them who has a CPU would cost more, and to stop only
 * those would be too seldom for each. */
enum { CROWD = 32 };
/* Looks that a thread is taken to be where it was; one that reads its own CPU clock always seems
 * so. */
enum { MOST_SURE = 32 };

void
round_begin(struct profsup *ps)
{
	struct round *r = &ps->round;

	r->n = r->waiting = 0;
	r->serial++;
	r->stride = HASH_COUNT(ps->tracees) / (LOOKS / ps->opt.hz + 1) + 1;
}

static int
want(struct profsup *ps, const struct tracee *t, enum due_how how)
{
	struct round *r = &ps->round;

	if (r->n == r->size) {
		size_t size = r->size ? 2 * r->size : 64;
		struct due *due = reallocarray(r->due, size, sizeof(*due));

		if (due == NULL)
			return -1;
		r->due = due;
		r->size = size;
	}
	r->due[r->n++] = (struct due){ t->tid, t->cpu_seen, how };
	return 0;
}

static bool
ask(struct tracee *t)
{
	struct thread_stat st;

	if (account_stat(t, &st) < 0)
		return false;
	t->ran = st.state == 'R';
	t->running = t->ran ? t->running + 1 : 0;
	t->cpu_seen = st.cpu;
	return t->ran;
}

/* Does it run, and where? */
static bool
look(const struct profsup *ps, struct tracee *t, uint64_t now, enum due_how *how)
{
	*how = MAY_HAVE_CPU;
	if (!t->ran || t->running % MOST_SURE == 0)
		return ask(t);
	if (HASH_COUNT(ps->tracees) > CROWD && account_is_crowded(t)) {
		*how = IN_CROWD;
		t->running++;
		return account_is_due(ps, t) && ask(t);
	}
	if (t->cpu_seen != seat_cpu() || !awake_is_here(t, now))
		return ask(t);
	*how = HAS_CPU;
	t->running++;
	return true;
}

/* Puts those of a process's threads that run on the list.  Returns whether any does. */
bool
round_add(struct profsup *ps, const struct proc *proc)
{
	struct round *r = &ps->round;
	const uint64_t now = sampler_now();
	unsigned index = 0;
	bool any = false;

	for (struct tracee *t = proc->first; t != NULL; t = t->next) {
		enum due_how how;

		if (!t->born || t->exiting || t->interrupted || t->continuation != NULL ||
		    (!t->ran && (index++ + r->serial) % r->stride != 0) || !look(ps, t, now, &how))
			continue;
		any = true;
		want(ps, t, how);
	}
	return any;
}

/* One of those due on our CPU. */
static bool
is_to_stop(const struct profsup *ps, const struct due *due, struct tracee *t, bool moved,
           uint64_t now)
{
	struct thread_stat st;

	if (t == NULL || t->interrupted || t->exiting)
		return false;
	/* While we moved, it may have gone to sleep or elsewhere. */
	if (moved && (account_stat(t, &st) < 0 || st.state != 'R'))
		return false;
	return due->how == IN_CROWD || (due->how == HAS_CPU && !moved) || awake_has_cpu(ps, t, now);
}

/* Interrupt the threads of the list that are on our CPU; they stop as soon as we sleep. */
static void
interrupt_here(struct profsup *ps, bool moved)
{
	struct round *r = &ps->round;
	const int here = seat_cpu();
	const uint64_t now = sampler_now();
	size_t left = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct tracee *t = tracee_find(ps, r->due[i].tid);

		if (r->due[i].cpu != here) {
			r->due[left++] = r->due[i];
			continue;
		}
		if (is_to_stop(ps, &r->due[i], t, moved, now) && trace_interrupt(t->tid) == 0) {
			t->interrupted = true;
			t->interrupted_at = now;
			t->here = true;
			r->waiting++;
		}
	}
	r->n = left;
}

/*
 * The next CPU's threads, once the last one's have stopped or had time enough.  Returns whether
 * there is another to come after these, that must not wait for long.
 */
bool
round_step(struct profsup *ps)
{
	struct round *r = &ps->round;

	while (r->waiting == 0 || sampler_now() >= r->give_up) {
		bool moved = false;

		r->waiting = 0;
		if (r->n == 0)
			return false;
		if (r->due[0].cpu != seat_cpu()) {
			moved = true;
			if (!seat_move(r->due[0].cpu))
				for (size_t i = 0; i < r->n; i++)
					r->due[i].cpu = seat_cpu();
		}
		interrupt_here(ps, moved);
		r->give_up = sampler_now() + PATIENCE_NS;
	}
	return r->n > 0;
}

/* Threads are about to stop, or to be stopped: this is no time for anything that takes long. */
bool
round_is_under_way(const struct profsup *ps)
{
	const struct round *r = &ps->round;

	return r->n > 0 || (r->waiting > 0 && sampler_now() < r->give_up);
}

/* Those on our CPU first: they can't run away. */
static int
by_cpu(const void *a, const void *b)
{
	const struct due *x = a, *y = b;
	const int here = seat_cpu();

	if ((x->cpu == here) != (y->cpu == here))
		return x->cpu == here ? -1 : 1;
	return x->cpu - y->cpu;
}

void
round_sort(struct profsup *ps)
{
	if (ps->round.n > 1)
		qsort(ps->round.due, ps->round.n, sizeof(ps->round.due[0]), by_cpu);
}

/* One of those that we wait for has stopped. */
void
round_stopped(struct profsup *ps)
{
	if (ps->round.waiting > 0)
		ps->round.waiting--;
}
