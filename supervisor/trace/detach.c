/*
 * Tracees are let go, and run on alone: new ones that are not to be followed, and all at the end of
 * a run that its program outlives.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>

/* How long a call that is carried on may take to come to its end, before the thread is let go with
 * a part of it. */
#define LAST_CALL_NS (5 * NSEC)
/* Of the time, one part in so many goes to looking who sleeps. */
enum { WALK_SHARE = 20 };

/* Whether new processes are not followed. */
bool
detach_is_for_new(const struct profsup *ps)
{
	return ps->opt.no_follow || ps->window.state == WINDOW_OVER;
}

/* Called before the process runs on without us, as if we had never been.  False: its memory was
 * late. */
bool
detach_state(struct proc *proc)
{
	if (proc->image.state_addr != 0 && state_tell(proc, PROFSUP_HELD) < 0 && errno == ETIMEDOUT)
		return false;
	mailbox_detach(proc);
	return true;
}

/* Lets a thread go from its stop.  `t` is gone afterwards, unless there is news of it first. */
void
detach(struct profsup *ps, struct tracee *t, int sig)
{
	if (!t->exiting && (!t->proc->shares_memory || ps->window.state == WINDOW_OVER) &&
	    !detach_state(t->proc))
		log_verbose("%d: its memory was late: it counts on", t->tid);
	if (trace_detach(t->tid, sig) < 0)
		return;
	log_verbose("%d: let go", t->tid);
	tracee_drop(ps, t);
}

/* Whether threads are being let go, and calls that are carried on have had their time. */
bool
detach_is_last_call(const struct profsup *ps)
{
	return ps->detach_at != 0 && clock_now() - ps->detach_at > LAST_CALL_NS;
}

/* Whether a thread is left alone for now: one that carries on a call stops without us, and a call
 * that waits for the answer to a seccomp notification would ask once more. */
static bool
has_time(const struct profsup *ps, const struct tracee *t)
{
	return ((t->continuation != NULL && !transfer_is_waited_in(t)) ||
	        procfs_waits_for_answer(t->tid)) &&
	       !detach_is_last_call(ps);
}

/* Whether a thread is left asleep: when we end, the kernel lets it go.  A stop would have its wait
 * begin anew, with all of its time. */
static bool
is_left_asleep(const struct profsup *ps, const struct tracee *t)
{
	return !ps->opt.kill_on_exit && !t->stop.asked && t->continuation == NULL &&
	       t->proc->watch == WATCH_NONE && procfs_thread_sleeps(t->proc->pid, t->tid);
}

static void
interrupt(struct profsup *ps, struct tracee *t)
{
	if (t->birth.past && !t->stop.asked && !has_time(ps, t) && trace_interrupt(t->tid) == 0)
		t->stop.asked = true;
}

/* Lets all tracees go, to run on alone.  Each is detached at its next stop, which we make, if it
 * is awake: also at later ticks, if it has had its time by then, or needs none any more. */
void
detach_all(struct profsup *ps)
{
	const bool first = ps->detach_at == 0;
	const uint64_t now = clock_now();
	struct tracee *t, *next;

	if (now < ps->detach_next)
		return;
	if (first)
		ps->detach_at = now;
	ps->sleepers_only = true;
	HASH_ITER (hh, ps->tracees, t, next) {
		const bool left = t->proc != NULL && !t->exiting && is_left_asleep(ps, t);

		ps->sleepers_only &= t->proc != NULL && (t->exiting || left);
		if (t->proc == NULL)
			continue;
		t->proc->detach = true;
		if (!t->exiting && !left)
			interrupt(ps, t);
		else if (t->exiting && first && !t->hold.on)
			tracee_drop(ps, t); /* there is nothing left to detach */
	}
	ps->detach_next = clock_now() + WALK_SHARE * (clock_now() - now);
}

/* Ends the profile: writes the files, and lets all tracees go. */
void
detach_end(struct profsup *ps, const char *why)
{
	if (ps->window.state == WINDOW_OVER)
		return;
	window_stop(ps);
	log_verbose("%s", why);
	detach_all(ps);
}

/* Whether a call that is carried on may still come to its end, or be given what it has come to. */
bool
detach_has_calls(const struct profsup *ps)
{
	const struct tracee *t = ps->tracees;

	while (t != NULL && (t->continuation == NULL || transfer_is_waited_in(t)))
		t = t->hh.next;
	return t != NULL && clock_now() - ps->detach_at < LAST_CALL_NS + NSEC;
}
