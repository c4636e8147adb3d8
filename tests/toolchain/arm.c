/*
 * arm PART: what it prints or writes is what tests/toolchain/aarch64.t expects.
 *
 * SPDX-License-Identifier: ISC
 */
#include "unwatched.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* One that is called and counted. */
#ifdef __clang__
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone))
#endif
/* Behind a last call, which as a jump would be its caller's arc. */
#define NOT_A_JUMP() __asm__ volatile("")
#define PLAIN        __attribute__((no_instrument_function))

enum { THREADS = 8, GENERATIONS = 12, CALLS = 1000 };

static volatile unsigned long sink;

/* The first argument looks like the caller's address to a compiler that passes none. */
FUNCTION void
leaf(uintptr_t x)
{
	sink = sink + x;
}

FUNCTION void
a(long n)
{
	while (n-- > 0)
		leaf((uintptr_t)n);
}

FUNCTION void
b(long n)
{
	while (n-- > 0)
		leaf((uintptr_t)a);
}

FUNCTION void
only_this_thread(uintptr_t x)
{
	leaf(x);
	NOT_A_JUMP();
}

FUNCTION void *
work(void *arg)
{
	for (uintptr_t i = 0; i < CALLS; i++)
		only_this_thread(i);
	return arg;
}

/* More threads than are ever alive at once. */
static void
threads(void)
{
	pthread_t t[THREADS];

	for (int g = 0; g < GENERATIONS; g++) {
		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&t[i], NULL, work, NULL) != 0)
				abort();
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
}

static volatile unsigned long handled;

/* Called in the loop and in the handler: its call of leaf() is one arc for both. */
FUNCTION void
again(uintptr_t x)
{
	leaf(x);
	NOT_A_JUMP();
}

static void
on_alarm(int sig)
{
	(void)sig;
	handled = handled + 1;
	for (uintptr_t i = 0; i < 10; i++)
		again(i);
}

/*
 * Until there have been enough signals; prints how often again() and on_alarm() have
 * been called.
 */
static void
interrupted(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned long n = 0;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 3000; n++)
		again(n);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%lu %lu\n", n + 10 * handled, handled);
}

/* Before and after, so that it does not matter whether the emulator knows MADV_WIPEONFORK. */
static void
forked(void)
{
	pid_t pid;

	a(1000);
	pid = fork();
	if (pid == 0) {
		write_arcs("child.before");
		a(50);
		write_arcs("child.after");
		_exit(0);
	}
	a(7);
	waitpid(pid, NULL, 0);
}

/* Own code at the end of a handler, as musl has it: the caller of the handler is no function. */
FUNCTION void
on_signal(int sig)
{
	(void)sig;
	leaf(1);
}

__asm__(".text\n"
        "	.globl before_restorer, restorer\n"
        "	.type before_restorer, %function\n"
        "	.type restorer, %function\n"
        "before_restorer:\n"
        "	hint #34\n"
        "	ret\n"
        "	.size before_restorer, . - before_restorer\n"
        "restorer:\n"
        "	mov x8, #139\n"
        "	svc #0\n"
        "	.size restorer, . - restorer\n");
extern void restorer(void);

static void
handler_caller(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} sa = { on_signal, 0x04000000, restorer, 0 };

	if (syscall(SYS_rt_sigaction, SIGUSR1, &sa, NULL, 8) != 0)
		abort();
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
}

/* Calls _mcount with a value of its own in each register that may hold an argument. */
struct registers {
	uint64_t x[9];
	uint64_t sp_before, sp_after;
	double v[8];
};
extern void probe(struct registers *r);
__asm__(".text\n"
        "	.globl probe\n"
        "	.type probe, %function\n"
        "probe:\n"
        "	hint #25\n"
        "	stp x29, x30, [sp, #-32]!\n"
        "	mov x29, sp\n"
        "	stp x19, x20, [sp, #16]\n"
        "	mov x19, x0\n"
        "	mov x20, x30\n"
        "	mov x1, #101\n"
        "	mov x2, #102\n"
        "	mov x3, #103\n"
        "	mov x4, #104\n"
        "	mov x5, #105\n"
        "	mov x6, #106\n"
        "	mov x7, #107\n"
        "	mov x8, #108\n"
        "	fmov d0, #1.0\n"
        "	fmov d1, #2.0\n"
        "	fmov d2, #3.0\n"
        "	fmov d3, #4.0\n"
        "	fmov d4, #5.0\n"
        "	fmov d5, #6.0\n"
        "	fmov d6, #7.0\n"
        "	fmov d7, #8.0\n"
        "	mov x0, sp\n"
        "	str x0, [x19, #72]\n"
        "	mov x0, x20\n"
        "	bl _mcount\n"
        "	stp d0, d1, [x19, #88]\n"
        "	stp d2, d3, [x19, #104]\n"
        "	stp d4, d5, [x19, #120]\n"
        "	stp d6, d7, [x19, #136]\n"
        "	sub x0, x0, x20\n"
        "	stp x0, x1, [x19]\n"
        "	stp x2, x3, [x19, #16]\n"
        "	stp x4, x5, [x19, #32]\n"
        "	stp x6, x7, [x19, #48]\n"
        "	str x8, [x19, #64]\n"
        "	mov x0, sp\n"
        "	str x0, [x19, #80]\n"
        "	ldp x19, x20, [sp, #16]\n"
        "	ldp x29, x30, [sp], #32\n"
        "	hint #29\n"
        "	ret\n"
        "	.size probe, . - probe\n");

/* The first of the calls goes the slow way. */
PLAIN static void
registers(void)
{
	for (int i = 0; i < 3; i++) {
		struct registers r = { 0 };
		int bad = 0;

		probe(&r);
		for (unsigned j = 0; j < 9; j++)
			bad += r.x[j] != (j == 0 ? 0 : 100 + j);
		for (unsigned j = 0; j < 8; j++)
			bad += r.v[j] != j + 1.0;
		bad += r.sp_before != r.sp_after;
		printf("%d\n", bad);
	}
}

FUNCTION double
sum(int n, ...)
{
	va_list ap;
	double s = 0;

	va_start(ap, n);
	while (n-- > 0)
		s += va_arg(ap, double) + (double)va_arg(ap, long);
	va_end(ap);
	return s;
}

struct large {
	double d[6];
	long n[6];
};

FUNCTION struct large
make(double d, long n, float f, struct large by)
{
	for (int i = 0; i < 6; i++) {
		by.d[i] += d + (double)f;
		by.n[i] += n;
	}
	return by;
}

static void
arguments(void)
{
	struct large l = { { 1, 2, 3, 4, 5, 6 }, { 1, 2, 3, 4, 5, 6 } };

	for (int i = 0; i < 3; i++)
		l = make(0.5, 2, 0.25F, l);
	printf("%g %ld %g\n", l.d[5], l.n[5],
	       sum(6, 1.5, 1L, 2.5, 2L, 3.5, 3L, 4.5, 4L, 5.5, 5L, 6.5, 6L));
}

int
main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (strcmp(part, "plain") == 0) {
		a(1000);
		b(500);
	} else if (strcmp(part, "threads") == 0)
		threads();
	else if (strcmp(part, "signals") == 0)
		interrupted();
	else if (strcmp(part, "fork") == 0)
		forked();
	else if (strcmp(part, "handler") == 0)
		handler_caller();
	else if (strcmp(part, "registers") == 0)
		registers();
	else if (strcmp(part, "arguments") == 0)
		arguments();
	else
		return 2;
	write_arcs("gmon");
	return 0;
}
