/*
 * transfers CALL [N]: makes N calls of the kind CALL (200 if not given), each of which alone does
 * all that it was asked for and never fails, and prints "CALL: N calls, S short, E interrupted":
 * how many did less and how many failed, which only somebody else's stops can be the reason for.
 * The first of either is shown on stderr, as the kernel gave it.  Where data moves, the other side
 * compares it with what was sent; "corrupt" and exit status 1 if it is not the same.
 *
 * A call that cannot be tried here prints "CALL: skipped: why".
 *
 * "disk" in a name is a file in the current directory, "tmpfs" one in /dev/shm.
 */
#include "../clock.h"

#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <pty.h>
#include <stdbool.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>

#define SIZE   (1UL << 20)
#define PERIOD (4UL << 20) /* Of what is sent; also the size of the file that is read. */
#define PIECES 7           /* Of what is given as a vector, unequal ones. */

/*
 * One kind of call.  `op` makes it once, with fds[0] or fds[1], and returns what the kernel did; it
 * is asked for `size`.
 */
struct call {
	const char *name;
	void (*run)(const struct call *, long n);
	void (*make)(int fd[2]); /* Before all calls. */
	ssize_t (*op)(int fd, size_t size);
	size_t size;
	enum { ANY, ZEROS, WRITTEN, IN_PIPE } expect; /* What a local call's data must be. */
};

/* The second half repeats the first, so a part that begins in the first never wraps. */
static unsigned char data[2 * PERIOD] __attribute__((aligned(4096)));
static unsigned char got[PERIOD] __attribute__((aligned(4096)));
static const unsigned char *from = data; /* What the next call sends. */

static const char *name;
static long calls_made, shorts, interrupted;
static bool corrupt;
static bool early; /* The call came back before what it should have waited for. */
static int fds[2] = { -1, -1 };
static volatile unsigned long sink;

static void __attribute__((noreturn)) skip_errno(const char *what)
{
	printf("%s: skipped: %s: %s\n", name, what, strerror(errno));
	exit(0);
}

static int
need(int r, const char *what)
{
	if (r < 0)
		skip_errno(what);
	return r;
}

/* Counts what one call came to. */
static void
count(ssize_t r, size_t asked)
{
	if (r < 0 && interrupted++ == 0)
		fprintf(stderr, "%s: call %ld: %s\n", name, calls_made, strerror(errno));
	if (r >= 0 && ((size_t)r < asked || early) && shorts++ == 0)
		fprintf(stderr, "%s: call %ld: %zd of %zu%s\n", name, calls_made, r, asked,
		        early ? ", but not yet when it came back" : "");
	early = false;
}

static void
compare(const void *a, const void *b, size_t size)
{
	if (memcmp(a, b, size) != 0)
		corrupt = true;
}

static unsigned
random_below(unsigned limit)
{
	static uint64_t state = 88172645463325252ULL;

	return (unsigned)(xorshift(&state) % limit);
}

static void
burn(unsigned us)
{
	uint64_t end = cpu_ns() + us * 1000ULL;

	do {
		for (int i = 0; i < 1000; i++)
			sink++;
	} while (cpu_ns() < end);
}

static void
fill_data(void)
{
	uint64_t x = 1;

	for (size_t i = 0; i < PERIOD; i += sizeof(x)) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		memcpy(data + i, &x, sizeof(x));
	}
	memcpy(data + PERIOD, data, PERIOD);
}

/* All of it, however often a call is cut. */
static void
write_all(int fd, const unsigned char *p, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			_exit(2);
		if (n > 0) {
			p += n;
			size -= n;
		}
	}
}

/* As much as there is up to `size`: less only at the end. */
static size_t
read_all(int fd, unsigned char *p, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, p + done, size - done);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (n > 0)
			done += n;
	}
	return done;
}

/* Where data flows: fd[0] is read, fd[1] is written. */

static void
make_pipe(int fd[2])
{
	need(pipe(fd), "pipe");
}

/* Room for all that one call moves. */
static void
make_wide_pipe(int fd[2])
{
	need(pipe(fd), "pipe");
	need(fcntl(fd[1], F_SETPIPE_SZ, SIZE), "F_SETPIPE_SZ");
}

static void
make_unix(int fd[2])
{
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "socketpair");
}

static void
make_tcp(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(a);
	int room = 128 << 10;
	int l = need(socket(AF_INET, SOCK_STREAM, 0), "socket");

	need(bind(l, (struct sockaddr *)&a, size), "bind");
	need(listen(l, 1), "listen");
	getsockname(l, (struct sockaddr *)&a, &size);
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	need(connect(fd[1], (struct sockaddr *)&a, size), "connect");
	fd[0] = need(accept(l, NULL, NULL), "accept");
	close(l);
}

/* Messages that are whole, of so many bytes. */
#define MESSAGE  2048
#define MESSAGES 32
static size_t message;

static void
make_messages(int fd[2])
{
	message = MESSAGE;
	need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), "socketpair");
}

/* Time-outs that are never met. */
static void
set_timeouts(int fd)
{
	struct timeval tv = { 20, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

static void
make_tcp_timed(int fd[2])
{
	make_tcp(fd);
	set_timeouts(fd[0]);
	set_timeouts(fd[1]);
}

static void
make_tty(int fd[2])
{
	struct termios t;

	need(openpty(&fd[0], &fd[1], NULL, NULL, NULL), "openpty");
	tcgetattr(fd[1], &t);
	cfmakeraw(&t);
	tcsetattr(fd[1], TCSANOW, &t);
}

/* Files. */

static int
open_new(const char *dir)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/transfers.%d", dir, (int)getpid());
	fd = need(open(path, O_RDWR | O_CREAT | O_EXCL, 0600), dir);
	unlink(path);
	return fd;
}

static void
make_disk(int fd[2])
{
	fd[0] = open_new(".");
}

static void
make_tmpfs(int fd[2])
{
	fd[0] = open_new("/dev/shm");
}

static void
make_zero(int fd[2])
{
	fd[0] = need(open("/dev/zero", O_RDWR), "/dev/zero");
}

static void
make_urandom(int fd[2])
{
	fd[0] = need(open("/dev/urandom", O_RDWR), "/dev/urandom");
}

/* The calls that send; `size` bytes at `from`. */

static int
vector(struct iovec iov[PIECES], const unsigned char *p, size_t size)
{
	size_t at = 0;

	for (int i = 0; i < PIECES; i++) {
		size_t part = i == PIECES - 1 ? size - at : size / 13 * (1 + i % 3);

		iov[i] = (struct iovec){ (void *)(uintptr_t)(p + at), part };
		at += part;
	}
	return PIECES;
}

/* One call, which may have a vector. */
#define OP(name, call)                                                                             \
	static ssize_t op_##name(int fd, size_t size)                                              \
	{                                                                                          \
		struct iovec iov[PIECES];                                                          \
                                                                                                   \
		(void)fd, (void)iov;                                                               \
		return call;                                                                       \
	}

OP(write, write(fd, from, size))
OP(writev, writev(fd, iov, vector(iov, from, size)))
OP(pwritev2, pwritev2(fd, iov, vector(iov, from, size), 0, 0))
OP(sendto, syscall(SYS_sendto, fd, from, size, MSG_NOSIGNAL, NULL, 0))

static ssize_t
op_sendmsg(int fd, size_t size)
{
	struct iovec iov[PIECES];
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = vector(iov, from, size) };

	return sendmsg(fd, &m, 0);
}

/* So many messages as `p` has room for. */
static unsigned
messages(struct mmsghdr m[MESSAGES], const unsigned char *p, size_t size)
{
	static struct iovec iov[MESSAGES];
	const unsigned n = size / MESSAGE;

	for (unsigned i = 0; i < n; i++) {
		iov[i] = (struct iovec){ (void *)(uintptr_t)(p + i * MESSAGE), MESSAGE };
		m[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &iov[i], .msg_iovlen = 1 } };
	}
	return n;
}

static ssize_t
op_sendmmsg(int fd, size_t size)
{
	struct mmsghdr m[MESSAGES];
	const int r = sendmmsg(fd, m, messages(m, from, size), 0);

	return r < 0 ? r : (ssize_t)r * MESSAGE;
}

/* A file that has the data. */
static int
source(void)
{
	static int fd = -1;

	if (fd < 0) {
		fd = open_new(".");
		write_all(fd, data, PERIOD);
	}
	return fd;
}

static ssize_t
op_sendfile(int fd, size_t size)
{
	lseek(source(), from - data, SEEK_SET);
	return sendfile(fd, source(), NULL, size);
}

/* The offset must tell the same as the result. */
static ssize_t
op_sendfile_offset(int fd, size_t size)
{
	off_t at = from - data;
	ssize_t r = sendfile(fd, source(), &at, size);

	if (r >= 0 && at != from - data + r)
		corrupt = true;
	return r;
}

static ssize_t
op_copy_range(int fd, size_t size)
{
	lseek(source(), from - data, SEEK_SET);
	return copy_file_range(source(), NULL, fd, NULL, size, 0);
}

static ssize_t
op_copy_range_offset(int fd, size_t size)
{
	off_t in = from - data, out = 0;
	ssize_t r = copy_file_range(source(), &in, fd, &out, size, 0);

	if (r >= 0 && (in != from - data + r || out != r))
		corrupt = true;
	return r;
}

static ssize_t
op_splice_from_file(int fd, size_t size)
{
	off_t at = from - data;

	return splice(source(), &at, fd, NULL, size, 0);
}

/* A pipe that is full of what is to be sent. */
static int
filled_pipe(size_t size)
{
	static int between[2] = { -1, -1 };

	if (between[0] < 0)
		make_wide_pipe(between);
	write_all(between[1], from, size);
	return between[0];
}

static ssize_t
op_splice_from_pipe(int fd, size_t size)
{
	int in = filled_pipe(size);
	ssize_t r = splice(in, NULL, fd, NULL, size, 0);
	int e = errno;

	read_all(in, got, size - (r < 0 ? 0 : r));
	errno = e;
	return r;
}

/* The calls that receive, to `got`. */

OP(read, read(fd, got, size))
OP(readv, readv(fd, iov, vector(iov, got, size)))
OP(recv, recv(fd, got, size, MSG_WAITALL))

static ssize_t
op_recvfrom(int fd, size_t size)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	return recvfrom(fd, got, size, MSG_WAITALL, (struct sockaddr *)&a, &len);
}

static ssize_t
op_recvmsg(int fd, size_t size)
{
	struct iovec iov[PIECES];
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = vector(iov, got, size) };

	return recvmsg(fd, &m, MSG_WAITALL);
}

static ssize_t
op_recvmmsg(int fd, size_t size)
{
	struct mmsghdr m[MESSAGES];
	const int r = recvmmsg(fd, m, messages(m, got, size), 0, NULL);

	return r < 0 ? r : (ssize_t)r * MESSAGE;
}

OP(getrandom, getrandom(got, size, 0))

/* One io_uring, and what is needed of it. */
static struct {
	int fd;
	char *rings;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
} ring;

static unsigned *
ring_word(unsigned offset)
{
	return (unsigned *)(void *)(ring.rings + offset);
}

static void
ring_open(void)
{
	size_t size;

	ring.fd = need(syscall(SYS_io_uring_setup, 8, &ring.p), "io_uring_setup");
	size = ring.p.cq_off.cqes + ring.p.cq_entries * sizeof(struct io_uring_cqe);
	if (size < ring.p.sq_off.array + ring.p.sq_entries * sizeof(unsigned))
		size = ring.p.sq_off.array + ring.p.sq_entries * sizeof(unsigned);
	ring.rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	ring.sqes = mmap(NULL, ring.p.sq_entries * sizeof(*ring.sqes), PROT_READ | PROT_WRITE,
	                 MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (ring.rings == MAP_FAILED || ring.sqes == MAP_FAILED)
		skip_errno("the io_uring can't be mapped");
}

static void
ring_add(int opcode, int fd, const void *p, size_t size, off_t at, int flags)
{
	unsigned *tail = ring_word(ring.p.sq_off.tail);
	unsigned i = *tail & *ring_word(ring.p.sq_off.ring_mask);

	ring.sqes[i] = (struct io_uring_sqe){ .opcode = opcode,
		                              .fd = fd,
		                              .addr = (uintptr_t)p,
		                              .len = size,
		                              .off = at,
		                              .msg_flags = flags };
	ring_word(ring.p.sq_off.array)[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

static int
ring_ready(void)
{
	return __atomic_load_n(ring_word(ring.p.cq_off.tail), __ATOMIC_ACQUIRE) -
	       *ring_word(ring.p.cq_off.head);
}

/* The results of `n` requests, waited for however often that is cut; the first error, or the sum.
 */
static ssize_t
ring_results(int n)
{
	unsigned *head = ring_word(ring.p.cq_off.head);
	ssize_t sum = 0;

	while (ring_ready() < n)
		syscall(SYS_io_uring_enter, ring.fd, 0, n, IORING_ENTER_GETEVENTS, NULL, 0);
	for (int i = 0; i < n; i++) {
		unsigned at = *head & *ring_word(ring.p.cq_off.ring_mask);
		int res =
		    ((struct io_uring_cqe *)(void *)(ring.rings + ring.p.cq_off.cqes))[at].res;

		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
		if (res < 0) {
			errno = -res;
			sum = -1;
		} else if (sum >= 0) {
			sum += res;
		}
	}
	return sum;
}

/* Submits what was added and waits for all of it, in one call that must do both. */
static ssize_t
ring_do(int n)
{
	int r = syscall(SYS_io_uring_enter, ring.fd, n, n, IORING_ENTER_GETEVENTS, NULL, 0);
	int e = errno, ready = ring_ready();
	ssize_t sum;

	if (r >= 0 && (r < n || ready < n)) {
		early = true;
		if (shorts == 0)
			fprintf(stderr, "%s: %d of %d submitted, %d done\n", name, r, n, ready);
	}
	if (r < n)
		need(syscall(SYS_io_uring_enter, ring.fd, n - (r < 0 ? 0 : r), 0, 0, NULL, 0),
		     "io_uring_enter");
	sum = ring_results(n);
	if (r < 0)
		errno = e;
	return r < 0 ? r : sum;
}

static ssize_t
op_ring_write(int fd, size_t size)
{
	for (size_t at = 0; at < size; at += size / 4)
		ring_add(IORING_OP_WRITE, fd, from + at, size / 4, at, 0);
	return ring_do(4);
}

static ssize_t
op_ring_send(int fd, size_t size)
{
	ring_add(IORING_OP_SEND, fd, from, size, 0, MSG_WAITALL);
	return ring_do(1);
}

static ssize_t
op_ring_recv(int fd, size_t size)
{
	ring_add(IORING_OP_RECV, fd, got, size, 0, MSG_WAITALL);
	return ring_do(1);
}

static void
make_ring_disk(int fd[2])
{
	ring_open();
	make_disk(fd);
}

static void
make_ring_tcp(int fd[2])
{
	ring_open();
	make_tcp(fd);
}

static void
make_ring(int fd[2])
{
	(void)fd;
	ring_open();
}

/* Waits for a time-out that was handed in before.  Back without an error, it must have it.  A
 * little work before makes it likely that a stop meets the call's beginning. */
static ssize_t
op_ring_wait(int fd, size_t size)
{
	const struct __kernel_timespec soon = { 0, 300000 };
	int r, e;

	(void)fd;
	ring_add(IORING_OP_TIMEOUT, -1, &soon, 1, 0, 0);
	need(syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0), "io_uring_enter");
	burn(random_below(300));
	r = syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	e = errno;
	early = r >= 0 && ring_ready() < 1;
	ring_results(1);
	errno = e;
	return r < 0 ? r : (ssize_t)size;
}

/* How it runs: a child at the other end of a stream. */

/* What must arrive is `size` bytes of the data over and over, and then nothing. */
static int
check_stream(int fd, uint64_t size)
{
	static unsigned char piece[64 << 10];
	uint64_t done = 0;
	ssize_t n;

	while (done < size) {
		size_t part = message != 0 ? message : 1 + random_below(sizeof(piece));

		n = read(fd, piece, part < size - done ? part : size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || memcmp(piece, data + done % PERIOD, n) != 0)
			return 1;
		if (message != 0)
			burn(random_below(40)); /* so that the next waits for room */
		done += n;
	}
	do
		n = read(fd, piece, 1);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

static int
feed_stream(int fd, uint64_t size, unsigned most)
{
	for (uint64_t done = 0; done < size;) {
		size_t part = message != 0 ? message : 1 + random_below(most);

		part = part < size - done ? part : size - done;
		write_all(fd, data + done % PERIOD, part);
		if (message != 0)
			burn(random_below(40)); /* so that the next is waited for */
		done += part;
	}
	return 0;
}

static void
join(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		corrupt = true;
}

static void
run_sender(const struct call *c, long n)
{
	pid_t peer;

	c->make(fds);
	peer = fork();
	if (peer == 0) {
		close(fds[1]);
		_exit(check_stream(fds[0], n * c->size));
	}
	close(fds[0]);
	for (long i = 0; i < n; i++) {
		ssize_t r;

		from = data + i * c->size % PERIOD;
		r = c->op(fds[1], c->size);
		count(r, c->size);
		calls_made++;
		r = r < 0 ? 0 : r;
		write_all(fds[1], from + r, c->size - r);
	}
	close(fds[1]);
	join(peer);
}

static void
run_receiver(const struct call *c, long n)
{
	pid_t peer;

	c->make(fds);
	peer = fork();
	if (peer == 0) {
		close(fds[0]);
		_exit(feed_stream(fds[1], n * c->size, c->size / 2));
	}
	close(fds[1]);
	for (long i = 0; i < n; i++) {
		ssize_t r = c->op(fds[0], c->size);

		count(r, c->size);
		calls_made++;
		r = r < 0 ? 0 : r;
		r += read_all(fds[0], got + r, c->size - r);
		if ((size_t)r < c->size)
			corrupt = true;
		compare(got, data + i * c->size % PERIOD, c->size);
	}
	close(fds[0]);
	join(peer);
}

/* How it runs: in this thread alone. */

static void
pread_all(unsigned char *p, size_t size)
{
	lseek(fds[0], 0, SEEK_SET);
	if (read_all(fds[0], p, size) != size)
		corrupt = true;
}

static void
check_result(int expect, size_t size)
{
	static unsigned char back[PERIOD];

	if (expect == WRITTEN)
		pread_all(back, size);
	else if (expect == IN_PIPE)
		read_all(fds[0], back, size);
	if (expect != ANY)
		compare(expect == ZEROS ? got : from, back, size);
}

static void
run_local(const struct call *c, long n)
{
	if (c->make != NULL)
		c->make(fds);
	for (long i = 0; i < n; i++) {
		ssize_t r;

		from = c->size == PERIOD ? data : data + i % 512 * 4096;
		memset(got, 1, c->size);
		if (c->expect == WRITTEN) {
			ftruncate(fds[0], 0);
			lseek(fds[0], 0, SEEK_SET);
		}
		r = c->op(fds[c->expect == IN_PIPE], c->size);
		count(r, c->size);
		calls_made++;
		if (r >= 0)
			check_result(c->expect, r);
	}
}

static const struct call calls[] = {
	{ "write-pipe", run_sender, make_pipe, op_write, SIZE, ANY },
	{ "writev-pipe", run_sender, make_pipe, op_writev, SIZE, ANY },
	{ "write-unix", run_sender, make_unix, op_write, SIZE, ANY },
	{ "writev-unix", run_sender, make_unix, op_writev, SIZE, ANY },
	{ "write-tcp", run_sender, make_tcp, op_write, SIZE, ANY },
	{ "writev-tcp", run_sender, make_tcp, op_writev, SIZE, ANY },
	{ "write-tty", run_sender, make_tty, op_write, 32 << 10, ANY },
	{ "writev-tty", run_sender, make_tty, op_writev, 64 << 10, ANY },
	{ "send-tcp-timed", run_sender, make_tcp_timed, op_sendto, SIZE, ANY },
	{ "sendto-tcp", run_sender, make_tcp, op_sendto, SIZE, ANY },
	{ "sendto-unix", run_sender, make_unix, op_sendto, SIZE, ANY },
	{ "sendmsg-tcp", run_sender, make_tcp, op_sendmsg, SIZE, ANY },
	{ "sendmsg-unix", run_sender, make_unix, op_sendmsg, SIZE, ANY },
	{ "sendfile-tcp", run_sender, make_tcp, op_sendfile, SIZE, ANY },
	{ "sendfile-offset-tcp", run_sender, make_tcp, op_sendfile_offset, SIZE, ANY },
	{ "sendmmsg-seqpacket", run_sender, make_messages, op_sendmmsg, MESSAGES *MESSAGE, ANY },
	{ "io_uring-send-tcp", run_sender, make_ring_tcp, op_ring_send, SIZE, ANY },
	{ "recv-tcp", run_receiver, make_tcp, op_recv, SIZE, ANY },
	{ "recv-unix", run_receiver, make_unix, op_recv, SIZE, ANY },
	{ "recv-tcp-timed", run_receiver, make_tcp_timed, op_recv, SIZE, ANY },
	{ "recvfrom-tcp", run_receiver, make_tcp, op_recvfrom, SIZE, ANY },
	{ "recvmsg-tcp", run_receiver, make_tcp, op_recvmsg, SIZE, ANY },
	{ "recvmsg-unix", run_receiver, make_unix, op_recvmsg, SIZE, ANY },
	{ "recvmmsg-seqpacket", run_receiver, make_messages, op_recvmmsg, MESSAGES *MESSAGE, ANY },
	{ "io_uring-recv-tcp", run_receiver, make_ring_tcp, op_ring_recv, SIZE, ANY },
	{ "write-disk", run_local, make_disk, op_write, SIZE, WRITTEN },
	{ "pwritev2-tmpfs", run_local, make_tmpfs, op_pwritev2, SIZE, WRITTEN },
	{ "sendfile-disk-disk", run_local, make_disk, op_sendfile, PERIOD, WRITTEN },
	{ "sendfile-offset-disk-disk", run_local, make_disk, op_sendfile_offset, PERIOD, WRITTEN },
	{ "sendfile-disk-pipe", run_local, make_wide_pipe, op_sendfile, SIZE, IN_PIPE },
	{ "splice-disk-pipe", run_local, make_wide_pipe, op_splice_from_file, SIZE, IN_PIPE },
	{ "splice-pipe-pipe", run_local, make_wide_pipe, op_splice_from_pipe, SIZE, IN_PIPE },
	{ "copy_file_range-disk", run_local, make_disk, op_copy_range, PERIOD, WRITTEN },
	{ "copy_file_range-offset-disk", run_local, make_disk, op_copy_range_offset, PERIOD,
	  WRITTEN },
	{ "read-zero", run_local, make_zero, op_read, SIZE, ZEROS },
	{ "readv-zero", run_local, make_zero, op_readv, SIZE, ZEROS },
	{ "read-urandom", run_local, make_urandom, op_read, SIZE, ANY },
	{ "readv-urandom", run_local, make_urandom, op_readv, SIZE, ANY },
	{ "getrandom", run_local, NULL, op_getrandom, SIZE, ANY },
	{ "io_uring-write-disk", run_local, make_ring_disk, op_ring_write, SIZE, WRITTEN },
	{ "io_uring-wait", run_local, make_ring, op_ring_wait, 1, ANY },
};

int
main(int argc, char **argv)
{
	const long n = argc > 2 ? atol(argv[2]) : 200;
	const struct call *c = calls, *end = calls + sizeof(calls) / sizeof(calls[0]);

	name = argc > 1 ? argv[1] : "";
	while (c < end && strcmp(name, c->name) != 0)
		c++;
	if (c == end)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	fill_data();
	c->run(c, n);
	printf("%s: %ld calls, %ld short, %ld interrupted%s\n", name, calls_made, shorts,
	       interrupted, corrupt ? ", corrupt" : "");
	return corrupt;
}
