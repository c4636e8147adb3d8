/*
 * Closes all descriptors but a few, and copies descriptors of other processes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Copies a process's descriptor.  Only for files whose closing can't wait for a file system. */
int
fds_copy_of(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);

	if (process >= 0)
		close(process);
	return copy;
}

/* Closes all descriptors from `from` on, except the `n` in `keep`. */
void
fds_close_but(const int *keep, size_t n, unsigned from)
{
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
