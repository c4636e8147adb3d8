/*
 * The command line: what is taken, what is refused, and how it ends.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"
#include "tap.h"

#include <sys/wait.h>

enum { MAX_ARGS = 16, NO_EXIT = -1 };

struct outcome {
	int status; /* of options_parse's exit, or NO_EXIT */
	struct options opt;
	char argv0[64]; /* opt.argv[0], copied: it was the child's */
	pid_t pids[3];  /* so are these */
	int argc;       /* words in opt.argv */
	char out[8192], err[4096];
};

static void
drain(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	close(fd);
}

static void __attribute__((noreturn)) child(char **argv, int argc, int out, int err, int result)
{
	struct outcome o = { .status = NO_EXIT };

	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	options_parse(&o.opt, argc, argv);
	snprintf(o.argv0, sizeof(o.argv0), "%s", o.opt.argv[0] != NULL ? o.opt.argv[0] : "");
	for (size_t i = 0; i < o.opt.npids && i < 3; i++)
		o.pids[i] = o.opt.pids[i];
	while (o.opt.argv[o.argc] != NULL)
		o.argc++;
	if (write(result, &o, sizeof(o)) != sizeof(o))
		_exit(99);
	_exit(0);
}

/* In a child, for it may exit and getopt has a state.  `line` is split at spaces; pointers in the
 * result are good because the child is a copy of us. */
static struct outcome
parse(const char *line)
{
	static char copies[64][256]; /* opt.dir points into them */
	static int next;
	struct outcome o = { 0 };
	char *argv[MAX_ARGS] = { (char[]){ "profsup" } }, *word, *save;
	char *copy = copies[next++ % 64];
	int out[2], err[2], result[2], argc = 1, status;
	pid_t pid;

	snprintf(copy, sizeof(copies[0]), "%s", line);
	for (word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	if (pipe(out) < 0 || pipe(err) < 0 || pipe(result) < 0)
		bail("pipe");
	pid = fork();
	if (pid == 0)
		child(argv, argc, out[1], err[1], result[1]);
	close(out[1]);
	close(err[1]);
	close(result[1]);
	waitpid(pid, &status, 0);
	if (read(result[0], &o, sizeof(o)) != sizeof(o))
		o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
	close(result[0]);
	drain(out[0], o.out, sizeof(o.out));
	drain(err[0], o.err, sizeof(o.err));
	return o;
}

/* Refused: status 125, nothing on stdout, one line that has `word` in it and says where to read
 * on. */
static void
refused(const char *line, const char *word, const char *says)
{
	static const char more[] = " (--help shows the options)\n";
	struct outcome o = parse(line);
	const char *end = strstr(o.err, more), *at = strstr(o.err, word);

	if (!ok(o.status == EXIT_OURS && o.out[0] == '\0' && at != NULL && at < end &&
	            strcmp(end, more) == 0 && strchr(o.err, '\n') == o.err + strlen(o.err) - 1 &&
	            strncmp(o.err, "profsup: ", 9) == 0,
	        "%s", says))
		diag("%s: status %d, said: %s", line, o.status, o.err);
}

/* The program, its number of words, and what was not left as it is by default. */
static const char *
described(const struct outcome *o)
{
	static char text[512];
	const struct options *opt = &o->opt;
	FILE *f;

	if (o->status != NO_EXIT)
		return o->err;
	f = fmemopen(text, sizeof(text), "w");
	if (f == NULL)
		bail("fmemopen");
	fprintf(f, "%s %d", o->argv0, o->argc);
#define TELL(is_set, ...) (is_set) ? fprintf(f, " " __VA_ARGS__) : 0
	TELL(opt->hz != 100, "hz %u", opt->hz);
	TELL(opt->dir != NULL, "dir %s", opt->dir);
	TELL(strcmp(opt->template, "gmon.%n.%p.out") != 0, "name %s", opt->template);
	TELL(opt->user != NULL, "user %s", opt->user);
	TELL(opt->nenv != 0, "env %zu", opt->nenv);
	TELL(opt->nonly != 0, "only %zu", opt->nonly);
	TELL(opt->delay_ms != 0, "delay %ld", opt->delay_ms);
	TELL(opt->duration != 0, "duration %.1f", (double)opt->duration / 1e6);
	TELL(opt->every != 0, "every %.1f", (double)opt->every / 1e6);
	TELL(opt->no_follow, "no-follow");
	TELL(opt->quiet, "quiet");
	TELL(opt->verbose, "verbose");
	fclose(f);
	return text;
}

static void
taken(void)
{
	static const struct {
		const char *line, *want, *says;
	} lines[] = {
		{ "prog", "prog 1", "a program is enough" },
		{ "prog -F 5 -q -d x -- -v", "prog 8",
		  "options behind the program are the program's, a -- too" },
		{ "-F 1234 -d /some/dir -v prog arg", "prog 2 hz 1234 dir /some/dir verbose",
		  "-F, -d and -v are taken before it" },
		{ "-F1234 -d/some/dir -q prog", "prog 1 hz 1234 dir /some/dir quiet",
		  "also with their arguments attached" },
		{ "-- -prog -x", "-prog 2", "behind -- a program may begin with -" },
		{ "- x", "- 2", "a lone - is a program" },
		{ "-o %n.x A=1 _b2= prog C=3", "prog 2 name %n.x env 2",
		  "a template, and variables before the program" },
		{ "./a=b", "./a=b 1", "a path with a = in it is a program" },
		{ "2=3", "2=3 1", "and so is what names no variable" },
		{ "-D 250 --duration=1.5 --only=a* --only b prog",
		  "prog 1 only 2 delay 250 duration 1500.0",
		  "a delay, a duration with a fraction, and patterns" },
		{ "-D 2m --duration=500ms --every 1.5h prog",
		  "prog 1 delay 120000 duration 500.0 every 5400000.0", "times have units" },
		{ "--delay=1.5s --duration=2s --every=0.25m prog",
		  "prog 1 delay 1500 duration 2000.0 every 15000.0", "and fractions with them" },
		{ "--delay=-1 --no-follow prog", "prog 1 delay -1 no-follow",
		  "a delay of -1, and --no-follow" },
		{ "--no-follow --follow-forks prog", "prog 1", "which --follow-forks takes back" },
		{ "--frequency=7 --directory=/d --output %p.y --user=me --env=A=1 --verbose prog",
		  "prog 1 hz 7 dir /d name %p.y user me env 1 verbose", "letters have long names" },
		{ "--verbose --quiet prog", "prog 1 quiet", "-q, too" },
		{ "-F 1 prog", "prog 1 hz 1", "1 is a rate" },
		{ "-F 10000 prog", "prog 1 hz 10000", "10000 is a rate" },
		{ "-q -v prog", "prog 1 verbose", "of -q and -v the last counts" },
		{ "-v -q prog", "prog 1 quiet", "in either order" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct outcome o = parse(lines[i].line);

		is_str(described(&o), lines[i].want, "%s", lines[i].says);
	}
}

static void
asked(void)
{
	struct outcome o = parse("-V");

	ok(o.status == 0 && strcmp(o.out, "profsup " PROFSUP_VERSION "\n") == 0 && o.err[0] == '\0',
	   "-V prints the version on stdout");
	o = parse("--version");
	ok(o.status == 0 && strcmp(o.out, "profsup " PROFSUP_VERSION "\n") == 0,
	   "and so does --version");
	o = parse("--help");
	ok(o.status == 0 && strstr(o.out, "\nusage: profsup ") != NULL, "--help prints the usage");
	o = parse("-h");
	ok(o.status == 0 && strncmp(o.out, "Examples:\n", 10) == 0 && o.err[0] == '\0',
	   "-h begins with examples, on stdout");
	for (const char *flag = "FDdfoqvVh"; *flag != '\0'; flag++) {
		char want[8];

		snprintf(want, sizeof(want), "\n  -%c", *flag);
		ok(strstr(o.out, want) != NULL, "-h explains -%c", *flag);
	}
}

static void
attaches(void)
{
	static const char no_change[] = "-u and -E can't change a process that runs already";
	/* Also one above the most, and what would be 1 in 32 bits. */
	static const char *const bad[] = { "-p 0",       "-p -1",         "-p x",   "-p 1x",
		                           "-p 4194305", "-p 4294967297", "-p 1,x", "-p 1\tx" };
	static const char *const none[] = { "--pid=", "-p \t", "-p ," };
	struct outcome o = parse("-p 1234 --since-start -F 50");

	ok(o.status == NO_EXIT && o.opt.npids == 1 && o.pids[0] == 1234 && o.opt.since_start &&
	       o.argc == 0,
	   "-p takes a process, and no program");
	o = parse("--pid=1 -q");
	ok(o.status == NO_EXIT && o.opt.npids == 1 && o.pids[0] == 1, "--pid is the same");
	o = parse("-p 3,5 -q -p 7");
	ok(o.status == NO_EXIT && o.opt.npids == 3 && o.pids[0] == 3 && o.pids[1] == 5 &&
	       o.pids[2] == 7,
	   "it takes several, at once and one after the other");
	refused("-p 1 prog", "-p takes no program", "-p and a program are refused");
	refused("-p 1 A=1", no_change, "and variables");
	refused("-p 1 -E A=1", no_change, "and -E");
	refused("-p 1 -u root", no_change, "and a user");
	refused("-p 1 --kill-on-exit", "--kill-on-exit is not for -p", "and --kill-on-exit");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i], ": must be a process ID, or several with commas (",
		        "what names no process is refused");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		refused(none[i], "-p: no process is named", "an empty list is refused");
	refused("--since-start prog", "--since-start is for -p",
	        "--since-start without -p is refused");
}

/* Times that are none. */
static void
no_times(const char *option, const char *const *value)
{
	for (; *value != NULL; value++) {
		char line[64];

		snprintf(line, sizeof(line), "%s%s prog", option, *value);
		refused(line, ": must be a time such as 500ms, 10s or 2m, ",
		        "what is no time is refused");
	}
}

static void
wrong(void)
{
	static const char *const spans[] = { "",  "0",  "-1",  "0.5ms", "5S",
		                             "x", "1x", "nan", "inf",   NULL };
	/* 300 hours are more than eleven days. */
	static const char *const delays[] = { "",     "-2",   "-1s", "x",   "1x", "s",
		                              "1mss", "300h", "nan", "inf", NULL };

	no_times("--delay=", delays);
	no_times("--duration=", spans);
	no_times("--every=", spans);
	refused("", "no program", "no program is refused");
	refused("-q", "no program", "options without a program are refused");
	refused("--", "no program", "so is a -- alone");
	refused("-z prog", "-z", "an unknown option is named");
	refused("-qz prog", "-z", "also behind another in one word");
	refused("--loud prog", ": unknown option --loud (", "an unknown long one, too");
	refused("--reprot prog", ": unknown option --reprot: did you mean --report? (",
	        "with what it may mean");
	refused("--sum -zq prog", ": unknown option -z (", "and behind a long one");
	refused("-F", ": -F needs an argument (", "-F wants an argument");
	refused("-d", ": -d needs an argument (", "-d wants an argument");
	refused("-qD", ": -D needs an argument (", "-D does, behind another in one word");
	refused("--delay", ": --delay needs an argument (", "and is called as it was written");
	refused("--sampler", ": --sampler needs an argument (", "so is one that has no letter");
	refused("--sum=3 ./w", ": --sum takes no argument (", "--sum wants no argument");
	refused("--report=yes prog", ": --report takes no argument (", "--report wants none");
	refused("--no-follow=x prog", ": --no-follow takes no argument (",
	        "--no-follow wants none");
	refused("--kill-on-exit=1 prog", ": --kill-on-exit takes no argument (",
	        "--kill-on-exit wants none");
	refused("-q --top=1 prog", ": --top takes no argument (",
	        "--top wants none, though it has a letter");
	refused("-o %x prog", "%x", "an unknown field in a template is refused");
	refused("--control=ctl prog", "fifo:", "--control without its kind is refused");
	refused("--control=fifo: prog", "missing", "--control without a fifo is refused");
	refused("--control=fifo:,a prog", "missing",
	        "--control with an answer's fifo alone is refused");
	refused("--control=fifo:a, prog", "missing",
	        "--control with an empty answer's fifo is refused");
	refused("A=1", "no program", "variables without a program are refused");
	refused("-F 0 prog", "0", "a rate of 0 is refused");
	refused("-F 10001 prog", "10001", "a rate above 10,000 is refused");
	refused("-F -1 prog", "-1", "a negative rate is refused");
	refused("-F 100x prog", "100x", "a rate with something behind it is refused");
	refused("-F x prog", "x", "a rate that is no number is refused");
	refused("-F 99999999999999999999999 prog", "9999", "a rate past 2^64 is refused");
	refused("-F 4294967396 prog", "4294967396",
	        "a rate that would be 100 in 32 bits is refused");
	refused("-F 0x64 prog", "0x64", "a hexadecimal rate is refused");
}

int
main(void)
{
	taken();
	asked();
	attaches();
	wrong();
	return done_testing();
}
