/*
 * rt-timer HOW: 4 threads call t_work() while each gets a signal every 50 us of a timer of its own,
 * whose handler calls t_in_handler() and functions that were never called before.  HOW: "return"
 * from it, on an "altstack", or "jump" out of it with siglongjmp (one thread, t_left()).
 */
// CFLAGS: -fno-optimize-sibling-calls -Og
#include "rt.h"

#include <setjmp.h>

enum { THREADS = 4, CALLS = 1000000, SIGNALS = 2000 };

RT_FUNCTIONS

static long handled, fresh;
static int altstack;
static volatile int fired;
static __thread volatile long mine;
static sigjmp_buf out;
static long jumps;

COUNTED_FUNCTION(t_work)
COUNTED_FUNCTION(t_left)
COUNTED_FUNCTION(t_in_handler)

COUNTED static void
call_new(long i)
{
	fn[i]();
}

COUNTED static void
on_timer(int sig)
{
	long i;

	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	mine++;
	t_in_handler();
	i = __atomic_fetch_add(&fresh, 1, __ATOMIC_RELAXED);
	call_new(i % RT_N);
}

COUNTED static void
on_jump(int sig)
{
	handled++;
	t_in_handler();
	jumps++;
	siglongjmp(out, 1);
}

static timer_t
start(int ns)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	const struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	ev._sigev_un._tid = (int)syscall(SYS_gettid);
	must(timer_create(CLOCK_MONOTONIC, &ev, &timer) == 0, "timer_create");
	timer_settime(timer, 0, &every, NULL);
	return timer;
}

static void
stop(timer_t timer)
{
	sigset_t set;

	timer_delete(timer);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static long rounds[THREADS];

COUNTED static void *
worker(void *arg)
{
	char stack[32768];
	const stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	timer_t timer;

	if (altstack)
		sigaltstack(&ss, NULL);
	timer = start(50000);
	while (mine < SIGNALS / THREADS || rounds[(long)arg] < 10) {
		rounds[(long)arg]++;
		for (int i = 0; i < CALLS / 100; i++)
			t_work();
	}
	stop(timer);
	return NULL;
}

/* Volatile, since it is read after a longjmp. */
COUNTED static void
leave(void)
{
	static volatile long done;
	timer_t timer = start(50000);

	sigsetjmp(out, 1);
	while (jumps < SIGNALS)
		for (int i = 0; i < 1000; i++) {
			t_left();
			done++;
		}
	stop(timer);
	printf("done %ld\njumps %ld\n", done, jumps);
}

int
main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_timer };
	pthread_t t[THREADS];
	long all = 0;

	altstack = strcmp(argv[1], "altstack") == 0;
	sa.sa_flags = SA_RESTART | (altstack ? SA_ONSTACK : 0);
	if (strcmp(argv[1], "jump") == 0) {
		sa.sa_handler = on_jump;
		sigaction(SIGALRM, &sa, NULL);
		leave();
		tell_arc("on_jump", "t_in_handler", handled);
		return 0;
	}
	sigaction(SIGALRM, &sa, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		all += rounds[i];
	}
	tell_arc("worker", "t_work", all * (CALLS / 100));
	tell_arc("on_timer", "t_in_handler", handled);
	for (int i = 0; i < RT_N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t_n%04o", i);
		tell_arc("call_new", name, fresh / RT_N + (i < fresh % RT_N));
	}
	return 0;
}
