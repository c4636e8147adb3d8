/*
 * What an image says of itself while it runs: the state that its note leads to.  It changes by
 * stores, since a system call might be the program's death by then; each is taken at the next tick,
 * on the same errand as the bins are written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

/* Of a program's time, its first pause may be wrong by no more than one part in so many, or by so
 * many ticks while that is less. */
enum { SHARE = 50, FEW_TICKS = 4 };

/* No bins are in the memory of a program that we have found running. */
static bool
fits(const struct profile *p, uint64_t samplesize)
{
	return p->attached ? samplesize <= PROFSUP_MAX_SAMPLESIZE
	                   : profile_sizes_fit(p->buf_addr, p->buflen, samplesize);
}

/* monstartup called again: another range for the same buffer.  The same checks as for a call. */
static void
take_range(struct proc *proc, const struct profsup_state *state)
{
	struct profile *p = proc->profile;

	p->geometry = state->geometry;
	if (state->scale == 0 || state->scale > PROFSUP_SCALE_ONE || !fits(p, state->samplesize) ||
	    profile_set_geometry(p, state->samplesize, state->offset, state->scale) < 0)
		log_verbose("%d: a range that does not fit: the old one stays", proc->pid);
}

/* How often one that has never paused is asked. */
uint64_t
state_calm_ns(const struct profsup *ps, uint64_t began, uint64_t now)
{
	const uint64_t few = FEW_TICKS * ps->period;
	uint64_t ns = now > began ? (now - began) / SHARE : 0;

	if (ns < few)
		ns = few;
	if (ns < CALM_NS)
		return CALM_NS;
	return ns < REST_NS ? ns : REST_NS;
}

bool
state_is_still_on(const struct profsup *ps, const struct proc *proc, uint64_t now)
{
	const struct profile *p = proc->profile;

	return p->on && p->toggles <= 1 && !p->fileless && !desk_counts(proc) &&
	       now < p->errand_at + state_calm_ns(ps, p->began, now);
}

/* Is its profile on, by its own word, or an older dialect's?  If it can't be asked now, by its last
 * one. */
bool
state_is_on(struct proc *proc)
{
	struct profile *p = proc->profile;
	struct profsup_state state;

	if (p->fileless)
		return desk_counts(proc);
	if (bins_flush_and_read(proc, proc->state_addr, &state, sizeof(state)) < 0)
		return p->on || desk_counts(proc);
	p->on = state.mode != PROFSUP_MODE_OFF;
	p->toggles = state.toggles;
	if (state.geometry != p->geometry)
		take_range(proc, &state);
	return p->on || desk_counts(proc);
}
