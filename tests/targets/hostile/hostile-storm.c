/*
 * hostile-storm HOW LIMIT MOST: with RLIMIT_NPROC at LIMIT, as many as it gets and no more
 * than MOST in all:
 *	forks		processes, each of which makes two
 *	clones		raw ones: threads and processes that share memory or not
 *	threads		threads, each of which makes two
 *	untraced	processes with CLONE_UNTRACED, each of which forks
 * Each but the untraced calls work() once.  Prints "made N refused M".
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

#include <sched.h>
#include <sys/resource.h>

static struct {
	int made, refused, most;
} * all;

COUNTED_FUNCTION(work)

/* May another one be made?  So many in all, however they come. */
static int
take_turn(void)
{
	if (__atomic_add_fetch(&all->made, 1, __ATOMIC_SEQ_CST) <= all->most)
		return 1;
	__atomic_sub_fetch(&all->made, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void
give_back(void)
{
	__atomic_sub_fetch(&all->made, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&all->refused, 1, __ATOMIC_SEQ_CST);
	usleep(1000);
}

static void
fork_two(void)
{
	for (int i = 0; i < 2 && take_turn(); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			work();
			i = -1;
		} else if (pid < 0) {
			give_back();
		}
	}
	while (wait(NULL) > 0)
		continue;
}

static void *two_threads(void *none);

static void *
thread(void *none)
{
	work();
	return two_threads(none);
}

static void *
two_threads(void *none)
{
	pthread_t made[2];
	int n = 0;

	for (int i = 0; i < 2 && take_turn(); i++)
		if (pthread_create(&made[n], NULL, thread, NULL) == 0)
			n++;
		else
			give_back();
	usleep(1000);
	while (n-- > 0)
		pthread_join(made[n], NULL);
	return none;
}

enum { STACK = 16384, STACKS = 512 };

static int
work_and_exit(void *arg)
{
	(void)arg;
	work();
	syscall(SYS_exit, 0);
	return 0;
}

/* Those that share the memory have a stack each, that nobody else gets. */
static void
clone_all_kinds(void)
{
	static const int kinds[] = {
		CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS | CLONE_FILES,
		SIGCHLD,
		CLONE_VM | SIGCHLD,
		CLONE_VM | CLONE_VFORK | SIGCHLD,
		CLONE_FS | CLONE_FILES | SIGCHLD,
		CLONE_PTRACE | SIGCHLD,
		CLONE_PARENT | SIGCHLD,
		CLONE_VM | CLONE_SIGHAND,
	};
	const int n = sizeof(kinds) / sizeof(kinds[0]);
	char *stack = mmap(NULL, (size_t)STACK * STACKS, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < STACKS && take_turn(); i++) {
		if (clone(work_and_exit, stack + (size_t)STACK * (i + 1), kinds[i % n], NULL) < 0)
			give_back();
	}
	/* Some are not ours to wait for. */
	usleep(100000);
	while (wait(NULL) > 0 || (wait4(-1, NULL, __WALL, NULL) > 0))
		continue;
}

static void
untraced(void)
{
	while (take_turn()) {
		pid_t pid = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);

		if (pid == 0) {
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			_exit(0);
		}
		if (pid < 0)
			give_back();
		wait(NULL);
	}
}

int
main(int argc, char **argv)
{
	const int parent = getpid();
	struct rlimit limit;

	if (argc < 4)
		return 2;
	all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	all->most = atoi(argv[3]);
	limit.rlim_cur = limit.rlim_max = strtoul(argv[2], NULL, 10);
	setrlimit(RLIMIT_NPROC, &limit);
	/* When all are in the way of each other, they end, and it starts again. */
	if (strcmp(argv[1], "forks") == 0)
		while (getpid() == parent && all->made < all->most)
			fork_two();
	else if (strcmp(argv[1], "threads") == 0)
		while (all->made < all->most)
			two_threads(NULL);
	else if (strcmp(argv[1], "untraced") == 0)
		untraced();
	else
		clone_all_kinds();
	if (getpid() == parent)
		printf("made %d refused %d\n", all->made, all->refused);
	return 0;
}
