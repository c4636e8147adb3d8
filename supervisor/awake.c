/*
 * Is a thread that /proc calls running one that a sample should be taken of?
 *
 * "Running" is also who only waits for a CPU, and that one is stopped where it lost its CPU, which
 * is not where it uses it: the scheduler looks for somebody better in some system calls rather than
 * anywhere. The sum of a thread's CPU time and the time that it has waited up to its last turn lags
 * behind the clock by what it has slept, or been stopped; of one that waits now, by that much more.
 * So who lags no more than after its last stop has the CPU that we have just taken.
 *
 * And the interrupt of our timer also wakes sleepers whose own timer may fire up to a timer slack
 * (50 us) later. So of the threads that a tick finds ready to run, too many have only just been
 * woken: in a program of short bursts and sleeps one in five.  They have used no CPU since they
 * slept, and their sample would blame the sleep for what the burst before it used.  One that we
 * took the CPU from counts one more involuntary switch than when it last stopped.  That is proof as
 * long as nobody else takes CPUs from it, so the foreign switches are watched; where there are
 * many, a thread that slept and is found in a call that waits for a timer is taken for just woken.
 *
 * What a hypervisor takes of the machine's time makes everybody lag, too.  Of those who do, one
 * that has not left its CPU to wait but for our stops, and has hardly waited for it, has only been
 * robbed.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <sys/syscall.h>

/* Foreign switches between two stops, in 1/256, above which a switch more proves nothing; and how
 * fast the average follows. */
enum { FOREIGN_FEW = 32, FOREIGN_WEIGHT = 8 };

/* How much more than before a thread with a CPU may lag: our own wake-up and look, and one part in
 * DRIFT of the time since, for what a hypervisor takes. */
enum { CPU_LAG_NS = 50000, DRIFT = 64, LOOKS_KNOWN = 3, OVERDUE = 16 };

/* Calls that end by a timer which has slack. */
static bool
waits_for_timer(long nr)
{
	static const long calls[] = {
#ifdef SYS_poll
		SYS_poll,         SYS_select,          SYS_epoll_wait,
#endif
		SYS_nanosleep,    SYS_clock_nanosleep, SYS_ppoll,
		SYS_pselect6,     SYS_epoll_pwait,     SYS_futex,
		SYS_semtimedop,   SYS_rt_sigtimedwait, SYS_mq_timedreceive,
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i] == nr)
			return true;
	return false;
}

static uint64_t
lag_of(const struct thread_time *time, uint64_t now)
{
	return now - time->cpu - time->waited;
}

/* A stopped thread neither has a CPU nor waits for one: until it goes on, it falls behind. */
void
awake_note_lag(struct tracee *t, const struct thread_time *time)
{
	t->lag_at = sampler_now();
	t->lag = lag_of(time, t->lag_at);
	t->turns = time->turns;
	t->stops++;
}

/* The same after a stop that is no sample. */
void
awake_other_stop(struct tracee *t)
{
	struct thread_time time;

	if (account_time(t, &time) == 0)
		awake_note_lag(t, &time);
}

/* What it may lag now if it has the CPU. */
static uint64_t
lag_with_cpu(const struct tracee *t, uint64_t now)
{
	return t->lag + (now - t->lag_at) / DRIFT;
}

/* Its account is as fresh as of one that we have just taken the CPU from, and it is none that has
 * slept or waited: cheaper to find than what /proc calls its state. */
bool
awake_is_here(struct tracee *t, uint64_t now)
{
	struct thread_time time;

	if (t->running <= LOOKS_KNOWN || account_peek(t, &time) < 0)
		return false;
	return lag_of(&time, now) <= lag_with_cpu(t, now) + CPU_LAG_NS;
}

/* It has not slept since this was last asked, and is not one of those who often wait.  One that has
 * had its CPU for a single turn since it last stopped has lost it to us; or it slept and has just
 * been woken, but this one does not wait for timers, and only they go off together with ours. */
static bool
is_robbed(struct tracee *t, const struct thread_time *time)
{
	const uint64_t if_awake = t->switches.own + t->stops;

	if (account_is_crowded(t))
		return false;
	if (!t->waits && time->turns == t->turns + 1)
		return true;
	t->stops = 0;
	return procfs_switches(t->proc->pid, t->tid, &t->switches) == 0 &&
	       t->switches.own == if_awake;
}

/* The thread is on our CPU or waits for it.  One that slept a moment ago has no known lag yet; one
 * that is owed much is taken as it comes, and its lag found anew. */
bool
awake_has_cpu(const struct profsup *ps, struct tracee *t, uint64_t now)
{
	struct thread_time time;
	uint64_t lag;

	if (account_time(t, &time) < 0)
		return true;
	lag = lag_of(&time, now);
	if (t->running > LOOKS_KNOWN && lag > lag_with_cpu(t, now) + CPU_LAG_NS) {
		/* Owed from now on, also if the profile is off when it is next stopped. */
		account_owe(t, &time);
		if (!is_robbed(t, &time)) {
			if (t->debt < OVERDUE * ps->period)
				return false;
			t->running = 0;
		}
		t->lag = lag;
		t->lag_at = now;
		return true;
	}
	if (t->running <= 1 || lag < lag_with_cpu(t, now)) {
		t->lag = lag;
		t->lag_at = now;
	}
	return true;
}

/* The thread is stopped and was on our CPU. */
bool
awake_before_tick(struct tracee *t, const struct arch_regs *regs)
{
	const struct switches before = t->switches;
	uint64_t forced;
	bool suspect = waits_for_timer(regs->syscall), slept;

	/* A thread that has never been found waiting is not worth the reading. */
	if (!suspect && !t->waits)
		return true;
	t->waits = true;
	t->stops = 0;
	if (procfs_switches(t->proc->pid, t->tid, &t->switches) < 0)
		return true;
	forced = t->switches.forced - before.forced;
	slept = t->switches.own - before.own > 1; /* one is the stop itself */
	if (!suspect) {
		uint64_t foreign = forced > 1 ? (forced - 1) * 256 : 0;

		t->foreign += (int64_t)(foreign - t->foreign) / FOREIGN_WEIGHT;
		return true;
	}
	return !slept || (forced > 0 && t->foreign < FOREIGN_FEW);
}
