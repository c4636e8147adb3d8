/*
 * What the programs of the older dialects share: code at known addresses that uses CPU time, and
 * points, one line each: "ok" or "not ok", a tab, what must hold.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef DIALECT_H
#define DIALECT_H

#include "../program.h"

#include <math.h>
#include <stdarg.h>
#include <sys/time.h>

/* The linker's: where the section of the functions below is. */
extern char __start_burn_text[], __stop_burn_text[];
#define BURN __attribute__((section("burn_text"), noinline, noclone, no_instrument_function))
#define LOW  ((uintptr_t)__start_burn_text & ~15UL)
#define HIGH ((uintptr_t)__stop_burn_text)
/* 16-bit bins for LOW to HIGH, if each is for 2 bytes. */
#define BINS ((HIGH - LOW) / 2 + 1)

static volatile unsigned long burnt;

__attribute__((aligned(64))) BURN static void
burn_steps(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		burnt++;
}

__attribute__((aligned(64))) BURN static void
burn_more_steps(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		burnt += 3;
}

static inline double
clock_of(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Uses that much of the calling thread's CPU time in `steps`; returns how much. */
static inline double
burn_in(__typeof__(burn_steps) *steps, double seconds)
{
	const double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
	double now;

	/* Where a thread asks for its CPU time the scheduler likes to take the CPU away: so seldom.
	 */
	do {
		steps(1000000);
		now = clock_of(CLOCK_THREAD_CPUTIME_ID);
	} while (now < start + seconds);
	return now - start;
}

static inline double
burn(double seconds)
{
	return burn_in(burn_steps, seconds);
}

static inline double
burn_more(double seconds)
{
	return burn_in(burn_more_steps, seconds);
}

/* Of CPU time: in so much there would be some thirty ticks, if they were not off. */
#define A_WHILE 0.03

/* Ticks a second: what the test gives to -F. */
static double hz = 1000;
static int failures;

/* A call that has had no answer for a second or more has given up, and none after it is taken:
 * where the supervisor has had no CPU for so long, the test knows. */
extern int profil_bsd(void *, size_t, size_t, unsigned int);

static inline int
gave_up(void)
{
	return profil_bsd(NULL, 0, 0, 0) < 0 && errno == ENOSYS;
}

static int
point(int good, const char *fmt, ...)
{
	va_list ap;

	printf(good ? "ok\t" : gave_up() ? "gave up\t" : "not ok\t");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	failures += !good;
	return good;
}

/* Where the ticks are that were drawn: on a busy machine one draw stands for many. */
static int
drawn(int good, const char *what)
{
	if (good || gave_up())
		return point(good, "%s", what);
	printf("off\t%s\n", what);
	fflush(stdout);
	return 0;
}

/* As many ticks as that, or more.  Where some are lacking, the test looks whether the run's summary
 * says that so many were not seen, since profsup itself got no CPU. */
static int
enough(double got, double least, const char *what)
{
	if (got >= least)
		return point(1, "%s", what);
	if (gave_up())
		return point(0, "%s", what);
	printf("too few by %.0f\t%s\n", ceil(least - got), what);
	fflush(stdout);
	return 0;
}

/* What chance and the ticks at both ends allow; the kernel's own tick is how late a thread on
 * another CPU is seen. */
static double
slack_of(double want, double rate)
{
	return 4 * sqrt(want) + 0.02 * want + 2 + 0.012 * rate;
}

/* As many ticks as the CPU time says, within that. */
static int
about(double got, double seconds, double rate, const char *what)
{
	const double want = seconds * rate, slack = slack_of(want, rate);

	if (got <= want + slack ? enough(got, want - slack, what) : drawn(0, what))
		return 1;
	printf("#\tgot %.0f, want %.0f +- %.0f\n", got, want, slack);
	return 0;
}

static inline double
sum16(const volatile uint16_t *bin, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bin[i];
	return sum;
}

/* While it counts, that is by the next tick, if the machine is not busy with others: after so much
 * CPU time, more or less. */
static inline double
arrived16(const volatile uint16_t *bin, size_t n, double seconds)
{
	for (int i = 0; i < 200 && sum16(bin, n) < 0.9 * seconds * hz - 20; i++)
		usleep(10000);
	return sum16(bin, n);
}

static inline double
sum32(const volatile uint32_t *bin, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bin[i];
	return sum;
}

/* Pages that end where nothing is mapped. */
static inline void *
pages(size_t size)
{
	char *p =
	    mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + size, 4096) < 0)
		exit(99);
	return p;
}

/* Half as many ticks as the CPU time says, or more, and no more than twice as many. */
static inline void
roughly(double got, double seconds, const char *what)
{
	if (got > seconds * hz * 2)
		drawn(0, what);
	else
		enough(got, seconds * hz / 2, what);
}

/* What a child of fork finds: `counted` goes on there. */
#define CHILD_OF_FORK(counted, seconds, what)                                                      \
	static int child_of_fork(void)                                                             \
	{                                                                                          \
		const double before = counted, cpu = burn(seconds);                                \
		const double sum_of_child = counted - before;                                      \
                                                                                                   \
		roughly(sum_of_child, cpu, what);                                                  \
		return 0;                                                                          \
	}

/* In a child: 0 if f() says so. */
static inline int
in_child(int (*f)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(f());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
