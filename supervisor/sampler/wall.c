/*
 * --wall: where threads are while they have no CPU.  Nobody is stopped or woken for it: /proc tells
 * what a thread waits in, and its stack is read from outside (callers.c).
 *
 * A look at a thread reads its account.  If that has not changed since the last look, the thread
 * has slept all the time, and nothing else is read; such looks become rare.  Else, if it is blocked
 * now, its call and stack are read, and the account once more: if it has changed meanwhile, what
 * was read is worth nothing.  Only a thread that has no CPU has an exact account, so that time is
 * booked then, and at the thread's end.
 *
 * Between two looks there may have been other waits than those two have seen.  Half of the blocked
 * time between them goes to what the first look has seen and half to what the second one has: on
 * the clock of blocked time alone, each look stands for what is nearest to it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* How long a tick may look at sleepers; the others have their turn at the next one. */
#define MOST_LOOK_NS (NSEC / 500)
/* How long there is no look, and so much longer for each thread: to find out whose turn it is, all
 * are asked. */
#define LULL_NS        (NSEC / 500)
#define LULL_OF_ONE_NS (NSEC / 20000)

/* What a thread's account has come to since it was last booked. */
struct passed {
	struct thread_time time;
	uint64_t now;
	bool same; /* it has slept since the last look */
};

/* Whether a thread has had no CPU since its account was this. */
static bool
is_as_before(const struct passed *p, const struct thread_time *time)
{
	return p->time.slices == time->slices && p->time.cpu == time->cpu &&
	       p->time.waited == time->waited;
}

static bool
read_account(struct tracee *t, struct passed *p)
{
	p->now = clock_now();
	if (cpu_time_read(t, &p->time) < 0)
		return false;
	p->same = t->wall.asleep && is_as_before(p, &t->wall.sum.time);
	return true;
}

/* Adds a wait that has ended at `end` to a stack; NULL: nobody has seen one. */
static void
book_to(const struct profsup *ps, const struct tracee *t, const struct stack *stack,
        struct waits waits, uint64_t end, enum wait_frame without)
{
	const struct stack none = {
		.n = 1, .frame = { frame_of_object(OBJECT_WAITS) | (uint64_t)without }
	};
	const struct moment what = { .time = ps->opt.timeline ? end : 0,
		                     .tid = t->tid,
		                     .waits = waits };

	if (waits.blocked != 0 || waits.runnable != 0)
		stacks_add_waits(&t->proc->profile->counts.stacks, stack == NULL ? &none : stack,
		                 &what);
}

/* Books what has passed: `found` is what the thread waits in now, NULL if that is not known.  What
 * the last look has seen is taken to have come first, then CPU time, then the wait for a CPU. */
static void
book(struct profsup *ps, struct tracee *t, const struct passed *p, const struct stack *found)
{
	struct wall_stats *st = &ps->stats.wall;
	const struct wall_part part = wall_sum_add(&t->wall.sum, p->now, &p->time);
	const struct stack *before = t->wall.seen;
	const uint64_t half = found != NULL && before != NULL ? part.blocked / 2 : 0;
	const uint64_t rest = part.blocked - half;

	st->time += part.time;
	st->cpu += part.cpu;
	st->runnable += part.runnable;
	st->blocked += part.blocked;
	st->shared += p->same ? 0 : part.blocked;
	st->unseen += found == NULL && before == NULL ? part.blocked : 0;
	book_to(ps, t, before, (struct waits){ .blocked = half }, p->now - part.time + half,
	        WAIT_UNSEEN);
	book_to(ps, t, NULL, (struct waits){ .runnable = part.runnable }, p->now - rest,
	        WAIT_FOR_CPU);
	book_to(ps, t, found != NULL ? found : before, (struct waits){ .blocked = rest }, p->now,
	        WAIT_UNSEEN);
}

/* Reads what the thread waits in.  False: it runs, or has run meanwhile, or its stack can't be
 * walked yet. */
static bool
see(const struct profsup *ps, struct tracee *t, const struct passed *p, struct stack *stack)
{
	struct passed after;
	struct thread_wait wait;

	if (cpu_time_wait(t, &wait) < 0 || !callers_find_waiting(ps, t, &wait, stack))
		return false;
	return read_account(t, &after) && is_as_before(&after, &p->time);
}

static void
set_next(struct profsup *ps, struct tracee *t, uint64_t now)
{
	const bool calm = t->wall.asleep && now > t->wall.asleep_at;
	const uint64_t ns =
	    wall_pause(calm ? now - t->wall.asleep_at : 0, ps->wall.busy, HASH_COUNT(ps->tracees));

	ps->wall.busy = ps->wall.busy + !calm - !t->wall.calm;
	t->wall.calm = calm;
	t->wall.look_at = now + ns / 2 + (uint64_t)random() % ns;
}

static void
look(struct profsup *ps, struct tracee *t)
{
	struct passed p;
	struct stack stack;

	if (!read_account(t, &p))
		return;
	if (p.same) {
		book(ps, t, &p, NULL);
	} else if (see(ps, t, &p, &stack)) {
		book(ps, t, &p, &stack);
		t->wall.asleep = stack_keep(&t->wall.seen, &stack);
		t->wall.asleep_at = p.now;
	} else {
		t->wall.asleep = false;
	}
	set_next(ps, t, p.now);
}

/* A thread's time counts from here. */
void
wall_start(struct profsup *ps, struct tracee *t)
{
	struct passed p;

	if (!ps->opt.wall)
		return;
	tracee_forget_waits(ps, t);
	if (!read_account(t, &p))
		return;
	t->proc->profile->counts.stacks.has_waits = true;
	t->wall.begun = true;
	t->wall.sum = (struct wall_sum){ .at = p.now, .time = p.time };
	ps->wall.busy++;
	t->wall.look_at = p.now + (uint64_t)random() % wall_pause(0, 1, 1);
	if (ps->wall.next > t->wall.look_at)
		ps->wall.next = t->wall.look_at;
}

/* Books all until now, at what was seen last. */
static void
settle(struct profsup *ps, struct tracee *t)
{
	struct passed p;

	if (!t->wall.begun || !read_account(t, &p))
		return;
	book(ps, t, &p, NULL);
	t->wall.asleep = p.same;
}

/* Called in a thread's exit stop.  Prints. */
void
wall_end(struct profsup *ps, struct tracee *t)
{
	if (!t->wall.begun)
		return;
	settle(ps, t);
	log_verbose("%d: thread %d: %.3f s: %.3f s of CPU time, %.3f s waiting for a CPU, %.3f s "
	            "blocked",
	            t->proc->pid, t->tid, (double)t->wall.sum.all.time / 1e9,
	            (double)t->wall.sum.all.cpu / 1e9, (double)t->wall.sum.all.runnable / 1e9,
	            (double)t->wall.sum.all.blocked / 1e9);
	tracee_forget_waits(ps, t);
}

/* Books all until now of a process that is let go, or goes on: then the time of a thread that was
 * not seen yet is not booked yet. */
void
wall_settle(struct profsup *ps, struct proc *proc, bool goes_on)
{
	for (struct tracee *t = proc->first; t != NULL && ps->opt.wall; t = t->next)
		if (!t->exiting && (!goes_on || t->wall.seen != NULL))
			settle(ps, t);
}

static bool
is_to_be_seen(const struct tracee *t)
{
	return t->wall.begun && !t->exiting && t->proc != NULL && t->proc->profile != NULL &&
	       !t->proc->end.done;
}

/* Returns how long there is nobody to be looked at, ns. */
uint64_t
wall_wait(const struct profsup *ps, uint64_t now)
{
	if (!ps->opt.wall || ps->wall.next == UINT64_MAX)
		return UINT64_MAX;
	return ps->wall.next > now ? ps->wall.next - now : 0;
}

/* Looks at those whose turn it is. */
void
wall_tick(struct profsup *ps, uint64_t now)
{
	const uint64_t rest = LULL_NS + HASH_COUNT(ps->tracees) * LULL_OF_ONE_NS;
	uint64_t next = UINT64_MAX;

	if (!ps->opt.wall || now < ps->wall.next)
		return;
	for (struct tracee *t = ps->tracees, *following; t != NULL; t = following) {
		following = t->hh.next;
		if (!is_to_be_seen(t))
			continue;
		/* While the profile is off, time passes and is not counted. */
		if (t->wall.look_at <= now && !t->proc->profile->mode.on && !state_is_on(t->proc))
			wall_start(ps, t);
		else if (t->wall.look_at <= now && clock_now() - now < MOST_LOOK_NS)
			look(ps, t);
		if (next > t->wall.look_at)
			next = t->wall.look_at;
	}
	ps->wall.next = next < now + rest ? now + rest : next;
}
