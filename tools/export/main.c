/*
 * profsup-export: gmon files in the formats of other tools.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"
#include "labels.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_FORMAT = OPTION_LONG,
	OPT_FORCE,
	OPT_INTERVALS,
	OPT_LABEL,
	OPT_LAST,
	OPT_NO_STACKS,
	OPT_NO_INLINES,
	OPT_ONE_RUN,
	OPT_PARTS,
	OPT_TYPE
};

static const char examples[] =
    "Examples:\n"
    "  profsup-export --format=html -o prog.html gmon.prog.*.out\n"
    "           one page for a browser: flame graph, functions, source lines\n"
    "  profsup-export --format=callgrind -o callgrind.out.prog gmon.prog.*.out\n"
    "           for kcachegrind\n"
    "  profsup-export --format=json -o prog.json gmon.prog.*.out\n"
    "           all numbers, for scripts\n"
    "\n";

static const char usage[] =
    "usage: profsup-export [-q] [-o file] [--no-inlines] [--no-stacks] [--force]\n"
    "                      [--intervals] [--last] [--parts] [--type=type]\n"
    "                      --format=format [program] gmon-file ...\n"
    "       profsup-export --format=calls [-q] [-o file] [--one-run] [--force]\n"
    "                      [--intervals] [program] run ...\n"
    "       profsup-export --format=rows|csv [-q] [-o file] [--label=name=value]\n"
    "                      [--no-stacks] [--force] [--intervals] [program] gmon-file ...\n"
    "       profsup-export -h | -V\n";

static const char help[] =
    "\n"
    "  "
    "--format=callgrind|pprof|folded|json|perf|gprof-inclusive|bsd-gmon|call-graph-order|svg|"
    "html|firefox|calls|rows|csv\n"
    "           the format, one of those below\n"
    "  --force\n"
    "           take a program and files whose build IDs differ\n"
    "  --intervals\n"
    "           add up the snapshots of profsup --intervals, too\n"
    "  --label=name=value\n"
    "           a field of each row, such as service=hello; host=web1 replaces this one (rows, "
    "csv)\n"
    "  --last   only the files of the newest run\n"
    "  --no-inlines\n"
    "           count the time of inlined functions as that of the functions they are in\n"
    "  --no-stacks\n"
    "           don't look for the files of stacks that profsup -g has written\n"
    "  --one-run\n"
    "           all files are of the processes of one run (calls)\n"
    "  --parts  parts of functions, such as foo.cold, by themselves\n"
    "  -o file, --output=file\n"
    "           write to file instead of standard output\n"
    "  -q, --quiet\n"
    "           print errors only, not what the format has no room for\n"
    "  --type=cpu|blocked|runnable|wall\n"
    "           which time: CPU time (the default), blocked, waiting for a CPU, or all three\n"
    "  -V, --version\n"
    "           print the version\n"
    "  -h, --help\n"
    "           print this\n"
    "\n"
    "  callgrind  KCachegrind, callgrind_annotate\n"
    "  pprof      pprof, Pyroscope, Parca\n"
    "  folded     flamegraph.pl, speedscope\n"
    "  json       all data, for programs\n"
    "  perf       perf report, annotate and diff; hotspot\n"
    "  gprof-inclusive\n"
    "             gprof, with the time of calls as stacks have measured it\n"
    "  bsd-gmon   gprof of the BSDs\n"
    "  call-graph-order\n"
    "             ld.lld --call-graph-ordering-file\n"
    "  svg        a call graph, drawn by Graphviz\n"
    "  html       a page for browsers: flame graph, functions, source lines\n"
    "  firefox    profiler.firefox.com, ui.perfetto.dev: threads over time\n"
    "  calls      exact calls, to be committed, for profsup-diff --gate\n"
    "  rows       a JSON object a line, for databases: each function and arc of each file\n"
    "  csv        the same as comma-separated values\n"
    "\n"
    "Several gmon files are added up, but for calls, rows and csv.  The program may be left out if "
    "it\n"
    "is here or beside the file.  See profsup-export(1).\n";

struct format {
	const char *name;
	void (*write)(const struct model *m, FILE *out);
	bool binary;
	bool lines;     /* the format has a place for source lines */
	bool all;       /* the format has functions that did not run */
	bool flat;      /* the format has no place for stacks, nor for what is made of them */
	bool only;      /* the format is made of stacks only */
	bool any;       /* the format may have any kind of time */
	bool times;     /* the format has a place for the time of a sample */
	bool all_times; /* the format is of all kinds of time, and when each was */
	bool addresses; /* the format has functions of libraries by their addresses */
	bool symbols;   /* the format has only functions of symbols, no inlined ones */
	/* In place of `write`: each file or directory is a run, and they are not added up. */
	void (*write_runs)(struct model *const *models, size_t n, FILE *out);
	/* The same of each file, and each may be of another program. */
	void (*write_files)(const struct load *load, const struct labels *labels, FILE *out);
};

static const struct format formats[] = {
	{ .name = "callgrind", .write = callgrind_write, .lines = true },
	{ .name = "pprof", .write = pprof_write, .lines = true, .binary = true, .any = true },
	{ .name = "folded", .write = folded_write, .any = true },
	{ .name = "json", .write = json_write, .lines = true, .all = true, .any = true },
	{ .name = "bsd-gmon",
	  .write = bsd_gmon_write,
	  .binary = true,
	  .flat = true,
	  .symbols = true },
	{ .name = "gprof-inclusive",
	  .write = gprof_inclusive_write,
	  .binary = true,
	  .only = true,
	  .symbols = true },
	{ .name = "perf",
	  .write = perf_write,
	  .binary = true,
	  .times = true,
	  .addresses = true,
	  .symbols = true },
	{ .name = "call-graph-order",
	  .write = call_graph_order_write,
	  .flat = true,
	  .symbols = true },
	{ .name = "svg", .write = svg_write, .any = true },
	{ .name = "html", .write = html_write, .lines = true, .any = true },
	{ .name = "firefox",
	  .write = firefox_write,
	  .lines = true,
	  .only = true,
	  .times = true,
	  .all_times = true },
	{ .name = "calls",
	  .write_runs = calls_write,
	  .lines = true,
	  .flat = true,
	  .all = true,
	  .symbols = true },
	{ .name = "rows",
	  .write_files = rows_write_json,
	  .lines = true,
	  .all = true,
	  .symbols = true },
	{ .name = "csv",
	  .write_files = rows_write_csv,
	  .lines = true,
	  .all = true,
	  .symbols = true },
};

struct options {
	const struct format *format;
	const char *output; /* NULL: standard output */
	const char *program;
	char *const *files;
	bool no_stacks, no_inlines, one_run, force, intervals, last, parts, labels_given;
	enum stacks_what type;
	struct labels labels;
};

static const struct format *
parse_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	command_refuse_value("--format", name, "no such format");
}

/* What goes by addresses or by the linker's names has the linker's functions. */
static bool
has_parts(const struct format *f)
{
	return f->all || f->flat || f->addresses || (f->only && f->symbols);
}

static void
check(const struct options *opt)
{
	if (opt->format == NULL)
		command_refuse("no --format");
	if (opt->one_run && opt->format->write_files != NULL)
		command_refuse("--one-run: %s has each file by itself", opt->format->name);
	if (opt->one_run && opt->format->write_runs == NULL)
		command_refuse("--one-run: all files of %s are added up", opt->format->name);
	if ((opt->format->write_runs != NULL || opt->format->write_files != NULL) && opt->last)
		command_refuse("--last: %s has each run by itself", opt->format->name);
	if (opt->labels_given && opt->format->write_files == NULL)
		command_refuse("--label: %s has no rows", opt->format->name);
	if (opt->format->only && opt->no_stacks)
		command_refuse("--no-stacks: %s is made of stacks", opt->format->name);
	if (opt->type != STACKS_CPU && opt->format->all_times)
		command_refuse("--type=%s: %s has all kinds of time", stacks_type(opt->type),
		               opt->format->name);
	if (opt->type != STACKS_CPU && (opt->no_stacks || !opt->format->any))
		command_refuse("--type=%s: %s has CPU time only", stacks_type(opt->type),
		               opt->no_stacks ? "what is not made of stacks" : opt->format->name);
	if (opt->format->binary && opt->output == NULL && isatty(STDOUT_FILENO))
		command_refuse("%s is not for terminals: -o names a file", opt->format->name);
}

static void
parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "intervals", no_argument, NULL, OPT_INTERVALS },
		{ "label", required_argument, NULL, OPT_LABEL },
		{ "last", no_argument, NULL, OPT_LAST },
		{ "no-inlines", no_argument, NULL, OPT_NO_INLINES },
		{ "no-stacks", no_argument, NULL, OPT_NO_STACKS },
		{ "one-run", no_argument, NULL, OPT_ONE_RUN },
		{ "parts", no_argument, NULL, OPT_PARTS },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	labels_begin(&opt->labels);
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:o:qVh", longs, NULL)) != -1) {
		switch (c) {
		case OPT_FORMAT:
			opt->format = parse_format(optarg);
			break;
		case OPT_FORCE:
			opt->force = true;
			break;
		case OPT_INTERVALS:
			opt->intervals = true;
			break;
		case OPT_LABEL:
			labels_add(&opt->labels, optarg);
			opt->labels_given = true;
			break;
		case OPT_LAST:
			opt->last = true;
			break;
		case OPT_PARTS:
			opt->parts = true;
			break;
		case OPT_NO_STACKS:
			opt->no_stacks = true;
			break;
		case OPT_NO_INLINES:
			opt->no_inlines = true;
			break;
		case OPT_ONE_RUN:
			opt->one_run = true;
			break;
		case OPT_TYPE:
			opt->type = command_type(optarg);
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
	opt->files = find_operands(argc - optind, argv + optind, &opt->program);
}

static void
write_runs(const struct options *opt, struct load load, FILE *out)
{
	size_t n;
	const struct run *runs = runs_find(opt->files, opt->one_run, opt->intervals, &n);

	if (load.program == NULL)
		load.program = find_program(runs[0].files, opt->force);
	opt->format->write_runs(runs_load(&load, runs, n), n, out);
}

static void
write_one(const struct options *opt, struct load load, FILE *out)
{
	struct model *m;

	load.files = builds_choose(opt->files, &load.program, opt->force, opt->last);
	m = load_model(&load);
	if (load.inlines)
		load_inlines(&m, 1);
	if (opt->format->lines)
		load_lines(m);
	opt->format->write(m, out);
}

int
main(int argc, char **argv)
{
	static struct options opt; /* until the tool ends */
	struct load load;
	FILE *out;

	command_is(&(struct command){ "profsup-export", examples, usage, help });
	parse(&opt, argc, argv);
	load = (struct load){ .program = opt.program,
		              .files = opt.files,
		              .stacks = !opt.no_stacks && !opt.format->flat,
		              .what = opt.format->all_times ? STACKS_ALL : opt.type,
		              .times = opt.format->times,
		              .addresses = opt.format->addresses,
		              .only = opt.format->only ? opt.format->name : NULL,
		              .by = opt.format->all_times ? "--timeline" : "-g",
		              .lines = opt.format->lines,
		              .inlines = !opt.no_inlines && !opt.format->symbols,
		              .all = opt.format->all,
		              .parts = opt.parts || has_parts(opt.format),
		              .force = opt.force,
		              .intervals = opt.intervals };
	/* All of it is in memory before the file is touched: bad input leaves an old file as it
	 * was. */
	out = memory_file();
	if (opt.format->write_files != NULL)
		opt.format->write_files(&load, &opt.labels, out);
	else if (opt.format->write_runs != NULL)
		write_runs(&opt, load, out);
	else
		write_one(&opt, load, out);
	output_write(out, opt.output);
	return 0;
}
