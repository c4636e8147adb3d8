/*
 * --top: once a second profsup-report gets what the samples have brought of the processes that use
 * most, and shows it.  No thread is stopped for that.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/file.h"

#include "pass.h"
#include "view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define REFRESH_NS NSEC
/* Views take no more than 1 / SHARE of our time. */
enum { SHARE = 50 };
/* With more frames a process is shown without its stacks. */
enum { MANY_FRAMES = 1 << 14 };
/* Few views wait for a reader that is slow: each is a copy of all. */
enum { WAITING_BYTES = 4096 };

_Static_assert((int)VIEW_FILES <= (int)PASS_FILES, "a view goes with one message");

/* A process and its ticks since the last view. */
struct busy {
	struct proc *proc;
	uint64_t fresh;
};

static struct view {
	struct busy busy[VIEW_PROCESSES];
	unsigned n;
	char text[VIEW_TEXT];
	size_t len;
} view;

static struct helper *sender; /* of the last view; NULL: it has been sent */
static uint64_t began, last, next;
static uint64_t ended; /* ticks since the last view of processes that have ended */

/* Called before there is a supervisor.  Returns the reader's end; ps->top_fd is ours. */
int
top_prepare(struct profsup *ps)
{
	const int most = WAITING_BYTES;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		log_fatal("--top: socketpair: %m");
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &most, sizeof(most));
	ps->top_fd = pair[0];
	return pair[1];
}

static bool
is_busier(const struct busy *a, const struct busy *b)
{
	if (a->fresh != b->fresh)
		return a->fresh > b->fresh;
	return counts_ticks(&a->proc->profile->counts) > counts_ticks(&b->proc->profile->counts);
}

/* Lists the busiest processes first; returns how many there are in all. */
static unsigned
find_busy(const struct profsup *ps, uint64_t *fresh)
{
	struct busy *busy = view.busy;
	unsigned all = 0;

	view.n = 0;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		struct profile *p = proc->profile;
		struct busy b = { proc, 0 };
		unsigned i;

		if (p == NULL || proc->end.done || p->fileless)
			continue;
		all++;
		b.fresh = counts_ticks(&p->counts) - p->viewed;
		p->viewed += b.fresh;
		*fresh += b.fresh;
		for (i = view.n; i > 0 && is_busier(&b, &busy[i - 1]); i--)
			if (i < VIEW_PROCESSES)
				busy[i] = busy[i - 1];
		if (i < VIEW_PROCESSES)
			busy[i] = b;
		view.n += view.n < VIEW_PROCESSES;
	}
	return all;
}

/* Appends a text and its NUL byte. */
__attribute__((format(printf, 1, 2))) static void
put(const char *fmt, ...)
{
	const size_t room = sizeof(view.text) - view.len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(view.text + view.len, room, fmt, ap);
	va_end(ap);
	view.len += n >= 0 && (size_t)n < room ? (size_t)n + 1 : 0;
}

static bool
has_stacks(const struct counts *c)
{
	return c->stacks.nodes != NULL && HASH_COUNT(c->stacks.nodes) <= MANY_FRAMES;
}

static void
write_text(const struct profsup *ps, uint64_t now)
{
	uint64_t fresh = 0;
	const unsigned all = find_busy(ps, &fresh);

	view.len = 0;
	put("%llu %llu %u %llu %u %llu %llu", (unsigned long long)(now - began),
	    (unsigned long long)(now - last), ps->opt.hz, (unsigned long long)ps->period, all,
	    (unsigned long long)fresh, (unsigned long long)ended);
	for (unsigned i = 0; i < view.n; i++) {
		const struct proc *proc = view.busy[i].proc;
		const struct profile *p = proc->profile;

		put("%d %llu %llu %d %d", proc->pid, (unsigned long long)view.busy[i].fresh,
		    (unsigned long long)counts_ticks(&p->counts), p->bare, has_stacks(&p->counts));
		put("%s", p->place->name);
		put("%s", p->place->path);
	}
}

/* Returns a file in memory with the bytes, -1 with errno. */
static int
in_memory(struct buffer *b)
{
	const int fd = memfd_create("view", MFD_CLOEXEC);

	if (fd >= 0 && file_write(fd, b) < 0) {
		close(fd);
		return -1;
	}
	buffer_free(b);
	return fd;
}

/* Sends the view, or not if the reader is late.  Runs in a helper, which has all counts as they
 * were at its start. */
static int
send_view(void *arg)
{
	const struct profsup *ps = *(const void *const *)arg;
	int fds[VIEW_FILES];
	size_t n = 0;

	for (unsigned i = 0; i < view.n; i++) {
		struct proc *proc = view.busy[i].proc;
		struct counts *c = &proc->profile->counts;
		struct buffer b = { 0 };

		arcs_subtract(&c->arcs, &c->minus);
		if (gmon_encode(c, &proc->image.elf.id, ps->opt.hz, &b) < 0 ||
		    (fds[n++] = in_memory(&b)) < 0)
			return -1;
		if (has_stacks(c) &&
		    (stacks_file_encode(c, &proc->image.elf.id, proc->profile->place->name,
		                        ps->opt.hz, &b) < 0 ||
		     (fds[n++] = in_memory(&b)) < 0))
			return -1;
	}
	return pass_send(ps->top_fd, view.text, view.len, fds, n, MSG_DONTWAIT) ? 0 : -1;
}

/* Whether the reader may draw: the terminal is another process group's while we are in the
 * background, or stopped. */
static bool
is_our_terminal(const struct profsup *ps)
{
	pid_t group, foreground;

	if (isatty(STDERR_FILENO) != 1)
		return true;
	if (!procfs_runs_in(ps->front.pid, &group, &foreground))
		return false;
	return foreground <= 0 || foreground == group || proc_find(ps, foreground) != NULL;
}

/* Called when a process's image ends. */
void
top_end(const struct profile *p)
{
	if (!p->fileless)
		ended += counts_ticks(&p->counts) - p->viewed;
}

/* Whether the last view is still being sent. */
static bool
is_sending(void)
{
	const void *run;

	if (sender == NULL || helper_end(sender, &run, sizeof(run), 0) == 0 || errno != ETIMEDOUT)
		sender = NULL;
	return sender != NULL;
}

static void
show(const struct profsup *ps, uint64_t now)
{
	const void *run = ps;

	view.len = 0;
	if (is_our_terminal(ps)) {
		write_text(ps, now);
		sender =
		    helper_begin(ps->caller.user, send_view, &run, sizeof(run), &ps->top_fd, 1);
	} else {
		put(VIEW_HIDE);
		pass_send(ps->top_fd, view.text, view.len, NULL, 0, MSG_DONTWAIT);
	}
	last = now;
	ended = 0;
}

/* Sends a view when it is due, but not while a round waits for a thread to stop. */
void
top_tick(struct profsup *ps)
{
	uint64_t now, took;

	if (!ps->opt.top || ps->round.waiting != 0)
		return;
	now = clock_now();
	if (now < next || is_sending())
		return;
	if (began == 0) {
		if (ps->stats.profiled == 0)
			return;
		began = last = now;
		ended = 0;
		next = now + REFRESH_NS;
		return;
	}
	show(ps, now);
	took = clock_now() - now;
	next = now + (took * SHARE > REFRESH_NS ? took * SHARE : REFRESH_NS);
}
