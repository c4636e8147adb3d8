/* Calls that cost very different amounts, recursion, and calls from libc.  SPDX-License-Identifier:
 * ISC */
#include <stdlib.h>

#define FUNCTION __attribute__((noinline, noclone))

static volatile unsigned long sink;

FUNCTION void
work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

FUNCTION void
cheap(void)
{
	for (int i = 0; i < 300; i++)
		work(100);
	sink++;
}

FUNCTION void
dear(void)
{
	for (int i = 0; i < 150; i++)
		work(1000000);
	sink++;
}

FUNCTION void
leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

FUNCTION int
itself(int n)
{
	int below = 0;

	leaf(500000);
	if (n > 0)
		below = itself(n - 1) + 1;
	sink++;
	return below;
}

FUNCTION void odd(int n);

FUNCTION void
even(int n)
{
	leaf(500000);
	if (n > 0)
		odd(n - 1);
	sink++;
}

FUNCTION void
odd(int n)
{
	leaf(500000);
	if (n > 0)
		even(n - 1);
	sink++;
}

FUNCTION int
compare(const void *a, const void *b)
{
	leaf(20000);
	return *(const int *)a - *(const int *)b;
}

/* So short that the runtime's own time shows. */
FUNCTION void
call(void)
{
	sink++;
}

int
main(void)
{
	int numbers[500];

	cheap();
	dear();
	sink += (unsigned long)itself(100);
	odd(100);
	for (int i = 0; i < 500; i++)
		numbers[i] = i * 7919 % 500;
	qsort(numbers, 500, sizeof(*numbers), compare);
	for (int i = 0; i < 10000000; i++)
		call();
	return 0;
}
