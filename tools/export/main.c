/*
 * profsup-export: gmon files in the formats of other tools.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_FORMAT = 256, OPT_NO_STACKS };

static const char usage[] =
    "usage: profsup-export [-q] [-o file] [--no-stacks] --format=callgrind|pprof|folded|json|\n"
    "                      bsd-gmon|svg program gmon-file ...\n"
    "       profsup-export -h | -V\n";

static const char help[] =
    "\n"
    "  --format=callgrind|pprof|folded|json|bsd-gmon|svg\n"
    "           the format, one of those below\n"
    "  --no-stacks\n"
    "           don't look for the files of stacks that profsup -g has written\n"
    "  -o file  write to file instead of standard output\n"
    "  -q       print errors only, not what the format has no room for\n"
    "  -V       print the version\n"
    "  -h       print this\n"
    "\n"
    "  callgrind  KCachegrind, callgrind_annotate\n"
    "  pprof      pprof, Pyroscope, Parca\n"
    "  folded     flamegraph.pl, speedscope\n"
    "  json       all data, for programs\n"
    "  bsd-gmon   gprof of the BSDs\n"
    "  svg        a call graph, drawn by Graphviz\n"
    "\n"
    "Several gmon files are added up.  See profsup-export(1).\n";

struct format {
	const char *name;
	void (*write)(const struct model *m, FILE *out);
	bool binary;
	bool lines; /* the format has a place for source lines */
	bool all;   /* the format has functions that did not run */
	bool flat;  /* the format has no place for stacks, nor for what is made of them */
};

static const struct format formats[] = {
	{ .name = "callgrind", .write = callgrind_write, .lines = true },
	{ .name = "pprof", .write = pprof_write, .lines = true, .binary = true },
	{ .name = "folded", .write = folded_write },
	{ .name = "json", .write = json_write, .lines = true, .all = true },
	{ .name = "bsd-gmon", .write = bsd_gmon_write, .binary = true, .flat = true },
	{ .name = "svg", .write = svg_write },
};

struct options {
	const struct format *format;
	const char *output; /* NULL: standard output */
	const char *program;
	char *const *files;
	bool no_stacks;
};

static void __attribute__((noreturn)) refuse(const char *before, const char *arg, const char *after)
{
	fprintf(stderr, "profsup-export: %s%s%s\n%s", before, arg, after, usage);
	exit(EXIT_USAGE);
}

static void __attribute__((noreturn)) print_and_exit(const char *a, const char *b)
{
	printf("%s%s", a, b);
	exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_BAD);
}

static const struct format *
parse_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	refuse("--format=", name, ": no such format");
}

static void
parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "no-stacks", no_argument, NULL, OPT_NO_STACKS },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:o:qVh", longs, NULL)) != -1) {
		char flag[2] = { (char)optopt, '\0' };

		switch (c) {
		case OPT_FORMAT:
			opt->format = parse_format(optarg);
			break;
		case OPT_NO_STACKS:
			opt->no_stacks = true;
			break;
		case 'o':
			opt->output = optarg;
			break;
		case 'q':
			note_quiet();
			break;
		case 'V':
			print_and_exit("profsup-export " PROFSUP_VERSION "\n", "");
		case 'h':
			print_and_exit(usage, help);
		case ':':
			refuse(argv[optind - 1], "", " needs an argument");
		default:
			refuse("unknown option -",
			       optopt > 0 && optopt < OPT_FORMAT ? flag : argv[optind - 1] + 1, "");
		}
	}
	if (opt->format == NULL)
		refuse("no --format", "", "");
	if (argc - optind < 2)
		refuse(argc - optind == 0 ? "no program" : "no gmon file", "", "");
	opt->program = argv[optind];
	opt->files = argv + optind + 1;
	if (opt->format->binary && opt->output == NULL && isatty(STDOUT_FILENO))
		refuse(opt->format->name, "", " is not for terminals: -o names a file");
}

int
main(int argc, char **argv)
{
	/* Static: what they hold is there until the end. */
	static struct symbols symbols;
	static struct gmon gmon;
	static struct stacks stacks;
	static struct model model;
	struct options opt = { 0 };
	bool measured;
	FILE *out;

	parse(&opt, argc, argv);
	gmon_read(&gmon, opt.files);
	symbols_read(&symbols, opt.program, opt.format->lines);
	measured =
	    !opt.no_stacks && !opt.format->flat && stacks_read(&stacks, &gmon, &symbols, opt.files);
	model_make(&model, &gmon, &symbols, measured ? &stacks : NULL, opt.files);
	naming_all(&symbols, &model, opt.format->all);
	/* All of it is in memory before the file is touched: bad input leaves an old file as it
	 * was. */
	out = memory_file();
	if (opt.format->lines)
		lines_finish(&symbols.lines, symbols.program);
	opt.format->write(&model, out);
	output_write(out, opt.output);
	return 0;
}
