/*
 * Closes all descriptors but a few, copies descriptors of other processes, has one to spare, and
 * says how often a call on one is tried.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where all descriptors are taken, a process that is followed already still needs one at a time:
 * for its CPU time, for what it does with a signal, and for its file. */
enum { NEVER_TAKEN = -1, SPENT = -2 };
static int spare = NEVER_TAKEN;

/* Copies a process's descriptor.  Only for files whose closing can't wait for a file system. */
int
fds_copy_of(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);

	fds_close(process);
	return copy;
}

/* Closes all descriptors from `from` on, except the `n` in `keep`; the spare one with them. */
void
fds_close_but(const int *keep, size_t n, unsigned from)
{
	spare = NEVER_TAKEN;
	for (;;) {
		unsigned next = ~0U;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from)
			close_range(from, next == ~0U ? next : next - 1, 0);
		if (next == ~0U)
			return;
		from = next + 1;
	}
}

/* Whether a call that has failed is made again, after `*tries` times, 0 at first: not for ever, as
 * a file system in user space may say what it likes. */
bool
fds_again(int *tries)
{
	return errno == EINTR && (*tries)++ < 100;
}

/* Takes a descriptor to spare, if there is none.  Returns whether there is one now. */
bool
fds_have_spare(void)
{
	const int fd = spare >= 0 ? spare : eventfd(0, EFD_CLOEXEC);

	if (fd >= 0)
		spare = fd;
	return fd >= 0;
}

static bool
in_first_thread(void)
{
	return gettid() == getpid();
}

/* Gives the spare one up, if there was no other, for the first thread, whose it is.  True: to open
 * a file may be tried again; that is then closed by fds_give_back().  False: errno is as it was. */
bool
fds_spend_spare(void)
{
	if (spare < 0 || errno != EMFILE || !in_first_thread())
		return false;
	close(spare);
	spare = SPENT;
	return true;
}

/* Closes what was opened for a moment; errno is as it was. */
void
fds_give_back(int fd)
{
	const int saved = errno;

	fds_close(fd);
	if (spare == SPENT && in_first_thread())
		fds_have_spare();
	errno = saved;
}
