/*
 * sleepers SECONDS: the main thread and two more sleep in different calls while one uses that much
 * CPU time; then prints how often each sleeper was scheduled in between ("main 0").
 *
 * sleepers SECONDS after: a thread uses so much and ends; then the main thread works and sleeps in
 * turns.
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../state.h"

static int tids[4], never[2];
static pthread_barrier_t begun;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double seconds;

static long
switches(int tid)
{
	char path[64], line[128];
	long a = 0, b = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "r");
	while (fgets(line, sizeof(line), f) != NULL) {
		sscanf(line, "voluntary_ctxt_switches: %ld", &a);
		sscanf(line, "nonvoluntary_ctxt_switches: %ld", &b);
	}
	fclose(f);
	return a + b;
}

static void *
in_read(void *arg)
{
	char c;

	tids[1] = syscall(SYS_gettid);
	pthread_barrier_wait(&begun);
	read(never[0], &c, 1);
	return NULL;
}

static void *
in_futex(void *arg)
{
	tids[2] = syscall(SYS_gettid);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
}

static void
work(double until)
{
	compute_until(CLOCK_THREAD_CPUTIME_ID, (uint64_t)(until * 1e9));
}

static void *
worker(void *arg)
{
	static const char *const name[] = { "main", "read", "futex" };
	long before[3];

	pthread_barrier_wait(&begun);
	for (int i = 0; i < 3; i++)
		while (state_of(tids[i]) != 'S')
			usleep(1000);
	usleep(20000);
	for (int i = 0; i < 3; i++)
		before[i] = switches(tids[i]);
	work(seconds);
	for (int i = 0; i < 3; i++)
		printf("%s %ld\n", name[i], switches(tids[i]) - before[i]);
	exit(0);
}

static void *
short_lived(void *arg)
{
	work(seconds);
	return NULL;
}

static int
after(void)
{
	pthread_t t;

	pthread_create(&t, NULL, short_lived, NULL);
	pthread_join(t, NULL);
	for (int i = 1; i <= 25; i++) {
		work(i * 0.02);
		usleep(20000);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	pthread_t t;

	seconds = atof(argv[1]);
	if (argc > 2)
		return after();
	pipe(never);
	pthread_barrier_init(&begun, NULL, 4);
	tids[0] = getpid();
	pthread_create(&t, NULL, in_read, NULL);
	pthread_create(&t, NULL, in_futex, NULL);
	pthread_create(&t, NULL, worker, NULL);
	pthread_barrier_wait(&begun);
	for (;;)
		pause();
}
