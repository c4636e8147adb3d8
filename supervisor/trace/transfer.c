/*
 * System calls that a stop ends before they are done: which they are, on what, and how each goes
 * on.  Pure.
 *
 * A stop wakes a thread like a signal.  A call that has moved a part of its data then returns that
 * part's size, which alone it would not do.  One that waits fails with EINTR.  Begun again as it
 * was, it would wait for its full time, and with a signal now and then it would never see the end
 * of it; so its time counts from its beginning.
 *
 * Not here: calls whose time is a point in time, and those that the kernel begins again for what is
 * left (poll, select, nanosleep, futex).
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* With these flags a second call can't move the rest, or would move something else. */
#define NOT_SENT     (MSG_ZEROCOPY | MSG_OOB)
#define NOT_RECEIVED (MSG_PEEK | MSG_OOB | MSG_ERRQUEUE)

/* A write may be short for us alone; in a regular file it is for want of room, or at a limit. */
#define WRITTEN  (STREAM | PIPE | FLOW | ENDLESS)
#define SENDS    .clock = SEND, .error = -EINTR, .in_time = -EAGAIN
#define RECEIVES .clock = RECEIVE, .error = -EINTR, .in_time = -EAGAIN

/* io_pgetevents alone says EINTR in the kernel's own way. */
enum { ERESTARTNOHAND_INTERNAL = 514 };

static const struct transfer_row rows[] = {
	{ SYS_write, BYTES, 1, 2, .on = WRITTEN, SENDS },
	{ SYS_writev, VECTOR, 1, 2, .piece_nr = SYS_write, .on = WRITTEN, SENDS },
	{ SYS_sendto, BYTES, 1, 2, 3, 0, NOT_SENT, .on = STREAM, SENDS },
	{ SYS_sendmsg, MESSAGE, 1, 0, 2, 0, NOT_SENT, SYS_sendto, STREAM, SENDS },
	{ SYS_recvfrom, BYTES, 1, 2, 3, MSG_WAITALL, NOT_RECEIVED, .on = STREAM, RECEIVES },
	{ SYS_recvmsg, MESSAGE, 1, 0, 2, MSG_WAITALL, NOT_RECEIVED, SYS_recvfrom, STREAM,
	  RECEIVES },
	{ SYS_sendmmsg, MESSAGES, 1, 2, 3, 0, NOT_SENT, .on = DATAGRAMS, .clock = SEND },
	{ SYS_recvmmsg, MESSAGES, 1, 2, 3, 0, NOT_RECEIVED | MSG_WAITFORONE, .on = DATAGRAMS,
	  .clock = RECEIVE },
	{ SYS_sendfile, COUNT, 0, 3, .on = STREAM | REGULAR },
	{ SYS_copy_file_range, COUNT, 0, 4, .on = REGULAR },
	{ SYS_getrandom, BYTES, 0, .len = 1 },
	{ SYS_read, BYTES, 1, 2, .on = ENDLESS, RECEIVES },
	{ SYS_readv, VECTOR, 1, 2, .piece_nr = SYS_read, .on = ENDLESS, RECEIVES },
	{ SYS_io_uring_enter, WORK, .len = 2, .flags = 3, .set = IORING_ENTER_GETEVENTS,
	  .on = OWN_RING, .clock = RING, .time = 4, .error = -EINTR, .in_time = -ETIME },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, AGAIN, .clock = MILLISECONDS, .time = 3, .error = -EINTR },
#endif
	{ SYS_epoll_pwait, AGAIN, .clock = MILLISECONDS, .time = 3, .error = -EINTR },
	{ SYS_epoll_pwait2, AGAIN, .clock = TIMESPEC, .time = 3, .error = -EINTR },
	{ SYS_io_getevents, EVENTS, 3, 1, .clock = TIMESPEC, .time = 4, .error = -EINTR },
	{ SYS_io_pgetevents, EVENTS, 3, 1, .clock = TIMESPEC, .time = 4,
	  .error = -ERESTARTNOHAND_INTERNAL },
	{ SYS_rt_sigtimedwait, AGAIN, .clock = TIMESPEC, .time = 2, .error = -EINTR,
	  .in_time = -EAGAIN },
	{ SYS_semtimedop, AGAIN, .clock = TIMESPEC, .time = 3, .error = -EINTR,
	  .in_time = -EAGAIN },
	{ SYS_accept, AGAIN, .on = STREAM, RECEIVES },
	{ SYS_accept4, AGAIN, .on = STREAM, RECEIVES },
	{ SYS_recvmmsg, AGAIN, .on = STREAM, RECEIVES },
	{ SYS_sendmmsg, AGAIN, .on = STREAM, SENDS },
	{ SYS_connect, AGAIN, .on = STREAM, .clock = SEND, .error = -EINTR,
	  .in_time = -EINPROGRESS },
};

static bool
may_be_cut(const struct transfer_row *row, const struct made_call *made)
{
	const uint64_t flags = row->flags == 0 ? 0 : made->args[row->flags];

	if (made->result < 0)
		return made->result == row->error;
	/* It has not waited if it has not taken all that was handed in. */
	if (row->moves == WORK && (uint64_t)made->result != (uint32_t)made->args[1])
		return false;
	return made->result > 0 && row->moves != AGAIN && (flags & row->set) == row->set &&
	       (flags & row->clear) == 0;
}

/* The most that the kernel moves in one call. */
static uint64_t
at_most(uint64_t bytes)
{
	enum { MOST = 0x7ffff000 };

	return bytes < MOST ? bytes : MOST;
}

/* Makes a transfer of a call.  False: its result is never a stop's doing, or the rest can't be
 * moved. */
bool
transfer_of(struct transfer *tr, const struct made_call *made)
{
	const struct transfer_row *row = rows, *end = rows + sizeof(rows) / sizeof(rows[0]);

	while (row < end && (row->nr != made->nr || !may_be_cut(row, made)))
		row++;
	if (row == end)
		return false;
	*tr = (struct transfer){
		.row = row, .moves = row->moves, .made = *made, .total = 1, .in_time = row->in_time
	};
	if (made->result < 0) {
		tr->moves = AGAIN;
		tr->result = -EINTR;
		return true;
	}
	tr->result = made->result;
	if (tr->moves != WORK)
		tr->done = (uint64_t)made->result;
	if (tr->moves == BYTES || tr->moves == COUNT || tr->moves == WORK)
		tr->total = at_most(made->args[row->len]);
	if (tr->moves == MESSAGES)
		tr->total = made->args[row->len] < IOV_MAX ? made->args[row->len] : IOV_MAX;
	if (tr->moves == EVENTS)
		tr->total = made->args[row->len];
	return true;
}

/* Notes the pieces of a vector or a message. */
void
transfer_count(struct transfer *tr, const struct iovec *piece, size_t n)
{
	tr->piece = piece;
	tr->n = n;
	tr->total = 0;
	for (size_t i = 0; i < n; i++)
		tr->total = at_most(tr->total + at_most(piece[i].iov_len));
}

bool
transfer_is_whole(const struct transfer *tr)
{
	return tr->done >= tr->total;
}

/* Whether the thread waits, until the call's time is over.  It may be stopped at any time. */
bool
transfer_is_wait(const struct transfer *tr)
{
	return tr->moves == AGAIN;
}

bool
transfer_is_waited_in(const struct tracee *t)
{
	return t->continuation != NULL && transfer_is_wait(&t->continuation->transfer);
}

/* Returns the first piece that is not done, from where it is not. */
static struct iovec
rest_of_piece(const struct transfer *tr, bool *last)
{
	uint64_t skip = tr->done;
	size_t i = 0;

	while (i + 1 < tr->n && skip >= tr->piece[i].iov_len)
		skip -= tr->piece[i++].iov_len;
	*last = i + 1 == tr->n;
	return (struct iovec){ (uint8_t *)tr->piece[i].iov_base + skip,
		               tr->piece[i].iov_len - skip };
}

/* The first part has named the destination, and has connected the socket.  Without us a call that
 * has sent a part ends without SIGPIPE, and only the next one has that. */
static void
set_flags(struct made_call *next, uint64_t flags, bool last)
{
	if (next->nr == SYS_sendto)
		flags = (flags & ~(uint64_t)MSG_FASTOPEN) | MSG_NOSIGNAL | (last ? 0 : MSG_MORE);
	next->args[3] = flags;
	next->args[4] = next->args[5] = 0;
}

/* Makes the call for the rest of the data; the same kernel function carries out both. */
static void
rest_of_data(const struct transfer *tr, struct made_call *next)
{
	const struct transfer_row *row = tr->row;
	bool last = true;

	if (tr->moves == BYTES) {
		next->args[row->data] += tr->done;
		next->args[row->len] -= tr->done;
	} else {
		const struct iovec rest = rest_of_piece(tr, &last);

		next->nr = row->piece_nr;
		next->args[1] = (uintptr_t)rest.iov_base;
		next->args[2] = rest.iov_len;
	}
	if (tr->quiet && next->nr == SYS_write)
		next->nr = SYS_sendto;
	if (next->nr == SYS_sendto || next->nr == SYS_recvfrom)
		set_flags(next, row->flags == 0 ? 0 : tr->made.args[row->flags], last);
}

/* The kernel fails with 512 if a stop has ended its wait for a second message: that is taken back
 * by the rest, too. */
static void
rest_of_messages(const struct transfer *tr, struct made_call *next)
{
	next->args[tr->row->data] += tr->done * sizeof(struct mmsghdr);
	next->args[tr->row->len] = tr->total - tr->done;
}

/* The kernel returns those that are there to whom a stop wakes, also if they are fewer. */
static void
rest_of_events(const struct transfer *tr, struct made_call *next)
{
	next->args[tr->row->data] += tr->done * sizeof(struct io_event);
	next->args[tr->row->len] -= tr->done;
	next->args[2] -= tr->done;
}

void
transfer_rest(const struct transfer *tr, struct made_call *next)
{
	*next = tr->made;
	if (tr->moves == WORK)
		next->args[1] = 0; /* nothing is left to be submitted */
	else if (tr->moves == COUNT)
		next->args[tr->row->len] -= tr->done;
	else if (tr->moves == MESSAGES)
		rest_of_messages(tr, next);
	else if (tr->moves == EVENTS)
		rest_of_events(tr, next);
	else if (tr->moves != AGAIN)
		rest_of_data(tr, next);
}

/* The time of the call is over. */
void
transfer_end_in_time(struct transfer *tr)
{
	if (transfer_is_wait(tr))
		tr->result = tr->in_time;
}

/* Errors that end no call: EINTR, and those that only the kernel sees. */
static bool
is_interruption(int64_t result)
{
	return result == -EINTR || (result <= -512 && result >= -516);
}

/* Takes the result of the rest.  Returns whether there is more to do: not after an error, or at a
 * file's end; what the kernel itself would begin again is begun again. */
bool
transfer_went(struct transfer *tr, int64_t result)
{
	if (is_interruption(result))
		return true;
	if (tr->moves == AGAIN)
		tr->result = result;
	if (tr->moves == AGAIN || tr->moves == WORK || result <= 0)
		return false;
	tr->done += (uint64_t)result;
	tr->result = (int64_t)tr->done;
	return !transfer_is_whole(tr);
}
