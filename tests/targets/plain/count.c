/* count CALLS: calls leaf() that often, half from a() and half from b(). */
#include "../counted.h"

COUNTED_FUNCTION(leaf)

__attribute__((noinline)) void
a(long n)
{
	while (n-- > 0)
		leaf();
}

__attribute__((noinline)) void
b(long n)
{
	while (n-- > 0)
		leaf();
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;

	a(n / 2);
	b(n - n / 2);
	return 0;
}
