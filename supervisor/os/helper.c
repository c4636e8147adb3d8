/*
 * Work on files that may never be done, or take long: a file system can be one that a program of
 * the target's user serves (FUSE), or one whose server is gone, and a wait for its answer may not
 * even end with our death.  So a process of its own does such work, and we ask now and then what
 * has come of it.  It is nobody's child, so that nobody waits for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each of our processes has one end of a pipe as long as it lives; `in` is the other end. */
struct helper {
	int in;
	struct helper *next; /* of those that are left */
};

static struct helper *left;
static unsigned n, nleft; /* all; and those of them that nobody asks for */

struct result {
	int ret, error;
	uint8_t arg[HELPER_BYTES];
};

static void
end(struct helper *a)
{
	close(a->in);
	free(a);
	n--;
}

static bool
has_news(const struct helper *a, int ms)
{
	struct pollfd news = { .fd = a->in, .events = POLLIN };

	return poll(&news, 1, ms) == 1;
}

static void
forget_those_that_have_ended(void)
{
	for (struct helper **at = &left, *a; (a = *at) != NULL;) {
		if (has_news(a, 0)) {
			*at = a->next;
			nleft--;
			end(a);
		} else {
			at = &a->next;
		}
	}
}

bool
helper_has_room(void)
{
	forget_those_that_have_ended();
	return n - nleft < HELPER_MOST && nleft < HELPER_LEFT;
}

static void __attribute__((noreturn)) tell(int out, struct result *r, int ret)
{
	r->error = errno;
	r->ret = ret;
	_exit(write(out, r, sizeof(*r)) == sizeof(*r) ? 0 : 1);
}

/* In the child, or in the process between: its end is news of a child that the loop does not know.
 */
static void __attribute__((noreturn)) be_helper(int (*work)(void *arg), const void *arg, size_t len,
                                                const int *keep, size_t nkeep, int out, bool ours)
{
	struct result r = { 0 };
	int kept[HELPER_KEPT + 1];
	const pid_t pid = ours ? 0 : fork();

	if (pid < 0)
		tell(out, &r, -1);
	if (pid > 0)
		_exit(0);
	for (size_t i = 0; i < nkeep; i++)
		kept[i] = keep[i];
	kept[nkeep] = out;
	fds_close_but(kept, nkeep + 1, 0);
	own_cpu_leave();
	memcpy(r.arg, arg, len);
	tell(out, &r, work(r.arg));
}

/* From here on our own end of the pipe is ours, and tells us by CONTROL_SIGNAL that there is news.
 */
static void
ask_for_signal(int in)
{
	fcntl(in, F_SETOWN, getpid());
	fcntl(in, F_SETFL, O_ASYNC);
}

static struct helper *
begin(int (*work)(void *arg), const void *arg, size_t len, const int *keep, size_t nkeep, bool ours)
{
	struct helper *a;
	int pipe_end[2], saved;
	pid_t pid;

	if (!helper_has_room()) {
		errno = EAGAIN;
		return NULL;
	}
	a = malloc(sizeof(*a));
	if (a == NULL || pipe2(pipe_end, O_CLOEXEC) < 0) {
		free(a);
		return NULL;
	}
	ask_for_signal(pipe_end[0]);
	pid = fork();
	if (pid == 0)
		be_helper(work, arg, len, keep, nkeep, pipe_end[1], ours);
	saved = errno;
	close(pipe_end[1]);
	a->in = pipe_end[0];
	n++;
	if (pid < 0) {
		end(a);
		errno = saved;
		return NULL;
	}
	return a;
}

/*
 * Begins work(arg), of `len` bytes (HELPER_BYTES at the most) at any address.  Nothing else that it
 * changes is changed for us, and of our descriptors it has those of `keep` only (HELPER_KEPT at the
 * most).  NULL with errno; EAGAIN: so many are under way that no more are begun.
 */
struct helper *
helper_begin(int (*work)(void *arg), const void *arg, size_t len, const int *keep, size_t nkeep)
{
	return begin(work, arg, len, keep, nkeep, false);
}

/* The same for work that is sure to be done: the process is our child, and the run does not end
 * before it. */
struct helper *
helper_begin_ours(int (*work)(void *arg), const void *arg, size_t len, const int *keep,
                  size_t nkeep)
{
	return begin(work, arg, len, keep, nkeep, true);
}

/*
 * What work(arg) has returned, with its errno; *arg is as that has left it.  -1 with EINPROGRESS:
 * it is not done after `ms`; else `a` is gone.  EIO: it was killed.
 */
int
helper_end(struct helper *a, void *arg, size_t len, int ms)
{
	struct result r;
	ssize_t got;

	if (!has_news(a, ms)) {
		errno = EINPROGRESS;
		return -1;
	}
	got = read(a->in, &r, sizeof(r));
	end(a);
	if (got != sizeof(r)) {
		errno = EIO;
		return -1;
	}
	memcpy(arg, r.arg, len);
	errno = r.error;
	return r.ret;
}

/* Its result is not wanted any more.  `a` may be NULL. */
void
helper_leave(struct helper *a)
{
	if (a == NULL)
		return;
	a->next = left;
	left = a;
	nleft++;
}
