/*
 * rt-killed FILE AFTER THREADS: each thread calls a t_calls function of its own and tells in FILE,
 * which outlives it, how often; the first kills the process after so many calls, or if AFTER is
 * negative, another process does so many microseconds later.
 */
#include "rt.h"

static volatile long *shared;
static volatile int ready;
static long after;

COUNTED_FUNCTION(t_calls0)
COUNTED_FUNCTION(t_calls1)
COUNTED_FUNCTION(t_calls2)
COUNTED_FUNCTION(t_calls3)

static void (*const calls[])(void) = { t_calls0, t_calls1, t_calls2, t_calls3 };

COUNTED static void *
thread(void *arg)
{
	const long me = (long)arg;

	for (;;) {
		if (me == 0 && after >= 0 && shared[0] >= after)
			kill(getpid(), SIGKILL);
		calls[me]();
		__asm__ volatile("" : : : "memory");
		shared[8 * me]++;
	}
}

int
main(int argc, char **argv)
{
	const long threads = atol(argv[3]);
	pthread_t t;
	int fd = open(argv[1], O_RDWR);

	after = atol(argv[2]);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(shared != MAP_FAILED, "mmap");
	if (after < 0) {
		const pid_t parent = getpid();

		if (fork() == 0) {
			while (shared[0] == 0)
				;
			usleep((unsigned)-after);
			kill(parent, SIGKILL);
			/* No file of its own that would be in the way. */
			execl("/bin/true", "true", NULL);
			_exit(0);
		}
	}
	for (long i = 1; i < threads; i++)
		pthread_create(&t, NULL, thread, (void *)i);
	thread((void *)0);
	return 0;
}
