// Inlined functions: with time of their own, in each other, in several functions, with calls, from
// a header, and one that calls the function that it is inlined into.
#include "inlines.h"

#define INLINE   static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noipa))

static volatile unsigned long sink;

NOINLINE unsigned long leaf(unsigned long n);
NOINLINE void a(void);
NOINLINE void b(void);
NOINLINE void again(int n);

unsigned long
leaf(unsigned long n)
{
	unsigned long s = 0;

	while (n-- > 0)
		KEEP(s += n);
	return s;
}

INLINE unsigned long
outer(unsigned long n)
{
	unsigned long s = spin(n);

	for (int i = 0; i < 300; i++)
		KEEP(s += i);
	return s + leaf(n / 4);
}

void
a(void)
{
	sink += outer(3000);
}

void
b(void)
{
	unsigned long s = 0;

	for (int i = 0; i < 500; i++)
		KEEP(s ^= i);
	sink += s + outer(1000);
	sink += leaf(200);
}

INLINE void
back(int n)
{
	sink += spin(100);
	again(n - 1);
}

void
again(int n)
{
	if (n > 0)
		back(n);
	sink++;
}

int
main(void)
{
	for (int i = 0; i < 20000; i++) {
		a();
		b();
		b();
	}
	for (int i = 0; i < 1000; i++)
		again(50);
	sink += spin(10000000);
	return sink == 0;
}
