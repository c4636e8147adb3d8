/*
 * detached CHILDREN: so many processes, each of which calls t_work() 100 times and then ends while
 * its two detached threads end by themselves.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../program.h"

static int gone;

__attribute__((noipa)) void
t_work(void)
{
	__asm__ volatile("");
}

static void *
thread(void *arg)
{
	__atomic_add_fetch(&gone, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void
child(void)
{
	pthread_t id;

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&id, NULL, thread, NULL) != 0)
			_exit(99);
		pthread_detach(id);
	}
	for (int i = 0; i < 100; i++)
		t_work();
	while (__atomic_load_n(&gone, __ATOMIC_SEQ_CST) < 2)
		continue;
	_exit(0);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, status, bad = 0;

	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			child();
		wait(&status);
		bad |= status;
	}
	return bad != 0;
}
