/*
 * inclusive UNIT: all time is arithmetic in hash(), in steps of UNIT turns, on behalf of callers
 * whose calls are not equally dear: handle_static() calls it 300 times for one step each,
 * handle_login() 150 times for 331, and audit() by way of verify() 50 times for 300.  An
 * instruction of the loop costs as much as another, so that time is as instructions are.
 *
 * Of the 64,950 steps 0.46 % are handle_static()'s, 76.44 % handle_login()'s and 23.09 % audit()'s.
 * Of those of the two handlers, which serve() calls, 0.6 % and 99.4 %; by numbers of calls 67 % and
 * 33 %.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>

enum { ROUNDS = 50 };

static long unit;
static volatile unsigned long sink;

__attribute__((noipa)) void
hash(long steps)
{
	unsigned long x = 1;

	for (long i = steps * unit; i > 0; i--)
		x = x * 6364136223846793005 + 1442695040888963407;
	sink = x;
}

__attribute__((noipa)) void
handle_static(void)
{
	hash(1);
	sink++;
}

__attribute__((noipa)) void
handle_login(void)
{
	hash(331);
	sink++;
}

__attribute__((noipa)) void
verify(void)
{
	hash(300);
	sink++;
}

__attribute__((noipa)) void
audit(void)
{
	verify();
	sink++;
}

__attribute__((noipa)) void
serve(void)
{
	for (int i = 0; i < 6; i++)
		handle_static();
	for (int i = 0; i < 3; i++)
		handle_login();
	sink++;
}

int
main(int argc, char **argv)
{
	unit = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	for (int i = 0; i < ROUNDS; i++) {
		serve();
		audit();
	}
	return 0;
}
