/*
 * rt-fork HOW: processes made while 4 threads are inside mcount all the time.  Prints "PID NAME"
 * for each process that is to leave a file, then the arcs of the parent; children call t_child()
 * 100 times.
 */
// CFLAGS: -fno-optimize-sibling-calls -Og
#include "rt.h"

#include <linux/sched.h>
#include <sched.h>
#include <spawn.h>

enum { CHILDREN = 40, THREADS = 4, CHUNK = 1000, CHILD_CALLS = 100 };

extern char **environ;
RT_FUNCTIONS

static char *self;
static volatile int stop;
static long rounds[THREADS];

COUNTED_FUNCTION(t_parent)
COUNTED_FUNCTION(t_main)
COUNTED_FUNCTION(t_child)
COUNTED_FUNCTION(t_grandchild)

COUNTED static void
call_fn(long i)
{
	fn[i % RT_N]();
}

/* Known arcs and new ones. */
COUNTED static void *
worker(void *arg)
{
	const long me = (long)arg;

	for (; !stop || rounds[me] < 20; rounds[me]++) {
		for (int i = 0; i < CHUNK; i++)
			t_parent();
		call_fn(me * 1000 + rounds[me] % 1000);
	}
	return NULL;
}

COUNTED static void
child_work(void)
{
	for (int i = 0; i < CHILD_CALLS; i++)
		t_child();
}

COUNTED static void
grandchild_work(void)
{
	for (int i = 0; i < 77; i++)
		t_grandchild();
}

/* Without stdio: the child of a vfork, and no buffer of the parent's. */
UNCOUNTED static void
tell_pid(const char *name)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "pid %d %s\n", (int)getpid(), name);

	write(1, line, n);
}

COUNTED static void
reap(pid_t pid)
{
	int status = -1;

	must(pid > 0, "fork");
	must(waitpid(pid, &status, __WALL) == pid && status == 0, "child");
}

COUNTED static void
fork_once(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		tell_pid("child");
		child_work();
		_exit(0);
	}
	reap(pid);
}

COUNTED static void
vfork_once(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		tell_pid("child");
		child_work();
		_exit(0);
	}
	reap(pid);
}

COUNTED static void
vfork_exec_once(void)
{
	char *const argv[] = { self, "exec", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		child_work(); /* forgotten */
		execv(argv[0], argv);
		_exit(1);
	}
	reap(pid);
}

COUNTED static void
spawn_once(void)
{
	char *const argv[] = { self, "exec", NULL };
	pid_t pid;

	must(posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0, "posix_spawn");
	reap(pid);
}

/* The child of a vfork makes another, and a fork. */
COUNTED static void
nested_once(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		volatile pid_t inner;

		tell_pid("child");
		child_work();
		inner = vfork();
		if (inner == 0) {
			tell_pid("grandchild");
			grandchild_work();
			_exit(0);
		}
		waitpid(inner, NULL, 0);
		inner = (pid_t)syscall(SYS_fork);
		if (inner == 0) {
			tell_pid("grandchild");
			grandchild_work();
			_exit(0);
		}
		waitpid(inner, NULL, 0);
		_exit(0);
	}
	reap(pid);
}

/* A fork with a signal handler's means. */
COUNTED static void
on_signal(int sig)
{
	fork_once();
}

COUNTED static void
fork_in_handler(void)
{
	raise(SIGUSR1);
}

/* Two threads fork at the same time. */
COUNTED static void *
forker(void *arg)
{
	for (int i = 0; i < CHILDREN / 2; i++)
		fork_once();
	return NULL;
}

COUNTED static void *
vforker(void *arg)
{
	for (int i = 0; i < CHILDREN / 2; i++)
		vfork_once();
	return NULL;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*once)(void);
	} way[] = {
		{ "fork", fork_once },
		{ "vfork", vfork_once },
		{ "vfork-exec", vfork_exec_once },
		{ "spawn", spawn_once },
		{ "nested", nested_once },
		{ "handler", fork_in_handler },
	};
	const char *how = argv[1];
	pthread_t t[THREADS], two[2];
	long all = 0;

	self = argv[0];
	tell_pid(strcmp(how, "exec") == 0 ? "child" : "parent");
	if (strcmp(how, "exec") == 0) {
		child_work();
		return 0;
	}
	signal(SIGUSR1, on_signal);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (unsigned w = 0; w < sizeof(way) / sizeof(way[0]); w++)
		if (strcmp(how, way[w].name) == 0)
			for (int i = 0; i < CHILDREN; i++) {
				t_main();
				way[w].once();
				t_main();
			}
	if (strcmp(how, "two-threads") == 0) {
		pthread_create(&two[0], NULL, forker, NULL);
		pthread_create(&two[1], NULL, vforker, NULL);
		pthread_join(two[0], NULL);
		pthread_join(two[1], NULL);
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		all += rounds[i];
		for (int r = 0; r < 1000; r++) {
			char name[16];

			snprintf(name, sizeof(name), "t_n%04o", i * 1000 + r);
			tell_arc("call_fn", name, rounds[i] / 1000 + (r < rounds[i] % 1000));
		}
	}
	tell_arc("worker", "t_parent", all * CHUNK);
	if (strcmp(how, "two-threads") != 0)
		tell_arc("main", "t_main", 2 * CHILDREN);
	return 0;
}
