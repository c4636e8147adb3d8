/*
 * Whether a run's figures are to be believed, and what else would serve.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <sched.h>
#include <stdio.h>

/* How much a run by stops may cost, and how many of its ticks may be late, before we name perf.
 * With less CPU time than ADVISE_CPU_NS, or FEW_TICKS for each process, we do not judge. */
enum { DEAR_PERCENT = 4, COARSE_PERCENT = 25, FEW_TICKS = 4 };
#define ADVISE_CPU_NS (NSEC / 5)

/* How much of the time the supervisor may be without a CPU. */
enum { LATE_PERCENT = 5 };

/* With less than MANY_TICKS chance alone is so large that nobody relies on shares, unless most of
 * SOME_TICKS were late: they may all have one place.  Nor does it matter if a share may be off by
 * LEAST_POINTS. */
enum { SOME_TICKS = 10, MANY_TICKS = 100, LEAST_POINTS = 5 };

/* Whether a run by stops was costly, late or coarse. */
static bool
is_dear(const struct stats *st, uint64_t own_cpu, uint64_t cpu)
{
	return st->stopped * 100 >= cpu * DEAR_PERCENT || own_cpu * 100 >= cpu * DEAR_PERCENT ||
	       st->late * 100 >= st->ticks * COARSE_PERCENT;
}

/* Returns by how many points a share of all time may be off: two standard errors at the most. */
static unsigned
error_of(double samples)
{
	unsigned points = 100;

	while (points > 1 && samples * (points - 1) * (points - 1) >= 10000)
		points--;
	return points;
}

/* Returns by how many points a share may be off because samples came late; 0: not for that reason,
 * or by little.  Samples that stand for unequal numbers of ticks tell as much as fewer equal ones.
 * And if a part of the samples has come so late that they were found in calls, as much of the time
 * is never found: that right behind calls.  Pure. */
unsigned
advise_points(const struct stats *st)
{
	const double ticks = (double)st->ticks, samples = (double)st->samples;
	const double equal = st->squares == 0 ? 0 : ticks * ticks / (double)st->squares;
	const unsigned missed = (unsigned)(100 * st->misplaced / (st->samples + st->misplaced + 1));
	const unsigned points = missed + error_of(equal < samples ? equal : samples);
	const bool few = st->ticks < SOME_TICKS || st->late * 2 <= st->ticks;

	if ((st->ticks < MANY_TICKS && few) || points <= LEAST_POINTS ||
	    (equal * 2 > ticks && missed <= LEAST_POINTS))
		return 0;
	return points < 100 ? points : 100;
}

/* Says by how much shares may be off, where that is not by chance alone.  Prints. */
static void
say_shares(const struct profsup *ps, const struct stats *st, bool late)
{
	/* What a ring that stays full has lost nobody says: it is time without samples. */
	const uint64_t lost =
	    st->perf.lost != 0 && st->unseen > st->perf.lost ? st->unseen : st->perf.lost;
	const unsigned points = advise_points(st);

	if (late)
		log_notice("profsup got no CPU for %llu %% of the time: the shares are unreliable",
		           (unsigned long long)(st->gaps * 100 / st->watched));
	else if (lost * 100 > (st->samples + lost) * LATE_PERCENT)
		log_notice("%llu %% of the samples found no room: the shares are unreliable",
		           (unsigned long long)(lost * 100 / (st->samples + lost)));
	else if (points != 0)
		log_notice("%llu of %llu ticks were late: a share may be off by %u points%s",
		           (unsigned long long)st->late, (unsigned long long)st->ticks, points,
		           ps->sampler != &sampler_ptrace ? ""
		           : sched_getscheduler(0) == SCHED_OTHER
		               ? " (less load, root's priority or a longer run helps)"
		               : " (less load or a longer run helps)");
}

/* Says whether the figures are to be believed, and what else would serve.  Prints. */
void
advise(const struct profsup *ps, const struct summary *s)
{
	const struct stats *st = &s->stats;
	const uint64_t cpu = st->ticks * s->period;
	const bool late = st->gaps * 100 > st->watched * LATE_PERCENT;

	say_shares(ps, st, late);
	if (cpu < ADVISE_CPU_NS && (st->unfound == 0 || st->unfound * 2 < st->ticks))
		return;
	/* perf's clock begins anew in each thread, and finds none that ends before a tick. */
	if (!late && st->unfound * 100 > st->ticks * LATE_PERCENT) {
		char way[32] = "--sampler=ptrace";

		if (ps->sampler == &sampler_ptrace)
			snprintf(way, sizeof(way), "-F %u", 10 * s->hz);
		log_notice("%llu %% of the time was used by processes whose profile ended before"
		           " a sample: %s finds more of them",
		           (unsigned long long)(st->unfound * 100 / st->ticks), way);
		return;
	}
	if (cpu < st->profiled * FEW_TICKS * s->period)
		return;
	if (ps->sampler != &sampler_ptrace || (!late && !is_dear(st, s->own_cpu, cpu)) ||
	    (ps->opt.npids != 0 && priv_was_lent_perfmon())) /* which is not for -p */
		return;
	if (perfring_would_do())
		log_notice("--sampler=perf would cost less and sample more precisely here");
}
