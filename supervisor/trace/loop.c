/*
 * The loop: wait for a child's news or the clock, take all the news, then the tick, then a step of
 * what the user wants.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Most events between two ticks, and before tracees are asked each: news must not keep the clock
 * waiting, nor those of a storm the others, each of which takes up to 0.3 ms. */
enum { MAX_EVENTS = 8 };
/* How long to wait for a round's thread to stop before we go to the next CPU. */
#define MOMENT_NS 100000
#define QUIET_NS  NSEC

/* Called so often that we take no CPU for longer than we may. */
static void
check_own_time(const struct profsup *ps, uint64_t now)
{
	starved_beat();
	own_cpu_check(now, ps->round.nasked > 0);
}

static enum event_kind
take_event(struct profsup *ps, pid_t tid, int status)
{
	struct event ev = event_classify(tid, status);

	dispatch(ps, &ev);
	check_own_time(ps, clock_now());
	return ev.kind;
}

/*
 * waitpid(-1) tells of the newest tracees first: those that never stop making news could keep us
 * from the news of older ones, which would stay stopped for good.  Here each is asked by its id.
 */
static void
ask_each(struct profsup *ps)
{
	const unsigned n = HASH_COUNT(ps->tracees);
	pid_t *tid = calloc(n + 1, sizeof(*tid));
	unsigned known = 0;

	if (tid == NULL)
		return;
	/* The ids are copied first, since one tracee's news may be the end of others. */
	for (const struct tracee *t = ps->tracees; t != NULL; t = t->hh.next)
		tid[known++] = t->tid;
	for (unsigned i = 0; i < known; i++) {
		int status;

		if (tracee_find(ps, tid[i]) != NULL &&
		    waitpid(tid[i], &status, __WALL | WNOHANG) == tid[i])
			take_event(ps, tid[i], status);
	}
	free(tid);
}

static unsigned unasked; /* events since we last heard of all tracees */

/* Takes all news, also for work before the loop that takes its time.  False: no tracee is left.  If
 * we leave early, there may be news that SIGCHLD has announced and will not announce again: the
 * supervisor sends it to itself. */
bool
loop_take_news(struct profsup *ps)
{
	const bool lone = tracee_is_lone(ps);

	for (int i = 0; i < MAX_EVENTS; i++) {
		int status;
		pid_t tid = round_news(ps, &status);

		if (tid == 0)
			tid = waitpid(-1, &status, __WALL | WNOHANG);
		if (tid == 0) {
			unasked = 0;
			return true;
		}
		if (tid < 0 && errno == ECHILD)
			return false;
		if (tid < 0)
			break;
		/* A trap announces no new tracee, and the lone tracee's next news has its own
		 * signal.  It is another one's, and may be there already, if we have let one of two
		 * go. */
		if (take_event(ps, tid, status) == EVT_TRAP && i == 0 && lone && tracee_is_lone(ps))
			return true;
	}
	unasked += MAX_EVENTS;
	if (unasked >= HASH_COUNT(ps->tracees)) {
		unasked = 0;
		ask_each(ps);
	}
	kill(getpid(), SIGCHLD);
	return true;
}

enum patience { NONE, MOMENT, STOP, TICK };

/* How long we wait while the only tracee is about to stop: only when that runs again, perhaps on
 * another CPU, is the tick waited for.  A time-out that is later than the kernel's next timer costs
 * little. */
#define STOP_NS (NSEC / 200)

/* Returns when something else than a tick is due, by the clock.  `wished`: a wish of the user's
 * waits for its turn already, so it is not due again. */
static uint64_t
due_at(struct profsup *ps, uint64_t now, bool wished)
{
	const uint64_t window = window_wait(ps), control = wished ? UINT64_MAX : control_wait(ps);
	/* A thread that is about to stop comes first. */
	const uint64_t wall = round_is_under_way(ps) ? UINT64_MAX : wall_wait(ps, now);
	uint64_t wait = window < control ? window : control;

	wait = wait < wall ? wait : wall;
	if (ps->over_at != 0 && (wait == UINT64_MAX || ps->over_at < now + wait))
		return ps->over_at;
	return wait == UINT64_MAX ? UINT64_MAX : now + wait;
}

/* Waits for a child's news, the tick, a wish, or a moment, by one system call that also takes the
 * signal.  Returns that signal, 0 for none. */
static int
wait_for_signal(struct profsup *ps, enum patience patience, bool wished)
{
	const uint64_t now = clock_now(), due = due_at(ps, now, wished);
	uint64_t at = ps->tick.at, ns;
	struct timespec time;
	int sig;

	if (patience == NONE)
		at = now;
	else if (patience == STOP)
		at = now + STOP_NS;
	else if (patience == MOMENT && at > now + MOMENT_NS)
		at = now + MOMENT_NS;
	if (at > due)
		at = due;
	ns = at > now ? at - now : 0;
	time = (struct timespec){ (time_t)(ns / NSEC), (long)(ns % NSEC) };
	if (ps->crowded)
		own_cpu_sleeps();
	starved_sleep(at);
	sig = sigtimedwait(&ps->signals, NULL, &time);
	return sig < 0 ? 0 : sig;
}

/* Whether we have heard nothing for so long that we have to ask.  Some tracees end without a
 * signal: the exec of an untraced thread ends all other threads. */
static bool
is_quiet(struct profsup *ps, int sig)
{
	const uint64_t now = clock_now();

	if (sig == SIGCHLD)
		ps->heard_at = now;
	if (now - ps->heard_at < QUIET_NS)
		return false;
	ps->heard_at = now;
	return true;
}

/* Whether the front is gone, and all tracees are to end with it: when we end, the kernel sees to
 * that. */
static bool
is_to_end(struct profsup *ps)
{
	if (!ps->opt.kill_on_exit || getppid() == ps->front.pid)
		return false;
	window_finish_all(ps);
	return true;
}

/* Where programs of higher real-time priority have all CPUs, we would hold up our targets for good.
 */
static void
check_hopeless(struct profsup *ps)
{
	if (!starved_is_hopeless() || ps->window.state == WINDOW_OVER)
		return;
	log_error("programs of a higher real-time priority have all CPUs: the profile ends here, "
	          "and the program goes on alone");
	detach_all(ps);
	window_stop(ps);
}

/* With -p: ends the profile once we are told to, or the front, which would tell us, is gone, or
 * nothing is left to be profiled. */
static void
check_attached(struct profsup *ps, int sig)
{
	if (ps->opt.npids != 0 &&
	    (sig == SIGTERM || getppid() != ps->front.pid || attach_has_none(ps)))
		detach_end(ps, "the profile ends: what is left goes on alone");
}

/* Serves processes that wait for answers in their mailboxes, or have not been told how things stand
 * because their memory was late. */
static void
serve(struct profsup *ps, uint64_t now)
{
	ps->has_mailboxes = false;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		const struct tracee *live;

		ps->has_mailboxes |= proc->mailbox.addr != 0;
		if ((proc->mailbox.addr == 0 && !proc->image.untold) ||
		    (live = tracee_live(proc)) == NULL)
			continue;
		if (proc->mailbox.addr != 0)
			mailbox_tick(ps, proc, live, now);
		if (proc->image.untold)
			state_update(ps, proc);
	}
}

/* Does a tick's work if one is due.  Returns whether the run is over. */
static bool
tick(struct profsup *ps, bool *ticked)
{
	const uint64_t now = clock_now();

	*ticked = now >= ps->tick.at;
	if (window_wait(ps) <= 1 && window_tick(ps))
		detach_end(ps, "the time is over: the program goes on alone");
	if (!round_is_under_way(ps))
		wall_tick(ps, now);
	if (!*ticked)
		return false;
	check_own_time(ps, now);
	serve(ps, now);
	sampler_tick(ps, now);
	if (births_alone(ps))
		ask_each(ps);
	if (ps->detach_at != 0)
		detach_all(ps);
	objects_step();
	late_step(ps, false);
	return is_to_end(ps);
}

static enum patience
patience_for(const struct profsup *ps, bool wished)
{
	const bool under_way = round_is_under_way(ps);

	if (wished && !under_way)
		return NONE;
	if (under_way && ps->cpus > 1)
		return MOMENT; /* before the next CPU's turn */
	return under_way && tracee_is_lone(ps) ? STOP : TICK;
}

/* Returns when the last tracee is gone, by its own end or because it was let go. */
void
loop_run(struct profsup *ps)
{
	bool wished = false; /* there may be something to do for the user */

	/* A tick is to come when it is due, not later so as to save wake-ups. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (!loop_take_news(ps))
		return;
	for (;;) {
		enum patience patience;
		bool ticked;
		int sig;

		round_step(ps);
		patience = patience_for(ps, wished);
		sig = wait_for_signal(ps, patience, wished);

		/* Asking for news without a signal costs a walk over all tracees. */
		if ((is_quiet(ps, sig) || sig == SIGCHLD) && !loop_take_news(ps))
			return;
		output_step(ps);
		if (ps->held != NULL)
			dispatch_held(ps);
		continuation_end_waits(ps);
		if (tick(ps, &ticked))
			return;
		top_tick(ps);
		if (!round_is_under_way(ps))
			foresee_step(ps);
		check_attached(ps, sig);
		check_hopeless(ps);
		if (patience == NONE)
			wished = control_step(ps);
		if (sig == CONTROL_SIGNAL || control_wait(ps) <= 1 ||
		    (ticked && control_has_news(ps)))
			wished = true;
		if (ps->window.state != WINDOW_OVER)
			continue;
		if (ps->tracees == NULL)
			return;
		/* Files may take long, and who stops meanwhile is let go. */
		if (late_is_enough(ps) && !output_step(ps) && attach_is_over(ps))
			return;
	}
}
