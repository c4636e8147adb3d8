/*
 * The command line.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include "os/arch.h"
#include "suggest.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROFSUP_VERSION
#define PROFSUP_VERSION "0.1"
#endif

enum {
	OPT_SAMPLER = 256,
	OPT_STATS,
	OPT_NO_FOLLOW,
	OPT_ONLY,
	OPT_DURATION,
	OPT_SUM,
	OPT_SINCE_START,
	OPT_KILL_ON_EXIT,
	OPT_EVERY,
	OPT_CONTROL,
	OPT_INTERVALS,
	OPT_REPORT,
	OPT_TIMELINE,
	OPT_WALL
};
enum {
	HZ_DEFAULT = 100,
	HZ_MAX = 10000,
	PID_MOST = 1 << 22,
	DELAY_MAX = 1000000000,
	DURATION_MAX = 1000000000
};

/* Prints and exits.  The whole usage would push the message out of sight. */
static void __attribute__((noreturn, format(printf, 1, 2))) refuse(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_fatal("%s (--help shows the options)", text);
}

static unsigned
parse_hz(const char *arg)
{
	char *end;
	const unsigned long hz = strtoul(arg, &end, 10);

	if (end == arg || *end != '\0' || *arg == '-' || hz < 1 || hz > HZ_MAX)
		refuse("-F %s: must be 1 to 10000 samples per second", arg);
	return (unsigned)hz;
}

/* A number with a unit, or one that `plain` is the unit of.  Returns ns, or NAN. */
static double
parse_time(const char *arg, const char *plain)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	char *end;
	double number = strtod(arg, &end);
	const char *unit = *end != '\0' ? end : plain;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && end != arg; i++)
		if (strcmp(unit, units[i].name) == 0)
			return number * units[i].ns;
	return NAN;
}

static long
parse_delay(const char *arg)
{
	double ms = parse_time(arg, "ms") / 1e6;

	if (strcmp(arg, "-1") == 0)
		return -1;
	if (!(ms >= 0 && ms <= DELAY_MAX))
		refuse("-D %s: must be a time such as 500ms, 10s or 2m, or -1", arg);
	return (long)ms;
}

/* Returns ns. */
static uint64_t
parse_span(const char *option, const char *arg)
{
	double ns = parse_time(arg, "s");

	if (!(ns >= 1e6 && ns <= DURATION_MAX * 1e9))
		refuse("%s%s: must be a time such as 500ms, 10s or 2m, at least 1ms", option, arg);
	return (uint64_t)ns;
}

/* Takes the numbers of a list with commas or blanks, as pidof(1) and pgrep -d, print it. */
static void
parse_pids(struct options *opt, const char *arg)
{
	static const char between[] = ", \t\n";
	const char *at = arg + strspn(arg, between);

	if (*at == '\0')
		refuse("-p: no process is named");
	while (*at != '\0') {
		char *end;
		unsigned long pid;

		errno = 0;
		pid = strtoul(at, &end, 10);
		if (errno != 0 || end == at || *at == '-' || pid < 1 || pid > PID_MOST ||
		    (*end != '\0' && strchr(between, *end) == NULL))
			refuse("-p %s: must be a process ID, or several with commas", arg);
		opt->pids = realloc(opt->pids, (opt->npids + 1) * sizeof(*opt->pids));
		if (opt->pids == NULL)
			refuse("no memory");
		opt->pids[opt->npids++] = (pid_t)pid;
		at = end + strspn(end, between);
	}
}

static enum sampler_choice
parse_sampler(const char *arg)
{
	static const char *const names[] = { "ptrace", "perf", "auto" };

	for (int i = 0; i < 3; i++)
		if (strcmp(arg, names[i]) == 0)
			return (enum sampler_choice)i;
	refuse("--sampler=%s: must be ptrace, perf or auto", arg);
}

/* Parses the same syntax as perf's --control. */
static void
parse_control(struct options *opt, char *arg)
{
	static const char fifo[] = "fifo:";
	char *comma;

	if (strncmp(arg, fifo, strlen(fifo)) != 0)
		refuse("--control=%s: must be fifo:CTL or fifo:CTL,ACK", arg);
	opt->control = arg + strlen(fifo);
	comma = strchr(opt->control, ',');
	opt->ack = comma == NULL ? NULL : comma + 1;
	if (*opt->control == '\0' || comma == opt->control || (comma != NULL && comma[1] == '\0'))
		refuse("--control=%s: a fifo's name is missing", arg);
	if (comma != NULL)
		*comma = '\0';
}

/* The list has room for all words on the line. */
static void
add_word(char ***list, size_t *n, int argc, char *word)
{
	if (*list == NULL)
		*list = calloc((size_t)argc, sizeof(**list));
	if (*list == NULL)
		refuse("no memory");
	(*list)[(*n)++] = word;
}

static void
add_env(struct options *opt, int argc, char *word)
{
	if (*word == '=' || *word == '\0')
		refuse("-E %s: must be a variable's name, or name=value", word);
	add_word(&opt->env, &opt->nenv, argc, word);
}

/* Whether a word is an assignment, as in a shell before a command: a path with a = in it is
 * none. */
static bool
is_assignment(const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const char *c = word;

	if (strchr(letters, *c) == NULL || *c == '\0')
		return false;
	while (*c != '\0' && (strchr(letters, *c) != NULL || (*c >= '0' && *c <= '9')))
		c++;
	return *c == '=';
}

/* Refuses options for a program that is to be started if it runs already, and the other way
 * round. */
static void
check_attach(const struct options *opt, bool words)
{
	if (opt->npids == 0) {
		if (opt->since_start)
			refuse("--since-start is for -p");
		return;
	}
	if (words)
		refuse("-p takes no program");
	if (opt->user != NULL || opt->nenv != 0)
		refuse("-u and -E can't change a process that runs already (-p)");
	if (opt->kill_on_exit)
		refuse("--kill-on-exit is not for -p");
}

static void __attribute__((noreturn)) print_and_exit(const char *text)
{
	/* It is asked for, so it goes to stdout, where pipes can have it. */
	printf("%s", text);
	exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : EXIT_OURS);
}

static const struct option longs[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "directory", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "user", required_argument, NULL, 'u' },
	{ "env", required_argument, NULL, 'E' },
	{ "sampler", required_argument, NULL, OPT_SAMPLER },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "sum", no_argument, NULL, OPT_SUM },
	{ "pid", required_argument, NULL, 'p' },
	{ "since-start", no_argument, NULL, OPT_SINCE_START },
	{ "report", no_argument, NULL, OPT_REPORT },
	{ "timeline", no_argument, NULL, OPT_TIMELINE },
	{ "wall", no_argument, NULL, OPT_WALL },
	{ "top", no_argument, NULL, 'T' },
	{ "any", no_argument, NULL, 'a' },
	{ "call-graph", no_argument, NULL, 'g' },
	{ "kill-on-exit", no_argument, NULL, OPT_KILL_ON_EXIT },
	{ "follow-forks", no_argument, NULL, 'f' },
	{ "no-follow", no_argument, NULL, OPT_NO_FOLLOW },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "delay", required_argument, NULL, 'D' },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "every", required_argument, NULL, OPT_EVERY },
	{ "intervals", no_argument, NULL, OPT_INTERVALS },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ NULL, 0, NULL, 0 },
};

/* Returns an option's long name, or NULL. */
static const char *
long_name(int option)
{
	const struct option *l = longs;

	while (l->name != NULL && l->val != option)
		l++;
	return l->name;
}

/* Refuses what getopt_long did not take; `word` is the one that it has just left. */
static void __attribute__((noreturn)) refuse_option(int why, int option, const char *word)
{
	const char *name = long_name(option);
	const bool is_long = name != NULL && strncmp(word, "--", 2) == 0;

	if (why == ':' && is_long)
		refuse("--%s needs an argument", name);
	if (why == ':')
		refuse("-%c needs an argument", option);
	/* Without a name, `word` may be the word before: getopt is still inside of its own. */
	if (name != NULL)
		refuse("--%s takes no argument", name);
	if (option != 0)
		refuse("unknown option -%c", option);
	refuse("unknown option %s%s", word, suggest_option(help_text, word + 2));
}

/* Prints and exits if the line is wrong, or asks for help. */
void
options_parse(struct options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct options){
		.hz = HZ_DEFAULT,
		.sampler = arch_stops_cut_calls ? SAMPLER_AUTO : SAMPLER_PTRACE,
	};
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:F:d:o:u:E:D:p:afgTqvVh", longs, NULL)) != -1) {
		switch (c) {
		case 'F':
			opt->hz = parse_hz(optarg);
			opt->hz_chosen = true;
			break;
		case 'd':
			opt->dir = optarg;
			break;
		case 'o':
			if (template_wrong(optarg) != NULL)
				refuse("-o %s: %s", optarg, template_wrong(optarg));
			opt->template = optarg;
			break;
		case 'u':
			opt->user = optarg;
			break;
		case 'E':
			add_env(opt, argc, optarg);
			break;
		case 'D':
			opt->delay_ms = parse_delay(optarg);
			break;
		case OPT_DURATION:
			opt->duration = parse_span("--duration=", optarg);
			break;
		case OPT_EVERY:
			opt->every = parse_span("--every=", optarg);
			break;
		case OPT_INTERVALS:
			opt->intervals = true;
			break;
		case OPT_CONTROL:
			parse_control(opt, optarg);
			break;
		case 'f':
			opt->no_follow = false;
			break;
		case 'a':
			opt->any = opt->call_graph = true;
			break;
		case 'g':
			opt->call_graph = true;
			break;
		case OPT_NO_FOLLOW:
			opt->no_follow = true;
			break;
		case OPT_ONLY:
			add_word(&opt->only, &opt->nonly, argc, optarg);
			break;
		case 'p':
			parse_pids(opt, optarg);
			break;
		case OPT_SINCE_START:
			opt->since_start = true;
			break;
		case OPT_KILL_ON_EXIT:
			opt->kill_on_exit = true;
			break;
		case OPT_TIMELINE:
			opt->timeline = opt->call_graph = true;
			break;
		case OPT_WALL:
			opt->wall = opt->call_graph = true;
			break;
		case OPT_REPORT:
			opt->report = true;
			break;
		case 'T':
			opt->top = true;
			break;
		case OPT_SUM:
			opt->sum = true;
			break;
		case OPT_SAMPLER:
			opt->sampler = parse_sampler(optarg);
			break;
		case OPT_STATS:
			opt->stats = optarg;
			break;
		case 'q':
			opt->quiet = true;
			opt->verbose = false;
			break;
		case 'v':
			opt->verbose = true;
			opt->quiet = false;
			break;
		case 'V':
			print_and_exit("profsup " PROFSUP_VERSION "\n");
		case 'h':
			print_and_exit(help_text);
		default:
			refuse_option(c, optopt, argv[optind - 1]);
		}
	}
	if (opt->template == NULL)
		opt->template = opt->sum ? "gmon.%n.out" : "gmon.%n.%p.out";
	while (optind < argc && is_assignment(argv[optind]))
		add_env(opt, argc, argv[optind++]);
	if (opt->intervals && opt->sum)
		refuse("--intervals is not for --sum");
	check_attach(opt, optind < argc);
	if (opt->npids == 0 && optind >= argc)
		refuse("no program to run");
	opt->argv = argv + optind;
}
