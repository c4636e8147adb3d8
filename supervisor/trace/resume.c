/*
 * How a thread goes on from a stop.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

static void
count_stop(struct stats *stats, struct tracee *t)
{
	const uint64_t ns = t->stop.ns + (clock_now() - t->stop.seen);

	t->stop.seen = 0;
	stats->stops++;
	stats->stopped += ns;
	if (ns > stats->longest_stop)
		stats->longest_stop = ns;
}

/* Resumes a thread, or lets it go.  `t` may be gone afterwards. */
void
resume(struct profsup *ps, struct tracee *t, int sig)
{
	const bool counts = t->stop.seen != 0;
	bool stays;

	/* Before it is let go, a thread gets the answer of its profil call, and carries on a call
	 * that our last stop has cut short. */
	if (t->proc->detach && !t->answer.due && t->continuation == NULL) {
		detach(ps, t, sig);
		return;
	}
	if (t->group_stopped) {
		t->listening = true;
		t->keep_eintr = t->continuation == NULL;
		t->group_stopped = false;
		t->stop.seen = 0; /* that is no stop of ours */
		trace_listen(t->tid);
		return;
	}
	t->nap.sure = false; /* it was not asleep */
	stays = counts && t->stop.by_round && !ps->crowded && !t->cpu.realtime &&
	        !round_is_under_way(ps);
	if (stays)
		nomigrate_begin(tracee_is_lone(ps));
	if (counts)
		count_stop(&ps->stats, t);
	trace_resume(t->tid,
	             t->proc->watch != WATCH_NONE || t->answer.due || t->continuation != NULL, sig);
	if (stays)
		nomigrate_end();
}
