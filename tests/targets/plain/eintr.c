/*
 * eintr WHAT ROUNDS: waits in the call named WHAT for 5 ms at a time, with a busy phase in between,
 * and prints how often the wait failed with EINTR, and with a third argument how often it left its
 * CPU to wait.
 *
 * eintr by-sigchld | by-handler | by-stop: one long epoll_wait, broken (or not) by a child's end
 * with SIGCHLD at its default, by a handled signal, by a SIGSTOP and SIGCONT to itself; prints what
 * the wait came to.  by-cont: a SIGCONT alone, and then what two threads wait for; by-both:
 * SIGSTOP, SIGCONT and another SIGCONT, and how often the wait of each of them was broken; by-end:
 * what they wait for comes once nobody traces us.
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../state.h"

#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

static const struct timespec five_ms = { 0, 5000000 };
static volatile unsigned long sink;
static int ep, semaphore, futex_word, listener, news[2];
static struct epoll_event event;
static struct sembuf take = { 0, -1, 0 };
static sigset_t none, usr1;

static void
busy(void)
{
	/* 3 ms of CPU time: a sample or three at 1,000 Hz. */
	compute_until(CLOCK_PROCESS_CPUTIME_ID, clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 3000000);
}

#define WAIT(name, call)                                                                           \
	static long wait_##name(void)                                                              \
	{                                                                                          \
		return call;                                                                       \
	}

WAIT(epoll, epoll_wait(ep, &event, 1, 5))
WAIT(epoll_pwait, epoll_pwait(ep, &event, 1, 5, &none))
WAIT(semop, semtimedop(semaphore, &take, 1, &five_ms))
WAIT(sigtimedwait, sigtimedwait(&usr1, NULL, &five_ms))
WAIT(nanosleep, nanosleep(&five_ms, NULL))

static long
wait_clock_nanosleep(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &five_ms, NULL);
	return errno == 0 ? 0 : -1;
}

WAIT(poll, poll(NULL, 0, 5))
WAIT(ppoll, ppoll(NULL, 0, &five_ms, &none))

static long
wait_select(void)
{
	struct timeval tv = { 0, 5000 };

	return select(0, NULL, NULL, NULL, &tv);
}

WAIT(futex, syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &five_ms, NULL, 0))
WAIT(accept, accept(listener, NULL, NULL))

static long
wait_recv(void)
{
	static int pair[2];

	if (pair[1] == 0) {
		struct timeval tv = { 0, 5000 };

		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	}
	return recv(pair[0], &sink, 0 + 1, 0);
}

static const struct {
	const char *name;
	long (*wait)(void);
} calls[] = {
	{ "epoll_wait", wait_epoll },    { "epoll_pwait", wait_epoll_pwait },
	{ "semtimedop", wait_semop },    { "sigtimedwait", wait_sigtimedwait },
	{ "nanosleep", wait_nanosleep }, { "clock_nanosleep", wait_clock_nanosleep },
	{ "poll", wait_poll },           { "ppoll", wait_ppoll },
	{ "select", wait_select },       { "futex", wait_futex },
	{ "accept", wait_accept },       { "recv", wait_recv },
};

static void
setup(void)
{
	struct timeval tv = { 0, 5000 };
	struct sockaddr_in any = { .sin_family = AF_INET };

	ep = epoll_create1(EPOLL_CLOEXEC);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&any, sizeof(any));
	listen(listener, 1);
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
}

static void
nothing(int sig)
{
	(void)sig;
}

/* A child that does `what` to us when we sleep in epoll_wait, and then ends. */
static void
after_we_sleep(const char *what)
{
	pid_t parent = getpid(), its_parent = getppid();

	if (fork() != 0)
		return;
	parent_sleeps(parent);
	if (strcmp(what, "by-handler") == 0)
		kill(parent, SIGUSR2);
	if (strcmp(what, "by-stop") == 0 || strcmp(what, "by-both") == 0) {
		/* Where it is traced, who profiles it stops with it, and is seen to be stopped when
		 * all threads are. */
		kill(parent, SIGSTOP);
		while (strchr("Tt", state_of(tracer() != 0 ? its_parent : parent)) == NULL)
			usleep(1000);
		kill(parent, SIGCONT);
	}
	if (strcmp(what, "by-ignored") == 0)
		kill(parent, SIGWINCH);
	if (strcmp(what, "by-both") == 0)
		usleep(100000);
	if (strcmp(what, "by-cont") == 0 || strcmp(what, "by-both") == 0)
		kill(parent, SIGCONT);
	if (news[1] == 0)
		_exit(0);
	while (strcmp(what, "by-end") == 0 && tracer() != 0)
		usleep(1000);
	usleep(100000);
	write(news[1], "", 1);
	_exit(0);
}

static const char *
result_of(int n)
{
	return n > 0 ? "event" : n == 0 ? "timeout" : errno == EINTR ? "EINTR" : strerror(errno);
}

/* Waits for the news, and again if that is broken.  `arg`: it gets how often it was. */
static void *
wait_for_news(void *arg)
{
	struct epoll_event ev;
	int *broken = arg;

	while (epoll_wait(ep, &ev, 1, -1) < 0 && errno == EINTR)
		++*broken;
	return NULL;
}

static int
two_wait(const char *what)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int broken[2] = { 0, 0 };
	pthread_t other;

	if (pipe(news) < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, news[0], &ev) < 0)
		return 1;
	after_we_sleep(what);
	pthread_create(&other, NULL, wait_for_news, &broken[1]);
	busy();
	wait_for_news(&broken[0]);
	pthread_join(other, NULL);
	printf("%d and %d EINTR\n", broken[0], broken[1]);
	return 0;
}

static int
one_long_wait(const char *what)
{
	struct epoll_event ev;
	struct sigaction sa = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	int ends = strcmp(what, "by-handler") == 0 || strcmp(what, "by-stop") == 0;

	sigaction(SIGUSR2, &sa, NULL);
	if (strcmp(what, "by-stop") == 0)
		signal(SIGCHLD, SIG_IGN);
	after_we_sleep(what);
	busy();
	/* What must not break the wait has to come well before its end. */
	puts(result_of(epoll_wait(ep, &ev, 1, ends ? -1 : 700)));
	return 0;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	setup();
	if (strcmp(argv[1], "by-cont") == 0 || strcmp(argv[1], "by-both") == 0 ||
	    strcmp(argv[1], "by-end") == 0)
		return two_wait(argv[1]);
	if (strncmp(argv[1], "by-", 3) == 0)
		return one_long_wait(argv[1]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int interrupted = 0, other = 0;

		if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], calls[i].name) != 0)
			continue;
		for (int r = 0; r < rounds; r++) {
			errno = 0;
			if (calls[i].wait() < 0) {
				interrupted += errno == EINTR;
				other += errno != EAGAIN && errno != ETIMEDOUT && errno != EINTR;
			}
			busy();
		}
		printf("%s: %d EINTR, %d other\n", calls[i].name, interrupted, other);
	}
	semctl(semaphore, 0, IPC_RMID);
	if (argc > 3) {
		struct rusage ru;

		getrusage(RUSAGE_SELF, &ru);
		printf("left its CPU %ld times\n", ru.ru_nvcsw);
	}
	return 0;
}
