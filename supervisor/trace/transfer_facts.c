/*
 * What /proc and the target's memory tell of a call that was cut short: what its descriptor is open
 * on, and its vectors and messages.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Compares the ends only: in a chroot a device has a longer name. */
static bool
ends_with(const char *link, const char *end)
{
	const size_t len = strlen(link), n = strlen(end);

	return len >= n && strcmp(link + len - n, end) == 0;
}

/* Whether a read of the descriptor is always as long as asked for. */
static bool
is_endless(pid_t tid, int fd)
{
	char link[PATH_MAX];

	return procfs_fd_link(tid, fd, link, sizeof(link)) == 0 &&
	       (ends_with(link, "/dev/zero") || ends_with(link, "/dev/full") ||
	        ends_with(link, "/dev/random") || ends_with(link, "/dev/urandom"));
}

/* Whether the descriptor is no pipe, which takes no more at once than it has room for, also without
 * us.  A named pipe has no position. */
static bool
is_no_pipe(pid_t tid, int fd)
{
	char link[PATH_MAX];
	uint64_t position;

	if (procfs_fd_link(tid, fd, link, sizeof(link)) < 0)
		return false;
	return strncmp(link, "socket:", 7) == 0 || ends_with(link, "/dev/null") ||
	       (link[0] == '/' && !procfs_limits_files(tid) &&
	        procfs_fd_position(tid, fd, &position) == 0 && position != 0);
}

/* Whether a stop can cut a write short: a regular file takes a part for want of room, or at a
 * limit. */
static bool
is_flow(const struct tracee *t, struct transfer *tr, int fd, const char *link)
{
	struct socket_facts facts;
	uint64_t position;

	if (strncmp(link, "pipe:", 5) == 0)
		return true;
	if (!tr->to_socket)
		return link[0] == '/' && procfs_fd_position(t->tid, fd, &position) == 0 &&
		       position == 0;
	if (mem_socket(t->proc, fd, &facts) < 0)
		return false;
	tr->timeout = facts.send;
	return true;
}

/* Whether the descriptor is what the call needs.  No file system is asked, which need not
 * answer. */
bool
transfer_fits(const struct tracee *t, struct transfer *tr)
{
	const int fd = (int)tr->made.args[0];
	char link[PATH_MAX] = "";
	struct socket_facts facts;

	if (tr->needs != NO_FILE && procfs_fd_link(t->tid, fd, link, sizeof(link)) == 0) {
		memcpy(tr->link, link, sizeof(tr->link) - 1);
		tr->to_socket = tr->needs == FLOW && strncmp(link, "socket:", 7) == 0;
		tr->quiet =
		    tr->to_socket && !procfs_has_filter(t->tid) && !procfs_is_strict(t->tid);
	}
	switch (tr->needs) {
	case FLOW:
		return is_flow(t, tr, fd, link);
	case ANY_FILE:
		return !procfs_limits_files(t->tid);
	case NO_FILE:
		return true;
	case NO_PIPE:
		return is_no_pipe(t->tid, fd);
	case ENDLESS_FILE:
		return is_endless(t->tid, fd);
	case TIME:
		tr->timeout =
		    timed_length(t, tr->timed, &tr->made, strncmp(link, "socket:", 7) == 0);
		return tr->timeout != 0;
	case OWN_RING:
		return !t->proc->threaded;
	case STREAM:
		if (mem_socket(t->proc, fd, &facts) < 0)
			return false;
		tr->timeout = facts.receive;
		return facts.type == SOCK_STREAM;
	}
	return false;
}

/* Reads the pieces as they are now; the kernel had its own copy.  False: they can't be read. */
static bool
read_vector(struct proc *proc, struct transfer *tr, uint64_t addr, uint64_t n)
{
	enum { AT_ONCE = MEMJOB_BYTES / sizeof(tr->piece[0]) };

	if (n == 0 || n > IOV_MAX)
		return false;
	tr->piece = calloc(n, sizeof(tr->piece[0]));
	if (tr->piece == NULL)
		return false;
	for (tr->n = 0; tr->n < n;) {
		const size_t some = n - tr->n < AT_ONCE ? n - tr->n : AT_ONCE;

		if (mem_read(proc, addr + tr->n * sizeof(tr->piece[0]), &tr->piece[tr->n],
		             some * sizeof(tr->piece[0])) < 0)
			return false;
		tr->n += some;
	}
	transfer_count(tr);
	return true;
}

/* False if there is control data: descriptors that come with the rest would be lost, and so would
 * credentials that go with it. */
static bool
read_message(struct proc *proc, struct transfer *tr, uint64_t addr)
{
	struct msghdr m;

	if (mem_read(proc, addr, &m, sizeof(m)) < 0 || m.msg_control != NULL)
		return false;
	return read_vector(proc, tr, (uintptr_t)m.msg_iov, m.msg_iovlen);
}

/* Reads what the call names.  False: it can't be read. */
bool
transfer_complete(const struct tracee *t, struct transfer *tr)
{
	uint64_t addr, n;

	if (transfer_vector(tr, &addr, &n))
		return read_vector(t->proc, tr, addr, n);
	if (transfer_message(tr, &addr))
		return read_message(t->proc, tr, addr);
	return true;
}

/* Whether the descriptor is still open on the same file: another thread may have changed that. */
bool
transfer_is_where_it_was(const struct tracee *t, const struct transfer *tr)
{
	char link[PATH_MAX] = "";

	return tr->link[0] == '\0' ||
	       (procfs_fd_link(t->tid, (int)tr->made.args[0], link, sizeof(link)) == 0 &&
	        strncmp(tr->link, link, sizeof(tr->link) - 1) == 0);
}

/* Whether the thread waits, and may be stopped at any time. */
bool
transfer_is_waited_in(const struct tracee *t)
{
	return t->continuation != NULL && transfer_is_wait(&t->continuation->transfer);
}
