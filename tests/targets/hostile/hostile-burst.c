/*
 * hostile-burst HOW N: N threads at once, each of which calls work() once when it begins, and then:
 *	joins		all are let go at once, call work() once more and end; the first thread
 *			waits for them and ends with the process
 *	runs		they are not held: they call work() nine times more and end
 *	exits		the process ends with all of them there
 *	killed		it is killed with all of them there
 *	execs		one of them executes the program anew, which calls work() 99 times
 * Prints "made N", the number of threads that there were.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"

enum { STACK = 32 << 10 };

static const char *how;
static char *self;
static int up, open_now;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

COUNTED_FUNCTION(work)

static void *
thread(void *none)
{
	work();
	__atomic_add_fetch(&up, 1, __ATOMIC_SEQ_CST);
	if (strcmp(how, "runs") == 0) {
		for (int i = 0; i < 9; i++)
			work();
		return none;
	}
	pthread_mutex_lock(&mutex);
	while (!open_now)
		pthread_cond_wait(&opened, &mutex);
	pthread_mutex_unlock(&mutex);
	work();
	return none;
}

static void *
execute(void *none)
{
	execl(self, self, "after", "0", (char *)NULL);
	return none;
}

static void
let_go(void)
{
	pthread_mutex_lock(&mutex);
	open_now = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&mutex);
}

int
main(int argc, char **argv)
{
	const int n = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t *made = calloc((size_t)n + 1, sizeof(*made));
	pthread_attr_t small;
	int i;

	if (argc < 3 || made == NULL)
		return 2;
	self = argv[0];
	how = argv[1];
	if (strcmp(how, "after") == 0) {
		for (i = 0; i < 99; i++)
			work();
		return 0;
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	pthread_attr_setguardsize(&small, 0);
	for (i = 0; i < n && (errno = pthread_create(&made[i], &small, thread, NULL)) == 0; i++)
		continue;
	while (__atomic_load_n(&up, __ATOMIC_SEQ_CST) < i)
		usleep(1000);
	printf("made %d\n", i);
	fflush(stdout);
	if (strcmp(how, "exits") == 0)
		_exit(0);
	if (strcmp(how, "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "execs") == 0)
		pthread_create(&made[i], &small, execute, NULL);
	else
		let_go();
	while (strcmp(how, "execs") == 0)
		pause();
	while (i-- > 0)
		pthread_join(made[i], NULL);
	return 0;
}
