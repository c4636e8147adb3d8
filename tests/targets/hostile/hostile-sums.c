/*
 * hostile-sums N: forks so many children that end at once, each with a profile that fits into no
 * other one's sum.
 *
 * SPDX-License-Identifier: ISC
 */
#include "forged.h"

static char area[1 << 18] __attribute__((aligned(4096)));

PLAIN static void
before(int argc, char **argv)
{
	struct profsup_header *header = (void *)area;
	int n = argc > 1 ? atoi(argv[1]) : 0;

	header->arcs_off = sizeof(area) / 2;
	forged_text();
	/* No bins at all: their range is never that of the sum. */
	forged_profil((uint64_t)area, sizeof(area), 0, 0x400000);
	for (; n > 0; n--) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	_exit(0);
}
BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
