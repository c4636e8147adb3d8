/*
 * elevated SECONDS: stands for any set-user-ID program.  The first half of its memory at PLACE is
 * to stay zero, the other half holds what nobody else may see.  Prints "elevated ran as UID", and
 * how many bytes of the first half are not what they were.
 *
 * Built without profiling, by the test.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -Wl,--section-start=.place=0x20000000
#include "elevated.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
	uint8_t zero[HALF];
	struct secret secret[HALF / sizeof(struct secret)];
} place __attribute__((section(".place"), aligned(4096))) = { .zero = { 0 } };

int
main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 0;
	struct timespec rest = { (time_t)seconds,
		                 (long)((seconds - (double)(time_t)seconds) * 1e9) };
	unsigned written = 0;

	for (unsigned i = 0; i < sizeof(place.secret) / sizeof(place.secret[0]); i++)
		place.secret[i] = (struct secret){ SECRET + i, SECRET + i, 1 };
	while (nanosleep(&rest, &rest) < 0)
		continue;
	for (unsigned i = 0; i < HALF; i++)
		written += ((volatile uint8_t *)place.zero)[i] != 0;
	printf("elevated ran as %d, %u bytes were written\n", (int)geteuid(), written);
	return 0;
}
