/*
 * A registered profile and what it holds: shared by reference where a fork shares it, counted anew
 * where it does not.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A program's first pause may be seen late by 1 / SHARE of its time, or by FEW_TICKS if that is
 * longer. */
enum { SHARE = 50, FEW_TICKS = 4 };

struct profile *
profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->place = calloc(1, sizeof(*p->place));
	if (p->place == NULL) {
		free(p);
		return NULL;
	}
	p->started = time(NULL);
	p->paid.began = p->counts.since = clock_now();
	p->place->refs = 1;
	p->place->dirfd = -1;
	p->place->owner = OWNER_NOBODY;
	return p;
}

/* Makes a forked child's profile: the same buffer and place, nothing counted. */
struct profile *
profile_fork(const struct profile *from)
{
	struct profile *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	*p = *from;
	p->started = time(NULL);
	p->paid.began = p->counts.since = clock_now();
	p->forked = true;
	p->counts.hist.bins = NULL;
	p->counts.hist.ticks = 0;
	p->counts.arcs = p->counts.minus = (struct arcs){ 0 };
	p->counts.stacks = (struct stacks){ 0 };
	p->fresh.n = 0;
	p->waiting = NULL;
	memset(p->waiting_bytes, 0, sizeof(p->waiting_bytes));
	dialect_fork(p);
	p->reading.cpu = p->last_pc = p->threads_samples = 0;
	p->counts.outside = 0;
	p->paid.since = p->paid.cpu_before = p->paid.cpu = p->paid.seen = p->viewed = 0;
	if (p->events != NULL)
		p->events->refs++;
	place_share(p->place);
	return p;
}

void
profile_free(struct profile *p)
{
	if (p == NULL)
		return;
	dialect_close(p);
	waiting_clear(p);
	perf_events_drop(p->events);
	counts_clear(&p->counts);
	place_drop(p->place);
	free(p);
}

/* Gives up a profile that could not be begun, for the reason in errno.  If descriptors are few, the
 * next program needs those of this one. */
void
profile_give_up(struct proc *proc, struct profile *p)
{
	const int saved = errno;

	profile_free(p);
	if (saved == EMFILE && proc->mailbox.addr == 0)
		mem_close(proc);
	errno = saved;
}

struct place *
place_share(struct place *place)
{
	place->refs++;
	return place;
}

void
place_drop(struct place *place)
{
	if (--place->refs > 0)
		return;
	fds_close(place->dirfd);
	identity_free(&place->id);
	free(place);
}

/* Takes what the runtime says of itself: claims, used for addresses in the file and nothing else.
 */
void
profile_take_state(struct profile *p, const struct proc *proc, const struct profsup_state *s)
{
	p->mode.geometry = s->geometry;
	p->counts.low_pc = s->low_pc;
	p->counts.high_pc = s->high_pc;
	p->counts.bias = proc->image.state_addr - proc->image.elf.state;
	p->runtime.low = s->runtime_low;
	p->runtime.high = s->runtime_high;
	p->runtime.mcount_pc = s->mcount_pc;
	p->runtime.tls_mark = s->tls_mark;
}

/* Whether nothing has been seen of a program that was not linked for us: of such there are many in
 * a run that do nearly nothing, and they leave no file. */
bool
profile_is_bare_and_empty(const struct profile *p)
{
	return p->bare && counts_ticks(&p->counts) == 0 && p->counts.stacks.nodes == NULL;
}

/* How long a program that has never paused is not asked. */
uint64_t
profile_calm_ns(const struct profsup *ps, uint64_t began, uint64_t now)
{
	const uint64_t few = FEW_TICKS * ps->period;
	uint64_t ns = now > began ? (now - began) / SHARE : 0;

	if (ns < few)
		ns = few;
	if (ns < CALM_NS)
		return CALM_NS;
	return ns < REST_NS ? ns : REST_NS;
}
