/*
 * All descriptors but a few.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <unistd.h>

/* Closes those from `from` on that are not among the `n` of `keep`. */
void
fds_close_but(const int *keep, size_t n, unsigned from)
{
	for (;;) {
		unsigned next = ~0U;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from)
			close_range(from, next == ~0U ? next : next - 1, 0);
		if (next == ~0U)
			return;
		from = next + 1;
	}
}
