/*
 * odd-names MS: spends MS milliseconds of CPU time in functions whose names a terminal would show
 * as others, and in one whose name looks odd only to who can't read it.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <time.h>

#define CALLED(name) __asm__(name) __attribute__((noinline))

static volatile unsigned long sink;

void override(void) CALLED("evil\u202etxt.exe\u202c");
void lines(void) CALLED("two\u2028lines\u2029\xc2\x85");
void tags(void) CALLED("a\U000e0041\U000e0042\u200b\u2066b\ufeff");
void marks(void) CALLED("a\u0301\u0301\u0301\u0301\u0301\u0301z");
void ordinary(void) CALLED("größe_имя_関数");

static inline __attribute__((always_inline)) void
spin(void)
{
	for (int i = 0; i < 20000; i++)
		sink++;
}

void
override(void)
{
	spin();
}

void
lines(void)
{
	spin();
}

void
tags(void)
{
	spin();
}

void
marks(void)
{
	spin();
}

void
ordinary(void)
{
	spin();
}

int
main(int argc, char **argv)
{
	const clock_t end = argc > 1 ? atol(argv[1]) * (CLOCKS_PER_SEC / 1000) : 0;

	do {
		override();
		lines();
		tags();
		marks();
		ordinary();
	} while (clock() < end);
	return 0;
}
