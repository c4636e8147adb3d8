/*
 * profsup-diff: what has changed between two profiles, and what is chance.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_FORMAT = OPTION_LONG,
	OPT_FORCE,
	OPT_INTERVALS,
	OPT_NO_STACKS,
	OPT_ONE_RUN,
	OPT_CALLS,
	OPT_NOISE
};

static const char usage[] =
    "usage: profsup-diff [-aq] [-o file] [--format=text|json|html] [--calls] [--no-stacks]\n"
    "                    [--one-run] [--noise=percent] [--force] [--intervals]\n"
    "                    [program] run ... -- [program] run ...\n"
    "       profsup-diff -h | -V\n";

static const char help[] =
    "\n"
    "  --format=text|json|html\n"
    "           the format: text, if none is given\n"
    "  -a, --all\n"
    "           show what may be chance, too (text)\n"
    "  --calls  show each function and arc whose number of calls has changed (text)\n"
    "  --force  take a program and files whose build IDs differ\n"
    "  --intervals\n"
    "           add up the snapshots of profsup --intervals, too\n"
    "  --no-stacks\n"
    "           don't look for the files of stacks that profsup -g has written\n"
    "  --one-run\n"
    "           the files of each side are of the processes of one run\n"
    "  --noise=percent\n"
    "           how much a run's time varies, if there is one run on each side: 5\n"
    "  -o file, --output=file\n"
    "           write to file instead of standard output\n"
    "  -q, --quiet\n"
    "           print errors only\n"
    "  -V, --version\n"
    "           print the version\n"
    "  -h, --help\n"
    "           print this\n"
    "\n"
    "A run is a gmon file, or a directory of the gmon files of several processes.\n"
    "A program may be left out if it is here or beside the file.  See\n"
    "profsup-diff(1).\n";

static const struct format {
	const char *name;
	void (*write)(const struct diff *d, FILE *out);
} formats[] = { { "text", text_write }, { "json", json_write }, { "html", html_write } };

struct options {
	const struct format *format;
	const char *output; /* NULL: standard output */
	bool no_stacks, one_run, force, intervals;
};

static const struct format *
parse_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	command_refuse("--format=%s: no such format", name);
}

static double
parse_noise(const char *text)
{
	char *end;
	const double percent = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(percent) || percent < 0 || percent > 1000)
		command_refuse("--noise=%s: must be a number of percent", text);
	return percent / 100;
}

/* [program] run ... -- [program] run ... */
static void
parse_sides(struct diff *d, const struct options *opt, char **words)
{
	char **end = words;

	while (*end != NULL && strcmp(*end, "--") != 0)
		end++;
	if (*words == NULL || end == words)
		command_refuse("no gmon file");
	if (*end == NULL)
		command_refuse("no \"--\" and second side");
	*end = NULL;
	if (end[1] == NULL)
		command_refuse("no gmon file behind \"--\"");
	for (int side = 0; side < SIDES; side++, words = end + 1) {
		struct side *s = &d->sides[side];
		int n = 0;

		while (words[n] != NULL)
			n++;
		s->runs = runs_find(find_operands(n, words, &s->program), opt->one_run, &s->nruns);
		if (s->program == NULL)
			s->program = find_program(s->runs[0].files, opt->force);
	}
}

static void
parse(struct diff *d, struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "all", no_argument, NULL, 'a' },
		{ "calls", no_argument, NULL, OPT_CALLS },
		{ "no-stacks", no_argument, NULL, OPT_NO_STACKS },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "intervals", no_argument, NULL, OPT_INTERVALS },
		{ "one-run", no_argument, NULL, OPT_ONE_RUN },
		{ "noise", required_argument, NULL, OPT_NOISE },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:ao:qVh", longs, NULL)) != -1) {
		switch (c) {
		case OPT_FORMAT:
			opt->format = parse_format(optarg);
			break;
		case 'a':
			d->all = true;
			break;
		case OPT_CALLS:
			d->calls = true;
			break;
		case OPT_NO_STACKS:
			opt->no_stacks = true;
			break;
		case OPT_FORCE:
			opt->force = true;
			break;
		case OPT_INTERVALS:
			opt->intervals = true;
			break;
		case OPT_ONE_RUN:
			opt->one_run = true;
			break;
		case OPT_NOISE:
			d->noise = parse_noise(optarg);
			break;
		case 'o':
			opt->output = optarg;
			break;
		default:
			command_option(c, optopt, argv[optind - 1]);
		}
	}
	parse_sides(d, opt, argv + optind);
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

	load_runs(d, opt, models);
	d->measured = d->sides[BEFORE].measured && d->sides[AFTER].measured;
	if (!d->measured)
		drop_stacks(d, models);
	match(d);
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < d->sides[side].nruns; i++)
			gather_run(d, side, models[side][i]);
		free(models[side]);
	}
	gather_end(d);
	judge(d);
}

int
main(int argc, char **argv)
{
	struct options opt = { .format = &formats[0] };
	struct diff d = { .noise = 0.05 };
	FILE *out;

	command_is(&(struct command){ "profsup-diff", usage, help });
	parse(&d, &opt, argc, argv);
	compare(&d, &opt);
	/* All of it is in memory before the file is touched: bad input leaves an old file as it
	 * was. */
	out = memory_file();
	opt.format->write(&d, out);
	output_write(out, opt.output);
	return 0;
}
