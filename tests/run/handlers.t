#!/bin/sh
# A wait that a signal interrupts ends as it would alone, whatever becomes of the signal: its handler comes and goes, the
# supervisor can't find out whether there is one, or a stop signal stops nothing.
. "$(dirname "$0")/../lib/testlib.sh"

cat >handlers.c <<'E2'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static void
handle(int sig)
{
	const int saved = errno;

	(void)sig;
	getppid();
	errno = saved;
}

static void *
toggle(void *arg)
{
	for (;;) {
		signal(SIGWINCH, handle);
		usleep(50);
		signal(SIGWINCH, SIG_DFL);
		usleep(50);
	}
	return arg;
}

static void *
send(void *arg)
{
	for (;;) {
		usleep(3000);
		kill(getpid(), SIGWINCH);
	}
	return arg;
}

static void
start(void *(*run)(void *))
{
	sigset_t all, old;
	pthread_t t;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_create(&t, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static const char *
wait_for(int ms)
{
	const int ep = epoll_create1(0);
	struct epoll_event ev;
	const int n = epoll_wait(ep, &ev, 1, ms), saved = errno;
	static char text[20];

	close(ep);
	snprintf(text, sizeof(text), "%d", n);
	return n == 0 ? "timeout" : n < 0 && saved == EINTR ? "EINTR" : text;
}

/* A handler that comes and goes. */
static void
come_and_go(void)
{
	start(toggle);
	start(send);
	for (int i = 0; i < 400; i++) {
		const char *result = wait_for(20);

		if (strcmp(result, "timeout") != 0 && strcmp(result, "EINTR") != 0)
			printf("come-and-go: %s\n", result);
	}
}

static void
sleep_for_ever(void)
{
	for (;;)
		pause();
}

/* So many children that the supervisor has no descriptor left. */
static void
children(int n)
{
	pid_t pid[100];

	signal(SIGCHLD, handle);
	for (int i = 0; i < n; i++)
		if ((pid[i] = fork()) == 0)
			sleep_for_ever();
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			usleep(50000);
			_exit(0);
		}
		printf("children: %s\n", wait_for(20000));
	}
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < n; i++)
		kill(pid[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* In a process group of its own nobody could let it go on. */
static void
no_stop(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		const pid_t us = getpid();

		setsid();
		raise(SIGTSTP);
		if (fork() == 0) {
			usleep(100000);
			kill(us, SIGWINCH);
			_exit(0);
		}
		signal(SIGCHLD, SIG_IGN);
		printf("no-stop: %s\n", wait_for(500));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	if (strcmp(argv[1], "come-and-go") == 0)
		come_and_go();
	else if (strcmp(argv[1], "children") == 0)
		children(atoi(argv[2]));
	else
		no_stop();
	printf("%d\n", argc);
	return 0;
}
E2
profsup-cc -O1 -w -o handlers handlers.c -pthread || bail 'profsup-cc'

alike() {
	timeout -s KILL 120 ./handlers "$@" >alone
	# shellcheck disable=SC2086 # words
	timeout -s KILL 120 $limit profsup -q "--sampler=$sampler" ./handlers "$@" >out 2>err
	is "$? $(cat out)" "0 $(cat alone)" "$sampler: $*: each wait ends as alone" || diag_file err
	rm -f gmon.*
}
for sampler in $(samplers); do
	limit=
	alike come-and-go
	alike no-stop
	for n in 32 48 64; do
		limit="prlimit --nofile=$n"
		alike children 60
	done
done
done_testing
