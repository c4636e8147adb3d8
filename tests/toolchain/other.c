/* SPDX-License-Identifier: ISC */
#include "known.h"

FUNCTION void
leaf(int x)
{
	sink = sink + x;
}

FUNCTION int
other(int x)
{
	leaf(x);
	return x - 1;
}

/* fib(12): 465 calls, 464 of them by itself. */
FUNCTION int
fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
	a = fib(n - 1);
	b = fib(n - 2);
	NOT_A_JUMP(); /* nor a loop */
	return a + b;
}

FUNCTION int
by_pointer(int (*f)(int), int x)
{
	return f(x) + 1;
}
