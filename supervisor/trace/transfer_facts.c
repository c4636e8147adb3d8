/*
 * What /proc and the target's memory tell of a call that a stop has ended: what its descriptor is
 * open on, how long it may wait, and its vector or message.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <fnmatch.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

static enum transfer_file
socket_of(struct proc *proc, int fd, struct socket_facts *facts)
{
	if (mem_socket(proc, fd, facts) < 0)
		return OTHER;
	if (facts->type == SOCK_STREAM)
		return STREAM;
	return facts->type == SOCK_DGRAM || facts->type == SOCK_SEQPACKET ? DATAGRAMS : OTHER;
}

/* No file system is asked, which need not answer. */
static enum transfer_file
file_of(const struct tracee *t, int fd, const char *link, struct socket_facts *facts)
{
	uint64_t position;

	if (strncmp(link, "socket:", 7) == 0)
		return socket_of(t->proc, fd, facts);
	if (strncmp(link, "pipe:", 5) == 0)
		return PIPE;
	if (strcmp(link, "anon_inode:[io_uring]") == 0)
		return t->proc->threaded ? OTHER : OWN_RING;
	/* The ends only: in a chroot a device has a longer name. */
	if (fnmatch("*/dev/zero", link, 0) == 0 || fnmatch("*/dev/full", link, 0) == 0 ||
	    fnmatch("*/dev/random", link, 0) == 0 || fnmatch("*/dev/urandom", link, 0) == 0)
		return ENDLESS;
	if (link[0] != '/' || procfs_limits_files(t->tid) ||
	    procfs_fd_position(t->tid, fd, &position) < 0)
		return OTHER;
	return position == 0 ? FLOW : REGULAR;
}

/* Reads a timespec of the program's.  Returns ns, 0: it is none, or not known. */
static uint64_t
read_time(struct proc *proc, uint64_t addr)
{
	struct timespec time;

	if (addr == 0 || mem_read(proc, addr, &time, sizeof(time)) < 0 || time.tv_sec < 0 ||
	    (uint64_t)time.tv_sec > UINT64_MAX / 4 / NSEC || (uint64_t)time.tv_nsec >= NSEC)
		return 0;
	return (uint64_t)time.tv_sec * NSEC + (uint64_t)time.tv_nsec;
}

static uint64_t
ring_time(struct proc *proc, const struct made_call *made)
{
	struct io_uring_getevents_arg arg;
	/* The others have no such argument, or a point in time. */
	const uint64_t known = IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP |
	                       IORING_ENTER_EXT_ARG | IORING_ENTER_REGISTERED_RING;

	if ((made->args[3] & IORING_ENTER_EXT_ARG) == 0 || (made->args[3] & ~known) != 0 ||
	    made->args[5] != sizeof(arg) || mem_read(proc, made->args[4], &arg, sizeof(arg)) < 0)
		return 0;
	return read_time(proc, arg.ts);
}

/* Returns how long the call may wait, ns; 0: without an end, or that is not known. */
static uint64_t
time_of(struct proc *proc, const struct transfer *tr, const struct socket_facts *facts)
{
	const uint64_t arg = tr->made.args[tr->row->time];

	switch (tr->row->clock) {
	case MILLISECONDS:
		return (int)arg < 0 ? 0 : (uint64_t)(int)arg * (NSEC / 1000);
	case TIMESPEC:
		return read_time(proc, arg);
	case RING:
		return ring_time(proc, &tr->made);
	case RECEIVE:
		return facts->receive;
	case SEND:
		return facts->send;
	case NO_CLOCK:
		break;
	}
	return 0;
}

/* Whether the call goes on: its descriptor is open on what the table asks for, or its wait has an
 * end by the clock. */
bool
transfer_fits(const struct tracee *t, struct transfer *tr)
{
	const int fd = (int)tr->made.args[0];
	struct socket_facts facts = { 0 };
	enum transfer_file file = OTHER;
	char link[PATH_MAX];

	if (tr->row->on != 0 && procfs_fd_link(t->tid, fd, link, sizeof(link)) == 0)
		file = file_of(t, fd, link, &facts);
	tr->timeout = time_of(t->proc, tr, &facts);
	if (transfer_is_wait(tr))
		return tr->timeout != 0;
	/* Each message has its own time, and recvmmsg one for all, too. */
	if (tr->moves == MESSAGES &&
	    (tr->timeout != 0 || (tr->made.nr == SYS_recvmmsg && tr->made.args[4] != 0)))
		return false;
	tr->quiet = file == STREAM && !procfs_has_filter(t->tid) && !procfs_is_strict(t->tid);
	return tr->row->on == 0 || (tr->row->on & file) != 0;
}

/* Reads the pieces as they are now; the kernel had its own copy. */
static bool
read_vector(struct proc *proc, struct transfer *tr, uint64_t addr, uint64_t n)
{
	static struct iovec piece[IOV_MAX];

	if (n == 0 || n > IOV_MAX || mem_read(proc, addr, piece, n * sizeof(piece[0])) < 0)
		return false;
	transfer_count(tr, piece, n);
	return true;
}

/* Reads what the call names, for the next call to overwrite.  False: it can't be read, or there is
 * control data: descriptors that come with the rest would be lost, and so would credentials that go
 * with it. */
bool
transfer_complete(const struct tracee *t, struct transfer *tr)
{
	const uint64_t addr = tr->made.args[tr->row->data];
	struct msghdr m;

	if (tr->moves == VECTOR)
		return read_vector(t->proc, tr, addr, tr->made.args[tr->row->len]);
	if (tr->moves != MESSAGE)
		return true;
	return mem_read(t->proc, addr, &m, sizeof(m)) == 0 && m.msg_control == NULL &&
	       read_vector(t->proc, tr, (uintptr_t)m.msg_iov, m.msg_iovlen);
}
