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

/* Where all descriptors are taken, a process that is profiled already still needs one at a time:
 * for its CPU time, and for its file. */
static int spare = -1;

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
	spare = -1;
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
	if (spare < 0)
		spare = eventfd(0, EFD_CLOEXEC);
	return spare >= 0;
}

/* Gives the spare one up, if there was no other.  True: to open a file may be tried again; when
 * that is closed, fds_have_spare() is to be called.  False: errno is as it was. */
bool
fds_spend_spare(void)
{
	if (spare < 0 || errno != EMFILE)
		return false;
	close(spare);
	spare = -1;
	return true;
}
