/*
 * What /proc and the target's memory tell of a call that a stop has ended: what its descriptor is
 * open on, how long it may wait, and its vector or message.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* How long the rest of what a local socket receives may take. */
#define LOCAL_NS (2 * NSEC)

static enum transfer_file
socket_of(struct proc *proc, struct transfer *tr, int fd, struct socket_facts *facts)
{
	tr->unknown = mem_socket(proc, fd, facts) < 0;
	if (tr->unknown)
		return OTHER;
	if (facts->type == SOCK_STREAM)
		return STREAM;
	return facts->type == SOCK_DGRAM || facts->type == SOCK_SEQPACKET ? DATAGRAMS : OTHER;
}

/* A copy within a file is not made for the rest: that would be what the first part has added. */
static bool
is_onto_itself(const struct tracee *t, const struct transfer *tr, const struct statx *from)
{
	struct statx to;

	return tr->made.nr == SYS_copy_file_range &&
	       (procfs_fd_file(t->tid, (int)tr->made.args[2], &to) < 0 ||
	        (to.stx_ino == from->stx_ino && to.stx_dev_major == from->stx_dev_major &&
	         to.stx_dev_minor == from->stx_dev_minor));
}

/* A device by its number: anything may have its name. */
static enum transfer_file
device_of(const struct statx *file)
{
	enum { MEMORY = 1, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
	const unsigned minor = file->stx_rdev_minor;

	if (file->stx_rdev_major != MEMORY)
		return FLOW;
	return minor == ZERO || minor == FULL || minor == RANDOM || minor == URANDOM ? ENDLESS
	                                                                             : OTHER;
}

static enum transfer_file
file_of(const struct tracee *t, struct transfer *tr, int fd, struct socket_facts *facts)
{
	char link[PATH_MAX] = "";
	struct statx file;

	if (procfs_fd_file(t->tid, fd, &file) < 0) {
		tr->unknown = true;
		return OTHER;
	}
	if (S_ISSOCK(file.stx_mode))
		return socket_of(t->proc, tr, fd, facts);
	if (S_ISFIFO(file.stx_mode))
		return PIPE;
	if (S_ISCHR(file.stx_mode))
		return device_of(&file);
	if (S_ISBLK(file.stx_mode))
		return REGULAR; /* it has the size that it has */
	if (S_ISREG(file.stx_mode))
		return procfs_limits_files(t->tid) || is_onto_itself(t, tr, &file) ? OTHER
		                                                                   : REGULAR;
	procfs_fd_link(t->tid, fd, link, sizeof(link));
	return strcmp(link, "anon_inode:[io_uring]") != 0 || t->proc->threaded ? OTHER : OWN_RING;
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

/* Descriptors that came with a part may have ended it, and nothing may come any more: their
 * receiver has dropped them, and nothing tells. */
static uint64_t
receive_time_of(const struct transfer *tr, const struct socket_facts *facts)
{
	if (tr->waited || transfer_is_wait(tr) || tr->moves == MESSAGES ||
	    facts->domain != AF_UNIX || (facts->receive != 0 && facts->receive < LOCAL_NS))
		return facts->receive;
	return LOCAL_NS;
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
		return receive_time_of(tr, facts);
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
	struct socket_facts facts = { 0 };
	enum transfer_file file = OTHER;

	if (tr->row->on != 0)
		file = file_of(t, tr, (int)tr->made.args[0], &facts);
	tr->timeout = time_of(t->proc, tr, &facts);
	if (tr->made.nr == SYS_connect && facts.domain == AF_UNIX)
		tr->in_time = -EAGAIN;
	if (transfer_is_wait(tr))
		return tr->timeout != 0;
	if (tr->row->clock == RECEIVE && facts.apart)
		return false;
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
