/*
 * init-stop HOW SIG: stop signals are sent to the first process of a pid namespace, which waits in
 * epoll_wait(2):
 *	kill, queue	by a child, which is inside
 *	threads	the same, and there is a second thread, which works
 *	raise	by itself
 *	timer	by a timer of its own
 *	child	by the end of a child, instead of SIGCHLD
 *	outside	by its parent, which is outside, and has it go on
 *	queue-outside	the same, by sigqueue(3)
 * Its parent prints what has happened to it, and, if it has one thread, what the wait has returned.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "../state.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/epoll.h>

/* A wait that a stop is to end must not end before. */
enum { TIMES = 20, WAIT_MS = 400, LONG_MS = 20000 };

static volatile int *waited; /* what the wait has returned: 1 + that, or errno */

COUNTED_FUNCTION(work)

static void
rest(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static bool
is_outside(const char *how)
{
	return strstr(how, "outside") != NULL;
}

static void
send(const char *how, pid_t to, int sig)
{
	if (strncmp(how, "queue", 5) == 0)
		sigqueue(to, sig, (union sigval){ 0 });
	else
		kill(to, sig);
}

static void *
busy(void *arg)
{
	while (*waited == 0)
		work();
	return arg;
}

static void
start(const char *how, int sig)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	const struct itimerspec once = { .it_value.tv_nsec = 20000000 };
	timer_t timer;

	if (strcmp(how, "timer") == 0) {
		timer_create(CLOCK_MONOTONIC, &event, &timer);
		timer_settime(timer, 0, &once, NULL);
	} else if (strcmp(how, "raise") == 0) {
		for (int i = 0; i < TIMES; i++)
			raise(sig);
	} else if (strcmp(how, "child") == 0) {
		for (int i = 0; i < TIMES; i++)
			if (syscall(SYS_clone, sig, NULL, NULL, NULL, NULL) == 0)
				_exit(0);
	} else if (!is_outside(how) && fork() == 0) {
		for (int i = 0; i < TIMES; i++, rest(5))
			send(how, 1, sig);
		_exit(0);
	}
}

static void
be_first(const char *how, int sig)
{
	struct epoll_event event;
	pthread_t thread;
	int ret;

	if (strcmp(how, "threads") == 0)
		pthread_create(&thread, NULL, busy, NULL);
	start(how, sig);
	ret = epoll_wait(epoll_create1(0), &event, 1,
	                 is_outside(how) && sig == SIGSTOP ? LONG_MS : WAIT_MS);
	*waited = ret < 0 ? errno : ret + 1;
	_exit(5);
}

int
main(int argc, char **argv)
{
	const int sig = argc > 2 ? atoi(argv[2]) : 0;
	int status;
	pid_t pid;

	if (sig == 0)
		return 2;
	waited =
	    mmap(NULL, sizeof(*waited), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (waited == MAP_FAILED || unshare(CLONE_NEWPID) < 0)
		err(2, "unshare");
	pid = fork();
	if (pid == 0)
		be_first(argv[1], sig);
	/* It sleeps nowhere else. */
	while (is_outside(argv[1]) && *waited == 0 && state_of(pid) != 'S')
		rest(1);
	if (is_outside(argv[1]))
		send(argv[1], pid, sig);
	while (waitpid(pid, &status, WUNTRACED) == pid) {
		if (!WIFSTOPPED(status))
			break;
		printf("stopped by %d, ", WSTOPSIG(status));
		rest(20);
		kill(pid, SIGCONT);
	}
	printf("%s %d, %s\n", WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	       strcmp(argv[1], "threads") == 0 ? "its threads"
	       : *waited == 1                  ? "the wait ended in time"
	                                       : strerror(*waited));
	return 0;
}
