/*
 * hostile-calls PERCENT: makes system calls that the supervisor watches, since it may call profil,
 * in so much of each tenth of a second, and sleeps in the rest; for ever.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -Iproto
#include <profil.h>

#include "forged.h"

enum { TENTH_NS = 100000000 };

int
main(int argc, char **argv)
{
	const uint64_t busy = TENTH_NS / 100 * (argc > 1 ? strtoul(argv[1], NULL, 10) : 0);

	if (argc < 2)
		return profil_openbsd(NULL, 0, 0, 0, 0, -1); /* what it is linked for */
	for (;;) {
		const uint64_t end = now_ns() + busy;

		while (now_ns() < end)
			syscall(SYS_getppid);
		usleep((useconds_t)((TENTH_NS - busy) / 1000));
	}
}
