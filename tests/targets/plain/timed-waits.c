/*
 * timed-waits [once]: makes each call that waits for a time of its own, disturbed in each way, all
 * at once; prints a line for each: what it came to, and whether it took its time.
 *
 * A disturbed wait is "in time" if it ends while it is still being disturbed, ten times as long as
 * it is to last, and not before its time.  Where the signal came so late that the wait may have
 * been over, it is waited once more.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -lrt
#include "../clock.h"
#include "../state.h"

#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

enum { MS = 400, STEP_MS = 50, STEPS = 10 * MS / STEP_MS, EPOLL_PWAIT2 = 441 };
static const struct timespec for_ms = { MS / 1000, MS % 1000 * 1000000L };
static const struct timeval for_us = { MS / 1000, MS % 1000 * 1000L };

static int descriptor, semaphore, futex_word;
static aio_context_t aio;
static char byte;
static struct iovec piece = { &byte, 1 };
static struct msghdr header = { .msg_iov = &piece, .msg_iovlen = 1 };
static struct mmsghdr headers = { .msg_hdr = { .msg_iov = &piece, .msg_iovlen = 1 } };
static struct epoll_event event;
static struct io_event io_event;

static void
epolls(void)
{
	descriptor = epoll_create1(0);
}

static void
sockets(int type)
{
	int s[2];

	if (socketpair(AF_UNIX, type, 0, s) < 0 ||
	    setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &for_us, sizeof(for_us)) < 0 ||
	    setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &for_us, sizeof(for_us)) < 0)
		err(2, "socket");
	descriptor = s[0];
}

static void
streams(void)
{
	sockets(SOCK_STREAM);
}

static void
datagrams(void)
{
	sockets(SOCK_DGRAM);
}

static void
full(void)
{
	static char block[4096];

	streams();
	while (send(descriptor, block, sizeof(block), MSG_DONTWAIT) > 0)
		;
}

static void
listeners(void)
{
	descriptor = socket(AF_INET, SOCK_STREAM, 0);
	if (descriptor < 0 || listen(descriptor, 1) < 0 ||
	    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &for_us, sizeof(for_us)) < 0)
		err(2, "listen");
}

static void
semaphores(void)
{
	semaphore = semget(IPC_PRIVATE, 1, 0600);
}

static void
aios(void)
{
	syscall(SYS_io_setup, 4, &aio);
}

static void
rings(void)
{
	struct io_uring_params params = { 0 };

	descriptor = (int)syscall(SYS_io_uring_setup, 4, &params);
}

static void
queues(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char name[32];

	snprintf(name, sizeof(name), "/timed-waits-%d", getpid());
	descriptor = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	mq_unlink(name);
}

static void
nothing(void)
{
}

#define WAIT(name, call)                                                                           \
	static long wait_##name(void)                                                              \
	{                                                                                          \
		return call;                                                                       \
	}

WAIT(epoll, epoll_wait(descriptor, &event, 1, MS))

static long
wait_epoll_pwait(void)
{
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(descriptor, &event, 1, MS, &none);
}

WAIT(epoll_pwait2, syscall(EPOLL_PWAIT2, descriptor, &event, 1, &for_ms, NULL, 8))

static long
wait_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &for_ms);
}

static long
wait_semtimedop(void)
{
	struct sembuf down = { 0, -1, 0 };
	const int ret = semtimedop(semaphore, &down, 1, &for_ms), saved = errno;

	semctl(semaphore, 0, IPC_RMID);
	errno = saved;
	return ret;
}

WAIT(io_getevents, syscall(SYS_io_getevents, aio, 1, 1, &io_event, &for_ms))
WAIT(io_pgetevents, syscall(SYS_io_pgetevents, aio, 1, 1, &io_event, &for_ms, NULL))

static long
wait_io_uring(void)
{
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&for_ms };

	return syscall(SYS_io_uring_enter, descriptor, 0, 1,
	               IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg, sizeof(arg));
}

WAIT(recv, recv(descriptor, &byte, 1, 0))
WAIT(recv_all, recv(descriptor, &byte, 1, MSG_WAITALL))
WAIT(recvmsg, recvmsg(descriptor, &header, 0))
WAIT(recvmmsg, recvmmsg(descriptor, &headers, 1, 0, NULL))
WAIT(read, read(descriptor, &byte, 1))
WAIT(readv, readv(descriptor, &piece, 1))
WAIT(send, send(descriptor, &byte, 1, 0))
WAIT(write, write(descriptor, &byte, 1))
WAIT(sendmsg, sendmsg(descriptor, &header, 0))
WAIT(accept, accept(descriptor, NULL, NULL))
WAIT(accept4, accept4(descriptor, NULL, NULL, SOCK_CLOEXEC))
WAIT(poll, poll(NULL, 0, MS))
WAIT(ppoll, ppoll(NULL, 0, &for_ms, NULL))

static long
wait_select(void)
{
	struct timeval time = for_us;

	return select(0, NULL, NULL, NULL, &time);
}

WAIT(pselect, pselect(0, NULL, NULL, NULL, &for_ms, NULL))
WAIT(nanosleep, nanosleep(&for_ms, NULL))

static long
wait_clock_nanosleep(void)
{
	const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, &for_ms, NULL);

	errno = error;
	return error == 0 ? 0 : -1;
}

WAIT(futex, syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &for_ms, NULL, 0))

static struct timespec
in_ms(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	at.tv_nsec += for_ms.tv_nsec;
	at.tv_sec += for_ms.tv_sec + at.tv_nsec / 1000000000L;
	at.tv_nsec %= 1000000000L;
	return at;
}

static long
wait_futex_until(void)
{
	const struct timespec at = in_ms(CLOCK_MONOTONIC);

	return syscall(SYS_futex, &futex_word, FUTEX_WAIT_BITSET, 0, &at, NULL, ~0);
}

static long
wait_mq(void)
{
	const struct timespec at = in_ms(CLOCK_REALTIME);

	return mq_timedreceive(descriptor, &byte, 1, NULL, &at);
}

static const struct call {
	const char *name;
	void (*prepare)(void);
	long (*wait)(void);
} calls[] = {
	{ "epoll_wait", epolls, wait_epoll },
	{ "epoll_pwait", epolls, wait_epoll_pwait },
	{ "epoll_pwait2", epolls, wait_epoll_pwait2 },
	{ "sigtimedwait", nothing, wait_sigtimedwait },
	{ "semtimedop", semaphores, wait_semtimedop },
	{ "io_getevents", aios, wait_io_getevents },
	{ "io_pgetevents", aios, wait_io_pgetevents },
	{ "io_uring_enter", rings, wait_io_uring },
	{ "recv", streams, wait_recv },
	{ "recv of all", streams, wait_recv_all },
	{ "recv of a datagram", datagrams, wait_recv },
	{ "recvmsg", streams, wait_recvmsg },
	{ "recvmmsg", streams, wait_recvmmsg },
	{ "read", streams, wait_read },
	{ "readv", streams, wait_readv },
	{ "send", full, wait_send },
	{ "write", full, wait_write },
	{ "sendmsg", full, wait_sendmsg },
	{ "accept", listeners, wait_accept },
	{ "accept4", listeners, wait_accept4 },
	{ "poll", nothing, wait_poll },
	{ "ppoll", nothing, wait_ppoll },
	{ "select", nothing, wait_select },
	{ "pselect", nothing, wait_pselect },
	{ "nanosleep", nothing, wait_nanosleep },
	{ "clock_nanosleep", nothing, wait_clock_nanosleep },
	{ "futex", nothing, wait_futex },
	{ "futex until a time", nothing, wait_futex_until },
	{ "mq_timedreceive", queues, wait_mq },
};

static double
now(void)
{
	return (double)now_ns() / 1e6;
}

static volatile double received; /* when the first signal was handled, ms; 0: not yet */

static void
on_signal(int sig)
{
	(void)sig;
	if (received == 0)
		received = now();
}

/* How a wait is disturbed: by a signal again and again, or by a stop, once. */
static const struct way {
	const char *name;
	int signal;
	void (*handler)(int);
	int flags;
	int once; /* ms: when, and how long it is watched after that; 0: in each step */
} ways[] = {
	{ "alone", 0, SIG_DFL, 0, 0 },
	{ "SIGUSR2 ignored", SIGUSR2, SIG_IGN, 0, 0 },
	{ "SIGCHLD by default", SIGCHLD, SIG_DFL, 0, 0 },
	{ "SIGWINCH by default", SIGWINCH, SIG_DFL, 0, 0 },
	{ "SIGUSR2 handled", SIGUSR2, on_signal, 0, 0 },
	{ "SIGUSR2 handled, SA_RESTART", SIGUSR2, on_signal, SA_RESTART, 0 },
	{ "SIGSTOP and SIGCONT", SIGSTOP, SIG_DFL, 0, 0 },
	/* Counted from the signal, the time would be over after twice as long. */
	{ "SIGUSR2 ignored, once", SIGUSR2, SIG_IGN, 0, MS * 9 / 10 },
};

static void
sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* When a process was stopped, ms; shared with who stops it. */
static double *stopped;

/* Stops a process that sleeps, as in several looks in a row: in the wait, not on the way to it. */
static void
stop(pid_t pid)
{
	for (int asleep = 0; asleep < 3; sleep_ms(2)) {
		const char state = state_of(pid);

		if (state == 0)
			return;
		asleep = state == 'S' ? asleep + 1 : 0;
	}
	*stopped = now();
	kill(pid, SIGSTOP);
}

static void
disturb(pid_t pid, const struct way *way)
{
	if (way->once != 0) {
		sleep_ms(way->once);
		kill(pid, way->signal);
		sleep_ms(way->once);
		return;
	}
	for (int i = 0; i < STEPS; i++) {
		sleep_ms(STEP_MS);
		if (way->signal != SIGSTOP) {
			if (kill(pid, way->signal) < 0)
				return;
			continue;
		}
		stop(pid);
		sleep_ms(STEP_MS);
		kill(pid, SIGCONT);
		sleep_ms(10L * MS);
		return;
	}
}

/* Whether a signal that is handled, or a stop, was there when the wait's time was nearly over, or
 * such a signal has ended the wait, but not before its time. */
static bool
is_late(const struct way *way, double began, bool ended_by_it, bool in_time)
{
	if (way->signal == SIGSTOP)
		return *stopped == 0 || *stopped - began > MS * 3.0 / 4;
	return way->handler == on_signal &&
	       (received == 0 || received - began > MS * 3.0 / 4 || (ended_by_it && in_time));
}

/* Returns whether it is to be made once more. */
static bool
waited(const struct call *call, const struct way *way)
{
	const pid_t pid = getpid();
	pid_t child = 0;
	double began;
	const char *when;
	bool again, in_time;
	int error;
	long ret;

	received = *stopped = 0;
	call->prepare();
	if (way->signal != 0 && (child = fork()) == 0) {
		signal(SIGCHLD, SIG_DFL);
		disturb(pid, way);
		_exit(0);
	}
	began = now();
	ret = call->wait();
	error = ret < 0 ? errno : 0;
	in_time = now() - began >= MS - 0.5;
	when = in_time ? "in time" : "before its time";
	again = is_late(way, began, error == EINTR, in_time);
	if (child != 0 && waitpid(child, NULL, WNOHANG) == child)
		when = "too late";
	else if (child != 0 && kill(child, SIGKILL) == 0)
		waitpid(child, NULL, 0);
	if (!again)
		printf("%s, %s: %ld %s, %s\n", call->name, way->name, ret, strerror(error), when);
	return again;
}

static void
one(const struct call *call, const struct way *way)
{
	const struct sigaction act = { .sa_handler = way->handler, .sa_flags = way->flags };

	stopped =
	    mmap(NULL, sizeof(*stopped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (way->signal != 0 && way->signal != SIGSTOP && sigaction(way->signal, &act, NULL) < 0)
		err(2, "sigaction");
	while (waited(call, way))
		;
	exit(0);
}

int
main(int argc, char **argv)
{
	const bool once = argc > 1 && strcmp(argv[1], "once") == 0;

	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		for (size_t c = 0;
		     once == (ways[w].once != 0) && c < sizeof(calls) / sizeof(calls[0]); c++)
			if (fork() == 0)
				one(&calls[c], &ways[w]);
	while (wait(NULL) > 0)
		;
	return 0;
}
