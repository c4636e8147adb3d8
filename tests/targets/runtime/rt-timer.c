/*
 * rt-timer HOW: 4 threads call t_work() while each gets a signal 50 us after the last one's
 * handler, of a timer of its own.  The handler calls t_in_handler() and functions that were never
 * called before.  HOW: "return" from it, on an "altstack", or "jump" out of it with siglongjmp (one
 * thread, t_left()).  The timer is not periodic: under a tracer a signal may take longer than 50
 * us.
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
static __thread timer_t timer;

COUNTED_FUNCTION(t_work)
COUNTED_FUNCTION(t_left)
COUNTED_FUNCTION(t_in_handler)

COUNTED static void
call_new(long i)
{
	fn[i]();
}

static void
arm(void)
{
	const struct itimerspec once = { .it_value.tv_nsec = 50000 };

	timer_settime(timer, 0, &once, NULL);
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
	arm();
}

COUNTED static void
on_jump(int sig)
{
	handled++;
	t_in_handler();
	jumps++;
	arm();
	siglongjmp(out, 1);
}

static void
start(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };

	ev._sigev_un._tid = (int)syscall(SYS_gettid);
	must(timer_create(CLOCK_MONOTONIC, &ev, &timer) == 0, "timer_create");
	arm();
}

static void
stop(void)
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

	if (altstack)
		sigaltstack(&ss, NULL);
	start();
	while (mine < SIGNALS / THREADS || rounds[(long)arg] < 10) {
		rounds[(long)arg]++;
		for (int i = 0; i < CALLS / 100; i++)
			t_work();
	}
	stop();
	return NULL;
}

/* Volatile, since it is read after a longjmp. */
COUNTED static void
leave(void)
{
	static volatile long done;

	start();
	sigsetjmp(out, 1);
	while (jumps < SIGNALS)
		for (int i = 0; i < 1000; i++) {
			t_left();
			done++;
		}
	stop();
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
