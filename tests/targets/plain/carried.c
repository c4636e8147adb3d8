/*
 * carried CASE [MS]: transfers of 1 MiB for MS milliseconds (300 if not given) while something else
 * happens to them.  Prints "CASE: right", or what was wrong, and counts on stderr; whoever samples
 * it must change neither.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../filter.h"

#include <arpa/inet.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

enum { SIZE = 1 << 20, PERIOD = (1 << 20) + 1031, PIECE = 64 << 10 };

static unsigned char data[PERIOD + 4 * SIZE];
static const char *name;
static int ms = 300;
static pid_t reader;
static volatile sig_atomic_t handled;
static long calls, shorts, nothing;

static void __attribute__((noreturn, format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%s: wrong: ", name);
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	fflush(stdout);
	if (reader > 0)
		kill(reader, SIGKILL);
	_exit(1);
}

static void
must(bool good, const char *what)
{
	if (!good)
		wrong("%s: %s", what, strerror(errno));
}

static unsigned
below(unsigned limit)
{
	static __thread uint64_t state = 88172645463325252ULL;

	return (unsigned)(xorshift(&state) % limit);
}

static void
fill(void)
{
	uint64_t x = 1;

	for (size_t i = 0; i < PERIOD; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		data[i] = (unsigned char)(x >> 56);
	}
	for (size_t i = PERIOD; i < sizeof(data); i++)
		data[i] = data[i - PERIOD];
}

static unsigned char *
at(uint64_t position)
{
	return data + position % PERIOD;
}

static void
tcp(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(a);
	int room = 128 << 10, l = socket(AF_INET, SOCK_STREAM, 0);

	must(bind(l, (struct sockaddr *)&a, size) == 0 && listen(l, 1) == 0, "listen");
	getsockname(l, (struct sockaddr *)&a, &size);
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	must(connect(fd[1], (struct sockaddr *)&a, size) == 0, "connect");
	fd[0] = accept(l, NULL, NULL);
	must(fd[0] >= 0, "accept");
	close(l);
}

static void
unix_pair(int fd[2])
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0, "socketpair");
}

static void
pipe_pair(int fd[2])
{
	must(pipe(fd) == 0, "pipe");
}

/* Reads to the end; whether all was as sent. */
static bool
drain(int fd)
{
	static __thread unsigned char piece[PIECE];
	uint64_t done = 0;

	for (;;) {
		const ssize_t n = read(fd, piece, 1 + below(sizeof(piece)));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		if (memcmp(piece, at(done), (size_t)n) != 0)
			return false;
		done += (uint64_t)n;
	}
}

/* A child that reads. */
static void
read_in_child(const int fd[2])
{
	reader = fork();
	if (reader == 0) {
		signal(SIGALRM, SIG_IGN);
		close(fd[1]);
		_exit(!drain(fd[0]));
	}
	close(fd[0]);
}

static void
join(void)
{
	int status = -1;

	while (waitpid(reader, &status, 0) < 0 && errno == EINTR)
		;
	reader = 0;
	if (status != 0)
		wrong("other data arrived than was sent");
}

static void
on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void
handle(int sig, int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

/* Sends, each call from where the last one ended.  A short one needs a handler to have run. */
static void
send_all_time(int fd, bool may_be_short)
{
	const uint64_t end = now_ms() + (uint64_t)ms;
	uint64_t sent = 0;

	while (now_ms() < end) {
		const sig_atomic_t before = handled;
		const ssize_t n = write(fd, at(sent), SIZE);

		calls++;
		shorts += n > 0 && n < SIZE;
		nothing += n < 0;
		if (n > SIZE || n == 0 || (n < 0 && errno != EINTR))
			wrong("%zd of a write (%s)", n, n < 0 ? strerror(errno) : "");
		if (n != SIZE && !may_be_short && handled == before)
			wrong("%zd, and no handler ran", n);
		sent += n > 0 ? (uint64_t)n : 0;
	}
	close(fd);
}

/* A case that is a kind of another. */
#define CASE(name, call)                                                                           \
	static void case_##name(void)                                                              \
	{                                                                                          \
		call;                                                                              \
	}

static void
handler_case(int flags)
{
	const struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, never = { 0 };
	int fd[2];

	tcp(fd);
	read_in_child(fd);
	handle(SIGALRM, flags);
	setitimer(ITIMER_REAL, &often, NULL);
	send_all_time(fd[1], false);
	setitimer(ITIMER_REAL, &never, NULL);
	join();
	if (handled < ms / 30)
		wrong("%d handlers ran", (int)handled);
}

CASE(handler, handler_case(0))
CASE(handler_restart, handler_case(SA_RESTART))

/* A child that sends signals until calm() is called, and then to the last of them: whoever was
 * stopped goes on. */
static pid_t
pester(const int *sigs, int n, int us)
{
	const pid_t who = getpid();
	sigset_t end, pending;
	pid_t child;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_BLOCK, &end, NULL);
		for (int i = 0;
		     i % n != 0 || (sigpending(&pending) == 0 && !sigismember(&pending, SIGTERM));
		     i++) {
			usleep((unsigned)us);
			kill(who, sigs[i % n]);
		}
		_exit(0);
	}
	return child;
}

static void
calm(pid_t child)
{
	kill(child, SIGTERM);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void
ignored_case(void (*make)(int fd[2]))
{
	static const int sigs[] = { SIGCHLD, SIGALRM, SIGURG, SIGWINCH, SIGUSR1, SIGCONT };
	int fd[2];
	pid_t child;

	signal(SIGALRM, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	make(fd);
	read_in_child(fd);
	child = pester(sigs, 6, 200);
	send_all_time(fd[1], false);
	calm(child);
	join();
}

CASE(ignored_tcp, ignored_case(tcp))
CASE(ignored_unix, ignored_case(unix_pair))
CASE(ignored_pipe, ignored_case(pipe_pair))

static void
case_stop_cont(void)
{
	static const int sigs[] = { SIGSTOP, SIGCONT };
	int fd[2];
	pid_t child;

	tcp(fd);
	read_in_child(fd);
	child = pester(sigs, 2, 2000);
	send_all_time(fd[1], true); /* alone, too, a stop signal makes it short */
	calm(child);
	join();
}

/* Reads some, and hangs up in the middle of the rest. */
static void *
read_some_and_close(void *arg)
{
	const int fd = *(int *)arg;
	static unsigned char piece[PIECE];
	const int pieces = 1 + (int)below(8);

	for (int i = 0; i < pieces; i++)
		if (read(fd, piece, sizeof(piece)) <= 0)
			break;
	if (below(2))
		usleep(below(2000));
	close(fd);
	return NULL;
}

/* How often the call after the part failed with which error. */
static long next_reset, next_pipe, next_other;

static void
hang_up_case(void (*make)(int fd[2]), bool signal_with_part)
{
	const uint64_t end = now_ms() + (uint64_t)ms;

	handle(SIGPIPE, 0);
	while (now_ms() < end) {
		sig_atomic_t before = handled;
		pthread_t t;
		int fd[2];
		ssize_t n;

		make(fd);
		pthread_create(&t, NULL, read_some_and_close, &fd[0]);
		n = write(fd[1], data, SIZE);
		calls++;
		if (n <= 0)
			wrong("%zd (%s) instead of a part", n, strerror(errno));
		if (n < SIZE && signal_with_part != (handled != before))
			wrong("%zd with%s a SIGPIPE", n, handled != before ? "" : "out");
		pthread_join(t, NULL);
		before = handled;
		n = write(fd[1], data, SIZE);
		if (n >= 0)
			wrong("%zd after the other side has closed", n);
		next_reset += errno == ECONNRESET;
		next_pipe += errno == EPIPE;
		next_other += errno != EPIPE && errno != ECONNRESET;
		if ((errno == EPIPE) != (handled != before))
			wrong("SIGPIPE, but not EPIPE, or the other way round");
		close(fd[1]);
	}
	fprintf(stderr, "next call: %ld ECONNRESET, %ld EPIPE, %ld other\n", next_reset, next_pipe,
	        next_other);
}

CASE(sigpipe_tcp, hang_up_case(tcp, false))
CASE(sigpipe_unix, hang_up_case(unix_pair, false))
CASE(sigpipe_pipe, hang_up_case(pipe_pair, true))

static void
case_fsize(void)
{
	enum { LIMIT = 1 << 20 };
	const struct rlimit limit = { LIMIT, LIMIT };
	const uint64_t end = now_ms() + (uint64_t)ms;
	FILE *from = tmpfile(), *to = tmpfile();
	const int in = fileno(from), out = fileno(to);

	handle(SIGXFSZ, 0);
	must(pwrite(in, data, SIZE, 0) == SIZE, "pwrite");
	must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
	while (now_ms() < end) {
		const off_t before = (off_t)below(SIZE - 4096);
		off_t zero = 0, where = LIMIT - before;
		ssize_t n;

		calls++;
		switch (calls % 3) {
		case 0:
			n = pwrite(out, data, SIZE, where);
			break;
		case 1:
			lseek(out, where, SEEK_SET);
			n = write(out, data, SIZE);
			break;
		default:
			n = copy_file_range(in, &zero, out, &where, SIZE, 0);
		}
		/* Of copies a stop may leave less: at a limit they are not carried on. */
		if (calls % 3 == 2 ? n > before : n != before && before > 0)
			wrong("%zd (%s) of a part of %zd", n, strerror(errno), (ssize_t)before);
		if (handled != 0 && before > 0)
			wrong("SIGXFSZ with a part");
	}
	if (pwrite(out, data, SIZE, LIMIT) != -1 || errno != EFBIG || handled != 1)
		wrong("no SIGXFSZ without a part");
}

static void
nonblock_case(void (*make)(int fd[2]))
{
	const uint64_t end = now_ms() + (uint64_t)ms;
	uint64_t sent = 0;
	int fd[2];

	make(fd);
	read_in_child(fd);
	fcntl(fd[1], F_SETFL, O_NONBLOCK);
	while (now_ms() < end) {
		const ssize_t n = write(fd[1], at(sent), SIZE);

		calls++;
		shorts += n > 0 && n < SIZE;
		nothing += n < 0;
		if (n < 0 && errno != EAGAIN)
			wrong("%s", strerror(errno));
		sent += n > 0 ? (uint64_t)n : 0;
	}
	close(fd[1]);
	join(); /* a part that was told as EAGAIN would be there twice */
}

CASE(nonblock_tcp, nonblock_case(tcp))
CASE(nonblock_unix, nonblock_case(unix_pair))
CASE(nonblock_pipe, nonblock_case(pipe_pair))

static void *
read_awhile(void *arg)
{
	static unsigned char piece[PIECE];

	for (int i = 0; i < 40; i++) {
		if (read(*(int *)arg, piece, 8192) <= 0)
			break;
		usleep(500);
	}
	return NULL;
}

static void *
write_awhile(void *arg)
{
	for (int i = 0; i < 40; i++) {
		if (write(*(int *)arg, data, 8192) <= 0)
			break;
		usleep(500);
	}
	return NULL;
}

/* The other side stops, and the time is over. */
static void
timeout_case(bool sending)
{
	static unsigned char got[4 * SIZE];
	const struct timeval tv = { 0, 200000 };

	for (int i = 0; i < 4; i++) {
		uint64_t began; /* and then how long it lasted */
		pthread_t t;
		ssize_t n;
		int fd[2];

		tcp(fd);
		setsockopt(fd[1], SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
		setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
		began = now_ms();
		pthread_create(&t, NULL, sending ? read_awhile : write_awhile,
		               sending ? &fd[0] : &fd[1]);
		n = sending ? write(fd[1], data, sizeof(got))
		            : recv(fd[0], got, sizeof(got), MSG_WAITALL);
		began = now_ms() - began;
		calls++;
		shorts += n > 0 && n < (ssize_t)sizeof(got);
		if (n <= 0 || n == sizeof(got))
			wrong("%zd (%s) instead of a part", n, strerror(errno));
		pthread_join(t, NULL);
		if (began < 150 || began > 900)
			wrong("it lasted %d ms", (int)began);
		close(fd[0]);
		close(fd[1]);
	}
}

CASE(sndtimeo, timeout_case(true))
CASE(rcvtimeo, timeout_case(false))

/* Many threads, each of which has its own stream, and one vector for all of them. */

enum { THREADS = 8, PIECES = 5 };
static struct shared {
	struct iovec iov[PIECES];
	struct msghdr m;
} * shared;
static bool with_vector;

static void *
reader_thread(void *arg)
{
	return (void *)(uintptr_t)!drain(*(int *)arg);
}

static void *
writer_thread(void *arg)
{
	const uint64_t end = now_ms() + (uint64_t)ms;
	const int fd = *(int *)arg;
	uint64_t sent = 0;

	for (long i = 0; now_ms() < end; i++) {
		const size_t size = with_vector ? PERIOD : SIZE;
		const ssize_t n = !with_vector ? write(fd, at(sent), SIZE)
		                  : i % 2      ? sendmsg(fd, &shared->m, 0)
		                               : writev(fd, shared->iov, PIECES);

		if (n != (ssize_t)size)
			wrong("%zd of %zu", n, size);
		sent += (uint64_t)n;
	}
	close(fd);
	return NULL;
}

static void
thread_case(void)
{
	pthread_t r[THREADS], w[THREADS];
	int fd[THREADS][2];

	for (int i = 0; i < THREADS; i++) {
		(i % 2 ? tcp : unix_pair)(fd[i]);
		pthread_create(&r[i], NULL, reader_thread, &fd[i][0]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&w[i], NULL, writer_thread, &fd[i][1]);
	for (int i = 0; i < THREADS; i++) {
		void *bad;

		pthread_join(w[i], NULL);
		pthread_join(r[i], &bad);
		if (bad != NULL)
			wrong("other data arrived than was sent");
	}
}

CASE(threads, thread_case())

/* All of the data, in unequal pieces; memory that nobody may write to. */
static void
case_shared_vector(void)
{
	struct shared want;
	size_t used = 0;

	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(shared != MAP_FAILED, "mmap");
	for (int i = 0; i < PIECES; i++) {
		const size_t len = i == PIECES - 1 ? PERIOD - used
		                   : i == 2        ? 0
		                                   : (size_t)PERIOD / 10 * (unsigned)(i + 1);

		shared->iov[i] = (struct iovec){ data + used, len };
		used += len;
	}
	shared->m = (struct msghdr){ .msg_iov = shared->iov, .msg_iovlen = PIECES };
	want = *shared;
	mprotect(shared, sizeof(*shared), PROT_READ);
	with_vector = true;
	thread_case();
	if (memcmp(&want, shared, sizeof(want)) != 0)
		wrong("the vector was changed");
}

/* Filters.  Each kills for a write of another length than the program's. */

static void
filter_length(unsigned flags)
{
	static const struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_write, 0, 4), /* to another descriptor than stdout and stderr */
		LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 0, 2),
		LOAD(args[2]),
		IS(SIZE, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
	};

	must(filter_install(code, sizeof(code) / sizeof(code[0]), flags) == 0, "seccomp");
}

static void
filtered_case(unsigned flags)
{
	int fd[2];

	tcp(fd);
	read_in_child(fd);
	filter_length(flags);
	send_all_time(fd[1], true);
	join();
}

CASE(filter, filtered_case(0))

static void *
sleeper(void *arg)
{
	while (pause() < 0)
		continue;
	return arg;
}

static void *
filter_thread(void *arg)
{
	(void)arg;
	usleep(20000);
	filter_length(SECCOMP_FILTER_FLAG_TSYNC);
	return NULL;
}

/* It comes from another thread, in the middle of calls. */
static void
case_filter_tsync(void)
{
	pthread_t t;
	int fd[2];

	tcp(fd);
	read_in_child(fd);
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_create(&t, NULL, filter_thread, NULL);
	send_all_time(fd[1], true);
	join();
}

/* A filter that knows a few calls and kills for all others. */
static void
case_filter_list(void)
{
	static const struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_write, 6, 0),
		IS(SYS_close, 5, 0),
		IS(SYS_wait4, 4, 0),
		IS(SYS_clock_gettime, 3, 0),
		IS(SYS_exit_group, 2, 0),
		IS(SYS_fstat, 1, 0),
		IS(SYS_newfstatat, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
	};
	int fd[2];

	tcp(fd);
	read_in_child(fd);
	must(filter_install(code, sizeof(code) / sizeof(code[0]), 0) == 0, "seccomp");
	send_all_time(fd[1], true);
	join();
}

static void
case_strict(void)
{
	static const char right[] = "strict: right\n", bad[] = "strict: wrong: short\n";
	bool good = true;
	int fd[2];

	unix_pair(fd);
	read_in_child(fd);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "strict");
	for (uint64_t i = 0; i < (uint64_t)ms; i++) /* no clock */
		good &= write(fd[1], at(i * SIZE), SIZE) == SIZE;
	syscall(SYS_write, 1, good ? right : bad, strlen(good ? right : bad));
	syscall(SYS_exit, !good);
}

/* Datagrams are never glued together, nor waited for. */
static void
datagram_case(int family, int type)
{
	const uint64_t end = now_ms() + (uint64_t)ms;
	static unsigned char got[8000];
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(a);
	int fd[2];

	if (family == AF_UNIX) {
		must(socketpair(family, type, 0, fd) == 0, "socketpair");
	} else {
		fd[0] = socket(family, type, 0);
		fd[1] = socket(family, type, 0);
		must(bind(fd[0], (struct sockaddr *)&a, size) == 0, "bind");
		getsockname(fd[0], (struct sockaddr *)&a, &size);
		must(connect(fd[1], (struct sockaddr *)&a, size) == 0, "connect");
	}
	while (now_ms() < end) {
		struct iovec iov[2] = { { got, 3000 }, { got + 3000, 5000 } };
		struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2 };
		const uint64_t first = below(PERIOD), second = below(PERIOD);
		ssize_t n;

		must(write(fd[1], at(first), 4000) == 4000, "send");
		must(write(fd[1], at(second), 4000) == 4000, "send");
		n = recv(fd[0], got, sizeof(got), MSG_WAITALL);
		if (n != 4000 || memcmp(got, at(first), 4000) != 0)
			wrong("recv: %zd", n);
		n = recvmsg(fd[0], &m, MSG_WAITALL);
		if (n != 4000 || memcmp(got, at(second), 4000) != 0)
			wrong("recvmsg: %zd", n);
		calls += 2;
	}
}

CASE(udp, datagram_case(AF_INET, SOCK_DGRAM))
CASE(unix_dgram, datagram_case(AF_UNIX, SOCK_DGRAM))
CASE(seqpacket, datagram_case(AF_UNIX, SOCK_SEQPACKET))

/* What ends a process in the middle of a call. */

static void *
endless_writer(void *arg)
{
	const int fd = *(int *)arg;

	for (uint64_t sent = 0;; sent += SIZE) {
		const ssize_t n = write(fd, at(sent), SIZE);

		if (n != SIZE)
			wrong("%zd (%s)", n, strerror(errno));
	}
}

static void
start_writers(void)
{
	static int fd[4][2];

	for (int i = 0; i < 4; i++) {
		pthread_t t;

		(i % 2 ? tcp : unix_pair)(fd[i]);
		pthread_create(&t, NULL, reader_thread, &fd[i][0]);
		pthread_create(&t, NULL, endless_writer, &fd[i][1]);
	}
}

static void
case_exec(void)
{
	start_writers();
	usleep((unsigned)below(30000) + 5000);
	execl("/proc/self/exe", name, "nothing", NULL);
	wrong("exec: %s", strerror(errno));
}

static void
case_exit(void)
{
	start_writers();
	usleep((unsigned)below(30000) + 5000);
	_exit(3);
}

static void
case_kill(void)
{
	start_writers();
	usleep((unsigned)below(30000) + 5000);
	kill(getpid(), SIGKILL);
	pause();
}

CASE(nothing, (void)0)

/* For whoever attaches. */
/* The reader takes a part, and then nothing for MS milliseconds; `disturbed`: meanwhile the writer
 * gets a signal that does nothing. */
static void
late(bool disturbed)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };
	ssize_t n;
	int fd[2];

	tcp(fd);
	reader = fork();
	if (reader == 0) {
		static char part[PIECE];

		close(fd[1]);
		n = read(fd[0], part, sizeof(part));
		if (disturbed && usleep(50000) == 0)
			kill(getppid(), SIGWINCH);
		nanosleep(&pause, NULL);
		while (read(fd[0], part, sizeof(part)) > 0)
			;
		_exit(n <= 0);
	}
	close(fd[0]);
	n = write(fd[1], data, SIZE * 4);
	if (n != SIZE * 4)
		wrong("%zd", n);
	close(fd[1]);
	join();
}

static void
case_late(void)
{
	late(false);
}

static void
case_disturbed(void)
{
	late(true);
}

static void
case_write(void)
{
	int fd[2];

	tcp(fd);
	read_in_child(fd);
	send_all_time(fd[1], false);
	join();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "handler", case_handler },
	{ "handler-restart", case_handler_restart },
	{ "ignored-tcp", case_ignored_tcp },
	{ "ignored-unix", case_ignored_unix },
	{ "ignored-pipe", case_ignored_pipe },
	{ "stop-cont", case_stop_cont },
	{ "sigpipe-tcp", case_sigpipe_tcp },
	{ "sigpipe-unix", case_sigpipe_unix },
	{ "sigpipe-pipe", case_sigpipe_pipe },
	{ "fsize", case_fsize },
	{ "nonblock-tcp", case_nonblock_tcp },
	{ "nonblock-unix", case_nonblock_unix },
	{ "nonblock-pipe", case_nonblock_pipe },
	{ "sndtimeo", case_sndtimeo },
	{ "rcvtimeo", case_rcvtimeo },
	{ "threads", case_threads },
	{ "shared-vector", case_shared_vector },
	{ "filter", case_filter },
	{ "filter-tsync", case_filter_tsync },
	{ "filter-list", case_filter_list },
	{ "strict", case_strict },
	{ "udp", case_udp },
	{ "unix-dgram", case_unix_dgram },
	{ "seqpacket", case_seqpacket },
	{ "exec", case_exec },
	{ "exit", case_exit },
	{ "kill", case_kill },
	{ "nothing", case_nothing },
	{ "write", case_write },
	{ "late", case_late },
	{ "disturbed", case_disturbed },
};

int
main(int argc, char **argv)
{
	static char line[1024];

	name = argc > 1 ? argv[1] : "";
	if (argc > 2)
		ms = atoi(argv[2]);
	setvbuf(stdout, line, _IOFBF, sizeof(line)); /* a filter may forbid to make it */
	fill();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(name, cases[i].name) != 0)
			continue;
		cases[i].run();
		fprintf(stderr, "%ld calls, %ld short, %ld failed\n", calls, shorts, nothing);
		printf("%s: right\n", name);
		fflush(stdout);
		_exit(0);
	}
	return 2;
}
