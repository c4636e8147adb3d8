/*
 * System calls that move data and that a stop cuts short: which they are, and what is left to do of
 * one.  Pure.
 *
 * A stop wakes a thread like a signal.  A call that has moved a part of its data then returns that
 * part's size, which alone it would not do.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* How a call names its data. */
enum shape {
	BYTES,   /* an address and a length */
	COUNT,   /* a length alone: the kernel moves the positions on */
	VECTOR,  /* an array of struct iovec, and its length */
	MESSAGE, /* a struct msghdr, which has such an array */
	WAIT,    /* no data: the work is done, but what was to be waited for may not be there */
	WHOLE,   /* no data: the call is begun again */
};

struct transfer_kind {
	long nr;
	enum shape shape;
	int data, len; /* arguments; -1: none */
	int flags;
	long piece_nr; /* VECTOR, MESSAGE: the call for one piece */
	enum transfer_needs needs;
	uint64_t set, clear; /* flags that must be set, or clear */
};

/* With these flags a second call can't move the rest, or would move something else. */
#define NOT_SENT     (MSG_ZEROCOPY | MSG_OOB)
#define NOT_RECEIVED (MSG_PEEK | MSG_OOB | MSG_ERRQUEUE)

static const struct transfer_kind kinds[] = {
	{ SYS_write, BYTES, 1, 2, -1, 0, FLOW, 0, 0 },
	{ SYS_writev, VECTOR, 1, 2, -1, SYS_write, FLOW, 0, 0 },
	{ SYS_sendto, BYTES, 1, 2, 3, 0, FLOW, 0, NOT_SENT },
	{ SYS_sendmsg, MESSAGE, 1, -1, 2, SYS_sendto, FLOW, 0, NOT_SENT },
	{ SYS_recvfrom, BYTES, 1, 2, 3, 0, STREAM, MSG_WAITALL, NOT_RECEIVED },
	{ SYS_recvmsg, MESSAGE, 1, -1, 2, SYS_recvfrom, STREAM, MSG_WAITALL, NOT_RECEIVED },
	{ SYS_sendfile, COUNT, -1, 3, -1, 0, NO_PIPE, 0, 0 },
	{ SYS_copy_file_range, COUNT, -1, 4, -1, 0, ANY_FILE, 0, 0 },
	{ SYS_getrandom, BYTES, 0, 1, -1, 0, NO_FILE, 0, 0 },
	{ SYS_read, BYTES, 1, 2, -1, 0, ENDLESS_FILE, 0, 0 },
	{ SYS_readv, VECTOR, 1, 2, -1, SYS_read, ENDLESS_FILE, 0, 0 },
	{ SYS_io_uring_enter, WAIT, -1, -1, 3, 0, OWN_RING, IORING_ENTER_GETEVENTS, 0 },
	{ SYS_bpf, WHOLE, -1, -1, -1, 0, NO_FILE, 0, 0 },
};

/* A call that has waited and done nothing: see timed.c. */
static const struct transfer_kind wait_again = { .shape = WHOLE };

/* Whether the result may be a stop's doing.  The kernel's verifier of BPF programs fails with
 * EAGAIN when it is woken, and for no other reason.  A run of a BPF program would never end if the
 * caller began it again and we stopped it again at each tick. */
static bool
may_be_cut(const struct transfer_kind *k, const struct made_call *made)
{
	const uint64_t flags = k->flags < 0 ? 0 : made->args[k->flags];

	if ((flags & k->set) != k->set || (flags & k->clear) != 0)
		return false;
	if (k->shape == WHOLE)
		return made->result == -EINTR ||
		       (made->result == -EAGAIN && made->args[0] == BPF_PROG_LOAD);
	if (k->shape == WAIT)
		return made->result > 0 && made->args[2] > 0;
	return made->result > 0;
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
	*tr = (struct transfer){ .made = *made, .result = made->result, .total = 1 };
	tr->timed = timed_find(made);
	if (tr->timed != NULL) {
		tr->kind = &wait_again;
		tr->needs = TIME;
		tr->result = -EINTR;
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct transfer_kind *k = &kinds[i];

		if (k->nr != made->nr)
			continue;
		tr->kind = k;
		tr->needs = k->needs;
		if (k->shape != WAIT && k->shape != WHOLE)
			tr->done = (uint64_t)made->result;
		if (k->shape == BYTES || k->shape == COUNT)
			tr->total = at_most(made->args[k->len]);
		return may_be_cut(k, made);
	}
	return false;
}

/* Returns where the array of pieces is, if there is one, and how many there are. */
bool
transfer_vector(const struct transfer *tr, uint64_t *addr, uint64_t *n)
{
	if (tr->kind->shape != VECTOR)
		return false;
	*addr = tr->made.args[tr->kind->data];
	*n = tr->made.args[tr->kind->len];
	return true;
}

/* Returns where the message header is, if there is one. */
bool
transfer_message(const struct transfer *tr, uint64_t *addr)
{
	if (tr->kind->shape != MESSAGE)
		return false;
	*addr = tr->made.args[tr->kind->data];
	return true;
}

void
transfer_count(struct transfer *tr)
{
	tr->total = 0;
	for (size_t i = 0; i < tr->n; i++)
		tr->total = at_most(tr->total + at_most(tr->piece[i].iov_len));
}

bool
transfer_is_whole(const struct transfer *tr)
{
	return tr->done >= tr->total;
}

/* Whether it is certain that a stop cut the call: without us, too, a pipe may take a part, and a
 * ring may have all that was waited for. */
bool
transfer_is_surely_cut(const struct transfer *tr)
{
	return tr->needs == ANY_FILE || tr->needs == NO_FILE || tr->to_socket;
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

/* Makes the call for the rest; the same kernel function carries out both. */
void
transfer_rest(const struct transfer *tr, struct made_call *next)
{
	const struct transfer_kind *k = tr->kind;
	bool last = true;

	*next = tr->made;
	if (k->shape == WAIT)
		next->args[1] = 0; /* nothing is left to be submitted */
	if (k->shape == COUNT)
		next->args[k->len] -= tr->done;
	if (k->shape != BYTES && k->shape != VECTOR && k->shape != MESSAGE)
		return;
	if (k->shape == BYTES) {
		next->args[k->data] += tr->done;
		next->args[k->len] -= tr->done;
	} else {
		const struct iovec rest = rest_of_piece(tr, &last);

		next->nr = k->piece_nr;
		next->args[1] = (uintptr_t)rest.iov_base;
		next->args[2] = rest.iov_len;
	}
	if (tr->quiet && next->nr == SYS_write)
		next->nr = SYS_sendto;
	if (next->nr == SYS_sendto || next->nr == SYS_recvfrom)
		set_flags(next, k->flags < 0 ? 0 : tr->made.args[k->flags], last);
}

bool
transfer_is_wait(const struct transfer *tr)
{
	return tr->timed != NULL;
}

/* The time of the call is over. */
void
transfer_end_in_time(struct transfer *tr)
{
	if (tr->timed != NULL)
		tr->result = timed_result(tr->timed);
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
	if (tr->kind->shape == WHOLE)
		tr->result = result;
	if (tr->kind->shape == WHOLE || tr->kind->shape == WAIT || result <= 0)
		return false;
	tr->done += (uint64_t)result;
	tr->result = (int64_t)tr->done;
	return !transfer_is_whole(tr);
}
