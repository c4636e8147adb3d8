#!/bin/sh
# System calls that return less than was asked for by themselves.  What they have returned is all, also when a sample has
# met them: the rest would never come, or is not the program's.
. "$(dirname "$0")/../lib/testlib.sh"

cat >ends.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PART = 4096, ASKED = 16000 };
static char data[1 << 20];
static long ms;

/* So long in CPU time as the process has had samples enough. */
static int
goes_on(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms;
}

/* A copy within a file is clipped at the end that it had. */
static int
copies(void)
{
	const int fd = open("copied", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int wrong = 0;

	while (goes_on()) {
		off_t in = 0, out = sizeof(data);
		struct stat st;

		if (ftruncate(fd, 0) < 0 || pwrite(fd, data, sizeof(data), 0) != sizeof(data))
			return -1;
		if (copy_file_range(fd, &in, fd, &out, 64 << 20, 0) < 0 || fstat(fd, &st) < 0)
			return -1;
		wrong += st.st_size > (off_t)(2 * sizeof(data));
	}
	return wrong;
}

/* The kernel takes 16 of 32, and then does not wait for the others. */
static int
submits(void)
{
	struct io_uring_params p = { 0 };
	const int fd = (int)syscall(SYS_io_uring_setup, 64, &p);
	char *sq = mmap(0, p.sq_off.array + p.sq_entries * 4, 3, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	char *cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), 3, MAP_SHARED, fd,
	                IORING_OFF_CQ_RING);
	struct io_uring_sqe *e = mmap(0, p.sq_entries * sizeof(*e), 3, MAP_SHARED, fd, IORING_OFF_SQES);
	unsigned *tail = (void *)(sq + p.sq_off.tail), *array = (void *)(sq + p.sq_off.array);
	unsigned *head = (void *)(cq + p.cq_off.head), *end = (void *)(cq + p.cq_off.tail);

	if (fd < 0)
		return -errno;
	while (goes_on()) {
		for (unsigned i = 0; i < 16; i++) {
			const unsigned at = (*tail + i) & (p.sq_entries - 1);

			memset(&e[at], 0, sizeof(e[at]));
			e[at].opcode = IORING_OP_NOP;
			array[at] = at;
		}
		__atomic_store_n(tail, *tail + 16, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, fd, 32, 32, IORING_ENTER_GETEVENTS, 0, 0) != 16)
			return 1;
		*head = *end;
	}
	return 0;
}

static void
send_with_descriptor(int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { data, PART };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);
	const int sent = 1;

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &sent, sizeof(sent));
	sendmsg(fd, &m, 0);
}

/* Asks for what comes, in parts, each with what ends a call; `named`: the fifo or NULL. */
static int
receives(const char *named)
{
	int ask[2], pair[2], from, wrong = 0;
	char c = 0;

	if (pipe(ask) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -1;
	if (fork() == 0) {
		const int to = named == NULL ? pair[1] : open(named, O_WRONLY);

		close(ask[1]);
		while (read(ask[0], &c, 1) == 1)
			if (named == NULL)
				send_with_descriptor(to);
			else if (write(to, data, PART) != PART)
				_exit(1);
		_exit(0);
	}
	close(ask[0]);
	from = named == NULL ? pair[0] : open(named, O_RDONLY);
	while (goes_on()) {
		ssize_t n;

		if (write(ask[1], &c, 1) != 1)
			return -1;
		n = named == NULL ? recv(from, data, ASKED, MSG_WAITALL) : read(from, data, ASKED);
		wrong += n != PART;
	}
	return wrong;
}

/* There is no room for it; a local socket says so when its time is over. */
static int
connects(void)
{
	const struct sockaddr_un a = { AF_UNIX, "./listening" };
	const int s = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0);
	const int second = socket(AF_UNIX, SOCK_STREAM, 0);
	const struct timeval tv = { 0, 500000 };
	const pid_t pid = getpid();
	pid_t disturber;
	int error;

	bind(s, (const void *)&a, sizeof(a));
	listen(s, 0);
	connect(first, (const void *)&a, sizeof(a));
	setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	disturber = fork();
	while (disturber == 0) {
		usleep(20000);
		if (kill(pid, SIGWINCH) < 0)
			_exit(0);
	}
	error = connect(second, (const void *)&a, sizeof(a)) < 0 ? errno : 0;
	kill(disturber, SIGKILL);
	return error == EAGAIN ? 0 : error;
}

/* To a device with blocks all goes in one call. */
static int
fills(void)
{
	const int from = open("copied", O_RDWR | O_CREAT | O_TRUNC, 0600), to = open("block", O_WRONLY);
	int part = 0;

	if (from < 0 || to < 0 || ftruncate(from, 8 << 20) < 0)
		return -1;
	while (goes_on()) {
		off_t at = 0;

		lseek(to, 4096, SEEK_SET);
		part += sendfile(to, from, &at, 8 << 20) != 8 << 20;
	}
	return part;
}

/* The second byte comes three seconds after the first one. */
static int
pauses(void)
{
	int pair[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -1;
	if (fork() == 0) {
		n = write(pair[1], "1", 1);
		sleep(3);
		_exit(n + write(pair[1], "2", 1) != 2);
	}
	return (int)recv(pair[0], data, 2, MSG_WAITALL) - 2;
}

int
main(int argc, char **argv)
{
	const char *what = argv[1];

	ms = argc > 2 ? atol(argv[2]) : 2000;
	printf("%s %d\n", what,
	       strcmp(what, "copies") == 0     ? copies()
	       : strcmp(what, "submits") == 0  ? submits()
	       : strcmp(what, "receives") == 0 ? receives(NULL)
	       : strcmp(what, "reads") == 0    ? receives("dev/random")
	       : strcmp(what, "fills") == 0    ? fills()
	       : strcmp(what, "pauses") == 0   ? pauses()
	                                       : connects());
	return 0;
}
END
gcc -O1 -static -o ends ends.c 2>cc.err || bail "$(cat cc.err)"
mkdir dev && mkfifo dev/random

# ends_as_alone HZ MS WHAT DESCRIPTION: of so much CPU time
ends_as_alone() {
	rm -f listening
	./ends "$3" "$2" >want
	rm -f listening
	timeout --foreground -s KILL 100 profsup -a -q -F "$1" --sampler=ptrace ./ends "$3" "$2" >out 2>err
	case $(cat want) in
	"$3 0") is "$(cat out)" "$3 0" "$4" || diag_file err ;;
	*) skip "alone: $(cat want)" ;;
	esac
	rm -f gmon.*
}
ends_as_alone 1000 1000 copies 'copy_file_range within a file never copies what it has just written'
ends_as_alone 1000 1000 submits 'io_uring_enter does not wait if it has not taken all'
# Each time takes two seconds.
ends_as_alone 20 250 receives 'recv with MSG_WAITALL: what came with a descriptor is all'
ends_as_alone 1000 500 reads 'a fifo that has the name of a device without an end is a fifo'
loop=
if [ "$(id -u)" -eq 0 ] && truncate -s 16M image && loop=$(losetup -f --show image 2>/dev/null); then
	ln -s "$loop" block
	ends_as_alone 1000 1000 fills 'and sendfile to a device with blocks is carried on'
	losetup -d "$loop"
fi
# An attachment stops it in the middle of its wait.
profsup-cc -w -O1 -o linked ends.c 2>cc.err || bail "$(cat cc.err)"
./linked pauses >out &
pid=$!
wait_until 60 grep -q '^State:.*S' /proc/$pid/status
profsup -q --duration=0.5 -p $pid 2>err
wait $pid
is "$(cat out)" 'pauses 0' 'recv with MSG_WAITALL that an attachment has met waits for all' || diag_file err
ends_as_alone 1000 500 connects 'connect to a local socket whose time is over fails as it does alone'
done_testing
