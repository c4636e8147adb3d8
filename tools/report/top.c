/*
 * --top: the functions that run now, of the processes that use most, as profsup tells it once a
 * second (common/view.h): on the last lines of a terminal, or as lines.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "functions.h"
#include "pass.h"
#include "view.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Limits of a view as lines, and on a terminal. */
enum { PLAIN_FUNCTIONS = 5, LEAST_FUNCTIONS = 3 };
/* Columns before a name in such a line, or more. */
enum { PLAIN_BEFORE_NAME = 80 };
/* Programs whose symbols are kept. */
enum { MOST_WORKERS = 16 };

/* A process as profsup tells it. */
struct busy {
	int pid;
	uint64_t fresh, ticks;
	bool bare; /* no calls are counted */
	const char *name, *program;
	int gmon, stacks; /* files; -1: none */
};

struct shown {
	char text[VIEW_TEXT]; /* the first member: take() keeps it */
	size_t len;           /* of the text, which ends with a NUL byte at least */
	int files[PASS_FILES];
	size_t nfiles;
	double at, took; /* seconds since the first view, and the last one */
	double period;   /* of a tick, in seconds */
	unsigned hz, all, n;
	uint64_t fresh, ended;
	struct busy busy[VIEW_PROCESSES];
	/* Where it goes. */
	struct screen_line *line;
	unsigned lines, room; /* room is 0 without a terminal: each line is printed */
	bool calls;           /* of one process at least they are counted */
	bool totals;          /* there are call stacks */
};

static struct program {
	char *path;
	struct worker *worker; /* NULL: it can't be read */
	unsigned long used;    /* when it was last asked */
} programs[MOST_WORKERS];

__attribute__((format(printf, 2, 3))) static void
put(struct shown *v, const char *fmt, ...)
{
	char text[sizeof(v->line->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[symname_cut(text, strlen(text))] = '\0';
	symname_clean(text);
	if (v->room == 0) {
		char *line = memory_text("profsup: %s\n", text);

		screen_put(line, strlen(line));
		free(line);
	} else if (v->lines < v->room) {
		memcpy(v->line[v->lines++].text, text, sizeof(text));
	}
}

/* Returns the worker of a process's program.  Of many programs the one not asked for longest is
 * forgotten. */
static struct program *
program_of(const struct busy *b)
{
	static unsigned long now;
	struct program *p = programs;

	for (size_t i = 0; i < MOST_WORKERS; i++) {
		if (programs[i].path != NULL && strcmp(programs[i].path, b->program) == 0) {
			programs[i].used = ++now;
			return &programs[i];
		}
		if (programs[i].used < p->used)
			p = &programs[i];
	}
	if (p->worker != NULL)
		worker_end(p->worker);
	free(p->path);
	*p = (struct program){ memory_text("%s", b->program), worker_start(b->program), ++now };
	return p;
}

/* False: nothing is known of its functions. */
static bool
rows_of(const struct busy *b, struct rows *rows)
{
	struct program *p = *b->program == '\0' || b->gmon < 0 ? NULL : program_of(b);

	if (p == NULL || p->worker == NULL)
		return false;
	if (worker_ask(p->worker, b->pid, b->gmon, b->stacks, rows))
		return true;
	worker_end(p->worker);
	p->worker = NULL;
	return false;
}

/* Calls are not counted in a program that was not linked for us.  Where there are only such, calls
 * have no column. */
static void
put_calls(const struct shown *v, bool bare, uint64_t n, char *text, size_t size)
{
	char number[24] = "-";

	if (!bare)
		snprintf(number, sizeof(number), "%ju", (uintmax_t)n);
	text[0] = '\0';
	if (v->room == 0 && bare)
		snprintf(text, size, "samples only");
	else if (v->room == 0)
		snprintf(text, size, "%s calls", number);
	else if (v->calls)
		snprintf(text, size, " %14s", number);
}

static void
put_function(struct shown *v, const struct busy *b, const struct rows *rows, const struct row *row)
{
	const double now = table_percent(row->fresh, rows->fresh);
	const double whole = table_percent(row->ticks, rows->ticks);
	const double self = row->ticks * v->period;
	char total[32] = "", calls[32];

	if (rows->has_totals)
		snprintf(total, sizeof(total), v->room == 0 ? ", %.1f%% with callees" : "%6.1f%% ",
		         table_percent(row->total, rows->ticks));
	else if (v->totals && v->room != 0)
		snprintf(total, sizeof(total), "%7s ", "-");
	put_calls(v, b->bare, row->calls, calls, sizeof(calls));
	if (v->room != 0) {
		put(v, "%6.1f%% %6.1f%% %s%10.3f%s  %s", now, whole, total, self, calls, row->name);
	} else {
		char name[NAME_SIZE];

		put(v, "%.1f s: %s %d: %.1f%% now, %.1f%% of all%s, %.3f s, %s: %s", v->at, b->name,
		    b->pid, now, whole, total, self, calls,
		    table_short(row->name, PLAIN_BEFORE_NAME, name));
	}
}

static double
percent_of_cpu(const struct shown *v, uint64_t fresh)
{
	return 100 * (double)fresh * v->period / v->took;
}

/* An idle process is shown on a terminal only. */
static void
put_process(struct shown *v, const struct busy *b, unsigned functions)
{
	static struct rows rows;

	if (v->room == 0 && b->fresh == 0)
		return;
	if (v->room != 0)
		put(v, "%s %d: %.0f%% of a CPU, %.2f s", b->name, b->pid,
		    percent_of_cpu(v, b->fresh), (double)b->ticks * v->period);
	if (!rows_of(b, &rows)) {
		if (v->room == 0)
			put(v, "%.1f s: %s %d: %.0f%% of a CPU: its functions can't be read", v->at,
			    b->name, b->pid, percent_of_cpu(v, b->fresh));
		return;
	}
	for (unsigned i = 0; i < rows.n && i < functions; i++)
		if (v->room != 0 || rows.row[i].fresh > 0)
			put_function(v, b, &rows, &rows.row[i]);
}

static void
put_head(struct shown *v)
{
	char gone[64] = "";

	if (v->room == 0 && v->ended != 0)
		put(v, "%.1f s: processes that have ended since: %.0f%% of a CPU", v->at,
		    percent_of_cpu(v, v->ended));
	if (v->room == 0)
		return;
	if (v->ended != 0)
		snprintf(gone, sizeof(gone), " and %.0f%% by some that have ended",
		         percent_of_cpu(v, v->ended));
	put(v, "profsup: %u process%s, %.0f%% of a CPU%s, %u Hz, %.0f s", v->all,
	    v->all == 1 ? "" : "es", percent_of_cpu(v, v->fresh), gone, v->hz, v->at);
	put(v, "%7s %7s %s%10s%s  function", "now", "all", v->totals ? "  total " : "", "self s",
	    v->calls ? "          calls" : "");
}

static void
show(struct shown *v)
{
	unsigned fits, shown, functions;

	v->room = screen_room();
	v->line = memory_array(v->room + 1, sizeof(*v->line));
	fits = v->room == 0 ? VIEW_PROCESSES : (v->room - 2) / (1 + LEAST_FUNCTIONS);
	shown = v->n < fits ? v->n : fits;
	functions = v->room == 0 || shown == 0 ? PLAIN_FUNCTIONS : (v->room - 2) / shown - 1;
	for (unsigned i = 0; i < shown; i++) {
		v->calls |= !v->busy[i].bare;
		v->totals |= v->busy[i].stacks >= 0;
	}
	put_head(v);
	for (unsigned i = 0; i < shown; i++)
		put_process(v, &v->busy[i], functions);
	if (v->room != 0)
		screen_draw(v->line, v->lines);
	free(v->line);
}

/* Takes a message and its files.  False: there are no more, or, with MSG_DONTWAIT, not yet. */
static bool
take(struct shown *v, int flags, bool *over)
{
	/* A NUL byte stays behind each text of the last process, also if a message is cut off. */
	const size_t most = sizeof(v->text) - 4;
	int files[PASS_FILES];
	size_t n;
	const ssize_t len = pass_take(STDIN_FILENO, v->text, most, files, &n, flags);

	*over = len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR);
	if (len <= 0)
		return false;
	memset((char *)v + sizeof(v->text), 0, sizeof(*v) - sizeof(v->text));
	memset(v->text + len, 0, sizeof(v->text) - (size_t)len);
	v->len = (size_t)len;
	v->nfiles = n;
	memcpy(v->files, files, n * sizeof(*files));
	return true;
}

static void
drop(const struct shown *v)
{
	for (size_t i = 0; i < v->nfiles; i++)
		close(v->files[i]);
}

static const char *
next_text(const char *at)
{
	return at + strlen(at) + 1;
}

/* Takes the next number of a text; 0: there is none. */
static uint64_t
next_number(const char **at)
{
	char *end;
	const uint64_t n = strtoull(*at, &end, 10);

	*at = end;
	return n;
}

/* Returns the text behind that of a process. */
static const char *
parse_process(struct shown *v, struct busy *b, const char *at, size_t *file)
{
	const char *numbers = at;

	b->pid = (int)next_number(&numbers);
	b->fresh = next_number(&numbers);
	b->ticks = next_number(&numbers);
	b->bare = next_number(&numbers) != 0;
	b->gmon = b->stacks = -1;
	if (*file < v->nfiles)
		b->gmon = v->files[(*file)++];
	if (next_number(&numbers) != 0 && *file < v->nfiles)
		b->stacks = v->files[(*file)++];
	b->name = next_text(at);
	b->program = next_text(b->name);
	return next_text(b->program);
}

/* What a message says.  False: nothing is to be shown. */
static bool
parse(struct shown *v)
{
	const char *numbers = v->text, *at = next_text(v->text);
	size_t file = 0;

	if (strcmp(v->text, VIEW_HIDE) == 0)
		return false;
	v->at = (double)next_number(&numbers) / 1e9;
	v->took = (double)next_number(&numbers) / 1e9;
	v->hz = (unsigned)next_number(&numbers);
	v->period = (double)next_number(&numbers) / 1e9;
	v->all = (unsigned)next_number(&numbers);
	v->fresh = next_number(&numbers);
	v->ended = next_number(&numbers);
	for (; at < v->text + v->len && v->n < VIEW_PROCESSES; v->n++)
		at = parse_process(v, &v->busy[v->n], at, &file);
	return true;
}

/* Takes the newest message.  False: there are no more. */
static bool
take_newest(struct shown *v)
{
	static struct shown later;
	bool over;

	while (!take(v, 0, &over))
		if (over)
			return false;
	while (take(&later, MSG_DONTWAIT, &over)) {
		drop(v);
		*v = later;
	}
	return true;
}

static void
end_workers(void)
{
	for (size_t i = 0; i < MOST_WORKERS; i++)
		if (programs[i].worker != NULL)
			worker_end(programs[i].worker);
}

void
top_run(void)
{
	static struct shown v;

	/* The signals of the terminal, and of the program to its group, are not for us: profsup's
	 * end is ours, and then the terminal is to be whole. */
	setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGCHLD)
			signal(sig, SIG_IGN);
	power_only_to_read();
	screen_init();
	while (take_newest(&v)) {
		if (parse(&v))
			show(&v);
		else
			screen_end();
		drop(&v);
	}
	screen_end();
	end_workers();
	exit(0);
}
