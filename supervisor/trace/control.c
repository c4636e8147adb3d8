/*
 * What the user wants of a run that is under way: snapshots, by SIGUSR2 or by the clock, and the
 * commands that come through the fifo of --control.
 *
 * The loop takes one step of this at a time, one command or one process's file, and serves the
 * targets between two steps.  Nothing here waits: we have both ends of each fifo open, so that it
 * works whether its other user is there or not, and an answer that the fifo has no room for is
 * lost.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many lines that are no command are reported. */
enum { MOST_COMPLAINTS = 20 };
/* How long an answer waits for programs whose memory does not answer, and for files. */
#define ACK_NS NSEC

static int
open_fifo(const char *name)
{
	int fd = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		log_fatal("--control: %s: %m", name);
	if (!S_ISFIFO(st.st_mode))
		log_fatal("--control: %s: not a fifo; make one by mkfifo(1)", name);
	return fd;
}

/* Opens the end for reading alone: if the descriptor could write, too, each reading would send a
 * signal. */
static int
open_reader(int fifo)
{
	const struct fd_path path = fds_path(fifo);
	const int fd = open(path.text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		log_fatal("--control: %s: %m", path.text);
	return fd;
}

/* Opens the fifos as the caller, before anything runs.  Prints and exits on failure. */
void
control_open(struct profsup *ps)
{
	if (ps->opt.control != NULL) {
		ps->control.peer = open_fifo(ps->opt.control);
		ps->control.commands = open_reader(ps->control.peer);
	}
	if (ps->opt.ack != NULL)
		ps->control.answers = open_fifo(ps->opt.ack);
}

/* Called in the supervisor: asks for a signal when a command comes.  If that fails, the next tick
 * finds the command. */
void
control_start(const struct profsup *ps)
{
	if (ps->control.commands < 0)
		return;
	fcntl(ps->control.commands, F_SETOWN, getpid());
	fcntl(ps->control.commands, F_SETFL, O_NONBLOCK | O_ASYNC);
}

static unsigned seen;   /* how often the front was asked for a snapshot when we last looked */
static bool taking;     /* a snapshot is being taken */
static bool files_due;  /* it is one whose files are awaited, too */
static bool ack_due;    /* a command is to be answered when it is carried out */
static uint64_t ack_by; /* when it is answered in any case, ns */

/* How long until a snapshot is due by the clock; UINT64_MAX: none is, or not yet.  The clock starts
 * with the first profile. */
uint64_t
control_wait(struct profsup *ps)
{
	uint64_t now;

	if (ps->opt.every == 0 || ps->stats.profiled == 0 || taking || ack_due)
		return UINT64_MAX;
	now = clock_now();
	if (ps->control.snapshot_at == 0)
		ps->control.snapshot_at = now + ps->opt.every;
	return ps->control.snapshot_at > now ? ps->control.snapshot_at - now : 1;
}

/* Called at each tick, so it must cost nothing if there is nothing to do. */
bool
control_has_news(struct profsup *ps)
{
	return taking || ps->control.commands >= 0 ||
	       __atomic_load_n(ps->front.asked, __ATOMIC_SEQ_CST) != seen || control_wait(ps) == 1;
}

static bool
is_wanted(struct profsup *ps)
{
	const unsigned n = __atomic_load_n(ps->front.asked, __ATOMIC_SEQ_CST);

	if (n != seen) {
		seen = n;
		return true;
	}
	if (control_wait(ps) > 1)
		return false;
	ps->control.snapshot_at = clock_now() + ps->opt.every;
	return ps->window.state == WINDOW_OPEN;
}

static void
answer(const struct profsup *ps, const char *line)
{
	if (ps->control.answers >= 0 && write(ps->control.answers, line, strlen(line)) < 0)
		log_verbose("--control: nobody reads the answers: %m");
}

/* Answers one line for each process. */
static void
status(struct profsup *ps)
{
	sampler_settle(ps);
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		const struct profile *p = proc->profile;
		char name[16], line[80];

		if (p == NULL || proc->end.done || tracee_live(proc) == NULL)
			continue;
		select_name(proc->pid, name);
		snprintf(line, sizeof(line), "%d %s %llu %s\n", proc->pid, name,
		         (unsigned long long)counts_ticks(&p->counts),
		         ps->window.state == WINDOW_OPEN && state_is_on(proc) ? "on" : "off");
		if (ps->control.answers >= 0)
			answer(ps, line);
		else
			log_error("%.*s", (int)strlen(line) - 1, line);
	}
}

static void
stop(struct profsup *ps)
{
	detach_end(ps, "stopped: the program goes on alone");
}

static unsigned complaints;

/* Commands may come in pieces. */
static struct {
	char in[4096]; /* as read */
	size_t at, len;
	char line[40]; /* the command, as far as it has come */
	size_t line_len;
} commands;

static void
take_snapshot(struct profsup *ps)
{
	taking = true;
	snapshot_begin(ps);
}

static void
complain(const char *line)
{
	if (complaints++ < MOST_COMPLAINTS) {
		char safe[40];

		log_error("--control: unknown command: %s", log_safe(line, safe, sizeof(safe)));
	}
	if (complaints == MOST_COMPLAINTS)
		log_error("--control: further unknown commands are not reported");
}

/* Whether all programs have been told how things stand.  Where a machine is busy the memory of one
 * may be late, and what it does before that does not follow the command. */
static bool
all_are_told(const struct profsup *ps)
{
	const struct proc *proc = ps->window.state == WINDOW_OVER ? NULL : ps->procs;

	while (proc != NULL && (!proc->image.untold || tracee_live(proc) == NULL))
		proc = proc->hh.next;
	return proc == NULL;
}

/* Returns whether it was a command. */
static bool
obey(struct profsup *ps, const char *line)
{
	static const struct {
		const char *name;
		void (*act)(struct profsup *ps);
	} words[] = {
		{ "enable", window_enable },
		{ "disable", window_disable },
		{ "snapshot", take_snapshot },
		{ "zero", window_zero },
		{ "status", status },
		{ "stop", stop },
		{ "ping", NULL }, /* the answer is all that it does */
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(line, words[i].name) != 0)
			continue;
		if (words[i].act != NULL)
			words[i].act(ps);
		files_due = taking;
		ack_due = taking || !all_are_told(ps);
		ack_by = clock_now() + ACK_NS;
		if (!ack_due)
			answer(ps, "ack\n");
		return true;
	}
	if (*line != '\0')
		complain(line);
	return false;
}

/* Returns the line that `c` ends, or NULL.  A line that is too long for a command loses its end. */
static const char *
add_to_line(char c)
{
	if (c == '\n') {
		commands.line[commands.line_len] = '\0';
		commands.line_len = 0;
		return commands.line;
	}
	if (c != '\0' && commands.line_len < sizeof(commands.line) - 1)
		commands.line[commands.line_len++] = c;
	return NULL;
}

/* Obeys what has come, up to the first command.  Returns whether anything had come. */
static bool
read_commands(struct profsup *ps)
{
	if (commands.at == commands.len) {
		const ssize_t n = ps->control.commands < 0 ? 0
		                                           : read(ps->control.commands, commands.in,
		                                                  sizeof(commands.in));

		if (n <= 0)
			return false;
		commands.at = 0;
		commands.len = (size_t)n;
	}
	while (commands.at < commands.len) {
		const char *line = add_to_line(commands.in[commands.at++]);

		if (line != NULL && obey(ps, line))
			break;
	}
	return true;
}

/* Returns whether there may be more to do. */
bool
control_step(struct profsup *ps)
{
	if (taking) {
		const enum snapshot_end end = snapshot_step(ps);

		if (end != SNAPSHOT_DONE)
			return end == SNAPSHOT_MORE; /* SNAPSHOT_LATE: again at the next tick */
		ack_by = clock_now() + ACK_NS;
	}
	taking = false;
	if (ack_due && clock_now() < ack_by &&
	    (!all_are_told(ps) || (files_due && output_step(ps) > 0)))
		return false;
	if (ack_due)
		answer(ps, "ack\n");
	ack_due = false;
	if (is_wanted(ps)) {
		take_snapshot(ps);
		return true;
	}
	return read_commands(ps);
}
