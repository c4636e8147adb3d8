// CFLAGS: -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
/*
 * framed [turns]: functions without call frame information that have frame pointers.  What looks
 * like a return address, and is none, lies in the frame of one of them.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>

#define OUT __attribute__((noipa))

/* So many that this is not taken for what the compiler's start files have. */
#define ONE(name)                                                                                  \
	OUT int name(int n)                                                                        \
	{                                                                                          \
		return n + 1;                                                                      \
	}
#define TEN(name)                                                                                  \
	ONE(name##0)                                                                               \
	ONE(name##1)                                                                               \
	ONE(name##2)                                                                               \
	ONE(name##3) ONE(name##4) ONE(name##5) ONE(name##6) ONE(name##7) ONE(name##8) ONE(name##9)
TEN(few_)
TEN(more_)

static volatile unsigned long sink;

OUT static void *
called_from(void)
{
	return __builtin_return_address(0);
}

OUT static int
work(void *volatile *kept, long turns)
{
	for (; turns > 0; turns--)
		sink = sink * 31 + (unsigned long)kept[turns % 8];
	return 1;
}

OUT static int
misled(void *decoy, long turns)
{
	void *volatile kept[8] = { decoy, decoy, decoy, decoy, decoy, decoy, decoy, decoy };

	return work(kept, turns) + 1;
}

OUT static int
outer(void *decoy, long turns)
{
	int (*volatile pointer)(void *, long) = misled;

	return pointer(decoy, turns) + 1;
}

int
main(int argc, char **argv)
{
	void *(*volatile pointer)(void) = called_from;
	void *decoy = pointer();

	return outer(decoy, argc > 1 ? atol(argv[1]) : 200000000) == 3 ? 0 : 1;
}
