/*
 * System calls that wait for a time of their own and are begun again after a signal that does
 * nothing: which they are, and how long they wait.
 *
 * In a traced process such a signal, and our stop, end the wait with EINTR.  Begun again as it was,
 * the call would wait for its full time, and with a signal now and then it would never see the end
 * of it.  So its time counts from its beginning: continuation.c ends the wait when it is over.
 *
 * Not here: calls whose time is a point in time, and those that the kernel begins again for what is
 * left (poll, select, nanosleep, futex).
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* How a call says how long it waits. */
enum form {
	MILLISECONDS, /* an int */
	TIMESPEC,     /* the address of one */
	RING,         /* of io_uring's arguments, which have the address of a timespec */
	RECEIVE,      /* by an option of the socket */
	SEND,
};

struct timed_call {
	long nr;
	enum form form;
	int arg;     /* the argument that has it */
	int timeout; /* result when the time is over */
};

static const struct timed_call calls[] = {
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, MILLISECONDS, 3, 0 },
#endif
	{ SYS_epoll_pwait, MILLISECONDS, 3, 0 },
	{ SYS_epoll_pwait2, TIMESPEC, 3, 0 },
	{ SYS_rt_sigtimedwait, TIMESPEC, 2, -EAGAIN },
	{ SYS_semtimedop, TIMESPEC, 3, -EAGAIN },
	{ SYS_io_getevents, TIMESPEC, 4, 0 },
	{ SYS_io_pgetevents, TIMESPEC, 4, 0 },
	{ SYS_io_uring_enter, RING, 4, -ETIME },
	{ SYS_accept, RECEIVE, 0, -EAGAIN },
	{ SYS_accept4, RECEIVE, 0, -EAGAIN },
	{ SYS_recvfrom, RECEIVE, 0, -EAGAIN },
	{ SYS_recvmsg, RECEIVE, 0, -EAGAIN },
	{ SYS_recvmmsg, RECEIVE, 0, -EAGAIN },
	{ SYS_read, RECEIVE, 0, -EAGAIN },
	{ SYS_readv, RECEIVE, 0, -EAGAIN },
	{ SYS_connect, SEND, 0, -EINPROGRESS },
	{ SYS_sendto, SEND, 0, -EAGAIN },
	{ SYS_sendmsg, SEND, 0, -EAGAIN },
	{ SYS_sendmmsg, SEND, 0, -EAGAIN },
	{ SYS_write, SEND, 0, -EAGAIN },
	{ SYS_writev, SEND, 0, -EAGAIN },
};

/* io_pgetevents alone says so in the kernel's own way. */
enum { ERESTARTNOHAND_INTERNAL = 514 };

/* Returns the kind of a call that was interrupted, NULL for any other.  Pure. */
const struct timed_call *
timed_find(const struct made_call *made)
{
	if (made->result != -EINTR &&
	    (made->result != -ERESTARTNOHAND_INTERNAL || made->nr != SYS_io_pgetevents))
		return NULL;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].nr == made->nr)
			return &calls[i];
	return NULL;
}

int
timed_result(const struct timed_call *call)
{
	return call->timeout;
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

/* Returns how long the call waits, ns; 0: without an end, or that is not known. */
uint64_t
timed_length(const struct tracee *t, const struct timed_call *call, const struct made_call *made,
             bool is_socket)
{
	struct socket_facts facts;

	switch (call->form) {
	case MILLISECONDS:
		return (int)made->args[call->arg] < 0
		           ? 0
		           : (uint64_t)(int)made->args[call->arg] * (NSEC / 1000);
	case TIMESPEC:
		return read_time(t->proc, made->args[call->arg]);
	case RING:
		return ring_time(t->proc, made);
	case RECEIVE:
	case SEND:
		if (!is_socket || mem_socket(t->proc, (int)made->args[0], &facts) < 0)
			return 0;
		return call->form == SEND ? facts.send : facts.receive;
	}
	return 0;
}
