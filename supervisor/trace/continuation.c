/*
 * A system call that a stop of ours has cut short is carried on: the thread makes it once more, for
 * the rest, and the program sees one result for all.
 *
 * The thread's registers are set to make the call again.  Until its exit the thread is not stopped
 * for a sample.  At the exit the thread gets back the registers that the program had, but for the
 * result.  A signal that the program handles ends the call with its part, as POSIX allows.
 *
 * The thread's own filters of system calls stay in force.  A filter may kill for the rest of a call
 * of which it has let the whole through, so the rest is made only if all filters let it through.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes the thread make the next call as soon as it runs. */
static void
go_on(struct tracee *t)
{
	struct continuation *c = t->continuation;
	struct made_call rest;

	c->entered = false;
	transfer_rest(&c->transfer, &rest);
	if (trace_make_call(t->tid, &rest) < 0)
		tracee_end_continuation(t); /* there is news of the thread */
}

/* Gives the program its registers back, with the result. */
static void
finish(struct tracee *t)
{
	const struct continuation *c = t->continuation;

	trace_end_call(t->tid, &c->transfer.made, c->transfer.result);
	tracee_end_continuation(t);
}

/* Whether the thread has just made a call that a stop may have cut short. */
static bool
is_one(const struct tracee *t, struct transfer *tr)
{
	struct made_call made;

	return t->continuation == NULL && trace_made(t->tid, &made) == 0 &&
	       !(made.result == -EINTR && t->keep_eintr) && transfer_of(tr, &made);
}

/* Whether a filter of the thread's may have refused the call, or answered it in the kernel's place,
 * or does not let the rest through. */
static bool
is_in_the_way(const struct tracee *t, const struct transfer *tr)
{
	struct made_call rest;

	if (transfer_is_wait(tr) || !procfs_has_filter(t->tid))
		return false;
	transfer_rest(tr, &rest);
	return !trace_filters_allow(t->tid, &tr->made) || !trace_filters_allow(t->tid, &rest);
}

/* Returns NULL if there is no memory. */
static struct continuation *
continuation_of(const struct transfer *tr)
{
	const size_t size = tr->n * sizeof(tr->piece[0]);
	struct continuation *c = malloc(sizeof(*c) + size);

	if (c == NULL)
		return NULL;
	*c = (struct continuation){ .transfer = *tr };
	if (size != 0)
		memcpy(c->piece, tr->piece, size);
	c->transfer.piece = c->piece;
	return c;
}

static void
begin(struct profsup *ps, struct tracee *t, struct transfer *tr)
{
	bool known;

	if (!transfer_fits(t, tr)) {
		ps->stats.cut += tr->unknown && !transfer_is_wait(tr);
		return;
	}
	known = transfer_complete(t, tr);
	if (known && transfer_is_whole(tr))
		return;
	if (known && !is_in_the_way(t, tr))
		t->continuation = continuation_of(tr);
	if (t->continuation == NULL) {
		ps->stats.cut++;
		return;
	}
	if (tr->timeout != 0)
		t->continuation->until = nap_began(t) + tr->timeout;
	ps->stats.carried_on += !transfer_is_wait(tr);
	go_on(t);
}

/* Called when we have stopped a thread, which may have been in a system call. */
void
continuation_begin(struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	struct transfer tr;

	if (regs->syscall < 0 || !is_one(t, &tr))
		return;
	tr.waited = !t->stop.by_round;
	begin(ps, t, &tr);
}

/* A wait that is to end at `until` has begun; 0: it is to end by itself. */
static void
note_end(struct profsup *ps, uint64_t until)
{
	if (until != 0 && (ps->over_at == 0 || until < ps->over_at))
		ps->over_at = until;
}

/* Called by the loop: stops threads whose waits are over. */
void
continuation_end_waits(struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (ps->over_at == 0 || now < ps->over_at)
		return;
	ps->over_at = 0;
	for (struct tracee *t = ps->tracees; t != NULL; t = t->hh.next) {
		const struct continuation *c = t->continuation;

		if (c == NULL || !c->entered || t->stop.by_clock)
			continue;
		if (now >= c->until && c->until != 0)
			t->stop.by_clock = trace_interrupt(t->tid) == 0;
		else
			note_end(ps, c->until);
	}
}

/* Whether to go on.  The call ends with its part if we have waited long enough to let the thread
 * go: alone it would take the rest's result for that of the whole call. */
static bool
may_go_on(const struct profsup *ps, const struct tracee *t)
{
	return (!(t->proc->detach && detach_is_last_call(ps)) || transfer_is_waited_in(t)) &&
	       !is_in_the_way(t, &t->continuation->transfer);
}

/* Called at the exit of a call. */
static void
leave(struct profsup *ps, struct tracee *t, int64_t result)
{
	struct continuation *c = t->continuation;
	const bool is_wait = transfer_is_waited_in(t);

	if (transfer_went(&c->transfer, result)) {
		if (c->until != 0 && clock_now() >= c->until) {
			transfer_end_in_time(&c->transfer);
		} else if (may_go_on(ps, t)) {
			go_on(t);
			if (is_wait && t->proc->detach)
				tracee_end_continuation(t); /* alone it waits for all of its time */
			return;
		} else {
			ps->stats.cut++;
		}
	}
	finish(t);
	if (!is_wait)
		sampler_spared(ps, t);
}

/* Called at the entry or the exit of a system call.  Returns whether the call carries on another
 * one. */
bool
continuation_syscall(struct profsup *ps, struct tracee *t, const struct trace_call *call)
{
	struct continuation *c = t->continuation;

	if (c == NULL || (!call->entry && !c->entered))
		return false;
	if (!call->entry) {
		leave(ps, t, call->result);
		return true;
	}
	c->entered = true;
	note_end(ps, c->until);
	return true;
}

/* Called when a signal is about to be delivered. */
void
continuation_signal(struct profsup *ps, struct tracee *t, const struct signal_news *news)
{
	struct transfer tr;

	if (t->continuation != NULL && !news->does_nothing) {
		finish(t);
	} else if (news->does_nothing && is_one(t, &tr)) {
		tr.waited = true;
		begin(ps, t, &tr); /* without us the signal would not have woken it */
		if (transfer_is_waited_in(t))
			t->nap.watched = true;
	}
}
