/*
 * profsup-report: what gmon files say, as text.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_FLAT = OPTION_LONG,
	OPT_GRAPH,
	OPT_LINES,
	OPT_ANNOTATE,
	OPT_PERCENT,
	OPT_SOURCE,
	OPT_FORCE,
	OPT_INTERVALS,
	OPT_LAST,
	OPT_LIST,
	OPT_TOP,
	OPT_NO_STACKS,
	OPT_NO_INLINES,
	OPT_PARTS,
	OPT_TYPE
};

static const char examples[] =
    "Examples:\n"
    "  profsup-report gmon.prog.*.out\n"
    "           the functions that used most time, of all processes together\n"
    "  profsup-report --graph=parse gmon.prog.*.out\n"
    "           who calls parse(), what it calls, and what that costs\n"
    "  profsup-report --annotate=parse gmon.prog.*.out\n"
    "           its source, with the cost of each line\n"
    "\n";

static const char usage[] =
    "usage: profsup-report [-a] [-q] [-w] [-n rows] [--percent=number]\n"
    "                      [--source=dir] [--no-inlines] [--no-stacks] [--force]\n"
    "                      [--intervals] [--last] [--parts] [--type=type]\n"
    "                      [--flat[=function]] [--graph[=function]]\n"
    "                      [--lines[=function]] [--annotate[=function]]\n"
    "                      [program] gmon-file ...\n"
    "       profsup-report --list [option ...]\n"
    "       profsup-report --top\n"
    "       profsup-report -h | -V\n";

static const char help[] =
    "\n"
    "  --flat[=function]\n"
    "           a row for each function; the default\n"
    "  --graph[=function]\n"
    "           each function between its callers and those that it calls\n"
    "  --lines[=function]\n"
    "           a row for each source line\n"
    "  --annotate[=function]\n"
    "           the source of the functions, with the cost of each line\n"
    "  -n rows, --rows=rows\n"
    "           at most so many rows, or functions\n"
    "  -a, --all\n"
    "           all of them\n"
    "  --percent=number\n"
    "           only those with so many percent of the time or more\n"
    "  -w, --wide\n"
    "           don't cut names\n"
    "  --source=dir\n"
    "           where the sources are now\n"
    "  --type=cpu|blocked|runnable|wall\n"
    "           which time: CPU time (the default), blocked, waiting for a CPU, or all three\n"
    "  --no-inlines\n"
    "           count the time of inlined functions as that of the functions they are in\n"
    "  --no-stacks\n"
    "           don't look for the files of stacks that profsup -g has written\n"
    "  --top    show what profsup --top tells; profsup starts this\n"
    "  --parts  parts of functions, such as foo.cold, by themselves\n"
    "  --force\n"
    "           take a program and files whose build IDs differ\n"
    "  --intervals\n"
    "           add up the snapshots of profsup --intervals, too\n"
    "  --last   only the files of the newest run\n"
    "  --list   read program\\0gmon-file\\0 ... from standard input; a report for each program\n"
    "  -q, --quiet\n"
    "           print errors only\n"
    "  -V, --version\n"
    "           print the version\n"
    "  -h, --help\n"
    "           print this\n"
    "\n"
    "A function is a name or a pattern such as '*sort*'.  Several files are added up.\n"
    "The program may be left out if it is here or beside the file.  See\n"
    "profsup-report(1).\n";

enum { FLAT, GRAPH, LINES, ANNOTATE, VIEWS };

static const struct {
	void (*write)(const struct report *r, const char *pattern);
	bool lines; /* it shows source lines */
} views[VIEWS] = {
	{ flat_write, false },
	{ graph_write, false },
	{ lines_write, true },
	{ annotate_write, true },
};

struct options {
	struct view view[VIEWS];
	struct report report;
	const char *program; /* NULL: it is to be found */
	char *const *files;
	bool no_stacks, no_inlines, force, intervals, last, list, parts;
	enum stacks_what type;
};

static size_t
parse_rows(const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || n == 0)
		command_refuse("%s: not a number of rows", text);
	return n;
}

static double
parse_percent(const char *text)
{
	char *end;
	const double n = strtod(text, &end);

	if (*text == '\0' || *end != '\0' || !isfinite(n) || n < 0 || n > 100)
		command_refuse("--percent=%s: not a number from 0 to 100", text);
	return n;
}

static bool
take_view(struct options *opt, int c)
{
	const int which = c - OPT_FLAT;

	if (c < OPT_FLAT || which >= VIEWS)
		return false;
	opt->view[which] = (struct view){ true, optarg };
	return true;
}

static void
take_option(struct options *opt, int c, const char *word)
{
	if (take_view(opt, c))
		return;
	switch (c) {
	case 'n':
		opt->report.most = parse_rows(optarg);
		break;
	case 'a':
		opt->report.all = true;
		break;
	case OPT_PERCENT:
		opt->report.percent = parse_percent(optarg);
		break;
	case 'w':
		opt->report.wide = true;
		break;
	case OPT_SOURCE:
		opt->report.source = optarg;
		break;
	case OPT_NO_STACKS:
		opt->no_stacks = true;
		break;
	case OPT_NO_INLINES:
		opt->no_inlines = true;
		break;
	case OPT_TYPE:
		opt->type = command_type(optarg);
		break;
	case OPT_FORCE:
		opt->force = true;
		break;
	case OPT_INTERVALS:
		opt->intervals = true;
		break;
	case OPT_LAST:
		opt->last = true;
		break;
	case OPT_LIST:
		opt->list = true;
		break;
	case OPT_TOP:
		top_run();
	case OPT_PARTS:
		opt->parts = true;
		break;
	default:
		command_option(c, optopt, word);
	}
}

static void
parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "flat", optional_argument, NULL, OPT_FLAT },
		{ "graph", optional_argument, NULL, OPT_GRAPH },
		{ "lines", optional_argument, NULL, OPT_LINES },
		{ "annotate", optional_argument, NULL, OPT_ANNOTATE },
		{ "rows", required_argument, NULL, 'n' },
		{ "all", no_argument, NULL, 'a' },
		{ "percent", required_argument, NULL, OPT_PERCENT },
		{ "wide", no_argument, NULL, 'w' },
		{ "source", required_argument, NULL, OPT_SOURCE },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "no-inlines", no_argument, NULL, OPT_NO_INLINES },
		{ "no-stacks", no_argument, NULL, OPT_NO_STACKS },
		{ "parts", no_argument, NULL, OPT_PARTS },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "intervals", no_argument, NULL, OPT_INTERVALS },
		{ "last", no_argument, NULL, OPT_LAST },
		{ "list", no_argument, NULL, OPT_LIST },
		{ "top", no_argument, NULL, OPT_TOP },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool any = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:n:awqVh", longs, NULL)) != -1)
		take_option(opt, c, argv[optind - 1]);
	command_operands(argv + optind);
	if (opt->type != STACKS_CPU && opt->no_stacks)
		command_refuse("--type=%s: what is not made of stacks has CPU time only",
		               stacks_type(opt->type));
	if (opt->list && optind < argc)
		command_refuse("--list: the files are read from standard input");
	if (!opt->list)
		opt->files = find_operands(argc - optind, argv + optind, &opt->program);
	for (int i = 0; i < VIEWS; i++)
		any |= opt->view[i].wanted;
	if (!any)
		opt->view[FLAT].wanted = true;
	opt->report.hints = !any && !opt->list;
}

static void
write_views(const struct options *opt, const struct report *r)
{
	head_write(r);
	for (int i = 0; i < VIEWS; i++)
		if (opt->view[i].wanted) {
			fputc('\n', r->out);
			views[i].write(r, opt->view[i].pattern);
		}
	if (r->hints)
		hints_write(r);
}

int
main(int argc, char **argv)
{
	static struct options opt; /* until the tool ends */
	bool lines = false;
	static struct model *m;

	command_is(&(struct command){ "profsup-report", examples, usage, help });
	parse(&opt, argc, argv);
	if (opt.list)
		list_each(&opt.program, &opt.files);
	for (int i = 0; i < VIEWS; i++)
		lines |= opt.view[i].wanted && views[i].lines;
	opt.files = builds_choose(opt.files, &opt.program, opt.force, opt.last);
	m = load_model(&(struct load){ .program = opt.program,
	                               .files = opt.files,
	                               .stacks = !opt.no_stacks,
	                               .what = opt.type,
	                               .lines = lines,
	                               .inlines = !opt.no_inlines,
	                               .parts = opt.parts,
	                               .force = opt.force,
	                               .intervals = opt.intervals });
	if (!opt.no_inlines)
		load_inlines(&m, 1);
	if (lines)
		load_lines(m);
	if (!opt.list)
		head_note_runs(m);
	head_note_names(m);
	opt.report.m = m;
	opt.report.out = memory_file();
	write_views(&opt, &opt.report);
	output_write(opt.report.out, NULL);
	return 0;
}
