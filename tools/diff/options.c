/*
 * profsup-diff's options.
 *
 * SPDX-License-Identifier: ISC
 */
#include "options.h"

#include "gate.h"
#include "growth.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_FORMAT = OPTION_LONG,
	OPT_FORCE,
	OPT_INTERVALS,
	OPT_NO_STACKS,
	OPT_NO_INLINES,
	OPT_ONE_RUN,
	OPT_CALLS,
	OPT_NOISE,
	OPT_GATE,
	OPT_UPDATE,
	OPT_ALLOW,
	OPT_COST,
	OPT_GROWTH,
	OPT_FAIL_OVER
};

static const char examples[] =
    "Examples:\n"
    "  profsup-diff gmon.old.*.out -- gmon.new.*.out\n"
    "           which functions have changed between two builds\n"
    "  profsup-diff --fail-over=5 gmon.old.*.out -- gmon.new.*.out\n"
    "           fail if the CPU time has surely grown by more than 5 percent\n"
    "  profsup-diff --gate=calls.txt --update gmon.prog.*.out\n"
    "           note the calls of a run; without --update, fail if they differ\n"
    "\n";

static const char usage[] =
    "usage: profsup-diff [-aq] [-o file] [--format=text|json|html] [--calls]\n"
    "                    [--no-inlines] [--no-stacks] [--one-run] [--noise=percent]\n"
    "                    [--fail-over=percent] [--force] [--intervals]\n"
    "                    [program] run ... -- [program] run ...\n"
    "       profsup-diff --gate=file [-aq] [-o file] [--update] [--allow=pattern=tolerance]\n"
    "                    [--cost] [--format=text|markdown|json|bmf] [--one-run]\n"
    "                    [--noise=percent] [--force] [--intervals] [program] run ...\n"
    "       profsup-diff --growth [-aq] [-o file] [--format=text|json|html] [--no-stacks]\n"
    "                    [--one-run] [--noise=percent] [--force] [--intervals]\n"
    "                    [program] n=number run ... n=number run ...\n"
    "       profsup-diff -h | -V\n";

static const char help[] =
    "\n"
    "  --format=text|json|html|markdown|bmf\n"
    "           the format: text, if none is given; markdown and bmf for --gate\n"
    "  -a, --all\n"
    "           show what may be chance, too (text)\n"
    "  --calls  show each function and arc whose number of calls has changed (text)\n"
    "  --fail-over=percent\n"
    "           exit with 3 if the CPU time has surely grown by more than that\n"
    "  --force  take a program and files whose build IDs differ\n"
    "  --intervals\n"
    "           add up the snapshots of profsup --intervals, too\n"
    "  --no-inlines\n"
    "           count the time of inlined functions as that of the functions they are in\n"
    "  --no-stacks\n"
    "           don't look for the files of stacks that profsup -g has written\n"
    "  --one-run\n"
    "           the files of each side are of the processes of one run\n"
    "  --noise=percent\n"
    "           how much a run's time varies, if there is one run on each side: 5\n"
    "  --gate=file\n"
    "           compare calls with those in file, which profsup-export --format=calls\n"
    "           writes: the status is 0 if they are the same, 1 if not, 2 if unknown\n"
    "  --update\n"
    "           write the calls to the file of --gate, if they are not the same\n"
    "  --allow=pattern=tolerance\n"
    "           let calls of such functions differ: 'f=10', 'parse_*=+2%', 'g=any'\n"
    "  --growth\n"
    "           show what grows faster than the input, by runs with several sizes of it\n"
    "  --cost   show the self time of a call, too (--gate)\n"
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

static const struct format formats[] = {
	{ "text", text_write, gate_text, growth_text },
	{ "json", json_write, gate_json, growth_json },
	{ "html", html_write, NULL, growth_html },
	{ "markdown", NULL, gate_markdown, NULL },
	{ "bmf", NULL, bmf_write, NULL },
};

static const struct format *
parse_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	command_refuse_value("--format", name, "no such format");
}

static double
parse_percent(const char *option, const char *text)
{
	char *end;
	const double percent = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(percent) || percent < 0 || percent > 1000)
		command_refuse("%s=%s: must be a number of percent", option, text);
	return percent / 100;
}

static void
check(const struct options *opt)
{
	if (opt->gate == NULL && (opt->update || opt->cost || opt->allow.n > 0))
		command_refuse("%s: there is no --gate", opt->update ? "--update"
		                                         : opt->cost ? "--cost"
		                                                     : "--allow");
	if (isfinite(opt->fail_over) && (opt->gate != NULL || opt->growth))
		command_refuse("--fail-over: it is for two sides");
	if (opt->gate != NULL && opt->growth)
		command_refuse("--gate and --growth: one of them");
	if (opt->gate != NULL ? opt->format->gate == NULL : opt->format->write == NULL)
		command_refuse("--format=%s: it is %s --gate", opt->format->name,
		               opt->gate != NULL ? "not for" : "for");
}

void
options_parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "all", no_argument, NULL, 'a' },
		{ "calls", no_argument, NULL, OPT_CALLS },
		{ "no-inlines", no_argument, NULL, OPT_NO_INLINES },
		{ "no-stacks", no_argument, NULL, OPT_NO_STACKS },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "intervals", no_argument, NULL, OPT_INTERVALS },
		{ "one-run", no_argument, NULL, OPT_ONE_RUN },
		{ "noise", required_argument, NULL, OPT_NOISE },
		{ "fail-over", required_argument, NULL, OPT_FAIL_OVER },
		{ "gate", required_argument, NULL, OPT_GATE },
		{ "update", no_argument, NULL, OPT_UPDATE },
		{ "allow", required_argument, NULL, OPT_ALLOW },
		{ "cost", no_argument, NULL, OPT_COST },
		{ "growth", no_argument, NULL, OPT_GROWTH },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	command_is(&(struct command){ "profsup-diff", examples, usage, help });
	*opt = (struct options){ .format = &formats[0], .noise = 0.05, .fail_over = INFINITY };
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:ao:qVh", longs, NULL)) != -1) {
		switch (c) {
		case OPT_FORMAT:
			opt->format = parse_format(optarg);
			break;
		case 'a':
			opt->all = true;
			break;
		case OPT_CALLS:
			opt->calls = true;
			break;
		case OPT_NO_STACKS:
			opt->no_stacks = true;
			break;
		case OPT_NO_INLINES:
			opt->no_inlines = true;
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
			opt->noise = parse_percent("--noise", optarg);
			break;
		case OPT_FAIL_OVER:
			opt->fail_over = parse_percent("--fail-over", optarg);
			break;
		case OPT_GATE:
			opt->gate = optarg;
			break;
		case OPT_UPDATE:
			opt->update = true;
			break;
		case OPT_ALLOW:
			allow_add(&opt->allow, optarg);
			break;
		case OPT_GROWTH:
			opt->growth = true;
			break;
		case OPT_COST:
			opt->cost = true;
			break;
		case 'o':
			opt->output = optarg;
			break;
		default:
			command_option(c, optopt, argv[optind - 1]);
		}
	}
	command_operands(argv + optind);
	check(opt);
	opt->nwords = argc - optind;
	opt->words = argv + optind;
}
