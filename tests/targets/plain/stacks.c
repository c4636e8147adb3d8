// CFLAGS: -pthread
/*
 * stacks HOW: uses CPU time under all kinds of callers; each way is a function of its own.
 *
 *	dear	300 cheap calls of burn() and 150 that are 10,000 times as dear
 *	sort	in a function that qsort calls
 *	signal	in a handler on a stack of its own, which interrupts another function
 *	thread	in another thread
 *	fork	in a child
 *	deep	under 30 calls, and then under 200
 *	exec	in another image of itself, which is "dear"
 *	sandbox	in the directory `empty` as its root, as nobody
 *
 * SPDX-License-Identifier: ISC
 */
#include "../program.h"

static volatile unsigned long sink;
static volatile sig_atomic_t handled;

__attribute__((noinline)) void
burn(long n)
{
	for (long i = 0; i < n; i++)
		sink += (unsigned long)i;
	sink++;
}

__attribute__((noinline)) void
cheap(void)
{
	burn(100);
	sink++;
}

__attribute__((noinline)) void
dear(void)
{
	burn(1000000);
	sink++;
}

__attribute__((noinline)) int
compare(const void *a, const void *b)
{
	burn(300);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void
sorting(void)
{
	static int v[60000];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		v[i] = rand();
	qsort(v, sizeof(v) / sizeof(v[0]), sizeof(v[0]), compare);
	sink++;
}

__attribute__((noinline)) void
handler(int sig)
{
	burn(200000000);
	handled = sig;
}

__attribute__((noinline)) void
interrupted(void)
{
	raise(SIGUSR1);
	while (!handled)
		sink++;
}

__attribute__((noinline)) void *
thread(void *arg)
{
	burn(200000000);
	return arg;
}

__attribute__((noinline)) void
child(void)
{
	burn(200000000);
	sink++;
}

__attribute__((noinline)) void
deep(int n)
{
	if (n > 1)
		deep(n - 1);
	else
		burn(100000000);
	sink++;
}

static void
signals(void)
{
	static char room[1 << 16];
	const stack_t other = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	interrupted();
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t id;

	if (strcmp(how, "dear") == 0) {
		for (int i = 0; i < 300; i++)
			cheap();
		for (int i = 0; i < 150; i++)
			dear();
	} else if (strcmp(how, "sort") == 0) {
		sorting();
	} else if (strcmp(how, "signal") == 0) {
		signals();
	} else if (strcmp(how, "thread") == 0) {
		pthread_create(&id, NULL, thread, NULL);
		pthread_join(id, NULL);
	} else if (strcmp(how, "fork") == 0) {
		if (fork() == 0) {
			child();
			return 0;
		}
		wait(NULL);
	} else if (strcmp(how, "deep") == 0) {
		deep(30);
		deep(200);
	} else if (strcmp(how, "exec") == 0) {
		execl(argv[0], argv[0], "dear", NULL);
	} else if (strcmp(how, "sandbox") == 0) {
		if (chroot("empty") < 0 || chdir("/") < 0 || setresgid(65534, 65534, 65534) < 0 ||
		    setresuid(65534, 65534, 65534) < 0)
			return 1;
		child();
	} else {
		return 2;
	}
	return 0;
}
