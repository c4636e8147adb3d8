/*
 * SPDX-License-Identifier: ISC
 */
#ifndef SPREAD_H
#define SPREAD_H

#include "calls.h"
#include "diff.h"

/* A time of a run on the average, and its variances. */
struct spread {
	double ticks; /* of all runs */
	double seconds;
	double by_samples, by_runs;
	unsigned freedom; /* of the latter; 0: there is one run, and a deviation of `noise` was
	                   * taken in the former */
};

struct spread spread_of(const struct tally_run *run, const uint32_t *rate, size_t nruns,
                        double noise);
/* Half the interval that has the mean with a probability of 1 - p. */
double spread_error(const struct spread *s, double p);

#endif
