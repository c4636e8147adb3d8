/*
 * threads HOW: threads that come and go.  Each calls thread_work() 1000 times (thread i of "counts"
 * i * 10 times more); a child process forked by a thread calls child_work() 321 times; after an
 * exec, exec_work() runs 99 times.
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "../filter.h"

static char *self;

COUNTED_FUNCTION(thread_work)
COUNTED_FUNCTION(child_work)
COUNTED_FUNCTION(exec_work)

__attribute__((noinline)) static void
repeat(void (*work)(void), long n)
{
	while (n-- > 0)
		work();
}

static void *
plain(void *n)
{
	repeat(thread_work, (intptr_t)n);
	return NULL;
}

static void *
forker(void *arg)
{
	repeat(thread_work, 1000);
	if (fork() == 0) {
		repeat(child_work, 321);
		_exit(0);
	}
	wait(NULL);
	return NULL;
}

static void *
execer(void *arg)
{
	char *argv[] = { self, "after-exec", NULL };

	repeat(thread_work, 1000);
	execv(self, argv);
	return NULL;
}

static void *
survivor(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	repeat(thread_work, 1000);
	return NULL;
}

static void *
condemned(void *arg)
{
	repeat(thread_work, 1000);
	filter_call(SYS_getppid, SECCOMP_RET_KILL_THREAD, 0);
	syscall(SYS_getppid);
	return NULL;
}

static int
only_thread_left(void)
{
	char line[128];
	int threads = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), f) != NULL)
		sscanf(line, "Threads: %d", &threads);
	fclose(f);
	return threads == 1;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread[16], main_thread = pthread_self();

	self = argv[0];
	if (strcmp(how, "after-exec") == 0) {
		repeat(exec_work, 99);
		return 42;
	}
	if (strcmp(how, "waves") == 0) { /* 64 threads, 16 at a time: 64 * 1000 calls */
		for (int i = 0; i < 64; i++) {
			if (i >= 16)
				pthread_join(thread[i % 16], NULL);
			pthread_create(&thread[i % 16], NULL, plain, (void *)1000);
		}
		for (int i = 0; i < 16; i++)
			pthread_join(thread[i], NULL);
	} else if (strcmp(how, "hot") == 0) { /* 8 threads at once on the same arc */
		for (int i = 0; i < 8; i++)
			pthread_create(&thread[i], NULL, plain, (void *)1000000);
		for (int i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	} else if (strcmp(how, "fork") == 0) {
		pthread_create(&thread[0], NULL, forker, NULL);
		pthread_join(thread[0], NULL);
	} else if (strcmp(how, "exec") == 0) {
		pthread_create(&thread[0], NULL, execer, NULL);
		for (;;)
			pause();
	} else if (strcmp(how, "leader-gone") == 0) {
		pthread_create(&thread[0], NULL, survivor, &main_thread);
		pthread_exit(NULL);
	} else if (strcmp(how, "leader-gone-exec") == 0) {
		pthread_create(&thread[0], NULL, execer, NULL);
		pthread_exit(NULL);
	} else if (strcmp(how, "kill-thread") == 0) {
		pthread_create(&thread[0], NULL, condemned, NULL);
		while (!only_thread_left())
			usleep(1000);
		repeat(thread_work, 500);
	} else {
		return 99;
	}
	return 0;
}
