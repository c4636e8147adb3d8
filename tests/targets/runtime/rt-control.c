/*
 * rt-control: control flow that leaves functions other than by a return, or enters them other than
 * by a call: longjmp, swapcontext, an alternate stack, deep recursion, tail calls, odd threads.
 */
#include "rt.h"

#include "../filter.h"

#include <sched.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { N = 10000, DEPTH = 1000000 };

static jmp_buf out;

COUNTED void
t_jumper(int n)
{
	if (n == 0)
		longjmp(out, 1);
	t_jumper(n - 1);
	__asm__ volatile("");
}

COUNTED static void
longjmps(void)
{
	static volatile int i;

	for (i = 0; i < N; i++)
		if (setjmp(out) == 0)
			t_jumper(i % 5);
	tell_arc("longjmps", "t_jumper", N);
	tell_arc("t_jumper", "t_jumper", N / 5 * (0 + 1 + 2 + 3 + 4));
}

static ucontext_t here, there[3];

COUNTED_FUNCTION(t_context_work)

COUNTED void
t_context(int n)
{
	for (int i = 0; i < N; i++) {
		t_context_work();
		swapcontext(&there[n], &here);
	}
}

COUNTED static void
contexts(void)
{
	static char stacks[3][65536];

	for (int n = 0; n < 3; n++) {
		getcontext(&there[n]);
		there[n].uc_stack.ss_sp = stacks[n];
		there[n].uc_stack.ss_size = sizeof(stacks[n]);
		there[n].uc_link = &here;
		makecontext(&there[n], (void (*)(void))t_context, 1, n);
	}
	for (int i = 0; i < N; i++)
		for (int n = 0; n < 3; n++) {
			t_context_work();
			swapcontext(&here, &there[n]);
		}
	tell_arc("t_context", "t_context_work", 3 * N);
	tell_arc("contexts", "t_context_work", 3 * N);
	/* Nothing calls a context: its first return address is that of its end. */
	tell_arc("__start_context", "t_context", 3);
}

COUNTED_FUNCTION(t_on_altstack)

COUNTED static void
on_signal(int sig)
{
	t_on_altstack();
	__asm__ volatile("");
}

COUNTED static void
altstack(void)
{
	static char stack[65536];
	const stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	tell_arc("on_signal", "t_on_altstack", 1000);
}

COUNTED void
t_deep(long n)
{
	if (n > 1)
		t_deep(n - 1);
	__asm__ volatile("");
}

COUNTED static void *
deep(void *arg)
{
	t_deep(DEPTH);
	tell_arc("deep", "t_deep", 1);
	tell_arc("t_deep", "t_deep", DEPTH - 1);
	return NULL;
}

COUNTED static void
recursion(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 20);
	must(pthread_create(&t, &attr, deep, NULL) == 0, "pthread_create");
	pthread_join(t, NULL);
}

/* A jump at the end of a function is no call: whoever called it called the next one, too. */
COUNTED void
t_last(int n)
{
	__asm__ volatile("");
}
COUNTED void
t_middle(int n)
{
	t_last(n);
}
COUNTED void
t_first(int n)
{
	t_middle(n);
}

COUNTED static void
tail_calls(void)
{
	for (int i = 0; i < N; i++)
		t_first(i);
	tell_arc("tail_calls", "t_first", N);
	tell_arc("tail_calls", "t_middle", N);
	tell_arc("tail_calls", "t_last", N);
}

COUNTED_FUNCTION(t_odd)

COUNTED static void
odd_work(void)
{
	for (int i = 0; i < N; i++)
		t_odd();
	__asm__ volatile("");
}

COUNTED static void *
blocked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	odd_work();
	return NULL;
}

/* Its own filter: nothing but what the end of a thread needs. */
COUNTED static void *
filtered(void *arg)
{
	const struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_exit, 5, 0),
		IS(SYS_madvise, 4, 0),
		IS(SYS_futex, 3, 0),
		IS(SYS_rt_sigprocmask, 2, 0),
		IS(SYS_getuid + (unsigned)(long)arg, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
	};

	must(filter_install(code, sizeof(code) / sizeof(code[0]), 0) == 0, "seccomp");
	odd_work();
	return NULL;
}

/* Unshares in a thread that goes on counting; its child is pid 1 of the namespace. */
COUNTED static void *
namespaced(void *arg)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0 && errno == EPERM) {
		printf("no namespaces\n");
	} else {
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			pthread_t t;

			must(getpid() == 1, "getpid");
			odd_work();
			pthread_create(&t, NULL, blocked, NULL);
			pthread_join(t, NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		/* In the child's own file. */
		tell_arc("odd_work", "t_odd", 2 * N);
	}
	odd_work();
	return NULL;
}

COUNTED static void
odd_threads(void)
{
	pthread_t t[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, i < 4 ? blocked : filtered, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	pthread_create(&t[0], NULL, namespaced, NULL);
	pthread_join(t[0], NULL);
	tell_arc("odd_work", "t_odd", 9 * N);
}

int
main(int argc, char **argv)
{
	longjmps();
	contexts();
	altstack();
	recursion();
	tail_calls();
	odd_threads();
	return 0;
}
