/*
 * hostile-exits HOW ROUNDS: two threads make others all the time, each of which calls work()
 * once and ends, while the first thread makes the supervisor see every kind of stop:
 *	forks		children that end at once
 *	vforks		the same
 *	signals		a child sends SIGUSR1, which has a handler
 *	stops		a child sends SIGSTOP and SIGCONT
 *	exits		children that make threads too, and end with all of them
 *	kills		the same, and are killed
 *	leaders		children whose first thread ends before the others
 *	execs		another thread than the first starts the program anew, so many
 *			times, and then work() is called 1000 times
 *	syscalls	profil is called all the time
 * Prints "process PID calls N": how often work() was called in this process.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

#include <limits.h>
#include <profil.h>

enum { MAKERS = 2 };

static volatile int over;
static unsigned long calls;
static volatile sig_atomic_t signals;
static char **args;

COUNTED_FUNCTION(work)

static void *
work_once(void *none)
{
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	work();
	return none;
}

static void *
make_threads(void *none)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (!over)
		if (pthread_create(&thread, &small, work_once, NULL) == 0)
			pthread_join(thread, NULL);
	return none;
}

static void
start_makers(pthread_t *maker)
{
	for (int i = 0; i < MAKERS; i++)
		if (pthread_create(&maker[i], NULL, make_threads, NULL) != 0)
			_exit(3);
}

static void
on_signal(int sig)
{
	signals += sig == SIGUSR1;
}

static void
wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) != pid)
		continue;
}

/* Until they are seen to work, so that it is no short-lived process of one thread. */
static void __attribute__((noreturn)) be_many(const char *how)
{
	pthread_t maker[MAKERS];

	calls = 0;
	start_makers(maker);
	while (__atomic_load_n(&calls, __ATOMIC_RELAXED) < 3)
		sched_yield();
	if (strcmp(how, "kills") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "leaders") == 0) {
		over = 1;
		pthread_exit(NULL);
	}
	_exit(0);
}

static void
send(const char *how, int rounds)
{
	const pid_t parent = getpid();
	const int stop = strcmp(how, "stops") == 0;
	pid_t pid = fork();

	if (pid != 0) {
		wait_for(pid);
		return;
	}
	while (rounds-- > 0) {
		kill(parent, stop ? SIGSTOP : SIGUSR1);
		usleep(200);
		if (stop)
			kill(parent, SIGCONT);
	}
	_exit(0);
}

static void
make_children(const char *how, int rounds)
{
	while (rounds-- > 0) {
		pid_t pid = strcmp(how, "vforks") == 0 ? vfork() : fork();

		if (pid == 0) {
			if (strcmp(how, "forks") != 0 && strcmp(how, "vforks") != 0)
				be_many(how);
			_exit(0);
		}
		wait_for(pid);
	}
}

static void *
start_anew(void *left)
{
	char path[PATH_MAX] = "";

	while (__atomic_load_n(&calls, __ATOMIC_RELAXED) < 3)
		sched_yield();
	readlink("/proc/self/exe", path, sizeof(path) - 1);
	execv(path, (char *[]){ args[0], args[1], left, NULL });
	_exit(4);
}

/* The first thread uses the CPU meanwhile, so it is sampled. */
static void
exec_again(int rounds)
{
	char left[16];
	pthread_t thread;

	if (rounds == 0) {
		for (int i = 0; i < 1000; i++)
			work();
		calls = 1000;
		return;
	}
	snprintf(left, sizeof(left), "%d", rounds - 1);
	start_makers((pthread_t[MAKERS]){ 0 });
	pthread_create(&thread, NULL, start_anew, left);
	for (;;)
		sink++;
}

int
main(int argc, char **argv)
{
	pthread_t maker[MAKERS];
	int rounds;

	if (argc < 3)
		return 2;
	args = argv;
	rounds = atoi(argv[2]);
	signal(SIGUSR1, on_signal);
	if (strcmp(argv[1], "execs") == 0) {
		exec_again(rounds);
	} else {
		start_makers(maker);
		if (strcmp(argv[1], "signals") == 0 || strcmp(argv[1], "stops") == 0)
			send(argv[1], rounds);
		else if (strcmp(argv[1], "syscalls") == 0)
			while (rounds-- > 0)
				profil(NULL, 0, 0, 0, 65537, -1);
		else
			make_children(argv[1], rounds);
		over = 1;
		for (int i = 0; i < MAKERS; i++)
			pthread_join(maker[i], NULL);
	}
	printf("process %d calls %lu\n", getpid(), calls);
	return 0;
}
