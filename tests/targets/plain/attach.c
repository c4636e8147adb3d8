// CFLAGS: -pthread
/*
 * attach: a program of several threads that waits for somebody to attach.  Prints "ready PID", then
 * does what the lines on stdin say, and prints "done" for each:
 *
 *	threads N	makes N threads, which wait
 *	raw		makes one with main's thread pointer, which waits
 *	churn		from now on threads come and go all the time
 *	end-main	main ends, and a thread goes on in its place
 *	call N		each of those that wait, and main, call work() N times, and each new one ten
 *times still		they call no more, and the number of calls so far is printed: "calls N" burn
 *MS		each of those that wait uses so much CPU time in burn()
 *
 * Nothing but work() and burn() is counted.
 */
#include "../clock.h"
#include "../counted.h"

#include <sched.h>

#define UNCOUNTED __attribute__((no_instrument_function))

enum { STACK = 65536 };

static long calls;                     /* of work() */
static int to_call, to_burn, counting; /* what is to be done */
static int round_number, left, waiting;

COUNTED_FUNCTION(work)

__attribute__((noinline)) void
burn(int ms)
{
	compute_until(CLOCK_THREAD_CPUTIME_ID, (uint64_t)ms * 1000000);
}

UNCOUNTED static void
call_work(int n)
{
	for (int i = 0; i < n; i++)
		work();
	__atomic_fetch_add(&calls, n, __ATOMIC_SEQ_CST);
}

/* Takes part in each round, by polling: no libc call is made that a raw thread may not make. */
UNCOUNTED static void
take_rounds(int burns)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (int seen = __atomic_load_n(&round_number, __ATOMIC_SEQ_CST);;) {
		nanosleep(&ms, NULL);
		if (__atomic_load_n(&round_number, __ATOMIC_SEQ_CST) == seen)
			continue;
		seen++;
		if (to_call != 0)
			call_work(to_call);
		if (to_burn != 0 && burns)
			burn(to_burn);
		__atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
	}
}

UNCOUNTED static void *
waiter(void *arg)
{
	take_rounds(1);
	return arg;
}

UNCOUNTED static int
raw_waiter(void *arg)
{
	(void)arg;
	take_rounds(0);
	return 0;
}

UNCOUNTED static void *
short_lived(void *arg)
{
	if (__atomic_load_n(&counting, __ATOMIC_SEQ_CST))
		call_work(10);
	return arg;
}

UNCOUNTED static void *
churner(void *arg)
{
	pthread_t t[4];

	for (;;) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, short_lived, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		__atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

UNCOUNTED static void
make_threads(int n)
{
	pthread_t t;

	while (n-- > 0)
		pthread_create(&t, NULL, waiter, NULL);
}

UNCOUNTED static void
do_round(int members, int call, int ms)
{
	to_call = call;
	to_burn = ms;
	left = members;
	__atomic_fetch_add(&round_number, 1, __ATOMIC_SEQ_CST);
	call_work(call);
	while (__atomic_load_n(&left, __ATOMIC_SEQ_CST) != 0)
		usleep(1000);
}

/* Two rounds of the churner from now on, all that saw the old order are gone. */
UNCOUNTED static void
set_counting(int on, int churns)
{
	const int now = __atomic_load_n(&waiting, __ATOMIC_SEQ_CST);

	__atomic_store_n(&counting, on, __ATOMIC_SEQ_CST);
	while (churns && __atomic_load_n(&waiting, __ATOMIC_SEQ_CST) < now + 2)
		usleep(1000);
}

UNCOUNTED static void *
take_lines(void *arg)
{
	char line[32];
	int members = 0, churns = 0;
	pthread_t t;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *space = strchr(line, ' ');
		int n = space != NULL ? atoi(space) : 0;

		if (strncmp(line, "threads", 7) == 0) {
			make_threads(n);
			members += n;
		} else if (strncmp(line, "raw", 3) == 0) {
			clone(raw_waiter, (char *)malloc(STACK) + STACK,
			      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			          CLONE_SYSVSEM,
			      NULL);
			members++;
		} else if (strncmp(line, "churn", 5) == 0) {
			churns = pthread_create(&t, NULL, churner, NULL) == 0;
		} else if (strncmp(line, "end-main", 8) == 0) {
			pthread_create(&t, NULL, take_lines, NULL);
			puts("done");
			pthread_exit(NULL);
		} else if (strncmp(line, "call", 4) == 0) {
			set_counting(1, churns);
			do_round(members, n, 0);
		} else if (strncmp(line, "still", 5) == 0) {
			set_counting(0, churns);
			printf("calls %ld\n", calls);
		} else if (strncmp(line, "burn", 4) == 0) {
			do_round(members, 0, n);
		}
		puts("done");
	}
	_exit(arg != NULL);
}

UNCOUNTED int
main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("ready %d\n", (int)getpid());
	take_lines(NULL);
}
