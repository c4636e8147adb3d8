/* SPDX-License-Identifier: ISC */
#include "known.h"

volatile int sink;

/* Two callers of one function, one before and one behind it in the file. */
FUNCTION static void
local(int n)
{
	leaf(n);
	leaf(n);
	NOT_A_JUMP();
}

FUNCTION static void
odd(int n)
{
	for (int i = 1; i < n; i += 2)
		local(other(i));
}

FUNCTION static void
even(int n)
{
	for (int i = 0; i < n; i += 2)
		local(other(i) + 1);
}

int
main(void)
{
	odd(1400);
	even(600);
	sink = fib(12);
	for (int i = 0; i < 50; i++)
		sink = by_pointer(other, i);
	return 0;
}
