/*
 * How what is called, and what takes time, grows with the input: runs with several sizes of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "growth.h"

#include <stdlib.h>
#include <string.h>

static bool
is_size(const char *word)
{
	return strncmp(word, "n=", 2) == 0;
}

/* Sizes are printed to the last digit.  Of sizes that are nearly alike any power of n is one. */
static const double most_n = 1e15, least_growth = 1.01;

static double
parse_size(const char *word)
{
	char *end;
	const double n = strtod(word + 2, &end);

	if (end == word + 2 || *end != '\0' || !(n > 1 && n <= most_n))
		command_refuse("%s: it must be a number above 1, and 10^15 at most", word);
	return n;
}

static void
add_runs(struct growth *g, double n, char *const *words)
{
	struct growth_size size = { .n = n, .first = g->tallies.nruns };
	struct run *runs = runs_find(words, g->opt->one_run, g->opt->intervals, &size.nruns);

	for (size_t i = 0; i < size.nruns; i++) {
		g->runs = memory_grow(g->runs, g->tallies.nruns, sizeof(*g->runs));
		g->runs[g->tallies.nruns++] = runs[i];
	}
	g->sizes = memory_grow(g->sizes, g->nsizes, sizeof(*g->sizes));
	g->sizes[g->nsizes++] = size;
	free(runs);
}

/* n=NUMBER run ...; returns what is behind them. */
static char **
parse_runs(struct growth *g, char **words)
{
	const double n = parse_size(*words);
	char **end = words + 1, *next;

	if (g->nsizes > 0 && n < least_growth * g->sizes[g->nsizes - 1].n)
		command_refuse("%s comes behind n=%.15g: n has to grow, by a percent at least",
		               *words, g->sizes[g->nsizes - 1].n);
	while (*end != NULL && !is_size(*end))
		end++;
	if (end == words + 1)
		command_refuse("no gmon file behind %s", *words);
	next = *end;
	*end = NULL;
	stacks_leave_out((int)(end - words) - 1, words + 1);
	add_runs(g, n, words + 1);
	*end = next;
	return end;
}

/* [program] n=NUMBER run ... n=NUMBER run ... */
static const char *
parse(struct growth *g, char **words)
{
	const char *program = *words != NULL && !is_size(*words) ? *words++ : NULL;

	if (*words == NULL || !is_size(*words))
		command_refuse("no n=NUMBER before the runs");
	while (*words != NULL)
		words = parse_runs(g, words);
	if (g->nsizes < 2)
		command_refuse("one n: how something grows needs two, and three to tell it well");
	return program != NULL ? program : find_program(g->runs[0].files, g->opt->force);
}

static void
load(struct growth *g, const char *program)
{
	const size_t n = g->tallies.nruns;
	struct model **models = runs_load(&(struct load){ .program = program,
	                                                  .stacks = !g->opt->no_stacks,
	                                                  .lines = true,
	                                                  .all = true,
	                                                  .force = g->opt->force,
	                                                  .intervals = g->opt->intervals },
	                                  g->runs, n);
	size_t have = 0;

	for (size_t i = 0; i < n; i++)
		have += models[i]->stacks != NULL;
	g->measured = have == n;
	for (size_t i = 0; have < n && i < n; i++)
		load_drop_stacks(models[i]);
	if (have > 0 && have < n)
		note("not all runs have stacks: the time of what was called is not known");
	g->symbols = models[0]->symbols;
	tallies_make(&g->tallies, models, n);
	free(models);
}

static double
mean_calls(const struct growth_size *s, const struct tally *t)
{
	double sum = 0;

	for (size_t i = s->first; i < s->first + s->nruns; i++)
		sum += (double)t->run[i].calls;
	return sum / (double)s->nruns;
}

/* Variance of the calls of a run, as a part of their square. */
static double
calls_vary(const struct growth_size *s, const struct tally *t, double mean)
{
	double squares = 0;

	for (size_t i = s->first; i < s->first + s->nruns; i++)
		squares += ((double)t->run[i].calls - mean) * ((double)t->run[i].calls - mean);
	return mean > 0 ? squares / (mean * mean) : 0;
}

static unsigned
freedom(const struct growth *g)
{
	return (unsigned)(g->tallies.nruns - g->nsizes);
}

static void
fit_calls(const struct growth *g, struct growth_row *r)
{
	struct growth_point *p = memory_array(g->nsizes, sizeof(*p));
	double squares = 0;

	for (size_t i = 0; i < g->nsizes; i++) {
		r->calls[i] = mean_calls(&g->sizes[i], r->tally);
		squares += calls_vary(&g->sizes[i], r->tally, r->calls[i]);
	}
	for (size_t i = 0; i < g->nsizes; i++) {
		p[i] = (struct growth_point){ .n = g->sizes[i].n, .y = r->calls[i] };
		if (freedom(g) > 0)
			p[i].runs = squares / freedom(g) / (double)g->sizes[i].nruns;
	}
	r->of_calls = growth_fit_calls(p, g->nsizes, freedom(g));
	free(p);
}

/* Sizes at which there are too few samples tell nothing. */
static bool
has_time(const struct spread *s)
{
	return s->ticks >= least_ticks;
}

static void
fit_time(const struct growth *g, struct growth_row *r, double probability)
{
	struct growth_point *p = memory_array(g->nsizes, sizeof(*p));
	double squares = 0;
	unsigned free_runs = 0;

	for (size_t i = 0; i < g->nsizes; i++) {
		const struct spread *s = &r->times[i];
		const double runs = (double)g->sizes[i].nruns;

		if (!has_time(s))
			continue;
		squares += s->by_runs * s->freedom * runs / (s->seconds * s->seconds);
		free_runs += s->freedom;
	}
	for (size_t i = 0; i < g->nsizes; i++) {
		const struct spread *s = &r->times[i];

		p[i].n = g->sizes[i].n;
		if (!has_time(s))
			continue;
		p[i].y = s->seconds;
		p[i].samples = s->by_samples / (s->seconds * s->seconds);
		if (free_runs > 0)
			p[i].runs = squares / free_runs / (double)g->sizes[i].nruns;
	}
	r->of_time = growth_fit_time(p, g->nsizes, free_runs, probability);
	free(p);
}

static void
take_times(const struct growth *g, struct growth_row *r)
{
	for (size_t i = 0; i < g->nsizes; i++) {
		const struct growth_size *s = &g->sizes[i];

		r->times[i] = spread_of(r->tally->run + s->first, g->tallies.rate + s->first,
		                        s->nruns, g->opt->noise);
	}
}

/* Of how many rows two sizes have time. */
static size_t
count_times(const struct growth *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nrows; i++) {
		size_t have = 0;

		for (size_t j = 0; j < g->nsizes; j++)
			have += has_time(&g->rows[i].times[j]);
		n += have > 1;
	}
	return n;
}

static bool
is_alone(const struct growth *g, size_t i)
{
	const struct tally *t = g->tallies.tally;
	const bool before = i >= 2 && strcmp(t[i - 2].name, t[i].name) == 0;
	const bool behind = i + 1 < g->tallies.n && strcmp(t[i + 1].name, t[i].name) == 0;

	return t[i].caller != NULL && !before && !behind;
}

static void
make_rows(struct growth *g)
{
	size_t times;

	g->nrows = g->tallies.n;
	g->rows = memory_array(g->nrows, sizeof(*g->rows));
	for (size_t i = 0; i < g->nrows; i++) {
		struct growth_row *r = &g->rows[i];

		r->tally = &g->tallies.tally[i];
		r->alone = is_alone(g, i);
		r->calls = memory_array(g->nsizes, sizeof(*r->calls));
		r->times = memory_array(g->nsizes, sizeof(*r->times));
		fit_calls(g, r);
		take_times(g, r);
	}
	times = count_times(g);
	for (size_t i = 0; i < g->nrows; i++)
		fit_time(g, &g->rows[i], 0.05 / (double)(times > 0 ? times : 1));
}

int
growth_run(const struct options *opt)
{
	struct growth g = { .opt = opt };
	FILE *out;

	load(&g, parse(&g, opt->words));
	make_rows(&g);
	out = memory_file();
	opt->format->growth(&g, out);
	output_write(out, opt->output);
	return 0;
}
