/*
 * What an image says of itself while it runs: the state that its note leads to.  The program
 * changes it by stores, since a sandbox may kill it for a system call; each change is seen at the
 * next tick, by the job that also writes the bins.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>

/* The program and we both set the mode.  Each sets it again until the reasons for it have not
 * changed, so the last one sets it right (see __profsup_pause).  We try so often at the most. */
enum { LOOKS = 100 };

/* monstartup was called again, with another range for the same buffer, which is checked as in a
 * call. */
static void
take_range(struct proc *proc, const struct profsup_state *state)
{
	struct profile *p = proc->profile;
	/* A program that we have attached to has no bins in its memory. */
	const bool fits = p->attached ? state->samplesize <= PROFSUP_MAX_SAMPLESIZE
	                              : counts_fit(p->buf_addr, p->buflen, state->samplesize);

	if (state->scale == 0 || state->scale > PROFSUP_SCALE_ONE || !fits)
		log_verbose("%d: a range that does not fit: the old one remains", proc->pid);
	else if (!bins_set_range(p, state->samplesize, state->offset, state->scale))
		return; /* one of the next looks takes it */
	p->mode.geometry = state->geometry;
}

/* Whether samples of the process count. */
bool
state_wants_samples(const struct proc *proc)
{
	return proc->profile != NULL && !proc->end.done &&
	       (!proc->profile->off || dialect_counts(proc));
}

bool
state_is_still_on(const struct profsup *ps, const struct proc *proc, uint64_t now)
{
	const struct profile *p = proc->profile;

	return p->mode.on && p->mode.toggles <= 1 && !p->fileless && !dialect_counts(proc) &&
	       now < p->mode.read_at + profile_calm_ns(ps, p->paid.began, now);
}

/* Is the process's profile on, by its state or by an older dialect's call?  A state that can't be
 * read now is as it was last. */
bool
state_is_on(struct proc *proc)
{
	struct profile *p = proc->profile;
	struct profsup_state state;

	if (p->fileless)
		return dialect_counts(proc);
	if (p->bare)
		return p->mode.on || dialect_counts(proc);
	if (bins_flush_and_read(proc, proc->image.state_addr, &state, sizeof(state)) < 0)
		return p->mode.on || dialect_counts(proc);
	p->mode.on = state.mode != PROFSUP_MODE_OFF;
	p->mode.toggles = state.toggles;
	if (state.geometry != p->mode.geometry)
		take_range(proc, &state);
	return p->mode.on || dialect_counts(proc);
}

/* What an image is to be told of the supervisor. */
uint8_t
state_flags(const struct profsup *ps)
{
	return ps->window.state == WINDOW_OPEN ? PROFSUP_SUPERVISED
	                                       : PROFSUP_SUPERVISED | PROFSUP_HELD;
}

static uint8_t
mode_of(const struct profsup_state *s)
{
	/* Before start-up there is nothing to count in, and before we tell of us nobody to read. */
	if (s->buf == 0 || s->paused != 0 || s->supervised != PROFSUP_SUPERVISED)
		return PROFSUP_MODE_OFF;
	return s->shared_tp ? PROFSUP_MODE_SHARED : PROFSUP_MODE_ON;
}

/* Sets a byte of an image's state, and then its mode.  -1 with ETIMEDOUT: its memory was late. */
int
state_set(struct proc *proc, size_t member, uint8_t value)
{
	const uint64_t at = proc->image.state_addr;
	struct profsup_state state;
	uint8_t mode;

	if (mem_write(proc, at + member, &value, 1) < 0 ||
	    mem_read(proc, at, &state, sizeof(state)) < 0)
		return -1;
	for (int i = 0; i < LOOKS; i++) {
		mode = mode_of(&state);
		if (mem_write(proc, at + offsetof(struct profsup_state, mode), &mode, 1) < 0 ||
		    mem_read(proc, at, &state, sizeof(state)) < 0)
			return -1;
		if (mode_of(&state) == mode)
			break;
	}
	return 0;
}

/* Tells an image of the supervisor. */
int
state_tell(struct proc *proc, uint8_t flags)
{
	return state_set(proc, offsetof(struct profsup_state, supervised), flags);
}

/* A profile that no program turns on and off follows the window. */
void
state_follow(const struct profsup *ps, struct profile *p)
{
	const bool on = ps->window.state == WINDOW_OPEN;

	p->mode.toggles += on != p->mode.on;
	p->mode.on = on;
}

/* Tells an image how things stand; if its memory is late, one of the next ticks tells it. */
void
state_update(const struct profsup *ps, struct proc *proc)
{
	const bool unreadable = proc->vm.memory == NULL && proc->image.state_addr != 0;

	/* Where nothing can be told, nothing counts calls; its time is still to be had. */
	if (proc->profile != NULL && (proc->profile->bare || unreadable))
		state_follow(ps, proc->profile);
	else
		proc->image.untold = state_tell(proc, state_flags(ps)) < 0 && errno == ETIMEDOUT;
}
