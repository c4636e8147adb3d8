/*
 * A round: a tick looks for the thread that had our CPU, and stops it.
 *
 * The tick's timer goes off on the CPU where we sleep, so the thread that has this CPU is taken
 * from it wherever it is; see oncpu.c for which thread that was.  A thread on another CPU would be
 * told by an interrupt, which on a virtual machine may take longer than the thread's way to its
 * next system call, and would be found there.  So where threads run on several CPUs, there are so
 * many more ticks, and after each we go to the next CPU and sleep there.  A thread that has left
 * our CPU for another one since the last look, and works there, is interrupted all the same, unless
 * threads crowd: each is to have its samples, and the scheduler moves a thread whose CPU we take to
 * one that has just become idle, such as the one that we come from.
 *
 * /proc tells which threads may run: we ask for those that ran lately at every tick, for the others
 * in turn and no more than so many a second, so that a thousand sleepers cost next to nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <sched.h>
#include <sys/wait.h>

/* How long an interrupted thread may take to stop before we go to another CPU. */
#define PATIENCE_NS 100000
/* Looks a second at threads that did not run when last looked at. */
enum { LOOKS = 6400 };
/* Looks a second at threads that did run when last looked at: if there are more, they take turns.
 * The next sample of a thread that is left out stands for more. */
enum { MORE_LOOKS = 64000 };
/* Looks in a row at which a thread has used nothing before we read whether it sleeps. */
enum { STILL = 8 };
/* A tick that comes later has waited.  (The kernel does not count it as a wait if we had used more
 * than our share of the CPU when we slept.) */
#define LATE_NS 50000
/* How many ticks in a row may be in vain for each thread of a crowd: the more threads, the longer
 * we wait. */
enum { VAIN = 2 };
/* How many ticks in a row may pass to save up CPU time of ours, if there are CPUs for all threads:
 * a program whose calls, or threads, have us use all of our share would have no samples. */
enum { SPARED = 8 };
/* Once in so many ticks, a thread that has had a CPU all along is not simply taken to have had
 * ours. */
enum { SURE = 16 };
/* In a crowd, a thread that has not had our CPU is asked at every so many rounds whether it still
 * waits for it. */
enum { ANEW = 4 };

/* Where nobody has used CPU time at so many ticks of each CPU, all wait for one that others have:
 * from then on ticks come less often, but once in a scheduler's slice. */
enum { IDLE = 2, IDLE_MOST = 8 };
#define SLICE_NS (NSEC / 250)

static unsigned
turns(size_t threads, unsigned looks, unsigned hz)
{
	return (unsigned)threads / (looks / hz + 1) + 1;
}

/* Whether the tick is to sample nobody.  In a crowd, without our priority, we may have to wait for
 * the CPU until the thread that had it is in a system call, or may lose it again while we look.
 * Then no thread is where the tick would have found it.  Programs with mailboxes wait for our
 * answers on the CPU: only by stopping them do we have it in time for the others. */
static bool
is_in_vain(struct profsup *ps, uint64_t late)
{
	struct round *r = &ps->round;

	if (own_cpu_is_urgent())
		return own_cpu_is_short(r->looked_ns) &&
		       (r->ran > own_cpu_allowed() || ++r->vain < SPARED);
	if (!ps->crowded || ps->has_mailboxes || (late <= LATE_NS && !own_cpu_has_waited()))
		return false;
	return ++r->vain < VAIN * r->ran;
}

void
round_begin(struct profsup *ps)
{
	struct round *r = &ps->round;
	const uint64_t late = ps->tick.last - ps->tick.at;

	r->in_vain = is_in_vain(ps, late);
	if (r->in_vain)
		return;
	r->stride = turns(HASH_COUNT(ps->tracees), LOOKS, ps->opt.hz);
	r->run_stride = turns(r->ran, MORE_LOOKS, ps->opt.hz);
	r->alone = r->ran == 1;
	r->n = r->waiting = r->ran = 0;
	r->sure = r->crowded = false;
	r->serial++;
	CPU_ZERO(&r->cpus);
	CPU_ZERO(&r->barred);
	r->ncpus = 0;
}

/* Do we go to the CPUs where threads are?  Without our priority a thread that runs alone would go
 * to another CPU whenever we take its own (see nomigrate.c): then we stay, and interrupt it where
 * it is. */
static bool
is_roving(const struct profsup *ps)
{
	return own_cpu_is_urgent() || ps->crowded || !ps->round.alone;
}

/* Asks whether the thread runs, or waits for a CPU, and which CPU that is. */
static bool
ask(struct tracee *t)
{
	struct thread_stat st;

	if (cpu_time_stat(t, &st) < 0)
		return false;
	t->cpu.ran = st.state == 'R';
	t->cpu.still = 0;
	t->cpu.number = st.cpu;
	t->cpu.realtime = st.realtime;
	return t->cpu.ran;
}

/* Whether a thread that did not run at the last look runs now.  One that has used nothing since
 * does not, or it waits for its first moment on a CPU: its account tells, which is read in a
 * quarter of the time. */
static bool
has_woken(struct tracee *t)
{
	struct thread_time time;

	if (cpu_time_read(t, &time) < 0 || (time.cpu == t->cpu.asleep && time.cpu != 0))
		return false;
	t->cpu.asleep = ask(t) ? 0 : time.cpu;
	return t->cpu.ran;
}

/* Whether the thread has used CPU time since the last look.  If it has used none for `still` looks,
 * it may sleep, which is asked then. */
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

/* Interrupts a thread, which has been without its CPU since the tick began; `had`: it had ours. */
static void
interrupt(struct profsup *ps, struct tracee *t, bool had)
{
	if (trace_interrupt(t->tid) < 0)
		return;
	t->stop.had_our_cpu = had;
	t->stop.asked = true;
	t->stop.asked_at = had ? ps->tick.last : clock_now();
	t->stop.by_round = true;
	ps->round.waiting++;
	if (ps->round.nasked < MOST_ASKED)
		ps->round.asked[ps->round.nasked++] = t->tid;
}

/* Whether we may go to the CPU of a thread.  One of a real-time class keeps it, and we would not
 * run again before it sleeps: it is interrupted from another CPU. */
static bool
may_go_to(const struct tracee *t)
{
	return !t->cpu.realtime && !starved_on(t->cpu.number);
}

/* May a thread that has gone to another CPU be interrupted there, perhaps at its next system
 * call only?  Of threads that share CPUs we wait for each on its own. */
static bool
may_reach_out(const struct profsup *ps, const struct tracee *t)
{
	return !may_go_to(t) || (!ps->crowded && ps->round.alone);
}

/* Interrupts the thread if it is to be stopped, by what was asked of it last: it may have gone to
 * another CPU, and be at work there. */
static void
judge(struct profsup *ps, struct tracee *t, bool had)
{
	if (t->cpu.ran && oncpu_is_to_stop(had, t->cpu.number, own_cpu_now(), may_reach_out(ps, t)))
		interrupt(ps, t, had);
}

/* Adds the thread to those that may have had our CPU, if it has used CPU time. */
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
	r->sure = r->n == 0 && r->alone && r->serial % SURE != 0 && last.at != 0 &&
	          oncpu_all_along(&last, &now);
	r->rival[r->n++] = t;
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
		if (!t->cpu.ran && ((index++ + r->serial) % r->stride != 0 || !has_woken(t)))
			continue;
		any = true;
		r->crowded |= owed_is_crowded(&t->cpu.owed);
		CPU_SET(t->cpu.number, &r->cpus);
		if (r->ncpus <= t->cpu.number)
			r->ncpus = t->cpu.number + 1;
		if (!may_go_to(t))
			CPU_SET(t->cpu.number, &r->barred);
		if (r->ran++ % r->run_stride == r->serial % r->run_stride &&
		    (t->cpu.number == own_cpu_now() || !is_roving(ps) || !may_go_to(t)))
			compare(ps, t);
	}
	return any;
}

/* Finds which rival had our CPU, SIZE_MAX: none.  The one that left it when we got it had it, and
 * no other need be read: that takes longer than all else here.  If we have waited since the tick,
 * as for memory that a worker reads, we got it anew, and who had it left it before the tick.
 * False: the kernel does not tell. */
static bool
find_oncpu(const struct profsup *ps, size_t *oncpu)
{
	const struct round *r = &ps->round;
	uint64_t left[MOST_RIVALS] = { 0 }, ours;

	if (own_cpu_since(&ours) < 0)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		const size_t rival = (i + r->serial) % r->n;

		if (cpu_time_left(r->rival[rival], &left[rival]) < 0)
			return false;
		if (left[rival] == ours) {
			*oncpu = rival;
			return true;
		}
	}
	*oncpu = oncpu_find(left, r->n, ours - (clock_now() - ps->tick.last));
	return true;
}

/* Interrupts the thread that had our CPU; it stops as soon as we sleep.  If the kernel does not
 * tell which thread that is, all that may have had it are interrupted. */
static void
interrupt_oncpu(struct profsup *ps)
{
	struct round *r = &ps->round;
	size_t oncpu = SIZE_MAX;
	bool told;

	if (r->n == 0)
		return;
	told = r->sure || find_oncpu(ps, &oncpu);
	if (is_in_vain(ps, 0))
		return;
	r->vain = 0;
	for (size_t i = 0; i < r->n; i++) {
		/* In a crowd others are not interrupted, and are asked at every so many rounds. */
		const bool is_asked = i == oncpu || !ps->crowded || (i + r->serial) % ANEW == 0;

		if (!told)
			interrupt(ps, r->rival[i], false);
		else if (r->sure || (is_asked && ask(r->rival[i])))
			judge(ps, r->rival[i], r->sure || i == oncpu);
	}
}

/* Returns the next CPU that threads run on, in a circle. */
static int
next_cpu(const struct round *r)
{
	const int here = own_cpu_now(), n = r->ncpus;

	for (int i = 1; i <= n; i++) {
		const int cpu = (here < n ? here + i : i - 1) % n;

		if (CPU_ISSET(cpu, &r->cpus) && !CPU_ISSET(cpu, &r->barred))
			return cpu;
	}
	return here;
}

/* Sets the time from tick to tick. */
static void
set_pace(struct profsup *ps)
{
	const unsigned looks = ps->round.idle / (IDLE * ps->cpus);
	const uint64_t ns = ps->period << (looks < IDLE_MOST ? looks : IDLE_MOST);
	const uint64_t most = ps->period > SLICE_NS ? ps->period : SLICE_NS;

	ps->tick.interval = ns < most ? ns : most;
	if (ps->tick.interval > ps->tick.longest)
		ps->tick.interval = ps->tick.longest;
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
	/* Where none ran, as while it is in a stop, nothing is known anew. */
	if (r->ran > 0)
		ps->crowded = r->ran > cpus || r->ran >= own_cpu_allowed() || r->crowded;
	ps->cpus = cpus > 0 && is_roving(ps) ? cpus : 1;
	r->next = is_roving(ps) ? next_cpu(r) : own_cpu_now();
	r->idle = ps->crowded && r->n == 0 ? r->idle + 1 : 0;
	set_pace(ps);
}

/* Goes to the next CPU, once the thread has stopped or has had time enough. */
void
round_step(struct profsup *ps)
{
	struct round *r = &ps->round;

	if (!round_is_under_way(ps) && r->next != own_cpu_now() && !starved_on(r->next))
		own_cpu_move(r->next);
}

/* Whether a thread is about to stop: then nothing that takes long may be begun. */
bool
round_is_under_way(const struct profsup *ps)
{
	const struct round *r = &ps->round;

	return r->waiting > 0 && clock_now() < r->give_up;
}

/* Takes the news of a thread that was interrupted.  Others' news may take long, and there may be
 * many: meanwhile it would stay stopped.  Returns its id, 0: none has stopped. */
pid_t
round_news(struct profsup *ps, int *status)
{
	struct round *r = &ps->round;
	size_t i = 0;

	while (i < r->nasked) {
		const pid_t tid = r->asked[i];
		const struct tracee *t = tracee_find(ps, tid);
		const bool is_asked = t != NULL && t->stop.asked;

		if (is_asked && waitpid(tid, status, __WALL | WNOHANG) == tid)
			return tid;
		if (is_asked)
			i++;
		else
			r->asked[i] = r->asked[--r->nasked];
	}
	return 0;
}
