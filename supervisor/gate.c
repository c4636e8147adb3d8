/*
 * When a run is profiled: from the first profil call on, or later (-D), and until the last process
 * is gone, or not so long (--duration).
 *
 * While the gate is shut, each image's own mode is off, as by a moncontrol(0) that the program
 * knows nothing of: its calls are not counted, and the samplers find it paused.  At the end the
 * files are written and everybody is let go.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

/* Of two that set a mode, the program and we, the last one to look sees both reasons: see
 * __profsup_pause. */
enum { LOOKS = 100 };

void
gate_init(struct profsup *ps)
{
	ps->gate = ps->opt.delay_ms != 0 ? GATE_SHUT : GATE_OPEN;
}

/* What an image is to be told. */
uint8_t
gate_flags(const struct profsup *ps)
{
	return ps->gate == GATE_OPEN ? PROFSUP_SUPERVISED : PROFSUP_SUPERVISED | PROFSUP_HELD;
}

static uint8_t
mode_of(const struct profsup_state *s)
{
	if (s->paused != 0 || (s->supervised & PROFSUP_HELD) != 0)
		return PROFSUP_MODE_OFF;
	return s->shared_tp ? PROFSUP_MODE_SHARED : PROFSUP_MODE_ON;
}

/* `tid` has the memory. */
static int
tell(struct proc *proc, pid_t tid, uint8_t flags)
{
	const uint64_t at = proc->state_addr;
	struct profsup_state state;
	uint8_t mode;

	if (mem_write(proc, tid, at + offsetof(struct profsup_state, supervised), &flags, 1) < 0 ||
	    mem_read(proc, tid, at, &state, sizeof(state)) < 0)
		return -1;
	for (int i = 0; i < LOOKS; i++) {
		mode = mode_of(&state);
		if (mem_write(proc, tid, at + offsetof(struct profsup_state, mode), &mode, 1) < 0 ||
		    mem_read(proc, tid, at, &state, sizeof(state)) < 0)
			return -1;
		if (mode_of(&state) == mode)
			break;
	}
	return 0;
}

/* As things stand. */
void
gate_tell(const struct profsup *ps, struct proc *proc, pid_t tid)
{
	tell(proc, tid, gate_flags(ps));
}

static void
wait_from(struct profsup *ps, uint64_t ns)
{
	ps->gate_at = ns == 0 ? 0 : sampler_now() + ns;
}

/* The first profile of the run. */
void
gate_first_profile(struct profsup *ps)
{
	if (ps->gate_at != 0)
		return;
	if (ps->gate == GATE_OPEN)
		wait_from(ps, ps->opt.duration);
	else if (ps->gate == GATE_SHUT && ps->opt.delay_ms > 0)
		wait_from(ps, (uint64_t)ps->opt.delay_ms * (NSEC / 1000));
}

/* A forked child has its parent's word, which may be an old one. */
void
gate_child(const struct profsup *ps, const struct tracee *t)
{
	if (ps->opt.delay_ms != 0 && t->proc->state_addr != 0 && !t->proc->shares_memory)
		tell(t->proc, t->tid, gate_flags(ps));
}

/* It runs on without us, which is for it as if we had never been. */
void
gate_let_go(struct proc *proc, pid_t tid)
{
	if (proc->state_addr != 0)
		tell(proc, tid, PROFSUP_HELD);
	desk_let_go(proc, tid);
}

static struct tracee *
some_live_thread(const struct proc *proc)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		if (!t->exiting)
			return t;
	return NULL;
}

/* What was used until now is not owed. */
static void
start(struct profsup *ps, struct proc *proc)
{
	struct tracee *live = some_live_thread(proc);

	if (live == NULL || proc->state_addr == 0)
		return;
	if (proc->profile != NULL) {
		proc->profile->since = proc->profile->taken = 0;
		for (struct tracee *t = proc->first; t != NULL; t = t->next)
			sampler_start_thread(ps, t, false);
	}
	tell(proc, live->tid, gate_flags(ps));
}

static void
start_all(struct profsup *ps)
{
	struct proc *proc, *next;

	HASH_ITER (hh, ps->procs, proc, next) {
		start(ps, proc);
	}
}

static void
finish(struct profsup *ps, struct proc *proc)
{
	struct tracee *live = some_live_thread(proc);

	if (live == NULL || proc->profile == NULL || proc->finished)
		return;
	for (struct tracee *t = proc->first; t != NULL; t = t->next) {
		if (t->exiting)
			continue;
		sampler_end_thread(ps, t);
		vmshare_vfork_done(t);
	}
	if (proc->state_addr != 0)
		tell(proc, live->tid, gate_flags(ps));
	image_finish(ps, proc, live->tid);
}

/* All files, as things stand now. */
void
gate_finish_all(struct profsup *ps)
{
	struct proc *proc, *next;

	sampler_settle(ps);
	HASH_ITER (hh, ps->procs, proc, next) {
		finish(ps, proc);
	}
}

/* No profile any more: the files are written. */
void
gate_over(struct profsup *ps)
{
	ps->gate = GATE_OVER;
	ps->gate_at = 0;
	gate_finish_all(ps);
}

/* How long until something is to be done; UINT64_MAX: nothing. */
uint64_t
gate_wait(const struct profsup *ps)
{
	const uint64_t now = sampler_now();

	if (ps->gate_at == 0)
		return UINT64_MAX;
	return ps->gate_at > now ? ps->gate_at - now : 1;
}

/* Returns whether the time is over. */
bool
gate_tick(struct profsup *ps)
{
	if (ps->gate_at == 0 || sampler_now() < ps->gate_at)
		return false;
	if (ps->gate == GATE_SHUT) {
		sampler_settle(ps);
		ps->gate = GATE_OPEN;
		wait_from(ps, ps->opt.duration);
		start_all(ps);
		log_verbose("the profile starts");
		return false;
	}
	gate_over(ps);
	log_verbose("the time is over: the program goes on alone");
	return true;
}
