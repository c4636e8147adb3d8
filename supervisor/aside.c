/*
 * Work on files that may never be done: a file system can be one that a program of the target's
 * user serves (FUSE), or one whose server is gone, and a wait for its answer may not even end with
 * our death.  So a process of its own does such work, which is left to it if that takes too long.
 * It is nobody's child, so that nobody waits for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The more of them are left, the less patience; and no more than so many are made. */
static const struct {
	unsigned left;
	int ms;
} patience[] = { { 1, 3000 }, { 4, 500 }, { ASIDE_LEFT, 20 } };

/* Each has one end of a pipe as long as it lives; these are the other ends. */
static int left[ASIDE_LEFT];
static unsigned nleft;

struct result {
	int ret, error;
	uint8_t arg[ASIDE_BYTES];
};

static void
forget_those_that_have_ended(void)
{
	for (unsigned i = 0; i < nleft;) {
		struct pollfd end = { .fd = left[i] };

		if (poll(&end, 1, 0) == 1) {
			close(left[i]);
			left[i] = left[--nleft];
		} else {
			i++;
		}
	}
}

static void
close_all_but(int a, int b)
{
	const unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, UINT_MAX, 0);
}

static void __attribute__((noreturn))
be_aside(int (*work)(void *arg), const void *arg, size_t len, int keep, int out)
{
	struct result r = { 0 };

	close_all_but(keep >= 0 ? keep : out, out);
	memcpy(r.arg, arg, len);
	r.ret = work(r.arg);
	r.error = errno;
	if (write(out, &r, sizeof(r)) != sizeof(r))
		_exit(1);
	_exit(0);
}

/* Returns whether there is one.  `out` is its end of the pipe. */
static int
start(int (*work)(void *arg), const void *arg, size_t len, int keep, int out)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -1;
	if (pid == 0) {
		pid = fork();
		if (pid == 0)
			be_aside(work, arg, len, keep, out);
		_exit(pid < 0 ? errno : 0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
	return errno == 0 ? 0 : -1;
}

/* Its answer, or ETIMEDOUT if there is none so far. */
static int
hear(int in, void *arg, size_t len)
{
	struct pollfd news = { .fd = in, .events = POLLIN };
	struct result r;
	unsigned i = 0;
	ssize_t n;

	while (nleft >= patience[i].left)
		i++;
	if (poll(&news, 1, patience[i].ms) <= 0) {
		left[nleft++] = in;
		errno = ETIMEDOUT;
		return -1;
	}
	n = read(in, &r, sizeof(r));
	close(in);
	if (n != sizeof(r)) {
		errno = EIO; /* killed */
		return -1;
	}
	memcpy(arg, r.arg, len);
	errno = r.error;
	return r.ret;
}

/*
 * Returns what work(arg) does, with its errno; *arg, of `len` bytes (ASIDE_BYTES at the most) and
 * at any address, is as that leaves it.  Nothing else that it changes is changed for us, and of our
 * descriptors it has `keep` only (-1: none).  ETIMEDOUT: it is not done yet, and may never be.
 */
int
aside(int (*work)(void *arg), void *arg, size_t len, int keep)
{
	int end[2], ret, saved;

	forget_those_that_have_ended();
	if (nleft == ASIDE_LEFT) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (pipe2(end, O_CLOEXEC) < 0)
		return -1;
	ret = start(work, arg, len, keep, end[1]);
	saved = errno;
	close(end[1]);
	if (ret < 0) {
		close(end[0]);
		errno = saved;
		return -1;
	}
	return hear(end[0], arg, len);
}
