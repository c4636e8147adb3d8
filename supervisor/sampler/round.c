/*
 * A round: a tick looks for the thread that had our CPU, and stops it.
 *
 * The tick's timer goes off on the CPU where we sleep, so the thread that has this CPU is taken
 * from it wherever it is; see oncpu.c for who that was.  On another CPU it would be told by an
 * interrupt, which on a virtual machine may take longer than the way to its next system call, and
 * would be found there.  So where threads run on several CPUs we go from one to the next, and sleep
 * there until the next tick; there are so many more of them.  A thread that has left our CPU for
 * another one since the last look, and works there, is interrupted all the same, unless threads
 * crowd: each is to have its samples, and the scheduler moves a thread whose CPU we take to one
 * that has just become idle, such as the one that we come from.
 *
 * Which threads may run is asked of /proc, of those that ran lately at every tick, of the others in
 * turn and no more than so many a second, so that a thousand sleepers cost next to nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <sched.h>

/* How long the thread may take to stop before we turn to another CPU's. */
#define PATIENCE_NS 100000
/* Looks a second at threads that did not run when last looked at. */
enum { LOOKS = 6400 };
/* And at those that did: more of them take turns.  The next sample of a thread that is missed
 * stands for more. */
enum { MORE_LOOKS = 64000 };
/* Ticks for which a CPU that threads have run on is remembered. */
enum { LATELY = 64 };
/* Looks in a row at which a thread has used nothing before it is asked whether it sleeps. */
enum { STILL = 8 };
/* So many are asked at each tick where they are. */
enum { FEW = 8 };
/* One thread that ran at so many ticks in a row is alone. */
enum { ALONE = 8 };
/* Periods of CPU time without a sample that are too many. */
enum { OVERDUE = 4 };
/* What ticks need to reach us when nobody keeps us from the CPU: one in nine or so is that fast,
 * and one that has come twice as late has waited.  (The kernel does not count it as a wait where we
 * had used more than our share of the CPU when we slept.) */
#define FAST_NS 25000
enum { QUICKLY = 4, SLOWLY = 32 };
/* For each thread of the crowd so many ticks in a row may be in vain: the more there are, the
 * longer we wait. */
enum { VAIN = 2 };
/* Ticks in a row that a thread which has had a CPU all along may be taken to have had ours. */
enum { SURE = 16 };

static unsigned
turns(size_t threads, unsigned looks, unsigned hz)
{
	return (unsigned)threads / (looks / hz + 1) + 1;
}

/* Learns how late ticks are that had not to wait. */
static void
learn(struct round *r, uint64_t late)
{
	if (late > r->usual)
		r->usual += r->usual / SLOWLY;
	else
		r->usual -= r->usual / QUICKLY;
	if (r->usual < FAST_NS)
		r->usual = FAST_NS;
}

/* In a crowd we may have to wait for the CPU, without our priority, until the thread that had it is
 * in a system call, or may lose it again while we look.  Then nobody is where the tick would have
 * found it.  Programs with mailboxes wait for our answers on the CPU: to stop them is how we come
 * to have it in time for the others. */
static bool
is_in_vain(struct profsup *ps, uint64_t late)
{
	struct round *r = &ps->round;

	if (own_cpu_is_urgent())
		return own_cpu_is_short();
	if (!ps->crowded || ps->has_mailboxes || (late <= 2 * r->usual && !own_cpu_has_waited()))
		return false;
	return ++r->vain < VAIN * r->ran;
}

void
round_begin(struct profsup *ps)
{
	struct round *r = &ps->round;
	const uint64_t late = ps->tick.last - ps->tick.at;

	r->in_vain = is_in_vain(ps, late);
	learn(r, late);
	if (r->in_vain)
		return;
	r->stride = turns(HASH_COUNT(ps->tracees), LOOKS, ps->opt.hz);
	r->run_stride = turns(r->ran, MORE_LOOKS, ps->opt.hz);
	r->alone = r->ran == 1 ? r->alone + 1 : 0;
	r->few = r->ran <= FEW;
	r->n = r->waiting = r->ran = 0;
	r->sure = r->untold = r->crowded = false;
	if (r->serial++ % LATELY == 0) {
		r->before = r->lately;
		CPU_ZERO(&r->lately);
	}
	/* In a crowd a thread that goes to and fro is looked for on each of its CPUs, wherever it
	 * was seen last. */
	CPU_ZERO(&r->cpus);
	if (ps->crowded)
		r->cpus = r->before;
}

/* Do we go to where threads are?  Without our priority one that runs alone would go to another CPU
 * whenever we take its own (see nomigrate.c): then we stay, and interrupt it where it is. */
static bool
is_roving(const struct profsup *ps)
{
	return own_cpu_is_urgent() || ps->crowded || ps->round.alone < ALONE;
}

/* Does it run, or wait for a CPU, and which? */
static bool
ask(struct tracee *t)
{
	struct thread_stat st;

	if (cpu_time_stat(t, &st) < 0)
		return false;
	t->cpu.ran = st.state == 'R';
	t->cpu.still = 0;
	t->cpu.number = st.cpu;
	return t->cpu.ran;
}

/* The thread has used CPU time since the last look.  If it does not do so for `still` looks, it may
 * sleep. */
static bool
has_moved(struct tracee *t, struct cpu_look *now, unsigned still)
{
	struct thread_time time;

	now->at = clock_now();
	if (cpu_time_read(t, &time) < 0)
		return false;
	now->cpu = time.cpu;
	t->cpu.then = time;
	if (now->cpu == t->cpu.look.cpu && t->cpu.look.at != 0 && ++t->cpu.still >= still)
		ask(t);
	if (now->cpu == t->cpu.look.cpu && t->cpu.look.at != 0)
		return false;
	t->cpu.still = 0;
	return true;
}

/* The thread has been without its CPU since the tick began. */
static void
interrupt(struct profsup *ps, struct tracee *t)
{
	if (trace_interrupt(t->tid) < 0)
		return;
	t->stop.asked = true;
	t->stop.asked_at = ps->tick.last;
	t->stop.by_round = true;
	ps->round.waiting++;
}

/* May one that has gone to another CPU be interrupted there, and perhaps at its next system call?
 * Where threads are few and sleep between, only one that has had no sample for long. */
static bool
may_reach_out(const struct profsup *ps, const struct tracee *t)
{
	return !ps->crowded && (!is_roving(ps) || ps->round.alone >= ALONE ||
	                        t->cpu.then.cpu >= t->cpu.owed.seen.cpu + OVERDUE * ps->period);
}

/* As for what it was doing when it was asked last: it may have gone to another CPU, and be at work
 * there. */
static void
judge(struct profsup *ps, struct tracee *t, bool had)
{
	if (t->cpu.ran && oncpu_is_to_stop(had, t->cpu.number, own_cpu_now(), may_reach_out(ps, t)))
		interrupt(ps, t);
}

/* Takes the thread for one that may have had our CPU, if it has used CPU time. */
static void
compare(struct profsup *ps, struct tracee *t)
{
	struct round *r = &ps->round;
	const struct cpu_look last = t->cpu.look;
	struct cpu_look now;

	if (r->n == MOST_RIVALS)
		return;
	if (!has_moved(t, &now, ps->crowded ? STILL : 1)) {
		judge(ps, t, false);
		return;
	}
	t->cpu.look = now;
	r->sure =
	    r->alone > 0 && r->serial % SURE != 0 && last.at != 0 && oncpu_all_along(&last, &now);
	if (!r->sure)
		r->untold |= cpu_time_left(t, &r->left[r->n]) < 0;
	r->rival[r->n++] = t;
}

/* Where it is now is to be asked: in a crowd it may have come to our CPU. */
static bool
is_away(const struct profsup *ps, const struct tracee *t)
{
	return ps->crowded && ps->round.few && t->cpu.number != own_cpu_now();
}

/* Looks at the threads of a process that may run.  Returns whether there are any. */
bool
round_add(struct profsup *ps, const struct proc *proc)
{
	struct round *r = &ps->round;
	unsigned index = 0;
	bool any = false;

	for (struct tracee *t = proc->first; t != NULL; t = t->next) {
		if (!t->birth.past || t->exiting || t->stop.asked || t->continuation != NULL)
			continue;
		if (!t->cpu.ran ? (index++ + r->serial) % r->stride != 0 || !ask(t)
		                : is_away(ps, t) && !ask(t))
			continue;
		any = true;
		r->crowded |= owed_is_crowded(&t->cpu.owed);
		CPU_SET(t->cpu.number, &r->cpus);
		CPU_SET(t->cpu.number, &r->lately);
		if (r->ran++ % r->run_stride == r->serial % r->run_stride &&
		    (t->cpu.number == own_cpu_now() || !is_roving(ps)))
			compare(ps, t);
	}
	return any;
}

/* Interrupts the thread that had our CPU; it stops as soon as we sleep.  Where the kernel does not
 * tell which one had it, all that may. */
static void
interrupt_oncpu(struct profsup *ps)
{
	struct round *r = &ps->round;
	uint64_t ours = 0;
	size_t oncpu = SIZE_MAX;

	if (r->n == 0 || is_in_vain(ps, 0))
		return;
	r->vain = 0;
	if (!r->sure && (r->untold || own_cpu_since(&ours) < 0)) {
		for (size_t i = 0; i < r->n; i++)
			interrupt(ps, r->rival[i]);
		return;
	}
	if (!r->sure)
		oncpu = oncpu_find(r->left, r->n, ours);
	for (size_t i = 0; i < r->n; i++) {
		if (r->sure || ask(r->rival[i]))
			judge(ps, r->rival[i], r->sure || i == oncpu);
	}
}

/* The next CPU that threads run on, in a circle. */
static int
next_cpu(const struct round *r)
{
	const int here = own_cpu_now();

	for (int i = 1; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((here + i) % CPU_SETSIZE, &r->cpus))
			return (here + i) % CPU_SETSIZE;
	return here;
}

void
round_end(struct profsup *ps)
{
	struct round *r = &ps->round;
	const unsigned cpus = (unsigned)CPU_COUNT(&r->cpus);

	if (r->in_vain)
		return;
	interrupt_oncpu(ps);
	r->looked_ns = clock_now() - ps->tick.last;
	r->give_up = ps->tick.last + r->looked_ns + PATIENCE_NS;
	ps->crowded = r->ran > cpus || r->ran >= own_cpu_allowed() || r->crowded;
	ps->cpus = cpus > 0 && is_roving(ps) ? cpus : 1;
	r->next = is_roving(ps) ? next_cpu(r) : own_cpu_now();
}

/* To the next CPU, once the thread has stopped or had time enough. */
void
round_step(struct profsup *ps)
{
	struct round *r = &ps->round;

	if (!round_is_under_way(ps) && r->next != own_cpu_now())
		own_cpu_move(r->next);
}

/* A thread is about to stop: this is no time for anything that takes long. */
bool
round_is_under_way(const struct profsup *ps)
{
	const struct round *r = &ps->round;

	return r->waiting > 0 && clock_now() < r->give_up;
}

/* The thread that alone ran is about to be resumed elsewhere: the next tick is to find us there. We
 * go while it can't be moved to the CPU that we leave. */
void
round_follow(struct profsup *ps, const struct tracee *t)
{
	struct round *r = &ps->round;

	if (!is_roving(ps) || r->ran != 1 || t->cpu.number == own_cpu_now() ||
	    !own_cpu_move(t->cpu.number))
		return;
	r->next = t->cpu.number;
}

/* One of the threads that the round waits for has stopped. */
void
round_stopped(struct profsup *ps)
{
	if (ps->round.waiting > 0)
		ps->round.waiting--;
}
