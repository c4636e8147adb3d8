/*
 * What a call of a function has cost by itself, which calls do not tell.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"
#include "spread.h"

#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
	const struct gate_cost *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return x->tally < y->tally ? -1 : x->tally > y->tally;
}

void
gate_cost(struct gate *g)
{
	const struct tallies *t = &g->now;

	g->costs = memory_array(t->n, sizeof(*g->costs));
	for (size_t i = 0; i < t->n; i++) {
		const struct tally *tally = &t->tally[i];
		const struct spread s = spread_of(tally->run, t->rate, t->nruns, g->opt->noise);
		double calls = 0;

		for (size_t j = 0; j < t->nruns; j++)
			calls += (double)tally->run[j].calls / (double)t->nruns;
		if (tally->caller == NULL && calls > 0 && s.ticks >= least_ticks)
			g->costs[g->ncosts++] =
			    (struct gate_cost){ tally, s.seconds, 1e9 * s.seconds / calls,
				                1e9 * spread_error(&s, 0.05) / calls };
	}
	if (g->ncosts > 0)
		qsort(g->costs, g->ncosts, sizeof(*g->costs), compare);
}
