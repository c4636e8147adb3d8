/*
 * transfers CALL [N]: makes N calls of the kind CALL (200 if not given), each of which alone does
 * all that it was asked for and never fails, and prints "CALL: N calls, S short, E interrupted":
 * how many did less and how many failed, which only somebody else's stops can be the reason for.
 * The first of either is shown on stderr, as the kernel gave it.  Where data moves, the other side
 * compares it with what was sent; "corrupt" and exit status 1 if it is not the same.
 *
 * transfers list: prints the names of all calls.
 *
 * A call that cannot be tried here prints "CALL: skipped: why".
 *
 * "disk" in a name is a file in the current directory, "tmpfs" one in /dev/shm.
 */
// CFLAGS: -D_GNU_SOURCE -pthread
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SIZE   (1UL << 20)
#define PERIOD (4UL << 20) /* Of what is sent; also the size of the file that is read. */
#define LARGE  (16UL << 20)
#define PIECES 7 /* Of what is given as a vector, unequal ones. */
#define FILES  3000
/* The kernel gives no more than 64 bytes at once where it waits for VMIN of them. */
#define TTY_PIECE 60

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
	int expect;           /* What the data must be, of the values below. */
	void (*before)(void); /* Before each call. */
	void (*wake)(void);   /* What the other thread does, soon after the call has begun. */
	void (*after)(void);  /* After each call and its wake. */
};

enum { ANY, DATA, ZEROS, WRITTEN, COPIED, IN_PIPE };

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

static void __attribute__((noreturn)) skip(const char *why)
{
	printf("%s: skipped: %s\n", name, why);
	exit(0);
}

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

static uint64_t
now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static unsigned
random_below(unsigned limit)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void
burn(unsigned us)
{
	uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000ULL;

	do {
		for (int i = 0; i < 1000; i++)
			sink++;
	} while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end);
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

/* Time-outs that are never met. */
static void
set_timeouts(int fd)
{
	struct timeval tv = { 20, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

static void
make_unix_timed(int fd[2])
{
	make_unix(fd);
	set_timeouts(fd[0]);
	set_timeouts(fd[1]);
}

static void
make_tcp_timed(int fd[2])
{
	make_tcp(fd);
	set_timeouts(fd[0]);
	set_timeouts(fd[1]);
}

static void
make_tcp_lowat(int fd[2])
{
	int low = 256 << 10;

	make_tcp(fd);
	setsockopt(fd[0], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
}

static void
open_raw_tty(int *master, int *slave)
{
	struct termios t;

	need(openpty(master, slave, NULL, NULL, NULL), "openpty");
	tcgetattr(*slave, &t);
	cfmakeraw(&t);
	t.c_cc[VMIN] = TTY_PIECE;
	t.c_cc[VTIME] = 0;
	tcsetattr(*slave, TCSANOW, &t);
}

static void
make_tty_written(int fd[2])
{
	open_raw_tty(&fd[0], &fd[1]);
}

static void
make_tty_read(int fd[2])
{
	open_raw_tty(&fd[1], &fd[0]);
}

/* Files. */

static int
open_new(const char *dir, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/transfers.%d", dir, (int)getpid());
	fd = need(open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600), dir);
	unlink(path);
	return fd;
}

static int
open_filled(const char *dir)
{
	int fd = open_new(dir, 0);

	write_all(fd, data, PERIOD);
	return fd;
}

static void
make_disk(int fd[2])
{
	fd[0] = open_filled(".");
}

static void
make_tmpfs(int fd[2])
{
	fd[0] = open_filled("/dev/shm");
}

static void
make_direct(int fd[2])
{
	fd[0] = open_filled(".");
	need(fsync(fd[0]), "fsync");
	need(fcntl(fd[0], F_SETFL, O_DIRECT), "O_DIRECT");
}

static void
make_zero(int fd[2])
{
	fd[0] = need(open("/dev/zero", O_RDWR), "/dev/zero");
}

static void
make_full(int fd[2])
{
	fd[0] = need(open("/dev/full", O_RDWR), "/dev/full");
}

static void
make_null(int fd[2])
{
	fd[0] = need(open("/dev/null", O_RDWR), "/dev/null");
}

static void
make_urandom(int fd[2])
{
	fd[0] = need(open("/dev/urandom", O_RDWR), "/dev/urandom");
}

static void
make_self_mem(int fd[2])
{
	fd[0] = need(open("/proc/self/mem", O_RDWR), "/proc/self/mem");
}

/* From a file of the disk to another file. */
static void
make_disk_disk(int fd[2])
{
	fd[0] = open_new(".", 0);
	fd[1] = open_filled(".");
}

static void
make_tmpfs_tmpfs(int fd[2])
{
	fd[0] = open_new("/dev/shm", 0);
	fd[1] = open_filled("/dev/shm");
}

static void
make_null_disk(int fd[2])
{
	make_null(fd);
	fd[1] = open_filled(".");
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

/* The same with each part as a multiple of the page size, for O_DIRECT and vmsplice. */
static int
page_vector(struct iovec iov[PIECES], const unsigned char *p, size_t size)
{
	size_t at = 0;

	for (int i = 0; i < PIECES; i++) {
		size_t part = i == PIECES - 1 ? size - at : (size / 13 >> 12) * (1 + i % 3) << 12;

		iov[i] = (struct iovec){ (void *)(uintptr_t)(p + at), part };
		at += part;
	}
	return PIECES;
}

static ssize_t
op_write(int fd, size_t size)
{
	return write(fd, from, size);
}

static ssize_t
op_writev(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return writev(fd, iov, page_vector(iov, from, size));
}

static ssize_t
op_pwrite(int fd, size_t size)
{
	return pwrite(fd, from, size, 0);
}

static ssize_t
op_pwritev(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return pwritev(fd, iov, page_vector(iov, from, size), 0);
}

static ssize_t
op_pwritev2(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return pwritev2(fd, iov, page_vector(iov, from, size), 0, 0);
}

static ssize_t
op_send(int fd, size_t size)
{
	return send(fd, from, size, 0);
}

static ssize_t
op_sendto(int fd, size_t size)
{
	return syscall(SYS_sendto, fd, from, size, MSG_NOSIGNAL, NULL, 0);
}

static ssize_t
op_sendmsg(int fd, size_t size)
{
	struct iovec iov[PIECES];
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = vector(iov, from, size) };

	return sendmsg(fd, &m, 0);
}

static int
source(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open_filled(".");
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

static ssize_t
op_tee(int fd, size_t size)
{
	int in = filled_pipe(size);
	ssize_t r = tee(in, fd, size, 0);
	int e = errno;

	read_all(in, got, size);
	errno = e;
	return r;
}

static ssize_t
op_vmsplice(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return vmsplice(fd, iov, page_vector(iov, from, size), 0);
}

/* The calls that receive, to `got`. */

static ssize_t
op_read(int fd, size_t size)
{
	return read(fd, got, size);
}

static ssize_t
op_readv(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return readv(fd, iov, page_vector(iov, got, size));
}

static ssize_t
op_pread(int fd, size_t size)
{
	return pread(fd, got, size, 0);
}

static ssize_t
op_preadv(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return preadv(fd, iov, page_vector(iov, got, size), 0);
}

static ssize_t
op_preadv2(int fd, size_t size)
{
	struct iovec iov[PIECES];

	return preadv2(fd, iov, page_vector(iov, got, size), 0, 0);
}

static ssize_t
op_recv(int fd, size_t size)
{
	return recv(fd, got, size, MSG_WAITALL);
}

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
op_vmsplice_out(int fd, size_t size)
{
	struct iovec iov[PIECES];
	int in = filled_pipe(size);
	ssize_t r = vmsplice(in, iov, page_vector(iov, got, size), 0);
	int e = errno;

	(void)fd;
	read_all(in, got + (r < 0 ? 0 : r), size - (r < 0 ? 0 : r));
	errno = e;
	return r;
}

/*
 * Alone, a splice from a socket takes what there is; only that it fails can be told.
 */
static ssize_t
op_splice_from_socket(int fd, size_t size)
{
	static int out[2] = { -1, -1 };
	ssize_t r;
	int e;

	if (out[0] < 0)
		make_wide_pipe(out);
	r = splice(fd, NULL, out[1], NULL, size, 0);
	e = errno;
	read_all(out[0], got, r < 0 ? 0 : r);
	if (r >= 0)
		r = r + read_all(fd, got + r, size - r);
	errno = e;
	return r;
}

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
		skip("the io_uring cannot be mapped");
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
op_ring_rw(int opcode, int fd, const unsigned char *p, size_t size)
{
	for (int i = 0; i < 4; i++)
		ring_add(opcode, fd, p + size / 4 * i, size / 4, size / 4 * i, 0);
	return ring_do(4);
}

static ssize_t
op_ring_write(int fd, size_t size)
{
	return op_ring_rw(IORING_OP_WRITE, fd, from, size);
}

static ssize_t
op_ring_read(int fd, size_t size)
{
	return op_ring_rw(IORING_OP_READ, fd, got, size);
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
make_ring_direct(int fd[2])
{
	ring_open();
	make_direct(fd);
}

static void
make_ring_tcp(int fd[2])
{
	ring_open();
	make_tcp(fd);
}

/* libaio, without the library. */

static aio_context_t aio;

static void
aio_open(void)
{
	need(syscall(SYS_io_setup, 8, &aio), "io_setup");
}

static ssize_t
aio_rw(int opcode, int fd, const unsigned char *p, size_t size)
{
	struct iocb cb = { .aio_lio_opcode = opcode,
		           .aio_fildes = fd,
		           .aio_buf = (uintptr_t)p,
		           .aio_nbytes = size };
	struct iocb *list[] = { &cb };
	struct io_event ev = { 0 };
	int r = syscall(SYS_io_submit, aio, 1, list), e;

	if (r != 1)
		return r;
	r = syscall(SYS_io_getevents, aio, 1, 1, &ev, NULL);
	e = errno;
	if (r != 1)
		while (syscall(SYS_io_getevents, aio, 1, 1, &ev, NULL) != 1)
			;
	errno = ev.res < 0 ? -ev.res : e;
	return r != 1 ? r : ev.res < 0 ? -1 : (ssize_t)ev.res;
}

static ssize_t
op_aio_read(int fd, size_t size)
{
	return aio_rw(IOCB_CMD_PREAD, fd, got, size);
}

static ssize_t
op_aio_write(int fd, size_t size)
{
	return aio_rw(IOCB_CMD_PWRITE, fd, from, size);
}

static void
make_aio_direct(int fd[2])
{
	aio_open();
	make_direct(fd);
}

static void
make_aio_disk(int fd[2])
{
	aio_open();
	make_disk(fd);
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
		size_t part = 1 + random_below(sizeof(piece));

		n = read(fd, piece, part < size - done ? part : size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || memcmp(piece, data + done % PERIOD, n) != 0)
			return 1;
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
		size_t part = 1 + random_below(most);

		part = part < size - done ? part : size - done;
		write_all(fd, data + done % PERIOD, part);
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
	/* What a terminal has not given yet is lost when its master is closed. */
	if (!isatty(fds[1]))
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

	switch (expect) {
	case DATA:
		compare(got, data, size);
		break;
	case ZEROS:
		memset(back, 0, size);
		compare(got, back, size);
		break;
	case WRITTEN:
		pread_all(got, size);
		compare(got, from, size);
		break;
	case COPIED:
		pread_all(back, size);
		compare(back, data, size);
		break;
	case IN_PIPE:
		read_all(fds[0], back, size);
		compare(back, from, size);
		break;
	default:
		break;
	}
}

static void
run_local(const struct call *c, long n)
{
	if (c->make != NULL)
		c->make(fds);
	for (long i = 0; i < n; i++) {
		ssize_t r;

		if (c->before != NULL)
			c->before();
		if (c->expect == WRITTEN || c->expect == IN_PIPE)
			from = data + i % 512 * 4096;
		if (c->expect == DATA || c->expect == ZEROS)
			memset(got, 1, c->size);
		if (c->expect != IN_PIPE && fds[0] >= 0)
			lseek(fds[0], 0, SEEK_SET);
		r = c->op(fds[c->expect == IN_PIPE], c->size);
		count(r, c->size);
		calls_made++;
		if (r >= 0)
			check_result(c->expect, r);
		if (c->after != NULL)
			c->after();
	}
}

static ssize_t
op_sendfile_file(int fd, size_t size)
{
	lseek(fds[1], 0, SEEK_SET);
	return sendfile(fd, fds[1], NULL, size);
}

static ssize_t
op_sendfile_file_offset(int fd, size_t size)
{
	off_t at = 0;
	ssize_t r = sendfile(fd, fds[1], &at, size);

	if (r >= 0 && at != r)
		corrupt = true;
	return r;
}

static ssize_t
op_copy_range(int fd, size_t size)
{
	lseek(fds[1], 0, SEEK_SET);
	return copy_file_range(fds[1], NULL, fd, NULL, size, 0);
}

static ssize_t
op_copy_range_offset(int fd, size_t size)
{
	off_t in = 0, out = 0;
	ssize_t r = copy_file_range(fds[1], &in, fd, &out, size, 0);

	if (r >= 0 && (in != r || out != r))
		corrupt = true;
	return r;
}

static void
empty_copy(void)
{
	ftruncate(fds[0], 0);
}

static ssize_t
op_getrandom(int fd, size_t size)
{
	(void)fd;
	return getrandom(got, size, 0);
}

/* Memory. */

static unsigned char *
map_large(void)
{
	void *p = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		skip_errno("mmap");
	return p;
}

/* A page that is not there and is asked about tells so. */
static size_t
resident(unsigned char *p, size_t size)
{
	static unsigned char in[LARGE / 4096];
	size_t sum = 0;

	mincore(p, size, in);
	for (size_t i = 0; i < size / 4096; i++)
		sum += (in[i] & 1) * 4096;
	return sum;
}

static ssize_t
op_mmap_populate(int fd, size_t size)
{
	unsigned char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ssize_t r;

	(void)fd;
	if (p == MAP_FAILED)
		return -1;
	r = resident(p, size);
	munmap(p, size);
	return r;
}

static ssize_t
on_pages(int (*make_present)(unsigned char *, size_t), size_t size)
{
	unsigned char *p = map_large();
	ssize_t r = make_present(p, size);
	int e = errno;

	if (r == 0)
		r = resident(p, size);
	munmap(p, LARGE);
	errno = e;
	return r;
}

static int
populate_write(unsigned char *p, size_t size)
{
	return madvise(p, size, MADV_POPULATE_WRITE);
}

static int
lock_pages(unsigned char *p, size_t size)
{
	return mlock(p, size);
}

static int
cold_pages(unsigned char *p, size_t size)
{
	int r = madvise(p, size, MADV_POPULATE_WRITE);

	return r < 0 ? r : madvise(p, size, MADV_COLD);
}

static ssize_t
op_populate_write(int fd, size_t size)
{
	(void)fd;
	return on_pages(populate_write, size);
}

static ssize_t
op_mlock(int fd, size_t size)
{
	(void)fd;
	return on_pages(lock_pages, size);
}

static ssize_t
op_madvise_cold(int fd, size_t size)
{
	(void)fd;
	return on_pages(cold_pages, size);
}

static ssize_t
op_mremap(int fd, size_t size)
{
	static unsigned char *p;
	unsigned char *room = map_large(), *q;

	(void)fd;
	if (p == NULL) {
		p = map_large();
		memcpy(p, data, size < sizeof(data) ? size : sizeof(data));
	}
	q = mremap(p, LARGE, LARGE, MREMAP_MAYMOVE | MREMAP_FIXED, room);
	if (q == MAP_FAILED)
		return -1;
	p = q;
	compare(p, data, PERIOD);
	return size;
}

static unsigned char *far, *near;

static void
make_memory(int fd[2])
{
	(void)fd;
	far = map_large();
	near = map_large();
	memset(near, 1, LARGE);
	for (size_t at = 0; at < LARGE; at += PERIOD)
		memcpy(far + at, data, PERIOD);
}

static ssize_t
op_vm_readv(int fd, size_t size)
{
	struct iovec l[PIECES], r = { far, size };
	ssize_t n;

	(void)fd;
	n = process_vm_readv(getpid(), l, vector(l, near, size), &r, 1, 0);
	if (n == (ssize_t)size)
		compare(near, far, size);
	return n;
}

static ssize_t
op_vm_writev(int fd, size_t size)
{
	struct iovec l[PIECES], r = { near, size };
	ssize_t n;

	(void)fd;
	n = process_vm_writev(getpid(), l, vector(l, far, size), &r, 1, 0);
	if (n == (ssize_t)size)
		compare(near, far, size);
	return n;
}

static ssize_t
op_mem_read(int fd, size_t size)
{
	return pread(fd, got, size, (uintptr_t)data);
}

static ssize_t
op_mem_write(int fd, size_t size)
{
	ssize_t n = pwrite(fd, data, size, (uintptr_t)got);

	if (n > 0)
		compare(got, data, n);
	return n;
}

/* Files, but not what is in them. */

static ssize_t
op_fsync(int fd, size_t size)
{
	return fsync(fd) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_fdatasync(int fd, size_t size)
{
	return fdatasync(fd) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_sync_file_range(int fd, size_t size)
{
	const int all =
	    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	return sync_file_range(fd, 0, size, all) < 0 ? -1 : (ssize_t)size;
}

static void
write_some(void)
{
	pwrite(fds[0], data + random_below(SIZE), 64 << 10, 0);
}

static ssize_t
op_fallocate(int fd, size_t size)
{
	struct stat st;

	if (fallocate(fd, 0, 0, size) < 0)
		return -1;
	fstat(fd, &st);
	return st.st_blocks * 512;
}

static ssize_t
op_punch_hole(int fd, size_t size)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) < 0
	           ? -1
	           : (ssize_t)size;
}

static void
write_much(void)
{
	pwrite(fds[0], data, PERIOD, 0);
}

static ssize_t
op_ftruncate(int fd, size_t size)
{
	return ftruncate(fd, 0) < 0 ? -1 : (ssize_t)size;
}

static char directory[64];

static void
remove_directory(void)
{
	for (int i = 0; i < FILES; i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%08d", directory, i);
		unlink(path);
	}
	rmdir(directory);
}

static void
make_directory(int fd[2], const char *dir)
{
	snprintf(directory, sizeof(directory), "%s/transfers.%d", dir, (int)getpid());
	need(mkdir(directory, 0700), directory);
	for (int i = 0; i < FILES; i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%08d", directory, i);
		close(open(path, O_WRONLY | O_CREAT, 0600));
	}
	fd[0] = need(open(directory, O_RDONLY | O_DIRECTORY), directory);
}

static void
make_directory_disk(int fd[2])
{
	make_directory(fd, ".");
}

static void
make_directory_tmpfs(int fd[2])
{
	make_directory(fd, "/dev/shm");
}

/* One call that has room for all; the end, told by 0, is only there when all have come. */
static ssize_t
op_getdents(int fd, size_t size)
{
	ssize_t n = syscall(SYS_getdents64, fd, got, size), more, sum = n;

	if (n < 0)
		return n;
	while ((more = syscall(SYS_getdents64, fd, got, size)) != 0)
		sum += more > 0 ? more : 0;
	if (sum < FILES * 32)
		corrupt = true;
	/* What is asked for is all of it. */
	return n == sum ? (ssize_t)size : n;
}

static ssize_t
op_tcdrain(int fd, size_t size)
{
	(void)size;
	return tcdrain(fd) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_tcsetattr(int fd, size_t size)
{
	struct termios t;

	tcgetattr(fd, &t);
	return tcsetattr(fd, TCSADRAIN, &t) < 0 ? -1 : (ssize_t)size;
}

static int
load_bpf(struct bpf_insn *code, int n)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		                .insn_cnt = n,
		                .insns = (uintptr_t)code,
		                .license = (uintptr_t) "GPL" };
	int fd;

	for (int i = 0; i < n - 1; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = i };
	code[n - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		skip_errno("bpf");
	return fd;
}

/* A long program, looked through by the kernel's verifier. */
static ssize_t
op_bpf_load(int fd, size_t size)
{
	static struct bpf_insn code[4096];

	fd = load_bpf(code, 4096);
	if (fd < 0)
		return -1;
	close(fd);
	return size;
}

static void
make_bpf(int fd[2])
{
	static struct bpf_insn code[16];

	while ((fd[0] = load_bpf(code, 16)) < 0)
		;
}

static ssize_t
op_bpf_run(int fd, size_t size)
{
	union bpf_attr attr = {
		.test = { .prog_fd = fd,
		          .repeat = size,
		          .data_in = (uintptr_t)data,
		          .data_size_in = 64 },
	};

	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) < 0 ? -1 : (ssize_t)size;
}

/*
 * How it runs: the call waits, at most half a millisecond, until another thread does what ends the
 * wait.  A little work before makes it likely that a stop meets the call's beginning.  A call that
 * fails is made again, as what it waits for will still come.
 */

static int tell[2], told[2];

static void *
other_thread(void *arg)
{
	const struct call *c = arg;
	int us;

	while (read(tell[0], &us, sizeof(us)) == sizeof(us)) {
		struct timespec ts = { 0, us * 1000 };

		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
		c->wake();
		write(told[1], "", 1);
	}
	return NULL;
}

static void
wait_once(const struct call *c)
{
	int us = random_below(500);
	ssize_t r;
	char done;

	if (c->before != NULL)
		c->before();
	burn(100 + random_below(1000));
	if (c->wake != NULL)
		write(tell[1], &us, sizeof(us));
	burn(random_below(100));
	do {
		r = c->op(fds[0], c->size);
		count(r, c->size);
	} while (r < 0 && errno == EINTR);
	calls_made++;
	if (c->wake != NULL)
		while (read(told[0], &done, 1) < 0)
			;
	if (c->after != NULL)
		c->after();
}

static void
run_wait(const struct call *c, long n)
{
	pthread_t t;

	if (c->make != NULL)
		c->make(fds);
	need(pipe(tell), "pipe");
	need(pipe(told), "pipe");
	if (c->wake != NULL)
		pthread_create(&t, NULL, other_thread, (void *)(uintptr_t)c);
	for (long i = 0; i < n; i++)
		wait_once(c);
	close(tell[1]);
	if (c->wake != NULL)
		pthread_join(t, NULL);
}

/* What is waited for is, mostly, that an eventfd can be read. */

static const struct timespec long_time = { 20, 0 };

static void
make_eventfd(int fd[2])
{
	fd[0] = need(eventfd(0, 0), "eventfd");
}

static void
make_epoll(int fd[2])
{
	struct epoll_event ev = { .events = EPOLLIN };

	make_eventfd(fd);
	fd[1] = epoll_create1(0);
	need(epoll_ctl(fd[1], EPOLL_CTL_ADD, fd[0], &ev), "epoll_ctl");
}

static void
wake_eventfd(void)
{
	eventfd_write(fds[0], 1);
}

static void
clear_eventfd(void)
{
	eventfd_t v;

	eventfd_read(fds[0], &v);
}

static ssize_t
op_eventfd(int fd, size_t size)
{
	uint64_t v;

	return read(fd, &v, size);
}

/* One more than fits, until the other thread takes it all. */
static void
fill_eventfd(void)
{
	clear_eventfd();
	eventfd_write(fds[0], UINT64_MAX - 1);
}

static void
make_full_eventfd(int fd[2])
{
	make_eventfd(fd);
	wake_eventfd();
}

static ssize_t
op_eventfd_write(int fd, size_t size)
{
	uint64_t one = 1;

	return write(fd, &one, size);
}

static ssize_t
op_epoll_wait(int fd, size_t size)
{
	struct epoll_event ev;

	(void)fd;
	(void)size;
	return epoll_wait(fds[1], &ev, 1, 20000);
}

static ssize_t
op_epoll_pwait(int fd, size_t size)
{
	struct epoll_event ev;
	sigset_t none;

	(void)fd;
	(void)size;
	sigemptyset(&none);
	return epoll_pwait(fds[1], &ev, 1, 20000, &none);
}

static ssize_t
op_epoll_pwait2(int fd, size_t size)
{
	struct epoll_event ev;

	(void)fd;
	(void)size;
	return epoll_pwait2(fds[1], &ev, 1, &long_time, NULL);
}

static ssize_t
op_poll(int fd, size_t size)
{
	struct pollfd p = { fd, POLLIN, 0 };

	(void)size;
	return poll(&p, 1, 20000);
}

static ssize_t
op_ppoll(int fd, size_t size)
{
	struct pollfd p = { fd, POLLIN, 0 };
	sigset_t none;

	(void)size;
	sigemptyset(&none);
	return ppoll(&p, 1, &long_time, &none);
}

static ssize_t
op_select(int fd, size_t size)
{
	struct timeval tv = { 20, 0 };
	fd_set set;

	(void)size;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &tv);
}

static ssize_t
op_pselect(int fd, size_t size)
{
	sigset_t none;
	fd_set set;

	(void)size;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	sigemptyset(&none);
	return pselect(fd + 1, &set, NULL, NULL, &long_time, &none);
}

static void
make_ring_wait(int fd[2])
{
	ring_open();
	make_eventfd(fd);
}

static ssize_t
op_ring_submit_wait(int fd, size_t size)
{
	static uint64_t v;

	ring_add(IORING_OP_READ, fd, &v, size, 0, 0);
	return ring_do(1);
}

static void
submit_read(void)
{
	static uint64_t v;

	ring_add(IORING_OP_READ, fds[0], &v, sizeof(v), 0, 0);
	need(syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0), "io_uring_enter");
}

/* Back without an error, it must have what it waited for. */
static ssize_t
op_ring_wait(int fd, size_t size)
{
	int r = syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);

	(void)fd;
	early = r >= 0 && ring_ready() < 1;
	return r < 0 ? r : (ssize_t)size;
}

static void
reap_ring(void)
{
	ring_results(1);
}

static void
make_aio_poll(int fd[2])
{
	aio_open();
	make_eventfd(fd);
}

static void
submit_poll(void)
{
	struct iocb cb = { .aio_lio_opcode = IOCB_CMD_POLL,
		           .aio_fildes = fds[0],
		           .aio_buf = POLLIN };
	struct iocb *list[] = { &cb };

	if (syscall(SYS_io_submit, aio, 1, list) != 1)
		skip_errno("io_submit");
}

static ssize_t
op_getevents(int fd, size_t size)
{
	struct io_event ev;

	(void)fd;
	(void)size;
	return syscall(SYS_io_getevents, aio, 1, 1, &ev, &long_time);
}

static ssize_t
op_pgetevents(int fd, size_t size)
{
	struct io_event ev;

	(void)fd;
	(void)size;
	return syscall(SYS_io_pgetevents, aio, 1, 1, &ev, &long_time, NULL);
}

/* Futexes. */

static int word;

static void
reset_word(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
}

static void
wake_word(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static ssize_t
op_futex(int fd, size_t size)
{
	int r = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &long_time, NULL, 0);

	(void)fd;
	return r < 0 && errno != EAGAIN ? -1 : (ssize_t)size;
}

static ssize_t
op_futex_bitset(int fd, size_t size)
{
	int r = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, ~0);

	(void)fd;
	return r < 0 && errno != EAGAIN ? -1 : (ssize_t)size;
}

static ssize_t
op_futex_waitv(int fd, size_t size)
{
	struct futex_waitv w = { .val = 0, .uaddr = (uintptr_t)&word, .flags = FUTEX_32 };
	struct timespec end;
	int r;

	(void)fd;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 20;
	r = syscall(SYS_futex_waitv, &w, 1, 0, &end, CLOCK_MONOTONIC);
	return r < 0 && errno != EAGAIN ? -1 : (ssize_t)size;
}

/* Sleeps: what counts is that they are not too short. */

static ssize_t
slept(uint64_t begun, int us, ssize_t size)
{
	return now_ns(CLOCK_MONOTONIC) - begun < us * 1000ULL ? size - 1 : size;
}

static ssize_t
op_nanosleep(int fd, size_t size)
{
	int us = random_below(500);
	uint64_t begun = now_ns(CLOCK_MONOTONIC);
	struct timespec ts = { 0, us * 1000 };

	(void)fd;
	return nanosleep(&ts, &ts) < 0 ? -1 : slept(begun, us, size);
}

static ssize_t
op_clock_nanosleep(int fd, size_t size)
{
	int us = random_below(500);
	uint64_t begun = now_ns(CLOCK_MONOTONIC);
	struct timespec ts = { 0, us * 1000 };

	(void)fd;
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts);
	return errno != 0 ? -1 : slept(begun, us, size);
}

static void
block_signals(int fd[2])
{
	sigset_t set;

	(void)fd;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static ssize_t
op_sigtimedwait_timeout(int fd, size_t size)
{
	int us = random_below(500);
	uint64_t begun = now_ns(CLOCK_MONOTONIC);
	struct timespec ts = { 0, us * 1000 };
	sigset_t set;

	(void)fd;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &ts) < 0 && errno == EAGAIN ? slept(begun, us, size) : -1;
}

static ssize_t
op_sigtimedwait(int fd, size_t size)
{
	sigset_t set;

	(void)fd;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &long_time) < 0 ? -1 : (ssize_t)size;
}

static void
wake_signal(void)
{
	kill(getpid(), SIGUSR1);
}

static void
make_signalfd(int fd[2])
{
	sigset_t set;

	block_signals(fd);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd[0] = need(signalfd(-1, &set, 0), "signalfd");
}

static void
make_timerfd(int fd[2])
{
	fd[0] = need(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
}

static ssize_t
op_timerfd(int fd, size_t size)
{
	struct itimerspec it = { { 0, 0 }, { 0, 1000 + random_below(500) * 1000 } };

	timerfd_settime(fd, 0, &it, NULL);
	return read(fd, got, size);
}

/* Inotify. */

static int watched;

static void
make_inotify(int fd[2])
{
	char path[64];

	fd[0] = need(inotify_init(), "inotify_init");
	watched = open_filled(".");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", watched);
	need(inotify_add_watch(fd[0], path, IN_MODIFY), "inotify_add_watch");
}

static void
wake_inotify(void)
{
	pwrite(watched, "x", 1, 0);
}

/* Children. */

static pid_t child;

static void
fork_child(void)
{
	child = fork();
	if (child == 0) {
		burn(300 + random_below(500));
		_exit(0);
	}
}

static ssize_t
op_wait4(int fd, size_t size)
{
	(void)fd;
	return wait4(child, NULL, 0, NULL) == child ? (ssize_t)size : -1;
}

static ssize_t
op_waitid(int fd, size_t size)
{
	siginfo_t info;

	(void)fd;
	return waitid(P_PID, child, &info, WEXITED) < 0 ? -1 : (ssize_t)size;
}

/* Locks: two opens of a file, of which the other thread gives up one. */

static void
make_locked(int fd[2])
{
	char path[64];

	fd[0] = open_filled(".");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[0]);
	fd[1] = need(open(path, O_RDWR), path);
}

static void
before_flock(void)
{
	flock(fds[1], LOCK_EX);
}

static void
wake_flock(void)
{
	flock(fds[1], LOCK_UN);
}

static ssize_t
op_flock(int fd, size_t size)
{
	return flock(fd, LOCK_EX) < 0 ? -1 : (ssize_t)size;
}

static void
after_flock(void)
{
	flock(fds[0], LOCK_UN);
}

static int
set_lock(int fd, int how, int type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	return fcntl(fd, how, &l);
}

static void
before_lock(void)
{
	need(set_lock(fds[1], F_OFD_SETLK, F_WRLCK), "F_OFD_SETLK");
}

static void
wake_lock(void)
{
	set_lock(fds[1], F_OFD_SETLK, F_UNLCK);
}

static ssize_t
op_setlkw(int fd, size_t size)
{
	return set_lock(fd, F_SETLKW, F_WRLCK) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_ofd_setlkw(int fd, size_t size)
{
	return set_lock(fd, F_OFD_SETLKW, F_WRLCK) < 0 ? -1 : (ssize_t)size;
}

static void
after_setlkw(void)
{
	set_lock(fds[0], F_SETLK, F_UNLCK);
}

static void
after_ofd_setlkw(void)
{
	set_lock(fds[0], F_OFD_SETLK, F_UNLCK);
}

/* A FIFO: each opens one side of it. */

static char fifo[64];

static void
remove_fifo(void)
{
	unlink(fifo);
}

static void
make_fifo(int fd[2])
{
	(void)fd;
	snprintf(fifo, sizeof(fifo), "./transfers.%d", (int)getpid());
	need(mkfifo(fifo, 0600), fifo);
	atexit(remove_fifo);
}

static ssize_t
op_open_fifo(int fd, size_t size)
{
	fd = open(fifo, O_WRONLY);
	if (fd < 0)
		return -1;
	fds[1] = fd;
	return size;
}

static void
wake_fifo(void)
{
	while ((fds[0] = open(fifo, O_RDONLY)) < 0 && errno == EINTR)
		;
}

static void
close_both(void)
{
	close(fds[0]);
	close(fds[1]);
}

/* Connections. */

static int listener;
static struct sockaddr_un here = { .sun_family = AF_UNIX };
static socklen_t here_size;
static int waiting[8], n_waiting;

static void
make_listener(int fd[2])
{
	(void)fd;
	here_size =
	    sizeof(sa_family_t) + 1 + sprintf(here.sun_path + 1, "transfers.%d", (int)getpid());
	listener = need(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	need(bind(listener, (struct sockaddr *)&here, here_size), "bind");
	need(listen(listener, 0), "listen");
	set_timeouts(listener);
}

static int
connect_to(int flags)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0), e;

	set_timeouts(fd);
	if (connect(fd, (struct sockaddr *)&here, here_size) == 0)
		return fd;
	e = errno;
	close(fd);
	errno = e;
	return -1;
}

static void
fill_backlog(void)
{
	int fd;

	while (n_waiting < 8 && (fd = connect_to(SOCK_NONBLOCK)) >= 0)
		waiting[n_waiting++] = fd;
}

static ssize_t
op_connect(int fd, size_t size)
{
	fd = connect_to(0);
	if (fd < 0)
		return -1;
	close(fd);
	return size;
}

/* Takes one, so that there is room. */
static void
wake_connect(void)
{
	close(accept(listener, NULL, NULL));
}

static void
empty_backlog(void)
{
	int flags = fcntl(listener, F_GETFL), fd;

	fcntl(listener, F_SETFL, flags | O_NONBLOCK);
	while ((fd = accept(listener, NULL, NULL)) >= 0)
		close(fd);
	fcntl(listener, F_SETFL, flags);
	while (n_waiting > 0)
		close(waiting[--n_waiting]);
}

static ssize_t
op_accept(int fd, size_t size)
{
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		return -1;
	close(fd);
	return size;
}

static void
wake_accept(void)
{
	waiting[n_waiting++] = connect_to(0);
}

/* To a listener that is not busy, over TCP. */
static void
make_tcp_listener(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };

	fd[0] = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
	need(bind(fd[0], (struct sockaddr *)&a, sizeof(a)), "bind");
	need(listen(fd[0], 8), "listen");
}

static ssize_t
op_connect_tcp(int fd, size_t size)
{
	struct sockaddr_in a;
	struct linger now = { 1, 0 };
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_STREAM, 0), e;

	getsockname(fd, (struct sockaddr *)&a, &len);
	set_timeouts(s);
	/* No connection is left behind in TIME_WAIT. */
	setsockopt(s, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (connect(s, (struct sockaddr *)&a, len) < 0)
		size = -1;
	e = errno;
	/* Whatever the first came to: nobody is left to be accepted. */
	while (size != 1 && connect(s, (struct sockaddr *)&a, len) < 0 && errno != EISCONN)
		;
	close(accept(fd, NULL, NULL));
	close(s);
	errno = e;
	return size;
}

/* A close that waits until all that was sent has been acknowledged; the other thread reads it. */

static void
before_close(void)
{
	struct linger wait = { 1, 20 };

	make_tcp(fds);
	setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
	while (send(fds[1], data, SIZE, MSG_DONTWAIT) > 0)
		;
}

static void
wake_close(void)
{
	static unsigned char piece[SIZE];

	read_all(fds[0], piece, sizeof(piece));
	while (read_all(fds[0], piece, sizeof(piece)) > 0)
		;
}

/* What the kernel's table says of the socket with that port at this end, or 0. */
static unsigned
tcp_state(unsigned port)
{
	unsigned local, state;
	char line[256];
	FILE *f = fopen("/proc/net/tcp", "r");

	if (f == NULL)
		skip_errno("/proc/net/tcp");
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%*d: %*x:%x %*x:%*x %x", &local, &state) == 2 && local == port) {
			fclose(f);
			return state;
		}
	}
	fclose(f);
	return 0;
}

/* With the end of the connection not even acknowledged, it has not waited. */
static ssize_t
op_close(int fd, size_t size)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	fd = fds[1];
	getsockname(fd, (struct sockaddr *)&a, &len);
	if (close(fd) < 0)
		return -1;
	return tcp_state(ntohs(a.sin_port)) == TCP_FIN_WAIT1 ? 0 : (ssize_t)size;
}

static void
close_reader(void)
{
	close(fds[0]);
}

/* One byte that comes, or one message for which there is room. */

static void
wake_byte(void)
{
	write(fds[1], "x", 1);
}

static ssize_t
op_recv_byte(int fd, size_t size)
{
	return recv(fd, got, size, 0);
}

static ssize_t
op_recvmmsg_timeout(int fd, size_t size)
{
	struct iovec iov = { got, size };
	struct mmsghdr m = { { .msg_iov = &iov, .msg_iovlen = 1 }, 0 };
	struct timespec ts = long_time;
	int r = recvmmsg(fd, &m, 1, MSG_WAITFORONE, &ts);

	return r < 0 ? r : (ssize_t)m.msg_len;
}

static void
make_dgram(int fd[2])
{
	need(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), "socketpair");
	set_timeouts(fd[0]);
	set_timeouts(fd[1]);
}

/* Others: fds[0] sends, fds[1] receives. */
static void
fill_dgram(void)
{
	while (send(fds[0], "x", 1, MSG_DONTWAIT) == 1)
		;
}

static void
wake_dgram(void)
{
	char c;

	while (recv(fds[1], &c, 1, MSG_DONTWAIT) == 1)
		;
}

static ssize_t
op_send_dgram(int fd, size_t size)
{
	return send(fd, "x", size, 0);
}

/* System V and POSIX messages and semaphores. */

static int queue, semaphore;
static mqd_t mq;
static struct {
	long type;
	char text[8192];
} message = { 1, "" };

static void
remove_queue(void)
{
	msgctl(queue, IPC_RMID, NULL);
}

static void
make_queue(int fd[2])
{
	(void)fd;
	queue = need(msgget(IPC_PRIVATE, 0600), "msgget");
	atexit(remove_queue);
}

static void
fill_queue(void)
{
	while (msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT) == 0)
		;
}

static void
take_message(void)
{
	msgrcv(queue, &message, sizeof(message.text), 0, MSG_NOERROR);
}

static void
put_message(void)
{
	msgsnd(queue, &message, sizeof(message.text), 0);
}

static ssize_t
op_msgsnd(int fd, size_t size)
{
	(void)fd;
	return msgsnd(queue, &message, size, 0) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_msgrcv(int fd, size_t size)
{
	static __typeof__(message) in;

	(void)fd;
	return msgrcv(queue, &in, size, 0, 0);
}

static void
make_mq(int fd[2])
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8192 };
	char path[64];

	(void)fd;
	snprintf(path, sizeof(path), "/transfers.%d", (int)getpid());
	mq = need(mq_open(path, O_RDWR | O_CREAT | O_EXCL, 0600, &attr), "mq_open");
	mq_unlink(path);
}

static struct timespec
in_20_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 20;
	return ts;
}

static void
put_mq(void)
{
	mq_send(mq, message.text, sizeof(message.text), 0);
}

static void
take_mq(void)
{
	mq_receive(mq, message.text, sizeof(message.text), NULL);
}

static ssize_t
op_mq_send(int fd, size_t size)
{
	struct timespec end = in_20_s();

	(void)fd;
	return mq_timedsend(mq, (char *)data, size, 0, &end) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_mq_receive(int fd, size_t size)
{
	struct timespec end = in_20_s();

	(void)fd;
	return mq_timedreceive(mq, (char *)got, size, NULL, &end);
}

static void
remove_semaphore(void)
{
	semctl(semaphore, 0, IPC_RMID);
}

static void
make_semaphore(int fd[2])
{
	(void)fd;
	semaphore = need(semget(IPC_PRIVATE, 1, 0600), "semget");
	atexit(remove_semaphore);
}

static void
wake_semaphore(void)
{
	struct sembuf give = { 0, 1, 0 };

	semop(semaphore, &give, 1);
}

static ssize_t
op_semop(int fd, size_t size)
{
	struct sembuf take = { 0, -1, 0 };

	(void)fd;
	return semop(semaphore, &take, 1) < 0 ? -1 : (ssize_t)size;
}

static ssize_t
op_semtimedop(int fd, size_t size)
{
	struct sembuf take = { 0, -1, 0 };

	(void)fd;
	return semtimedop(semaphore, &take, 1, &long_time) < 0 ? -1 : (ssize_t)size;
}

/* All of them. */

#define READS(where, make, expect)                                                                 \
	{ "read-" where, run_local, make, op_read, SIZE, expect, NULL, NULL, NULL },               \
	    { "readv-" where, run_local, make, op_readv, SIZE, expect, NULL, NULL, NULL },         \
	    { "pread64-" where, run_local, make, op_pread, SIZE, expect, NULL, NULL, NULL },       \
	    { "preadv-" where, run_local, make, op_preadv, SIZE, expect, NULL, NULL, NULL },       \
	{                                                                                          \
		"preadv2-" where, run_local, make, op_preadv2, SIZE, expect, NULL, NULL, NULL      \
	}

#define WRITES(where, make)                                                                        \
	{ "write-" where, run_local, make, op_write, SIZE, WRITTEN, NULL, NULL, NULL },            \
	    { "writev-" where, run_local, make, op_writev, SIZE, WRITTEN, NULL, NULL, NULL },      \
	    { "pwrite64-" where, run_local, make, op_pwrite, SIZE, WRITTEN, NULL, NULL, NULL },    \
	    { "pwritev-" where, run_local, make, op_pwritev, SIZE, WRITTEN, NULL, NULL, NULL },    \
	{                                                                                          \
		"pwritev2-" where, run_local, make, op_pwritev2, SIZE, WRITTEN, NULL, NULL, NULL   \
	}

#define SEND(what, make, op)                                                                       \
	{                                                                                          \
		what, run_sender, make, op, SIZE, DATA, NULL, NULL, NULL                           \
	}
#define RECEIVE(what, make, op)                                                                    \
	{                                                                                          \
		what, run_receiver, make, op, SIZE, DATA, NULL, NULL, NULL                         \
	}
#define LOCAL(what, make, op, size, expect)                                                        \
	{                                                                                          \
		what, run_local, make, op, size, expect, NULL, NULL, NULL                          \
	}
#define WAIT(what, make, op, size, before, wake, after)                                            \
	{                                                                                          \
		what, run_wait, make, op, size, ANY, before, wake, after                           \
	}

static const struct call calls[] = {
	SEND("write-pipe", make_pipe, op_write),
	SEND("writev-pipe", make_pipe, op_writev),
	SEND("write-unix", make_unix, op_write),
	SEND("writev-unix", make_unix, op_writev),
	SEND("write-tcp", make_tcp, op_write),
	SEND("writev-tcp", make_tcp, op_writev),
	{ "write-tty", run_sender, make_tty_written, op_write, 32 << 10, DATA, NULL, NULL, NULL },
	{ "writev-tty", run_sender, make_tty_written, op_writev, 64 << 10, DATA, NULL, NULL, NULL },
	SEND("send-unix", make_unix, op_send),
	SEND("send-unix-timed", make_unix_timed, op_send),
	SEND("sendto-unix", make_unix, op_sendto),
	SEND("sendmsg-unix", make_unix, op_sendmsg),
	SEND("send-tcp", make_tcp, op_send),
	SEND("send-tcp-timed", make_tcp_timed, op_send),
	SEND("sendto-tcp", make_tcp, op_sendto),
	SEND("sendmsg-tcp", make_tcp, op_sendmsg),
	SEND("sendfile-unix", make_unix, op_sendfile),
	SEND("sendfile-tcp", make_tcp, op_sendfile),
	SEND("sendfile-offset-tcp", make_tcp, op_sendfile_offset),
	SEND("splice-pipe-unix", make_unix, op_splice_from_pipe),
	SEND("splice-pipe-tcp", make_tcp, op_splice_from_pipe),
	SEND("io_uring-send-tcp", make_ring_tcp, op_ring_send),
	RECEIVE("recv-unix", make_unix, op_recv),
	RECEIVE("recv-unix-timed", make_unix_timed, op_recv),
	RECEIVE("recvmsg-unix", make_unix, op_recvmsg),
	RECEIVE("recv-tcp", make_tcp, op_recv),
	RECEIVE("recv-tcp-timed", make_tcp_timed, op_recv),
	RECEIVE("recvfrom-tcp", make_tcp, op_recvfrom),
	RECEIVE("recvmsg-tcp", make_tcp, op_recvmsg),
	RECEIVE("splice-tcp-pipe", make_tcp, op_splice_from_socket),
	RECEIVE("io_uring-recv-tcp", make_ring_tcp, op_ring_recv),
	{ "read-tcp-lowat", run_receiver, make_tcp_lowat, op_read, 256 << 10, DATA, NULL, NULL,
	  NULL },
	{ "read-tty-vmin", run_receiver, make_tty_read, op_read, TTY_PIECE, DATA, NULL, NULL,
	  NULL },

	WRITES("disk", make_disk),
	WRITES("tmpfs", make_tmpfs),
	LOCAL("write-null", make_null, op_write, SIZE, ANY),
	LOCAL("writev-null", make_null, op_writev, SIZE, ANY),
	LOCAL("write-zero", make_zero, op_write, SIZE, ANY),
	LOCAL("write-urandom", make_urandom, op_write, SIZE, ANY),
	READS("disk", make_disk, DATA),
	READS("tmpfs", make_tmpfs, DATA),
	READS("direct", make_direct, DATA),
	READS("zero", make_zero, ZEROS),
	READS("full", make_full, ZEROS),
	LOCAL("read-urandom", make_urandom, op_read, SIZE, ANY),
	LOCAL("readv-urandom", make_urandom, op_readv, SIZE, ANY),
	LOCAL("pread64-urandom", make_urandom, op_pread, SIZE, ANY),
	LOCAL("preadv-urandom", make_urandom, op_preadv, SIZE, ANY),
	LOCAL("preadv2-urandom", make_urandom, op_preadv2, SIZE, ANY),
	LOCAL("getrandom", NULL, op_getrandom, SIZE, ANY),

	{ "sendfile-disk-disk", run_local, make_disk_disk, op_sendfile_file, PERIOD, COPIED,
	  empty_copy, NULL, NULL },
	{ "sendfile-offset-disk-disk", run_local, make_disk_disk, op_sendfile_file_offset, PERIOD,
	  COPIED, empty_copy, NULL, NULL },
	{ "sendfile-tmpfs-tmpfs", run_local, make_tmpfs_tmpfs, op_sendfile_file, PERIOD, COPIED,
	  empty_copy, NULL, NULL },
	LOCAL("sendfile-disk-null", make_null_disk, op_sendfile_file, PERIOD, ANY),
	{ "copy_file_range-disk", run_local, make_disk_disk, op_copy_range, PERIOD, COPIED,
	  empty_copy, NULL, NULL },
	{ "copy_file_range-offset-disk", run_local, make_disk_disk, op_copy_range_offset, PERIOD,
	  COPIED, empty_copy, NULL, NULL },
	{ "copy_file_range-tmpfs", run_local, make_tmpfs_tmpfs, op_copy_range, PERIOD, COPIED,
	  empty_copy, NULL, NULL },
	LOCAL("sendfile-disk-pipe", make_wide_pipe, op_sendfile, SIZE, IN_PIPE),
	LOCAL("sendfile-offset-disk-pipe", make_wide_pipe, op_sendfile_offset, SIZE, IN_PIPE),
	LOCAL("splice-disk-pipe", make_wide_pipe, op_splice_from_file, SIZE, IN_PIPE),
	LOCAL("splice-pipe-pipe", make_wide_pipe, op_splice_from_pipe, SIZE, IN_PIPE),
	LOCAL("splice-pipe-disk", make_disk, op_splice_from_pipe, SIZE, WRITTEN),
	LOCAL("splice-pipe-tmpfs", make_tmpfs, op_splice_from_pipe, SIZE, WRITTEN),
	LOCAL("splice-pipe-null", make_null, op_splice_from_pipe, SIZE, ANY),
	LOCAL("tee", make_wide_pipe, op_tee, SIZE, IN_PIPE),
	LOCAL("vmsplice-in", make_wide_pipe, op_vmsplice, SIZE, IN_PIPE),
	LOCAL("vmsplice-out", NULL, op_vmsplice_out, SIZE, DATA),
	LOCAL("io_uring-write-disk", make_ring_disk, op_ring_write, SIZE, WRITTEN),
	LOCAL("io_uring-read-disk", make_ring_disk, op_ring_read, SIZE, DATA),
	LOCAL("io_uring-read-direct", make_ring_direct, op_ring_read, SIZE, DATA),
	LOCAL("io_submit-write-disk", make_aio_disk, op_aio_write, SIZE, WRITTEN),
	LOCAL("io_submit-read-direct", make_aio_direct, op_aio_read, SIZE, DATA),

	LOCAL("process_vm_readv", make_memory, op_vm_readv, LARGE, ANY),
	LOCAL("process_vm_writev", make_memory, op_vm_writev, LARGE, ANY),
	LOCAL("mmap-populate", NULL, op_mmap_populate, LARGE, ANY),
	LOCAL("madvise-populate-write", NULL, op_populate_write, LARGE, ANY),
	LOCAL("madvise-cold", NULL, op_madvise_cold, LARGE, ANY),
	LOCAL("mlock", NULL, op_mlock, LARGE, ANY),
	LOCAL("mremap", NULL, op_mremap, LARGE, ANY),
	LOCAL("read-proc-mem", make_self_mem, op_mem_read, PERIOD, DATA),
	LOCAL("write-proc-mem", make_self_mem, op_mem_write, PERIOD, ANY),

	{ "fsync", run_local, make_disk, op_fsync, SIZE, ANY, write_some, NULL, NULL },
	{ "fdatasync", run_local, make_disk, op_fdatasync, SIZE, ANY, write_some, NULL, NULL },
	{ "sync_file_range", run_local, make_disk, op_sync_file_range, SIZE, ANY, write_some, NULL,
	  NULL },
	{ "fallocate-disk", run_local, make_disk, op_fallocate, 64 << 20, ANY, empty_copy, NULL,
	  NULL },
	{ "fallocate-tmpfs", run_local, make_tmpfs, op_fallocate, 64 << 20, ANY, empty_copy, NULL,
	  NULL },
	{ "punch_hole-disk", run_local, make_disk, op_punch_hole, PERIOD, ANY, write_much, NULL,
	  NULL },
	{ "punch_hole-tmpfs", run_local, make_tmpfs, op_punch_hole, PERIOD, ANY, write_much, NULL,
	  NULL },
	{ "ftruncate", run_local, make_disk, op_ftruncate, PERIOD, ANY, write_much, NULL, NULL },
	LOCAL("getdents64-disk", make_directory_disk, op_getdents, SIZE, ANY),
	LOCAL("getdents64-tmpfs", make_directory_tmpfs, op_getdents, SIZE, ANY),
	LOCAL("tcdrain", make_tty_read, op_tcdrain, 1, ANY),
	LOCAL("tcsetattr-drain", make_tty_read, op_tcsetattr, 1, ANY),
	LOCAL("bpf-prog-load", NULL, op_bpf_load, 1, ANY),
	LOCAL("bpf-prog-test-run", make_bpf, op_bpf_run, 20000, ANY),
	/* Some milliseconds of work, so that a call that is begun anew may never end. */
	LOCAL("bpf-prog-test-run-long", make_bpf, op_bpf_run, 400000, ANY),
	LOCAL("connect-tcp", make_tcp_listener, op_connect_tcp, 1, ANY),

	WAIT("epoll_wait", make_epoll, op_epoll_wait, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("epoll_pwait", make_epoll, op_epoll_pwait, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("epoll_pwait2", make_epoll, op_epoll_pwait2, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("poll", make_eventfd, op_poll, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("ppoll", make_eventfd, op_ppoll, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("select", make_eventfd, op_select, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("pselect", make_eventfd, op_pselect, 1, NULL, wake_eventfd, clear_eventfd),
	WAIT("read-eventfd", make_eventfd, op_eventfd, 8, NULL, wake_eventfd, NULL),
	WAIT("write-eventfd", make_full_eventfd, op_eventfd_write, 8, fill_eventfd, clear_eventfd,
	     NULL),
	WAIT("read-signalfd", make_signalfd, op_read, sizeof(struct signalfd_siginfo), NULL,
	     wake_signal, NULL),
	WAIT("read-timerfd", make_timerfd, op_timerfd, 8, NULL, NULL, NULL),
	WAIT("read-inotify", make_inotify, op_read, sizeof(struct inotify_event), NULL,
	     wake_inotify, NULL),
	WAIT("read-pipe", make_pipe, op_read, 1, NULL, wake_byte, NULL),
	WAIT("recv-unix-byte", make_unix, op_recv_byte, 1, NULL, wake_byte, NULL),
	WAIT("recv-unix-byte-timed", make_unix_timed, op_recv_byte, 1, NULL, wake_byte, NULL),
	WAIT("recv-tcp-byte", make_tcp, op_recv_byte, 1, NULL, wake_byte, NULL),
	WAIT("recv-tcp-byte-timed", make_tcp_timed, op_recv_byte, 1, NULL, wake_byte, NULL),
	WAIT("recvmmsg-timeout", make_unix, op_recvmmsg_timeout, 1, NULL, wake_byte, NULL),
	WAIT("send-dgram-timed", make_dgram, op_send_dgram, 1, fill_dgram, wake_dgram, NULL),
	WAIT("io_uring-submit-wait", make_ring_wait, op_ring_submit_wait, 8, NULL, wake_eventfd,
	     NULL),
	WAIT("io_uring-wait", make_ring_wait, op_ring_wait, 8, submit_read, wake_eventfd,
	     reap_ring),
	WAIT("io_getevents", make_aio_poll, op_getevents, 1, submit_poll, wake_eventfd,
	     clear_eventfd),
	WAIT("io_pgetevents", make_aio_poll, op_pgetevents, 1, submit_poll, wake_eventfd,
	     clear_eventfd),
	WAIT("futex-wait-timed", NULL, op_futex, 1, reset_word, wake_word, NULL),
	WAIT("futex-wait", NULL, op_futex_bitset, 1, reset_word, wake_word, NULL),
	WAIT("futex_waitv-timed", NULL, op_futex_waitv, 1, reset_word, wake_word, NULL),
	WAIT("nanosleep", NULL, op_nanosleep, 1, NULL, NULL, NULL),
	WAIT("clock_nanosleep", NULL, op_clock_nanosleep, 1, NULL, NULL, NULL),
	WAIT("sigtimedwait-timeout", block_signals, op_sigtimedwait_timeout, 1, NULL, NULL, NULL),
	WAIT("sigtimedwait", block_signals, op_sigtimedwait, 1, NULL, wake_signal, NULL),
	WAIT("wait4", NULL, op_wait4, 1, fork_child, NULL, NULL),
	WAIT("waitid", NULL, op_waitid, 1, fork_child, NULL, NULL),
	WAIT("flock", make_locked, op_flock, 1, before_flock, wake_flock, after_flock),
	WAIT("F_SETLKW", make_locked, op_setlkw, 1, before_lock, wake_lock, after_setlkw),
	WAIT("F_OFD_SETLKW", make_locked, op_ofd_setlkw, 1, before_lock, wake_lock,
	     after_ofd_setlkw),
	WAIT("open-fifo", make_fifo, op_open_fifo, 1, NULL, wake_fifo, close_both),
	WAIT("connect-unix-timed", make_listener, op_connect, 1, fill_backlog, wake_connect,
	     empty_backlog),
	WAIT("accept-unix-timed", make_listener, op_accept, 1, NULL, wake_accept, empty_backlog),
	WAIT("close-linger", NULL, op_close, 1, before_close, wake_close, close_reader),
	WAIT("msgsnd", make_queue, op_msgsnd, 8192, fill_queue, take_message, NULL),
	WAIT("msgrcv", make_queue, op_msgrcv, 8192, NULL, put_message, NULL),
	WAIT("mq_timedsend", make_mq, op_mq_send, 8192, put_mq, take_mq, take_mq),
	WAIT("mq_timedreceive", make_mq, op_mq_receive, 8192, NULL, put_mq, NULL),
	WAIT("semop", make_semaphore, op_semop, 1, NULL, wake_semaphore, NULL),
	WAIT("semtimedop", make_semaphore, op_semtimedop, 1, NULL, wake_semaphore, NULL),
};

int
main(int argc, char **argv)
{
	const long n = argc > 2 ? atol(argv[2]) : 200;
	const struct call *c = NULL;

	name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(name, "list") == 0)
			printf("%s\n", calls[i].name);
		else if (strcmp(name, calls[i].name) == 0)
			c = &calls[i];
	}
	if (c == NULL)
		return strcmp(name, "list") == 0 ? 0 : 2;
	signal(SIGPIPE, SIG_IGN);
	fill_data();
	c->run(c, n);
	if (directory[0] != '\0')
		remove_directory();
	printf("%s: %ld calls, %ld short, %ld interrupted%s\n", name, calls_made, shorts,
	       interrupted, corrupt ? ", corrupt" : "");
	return corrupt;
}
