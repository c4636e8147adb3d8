/*
 * A time that several runs have sampled: its mean, and how sure that is.
 *
 * As in judge.c, samples and the differences of runs both have their say, and the less certain one
 * is believed.
 *
 * SPDX-License-Identifier: ISC
 */
#include "spread.h"

#include <math.h>

static double
square(double x)
{
	return x * x;
}

struct spread
spread_of(const struct tally_run *run, const uint32_t *rate, size_t nruns, double noise)
{
	const double n = (double)nruns;
	struct spread s = { .freedom = (unsigned)nruns - 1 };
	double squares = 0;

	for (size_t i = 0; i < nruns; i++) {
		const double ticks = run[i].ticks, seconds = ticks / rate[i];

		s.ticks += ticks;
		s.seconds += seconds / n;
		squares += square(seconds);
		s.by_samples += (ticks + 0.5) / square((double)rate[i] * n);
	}
	if (nruns > 1)
		s.by_runs = fmax(squares - n * square(s.seconds), 0) / (n - 1) / n;
	else
		s.by_samples = ticks_a_sample * s.by_samples + square(noise * s.seconds);
	return s;
}

double
spread_error(const struct spread *s, double p)
{
	const double a = student_beyond(p, 0) * sqrt(s->by_samples);
	const double b = s->freedom > 0 ? student_beyond(p, s->freedom) * sqrt(s->by_runs) : 0;

	return a > b ? a : b;
}
