/*
 * What every harness needs: an input that is taken from piece by piece, and a bound on what one
 * input may cost.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CPU time, sanitizers included, after which an input is a finding. */
enum { FUZZ_MS = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input. */
#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct input {
	const uint8_t *data;
	size_t left;
};

/* The next bytes; zeros where there are no more. */
static inline void
take(struct input *in, void *to, size_t len)
{
	size_t n = len < in->left ? len : in->left;

	memset(to, 0, len);
	if (n > 0)
		memcpy(to, in->data, n);
	in->data += n;
	in->left -= n;
}

static inline uint64_t
take_number(struct input *in, size_t bytes)
{
	uint64_t n = 0;

	take(in, &n, bytes);
	return n;
}

static inline uint64_t
fuzz_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

#endif
