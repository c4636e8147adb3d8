/*
 * profsup-diff: what has changed between two profiles, and what is chance.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"
#include "gate.h"
#include "growth.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* [program] run ... -- [program] run ... */
static void
parse_sides(struct diff *d, const struct options *opt, char **words)
{
	char **end = words;

	while (*end != NULL && strcmp(*end, "--") != 0)
		end++;
	if (*words == NULL || end == words)
		command_refuse("no gmon file");
	if (*end == NULL && end == words + 2)
		command_refuse("no \"--\" between before and after: profsup-diff %s -- %s",
		               words[0], words[1]);
	if (*end == NULL)
		command_refuse("no \"--\" between the runs before and those after: profsup-diff "
		               "OLD ... -- NEW ...");
	*end = NULL;
	if (end[1] == NULL)
		command_refuse("no gmon file behind \"--\"");
	for (int side = 0; side < SIDES; side++, words = end + 1) {
		struct side *s = &d->sides[side];
		int n = 0;

		while (words[n] != NULL)
			n++;
		s->runs = runs_find(find_operands(n, words, &s->program), opt->one_run,
		                    opt->intervals, &s->nruns);
		if (s->program == NULL)
			s->program = find_program(s->runs[0].files, opt->force);
	}
}

/* The models of all runs of both sides. */
static void
load_runs(struct diff *d, const struct options *opt, struct model **models[SIDES])
{
	for (int side = 0; side < SIDES; side++) {
		struct side *s = &d->sides[side];

		models[side] = runs_load(&(struct load){ .program = s->program,
		                                         .stacks = !opt->no_stacks,
		                                         .lines = true,
		                                         .inlines = !opt->no_inlines,
		                                         .force = opt->force,
		                                         .intervals = opt->intervals,
		                                         .all = true },
		                         s->runs, s->nruns);
		s->first = models[side][0];
		s->measured = true;
		for (size_t i = 0; i < s->nruns; i++)
			s->measured &= models[side][i]->stacks != NULL;
	}
}

static void
drop_stacks(const struct diff *d, struct model **models[SIDES])
{
	bool any = false;

	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < d->sides[side].nruns; i++) {
			any |= models[side][i]->stacks != NULL;
			load_drop_stacks(models[side][i]);
		}
	if (any)
		note("not all runs have stacks: the time of what was called goes by the shares of "
		     "calls");
}

static void
compare(struct diff *d, const struct options *opt)
{
	struct model **models[SIDES];

	parse_sides(d, opt, opt->words);
	load_runs(d, opt, models);
	d->measured = d->sides[BEFORE].measured && d->sides[AFTER].measured;
	if (!d->measured)
		drop_stacks(d, models);
	for (int side = 0; side < SIDES; side++) {
		if (!opt->no_inlines)
			load_inlines(models[side], d->sides[side].nruns);
		subjects_find(&d->sides[side], models[side]);
	}
	match(d);
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < d->sides[side].nruns; i++)
			gather_run(d, side, i, models[side][i]);
		free(models[side]);
	}
	gather_end(d);
	judge(d);
}

/* Whether even the least growth that the runs allow for, with 95 %, is too much.  Prints. */
static bool
has_grown(const struct diff *d, double limit)
{
	const double before = d->total.seconds[BEFORE], least = d->total.change - d->total.error;

	if (!(least > limit * before))
		return false;
	note("CPU time has grown by %.3f s +- %.3f s a run, more than %g %% of %.3f s",
	     d->total.change, d->total.error, 100 * limit, before);
	return true;
}

int
main(int argc, char **argv)
{
	static struct diff d; /* until the tool ends */
	struct options opt;
	FILE *out;

	options_parse(&opt, argc, argv);
	if (opt.gate != NULL)
		return gate_run(&opt);
	if (opt.growth)
		return growth_run(&opt);
	d.noise = opt.noise;
	d.all = opt.all;
	d.calls = opt.calls;
	compare(&d, &opt);
	/* All of it is in memory before the file is touched: bad input leaves an old file as it
	 * was. */
	out = memory_file();
	opt.format->write(&d, out);
	output_write(out, opt.output);
	return has_grown(&d, opt.fail_over) ? EXIT_GROWN : 0;
}
