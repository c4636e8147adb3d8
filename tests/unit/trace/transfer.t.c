/*
 * transfer.c: which calls a stop may have cut short, and what is left to do of each.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap.h"
#include "trace/trace.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { PC = 0x401000, WRITTEN = STREAM | PIPE | FLOW | ENDLESS };

/* What a row of the table must say, each in its own words. */
static const struct row {
	const char *name;
	long nr;
	uint64_t args[6];
	unsigned on;
	uint64_t total; /* 1 where that is for others to find out */
	long next_nr;
	uint64_t next[6]; /* of the rest, after 10 */
} rows[] = {
#define A(...)                                                                                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define ROW(call, args, on, total, next_call, next)                                                \
	{                                                                                          \
		.name = #call, .nr = SYS_##call, args, on, total, SYS_##next_call, next            \
	}
	ROW(write, A(3, 1000, 100), WRITTEN, 100, write, A(3, 1010, 90)),
	ROW(writev, A(3, 77, 1), WRITTEN, 100, write, A(3, 1010, 90)),
	/* To an address, which the rest has no need of. */
	ROW(sendto, A(3, 1000, 100, MSG_NOSIGNAL, 66, 16), STREAM, 100, sendto,
	    A(3, 1010, 90, MSG_NOSIGNAL)),
	ROW(sendmsg, A(3, 66, MSG_NOSIGNAL), STREAM, 100, sendto, A(3, 1010, 90, MSG_NOSIGNAL)),
	ROW(recvfrom, A(3, 1000, 100, MSG_WAITALL, 66, 67), STREAM, 100, recvfrom,
	    A(3, 1010, 90, MSG_WAITALL)),
	ROW(recvmsg, A(3, 66, MSG_WAITALL | MSG_NOSIGNAL), STREAM, 100, recvfrom,
	    A(3, 1010, 90, MSG_WAITALL | MSG_NOSIGNAL)),
	ROW(sendfile, A(3, 4, 66, 100), STREAM | REGULAR, 100, sendfile, A(3, 4, 66, 90)),
	ROW(sendmmsg, A(3, 1000, 100), DATAGRAMS, 100, sendmmsg,
	    A(3, 1000 + 10 * sizeof(struct mmsghdr), 90)),
	ROW(recvmmsg, A(3, 1000, 100), DATAGRAMS, 100, recvmmsg,
	    A(3, 1000 + 10 * sizeof(struct mmsghdr), 90)),
	ROW(copy_file_range, A(3, 66, 4, 67, 100, 0), REGULAR, 100, copy_file_range,
	    A(3, 66, 4, 67, 90, 0)),
	ROW(getrandom, A(1000, 100, 2), 0, 100, getrandom, A(1010, 90, 2)),
	ROW(read, A(3, 1000, 100), ENDLESS, 100, read, A(3, 1010, 90)),
	ROW(readv, A(3, 77, 1), ENDLESS, 100, read, A(3, 1010, 90)),
	ROW(io_getevents, A(9, 100, 200, 1000, 66), 0, 100, io_getevents,
	    A(9, 90, 190, 1000 + 10 * sizeof(struct io_event), 66)),
	ROW(io_pgetevents, A(9, 100, 200, 1000, 66, 67), 0, 100, io_pgetevents,
	    A(9, 90, 190, 1000 + 10 * sizeof(struct io_event), 66, 67)),
	ROW(io_uring_enter, A(3, 10, 8, IORING_ENTER_GETEVENTS, 66, 8), OWN_RING, 8, io_uring_enter,
	    A(3, 0, 8, IORING_ENTER_GETEVENTS, 66, 8)),
};

static struct iovec one_piece[] = { { (void *)1000, 100 } };

static struct made_call
call_of(long nr, const uint64_t args[6], int64_t result)
{
	struct made_call made = { .pc = PC, .nr = nr, .result = result };

	memcpy(made.args, args, sizeof(made.args));
	return made;
}

static bool
is_call(const struct made_call *got, long nr, const uint64_t args[6])
{
	for (int i = 0; i < 6; i++)
		if (got->args[i] != args[i])
			diag("argument %d: %#llx, not %#llx", i, (unsigned long long)got->args[i],
			     (unsigned long long)args[i]);
	if (got->nr != nr)
		diag("number %ld, not %ld", got->nr, nr);
	return got->nr == nr && memcmp(got->args, args, sizeof(got->args)) == 0;
}

static bool
candidate(long nr, const uint64_t args[6], int64_t result)
{
	const struct made_call made = call_of(nr, args, result);
	struct transfer tr;

	return transfer_of(&tr, &made) && !transfer_is_wait(&tr);
}

static bool
has_pieces(const struct transfer *tr)
{
	return tr->moves == VECTOR || tr->moves == MESSAGE;
}

static void
test_row(const struct row *r)
{
	const struct made_call made = call_of(r->nr, r->args, 10);
	struct made_call next;
	struct transfer tr;

	ok(transfer_of(&tr, &made), "%s: a part may be a stop's doing", r->name);
	is_int(tr.row->on, r->on, "%s: what it may be open on", r->name);
	is_int(tr.result, 10, "%s: the result is the part, until there is more", r->name);
	if (has_pieces(&tr))
		transfer_count(&tr, one_piece, 1);
	is_int((int64_t)tr.total, (int64_t)r->total, "%s: the whole", r->name);
	ok(!transfer_is_whole(&tr), "%s: which this is not", r->name);
	transfer_rest(&tr, &next);
	ok(is_call(&next, r->next_nr, r->next), "%s: the call for the rest", r->name);
	is_int((int64_t)next.pc, PC, "%s: which is made at the same place", r->name);
	ok(!candidate(r->nr, r->args, 0), "%s: nothing done is nothing cut", r->name);
	ok(!candidate(r->nr, r->args, -EINTR) && !candidate(r->nr, r->args, -EAGAIN) &&
	       !candidate(r->nr, r->args, -EPIPE) && !candidate(r->nr, r->args, -512),
	   "%s: an error is the program's", r->name);
}

static void
test_sums(const struct row *r)
{
	const struct made_call made = call_of(r->nr, r->args, 10);
	struct transfer tr;

	if (r->nr == SYS_io_uring_enter)
		return;
	transfer_of(&tr, &made);
	if (has_pieces(&tr))
		transfer_count(&tr, one_piece, 1);
	ok(transfer_went(&tr, 50), "%s: after 10 and 50 of 100 there is more to do", r->name);
	is_int(tr.result, 60, "%s: which would be 60", r->name);
	ok(!transfer_went(&tr, 40), "%s: after 40 more there is not", r->name);
	is_int(tr.result, 100, "%s: and the result is 100", r->name);
	ok(transfer_is_whole(&tr), "%s: which is the whole", r->name);
}

/* Each of these makes a candidate none. */
static void
test_flags(void)
{
	static const struct {
		const char *what;
		long nr;
		uint64_t args[6];
		bool is;
	} cases[] = {
		{ "send with MSG_ZEROCOPY", SYS_sendto, { 3, 1, 100, MSG_ZEROCOPY }, false },
		{ "send with MSG_OOB", SYS_sendto, { 3, 1, 100, MSG_OOB }, false },
		{ "send with MSG_MORE", SYS_sendto, { 3, 1, 100, MSG_MORE }, true },
		{ "send with MSG_DONTWAIT", SYS_sendto, { 3, 1, 100, MSG_DONTWAIT }, true },
		{ "sendmsg with MSG_ZEROCOPY", SYS_sendmsg, { 3, 66, MSG_ZEROCOPY }, false },
		{ "sendmsg with MSG_OOB", SYS_sendmsg, { 3, 66, MSG_OOB }, false },
		{ "recv without MSG_WAITALL", SYS_recvfrom, { 3, 1, 100, 0 }, false },
		{ "recv with MSG_PEEK", SYS_recvfrom, { 3, 1, 99, MSG_WAITALL | MSG_PEEK }, false },
		{ "recv with MSG_OOB", SYS_recvfrom, { 3, 1, 99, MSG_WAITALL | MSG_OOB }, false },
		{ "recv with MSG_ERRQUEUE",
		  SYS_recvfrom,
		  { 3, 1, 99, MSG_WAITALL | MSG_ERRQUEUE },
		  false },
		{ "recv with MSG_TRUNC", SYS_recvfrom, { 3, 1, 9, MSG_WAITALL | MSG_TRUNC }, true },
		{ "recvmsg without MSG_WAITALL", SYS_recvmsg, { 3, 66, 0 }, false },
		{ "recvmsg with MSG_PEEK", SYS_recvmsg, { 3, 66, MSG_WAITALL | MSG_PEEK }, false },
		{ "io_uring_enter that only submits", SYS_io_uring_enter, { 3, 10, 8, 0 }, false },
		{ "io_uring_enter of which the kernel has left some, and has not waited,",
		  SYS_io_uring_enter,
		  { 3, 10, 8, IORING_ENTER_GETEVENTS },
		  false },
	};

	for (size_t i = 0; i < N(cases); i++)
		ok(candidate(cases[i].nr, cases[i].args, 5) == cases[i].is, "%s: %s one",
		   cases[i].what, cases[i].is ? "still" : "not");
}

/* Calls that move data, and others, that are never carried on. */
static void
test_others(void)
{
	static const long nrs[] = { SYS_pwrite64,
		                    SYS_pwritev,
		                    SYS_pwritev2,
		                    SYS_pread64,
		                    SYS_preadv,
		                    SYS_preadv2,
		                    SYS_splice,
		                    SYS_getdents64,
		                    SYS_close,
		                    SYS_tee,
		                    SYS_vmsplice,
		                    SYS_msgsnd,
		                    SYS_process_vm_readv,
		                    SYS_mmap,
		                    SYS_connect,
		                    SYS_accept,
		                    SYS_nanosleep,
		                    SYS_poll,
		                    SYS_epoll_wait,
		                    SYS_futex,
		                    SYS_exit,
		                    SYS_getpid,
		                    -1,
		                    100000 };
	static const uint64_t args[6] = { 3, 1000, 100 };
	int are = 0;

	for (size_t i = 0; i < N(nrs); i++)
		are += candidate(nrs[i], args, 10);
	is_int(are, 0, "no other call is one");
}

/* A wait that was interrupted, its result when its time is over, and the same of a wait that was
 * not. */
static void
test_waits(void)
{
	static const struct {
		const char *name;
		long nr;
		int64_t interrupted, in_time;
	} waits[] = {
		{ "epoll_pwait", SYS_epoll_pwait, -EINTR, 0 },
		{ "rt_sigtimedwait", SYS_rt_sigtimedwait, -EINTR, -EAGAIN },
		{ "semtimedop", SYS_semtimedop, -EINTR, -EAGAIN },
		{ "io_getevents", SYS_io_getevents, -EINTR, 0 },
		{ "io_pgetevents", SYS_io_pgetevents, -514, 0 },
		{ "io_uring_enter", SYS_io_uring_enter, -EINTR, -ETIME },
		{ "accept4", SYS_accept4, -EINTR, -EAGAIN },
		{ "recvfrom", SYS_recvfrom, -EINTR, -EAGAIN },
		{ "connect", SYS_connect, -EINTR, -EINPROGRESS },
	};
	const uint64_t args[6] = { 3, 1000, 100, 4, 5, 6 };
	struct transfer tr;

	for (size_t i = 0; i < N(waits); i++) {
		const char *name = waits[i].name;
		struct made_call made = call_of(waits[i].nr, args, waits[i].interrupted), next;

		ok(transfer_of(&tr, &made) && transfer_is_wait(&tr), "%s: a wait", name);
		is_int(tr.result, -EINTR, "%s: which a handled signal ends", name);
		ok(!transfer_is_whole(&tr), "%s: it is not done", name);
		transfer_rest(&tr, &next);
		ok(is_call(&next, waits[i].nr, args), "%s: it is begun again as it was", name);
		ok(transfer_went(&tr, waits[i].interrupted), "%s: and again", name);
		transfer_end_in_time(&tr);
		is_int(tr.result, waits[i].in_time, "%s: until its time is over", name);
		ok(!transfer_went(&tr, -EBADF), "%s: or there is a result", name);
		is_int(tr.result, -EBADF, "%s: which is told", name);
		made.result = -ETIMEDOUT;
		ok(!transfer_of(&tr, &made) || !transfer_is_wait(&tr),
		   "%s: no wait that ended by itself", name);
	}
}

static void
test_ring(void)
{
	const struct made_call made =
	    call_of(SYS_io_uring_enter, (const uint64_t[6]){ 3, 4, 8, IORING_ENTER_GETEVENTS }, 4);
	struct made_call none = made;
	struct transfer tr;

	none.args[2] = 0;
	ok(transfer_of(&tr, &none) && transfer_is_whole(&tr),
	   "io_uring_enter: if it waits for none it is done");
	transfer_of(&tr, &made);
	ok(transfer_went(&tr, -EINTR), "io_uring_enter: a broken wait is begun again");
	ok(!transfer_went(&tr, 0), "and done when it comes back");
	is_int(tr.result, 4, "the result is what was submitted");
	transfer_of(&tr, &made);
	ok(!transfer_went(&tr, -EBADR), "an error of the wait ends it");
	is_int(tr.result, 4, "and the result is what was submitted");
}

static struct made_call
rest_of(long nr, struct iovec *piece, size_t n, uint64_t done)
{
	const struct made_call made = call_of(nr, (const uint64_t[6]){ 3, 77, n }, (int64_t)done);
	struct made_call next = { 0 };
	struct transfer tr;

	if (!transfer_of(&tr, &made))
		bail("no candidate");
	transfer_count(&tr, piece, n);
	transfer_rest(&tr, &next);
	return next;
}

static void
test_vectors(void)
{
	static struct iovec piece[] = {
		{ NULL, 0 }, { (void *)1000, 10 }, { (void *)7, 0 }, { (void *)2000, 20 },
		{ NULL, 0 }, { (void *)3000, 30 }, { (void *)9, 0 },
	};
	static struct iovec full[] = { { (void *)1000, 10 }, { (void *)2000, 10 } };
	static const struct {
		uint64_t done, base, len;
	} cases[] = {
		{ 1, 1001, 9 },  { 9, 1009, 1 },   { 10, 2000, 20 }, { 11, 2001, 19 },
		{ 29, 2019, 1 }, { 30, 3000, 30 }, { 31, 3001, 29 }, { 59, 3029, 1 },
	};

	for (size_t i = 0; i < N(cases); i++) {
		const struct made_call next = rest_of(SYS_writev, piece, N(piece), cases[i].done);

		ok(is_call(&next, SYS_write, (const uint64_t[6]){ 3, cases[i].base, cases[i].len }),
		   "a vector of 10, 20 and 30, and empty ones between: the piece after %d",
		   (int)cases[i].done);
	}
	for (uint64_t done = 1; done < 20; done++) {
		const struct made_call next = rest_of(SYS_readv, full, N(full), done);
		const bool second = done >= 10;

		if (!is_call(&next, SYS_read,
		             (const uint64_t[6]){ 3, (second ? 1990 : 1000) + done,
		                                  (second ? 20 : 10) - done }))
			ok(false, "two full pieces after %d", (int)done);
	}
}

/* All pieces, one after the other, each of which may be cut again. */
static void
test_walk(void)
{
	static uint8_t data[100] = { 0 };
	static struct iovec piece[] = { { data, 7 },      { data + 7, 0 },  { data + 7, 40 },
		                        { data + 47, 1 }, { data + 48, 0 }, { data + 48, 52 },
		                        { NULL, 0 } };
	const struct made_call made =
	    call_of(SYS_writev, (const uint64_t[6]){ 3, (uintptr_t)piece, N(piece) }, 3);
	struct transfer tr;
	int wrong = 0, calls = 0;
	bool more = true;

	transfer_of(&tr, &made);
	transfer_count(&tr, piece, N(piece));
	while (more && calls < 100) {
		const uint64_t done = tr.done;
		struct made_call next;

		transfer_rest(&tr, &next);
		wrong += next.args[1] != (uintptr_t)data + done || next.args[2] == 0 ||
		         next.args[2] > 100 - done;
		more = transfer_went(&tr, next.args[2] > 11 ? 11 : (int64_t)next.args[2]);
		calls++;
	}
	is_int(wrong, 0, "a vector cut again and again: each call begins where the last ended");
	is_int(tr.result, 100, "and the result is the sum");
	ok(calls < 100, "after some calls");
}

static void
test_messages(void)
{
	static struct iovec piece[] = { { (void *)1000, 10 }, { (void *)2000, 20 }, { NULL, 0 } };
	const struct {
		const char *what;
		uint64_t flags, done, next;
		size_t n;
	} cases[] = {
		{ "in the first of two pieces", 0, 5, MSG_MORE, 2 },
		{ "in the last piece", 0, 15, 0, 2 },
		{ "in the last piece, with MSG_MORE", MSG_MORE, 15, MSG_MORE, 2 },
		{ "with MSG_FASTOPEN", MSG_FASTOPEN | MSG_NOSIGNAL, 15, MSG_NOSIGNAL, 2 },
		{ "in the first, with MSG_FASTOPEN", MSG_FASTOPEN, 5, MSG_MORE, 2 },
		{ "with MSG_EOR", MSG_EOR, 15, MSG_EOR, 2 },
	};

	for (size_t i = 0; i < N(cases); i++) {
		const struct made_call made =
		    call_of(SYS_sendmsg, (const uint64_t[6]){ 3, 66, cases[i].flags, 1, 2, 3 },
		            (int64_t)cases[i].done);
		struct made_call next;
		struct transfer tr;

		transfer_of(&tr, &made);
		ok(tr.moves == MESSAGE, "sendmsg cut %s: has a message", cases[i].what);
		transfer_count(&tr, piece, cases[i].n);
		transfer_rest(&tr, &next);
		is_int((int64_t)next.args[3], (int64_t)(cases[i].next | MSG_NOSIGNAL),
		       "sendmsg cut %s: its flags", cases[i].what);
		ok(next.args[4] == 0 && next.args[5] == 0, "sendmsg cut %s: no address",
		   cases[i].what);
	}
	ok(rest_of(SYS_writev, piece, 2, 5).args[3] == 0, "write has no flags");
}

static void
test_recv_flags(void)
{
	static struct iovec piece[] = { { (void *)1000, 10 }, { (void *)2000, 20 } };
	const struct made_call made =
	    call_of(SYS_recvmsg, (const uint64_t[6]){ 3, 66, MSG_WAITALL }, 5);
	struct made_call next;
	struct transfer tr;

	transfer_of(&tr, &made);
	transfer_count(&tr, piece, N(piece));
	transfer_rest(&tr, &next);
	ok(is_call(&next, SYS_recvfrom, (const uint64_t[6]){ 3, 1005, 5, MSG_WAITALL }),
	   "recvmsg: a piece is received like the whole, and no address is asked for");
}

static void
test_results(void)
{
	static const struct {
		int64_t result;
		bool more;
	} cases[] = {
		{ -EINTR, true },     { -512, true },         { -513, true },
		{ -514, true },       { -516, true },         { -511, false },
		{ -517, false },      { -EAGAIN, false },     { -EPIPE, false },
		{ -EFBIG, false },    { -ECONNRESET, false }, { -EFAULT, false },
		{ -ENOSPC, false },   { -ENOSYS, false },     { 0, false },
		{ INT64_MIN, false }, { -EBADF, false },
	};
	const struct made_call made = call_of(SYS_write, (const uint64_t[6]){ 3, 1000, 100 }, 10);

	for (size_t i = 0; i < N(cases); i++) {
		struct transfer tr;

		transfer_of(&tr, &made);
		ok(transfer_went(&tr, cases[i].result) == cases[i].more, "%lld of the rest: %s",
		   (long long)cases[i].result, cases[i].more ? "is begun again" : "ends it");
		is_int(tr.result, 10, "%lld of the rest: the program sees the part",
		       (long long)cases[i].result);
		is_int((int64_t)tr.done, 10, "%lld of the rest: which is what is done",
		       (long long)cases[i].result);
	}
}

static void
test_whole(void)
{
	const uint64_t args[6] = { 3, 1000, 100 };
	struct made_call made = call_of(SYS_write, args, 100);
	struct transfer tr;

	transfer_of(&tr, &made);
	ok(transfer_is_whole(&tr), "100 of 100 is the whole");
	made.result = 101;
	transfer_of(&tr, &made);
	ok(transfer_is_whole(&tr), "and so is more, which no kernel says");
	made = call_of(SYS_writev, (const uint64_t[6]){ 3, 77, 1 }, 100);
	transfer_of(&tr, &made);
	transfer_count(&tr, one_piece, 1);
	ok(transfer_is_whole(&tr), "and 100 of a vector of 100");
	made.result = 101; /* the pieces have become less since */
	transfer_of(&tr, &made);
	transfer_count(&tr, one_piece, 1);
	ok(transfer_is_whole(&tr), "and of one that was changed meanwhile");
}

/* Numbers that only a program that lies would give: no more than that it fails. */
static void
test_huge(void)
{
	static struct iovec huge[] = { { (void *)1000, SIZE_MAX },
		                       { (void *)2000, SIZE_MAX },
		                       { (void *)3000, 5 } };
	struct made_call made =
	    call_of(SYS_write, (const uint64_t[6]){ 3, UINT64_MAX - 4, UINT64_MAX }, 10);
	struct made_call next;
	struct transfer tr;

	ok(transfer_of(&tr, &made), "a length of 2^64 - 1: the kernel has done a part");
	transfer_rest(&tr, &next);
	ok(is_call(&next, SYS_write, (const uint64_t[6]){ 3, 5, UINT64_MAX - 10 }),
	   "and the rest of it is asked for");
	made = call_of(SYS_write, (const uint64_t[6]){ 3, 1000, UINT64_MAX }, 0x7ffff000);
	transfer_of(&tr, &made);
	ok(transfer_is_whole(&tr), "the kernel's most at once is the whole");
	made = call_of(SYS_writev, (const uint64_t[6]){ 3, 77, N(huge) }, 10);
	transfer_of(&tr, &made);
	transfer_count(&tr, huge, N(huge));
	ok(transfer_is_whole(&tr) || tr.total > 0, "pieces whose sum has no room do no harm");
	transfer_rest(&tr, &next);
	ok(next.args[1] == 1010 && next.args[2] == SIZE_MAX - 10, "the first goes on");
}

int
main(void)
{
	for (size_t i = 0; i < N(rows); i++)
		test_row(&rows[i]);
	for (size_t i = 0; i < N(rows); i++)
		test_sums(&rows[i]);
	test_flags();
	test_others();
	test_waits();
	test_ring();
	test_vectors();
	test_walk();
	test_messages();
	test_recv_flags();
	test_results();
	test_whole();
	test_huge();
	return done_testing();
}
