/*
 * What the targets of tests/shim share: functions whose calls are counted are named t_..., and a
 * target says itself how often each was called from where.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef RT_H
#define RT_H

#include "../program.h"

/* Never inlined, cloned, merged with others like it, or known to have no effect. */
#ifdef __clang__
#define COUNTED __attribute__((noinline, optnone))
#else
#define COUNTED __attribute__((noipa))
#endif
#define UNCOUNTED __attribute__((no_instrument_function))

#define COUNTED_FUNCTION(name)                                                                     \
	COUNTED void name(void)                                                                    \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}

/* An arc into a t_ function, for the test to compare with. */
UNCOUNTED static inline void
tell_arc(const char *from, const char *to, long count)
{
	printf("arc %s %s %ld\n", from, to, count);
}

UNCOUNTED static inline void
must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(99);
	}
}

/* RT_MANY(X): X(0000) to X(7777), in octal; with RT_FEW, for slow compilers, to X(0777). */
/* clang-format off */
#define RT_8(X, p) \
	X(p##0) X(p##1) X(p##2) X(p##3) X(p##4) X(p##5) X(p##6) X(p##7)
#define RT_64(X, p) \
	RT_8(X, p##0) RT_8(X, p##1) RT_8(X, p##2) RT_8(X, p##3) \
	RT_8(X, p##4) RT_8(X, p##5) RT_8(X, p##6) RT_8(X, p##7)
#define RT_512(X, p) \
	RT_64(X, p##0) RT_64(X, p##1) RT_64(X, p##2) RT_64(X, p##3) \
	RT_64(X, p##4) RT_64(X, p##5) RT_64(X, p##6) RT_64(X, p##7)
#ifdef RT_FEW
#define RT_MANY(X) RT_512(X, 0)
#else
#define RT_MANY(X) \
	RT_512(X, 0) RT_512(X, 1) RT_512(X, 2) RT_512(X, 3) \
	RT_512(X, 4) RT_512(X, 5) RT_512(X, 6) RT_512(X, 7)
#endif
/* clang-format on */

/* As many counted functions t_n0000, ... and the table of them. */
#define RT_DEFINE(n) COUNTED_FUNCTION(t_n##n)
#define RT_ENTRY(n)  t_n##n,
#define RT_FUNCTIONS                                                                               \
	RT_MANY(RT_DEFINE)                                                                         \
	static void (*const fn[])(void) = { RT_MANY(RT_ENTRY) };
#ifdef RT_FEW
enum { RT_N = 512 };
#else
enum { RT_N = 4096 };
#endif

#endif
