/* Three functions with time.  CALLS and COST plant a change: how often one is called, and how long
 * a call of another takes; MORE moves all addresses.  What takes the time is a chain of
 * multiplications in a register, which takes as long wherever its code lies. */
#include <stdint.h>

#ifndef CALLS
#define CALLS 400
#endif
#ifndef COST
#define COST 100
#endif

static volatile uint64_t sink;

/* Calls of it are none: it is in each of them. */
static inline __attribute__((always_inline)) void
work(long n)
{
	uint64_t x = sink;

	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005U + 1442695040888963407U;
		__asm__ volatile("" : "+r"(x));
	}
	sink = x;
}

#ifdef MORE
__attribute__((noipa)) void
more(void)
{
	for (int i = 0; i < 50; i++)
		sink += (uint64_t)i * sink;
}
#endif

__attribute__((noipa)) static void
spin(long n)
{
	work(n);
}

__attribute__((noipa)) void
often(void)
{
	work(300000);
}

__attribute__((noipa)) void
dear(void)
{
	work(COST * 6000L);
}

__attribute__((noipa)) void
same(void)
{
	spin(300000);
	work(300000);
}

int
main(void)
{
#ifdef MORE
	more();
#endif
	for (int i = 0; i < CALLS; i++)
		often();
	for (int i = 0; i < 400; i++) {
		dear();
		same();
	}
	return 0;
}
