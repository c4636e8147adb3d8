/*
 * hostile-vfork HOW: parents() is called 100 times before a vfork, childs() 1000 times in the
 * child.
 *	no-leader	a thread vforks after the first thread is gone
 *	killed		the child kills its parent, calls childs() until it is gone, and prints how
 *			often
 *	threads N	after 2000 arcs more, a process that shares the memory makes N threads with
 *			CLONE_VFORK
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

#include <sched.h>

static char child_stack[65536], thread_stack[65536];
static int threads;

COUNTED_FUNCTION(parents)
COUNTED_FUNCTION(childs)

__attribute__((noinline)) void
call(void (*volatile f)(void), int n)
{
	while (n-- > 0)
		f();
}

static void
vfork_and_wait(int kill_parent)
{
	pid_t me = getpid();

	call(parents, 100);
	if (vfork() == 0) {
		call(childs, 1000);
		if (kill_parent) {
			int n = 1000;

			kill(me, SIGKILL);
			for (; getppid() == me || n < 1500; n += 10)
				call(childs, 10);
			printf("%d\n", n);
			fflush(stdout);
		}
		_exit(0);
	}
	wait(NULL);
}

static void *
without_leader(void *leader)
{
	pthread_join(*(pthread_t *)leader, NULL);
	vfork_and_wait(0);
	exit(0);
}

#define TEN(x) x x x x x x x x x x

COUNTED_FUNCTION(many)

/* 2000 arcs. */
static void
make_arcs(void)
{
	TEN(TEN(TEN(many(); many();)))
}

static int
end_thread(void *arg)
{
	(void)arg;
	syscall(SYS_exit, 0);
	return 0;
}

static int
make_threads(void *arg)
{
	(void)arg;
	for (int i = 0; i < threads; i++)
		if (clone(end_thread, thread_stack + sizeof(thread_stack),
		          CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK, NULL) < 0)
			_exit(1);
	_exit(0);
}

int
main(int argc, char **argv)
{
	static pthread_t leader;
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "no-leader") == 0) {
		leader = pthread_self();
		pthread_create(&thread, NULL, without_leader, &leader);
		pthread_exit(NULL);
	}
	if (argc > 2 && strcmp(argv[1], "threads") == 0) {
		int status;

		threads = atoi(argv[2]);
		make_arcs();
		clone(make_threads, child_stack + sizeof(child_stack), CLONE_VM | SIGCHLD, NULL);
		wait(&status);
		if (status != 0)
			return 1;
	}
	vfork_and_wait(argc > 1 && strcmp(argv[1], "killed") == 0);
	if (argc > 2) {
		char line[16];

		ready();
		fgets(line, sizeof(line), stdin);
	}
	return 0;
}
