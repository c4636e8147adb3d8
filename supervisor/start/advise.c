/*
 * Whether a run's figures are to be believed, and what else would serve.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <stdio.h>

/* How much a run by stops may cost, and how many of its ticks may be late, before we name perf.
 * With less CPU time than ADVISE_CPU_NS, or FEW_TICKS for each process, we do not judge. */
enum { DEAR_PERCENT = 4, COARSE_PERCENT = 25, FEW_TICKS = 4 };
#define ADVISE_CPU_NS (NSEC / 5)

/* How much of the time the supervisor may be without a CPU. */
enum { LATE_PERCENT = 5 };

/* How many ticks a sample may stand for before we say what that makes of the shares, if there are
 * MANY_TICKS. */
enum { SPARSE = 10, MANY_TICKS = 100 };

/* Whether a run by stops was costly, late or coarse. */
static bool
is_dear(const struct stats *st, uint64_t own_cpu, uint64_t cpu)
{
	return st->stopped * 100 >= cpu * DEAR_PERCENT || own_cpu * 100 >= cpu * DEAR_PERCENT ||
	       st->late * 100 >= st->ticks * COARSE_PERCENT;
}

/* Returns how far a share of all time may be off, two standard errors at the most, in percent. */
static unsigned
error_of(uint64_t samples)
{
	unsigned percent = 100;

	while (percent > 1 && samples * (percent - 1) * (percent - 1) >= 10000)
		percent--;
	return percent;
}

static bool
is_sparse(const struct stats *st)
{
	return st->ticks >= MANY_TICKS && st->samples * SPARSE < st->ticks;
}

/* Says whether the figures are to be believed, and what else would serve.  Prints. */
void
advise(const struct profsup *ps, const struct summary *s)
{
	const struct stats *st = &s->stats;
	const uint64_t cpu = st->ticks * s->period;
	const bool late = st->gaps * 100 > st->watched * LATE_PERCENT;
	/* What a ring that stays full has lost nobody says: it is time without samples. */
	const uint64_t lost =
	    st->perf.lost != 0 && st->unseen > st->perf.lost ? st->unseen : st->perf.lost;

	if (late)
		log_notice("profsup got no CPU for %llu %% of the time: the shares are unreliable",
		           (unsigned long long)(st->gaps * 100 / st->watched));
	else if (lost * 100 > (st->samples + lost) * LATE_PERCENT)
		log_notice("%llu %% of the samples found no room: the shares are unreliable",
		           (unsigned long long)(lost * 100 / (st->samples + lost)));
	else if (is_sparse(st))
		log_notice("%llu samples stand for %llu ticks: a share may be off by %u %%",
		           (unsigned long long)st->samples, (unsigned long long)st->ticks,
		           error_of(st->samples));
	if (cpu < ADVISE_CPU_NS && (st->unfound == 0 || st->unfound * 2 < st->ticks))
		return;
	/* perf's clock begins anew in each thread, and finds none that ends before a tick. */
	if (!late && st->unfound * 100 > st->ticks * LATE_PERCENT) {
		char way[32] = "--sampler=ptrace";

		if (ps->sampler == &sampler_ptrace)
			snprintf(way, sizeof(way), "-F %u", 10 * s->hz);
		log_notice("%llu %% of the time was used by processes that ended before a sample:"
		           " %s finds more of them",
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
