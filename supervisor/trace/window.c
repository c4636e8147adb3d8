/*
 * When a run is profiled: from the first profil call on, or later (-D), and until the last process
 * is gone, or for a shorter time (--duration); and with pauses that the user asks for (control.c).
 *
 * While the window is shut, each image's own mode is off, as by a moncontrol(0) that the program
 * knows nothing of: its calls are not counted, and the samplers find it paused.  At the end the
 * files are written and all tracees are let go.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>

/* How late all processes' arcs together may be at the end. */
#define FINISH_NS (2 * NSEC)
/* The same when they are to count from zero. */
#define ZERO_NS (NSEC / 5)

static uint64_t
from_now(uint64_t ns)
{
	return ns == 0 ? 0 : clock_now() + ns;
}

/* The window is open: starts the clock that ends it. */
static void
start_clock(struct profsup *ps)
{
	if (ps->window.ends_at == 0)
		ps->window.ends_at = from_now(ps->opt.duration);
}

/* Called at the first profile of the run. */
void
window_first_profile(struct profsup *ps)
{
	if (ps->window.state == WINDOW_OPEN)
		start_clock(ps);
	else if (ps->window.state == WINDOW_SHUT && ps->opt.delay_ms > 0 &&
	         ps->window.opens_at == 0)
		ps->window.opens_at = from_now((uint64_t)ps->opt.delay_ms * (NSEC / 1000));
}

/* Tells a forked child whether the window is open, since its copy of the state may be out of date.
 * False: its memory was late. */
bool
window_child(const struct profsup *ps, const struct tracee *t)
{
	if (ps->opt.delay_ms == 0 || t->proc->image.state_addr == 0 || t->proc->shares_memory)
		return true;
	return state_tell(t->proc, state_flags(ps)) == 0 || errno != ETIMEDOUT;
}

/* Whether a process is to be told of the window, or its profile. */
static bool
is_to_know(const struct proc *proc)
{
	return tracee_live(proc) != NULL &&
	       (proc->image.state_addr != 0 || (proc->profile != NULL && proc->profile->bare));
}

/* CPU time that was used until now is not owed. */
static void
start(struct profsup *ps, struct proc *proc)
{
	if (!is_to_know(proc))
		return;
	if (proc->profile != NULL) {
		if (counts_ticks(&proc->profile->counts) == 0)
			proc->profile->counts.since = clock_now();
		sampler_start_process(ps, proc);
	}
	state_update(ps, proc);
}

static void
open_window(struct profsup *ps)
{
	sampler_settle(ps);
	ps->window.state = WINDOW_OPEN;
	ps->window.opens_at = 0;
	if (ps->stats.profiled > 0)
		start_clock(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		start(ps, proc);
	log_verbose("the profile starts");
}

/* Books CPU time that was used until now. */
static void
book(struct profsup *ps, const struct proc *proc)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		if (!t->exiting)
			sampler_end_thread(ps, t);
}

/* Books CPU time of all processes, by their accounts alone, which no exec locks. */
void
window_book(struct profsup *ps)
{
	sampler_settle(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (proc->profile != NULL && !proc->end.done)
			book(ps, proc);
}

static void
shut_window(struct profsup *ps)
{
	sampler_settle(ps);
	ps->window.state = WINDOW_SHUT;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		if (!is_to_know(proc))
			continue;
		book(ps, proc);
		state_update(ps, proc);
		if (proc->profile != NULL)
			proc->profile->mode.on = false; /* not as it was last read */
	}
	log_verbose("the profile pauses");
}

/* Whether a thread of it is not at its end, or in its exit stop yet. */
static bool
has_memory(const struct proc *proc)
{
	const struct tracee *t = proc->first;

	while (t != NULL && t->exiting && !t->hold.on)
		t = t->next;
	return t != NULL;
}

static void
finish(struct profsup *ps, struct proc *proc, uint64_t until)
{
	const struct timespec moment = { .tv_nsec = NSEC / 1000 };

	if (proc->profile == NULL || proc->end.done)
		return;
	if (!has_memory(proc)) {
		finish_image(ps, proc, NO_MEMORY);
		return;
	}
	book(ps, proc);
	if (tracee_live(proc) != NULL && proc->image.state_addr != 0)
		state_tell(proc, state_flags(ps));
	arctable_restart(proc);
	while (!finish_image(ps, proc, clock_now() < until ? MAY_WAIT : LAST_CHANCE)) {
		nanosleep(&moment, NULL);
		output_step(ps); /* it may wait for its file, or for room for that */
	}
}

/* Writes all files, as things stand now.  No tracee is served meanwhile, but it is the end. */
void
window_finish_all(struct profsup *ps)
{
	const uint64_t until = clock_now() + FINISH_NS;

	sampler_settle(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		finish(ps, proc, until);
		output_step(ps);
	}
}

/* How long until something is to be done; UINT64_MAX: nothing. */
uint64_t
window_wait(const struct profsup *ps)
{
	const uint64_t at = ps->window.opens_at != 0 ? ps->window.opens_at : ps->window.ends_at;
	const uint64_t now = clock_now();

	if (at == 0)
		return UINT64_MAX;
	return at > now ? at - now : 1;
}

/* A command of the user's ends the delay: from now on only commands open and shut the window. */
void
window_enable(struct profsup *ps)
{
	if (ps->window.state != WINDOW_SHUT)
		return;
	ps->opt.delay_ms = -1;
	open_window(ps);
}

void
window_disable(struct profsup *ps)
{
	if (ps->window.state == WINDOW_OVER)
		return;
	ps->opt.delay_ms = -1;
	ps->window.opens_at = 0;
	if (ps->window.state == WINDOW_OPEN)
		shut_window(ps);
}

/* All processes of -p are attached to: the clocks start. */
void
window_attached(struct profsup *ps)
{
	if (ps->window.opens_at != 0)
		ps->window.opens_at = from_now((uint64_t)ps->opt.delay_ms * (NSEC / 1000));
	if (ps->window.ends_at != 0)
		ps->window.ends_at = from_now(ps->opt.duration);
}

/* Ends the profile, once, and writes the files.  The caller lets the tracees go. */
void
window_stop(struct profsup *ps)
{
	ps->window.state = WINDOW_OVER;
	ps->window.opens_at = ps->window.ends_at = 0;
	window_finish_all(ps);
}

/* Makes all processes that have not ended count from zero. */
void
window_zero(struct profsup *ps)
{
	const uint64_t until = clock_now() + ZERO_NS;

	sampler_settle(ps);
	if (ps->opt.sum)
		late_step(ps, true); /* else they would be added to what begins now */
	sums_zero();
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		if (proc->profile == NULL || proc->end.done || proc->profile->fileless ||
		    !has_memory(proc))
			continue;
		finish_zero(proc, until);
		if (tracee_live(proc) != NULL)
			start(ps, proc);
	}
}

/* Returns whether the time is over. */
bool
window_tick(struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (ps->window.opens_at != 0 && now >= ps->window.opens_at)
		open_window(ps);
	return ps->window.ends_at != 0 && now >= ps->window.ends_at;
}
