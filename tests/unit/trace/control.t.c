/*
 * control.c: which command does what, when it is answered, and when a snapshot is taken.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>

// WRAP: clock_now window_enable window_disable window_zero snapshot_begin snapshot_step detach_end
// WRAP: output_step sampler_settle select_name state_is_on tracee_live log_line
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* ld's */

static uint64_t now;                    /* ns */
static char done[256];                  /* what the commands did */
static char said[256];                  /* the last message */
static unsigned messages;               /* how many there were */
static enum snapshot_end snapshot_next; /* how the next step of a snapshot ends */
static bool live = true, on = true;
static unsigned files; /* that are still being made */
static unsigned wakes, asked;
static struct profile profile;
static struct proc first = { .pid = 11, .profile = &profile }, second = { .pid = 22 };
static struct tracee thread;
static struct profsup ps;
static int commands, answers;

static volatile sig_atomic_t signals;

static void
count_signal(int sig)
{
	(void)sig;
	signals++;
}

static void
note(const char *what)
{
	strncat(done, what, sizeof(done) - strlen(done) - 1);
	strncat(done, " ", sizeof(done) - strlen(done) - 1);
}

uint64_t
__wrap_clock_now(void)
{
	return now;
}

void
__wrap_window_enable(struct profsup *run)
{
	run->window.state = WINDOW_OPEN;
	note("enable");
}

void
__wrap_window_disable(struct profsup *run)
{
	run->window.state = WINDOW_SHUT;
	note("disable");
}

void
__wrap_window_zero(struct profsup *run)
{
	(void)run;
	note("zero");
}

void
__wrap_snapshot_begin(struct profsup *run)
{
	(void)run;
	note("snapshot");
}

enum snapshot_end
__wrap_snapshot_step(struct profsup *run)
{
	(void)run;
	note(snapshot_next == SNAPSHOT_DONE ? "done" : "step");
	return snapshot_next;
}

unsigned
__wrap_output_step(struct profsup *run)
{
	(void)run;
	return files;
}

void
__wrap_detach_end(struct profsup *run, const char *why)
{
	(void)run;
	(void)why;
	note("stop");
}

void
__wrap_sampler_settle(struct profsup *run)
{
	(void)run;
	note("settle");
}

bool
__wrap_select_name(pid_t pid, char name[16])
{
	snprintf(name, 16, "prog%d", pid);
	return true;
}

bool
__wrap_state_is_on(struct proc *proc)
{
	(void)proc;
	return on;
}

struct tracee *
__wrap_tracee_live(const struct proc *proc)
{
	(void)proc;
	return live ? &thread : NULL;
}

void
__wrap_log_line(enum log_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (kind == LINE_EVENT)
		return;
	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	messages++;
}

/* What has been done since the last call. */
static void
did(const char *want, const char *what)
{
	is_str(done, want, "%s", what);
	done[0] = '\0';
}

static void
answered(const char *want, const char *what)
{
	char text[256];
	const ssize_t n = read(answers, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	is_str(text, want, "%s", what);
}

static void
send(const char *text)
{
	if (write(commands, text, strlen(text)) != (ssize_t)strlen(text))
		bail("write");
}

/* Sends a text, and takes steps until there is nothing to do. */
static void
order(const char *text)
{
	send(text);
	while (control_step(&ps))
		continue;
}

static void
test_commands(void)
{
	ok(control_has_news(&ps), "where there is a fifo, it is looked at each tick");
	ok(!control_step(&ps), "in which there is nothing");
	order("ping\n");
	ok(signals > 0, "a command comes with a signal");
	did("", "ping does nothing");
	answered("ack\n", "but it is answered");
	order("disable\nenable\nzero\nstop\n");
	did("disable enable zero stop ", "each command does what it says, one after the other");
	answered("ack\nack\nack\nack\n", "each is answered");
	send("enable\ndisable\n");
	ok(control_step(&ps), "there may be more to do");
	did("enable ", "one step is one command");
	while (control_step(&ps))
		continue;
	did("disable ", "the next step is the next one");
	answered("ack\nack\n", "both are answered");
	order("ena");
	did("", "half a command is none");
	order("ble\n\n\n");
	did("enable ", "with its other half it is");
	answered("ack\n", "empty lines are not answered");
	is_int(messages, 0, "and nothing is said");
	order("enable it\n");
	answered("", "what is no command is not answered");
	is_str(said, "--control: unknown command: enable it", "but said");
	send("ping");
	if (write(commands, "\0\n", 2) != 2)
		bail("write");
	order("");
	answered("ack\n", "a NUL in it does not count");
	for (int i = 0; i < 100; i++)
		send("a very long line of no sense ");
	order("\nping\n");
	answered("ack\n", "nor does a line that is too long");
	is_str(said, "--control: unknown command: a very long line of no sense a very lon",
	       "whose beginning is said");
	messages = 0;
	for (int i = 0; i < 30; i++)
		order("nonsense\n");
	is_int(messages, 20 - 2 + 1, "20 complaints in all, and that there are no more");
	did("", "and none has done anything");
}

static void
test_status(void)
{
	const struct profile *p = &profile;

	HASH_ADD(hh, ps.procs, pid, sizeof(first.pid), &first);
	HASH_ADD(hh, ps.procs, pid, sizeof(second.pid), &second);
	profile.counts.outside = 7;
	order("status\n");
	answered("11 prog11 7 on\nack\n", "status: one line for each that has a profile");
	did("settle ", "of now");
	on = false;
	order("status\n");
	answered("11 prog11 7 off\nack\n", "one that is off");
	on = true;
	order("disable\nstatus\n");
	answered("ack\n11 prog11 7 off\nack\n", "all are, while the window is shut");
	ps.window.state = WINDOW_OPEN;
	live = false;
	order("status\n");
	answered("ack\n", "none that has ended");
	live = true;
	first.end.done = true;
	order("status\n");
	answered("ack\n", "nor one whose file is written");
	first.end.done = false;
	ps.control.answers = -1;
	order("status\n");
	is_str(said, "11 prog11 7 on", "where there is no fifo for answers, it is said");
	ps.control.answers = answers;
	answered("", "there");
	(void)p;
	done[0] = '\0';
}

static void
test_answers(void)
{
	ps.control.answers = open("answers", O_RDWR | O_NONBLOCK);
	first.image.untold = true;
	order("disable\n");
	answered("", "a command is not answered while a program has not heard of it");
	now += NSEC / 2;
	ok(!control_step(&ps), "which is looked at again at the next tick");
	answered("", "and not before");
	first.image.untold = false;
	control_step(&ps);
	answered("ack\n", "but then");
	first.image.untold = true;
	order("enable\n");
	live = false;
	control_step(&ps);
	answered("ack\n", "one that has ended need not hear of it");
	live = true;
	order("disable\n");
	now += NSEC - 1;
	control_step(&ps);
	answered("", "nor is it answered within a second");
	now += 1;
	control_step(&ps);
	answered("ack\n", "but after that");
	ps.window.state = WINDOW_OVER;
	order("ping\n");
	answered("ack\n", "when all is over nobody is to hear of it");
	first.image.untold = false;
	ps.window.state = WINDOW_OPEN;
	snapshot_next = SNAPSHOT_LATE;
	order("ping\nsnapshot\n");
	answered("ack\n", "a snapshot is answered when it is done");
	ok(control_has_news(&ps), "it is news until then");
	snapshot_next = SNAPSHOT_MORE;
	ok(control_step(&ps), "after a file there may be more");
	answered("", "and it is not done");
	snapshot_next = SNAPSHOT_DONE;
	done[0] = '\0';
	while (control_step(&ps))
		continue;
	did("done ", "then it is");
	answered("ack\n", "and answered");
	files = 1;
	order("ping\n");
	answered("ack\n", "no other command waits for files");
	order("snapshot\n");
	answered("", "a snapshot is not answered before its files are there");
	now += NSEC - 1;
	control_step(&ps);
	answered("", "nor a moment later");
	files = 0;
	control_step(&ps);
	answered("ack\n", "but when they are");
	files = 1;
	order("snapshot\n");
	now += NSEC;
	control_step(&ps);
	answered("ack\n", "or a second later");
	files = 0;
	done[0] = '\0';
}

/* SIGUSR2, and the clock. */
static void
test_snapshots(void)
{
	ps.control.commands = -1;
	ok(!control_has_news(&ps), "without a fifo there is news if somebody asks only");
	asked = 2;
	ok(control_has_news(&ps), "somebody asks twice");
	while (control_step(&ps))
		continue;
	did("snapshot done ", "and has one snapshot");
	ok(!control_has_news(&ps), "that was all");
	ok(control_wait(&ps) == UINT64_MAX, "none is due by the clock");
	ps.opt.every = 10 * NSEC;
	ok(control_wait(&ps) == UINT64_MAX && ps.control.snapshot_at == 0,
	   "nor before there is a profile");
	ps.stats.profiled = 1;
	is_int((int64_t)control_wait(&ps), 10 * NSEC, "with the first one the clock starts");
	now += 4 * NSEC;
	is_int((int64_t)control_wait(&ps), 6 * NSEC, "and goes on");
	ok(!control_step(&ps) && !control_has_news(&ps), "nothing is due before its time");
	now += 7 * NSEC;
	is_int((int64_t)control_wait(&ps), 1, "it is late");
	ok(control_has_news(&ps), "which is news");
	snapshot_next = SNAPSHOT_LATE;
	control_step(&ps);
	did("snapshot ", "it is taken");
	ok(control_wait(&ps) == UINT64_MAX, "no other one is due meanwhile");
	snapshot_next = SNAPSHOT_DONE;
	control_step(&ps);
	did("done ", "it is done");
	is_int((int64_t)control_wait(&ps), 10 * NSEC, "the next one is due so long after it began");
	now += 11 * NSEC;
	ps.window.state = WINDOW_SHUT;
	control_step(&ps);
	did("", "while the window is shut there is none by the clock");
	is_int((int64_t)control_wait(&ps), 10 * NSEC, "but the clock goes on");
	asked++;
	control_step(&ps);
	did("snapshot ", "and who asks has one");
}

int
main(void)
{
	char dir[] = "/tmp/control.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) < 0 || mkfifo("commands", 0600) < 0 ||
	    mkfifo("answers", 0600) < 0)
		bail("mkfifo");
	signal(SIGIO, count_signal);
	now = 100 * NSEC;
	ps.front.wakes = &wakes;
	ps.front.asked = &asked;
	ps.control.commands = ps.control.answers = -1;
	ps.opt.control = strdup("commands");
	ps.opt.ack = strdup("answers");
	control_open(&ps);
	control_start(&ps);
	commands = open("commands", O_WRONLY | O_NONBLOCK);
	answers = open("answers", O_RDONLY | O_NONBLOCK);
	ok(commands >= 0 && answers >= 0 && ps.control.commands >= 0, "the fifos are open");
	test_commands();
	test_status();
	test_answers();
	test_snapshots();
	unlink("commands");
	unlink("answers");
	rmdir(dir);
	return done_testing();
}
