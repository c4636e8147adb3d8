/*
 * What has changed, and what is chance.
 *
 * Calls are counted; time is sampled.  A time of n ticks differs from the true one by as much as n
 * independent events of that mean would: by the square root of n, or more, since a sample of ours
 * may stand for several ticks.  And the time itself differs from run to run.  With several runs on
 * a side that is seen; with one on each it has to be assumed.  A change counts only if it is too
 * large for either.
 *
 * Of a hundred functions that have not changed, five would be beyond what has 95 %.  So the least
 * probable one must be less probable than 5 % divided by their number, the next one by the number
 * that is left, and so on (Holm's procedure): with 95 %, nothing at all is taken for a change that
 * is none.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <math.h>
#include <stdlib.h>

/* By how much the squares of what samples stand for are more than their sum, if nothing but one
 * run shows it: if a third of all ticks have no sample of their own, and three of four samples
 * stand for one tick and one for three, they are twice as much.  profsup advises another sampler
 * when a quarter of all ticks have none. */
const double ticks_a_sample = 2;
/* Fewer on both sides together could be due to chance even if all were on one. */
const double least_ticks = 10;
static const double level = 0.05;

double
judge_runs(const struct diff *d, int side)
{
	return (double)d->sides[side].nruns;
}

/* Ticks of one second in each run. */
static double
exposure(const struct diff *d, int side)
{
	return judge_runs(d, side) * d->sides[side].first->gmon->rate;
}

double
judge_seconds(const struct diff *d, int side, double ticks)
{
	return ticks / exposure(d, side);
}

double
judge_calls(const struct diff *d, const struct count *c, int side)
{
	return (double)c->sum[side] / judge_runs(d, side);
}

bool
judge_calls_changed(const struct diff *d, const struct count *c)
{
	/* Calls that one side has inlined would seem to be fewer.  Products, since quotients may be
	 * rounded. */
	return !c->differs[BEFORE] && !c->differs[AFTER] &&
	       c->inlined[BEFORE] == c->inlined[AFTER] &&
	       (unsigned __int128)c->sum[BEFORE] * d->sides[AFTER].nruns !=
	           (unsigned __int128)c->sum[AFTER] * d->sides[BEFORE].nruns;
}

/* Functions of libraries and inlined ones are known by their samples alone: that one has none on
 * the other side does not mean that it is not there. */
bool
judge_is_new(const struct entry *e, int side)
{
	return e->own[side] && !e->there[side == BEFORE ? AFTER : BEFORE];
}

static double
square(double x)
{
	return x * x;
}

static unsigned
freedom(const struct diff *d)
{
	return (unsigned)(d->sides[BEFORE].nruns + d->sides[AFTER].nruns - SIDES);
}

/* With several runs their differences show what the samples stand for. */
static double
weight(const struct diff *d)
{
	return freedom(d) > 0 ? 1 : ticks_a_sample;
}

/* The variance of a side's seconds, by the number of samples.  Half a tick more, since no ticks are
 * not known exactly either. */
static double
sampling_of(const struct diff *d, int side, double ticks)
{
	return weight(d) * (ticks + 0.5) / square(exposure(d, side));
}

/* That of the change: of each side by itself, or as it is if nothing has changed, whichever is
 * more.  The latter matters if one side has a few ticks in many runs, and the other none in one. */
static double
sampling(const struct diff *d, const double ticks[SIDES])
{
	const double a = exposure(d, BEFORE), b = exposure(d, AFTER);
	const double apart =
	    sampling_of(d, BEFORE, ticks[BEFORE]) + sampling_of(d, AFTER, ticks[AFTER]);
	const double same =
	    weight(d) * (ticks[BEFORE] + ticks[AFTER] + 1) / (a + b) * (1 / a + 1 / b);

	return apart > same ? apart : same;
}

double
judge_sampling_error(const struct diff *d, const double ticks[SIDES])
{
	return d->sample_95 * sqrt(sampling(d, ticks));
}

/* The variance of the change by how runs are assumed to differ, where there is one on each side. */
static double
assumed(const struct diff *d, double before, double after)
{
	return square(d->noise) * (square(before) + square(after));
}

/* How many deviations a change must have to be beyond chance among so many frames. */
double
judge_frames_beyond(size_t frames)
{
	return student_beyond(level / (double)frames, 0);
}

/* A frame is judged where its function has changed. */
bool
judge_frame_changed(const struct diff *d, const struct entry *e, const double ticks[SIDES],
                    double beyond)
{
	const double before = judge_seconds(d, BEFORE, ticks[BEFORE]);
	const double after = judge_seconds(d, AFTER, ticks[AFTER]);
	double variance = sampling(d, ticks);

	if (d->noise_taken)
		variance += assumed(d, before, after);
	return (e->self.significant || e->total.significant) &&
	       ticks[BEFORE] + ticks[AFTER] >= least_ticks &&
	       fabs(after - before) > beyond * sqrt(variance);
}

/* The variance of one run's seconds, by how the runs of each side differ. */
static double
between_runs(const struct diff *d, const struct amount *time)
{
	double sum = 0;

	for (int side = 0; side < SIDES; side++) {
		const double n = judge_runs(d, side);
		const double mean = judge_seconds(d, side, time->ticks[side]);
		const double squares = time->squares[side] - n * mean * mean;

		sum += squares > 0 ? squares : 0;
	}
	return sum / freedom(d);
}

/* Variances of a side's seconds: by samples, and by runs. */
static void
variances_of(const struct diff *d, const struct item *i, int side, double *samples, double *runs)
{
	*samples = sampling_of(d, side, i->time.ticks[side]);
	*runs = 0;
	if (freedom(d) > 0)
		*runs = between_runs(d, &i->time) / judge_runs(d, side);
	else
		*samples += square(d->noise * i->seconds[side]);
}

static double
larger_error(const struct diff *d, double samples, double runs)
{
	const double a = d->sample_95 * sqrt(samples), b = d->run_95 * sqrt(runs);

	return a > b ? a : b;
}

static void
judge_change(const struct diff *d, struct item *i)
{
	double samples = sampling(d, i->time.ticks), runs = 0, by_runs = 0;

	for (int side = 0; side < SIDES; side++)
		i->seconds[side] = judge_seconds(d, side, i->time.ticks[side]);
	i->change = i->seconds[AFTER] - i->seconds[BEFORE];
	if (freedom(d) > 0)
		runs = between_runs(d, &i->time) *
		       (1 / judge_runs(d, BEFORE) + 1 / judge_runs(d, AFTER));
	else
		samples += assumed(d, i->seconds[BEFORE], i->seconds[AFTER]);
	i->error = larger_error(d, samples, runs);
	i->tested = i->time.ticks[BEFORE] + i->time.ticks[AFTER] >= least_ticks;
	i->p = student_p(i->change / sqrt(samples), 0);
	if (runs > 0)
		by_runs = student_p(i->change / sqrt(runs), freedom(d));
	i->p = i->p > by_runs ? i->p : by_runs;
}

/* time = calls * cost, so the change is that of the calls at the mean cost, and that of the cost at
 * the mean calls.  A side without calls has no cost of its own, and is given the other's; if it has
 * time all the same, or the function is inlined somewhere, not all calls were counted. */
static void
divide(const struct diff *d, struct item *i, const double calls[SIDES])
{
	double cost[SIDES], by_runs[SIDES], by_samples[SIDES], mean, more, error;

	for (int side = 0; side < SIDES; side++) {
		const int other = side == BEFORE ? AFTER : BEFORE;
		const int from = calls[side] > 0 ? side : other;

		if (calls[from] <= 0 || (from == other && i->time.ticks[side] > 0) ||
		    i->calls.inlined[side])
			return;
		cost[side] = i->seconds[from] / calls[from];
		variances_of(d, i, from, &by_samples[side], &by_runs[side]);
		by_samples[side] /= square(calls[from]);
		by_runs[side] /= square(calls[from]);
	}
	mean = (calls[BEFORE] + calls[AFTER]) / 2;
	more = (calls[AFTER] - calls[BEFORE]) / 2;
	i->divided = true;
	i->by_calls = more * (cost[BEFORE] + cost[AFTER]);
	i->by_cost = mean * (cost[AFTER] - cost[BEFORE]);
	if (calls[BEFORE] <= 0 || calls[AFTER] <= 0) {
		i->by_calls_error = i->error;
		return;
	}
	error = larger_error(d, by_samples[BEFORE] + by_samples[AFTER],
	                     by_runs[BEFORE] + by_runs[AFTER]);
	i->by_calls_error = fabs(more) * error;
	i->by_cost_error = mean * error;
}

static void
judge_item(const struct diff *d, struct item *i)
{
	judge_change(d, i);
	divide(d, i,
	       (double[]){ judge_calls(d, &i->calls, BEFORE), judge_calls(d, &i->calls, AFTER) });
}

static int
compare_p(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return (*x)->p < (*y)->p ? -1 : (*x)->p > (*y)->p;
}

static void
take(struct item **items, size_t *n, struct item *i)
{
	if (i->tested)
		items[(*n)++] = i;
}

/* The time of a function that calls nothing is its own, and need not be judged twice. */
static bool
is_own(const struct entry *e)
{
	return fabs(e->total.time.ticks[BEFORE] - e->self.time.ticks[BEFORE]) < 0.5 &&
	       fabs(e->total.time.ticks[AFTER] - e->self.time.ticks[AFTER]) < 0.5;
}

/* Times of arcs that are shares of calls are no observations of their own. */
static void
find_significant(struct diff *d)
{
	struct item **items = memory_array(2 * d->nentries + d->narcs + 1, sizeof(struct item *));
	size_t n = 0;

	take(items, &n, &d->total);
	for (size_t i = 0; i < d->nentries; i++) {
		take(items, &n, &d->entries[i].self);
		if (d->measured && !is_own(&d->entries[i]))
			take(items, &n, &d->entries[i].total);
	}
	for (size_t i = 0; d->measured && i < d->narcs; i++)
		take(items, &n, &d->arcs[i].item);
	if (n > 0)
		qsort(items, n, sizeof(struct item *), compare_p);
	for (size_t i = 0; i < n && items[i]->p <= level / (double)(n - i); i++)
		items[i]->significant = true;
	free(items);
}

static void
judge_total(struct diff *d)
{
	for (int side = 0; side < SIDES; side++) {
		d->total.time.ticks[side] = d->sides[side].ticks;
		d->total.time.squares[side] = d->sides[side].squares;
	}
	judge_change(d, &d->total);
}

static void
find_own(struct diff *d)
{
	for (int side = 0; side < SIDES; side++) {
		const struct side *s = &d->sides[side];

		for (uint32_t i = 0; i < model_own_functions(s->first); i++)
			d->entries[s->entries[i]].own[side] |=
			    !s->first->symbols->functions[i].no_symbol;
	}
}

void
judge(struct diff *d)
{
	find_own(d);
	d->noise_taken = freedom(d) == 0;
	d->sample_95 = student_beyond(level, 0);
	d->run_95 = student_beyond(level, freedom(d));
	judge_total(d);
	for (size_t i = 0; i < d->nentries; i++) {
		judge_item(d, &d->entries[i].self);
		judge_item(d, &d->entries[i].total);
	}
	for (size_t i = 0; i < d->narcs; i++)
		judge_item(d, &d->arcs[i].item);
	find_significant(d);
}
