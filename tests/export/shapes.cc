/* Time and calls of every kind that a call graph has, under C++ names.  SPDX-License-Identifier: ISC */
#include "shapes.h"

#define FUNCTION __attribute__((noinline, noclone))

namespace shapes {

FUNCTION void
leaf(int n)
{
	for (int i = 0; i < 3 * n; i++)
		sink += (unsigned long)i;
}

/* So short that the runtime's own time shows. */
FUNCTION void
call()
{
	sink++;
}

struct Shape {
	virtual ~Shape() {}
	virtual void draw(int n) = 0;
};
struct Square : Shape {
	FUNCTION void draw(int n) override
	{
		leaf(n);
		leaf(2 * n);
		sink++;
	}
};

template <typename T> FUNCTION T
twice(T x)
{
	leaf(100000);
	return x + x;
}

FUNCTION void
few()
{
	for (int i = 0; i < 10; i++)
		leaf(1000000);
}

FUNCTION void
many()
{
	for (int i = 0; i < 1000; i++)
		leaf(20000);
	for (int i = 0; i < 1000000; i++)
		call();
}

FUNCTION void odd(int n);

FUNCTION void
even(int n)
{
	leaf(10000);
	spin(100000);
	if (n > 0)
		odd(n - 1);
	sink++;
}

FUNCTION void
odd(int n)
{
	leaf(20000);
	if (n > 0)
		even(n - 1);
	sink++;
}

FUNCTION int
itself(int n)
{
	int below = 0;

	leaf(20000);
	if (n > 0)
		below = itself(n - 1) + 1;
	sink++;
	return below;
}

}

int
main()
{
	shapes::Square square;
	shapes::Shape *volatile shape = &square;

	shapes::few();
	shapes::many();
	shape->draw(2000000);
	for (int i = 0; i < 50; i++)
		sink = (unsigned long)shapes::twice(1.5);
	sink = (unsigned long)shapes::twice(3);
	for (int i = 0; i < 25; i++)
		shapes::odd(20);
	sink = (unsigned long)shapes::itself(100);
	return 0;
}
