/* SPDX-License-Identifier: ISC */
#include "known.h"

#include <exception>
#ifdef THE_STANDARD
#include <stdexcept>
#include <thread>

using Known = std::runtime_error;
#else
/* For most builds: those headers take three times as long as all the rest. */
#include <pthread.h>

struct Known : std::exception {
	explicit Known(const char *) {}
};
#endif

volatile int sink;

/* Made before main(), and gone after it. */
struct Early {
	FUNCTION Early() { leaf(1); NOT_A_JUMP(); }
	FUNCTION ~Early() { leaf(2); NOT_A_JUMP(); }
};
static Early early[3];

/* One in each thread that asks. */
struct Local {
	FUNCTION Local() : n(0) { leaf(3); NOT_A_JUMP(); }
	FUNCTION ~Local() { leaf(4); NOT_A_JUMP(); }
	int n;
};
static thread_local Local local;

struct Shape {
	virtual ~Shape() {}
	virtual int area(int x) const = 0;
};
struct Square : Shape {
	FUNCTION int area(int x) const override { sink = 2; return x * x; }
};

/* Its destructor runs while an exception passes. */
struct Guard {
	FUNCTION ~Guard() { leaf(5); NOT_A_JUMP(); }
};

template <typename T> FUNCTION T twice(T x) { sink = 1; return x + x; }

FUNCTION void
thrower(int n)
{
	Guard guard;

	if (n == 0)
		throw Known("known");
	thrower(n - 1);
}

FUNCTION int
catcher(int depth)
{
	try {
		thrower(depth);
	} catch (const std::exception &) {
		return 1;
	}
	return 0;
}

FUNCTION void
thread_body()
{
	local.n++;
	for (int i = 0; i < 100; i++)
		leaf(i);
}

#ifdef THE_STANDARD
FUNCTION static void
threads()
{
	std::thread t[4];

	for (auto &one : t)
		one = std::thread(thread_body);
	for (auto &one : t)
		one.join();
}
#else
FUNCTION static void *
start(void *arg)
{
	thread_body();
	return arg;
}

FUNCTION static void
threads()
{
	pthread_t t[4];

	for (auto &one : t)
		pthread_create(&one, nullptr, start, nullptr);
	for (auto one : t)
		pthread_join(one, nullptr);
}
#endif

int
main()
{
	Shape *shape = new Square;

	threads();
	for (int i = 0; i < 20; i++)
		if (catcher(4) != 1)
			return 1;
	sink = shape->area(twice(3));
	delete shape;
	sink = (int)twice(1.5);
	sink = by_pointer(other, 1);
	sink = fib(12);
	return 0;
}
