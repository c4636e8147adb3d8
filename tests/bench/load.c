/*
 * load: programs to put under a profiler.  Each says on stdout how long its work took, start and
 * end left out, as "wall SECONDS" and "cpu SECONDS" (its own).
 *
 *	load nothing                does nothing and says nothing
 *	load busy THREADS CHUNKS    computes: CHUNKS pieces of some 30 us, shared out
 *	                            among THREADS
 *	load pace CHUNKS            the same in one thread; says also how long it would
 *	                            have taken without interruptions, as "pace SECONDS"
 *	load sleep THREADS          "ready" when all sleep, until standard input ends
 *	load open N FILE            open, read, close
 *	load fork N                 fork, exit, wait
 *	load thread N               create a thread and join it
 *
 * SPDX-License-Identifier: ISC
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The same instructions at the same alignment however the file is compiled, so that runs of its
 * variants can be compared. */
__attribute__((noipa, aligned(64), no_instrument_function)) static unsigned long
spin(unsigned long x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	return x;
}

/* Instrumented, but with calls too few to be felt. */
__attribute__((noipa)) static unsigned long
chunk(unsigned long x)
{
	return spin(x);
}

static void *
compute(void *arg)
{
	unsigned long x = 1;

	for (long n = *(long *)arg; n > 0; n--)
		x = chunk(x);
	return (void *)x;
}

static int
busy(int threads, long chunks)
{
	pthread_t *id = calloc((size_t)threads, sizeof(*id));
	long share = chunks / threads;

	if (id == NULL)
		return 1;
	if (threads == 1) {
		compute(&share);
	} else {
		for (int i = 0; i < threads; i++)
			if (pthread_create(&id[i], NULL, compute, &share) != 0)
				return 1;
		for (int i = 0; i < threads; i++)
			pthread_join(id[i], NULL);
	}
	free(id);
	return 0;
}

/* When each chunk was done. */
static double *end;

static int
at_pace(long chunks)
{
	unsigned long x = 1;

	end = calloc((size_t)chunks, sizeof(*end));
	if (end == NULL)
		return 1;
	for (long i = 0; i < chunks; i++) {
		x = chunk(x);
		end[i] = seconds(CLOCK_MONOTONIC);
	}
	return x == 0;
}

static int
by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The machine goes faster and slower, with what its neighbours on the host do, but within some
 * milliseconds it hardly does.  So of a few hundred chunks in a row the middle one by size is one
 * that nobody interrupted, and takes what all of them would have taken just then.
 */
static double
pace(double start, long chunks)
{
	enum { ROW = 256 };
	double took[ROW], sum = 0;

	for (long i = 0; i < chunks; i += ROW) {
		const long n = chunks - i < ROW ? chunks - i : ROW;

		for (long k = i; k < i + n; k++)
			took[k - i] = end[k] - (k == 0 ? start : end[k - 1]);
		qsort(took, (size_t)n, sizeof(*took), by_size);
		sum += took[n / 2] * (double)n;
	}
	return sum;
}

static void *
rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int
sleepers(int threads)
{
	pthread_attr_t attr;
	char c;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < threads; i++) {
		pthread_t id;

		if (pthread_create(&id, &attr, rest, NULL) != 0)
			return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		continue;
	return 0;
}

__attribute__((noipa)) static int
look_into(const char *file)
{
	char buf[64];
	int fd = open(file, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return 1;
	got = read(fd, buf, sizeof(buf));
	close(fd);
	return got < 0;
}

static int
opens(long n, const char *file)
{
	while (n-- > 0)
		if (look_into(file) != 0)
			return 1;
	return 0;
}

/* The children leave by exit, which is where some profilers write their files. */
static int
forks(long n)
{
	while (n-- > 0) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	return 0;
}

__attribute__((noipa)) static void *
nothing(void *arg)
{
	return arg;
}

static int
threads(long n)
{
	while (n-- > 0) {
		pthread_t id;

		if (pthread_create(&id, NULL, nothing, NULL) != 0 || pthread_join(id, NULL) != 0)
			return 1;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	int failed = 2;

	if (strcmp(what, "nothing") == 0)
		return 0;
	if (strcmp(what, "sleep") == 0)
		return sleepers((int)n);
	if (strcmp(what, "busy") == 0 && argc > 3 && n > 0)
		failed = busy((int)n, strtol(argv[3], NULL, 10));
	else if (strcmp(what, "pace") == 0 && n > 0)
		failed = at_pace(n);
	else if (strcmp(what, "open") == 0 && argc > 3)
		failed = opens(n, argv[3]);
	else if (strcmp(what, "fork") == 0)
		failed = forks(n);
	else if (strcmp(what, "thread") == 0)
		failed = threads(n);
	if (failed == 0)
		printf("wall %.6f\ncpu %.6f\n", seconds(CLOCK_MONOTONIC) - wall,
		       seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	if (failed == 0 && end != NULL)
		printf("pace %.6f\n", pace(wall, n));
	return failed;
}
